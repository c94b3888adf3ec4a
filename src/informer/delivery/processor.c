/* SPDX-License-Identifier: Apache-2.0 */
/* processor.c -- adds and removes listeners, and distributes events.
 *
 *   begin ─▶ (indexer changes) ─▶ distribute ... ─▶ end ─▶ each listener's thread, dispatch, drain
 *
 * Removing a listener waits for its running handler, unless the caller is inside it: then the
 * thread that runs the handler frees the listener afterwards.  Threads: see listener.h for the
 * locks. */
#include "informer/delivery/processor.h"

#include <assert.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/thread/caller.h"
#include "informer/delivery/listener.h"

lw_status lw_processor_new(lw_processor **out, const lw_processor_options *options, lw_error *err)
{
    lw_processor *processor = lw_alloc_zero(1, sizeof(*processor));
    if (!processor)
        return lw_error_nomem(err);
    processor->options = *options;
    lw_mutex_init(&processor->join);
    lw_mutex_init(&processor->mu);
    lw_cond_init(&processor->idle);
    lw_event_log_init(&processor->log);
    lw_dlist_init(&processor->listeners);
    lw_dlist_init(&processor->ready);
    lw_dlist_init(&processor->turn);
    lw_dlist_init(&processor->leaving);
    atomic_init(&processor->is_closed, false);
    if (lw_snapshot_new_empty(&processor->first) < 0) {
        lw_processor_free(processor);
        return lw_error_nomem(err);
    }
    *out = processor;
    return LW_OK;
}

/* Returns true if the calling thread is inside the handler of |listener|. */
static bool is_inside_locked(const lw_registration *listener)
{
    return listener->is_running && listener->runner == lw_caller();
}

/* Removes a listener from all lists. */
static void unlink_locked(lw_registration *listener)
{
    lw_dlist_remove(&listener->link);
    if (lw_dlist_node_is_linked(&listener->ready))
        lw_dlist_remove(&listener->ready);
}

/* Joins and frees listeners that were removed in their own thread; |waits|: also those that are
 * still inside their handler. */
static void reap(lw_processor *processor, bool waits)
{
    lw_dlist gone;
    lw_dlist_init(&gone);
    lw_mutex_lock(&processor->mu);
    LW_DLIST_FOR_EACH_SAFE(lw_registration, listener, &processor->leaving, link)
    {
        bool is_ready = listener->has_left || (waits && !is_inside_locked(listener));
        if (!listener->has_thread || !is_ready)
            continue;
        lw_dlist_remove(&listener->link);
        lw_dlist_push_back(&gone, &listener->link);
    }
    lw_mutex_unlock(&processor->mu);
    LW_DLIST_FOR_EACH_SAFE(lw_registration, listener, &gone, link)
    {
        lw_dlist_remove(&listener->link);
        lw_thread_join(&listener->thread);
        listener->has_thread = false;
        lw_registration__free(listener);
    }
}

void lw_processor_free(lw_processor *processor)
{
    if (!processor)
        return;
    lw_processor_stop(processor);
    LW_DLIST_FOR_EACH_SAFE(lw_registration, listener, &processor->listeners, link)
    {
        unlink_locked(listener); /* no other thread uses it any more */
        lw_registration__free(listener);
    }
    lw_snapshot_unref(processor->first);
    lw_event_log_done(&processor->log);
    lw_cond_done(&processor->idle);
    lw_mutex_done(&processor->mu);
    lw_mutex_done(&processor->join);
    lw_free(processor);
}

/* Adding and removing. */

static lw_status check_handler(const lw_handler *handler, lw_error *err)
{
    if (!handler->on_event && handler->mode != LW_HANDLER_DRAINED)
        return lw_error_set(err, LW_ERR_INVALID, "the handler has no on_event function");
    switch (handler->mode) {
    case LW_HANDLER_IN_DISPATCH:
    case LW_HANDLER_OWN_THREAD:
    case LW_HANDLER_DRAINED: return LW_OK;
    }
    return lw_error_set(err, LW_ERR_INVALID, "the handler has an unknown mode");
}

/* Adds |listener|: it first gets the objects in the cache, then the events that are logged from now
 * on. */
static lw_status join_locked(lw_registration *listener, lw_snapshot *snapshot,
                             lw_registration **out, lw_error *err)
{
    lw_processor *processor = listener->processor;
    listener->cursor = processor->log.end;
    if (snapshot)
        lw_registration__set_snapshot_locked(listener, snapshot, LW_CAUSE_INITIAL);
    lw_status st = lw_registration__start_locked(listener, err);
    if (st < 0)
        return st;
    if (processor->is_synced && listener->resync_ns > 0)
        listener->resync_at_ns = lw_clock_now(processor->options.clock) + listener->resync_ns;
    lw_dlist_push_back(&processor->listeners, &listener->link);
    if (lw_registration__has_work_locked(listener))
        lw_registration__notify_locked(listener);
    if (out)
        *out = listener; /* before its first event: the handler may need it */
    return LW_OK;
}

static lw_status join(lw_registration *listener, lw_registration **out, lw_error *err)
{
    lw_processor *processor = listener->processor;
    lw_snapshot *snapshot = NULL;
    lw_status st = LW_OK;
    lw_mutex_lock(&processor->join);
    if (atomic_load(&processor->is_closed))
        st = lw_error_set(err, LW_ERR_STOPPED, "the informer was stopped");
    else if (processor->is_synced && lw_snapshot_new(&snapshot, processor->options.indexer) < 0)
        st = lw_error_nomem(err);
    if (st == LW_OK) {
        lw_mutex_lock(&processor->mu);
        st = join_locked(listener, snapshot, out, err);
        lw_mutex_unlock(&processor->mu);
    }
    lw_mutex_unlock(&processor->join);
    lw_snapshot_unref(snapshot);
    return st;
}

lw_status lw_processor_add(lw_processor *processor, const lw_handler *handler,
                           lw_registration **out, lw_error *err)
{
    lw_registration *listener = NULL;
    lw_status st = check_handler(handler, err);
    if (st < 0)
        return st;
    reap(processor, false);
    st = lw_registration__new(&listener, processor, handler, err);
    if (st < 0)
        return st;
    st = join(listener, out, err);
    if (st < 0) {
        lw_registration__free(listener);
        return st;
    }
    if (handler->mode == LW_HANDLER_IN_DISPATCH)
        processor->options.wake(processor->options.arg);
    return LW_OK;
}

/* Waits until no thread is inside |listener|, which is removed. */
static void wait_until_idle(lw_registration *listener)
{
    lw_processor *processor = listener->processor;
    lw_mutex_lock(&processor->mu);
    while (listener->is_running)
        lw_cond_wait(&processor->idle, &processor->mu);
    lw_mutex_unlock(&processor->mu);
}

void lw_processor_remove(lw_processor *processor, lw_registration *registration)
{
    if (!registration)
        return;
    lw_mutex_lock(&processor->mu);
    bool is_inside = is_inside_locked(registration);
    bool has_thread = registration->has_thread;
    atomic_store(&registration->is_removed, true);
    unlink_locked(registration);
    lw_processor_trim_locked(processor);
    if (is_inside) {
        lw_dlist_push_back(&processor->leaving, &registration->link);
        registration->is_doomed = !has_thread;
    } else {
        registration->has_thread = false;
    }
    lw_cond_signal(&registration->work);
    lw_mutex_unlock(&processor->mu);
    if (is_inside)
        return;
    if (has_thread)
        lw_thread_join(&registration->thread);
    else
        wait_until_idle(registration);
    lw_registration__free(registration);
    reap(processor, false);
}

/* Events. */

void lw_processor_trim_locked(lw_processor *processor)
{
    uint64_t slowest = processor->log.end;
    LW_DLIST_FOR_EACH(lw_registration, listener, &processor->listeners, link)
    {
        if (listener->cursor < slowest)
            slowest = listener->cursor;
    }
    lw_event_log_trim(&processor->log, slowest);
}

lw_status lw_processor_begin(lw_processor *processor, size_t max_events)
{
    lw_status st = LW_OK;
    lw_mutex_lock(&processor->join);
    lw_mutex_lock(&processor->mu);
    processor->has_listeners = !lw_dlist_is_empty(&processor->listeners);
    if (processor->has_listeners)
        st = lw_event_log_reserve(&processor->log, max_events);
    if (st < 0)
        lw_event_log_publish(&processor->log);
    lw_mutex_unlock(&processor->mu);
    if (st < 0)
        lw_mutex_unlock(&processor->join);
    return st;
}

void lw_processor_distribute(lw_processor *processor, const lw_event *event)
{
    lw_mutex_lock(&processor->mu);
    if (processor->has_listeners)
        lw_event_log_append(&processor->log, event);
    lw_mutex_unlock(&processor->mu);
}

void lw_processor_set_synced_take(lw_processor *processor, lw_replacement *first)
{
    int64_t now = lw_clock_now(processor->options.clock);
    lw_snapshot *snapshot = processor->first;
    assert(snapshot && "synced twice");
    lw_snapshot_set_take(snapshot, first);
    lw_mutex_lock(&processor->mu);
    processor->first = NULL;
    processor->is_synced = true;
    LW_DLIST_FOR_EACH(lw_registration, listener, &processor->listeners, link)
    {
        lw_registration__set_snapshot_locked(listener, snapshot, LW_CAUSE_INITIAL);
        if (listener->resync_ns > 0)
            listener->resync_at_ns = now + listener->resync_ns;
    }
    lw_mutex_unlock(&processor->mu);
    lw_snapshot_unref(snapshot);
}

void lw_processor_end(lw_processor *processor)
{
    lw_mutex_lock(&processor->mu);
    lw_event_log_publish(&processor->log);
    LW_DLIST_FOR_EACH(lw_registration, listener, &processor->listeners, link)
    {
        lw_registration__merge_locked(listener);
        if (lw_registration__has_work_locked(listener))
            lw_registration__notify_locked(listener);
    }
    lw_processor_trim_locked(processor);
    lw_mutex_unlock(&processor->mu);
    lw_mutex_unlock(&processor->join);
}

/* Time. */

static void begin_due_resyncs_locked(lw_processor *processor)
{
    int64_t now = lw_clock_now(processor->options.clock);
    LW_DLIST_FOR_EACH(lw_registration, listener, &processor->listeners, link)
    {
        if (listener->resync_at_ns > now)
            continue;
        /* Missed periods are not made up for. */
        if (listener->resync_ns == 0)
            listener->resync_at_ns = LW_NEVER_NS;
        while (listener->resync_at_ns <= now)
            listener->resync_at_ns += listener->resync_ns;
        listener->is_resync_due = true;
        lw_registration__notify_locked(listener);
    }
}

void lw_processor_resync(lw_processor *processor)
{
    lw_mutex_lock(&processor->mu);
    LW_DLIST_FOR_EACH(lw_registration, listener, &processor->listeners, link)
    {
        listener->is_resync_due = processor->is_synced;
        if (listener->is_resync_due)
            lw_registration__notify_locked(listener);
    }
    lw_mutex_unlock(&processor->mu);
}

void lw_processor_dispatch(lw_processor *processor)
{
    lw_dlist_node *node;
    reap(processor, false);
    lw_mutex_lock(&processor->mu);
    begin_due_resyncs_locked(processor);
    lw_dlist_append_all(&processor->turn, &processor->ready);
    /* A handler may remove any listener, so the list is read again each time. */
    while ((node = lw_dlist_pop_front(&processor->turn)) != NULL) {
        lw_registration *listener = LW_DLIST_ITEM(node, lw_registration, ready);
        (void)lw_registration__run_locked(listener, LW_PROCESSOR_PORTION);
        if (listener->is_doomed) {
            lw_dlist_remove(&listener->link);
            lw_mutex_unlock(&processor->mu);
            lw_registration__free(listener);
            lw_mutex_lock(&processor->mu);
        } else if (lw_registration__has_work_locked(listener)) {
            lw_registration__notify_locked(listener);
        }
    }
    lw_mutex_unlock(&processor->mu);
}

int64_t lw_processor_deadline_ns(lw_processor *processor)
{
    int64_t deadline = LW_NEVER_NS;
    lw_mutex_lock(&processor->mu);
    if (!lw_dlist_is_empty(&processor->ready))
        deadline = 0;
    LW_DLIST_FOR_EACH(lw_registration, listener, &processor->listeners, link)
    {
        if (listener->resync_at_ns < deadline)
            deadline = listener->resync_at_ns;
    }
    lw_mutex_unlock(&processor->mu);
    return deadline;
}

/* State. */

bool lw_processor_is_synced(lw_processor *processor)
{
    lw_mutex_lock(&processor->mu);
    bool is_synced = processor->is_synced;
    LW_DLIST_FOR_EACH(lw_registration, listener, &processor->listeners, link)
    {
        if (listener->handler.mode != LW_HANDLER_DRAINED && !atomic_load(&listener->is_synced))
            is_synced = false;
    }
    lw_mutex_unlock(&processor->mu);
    return is_synced;
}

bool lw_processor_is_behind(lw_processor *processor)
{
    bool is_behind = false;
    lw_mutex_lock(&processor->mu);
    LW_DLIST_FOR_EACH(lw_registration, listener, &processor->listeners, link)
    {
        uint64_t waiting = lw_coalesced_events_count(&listener->coalesced) +
                           (processor->log.end - listener->cursor);
        if (listener->handler.mode == LW_HANDLER_IN_DISPATCH && waiting > LW_PROCESSOR_PORTION)
            is_behind = true;
    }
    lw_mutex_unlock(&processor->mu);
    return is_behind;
}

static bool is_any_running_locked(const lw_dlist *listeners, bool is_callers)
{
    LW_DLIST_FOR_EACH(lw_registration, listener, listeners, link)
    {
        if (listener->is_running && is_inside_locked(listener) == is_callers)
            return true;
    }
    return false;
}

/* Returns true if the calling thread, or another one, is inside a handler. */
static bool is_running_locked(lw_processor *processor, bool is_callers)
{
    return is_any_running_locked(&processor->listeners, is_callers) ||
           is_any_running_locked(&processor->leaving, is_callers);
}

bool lw_processor_is_caller_inside(lw_processor *processor)
{
    lw_mutex_lock(&processor->mu);
    bool is_inside = is_running_locked(processor, true);
    lw_mutex_unlock(&processor->mu);
    return is_inside;
}

bool lw_processor_is_running(lw_processor *processor)
{
    lw_mutex_lock(&processor->mu);
    bool is_running = is_running_locked(processor, true) || is_running_locked(processor, false);
    lw_mutex_unlock(&processor->mu);
    return is_running;
}

void lw_processor_stats(lw_processor *processor, lw_informer_statistics *stats)
{
    stats->handler_depth = 0;
    lw_mutex_lock(&processor->mu);
    LW_DLIST_FOR_EACH(lw_registration, listener, &processor->listeners, link)
    {
        uint64_t depth = lw_registration__depth_locked(listener);
        if (depth > stats->handler_depth)
            stats->handler_depth = depth;
    }
    stats->handler_merged = processor->merged;
    lw_mutex_unlock(&processor->mu);
}

/* The end. */

void lw_processor_close(lw_processor *processor)
{
    lw_mutex_lock(&processor->mu);
    atomic_store(&processor->is_closed, true);
    LW_DLIST_FOR_EACH(lw_registration, listener, &processor->listeners, link)
    lw_cond_signal(&listener->work);
    lw_mutex_unlock(&processor->mu);
}

/* Returns a listener whose thread the caller must join, or NULL. */
static lw_registration *claim_thread_locked(lw_processor *processor)
{
    LW_DLIST_FOR_EACH(lw_registration, listener, &processor->listeners, link)
    {
        if (listener->has_thread && !is_inside_locked(listener)) {
            listener->has_thread = false;
            return listener;
        }
    }
    return NULL;
}

void lw_processor_stop(lw_processor *processor)
{
    lw_registration *listener;
    lw_processor_close(processor);
    lw_mutex_lock(&processor->mu);
    while ((listener = claim_thread_locked(processor)) != NULL) {
        lw_mutex_unlock(&processor->mu);
        lw_thread_join(&listener->thread);
        lw_mutex_lock(&processor->mu);
    }
    while (is_running_locked(processor, false))
        lw_cond_wait(&processor->idle, &processor->mu);
    lw_mutex_unlock(&processor->mu);
    reap(processor, true);
}
