/* SPDX-License-Identifier: Apache-2.0 */
/* etcd_waits.c -- callers that wait until a revision has been delivered to the watches.
 *
 * A revision may belong to a key outside our prefix, for which our watch gets no event: while a
 * caller waits, progress is requested from etcd.  If etcd does not support that, the whole key
 * space is watched, where every revision has an event (etcd_feed.c). */
#include "base/clock.h"
#include "store/etcd_internal.h"
#include "store/etcd_watch.h"

uint64_t lw_etcd_told_to_all(const lw_etcd_store *store)
{
    uint64_t told = store->main.told;
    LW_DLIST_FOR_EACH(lw_store_watch, watch, &store->watches, link)
    {
        if (watch->is_catching_up && watch->told < told)
            told = watch->told;
    }
    return told;
}

void lw_etcd_store_advance(lw_etcd_store *store)
{
    uint64_t revision = lw_etcd_told_to_all(store);
    /* If it is not later, a watch that was opened since is still behind. */
    if (revision > lw_etcd_store_told(store))
        atomic_store_explicit(&store->told, revision, memory_order_release);
    for (lw_etcd_write *write;
         (write = LW_DLIST_ITEM(lw_dlist_first(&store->told_waits), lw_etcd_write, link)) &&
         write->wait_for <= revision;) {
        lw_dlist_remove(&write->link);
        lw_etcd_write_done(write);
    }
    lw_etcd_confirms_told(store, revision);
}

static bool is_waited_for(const lw_etcd_store *store)
{
    return !lw_dlist_is_empty(&store->told_waits) || !lw_dlist_is_empty(&store->confirmed);
}

static void ask_progress(lw_etcd_store *store)
{
    if (!store->has_progress || store->has_asked_progress || !is_waited_for(store) ||
        !store->main.watch)
        return;
    store->has_asked_progress = true;
    lw_etcd_watch_ask_progress(store->main.watch);
    int64_t again = lw_loop_now(store->loop) + LW_STORE_ETCD_PROGRESS_MS * LW_NS_PER_MS;
    if (lw_timer_set(store->loop, &store->progress, again) < 0)
        store->has_asked_progress = false; /* the tick requests it again */
}

static void progress_fired(lw_timer *timer)
{
    lw_etcd_store *store = LW_HEAP_ITEM(&timer->node, lw_etcd_store, progress.node);
    store->has_asked_progress = false;
    ask_progress(store);
}

void lw_etcd_wait_told(lw_etcd_write *write)
{
    lw_etcd_store *store = write->store;
    write->deadline_ns = lw_loop_now(store->loop) + LW_STORE_ETCD_WAIT_S * LW_NS_PER_S;
    /* Replies arrive almost in the order of their revisions: the position is at the end or close to
     * it. */
    lw_dlist_node *place = lw_dlist_last(&store->told_waits);
    while (place && LW_DLIST_ITEM(place, lw_etcd_write, link)->wait_for > write->wait_for)
        place = lw_dlist_prev(&store->told_waits, place);
    lw_dlist_node *after =
        place ? lw_dlist_next(&store->told_waits, place) : lw_dlist_first(&store->told_waits);
    if (after)
        lw_dlist_insert_before(after, &write->link);
    else
        lw_dlist_push_back(&store->told_waits, &write->link);
    lw_etcd_waits_begun(store);
}

void lw_etcd_waits_begun(lw_etcd_store *store)
{
    ask_progress(store);
    lw_etcd_tick_start(store);
}

static bool has_deadlines(lw_etcd_store *store)
{
    lw_mutex_lock(&store->mu);
    bool is_queued = !lw_dlist_is_empty(&store->queue);
    lw_mutex_unlock(&store->mu);
    return is_queued || is_waited_for(store);
}

void lw_etcd_tick_start(lw_etcd_store *store)
{
    if (lw_heap_node_is_in(&store->tick.node) || !has_deadlines(store))
        return;
    int64_t next = lw_loop_now(store->loop) + LW_STORE_ETCD_TICK_MS * LW_NS_PER_MS;
    (void)lw_timer_set(store->loop, &store->tick, next); /* else the next waiter retries */
}

static void tick_fired(lw_timer *timer)
{
    lw_etcd_store *store = LW_HEAP_ITEM(&timer->node, lw_etcd_store, tick.node);
    int64_t now = lw_loop_now(store->loop);
    lw_etcd_writes_expire(store, now);
    lw_etcd_confirms_expire(store, now);
    ask_progress(store);
    lw_etcd_tick_start(store);
}

void lw_etcd_waits_init(lw_etcd_store *store)
{
    lw_dlist_init(&store->told_waits);
    store->tick.fire = tick_fired;
    store->progress.fire = progress_fired;
}
