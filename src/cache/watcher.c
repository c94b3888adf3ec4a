/* SPDX-License-Identifier: Apache-2.0 */
/* watcher.c -- a watcher reads a snapshot first, then the ring.
 *
 *     STATE ──open──▶ INITIAL ──SYNCED──▶ LIVE ──evicted────▶ EXPIRED
 *     NOW, AFTER ──open──────────────────▶ │ ──out of memory▶ FAILED
 *
 * The event that a change causes depends on whether the old and the new object match the filter:
 *
 *     old   new
 *      -    yes   ADDED
 *     yes   yes   MODIFIED
 *     yes    -    DELETED, with the old content and the new revision
 *     yes  gone   DELETED */
#include "cache/watcher.h"

#include <assert.h>
#include <inttypes.h>

#include "base/alloc.h"
#include "base/error.h"
#include "cache/filter.h"
#include "cache/state.h"
#include "cache/watcher_internal.h"
#include "object/compact/compact.h"

_Static_assert(sizeof(lw_watcher) <= 120, "a hundred thousand watchers must fit in 12 MB");

static void initial_free(lw_watcher *watcher)
{
    if (watcher->initial)
        lw_index_done(&watcher->initial->snapshot);
    lw_free(watcher->initial);
    watcher->initial = NULL;
}

/* Sets the start position of |watcher|; the resource is locked for reading. */
static lw_status begin_locked(lw_watcher *watcher, const lw_watcher_options *options, lw_error *err)
{
    lw_cache_resource *resource = options->resource;
    switch (options->start) {
    case LW_WATCH_START_STATE:
        watcher->phase = LW_WATCHER_INITIAL;
        watcher->after = lw_resource_revision_locked(resource);
        watcher->initial->snapshot = lw_index_snapshot(&resource->index);
        watcher->seq = lw_ring_next_seq(&resource->ring.ring);
        return LW_OK;
    case LW_WATCH_START_NOW:
        watcher->after = lw_resource_revision_locked(resource);
        watcher->seq = lw_ring_next_seq(&resource->ring.ring);
        break;
    case LW_WATCH_START_AFTER:
        if (!lw_resource_has_history_locked(resource, options->after))
            return lw_error_set(err, LW_ERR_EXPIRED,
                                "too old resource version: %" PRIu64 " (%" PRIu64 ")",
                                options->after,
                                resource->is_fed ? lw_resource_revision_locked(resource)
                                                 : resource->ring.oldest);
        watcher->after = options->after;
        watcher->seq = lw_event_ring_seek(&resource->ring, options->after);
        break;
    }
    watcher->phase = LW_WATCHER_LIVE;
    watcher->revision = watcher->after;
    return LW_OK;
}

static lw_status begin(lw_watcher *watcher, const lw_watcher_options *options, lw_error *err)
{
    if (options->start == LW_WATCH_START_STATE) {
        watcher->initial = lw_alloc_zero(1, sizeof(*watcher->initial));
        if (!watcher->initial)
            return lw_error_nomem(err);
    }
    lw_status st = lw_resource_begin_read(options->resource, err);
    if (st < 0)
        return st;
    st = begin_locked(watcher, options, err);
    lw_resource_end_read(options->resource);
    lw_watcher_initial *initial = watcher->initial;
    if (st == LW_OK && initial) {
        size_t first;
        lw_scope_ranks(&watcher->scope, &initial->snapshot, &first, &initial->end);
        initial->cursor = lw_index_seek(&initial->snapshot, first);
    }
    return st;
}

lw_status lw_watcher_open(lw_watcher **out, const lw_watcher_options *options, lw_error *err)
{
    lw_watcher *watcher = lw_alloc_zero(1, sizeof(*watcher));
    /* Subscribe before reading the position in the ring, so that every later change wakes the
     * port. */
    lw_subscription *subscription =
        watcher ? lw_subscription_get(options->port, options->resource) : NULL;
    if (!subscription) {
        lw_free(watcher);
        return lw_error_nomem(err);
    }
    watcher->subscription = subscription;
    watcher->on_ready = options->on_ready;
    watcher->arg = options->arg;
    watcher->filter = options->filter;
    watcher->scope = lw_scope_of(options->filter);
    watcher->wants_previous = options->wants_previous;
    watcher->has_selectors = lw_filter_has_selectors(options->filter) || options->wants_previous;
    lw_status st = begin(watcher, options, err);
    if (st < 0) {
        initial_free(watcher);
        lw_free(watcher);
        lw_subscription_release(subscription);
        return st;
    }
    lw_watcher_index_add(&subscription->watchers, watcher);
    watcher->is_uncounted = options->is_uncounted;
    if (!watcher->is_uncounted)
        atomic_fetch_add_explicit(&options->resource->watchers, 1, memory_order_relaxed);
    *out = watcher;
    return LW_OK;
}

void lw_watcher_close(lw_watcher *watcher)
{
    if (!watcher)
        return;
    lw_subscription *subscription = watcher->subscription;
    if (!watcher->is_uncounted)
        atomic_fetch_sub_explicit(&subscription->resource->watchers, 1, memory_order_relaxed);
    lw_watcher_index_remove(&subscription->watchers, watcher);
    initial_free(watcher);
    lw_free(watcher);
    lw_subscription_release(subscription);
}

static lw_watch_step fail(lw_watcher *watcher)
{
    initial_free(watcher);
    watcher->phase = LW_WATCHER_FAILED;
    return LW_WATCH_STEP_FAILED;
}

static lw_watch_step next_initial(lw_watcher *watcher, lw_cache_event *event)
{
    lw_watcher_initial *initial = watcher->initial;
    while (initial->cursor.rank < initial->end) {
        const lw_object *obj = lw_index_next(&initial->snapshot, &initial->cursor);
        lw_object *opened = NULL;
        bool selects = lw_scope_has(&watcher->scope, obj);
        lw_status st = LW_OK;
        if (selects && watcher->has_selectors)
            st = lw_filter_check(watcher->filter, obj, &selects, &opened);
        if (st == LW_OK && !selects)
            continue;
        if (st == LW_OK && !opened && !(opened = lw_compact_open_ref(obj)))
            st = LW_ERR_NOMEM;
        if (st < 0)
            return fail(watcher);
        *event = (lw_cache_event){ .type = LW_WATCH_ADDED,
                                   .object = opened,
                                   .revision = lw_object_revision(obj) };
        return LW_WATCH_STEP_EVENT;
    }
    initial_free(watcher);
    watcher->phase = LW_WATCHER_LIVE;
    watcher->revision = watcher->after;
    *event = (lw_cache_event){ .revision = watcher->after };
    return LW_WATCH_STEP_SYNCED;
}

/* Returns the event type of |change|, which is in scope, for |watcher|; 0: no event. */
static int change_type(const lw_watcher *watcher, const lw_cache_change *change)
{
    if (!watcher->has_selectors)
        return (int)change->type;
    bool is_now = lw_filter_selects(watcher->filter, change->object);
    if (change->type != LW_WATCH_MODIFIED)
        return is_now ? (int)change->type : 0;
    bool was = lw_filter_selects(watcher->filter, change->prev);
    if (is_now)
        return was ? LW_WATCH_MODIFIED : LW_WATCH_ADDED;
    return was ? LW_WATCH_DELETED : 0;
}

/* Returns the object of the event, borrowed; NULL: out of memory. */
static const lw_object *change_object(lw_window_change *entry, int type)
{
    const lw_cache_change *change = &entry->change;
    if (type != LW_WATCH_DELETED || change->type == LW_WATCH_DELETED)
        return change->object;
    if (!entry->gone && lw_object_with_revision(&entry->gone, change->prev, change->revision) < 0)
        return NULL;
    return entry->gone;
}

/* Returns the number of the next change that may concern |watcher|. */
static uint64_t next_seq(const lw_watcher *watcher)
{
    uint64_t routed = watcher->subscription->routed;
    return watcher->is_idle && routed > watcher->seq ? routed : watcher->seq;
}

static lw_watch_step next_live(lw_watcher *watcher, lw_cache_event *event)
{
    lw_cache_resource *resource = watcher->subscription->resource;
    watcher->seq = next_seq(watcher);
    watcher->is_idle = false;
    for (;;) {
        /* In this order: then every change up to |all|, and every change of a removed resource, has
         * a number below |next|. */
        bool is_removed = atomic_load_explicit(&resource->is_removed, memory_order_acquire);
        uint64_t all = lw_resource_progress(resource);
        uint64_t next = atomic_load_explicit(&resource->next_seq, memory_order_acquire);
        if (watcher->seq == next) {
            if (is_removed)
                return LW_WATCH_STEP_ENDED;
            if (watcher->revision < all)
                watcher->revision = all;
            watcher->is_idle = watcher->key_kind != LW_WATCHER_KEY_NONE;
            return LW_WATCH_STEP_IDLE;
        }
        lw_window_change *entry = lw_subscription_change(watcher->subscription, watcher->seq);
        if (!entry) {
            watcher->phase = LW_WATCHER_EXPIRED;
            return LW_WATCH_STEP_EXPIRED;
        }
        const lw_cache_change *change = &entry->change;
        if (change->is_relisted && watcher->has_selectors && change->revision > watcher->after) {
            /* An object may have matched in between, and another server may have said so. */
            watcher->phase = LW_WATCHER_EXPIRED;
            return LW_WATCH_STEP_EXPIRED;
        }
        watcher->seq++;
        if (change->revision <= watcher->after)
            continue;
        /* More changes may have this revision; only the next revision shows that it is complete. */
        if (watcher->revision < change->revision - 1)
            watcher->revision = change->revision - 1;
        if (!lw_scope_has(&watcher->scope, change->object))
            continue;
        if (lw_window_open(entry, watcher->has_selectors) < 0)
            return fail(watcher);
        int type = change_type(watcher, change);
        if (type == 0)
            continue;
        const lw_object *obj = change_object(entry, type);
        if (!obj)
            return fail(watcher);
        bool has_previous = watcher->wants_previous && type == LW_WATCH_MODIFIED;
        *event = (lw_cache_event){ .type = (lw_watch_event_type)type,
                                   .object = lw_object_ref(obj),
                                   .revision = change->revision,
                                   .received_ns = change->received_ns,
                                   .previous = has_previous ? lw_object_ref(change->prev) : NULL };
        return LW_WATCH_STEP_EVENT;
    }
}

lw_watch_step lw_watcher_next(lw_watcher *watcher, lw_cache_event *event)
{
    switch ((lw_watcher_phase)watcher->phase) {
    case LW_WATCHER_INITIAL: return next_initial(watcher, event);
    case LW_WATCHER_LIVE: return next_live(watcher, event);
    case LW_WATCHER_EXPIRED: return LW_WATCH_STEP_EXPIRED;
    case LW_WATCHER_FAILED: break;
    }
    return LW_WATCH_STEP_FAILED;
}

uint64_t lw_watcher_revision(lw_watcher *watcher)
{
    const lw_cache_resource *resource = watcher->subscription->resource;
    if (watcher->phase != LW_WATCHER_LIVE)
        return watcher->revision;
    uint64_t pulled = lw_resource_progress(resource);
    uint64_t next = atomic_load_explicit(&resource->next_seq, memory_order_acquire);
    uint64_t seq = next_seq(watcher);
    if (seq != next) {
        /* Stop before the next change, so that the revision never decreases. */
        const lw_window_change *entry = lw_subscription_change(watcher->subscription, seq);
        pulled = entry ? entry->change.revision - 1 : 0;
    }
    if (pulled > watcher->revision)
        watcher->revision = pulled;
    return watcher->revision;
}
