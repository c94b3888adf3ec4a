/* SPDX-License-Identifier: Apache-2.0 */
/* etcd_watch.c -- opens and closes watches of the etcd store from other threads. */
#include "store/etcd_watch.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "store/watches.h"

/* Passes a watch to or from the store's thread. */
typedef struct watch_job {
    lw_etcd_job job;
    lw_store_watch *watch;
    lw_status st;
} watch_job;

static void open_on_thread(lw_etcd_job *job)
{
    watch_job *own = (watch_job *)(void *)job;
    lw_store_watch *watch = own->watch;
    lw_etcd_store *store = job->store;
    uint64_t compacted = atomic_load(&store->compacted);
    if (store->watch_count == LW_STORE_WATCHES_MAX) {
        own->st = LW_ERR_TOO_MANY;
    } else if (watch->told < compacted) {
        own->st = LW_ERR_EXPIRED;
        watch->told = compacted;
    } else {
        lw_dlist_push_back(&store->watches, &watch->link);
        store->watch_count++;
        watch->is_catching_up = store->main.is_lost || watch->told < store->main.told;
        watch->feed.told = watch->told;
        /* etcd begins with revision 1, which has no event. */
        if (watch->is_catching_up && watch->told == 0)
            lw_etcd_feed_tell(&watch->feed, 0, 1);
        if (watch->is_catching_up)
            lw_etcd_feed_open(&watch->feed);
    }
    lw_etcd_job_end(job);
}

static lw_status watch_new(lw_etcd_store *store, lw_str prefix, uint64_t after,
                           const lw_store_sink *sink, lw_store_watch **out)
{
    lw_store_watch *watch = lw_alloc_zero(1, sizeof(*watch) + prefix.len);
    if (!watch)
        return LW_ERR_NOMEM;
    watch->store = store;
    watch->sink = *sink;
    watch->told = after;
    if (prefix.len > 0)
        memcpy(watch->prefix_bytes, prefix.ptr, prefix.len);
    watch->prefix = lw_str_make(watch->prefix_bytes, prefix.len);
    lw_status st = lw_etcd_feed_init(&watch->feed, store, watch);
    if (st < 0) {
        lw_free(watch);
        return st;
    }
    *out = watch;
    return LW_OK;
}

lw_status lw_etcd_store_watch(lw_store *base, lw_str prefix, uint64_t after,
                              const lw_store_sink *sink, lw_store_watch **out, lw_error *err)
{
    lw_etcd_store *store = lw_etcd_store_of(base);
    watch_job own = { .st = LW_OK };
    assert(sink->on_events);
    if (prefix.len > LW_STORE_KEY_MAX)
        return lw_error_set(err, LW_ERR_LIMIT, "the key is too long; the limit is %d bytes",
                            LW_STORE_KEY_MAX);
    if (watch_new(store, prefix, after, sink, &own.watch) < 0)
        return lw_error_nomem(err);
    lw_etcd_job_run(store, &own.job, open_on_thread);
    if (own.st == LW_OK) {
        *out = own.watch;
        return LW_OK;
    }
    if (own.st == LW_ERR_EXPIRED)
        (void)lw_error_set(err, own.st,
                           "revision %" PRIu64 " has been compacted (compacted revision: %" PRIu64
                           ")",
                           after, own.watch->told);
    else
        (void)lw_error_set(err, own.st, "too many watches on the store; the limit is %d",
                           LW_STORE_WATCHES_MAX);
    lw_free(own.watch);
    return own.st;
}

static void watch_free(lw_store_watch *watch)
{
    lw_etcd_feed_close(&watch->feed);
    lw_dlist_remove(&watch->link);
    watch->store->watch_count--;
    lw_free(watch);
}

static void close_on_thread(lw_etcd_job *job)
{
    watch_free(((watch_job *)(void *)job)->watch);
    lw_etcd_store_advance(job->store);
    lw_etcd_job_end(job);
}

void lw_etcd_store_unwatch(lw_store *base, lw_store_watch *watch)
{
    watch_job own = { .watch = watch };
    lw_etcd_job_run(lw_etcd_store_of(base), &own.job, close_on_thread);
}

void lw_etcd_watches_free(lw_etcd_store *store)
{
    LW_DLIST_FOR_EACH_SAFE(lw_store_watch, watch, &store->watches, link)
    watch_free(watch);
}
