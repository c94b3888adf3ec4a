/* SPDX-License-Identifier: Apache-2.0 */
/* load_pipe.c -- see load_pipe.h. */
#include "cache/load_pipe.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "cache/apply.h"
#include "cache/event_ring.h"
#include "cache/resource.h"
#include "cache/state.h"

static lw_status put(lw_cache_resource *resource, lw_str key, const lw_object *obj,
                     uint64_t revision, lw_error *err)
{
    lw_cache *cache = resource->cache;
    lw_mutex_lock(&cache->apply_mu);
    lw_status st =
        lw_resource_put(resource, lw_str_skip(key, resource->prefix.len), obj, revision, false);
    lw_mutex_unlock(&cache->apply_mu);
    return st < 0 ? lw_apply_error(err, st, key) : LW_OK;
}

static lw_load_batch *batch_new(void)
{
    lw_load_batch *batch = lw_alloc_zero(1, sizeof(*batch));
    if (batch)
        lw_buf_init(&batch->keys, (size_t)LW_LOAD_BATCH * LW_STORE_KEY_MAX);
    return batch;
}

static void batch_empty(lw_load_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        lw_object_unref(batch->entries[i].object);
    batch->count = batch->bytes = 0;
    lw_buf_reset(&batch->keys);
}

static void batch_free(lw_load_batch *batch)
{
    if (!batch)
        return;
    batch_empty(batch);
    lw_buf_done(&batch->keys);
    lw_free(batch);
}

/* Puts what |batch| has, up to one that cannot be; empties it. */
static lw_status put_all(lw_cache_resource *resource, lw_load_batch *batch, lw_error *err)
{
    lw_status st = LW_OK;
    lw_str keys = lw_buf_view(&batch->keys);
    for (size_t i = 0; i < batch->count && st == LW_OK; i++) {
        size_t len = batch->entries[i].key_len;
        st = put(resource, lw_str_make(keys.ptr, len), batch->entries[i].object,
                 batch->entries[i].revision, err);
        keys = lw_str_skip(keys, len);
    }
    batch_empty(batch);
    return st;
}

lw_status lw_load_pipe_init(lw_load_pipe *pipe, lw_cache_resource *resource, lw_error *err)
{
    *pipe = (lw_load_pipe){ .resource = resource, .failure = LW_ERROR_INIT };
    pipe->filling = batch_new();
    if (!pipe->filling)
        return lw_error_nomem(err);
    lw_mutex_init(&pipe->mu);
    lw_cond_init(&pipe->is_changed);
    return LW_OK;
}

/* The other thread: takes batches until there are no more. */
static void run(void *arg)
{
    lw_load_pipe *pipe = arg;
    lw_mutex_lock(&pipe->mu);
    for (;;) {
        while (!pipe->emptying && !pipe->is_ending)
            lw_cond_wait(&pipe->is_changed, &pipe->mu);
        lw_load_batch *batch = pipe->emptying;
        if (!batch)
            break;
        bool has_failed = pipe->failure.code < 0;
        lw_error why = LW_ERROR_INIT;
        lw_mutex_unlock(&pipe->mu);
        if (has_failed)
            batch_empty(batch);
        else
            (void)put_all(pipe->resource, batch, &why);
        lw_mutex_lock(&pipe->mu);
        if (why.code < 0)
            pipe->failure = why;
        pipe->emptying = NULL;
        pipe->spare = batch;
        lw_cond_signal(&pipe->is_changed);
    }
    lw_mutex_unlock(&pipe->mu);
}

/* Starts the thread for the second batch.  False: the caller goes on alone. */
static bool start(lw_load_pipe *pipe)
{
    if (pipe->has_thread)
        return true;
    pipe->spare = batch_new();
    pipe->has_thread =
        pipe->spare && lw_thread_start(&pipe->thread, "lw-load", run, pipe, NULL) == LW_OK;
    if (!pipe->has_thread) {
        batch_free(pipe->spare);
        pipe->spare = NULL;
    }
    return pipe->has_thread;
}

static lw_status failure_locked(const lw_load_pipe *pipe, lw_error *err)
{
    if (pipe->failure.code < 0 && err)
        *err = pipe->failure;
    return pipe->failure.code;
}

/* Hands the full batch over, and goes on with the other one when that is empty. */
static lw_status hand_over(lw_load_pipe *pipe, lw_error *err)
{
    if (!start(pipe))
        return put_all(pipe->resource, pipe->filling, err);
    lw_mutex_lock(&pipe->mu);
    while (!pipe->spare)
        lw_cond_wait(&pipe->is_changed, &pipe->mu);
    pipe->emptying = pipe->filling;
    pipe->filling = pipe->spare;
    pipe->spare = NULL;
    lw_status st = failure_locked(pipe, err);
    lw_cond_signal(&pipe->is_changed);
    lw_mutex_unlock(&pipe->mu);
    return st;
}

lw_status lw_load_pipe_take(lw_load_pipe *pipe, lw_str key, lw_object *obj, uint64_t revision,
                            lw_error *err)
{
    lw_load_batch *batch = pipe->filling;
    lw_buf_append_str(&batch->keys, key);
    if (batch->keys.st < 0) {
        lw_object_unref(obj);
        return lw_error_nomem(err);
    }
    batch->entries[batch->count].object = obj;
    batch->entries[batch->count].revision = revision;
    batch->entries[batch->count].key_len = key.len;
    batch->count++;
    batch->bytes += lw_cache_object_bytes(obj);
    bool is_full = batch->count == LW_LOAD_BATCH || batch->bytes >= LW_LOAD_BATCH_BYTES;
    return is_full ? hand_over(pipe, err) : LW_OK;
}

/* Waits until the other thread has nothing left to do, and for its end. */
static void join(lw_load_pipe *pipe)
{
    if (!pipe->has_thread)
        return;
    lw_mutex_lock(&pipe->mu);
    pipe->is_ending = true;
    lw_cond_signal(&pipe->is_changed);
    lw_mutex_unlock(&pipe->mu);
    lw_thread_join(&pipe->thread);
    pipe->has_thread = false;
}

lw_status lw_load_pipe_finish(lw_load_pipe *pipe, lw_error *err)
{
    join(pipe);
    lw_status st = failure_locked(pipe, err);
    return st < 0 ? st : put_all(pipe->resource, pipe->filling, err);
}

void lw_load_pipe_done(lw_load_pipe *pipe)
{
    if (!pipe->filling)
        return;
    join(pipe);
    batch_free(pipe->filling);
    batch_free(pipe->spare);
    lw_cond_done(&pipe->is_changed);
    lw_mutex_done(&pipe->mu);
    pipe->filling = NULL;
}
