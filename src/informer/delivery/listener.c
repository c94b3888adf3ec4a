/* SPDX-License-Identifier: Apache-2.0 */
/* listener.c -- the position of one handler in the events.
 * Threads: functions with _locked in their name require processor->mu.  Handlers run without a
 * lock, in the thread that called lw_registration__run_locked. */
#include "informer/delivery/listener.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/thread/caller.h"

enum {
    BATCH = 16, /* events taken with the lock held once */
};

static int64_t period_ns(const lw_processor *processor, const lw_handler *handler)
{
    int seconds = handler->resync_s == 0 ? processor->options.resync_s : handler->resync_s;
    return seconds > 0 ? seconds * LW_NS_PER_S : 0;
}

lw_status lw_registration__new(lw_registration **out, lw_processor *processor,
                               const lw_handler *handler, lw_error *err)
{
    lw_registration *listener = lw_alloc_zero(1, sizeof(*listener));
    if (!listener)
        return lw_error_nomem(err);
    listener->processor = processor;
    listener->handler = *handler;
    if (listener->handler.max_pending == 0)
        listener->handler.max_pending = LW_HANDLER_PENDING;
    listener->resync_ns = period_ns(processor, handler);
    listener->resync_at_ns = LW_NEVER_NS;
    lw_coalesced_events_init(&listener->coalesced);
    lw_cond_init(&listener->work);
    atomic_init(&listener->is_removed, false);
    atomic_init(&listener->is_synced, false);
    listener->fd = -1;
    if (handler->mode == LW_HANDLER_DRAINED) {
        listener->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (listener->fd < 0) {
            lw_status st =
                lw_error_set(err, LW_ERR_IO, "cannot create the file descriptor of a handler: %s",
                             strerror(errno));
            lw_registration__free(listener);
            return st;
        }
    }
    *out = listener;
    return LW_OK;
}

void lw_registration__free(lw_registration *listener)
{
    if (!listener)
        return;
    assert(!listener->is_running && !listener->has_thread);
    if (listener->fd >= 0)
        close(listener->fd);
    lw_snapshot_unref(listener->snapshot);
    lw_coalesced_events_done(&listener->coalesced);
    lw_cond_done(&listener->work);
    lw_free(listener);
}

/* Queued events. */

static bool is_over(const lw_registration *listener)
{
    return atomic_load(&listener->is_removed) || atomic_load(&listener->processor->is_closed);
}

static bool is_caught_up_locked(const lw_registration *listener)
{
    return !listener->snapshot && lw_coalesced_events_count(&listener->coalesced) == 0 &&
           listener->cursor == listener->processor->log.end;
}

bool lw_registration__has_work_locked(const lw_registration *listener)
{
    return !is_over(listener) && (listener->is_resync_due || !is_caught_up_locked(listener));
}

uint64_t lw_registration__depth_locked(const lw_registration *listener)
{
    uint64_t depth = lw_coalesced_events_count(&listener->coalesced) + listener->in_hand;
    if (listener->snapshot)
        depth += lw_snapshot_count(listener->snapshot) - listener->snapshot_at;
    return depth + (listener->processor->log.end - listener->cursor);
}

/* Coalescing limits the memory.  If there is no memory to coalesce, the log keeps the rest until
 * the next attempt. */
void lw_registration__merge_locked(lw_registration *listener)
{
    lw_processor *processor = listener->processor;
    lw_event_log *log = &processor->log;
    if (log->end - listener->cursor <= listener->handler.max_pending)
        return;
    while (listener->cursor < log->end) {
        const lw_queued_event *queued = lw_event_log_at(log, listener->cursor);
        bool is_merged = false;
        if (queued->type != 0 &&
            lw_coalesced_events_add(&listener->coalesced, queued, &is_merged) < 0)
            return;
        listener->cursor++;
        processor->merged += is_merged;
    }
}

/* Passing events to the handler. */

static size_t take_snapshot_locked(lw_registration *listener, lw_queued_event *batch, size_t max)
{
    size_t taken = 0;
    size_t count = lw_snapshot_count(listener->snapshot);
    bool is_resync = listener->snapshot_cause == LW_CAUSE_RESYNC;
    while (taken < max && listener->snapshot_at < count) {
        const lw_object *obj = lw_snapshot_at(listener->snapshot, listener->snapshot_at++);
        const lw_event event = { .type = is_resync ? LW_EVENT_UPDATE : LW_EVENT_ADD,
                                 .cause = listener->snapshot_cause,
                                 .object = obj,
                                 .old_object = is_resync ? obj : NULL,
                                 .revision = lw_object_revision(obj) };
        batch[taken++] = lw_queued_event_of_event(&event);
    }
    return taken;
}

static size_t take_log_locked(lw_registration *listener, lw_queued_event *batch, size_t max)
{
    lw_processor *processor = listener->processor;
    uint64_t before = listener->cursor;
    size_t taken = 0;
    while (taken < max && listener->cursor < processor->log.end) {
        const lw_queued_event *queued = lw_event_log_at(&processor->log, listener->cursor++);
        if (queued->type != 0)
            batch[taken++] = lw_queued_event_copy(queued);
    }
    if (before == lw_ring_first_seq(&processor->log.ring) && before != listener->cursor)
        lw_processor_trim_locked(processor);
    return taken;
}

static size_t take_locked(lw_registration *listener, lw_queued_event *batch, size_t max)
{
    size_t taken = 0;
    if (listener->snapshot)
        return take_snapshot_locked(listener, batch, max);
    while (taken < max && lw_coalesced_events_pop(&listener->coalesced, &batch[taken]))
        taken++;
    return taken > 0 ? taken : take_log_locked(listener, batch, max);
}

static lw_event *place_of(const lw_taken_events *taken, size_t index)
{
    return (lw_event *)(void *)((char *)taken->events + index * taken->event_size);
}

/* Moves an event with its references to the program that takes it. */
static void hand_over(lw_taken_events *taken, lw_queued_event *queued)
{
    lw_event event = lw_queued_event_event(queued);
    lw_event *place = place_of(taken, taken->count++);
    size_t known = taken->event_size < sizeof(event) ? taken->event_size : sizeof(event);
    memcpy(place, &event, known);
    memset((char *)place + known, 0, taken->event_size - known);
    queued->object = NULL;
    if (event.old_object)
        queued->old_object = NULL;
}

static void pass_on(lw_registration *listener, lw_queued_event *queued)
{
    if (listener->taken) {
        hand_over(listener->taken, queued);
        return;
    }
    lw_event event = lw_queued_event_event(queued);
    listener->handler.on_event(&event, listener->handler.arg);
}

static void deliver(lw_registration *listener, lw_queued_event *batch, size_t count)
{
    const lw_cancel *cancel = listener->processor->options.cancel;
    lw_cancel_scope scope;
    if (cancel)
        lw_cancel_enter(&scope, cancel);
    for (size_t i = 0; i < count; i++) {
        if (!is_over(listener))
            pass_on(listener, &batch[i]);
        lw_queued_event_done(&batch[i]);
    }
    if (cancel)
        lw_cancel_leave(&scope);
}

/* The handler has returned from the last object of the snapshot. */
static void leave_snapshot_locked(lw_registration *listener)
{
    lw_processor *processor = listener->processor;
    lw_snapshot *snapshot = listener->snapshot;
    bool is_initial = listener->snapshot_cause == LW_CAUSE_INITIAL && !is_over(listener);
    listener->snapshot = NULL;
    listener->snapshot_at = 0;
    if (is_initial)
        atomic_store(&listener->is_synced, true);
    lw_mutex_unlock(&processor->mu);
    lw_snapshot_unref(snapshot);
    if (is_initial)
        processor->options.on_synced(processor->options.arg);
    lw_mutex_lock(&processor->mu);
}

void lw_registration__set_snapshot_locked(lw_registration *listener, lw_snapshot *snapshot,
                                          lw_event_cause cause)
{
    assert(!listener->snapshot);
    if (lw_snapshot_count(snapshot) > 0)
        listener->snapshot = lw_snapshot_ref(snapshot);
    else if (cause == LW_CAUSE_INITIAL)
        atomic_store(&listener->is_synced, true);
    listener->snapshot_at = 0;
    listener->snapshot_cause = cause;
}

/* Starts the resync that is due.  The listener has received all earlier events, so the current
 * objects are not older than what it knows.  Returns false if memory runs out; it is tried again
 * later. */
static bool begin_resync_locked(lw_registration *listener)
{
    lw_processor *processor = listener->processor;
    lw_snapshot *snapshot = NULL;
    lw_status st = LW_OK;
    lw_mutex_unlock(&processor->mu);
    lw_mutex_lock(&processor->join);
    lw_mutex_lock(&processor->mu);
    bool is_ready = is_caught_up_locked(listener) && !is_over(listener);
    if (is_ready) {
        lw_mutex_unlock(&processor->mu);
        st = lw_snapshot_new(&snapshot, processor->options.indexer);
        lw_mutex_lock(&processor->mu);
        listener->is_resync_due = false;
        if (st == LW_OK)
            lw_registration__set_snapshot_locked(listener, snapshot, LW_CAUSE_RESYNC);
        else
            listener->resync_at_ns = lw_clock_now(processor->options.clock) + LW_NS_PER_S;
    }
    lw_mutex_unlock(&processor->join);
    lw_snapshot_unref(snapshot);
    return st == LW_OK;
}

size_t lw_registration__run_locked(lw_registration *listener, size_t max)
{
    lw_processor *processor = listener->processor;
    lw_queued_event batch[BATCH];
    size_t delivered = 0;
    assert(!listener->is_running);
    listener->is_running = true;
    listener->runner = lw_caller();
    while (delivered < max && !is_over(listener)) {
        size_t wanted = max - delivered < BATCH ? max - delivered : BATCH;
        size_t count = take_locked(listener, batch, wanted);
        if (count == 0 && (!listener->is_resync_due || !begin_resync_locked(listener)))
            break;
        if (count == 0)
            continue;
        listener->in_hand = count;
        lw_mutex_unlock(&processor->mu);
        deliver(listener, batch, count);
        lw_mutex_lock(&processor->mu);
        listener->in_hand = 0;
        delivered += count;
        if (listener->snapshot && listener->snapshot_at == lw_snapshot_count(listener->snapshot))
            leave_snapshot_locked(listener);
    }
    listener->is_running = false;
    lw_cond_broadcast(&processor->idle);
    if (is_over(listener))
        processor->options.wake(processor->options.arg);
    return delivered;
}

/* Modes. */

static void listener_main(void *arg)
{
    lw_registration *listener = arg;
    lw_processor *processor = listener->processor;
    lw_mutex_lock(&processor->mu);
    while (!is_over(listener)) {
        if (lw_registration__has_work_locked(listener))
            (void)lw_registration__run_locked(listener, LW_PROCESSOR_PORTION);
        else
            lw_cond_wait(&listener->work, &processor->mu);
    }
    listener->has_left = true;
    lw_mutex_unlock(&processor->mu);
}

lw_status lw_registration__start_locked(lw_registration *listener, lw_error *err)
{
    if (listener->handler.mode != LW_HANDLER_OWN_THREAD)
        return LW_OK;
    lw_status st = lw_thread_start(&listener->thread, "lw-handler", listener_main, listener, err);
    listener->has_thread = st == LW_OK;
    return st;
}

/* Sets whether the descriptor is readable. */
static void set_fd_locked(lw_registration *listener, bool is_set)
{
    uint64_t count = 1;
    ssize_t got;
    if (listener->is_fd_set == is_set)
        return;
    do
        got = is_set ? write(listener->fd, &count, sizeof(count))
                     : read(listener->fd, &count, sizeof(count));
    while (got < 0 && errno == EINTR);
    listener->is_fd_set = is_set;
}

void lw_registration__notify_locked(lw_registration *listener)
{
    switch (listener->handler.mode) {
    case LW_HANDLER_IN_DISPATCH:
        if (!lw_dlist_node_is_linked(&listener->ready))
            lw_dlist_push_back(&listener->processor->ready, &listener->ready);
        break;
    case LW_HANDLER_OWN_THREAD: lw_cond_signal(&listener->work); break;
    case LW_HANDLER_DRAINED: set_fd_locked(listener, true); break;
    }
}

int lw_registration_fd(const lw_registration *registration)
{
    return registration->fd;
}

bool lw_registration_is_synced(const lw_registration *registration)
{
    return atomic_load(&registration->is_synced);
}

/* Passes queued events to |taken|; NULL: to the handler.  Returns their number. */
static size_t drain(lw_registration *registration, size_t max, lw_taken_events *taken)
{
    lw_processor *processor = registration->processor;
    size_t delivered = 0;
    lw_mutex_lock(&processor->mu);
    if (registration->handler.mode != LW_HANDLER_DRAINED || registration->is_running ||
        (!taken && !registration->handler.on_event)) {
        lw_mutex_unlock(&processor->mu);
        return 0; /* another thread is draining, or the handler itself calls */
    }
    registration->taken = taken;
    delivered = lw_registration__run_locked(registration, max);
    registration->taken = NULL;
    if (!lw_registration__has_work_locked(registration))
        set_fd_locked(registration, false);
    bool is_doomed = registration->is_doomed;
    if (is_doomed)
        lw_dlist_remove(&registration->link);
    lw_mutex_unlock(&processor->mu);
    if (is_doomed)
        lw_registration__free(registration);
    return delivered;
}

size_t lw_registration_drain(lw_registration *registration, size_t max)
{
    return drain(registration, max > 0 ? max : SIZE_MAX, NULL);
}

size_t lw_registration_take(lw_registration *registration, lw_event *events, size_t event_size,
                            size_t max)
{
    lw_taken_events taken = { .events = events, .event_size = event_size };
    (void)drain(registration, max, &taken);
    return taken.count; /* without those of a handler that was removed meanwhile */
}

void lw_events_release(lw_event *events, size_t event_size, size_t count)
{
    const lw_taken_events taken = { .events = events, .event_size = event_size };
    for (size_t i = 0; i < count; i++) {
        lw_event *event = place_of(&taken, i);
        /* They are const for handlers, which borrow them; these are references. */
        lw_object_unref((lw_object *)(uintptr_t)event->object);
        lw_object_unref((lw_object *)(uintptr_t)event->old_object);
        event->object = NULL;
        event->old_object = NULL;
    }
}
