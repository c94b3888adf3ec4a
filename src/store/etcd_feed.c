/* SPDX-License-Identifier: Apache-2.0 */
/* etcd_feed.c -- watches on etcd: a main feed for all watches of the store, and a separate feed for
 * each watch that still catches up.
 *
 *     open ──▶ catching up (separate feed) ──at the main feed's revision──▶ on the main feed
 *       └───────────────────── from a future revision ──────────────────────▲
 *
 * Both feeds run on one thread, so a watch that is at exactly the same revision as the main feed
 * can change over without missing anything.  Since both deliver the same events, they soon meet.
 *
 * If etcd supports progress requests, a feed watches the prefix.  Otherwise it watches the whole
 * key space: there every revision has an event, so the last event shows the progress. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/random.h"
#include "base/str.h"
#include "store/etcd_internal.h"
#include "store/etcd_watch.h"

static void main_begin_anew(lw_etcd_feed *feed);

static void watch_end(lw_store_watch *watch, const lw_error *reason)
{
    if (watch->is_over)
        return;
    watch->is_over = true;
    watch->is_catching_up = false;
    if (watch->sink.on_end)
        watch->sink.on_end(reason, watch->sink.arg);
}

/* Delivers the first |count| of store->events to |watch|, as far as they are new and match its
 * prefix. */
static void watch_tell(lw_store_watch *watch, size_t count, uint64_t revision)
{
    lw_etcd_store *store = watch->store;
    size_t chosen = 0;
    if (watch->is_over || revision <= watch->told)
        return;
    for (size_t i = 0; i < count; i++) {
        const lw_store_event *event = &store->events[i];
        if (event->revision > watch->told && lw_str_starts_with(event->key, watch->prefix))
            store->chosen[chosen++] = *event;
    }
    watch->sink.on_events(store->chosen, chosen, revision, watch->sink.arg);
    watch->told = revision;
}

/* Moves |watch| to the main feed if both are at the same revision. */
static void watch_join(lw_store_watch *watch)
{
    lw_etcd_store *store = watch->store;
    if (store->main.is_lost || watch->feed.told < store->main.told)
        return;
    watch->is_catching_up = false;
    lw_etcd_store_wake(store); /* ends the separate feed later, not inside its callback */
}

static void tell_main(lw_etcd_store *store, size_t count, uint64_t revision)
{
    LW_DLIST_FOR_EACH(lw_store_watch, watch, &store->watches, link)
    {
        if (watch->is_catching_up)
            watch_join(watch);
        if (!watch->is_catching_up)
            watch_tell(watch, count, revision);
    }
    store->main.told = revision;
    lw_etcd_store_advance(store);
}

void lw_etcd_feed_tell(lw_etcd_feed *feed, size_t count, uint64_t revision)
{
    if (revision <= feed->told)
        return;
    if (!feed->only) {
        tell_main(feed->store, count, revision);
        return;
    }
    if (!feed->only->is_catching_up)
        return;
    watch_tell(feed->only, count, revision);
    feed->told = revision;
    watch_join(feed->only);
    lw_etcd_store_advance(feed->store);
}

static void feed_retry(lw_etcd_feed *feed)
{
    lw_loop *loop = feed->store->loop;
    int64_t now = lw_loop_now(loop);
    if (lw_timer_set(loop, &feed->retry, now + lw_backoff_next(&feed->backoff, now)) < 0)
        lw_log(feed->store->logger, LW_LOG_ERROR, "store",
               "out of memory: the watch on etcd is not restarted");
}

static bool reserve_events(lw_etcd_store *store, size_t count)
{
    if (count <= store->event_room)
        return true;
    lw_store_event *events = lw_realloc_array(store->events, count, sizeof(*events));
    if (events)
        store->events = events;
    lw_store_event *chosen =
        events ? lw_realloc_array(store->chosen, count, sizeof(*chosen)) : NULL;
    if (!chosen)
        return false;
    store->chosen = chosen;
    store->event_room = count;
    return true;
}

static void feed_on_events(const lw_etcd_event *events, size_t count, void *arg)
{
    lw_etcd_feed *feed = arg;
    lw_etcd_store *store = feed->store;
    size_t own = 0;
    if (!reserve_events(store, count)) {
        feed->is_short = true; /* nothing after |told| was delivered: it is requested again */
        lw_etcd_store_wake(store);
    }
    if (feed->is_short)
        return;
    for (size_t i = 0; i < count; i++) {
        const lw_etcd_event *event = &events[i];
        if (!lw_etcd_store_has_key(store, event->kv.key)) {
            lw_etcd_compact_noticed(store, event);
            continue;
        }
        store->events[own++] = (lw_store_event){
            .key = event->kv.key,
            .value = event->is_delete ? LW_STR("") : event->kv.value,
            .revision = event->kv.mod_revision,
            .is_delete = event->is_delete,
            .attachment = feed->only ? NULL : lw_etcd_attachment(store, event),
        };
    }
    lw_etcd_feed_tell(feed, own, events[count - 1].kv.mod_revision);
}

static void feed_on_progress(uint64_t revision, void *arg)
{
    lw_etcd_feed *feed = arg;
    if (!feed->is_short)
        lw_etcd_feed_tell(feed, 0, revision);
}

static void feed_on_open(uint64_t revision, void *arg)
{
    lw_etcd_feed *feed = arg;
    (void)revision;
    lw_backoff_reset(&feed->backoff);
    if (feed->only && feed->store->has_progress) {
        int64_t soon = lw_loop_now(feed->store->loop) + LW_STORE_ETCD_PROGRESS_MS * LW_NS_PER_MS;
        (void)lw_timer_set(feed->store->loop, &feed->retry, soon);
    }
}

static void feed_on_cut(const lw_error *err, void *arg)
{
    lw_etcd_feed *feed = arg;
    if (!feed->only)
        lw_log(feed->store->logger, LW_LOG_WARN, "store", "the watch on etcd was interrupted: %s",
               err->message);
}

static void feed_on_end(const lw_error *err, uint64_t compacted, void *arg)
{
    lw_etcd_feed *feed = arg;
    lw_etcd_store *store = feed->store;
    feed->watch = NULL;
    lw_log(store->logger, LW_LOG_WARN, "store", "a watch on etcd ended: %s", err->message);
    if (err->code != LW_ERR_EXPIRED) {
        if (!feed->only || feed->only->is_catching_up)
            feed_retry(feed);
        return;
    }
    lw_etcd_store_compacted(store, compacted);
    if (feed->only) {
        watch_end(feed->only, err);
        lw_etcd_store_advance(store);
        return;
    }
    feed->is_lost = true;
    LW_DLIST_FOR_EACH(lw_store_watch, watch, &store->watches, link)
    {
        if (!watch->is_catching_up)
            watch_end(watch, err);
    }
    feed_retry(feed);
}

void lw_etcd_feed_open(lw_etcd_feed *feed)
{
    lw_etcd_store *store = feed->store;
    if (feed->is_lost) {
        main_begin_anew(feed);
        return;
    }
    lw_etcd_watch_request request = { .key = LW_STR("\0"),
                                      .end = LW_STR("\0"),
                                      .start_revision = feed->told + 1,
                                      .wants_progress = true };
    if (store->has_progress && store->prefix.len > 0) {
        request.key = store->prefix;
        if (store->prefix_end.len > 0)
            request.end = store->prefix_end;
    }
    const lw_etcd_watch_sink sink = { .on_open = feed_on_open,
                                      .on_events = feed_on_events,
                                      .on_progress = feed_on_progress,
                                      .on_cut = feed_on_cut,
                                      .on_end = feed_on_end,
                                      .arg = feed };
    feed->is_short = false;
    if (lw_etcd_watch_open(&feed->watch, store->etcd, &request, &sink) < 0) {
        feed->watch = NULL;
        feed_retry(feed);
    }
}

static void retry_fired(lw_timer *timer)
{
    lw_etcd_feed *feed = LW_HEAP_ITEM(&timer->node, lw_etcd_feed, retry.node);
    if (!feed->watch) {
        lw_etcd_feed_open(feed);
    } else if (feed->only && feed->only->is_catching_up) {
        lw_etcd_watch_ask_progress(feed->watch);
        feed_on_open(0, feed);
    }
}

static void newest_answered(const lw_etcd_range_answer *answer, void *arg)
{
    lw_etcd_feed *feed = arg;
    lw_etcd_store *store = feed->store;
    if (answer->base.err) {
        feed_retry(feed);
        return;
    }
    feed->is_lost = false;
    feed->told = answer->base.revision;
    lw_etcd_feed_open(feed);
    lw_etcd_store_advance(store);
}

/* The changes in between are no longer available: continues from the latest revision. */
static void main_begin_anew(lw_etcd_feed *feed)
{
    lw_etcd_store *store = feed->store;
    const lw_etcd_range_request request = { .key = LW_STR(LW_STORE_ETCD_COMPACT_KEY),
                                            .is_count_only = true };
    if (lw_etcd_range(store->etcd, &request, newest_answered, feed, NULL) < 0)
        feed_retry(feed);
}

lw_status lw_etcd_feed_init(lw_etcd_feed *feed, lw_etcd_store *store, lw_store_watch *only)
{
    static const lw_backoff_options pace = {
        .base_ns = 100 * LW_NS_PER_MS, .cap_ns = 5 * LW_NS_PER_S, .factor = 2.0, .jitter = 0.5
    };
    feed->store = store;
    feed->only = only;
    feed->retry.fire = retry_fired;
    uint64_t seed;
    lw_entropy_seed(&seed, 1);
    return lw_backoff_init(&feed->backoff, &pace, seed);
}

void lw_etcd_feed_close(lw_etcd_feed *feed)
{
    lw_timer_cancel(feed->store->loop, &feed->retry);
    lw_etcd_watch_cancel(feed->watch);
    feed->watch = NULL;
}

void lw_etcd_feeds_sweep(lw_etcd_store *store)
{
    if (store->main.is_short) {
        lw_etcd_feed_close(&store->main);
        store->main.is_short = false;
        feed_retry(&store->main);
    }
    LW_DLIST_FOR_EACH(lw_store_watch, watch, &store->watches, link)
    {
        lw_etcd_feed *feed = &watch->feed;
        if (!feed->watch || (watch->is_catching_up && !feed->is_short))
            continue;
        lw_etcd_feed_close(feed);
        if (watch->is_catching_up)
            feed_retry(feed);
    }
}

void lw_etcd_store_compacted(lw_etcd_store *store, uint64_t revision)
{
    if (revision <= atomic_load(&store->compacted))
        return;
    atomic_store(&store->compacted, revision);
    LW_DLIST_FOR_EACH(lw_store_watch, watch, &store->watches, link)
    {
        if (!watch->is_over && watch->sink.on_compacted)
            watch->sink.on_compacted(revision, watch->sink.arg);
    }
}

void lw_etcd_watches_end(lw_etcd_store *store, const lw_error *reason)
{
    LW_DLIST_FOR_EACH(lw_store_watch, watch, &store->watches, link)
    watch_end(watch, reason);
}
