/* SPDX-License-Identifier: Apache-2.0 */
/* watches.c -- delivers changes to the watches of a store.
 * Invariant: a watch that is |calling| stays in the list, so that the iteration can continue from
 * it although the lock was released. */
#include "store/watches.h"

#include <assert.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"

struct lw_store_watch {
    lw_store_sink sink;
    uint64_t told;      /* everything up to here was delivered; writer's thread */
    bool is_over;       /* nothing more will be delivered; writer's thread */
    lw_dlist_node link; /* guarded by watches->mu */
    lw_str prefix;      /* points to the bytes after the struct */
    char prefix_bytes[];
};

lw_status lw_store_watches_init(lw_store_watches *watches)
{
    *watches = (lw_store_watches){ .calling = NULL };
    watches->events = lw_alloc_zero(LW_STORE_PORTION_MAX, sizeof(lw_store_event));
    watches->chosen = lw_alloc_zero(LW_STORE_PORTION_MAX, sizeof(lw_store_event));
    if (!watches->events || !watches->chosen) {
        lw_free(watches->events);
        lw_free(watches->chosen);
        return LW_ERR_NOMEM;
    }
    lw_mutex_init(&watches->mu);
    lw_cond_init(&watches->called);
    lw_dlist_init(&watches->list);
    return LW_OK;
}

void lw_store_watches_done(lw_store_watches *watches)
{
    LW_DLIST_FOR_EACH_SAFE(lw_store_watch, watch, &watches->list, link)
    {
        lw_dlist_remove(&watch->link);
        lw_free(watch);
    }
    lw_cond_done(&watches->called);
    lw_mutex_done(&watches->mu);
    lw_free(watches->events);
    lw_free(watches->chosen);
}

static lw_status watches_link(lw_store_watches *watches, lw_store_watch *watch)
{
    lw_status st = LW_OK;
    lw_mutex_lock(&watches->mu);
    if (watches->count < LW_STORE_WATCHES_MAX) {
        lw_dlist_push_back(&watches->list, &watch->link);
        watches->count++;
    } else {
        st = LW_ERR_TOO_MANY;
    }
    lw_mutex_unlock(&watches->mu);
    return st;
}

lw_status lw_store_watches_add(lw_store_watches *watches, lw_str prefix, uint64_t after,
                               const lw_store_sink *sink, lw_store_watch **out, lw_error *err)
{
    assert(sink->on_events);
    if (prefix.len > LW_STORE_KEY_MAX)
        return lw_error_set(err, LW_ERR_LIMIT, "the key is too long; the limit is %d bytes",
                            LW_STORE_KEY_MAX);
    lw_store_watch *watch = lw_alloc_zero(1, sizeof(*watch) + prefix.len);
    if (!watch)
        return lw_error_nomem(err);
    watch->sink = *sink;
    watch->told = after;
    if (prefix.len > 0)
        memcpy(watch->prefix_bytes, prefix.ptr, prefix.len);
    watch->prefix = lw_str_make(watch->prefix_bytes, prefix.len);
    lw_status st = watches_link(watches, watch);
    if (st < 0) {
        lw_free(watch);
        return lw_error_set(err, st, "too many watches on the store; the limit is %d",
                            LW_STORE_WATCHES_MAX);
    }
    *out = watch;
    return LW_OK;
}

void lw_store_watches_remove(lw_store_watches *watches, lw_store_watch *watch)
{
    lw_mutex_lock(&watches->mu);
    while (watches->calling == watch)
        lw_cond_wait(&watches->called, &watches->mu);
    lw_dlist_remove(&watch->link);
    watches->count--;
    lw_mutex_unlock(&watches->mu);
    lw_free(watch);
}

/* Returns the watch after |previous| (NULL: the first); it is not freed until the next step. */
static lw_store_watch *watches_step(lw_store_watches *watches, const lw_store_watch *previous)
{
    lw_mutex_lock(&watches->mu);
    lw_dlist_node *node =
        previous ? lw_dlist_next(&watches->list, &previous->link) : lw_dlist_first(&watches->list);
    watches->calling = LW_DLIST_ITEM(node, lw_store_watch, link);
    lw_store_watch *calling = watches->calling;
    lw_cond_broadcast(&watches->called);
    lw_mutex_unlock(&watches->mu);
    return calling;
}

/* Delivers the first |count| of watches->events to |watch|, as far as they are new and match its
 * prefix. */
static void watch_tell(lw_store_watches *watches, lw_store_watch *watch, size_t count,
                       uint64_t revision)
{
    size_t chosen = 0;
    for (size_t i = 0; i < count; i++) {
        const lw_store_event *event = &watches->events[i];
        if (event->revision > watch->told && lw_str_starts_with(event->key, watch->prefix))
            watches->chosen[chosen++] = *event;
    }
    watch->sink.on_events(watches->chosen, chosen, revision, watch->sink.arg);
    watch->told = revision;
}

static void watch_end(lw_store_watch *watch, const lw_error *reason)
{
    watch->is_over = true;
    if (watch->sink.on_end)
        watch->sink.on_end(reason, watch->sink.arg);
}

void lw_store_watches_tell(lw_store_watches *watches, size_t count, uint64_t base,
                           uint64_t revision)
{
    for (lw_store_watch *watch = NULL; (watch = watches_step(watches, watch));) {
        if (!watch->is_over && watch->told >= base && watch->told < revision)
            watch_tell(watches, watch, count, revision);
    }
}

bool lw_store_watches_is_behind(lw_store_watches *watches, uint64_t current)
{
    bool is_behind = false;
    lw_mutex_lock(&watches->mu);
    LW_DLIST_FOR_EACH(lw_store_watch, watch, &watches->list, link)
    is_behind = is_behind || (!watch->is_over && watch->told < current);
    lw_mutex_unlock(&watches->mu);
    return is_behind;
}

static void watch_replay(lw_store_watches *watches, lw_store_watch *watch, lw_store_engine *engine)
{
    lw_error err = LW_ERROR_INIT;
    size_t count = 0;
    lw_status st = LW_OK;
    if (watch->told < engine->marks.compacted)
        st = lw_error_set(&err, LW_ERR_EXPIRED,
                          "the history was compacted before the watch had read it");
    else
        st = engine->ops->replay(engine, watch->told, watches->events, LW_STORE_PORTION_MAX, &count,
                                 &err);
    if (st < 0) {
        watch_end(watch, &err);
        return;
    }
    assert(count > 0 && watches->events[count - 1].revision > watch->told);
    watch_tell(watches, watch, count, watches->events[count - 1].revision);
    engine->ops->replay_end(engine);
}

void lw_store_watches_replay(lw_store_watches *watches, lw_store_engine *engine)
{
    for (lw_store_watch *watch = NULL; (watch = watches_step(watches, watch));) {
        if (!watch->is_over && watch->told < engine->marks.current)
            watch_replay(watches, watch, engine);
    }
}

void lw_store_watches_compacted(lw_store_watches *watches, uint64_t revision)
{
    for (lw_store_watch *watch = NULL; (watch = watches_step(watches, watch));) {
        if (!watch->is_over && watch->sink.on_compacted)
            watch->sink.on_compacted(revision, watch->sink.arg);
    }
}

void lw_store_watches_end(lw_store_watches *watches, const lw_error *reason)
{
    for (lw_store_watch *watch = NULL; (watch = watches_step(watches, watch));) {
        if (!watch->is_over)
            watch_end(watch, reason);
    }
}
