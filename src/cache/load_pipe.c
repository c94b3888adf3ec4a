/* SPDX-License-Identifier: Apache-2.0 */
/* load_pipe.c -- see load_pipe.h. */
#include "cache/load_pipe.h"

#include <unistd.h>

#include "base/error.h"
#include "cache/resource.h"

lw_status lw_load_pipe_init(lw_load_pipe *pipe, lw_cache_resource *resource, lw_error *err)
{
    *pipe = (lw_load_pipe){ .resource = resource, .failure = LW_ERROR_INIT };
    lw_status st = lw_load_maker_init(&pipe->maker, err);
    if (st < 0)
        return st;
    pipe->filling = lw_load_batch_new();
    if (!pipe->filling) {
        lw_load_maker_done(&pipe->maker);
        return lw_error_nomem(err);
    }
    lw_mutex_init(&pipe->mu);
    lw_cond_init(&pipe->is_changed);
    return LW_OK;
}

static lw_status make_and_put(lw_load_pipe *pipe, lw_load_batch *batch, lw_error *err)
{
    lw_load_batch_make(batch, &pipe->maker, pipe->resource);
    return lw_load_batch_put(batch, pipe->resource, err);
}

/* Puts the batches that are next, unless another thread does. */
static void put_made_locked(lw_load_pipe *pipe)
{
    if (pipe->is_putting)
        return;
    pipe->is_putting = true;
    while (pipe->next_put < pipe->next_make) {
        lw_load_batch *batch = pipe->ring[pipe->next_put % LW_LOAD_BATCHES_MAX];
        bool has_failed = pipe->failure.code < 0;
        lw_error why = LW_ERROR_INIT;
        if (!batch->is_made)
            break;
        lw_mutex_unlock(&pipe->mu);
        if (has_failed)
            lw_load_batch_empty(batch);
        else
            (void)lw_load_batch_put(batch, pipe->resource, &why);
        lw_mutex_lock(&pipe->mu);
        if (why.code < 0)
            pipe->failure = why;
        pipe->next_put++;
        pipe->free[pipe->free_count++] = batch;
        lw_cond_broadcast(&pipe->is_changed);
    }
    pipe->is_putting = false;
}

/* Makes the next batch, of which there must be one. */
static void make_next_locked(lw_load_pipe *pipe, lw_load_maker *maker)
{
    lw_load_batch *batch = pipe->ring[pipe->next_make++ % LW_LOAD_BATCHES_MAX];
    bool has_failed = pipe->failure.code < 0;
    lw_mutex_unlock(&pipe->mu);
    if (!has_failed)
        lw_load_batch_make(batch, maker, pipe->resource);
    lw_mutex_lock(&pipe->mu);
    batch->is_made = true;
    put_made_locked(pipe);
}

static void run(void *arg)
{
    lw_load_thread *thread = arg;
    lw_load_pipe *pipe = thread->pipe;
    lw_mutex_lock(&pipe->mu);
    for (;;) {
        while (pipe->next_make == pipe->next && !pipe->is_ending)
            lw_cond_wait(&pipe->is_changed, &pipe->mu);
        if (pipe->next_make == pipe->next)
            break;
        make_next_locked(pipe, &thread->maker);
    }
    lw_mutex_unlock(&pipe->mu);
}

static bool start_one(lw_load_pipe *pipe)
{
    lw_load_thread *thread = &pipe->threads[pipe->thread_count];
    thread->pipe = pipe;
    if (lw_load_maker_init(&thread->maker, NULL) < 0)
        return false;
    if (lw_thread_start(&thread->thread, "lw-load", run, thread, NULL) < 0) {
        lw_load_maker_done(&thread->maker);
        return false;
    }
    pipe->thread_count++;
    return true;
}

/* The caller reads, so there is a thread for each other processor. */
static size_t wanted_threads(void)
{
    long others = sysconf(_SC_NPROCESSORS_ONLN) - 1;
    if (others < 1)
        return 1;
    return others > LW_LOAD_THREADS_MAX ? LW_LOAD_THREADS_MAX : (size_t)others;
}

/* Makes the batches and starts a thread, if that has not been tried.  False: the caller goes on
 * alone. */
static bool start(lw_load_pipe *pipe)
{
    if (pipe->thread_count > 0 || pipe->is_alone)
        return !pipe->is_alone;
    lw_load_batch *batch = NULL;
    pipe->wanted_threads = wanted_threads();
    const size_t free = pipe->wanted_threads + LW_LOAD_SPARE - 1; /* one is being filled */
    while (pipe->free_count < free && (batch = lw_load_batch_new()))
        pipe->free[pipe->free_count++] = batch;
    pipe->is_alone = pipe->free_count < free || !start_one(pipe);
    return !pipe->is_alone;
}

static lw_status failure_locked(const lw_load_pipe *pipe, lw_error *err)
{
    if (pipe->failure.code < 0 && err)
        *err = pipe->failure;
    return pipe->failure.code;
}

/* Hands the full batch over, and goes on with a free one. */
static lw_status hand_over(lw_load_pipe *pipe, lw_error *err)
{
    pipe->filling->bytes_before = pipe->bytes;
    pipe->bytes += pipe->filling->text.len + pipe->filling->saved_bytes;
    if (!start(pipe))
        return make_and_put(pipe, pipe->filling, err);
    lw_mutex_lock(&pipe->mu);
    bool wants_help = pipe->free_count == 0 && pipe->thread_count < pipe->wanted_threads;
    lw_mutex_unlock(&pipe->mu);
    if (wants_help && !start_one(pipe))
        pipe->wanted_threads = pipe->thread_count;
    lw_mutex_lock(&pipe->mu);
    pipe->filling->is_made = false;
    pipe->ring[pipe->next++ % LW_LOAD_BATCHES_MAX] = pipe->filling;
    lw_cond_broadcast(&pipe->is_changed);
    while (pipe->free_count == 0) {
        if (pipe->next_make < pipe->next)
            make_next_locked(pipe, &pipe->maker);
        else
            lw_cond_wait(&pipe->is_changed, &pipe->mu);
    }
    pipe->filling = pipe->free[--pipe->free_count];
    lw_status st = failure_locked(pipe, err);
    lw_mutex_unlock(&pipe->mu);
    return st;
}

lw_status lw_load_pipe_take(lw_load_pipe *pipe, const lw_store_record *record, lw_error *err)
{
    lw_status st = lw_load_batch_add(pipe->filling, record, err);
    return st == LW_OK && lw_load_batch_is_full(pipe->filling) ? hand_over(pipe, err) : st;
}

lw_status lw_load_pipe_take_saved(lw_load_pipe *pipe, lw_str key, lw_object *obj, lw_error *err)
{
    lw_status st = lw_load_batch_add_saved_take(pipe->filling, key, obj, err);
    return st == LW_OK && lw_load_batch_is_full(pipe->filling) ? hand_over(pipe, err) : st;
}

/* Waits until the threads have nothing left to do, and for their end.  The last batch is left to
 * them. */
static void join(lw_load_pipe *pipe)
{
    if (pipe->thread_count == 0)
        return;
    lw_mutex_lock(&pipe->mu);
    pipe->is_ending = true;
    lw_cond_broadcast(&pipe->is_changed);
    while (pipe->next_make + 1 < pipe->next)
        make_next_locked(pipe, &pipe->maker);
    lw_mutex_unlock(&pipe->mu);
    for (size_t i = 0; i < pipe->thread_count; i++)
        lw_thread_join(&pipe->threads[i].thread);
}

static void done_makers(lw_load_pipe *pipe)
{
    for (size_t i = 0; i < pipe->thread_count; i++)
        lw_load_maker_done(&pipe->threads[i].maker);
    pipe->thread_count = 0;
    lw_load_maker_done(&pipe->maker);
}

lw_status lw_load_pipe_finish(lw_load_pipe *pipe, lw_error *err)
{
    join(pipe);
    lw_status st = failure_locked(pipe, err);
    pipe->filling->bytes_before = pipe->bytes;
    if (st == LW_OK)
        st = make_and_put(pipe, pipe->filling, err);
    if (st == LW_OK && pipe->maker.packing.compact) { /* the changes go on with its dictionary */
        lw_cache_packing_adopt_take(pipe->resource, pipe->maker.packing.compact);
        pipe->maker.packing.compact = NULL;
    }
    done_makers(pipe);
    return st;
}

void lw_load_pipe_done(lw_load_pipe *pipe)
{
    if (!pipe->filling)
        return;
    join(pipe);
    done_makers(pipe);
    lw_load_batch_free(pipe->filling);
    while (pipe->free_count > 0)
        lw_load_batch_free(pipe->free[--pipe->free_count]);
    lw_cond_done(&pipe->is_changed);
    lw_mutex_done(&pipe->mu);
    pipe->filling = NULL;
}
