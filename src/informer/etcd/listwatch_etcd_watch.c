/* SPDX-License-Identifier: Apache-2.0 */
/* listwatch_etcd_watch.c -- the changes of the keys of a source, as events.
 * Invariant: all events up to the revision |delivered| were delivered, so that a watch from there
 * misses nothing.  Events of one revision are delivered together.
 *
 * A watch outlives the calls that listen to it.  etcd reports its progress only every ten minutes.
 * If every call (about five minutes) opened a new watch, it would never get a progress report, and
 * on a quiet prefix its revision would be compacted.  So at the end of a call its watch is held,
 * and the next call resumes it at the same revision. */
#include "informer/etcd/listwatch_etcd_internal.h"

#include "base/container_of.h"
#include "base/error.h"
#include "base/log.h"

/* Calls of the sink. */

/* Returns false if the call is freed or ends. */
static bool hand_out_bookmark(lw_etcd_source_call *call, bool is_initial_events_end)
{
    lw_object *obj = NULL;
    lw_error err = LW_ERROR_INIT;
    if (lw_etcd_object_make_bookmark(&obj, call->delivered, is_initial_events_end, &err) < 0) {
        lw_etcd_source__end(call, &err);
        return false;
    }
    const lw_watch_event event = { .type = LW_WATCH_BOOKMARK,
                                   .object = obj,
                                   .is_initial_events_end = is_initial_events_end };
    bool is_there = lw_etcd_source__begin_delivery(call);
    if (is_there) {
        call->sent = call->delivered;
        call->sink.on_event(&event, call->sink.arg);
        is_there = lw_etcd_source__end_delivery(call);
    }
    lw_object_unref(obj);
    return is_there;
}

/* Reports the progress if the sink does not know it yet. */
static bool deliver_progress(lw_etcd_source_call *call)
{
    return !call->wants_bookmarks || call->delivered <= call->sent ||
           hand_out_bookmark(call, false);
}

static lw_status hand_out_event(lw_etcd_source_call *call, const lw_etcd_event *change,
                                lw_error *err)
{
    lw_watch_event event = { .object = NULL };
    lw_object *obj = NULL;
    lw_status st = lw_etcd_source__judge(call->source, change, &event.type, &obj, err);
    if (st == LW_OK && obj) {
        event.object = obj;
        call->sent = change->kv.mod_revision;
        call->sink.on_event(&event, call->sink.arg);
    }
    lw_object_unref(obj);
    return st;
}

/* Callbacks of the watch. */

static void on_events(const lw_etcd_event *events, size_t count, void *arg)
{
    lw_etcd_source_call *call = arg;
    lw_error err = LW_ERROR_INIT;
    lw_status st = LW_OK;
    if (count == 0 || !lw_etcd_source__begin_delivery(call))
        return;
    for (size_t i = 0; i < count && st == LW_OK && !call->is_cancelled; i++)
        st = hand_out_event(call, &events[i], &err);
    if (!lw_etcd_source__end_delivery(call))
        return;
    if (st < 0)
        lw_etcd_source__end(call, &err);
    else
        call->delivered = events[count - 1].kv.mod_revision;
}

static void on_progress(uint64_t revision, void *arg)
{
    lw_etcd_source_call *call = arg;
    /* While the watch is held, progress may be ahead of events that are held too. */
    if (call->is_ending || call->is_held || revision <= call->delivered)
        return;
    call->delivered = revision;
    (void)deliver_progress(call);
}

static void on_check(const lw_etcd_range_answer *answer, void *arg)
{
    lw_etcd_source_call *call = arg;
    lw_error err;
    call->check = NULL;
    if (answer->base.err || answer->base.revision >= call->delivered)
        return;
    (void)lw_error_set(
        &err, LW_ERR_TOO_LARGE_RV,
        "the watch is at revision %llu, which is in the future (current revision of etcd: %llu)",
        (unsigned long long)call->delivered, (unsigned long long)answer->base.revision);
    lw_etcd_source__end(call, &err);
}

/* A member that lags catches up.  But an etcd that was restored from a backup sends events with
 * other revisions.  A linearizable read shows which one it is. */
static void check_revision(lw_etcd_source_call *call)
{
    const lw_etcd_source *source = call->source;
    const lw_etcd_range_request request = { .key = { source->first.data, source->first.len },
                                            .is_count_only = true };
    lw_error err = LW_ERROR_INIT;
    if (call->check)
        return;
    lw_status st = lw_etcd_range(source->provider->etcd, &request, on_check, call, &call->check);
    if (st == LW_OK)
        return;
    (void)lw_error_set(&err, st, "cannot check the current revision of etcd: %s",
                       lw_status_name(st));
    lw_etcd_source__end(call, &err);
}

static void on_open(uint64_t revision, void *arg)
{
    lw_etcd_source_call *call = arg;
    lw_timer_cancel(call->source->provider->loop, &call->outage);
    if (call->is_ending)
        return;
    call->error = (lw_error)LW_ERROR_INIT;
    if (revision < call->delivered)
        check_revision(call);
    if (call->is_open || call->is_ending || !lw_etcd_source__begin_delivery(call))
        return;
    call->is_open = true;
    call->sink.on_open(call->sink.arg);
    (void)lw_etcd_source__end_delivery(call);
}

/* Sets a timer relative to now, because outside of an iteration the time of the loop is too old. */
static lw_status set_timer(lw_loop *loop, lw_timer *timer, int seconds)
{
    int64_t now = lw_clock_now(lw_loop_clock(loop));
    return lw_timer_set(loop, timer, now + (int64_t)seconds * LW_NS_PER_S);
}

static void outage_lasts(lw_timer *timer)
{
    lw_etcd_source_call *call = LW_CONTAINER_OF(timer, lw_etcd_source_call, outage);
    lw_error err = call->error;
    if (err.code == LW_OK)
        (void)lw_error_set(&err, LW_ERR_UNAVAILABLE,
                           "no etcd member accepted the watch within %d s",
                           LW_ETCD_SOURCE_OUTAGE_S);
    lw_etcd_source__end(call, &err);
}

/* From now on, a member must respond within LW_ETCD_SOURCE_OUTAGE_S. */
static lw_status begin_outage(lw_etcd_source_call *call)
{
    lw_loop *loop = call->source->provider->loop;
    call->outage.fire = outage_lasts;
    return set_timer(loop, &call->outage, LW_ETCD_SOURCE_OUTAGE_S);
}

static void on_cut(const lw_error *err, void *arg)
{
    lw_etcd_source_call *call = arg;
    const lw_etcd_source *source = call->source;
    if (call->is_ending)
        return;
    lw_log(source->provider->logger, LW_LOG_INFO, "etcd", "resuming the watch of \"%s\": %s",
           source->spec.resource, err ? err->message : "the connection was lost");
    if (err)
        call->error = *err;
    if (!lw_heap_node_is_in(&call->outage.node) && begin_outage(call) < 0) {
        lw_error nomem;
        (void)lw_error_nomem(&nomem);
        lw_etcd_source__end(call, &nomem);
    }
}

static void on_end(const lw_error *err, uint64_t compacted, void *arg)
{
    lw_etcd_source_call *call = arg;
    lw_error why = *err;
    call->watch = NULL;
    if (err->code == LW_ERR_EXPIRED)
        (void)lw_error_set(&why, LW_ERR_EXPIRED,
                           "revision %llu has been compacted (oldest available revision: %llu)",
                           (unsigned long long)call->delivered, (unsigned long long)compacted);
    lw_etcd_source__end(call, &why);
}

lw_status lw_etcd_source__watch(lw_etcd_source_call *call, lw_error *err)
{
    const lw_etcd_source *source = call->source;
    const lw_etcd_watch_request request = { .key = { source->first.data, source->first.len },
                                            .end = { source->end.data, source->end.len },
                                            .start_revision = call->delivered + 1,
                                            .wants_prev = true,
                                            .wants_progress = true };
    const lw_etcd_watch_sink sink = { .on_open = on_open,
                                      .on_events = on_events,
                                      .on_progress = on_progress,
                                      .on_cut = on_cut,
                                      .on_end = on_end,
                                      .arg = call };
    if (begin_outage(call) < 0)
        return lw_error_nomem(err);
    lw_status st = lw_etcd_watch_open(&call->watch, source->provider->etcd, &request, &sink);
    return st < 0 ? lw_error_set(err, st, "cannot open a watch: %s", lw_status_name(st)) : LW_OK;
}

void lw_etcd_source__initial_events_end(lw_etcd_source_call *call)
{
    lw_error err = LW_ERROR_INIT;
    call->delivered = call->revision;
    call->sent = call->revision;
    if (call->wants_end_mark && !hand_out_bookmark(call, true))
        return;
    if (lw_etcd_source__watch(call, &err) < 0)
        lw_etcd_source__end(call, &err);
}

/* Time. */

/* The call has ended; the next one may resume its watch. */
static void hold(lw_etcd_source_call *call)
{
    lw_loop *loop = call->source->provider->loop;
    lw_source_sink sink = call->sink;
    if (set_timer(loop, &call->deadline, LW_ETCD_SOURCE_HOLD_S) < 0) {
        lw_etcd_source__end(call, NULL);
        return;
    }
    lw_etcd_watch_set_paused(call->watch, true);
    call->is_held = true;
    call->source->held = call;
    sink.on_fail(NULL, sink.arg);
}

static void deadline_passed(lw_timer *timer)
{
    lw_etcd_source_call *call = LW_CONTAINER_OF(timer, lw_etcd_source_call, deadline);
    if (call->is_ending || (call->watch && !call->is_held && !deliver_progress(call)))
        return;
    if (call->watch && !call->is_held && call->is_open && !call->source->held &&
        !lw_heap_node_is_in(&call->outage.node))
        hold(call);
    else
        lw_etcd_source__end(call, NULL);
}

lw_status lw_etcd_source__set_timeout(lw_etcd_source_call *call, int timeout_s, lw_error *err)
{
    lw_loop *loop = call->source->provider->loop;
    call->deadline.fire = deadline_passed;
    if (timeout_s <= 0) {
        lw_timer_cancel(loop, &call->deadline);
        return LW_OK;
    }
    return set_timer(loop, &call->deadline, timeout_s) < 0 ? lw_error_nomem(err) : LW_OK;
}

/* The watch is already open: the user is notified in the next iteration, before any event. */
static void announce(lw_task *task)
{
    lw_etcd_source_call *call = LW_CONTAINER_OF(task, lw_etcd_source_call, task);
    if (!lw_etcd_source__begin_delivery(call))
        return;
    call->sink.on_open(call->sink.arg);
    if (lw_etcd_source__end_delivery(call))
        lw_etcd_watch_set_paused(call->watch, false);
}

lw_etcd_source_call *lw_etcd_source__take_up(lw_etcd_source *source, uint64_t revision,
                                             const lw_source_sink *sink, int timeout_s)
{
    lw_etcd_source_call *call = source->held;
    if (!call)
        return NULL;
    source->held = NULL;
    if (call->is_ending || call->delivered != revision ||
        lw_etcd_source__set_timeout(call, timeout_s, NULL) < 0) {
        lw_etcd_source__free_call(call);
        return NULL;
    }
    call->sink = *sink;
    call->is_held = false;
    call->task.run = announce;
    lw_loop_defer(source->provider->loop, &call->task);
    return call;
}
