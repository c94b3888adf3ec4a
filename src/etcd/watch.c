/* SPDX-License-Identifier: Apache-2.0 */
/* watch.c -- a watch that resumes where it was, at any member that responds.
 *
 * Callbacks may cancel the watch: it is closed at once and freed after they have returned, see
 * |busy|. Half-closing the stream of a watch does not end it, so the stream is always reset. */
#include "etcd/watch.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"

enum {
    HEADERS_MAX = 6,
};

static void watch_try(lw_etcd_watch *watch);

static void watch_destroy(lw_etcd_watch *watch)
{
    lw_etcd_watch_batch_done(&watch->batch);
    lw_free(watch->key_bytes);
    lw_free(watch);
}

/* Ends its stream; a partly received reply will be sent again. */
static void watch_close(lw_etcd_watch *watch)
{
    lw_grpc_reset(&watch->stream);
    lw_etcd__leave(&watch->link);
    lw_etcd__stop_waiting(&watch->waiter);
    watch->is_open = false;
    watch->opens_by_ns = watch->pause_ends_ns = 0;
    watch->is_pump_due = false;
}

void lw_etcd_watch_cancel(lw_etcd_watch *watch)
{
    if (!watch || watch->is_gone)
        return;
    watch_close(watch);
    lw_timer_cancel(watch->etcd->loop, &watch->timer);
    lw_dlist_remove(&watch->node);
    watch->etcd->call_count--;
    watch->is_gone = true;
    if (watch->busy == 0)
        watch_destroy(watch);
}

void lw_etcd__watch_begin(lw_etcd_watch *watch)
{
    watch->busy++;
}

void lw_etcd__watch_finish(lw_etcd_watch *watch)
{
    if (--watch->busy == 0 && watch->is_gone)
        watch_destroy(watch);
}

/* Ends the watch permanently and reports it.  Only between watch_begin and watch_finish. */
void lw_etcd__watch_end(lw_etcd_watch *watch, const lw_error *err, uint64_t compacted)
{
    const lw_error why = *err;
    const lw_etcd_watch_sink sink = watch->sink;
    lw_etcd_watch_cancel(watch);
    sink.on_end(&why, compacted, sink.arg);
}

/* Sets the timer to the next action. */
void lw_etcd__watch_arm(lw_etcd_watch *watch)
{
    int64_t at = INT64_MAX;
    if (watch->is_gone)
        return;
    if (watch->is_pump_due || watch->is_end_due)
        at = lw_etcd__now(watch->etcd);
    if (watch->opens_by_ns && watch->opens_by_ns < at)
        at = watch->opens_by_ns;
    if (watch->pause_ends_ns && watch->pause_ends_ns < at)
        at = watch->pause_ends_ns;
    if (lw_timer_set(watch->etcd->loop, &watch->timer, at) < 0) {
        lw_error err = LW_ERROR_INIT;
        (void)lw_error_nomem(&err);
        lw_etcd__watch_end(watch, &err, 0);
    }
}

/* Lets the timer report the end, because the caller may still be inside the call that opens the
 * watch. */
static void watch_end_later(lw_etcd_watch *watch, const lw_error *err)
{
    watch->failure = *err;
    watch->is_end_due = true;
    lw_etcd__watch_arm(watch);
}

/* The watch is interrupted and resumes after a backoff. */
void lw_etcd__watch_cut(lw_etcd_watch *watch, const lw_error *err)
{
    const lw_error why = *err;
    int64_t now = lw_etcd__now(watch->etcd);
    bool is_reported = watch->is_cut_reported;
    watch_close(watch);
    lw_etcd_watch_batch_clear(&watch->batch);
    watch->pause_ends_ns = now + lw_backoff_next(&watch->backoff, now);
    watch->is_cut_reported = true;
    lw_etcd__watch_arm(watch);
    lw_log(&watch->etcd->logger, is_reported ? LW_LOG_DEBUG : LW_LOG_INFO, "etcd",
           "a watch was interrupted and will be resumed: %s", why.message);
    if (!is_reported && !watch->is_gone && watch->sink.on_cut)
        watch->sink.on_cut(&why, watch->sink.arg);
}

void lw_etcd__watch_refresh(lw_etcd_watch *watch)
{
    uint64_t generation = watch->token_generation;
    watch->has_refreshed = true;
    watch_close(watch);
    lw_etcd_watch_batch_clear(&watch->batch);
    lw_etcd__token_refused(watch->etcd, generation);
    watch_try(watch);
}

void lw_etcd__watch_send_progress(lw_etcd_watch *watch)
{
    LwEtcd__WatchProgressRequest progress = LW_ETCD__WATCH_PROGRESS_REQUEST__INIT;
    LwEtcd__WatchRequest message = LW_ETCD__WATCH_REQUEST__INIT;
    lw_etcd_frame *frame = NULL;
    message.request_union_case = LW_ETCD__WATCH_REQUEST__REQUEST_UNION_PROGRESS_REQUEST;
    message.progress_request = &progress;
    lw_status st = lw_etcd_frame_new(&frame, &message.base);
    if (st == LW_OK)
        st = lw_grpc_send(&watch->stream, lw_etcd_frame_bytes(frame), false);
    /* If it could not be sent, it is sent when the watch is opened again; a caller that needs it
     * earlier asks again. */
    watch->asks_progress = st < 0;
    lw_etcd_frame_free(frame);
}

/* Opens the stream on watch->link and sends the request. */
static lw_status watch_send(lw_etcd_watch *watch)
{
    LwEtcd__WatchCreateRequest create = LW_ETCD__WATCH_CREATE_REQUEST__INIT;
    LwEtcd__WatchRequest message = LW_ETCD__WATCH_REQUEST__INIT;
    lw_http_header headers[HEADERS_MAX];
    lw_etcd_frame *frame = NULL;
    size_t count = 0;
    headers[count++] = (lw_http_header){ LW_STR("content-type"), LW_STR("application/grpc") };
    headers[count++] = (lw_http_header){ LW_STR("te"), LW_STR("trailers") };
    /* Otherwise a member that has lost its leader would keep the watch open without reporting
     * events. */
    headers[count++] = (lw_http_header){ LW_STR("hasleader"), LW_STR("true") };
    if (watch->etcd->token)
        headers[count++] = (lw_http_header){ LW_STR("token"), lw_str_of(watch->etcd->token) };
    watch->token_generation = watch->etcd->token_generation;

    create.key = lw_etcd_bytes_of(watch->key);
    create.range_end = lw_etcd_bytes_of(watch->end);
    create.start_revision = (int64_t)watch->next_revision;
    create.progress_notify = watch->wants_progress;
    create.prev_kv = watch->wants_prev;
    create.fragment = true;
    message.request_union_case = LW_ETCD__WATCH_REQUEST__REQUEST_UNION_CREATE_REQUEST;
    message.create_request = &create;
    lw_status st = lw_etcd_frame_new(&frame, &message.base);
    if (st == LW_OK)
        st = lw_grpc_open(&watch->stream, watch->link->h2, LW_STR("/etcdserverpb.Watch/Watch"),
                          headers, count, LW_ETCD_MESSAGE_MAX, &lw_etcd__watch_sink,
                          &watch->link->activity);
    if (st == LW_OK)
        st = lw_grpc_send(&watch->stream, lw_etcd_frame_bytes(frame), false);
    lw_etcd_frame_free(frame);
    if (st == LW_OK && watch->is_paused)
        lw_grpc_set_paused(&watch->stream, true);
    return st;
}

/* Opens the watch now, or when there is a connection. */
static void watch_try(lw_etcd_watch *watch)
{
    lw_etcd *etcd = watch->etcd;
    lw_error err = LW_ERROR_INIT;
    for (;;) {
        lw_status st = lw_etcd__enter(etcd, &watch->waiter, true, &watch->link, &err);
        if (st == LW_ERR_STOPPED)
            break;
        if (st < 0) {
            watch_end_later(watch, &err);
            return;
        }
        st = watch_send(watch);
        if (st == LW_OK) {
            watch->opens_by_ns = lw_etcd__now(etcd) + etcd->request_timeout_ms * LW_NS_PER_MS;
            break;
        }
        if (st != LW_ERR_STOPPED) {
            (void)lw_error_set(&err, st, "etcd at %s: %s: cannot send the request: %s",
                               lw_etcd__url(watch->link), LW_ETCD_WATCH_NAME, lw_status_name(st));
            watch_close(watch);
            watch_end_later(watch, &err);
            return;
        }
        lw_etcd__move_on(watch->link);
        watch_close(watch);
    }
    lw_etcd__watch_arm(watch);
}

static void watch_woken(lw_etcd_waiter *waiter, const lw_error *err)
{
    lw_etcd_watch *watch = LW_CONTAINER_OF(waiter, lw_etcd_watch, waiter);
    lw_etcd__watch_begin(watch);
    if (!err)
        watch_try(watch);
    else if (err->code == LW_ERR_UNAVAILABLE || err->code == LW_ERR_TIMEOUT)
        lw_etcd__watch_cut(watch, err); /* no token, because no member responds */
    else
        lw_etcd__watch_end(watch, err, 0);
    lw_etcd__watch_finish(watch);
}

/* etcd has not confirmed the watch in time. */
static void watch_late(lw_etcd_watch *watch)
{
    lw_error err = LW_ERROR_INIT;
    watch->opens_by_ns = 0;
    if (watch->is_paused)
        return; /* the confirmation may have arrived, but was not read */
    (void)lw_error_set(&err, LW_ERR_TIMEOUT, "etcd at %s: %s: no reply within %d ms",
                       lw_etcd__url(watch->link), LW_ETCD_WATCH_NAME,
                       watch->etcd->request_timeout_ms);
    if (watch->etcd->endpoints.count > 1)
        lw_etcd__move_on(watch->link);
    lw_etcd__watch_cut(watch, &err);
}

static void watch_due(lw_timer *timer)
{
    lw_etcd_watch *watch = LW_CONTAINER_OF(timer, lw_etcd_watch, timer);
    int64_t now = lw_etcd__now(watch->etcd);
    lw_etcd__watch_begin(watch);
    if (watch->is_end_due) {
        lw_etcd__watch_end(watch, &watch->failure, 0);
    } else if (watch->pause_ends_ns && now >= watch->pause_ends_ns) {
        watch->pause_ends_ns = 0;
        watch_try(watch);
    } else if (watch->opens_by_ns && now >= watch->opens_by_ns) {
        watch_late(watch);
    } else if (watch->is_pump_due) {
        watch->is_pump_due = false;
        lw_grpc_pump(&watch->stream);
    }
    lw_etcd__watch_arm(watch);
    lw_etcd__watch_finish(watch);
}

static lw_status watch_fill(lw_etcd_watch *watch, const lw_etcd_watch_request *request)
{
    static const lw_backoff_options pauses = { 20 * LW_NS_PER_MS, 5 * LW_NS_PER_S, 2.0, 1.0, 0 };
    size_t key_len = request->key.len, end_len = request->end.len;
    watch->key_bytes = lw_alloc(key_len + end_len);
    if (!watch->key_bytes)
        return LW_ERR_NOMEM;
    if (key_len > 0)
        memcpy(watch->key_bytes, request->key.ptr, key_len);
    if (end_len > 0)
        memcpy(watch->key_bytes + key_len, request->end.ptr, end_len);
    watch->key = lw_str_make(watch->key_bytes, key_len);
    watch->end = lw_str_make(watch->key_bytes + key_len, end_len);
    watch->next_revision = request->start_revision;
    watch->wants_prev = request->wants_prev;
    watch->wants_progress = request->wants_progress;
    return lw_backoff_init(&watch->backoff, &pauses, lw_random_next(&watch->etcd->random));
}

lw_status lw_etcd_watch_open(lw_etcd_watch **out, lw_etcd *etcd,
                             const lw_etcd_watch_request *request, const lw_etcd_watch_sink *sink)
{
    if (etcd->call_count >= LW_ETCD_CALLS_MAX)
        return LW_ERR_TOO_MANY;
    if (request->key.len + request->end.len > LW_ETCD_REQUEST_MAX / 2)
        return LW_ERR_LIMIT;
    lw_etcd_watch *watch = lw_alloc_zero(1, sizeof(*watch));
    if (!watch)
        return LW_ERR_NOMEM;
    watch->etcd = etcd;
    watch->sink = *sink;
    watch->waiter.wake = watch_woken;
    watch->timer.fire = watch_due;
    lw_etcd_watch_batch_init(&watch->batch);
    lw_status st = watch_fill(watch, request);
    if (st == LW_OK)
        st = lw_timer_set(etcd->loop, &watch->timer, INT64_MAX);
    if (st < 0) {
        watch_destroy(watch);
        return LW_ERR_NOMEM;
    }
    lw_dlist_push_back(&etcd->watches, &watch->node);
    etcd->call_count++;
    watch_try(watch);
    *out = watch;
    return LW_OK;
}

void lw_etcd_watch_ask_progress(lw_etcd_watch *watch)
{
    watch->asks_progress = true;
    if (watch->is_open)
        lw_etcd__watch_send_progress(watch);
}

void lw_etcd_watch_set_paused(lw_etcd_watch *watch, bool is_paused)
{
    if (watch->is_gone || watch->is_paused == is_paused)
        return;
    watch->is_paused = is_paused;
    lw_grpc_set_paused(&watch->stream, is_paused);
    if (is_paused || !watch->link)
        return;
    watch->is_pump_due = true;
    /* A timer that is not in the heap is firing now, and is set afterwards. */
    if (lw_heap_node_is_in(&watch->timer.node))
        lw_etcd__watch_arm(watch);
}
