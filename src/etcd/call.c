/* SPDX-License-Identifier: Apache-2.0 */
/* call.c -- one unary call.
 *
 * Each call has one timer for its deadline, its backoff, the detection of stalls, and for errors
 * that are found while the request is being sent: the timer reports those, so that no callback runs
 * inside lw_etcd__ask. */
#include "etcd/call.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/error.h"
#include "base/str.h"
#include "etcd/error_map.h"

enum {
    HEADERS_MAX = 6,
    STALL_PARTS = 3, /* a member that does not respond gets this fraction of the timeout */
};

static void call_try(lw_etcd_call *call);

void lw_etcd__call_free(lw_etcd_call *call)
{
    lw_etcd *etcd = call->etcd;
    if (etcd->token_call == call)
        etcd->token_call = NULL;
    lw_etcd__stop_waiting(&call->waiter);
    lw_grpc_reset(&call->stream);
    lw_etcd__leave(&call->link);
    lw_timer_cancel(etcd->loop, &call->timer);
    lw_dlist_remove(&call->node);
    etcd->call_count--;
    lw_etcd_frame_free(call->request);
    lw_arena_done(&call->arena);
    lw_free(call);
}

/* Removes the call from the client and reports its reply; it can no longer be cancelled. */
static void call_deliver(lw_etcd_call *call, const lw_error *err)
{
    lw_etcd_answer base = { .err = err, .is_unknown = err && call->is_unknown };
    lw_etcd__stop_waiting(&call->waiter);
    lw_timer_cancel(call->etcd->loop, &call->timer);
    call->method->deliver(call, &base, err ? NULL : call->reply);
    lw_etcd__call_free(call);
}

static void call_fail(lw_etcd_call *call)
{
    const lw_error err = call->failure;
    call_deliver(call, &err);
}

/* Returns the time of the next action. */
static int64_t next_moment(const lw_etcd_call *call)
{
    int64_t at = call->deadline_ns;
    if (call->is_failed)
        return lw_etcd__now(call->etcd);
    if (call->pause_ends_ns && call->pause_ends_ns < at)
        at = call->pause_ends_ns;
    if (call->stalls_ns && call->stalls_ns < at)
        at = call->stalls_ns;
    return at;
}

/* The timer's slot in the heap is reserved from the start; only inside the timer's own callback it
 * may be missing. */
static void call_arm(lw_etcd_call *call)
{
    lw_status st = lw_timer_set(call->etcd->loop, &call->timer, next_moment(call));
    if (st < 0) {
        (void)lw_error_nomem(&call->failure);
        call_fail(call);
    }
}

/* Fails the call from the timer, because the caller may still be inside lw_etcd__ask. */
static void call_fail_later(lw_etcd_call *call, const lw_error *err)
{
    call->failure = *err;
    call->is_failed = true;
    call_arm(call);
}

static bool is_silent(const lw_etcd_call *call)
{
    return call->link && call->link->is_up && !call->stream.is_heard &&
           call->link->activity == call->link_activity;
}

static void call_stop_asking(lw_etcd_call *call)
{
    lw_grpc_reset(&call->stream);
    lw_etcd__leave(&call->link);
    call->stalls_ns = 0;
}

static void call_time_out(lw_etcd_call *call)
{
    bool is_asked = call->link && call->link->is_up;
    if (is_asked || call->failure.code == LW_OK) {
        const char *url = call->link ? lw_etcd__url(call->link) : "any of its endpoints";
        const lw_error *why = &call->etcd->last_failure;
        if (is_asked)
            (void)lw_error_set(&call->failure, LW_ERR_TIMEOUT,
                               "etcd at %s: %s: no reply within %d ms", url, call->method->name,
                               call->timeout_ms);
        else if (why->code != LW_OK)
            call->failure = *why;
        else
            (void)lw_error_set(&call->failure, LW_ERR_UNAVAILABLE,
                               "etcd at %s: %s: no connection within %d ms", url,
                               call->method->name, call->timeout_ms);
    }
    call->is_unknown = call->is_unknown || (call->method->is_write && is_asked);
    if (is_silent(call) && call->etcd->endpoints.count > 1)
        lw_etcd__move_on(call->link);
    call_stop_asking(call);
    call_fail(call);
}

/* Nothing was received for any call on this connection: the member may be hanging. */
static void call_stalled(lw_etcd_call *call)
{
    if (!is_silent(call)) {
        call->stalls_ns = 0;
        call_arm(call);
        return;
    }
    (void)lw_error_set(&call->failure, LW_ERR_TIMEOUT,
                       "etcd at %s: %s: the member does not respond", lw_etcd__url(call->link),
                       call->method->name);
    lw_etcd__move_on(call->link);
    call_stop_asking(call);
    call_try(call);
}

static void call_due(lw_timer *timer)
{
    lw_etcd_call *call = LW_CONTAINER_OF(timer, lw_etcd_call, timer);
    int64_t now = lw_etcd__now(call->etcd);
    if (call->is_failed) {
        call_fail(call);
    } else if (now >= call->deadline_ns) {
        call_time_out(call);
    } else if (call->pause_ends_ns && now >= call->pause_ends_ns) {
        call->pause_ends_ns = 0;
        call_try(call);
    } else if (call->stalls_ns && now >= call->stalls_ns) {
        call_stalled(call);
    } else {
        call_arm(call);
    }
}

static void call_woken(lw_etcd_waiter *waiter, const lw_error *err)
{
    lw_etcd_call *call = LW_CONTAINER_OF(waiter, lw_etcd_call, waiter);
    if (err)
        call_fail_later(call, err);
    else
        call_try(call);
}

static void on_message(lw_grpc_stream *stream, lw_str message)
{
    lw_etcd_call *call = LW_CONTAINER_OF(stream, lw_etcd_call, stream);
    lw_status st = LW_ERR_INTERNAL;
    if (!call->reply)
        st = lw_etcd_decode(&call->reply, call->method->reply, message, &call->arena);
    if (st == LW_OK)
        return;
    (void)lw_error_set(&call->failure, st, "etcd at %s: %s: %s", lw_etcd__url(call->link),
                       call->method->name,
                       st == LW_ERR_NOMEM   ? "out of memory for the reply"
                       : st == LW_ERR_LIMIT ? "the reply exceeds the memory limit"
                       : call->reply        ? "received more than one reply"
                                            : "cannot decode the reply");
    call->is_unknown = call->method->is_write;
    call_stop_asking(call);
    call_fail(call);
}

/* Retries after a backoff, if there is time. */
static void call_pause(lw_etcd_call *call)
{
    int64_t now = lw_etcd__now(call->etcd);
    call->pause_ends_ns = now + lw_backoff_next(&call->backoff, now);
    if (call->pause_ends_ns >= call->deadline_ns) {
        call_fail(call);
        return;
    }
    call_arm(call);
}

static void call_judge(lw_etcd_call *call, const lw_grpc_end *end)
{
    lw_etcd_error verdict;
    uint64_t generation = call->token_generation;
    lw_etcd_map_error(&verdict, end, lw_etcd__url(call->link), call->method->name);
    call->failure = verdict.err;
    if (verdict.moves_on)
        lw_etcd__move_on(call->link);
    call_stop_asking(call);
    if (verdict.wants_token && call->etcd->user && !call->has_refreshed &&
        !call->method->is_tokenless) {
        call->has_refreshed = true;
        lw_etcd__token_refused(call->etcd, generation);
        call_try(call);
    } else if (verdict.may_go_later && (!call->method->is_write || verdict.is_not_begun)) {
        call_pause(call);
    } else {
        call->is_unknown = call->method->is_write && !verdict.is_not_done;
        call_fail(call);
    }
}

static void on_end(lw_grpc_stream *stream, const lw_grpc_end *end)
{
    lw_etcd_call *call = LW_CONTAINER_OF(stream, lw_etcd_call, stream);
    if (end->st == LW_OK)
        lw_etcd__heard(call->link);
    if (end->st != LW_OK || end->code != LW_GRPC_OK) {
        call->reply = NULL;
        lw_arena_done(&call->arena);
        call_judge(call, end);
    } else if (!call->reply) {
        (void)lw_error_set(&call->failure, LW_ERR_INTERNAL,
                           "etcd at %s: %s: the call succeeded without a reply",
                           lw_etcd__url(call->link), call->method->name);
        call->is_unknown = call->method->is_write;
        call_stop_asking(call);
        call_fail(call);
    } else {
        call_stop_asking(call);
        call_deliver(call, NULL);
    }
}

static const lw_grpc_sink call_sink = { on_message, on_end };

/* Writes the remaining time in whole seconds, rounded up, so that the header rarely changes and
 * HPACK encodes it in one byte.  A caller that stops waiting resets the stream anyway. */
static int write_timeout(const lw_etcd_call *call, char *out, size_t size)
{
    int64_t left_ms = (call->deadline_ns - lw_etcd__now(call->etcd)) / LW_NS_PER_MS;
    if (left_ms > 1000)
        return snprintf(out, size, "%lldS", (long long)(left_ms + 999) / 1000);
    return snprintf(out, size, "%lldm", (long long)(left_ms > 1 ? left_ms : 1));
}

/* Opens the stream on call->link and sends the request. */
static lw_status call_send(lw_etcd_call *call)
{
    char timeout[32];
    lw_http_header headers[HEADERS_MAX];
    size_t count = 0;
    int len = write_timeout(call, timeout, sizeof(timeout));
    headers[count++] = (lw_http_header){ LW_STR("content-type"), LW_STR("application/grpc") };
    headers[count++] = (lw_http_header){ LW_STR("te"), LW_STR("trailers") };
    headers[count++] =
        (lw_http_header){ LW_STR("grpc-timeout"), lw_str_make(timeout, (size_t)len) };
    if (!call->is_leaderless)
        headers[count++] = (lw_http_header){ LW_STR("hasleader"), LW_STR("true") };
    if (call->etcd->token && !call->method->is_tokenless)
        headers[count++] = (lw_http_header){ LW_STR("token"), lw_str_of(call->etcd->token) };
    call->token_generation = call->etcd->token_generation;
    call->link_activity = call->link->activity;
    lw_status st =
        lw_grpc_open(&call->stream, call->link->h2, lw_str_of(call->method->path), headers, count,
                     LW_ETCD_MESSAGE_MAX, &call_sink, &call->link->activity);
    return st < 0 ? st : lw_grpc_send(&call->stream, lw_etcd_frame_bytes(call->request), true);
}

/* Sends the request now, or when there is a connection. */
static void call_try(lw_etcd_call *call)
{
    lw_etcd *etcd = call->etcd;
    lw_error err = LW_ERROR_INIT;
    for (;;) {
        lw_status st =
            lw_etcd__enter(etcd, &call->waiter, !call->method->is_tokenless, &call->link, &err);
        if (st == LW_ERR_STOPPED)
            break;
        if (st < 0) {
            call_fail_later(call, &err);
            return;
        }
        st = call_send(call);
        if (st == LW_OK) {
            int64_t share = etcd->request_timeout_ms * LW_NS_PER_MS / STALL_PARTS;
            if (!call->method->is_write && etcd->endpoints.count > 1)
                call->stalls_ns = lw_etcd__now(etcd) + share;
            break;
        }
        if (st != LW_ERR_STOPPED) {
            (void)lw_error_set(&err, st, "etcd at %s: %s: cannot send the request: %s",
                               lw_etcd__url(call->link), call->method->name, lw_status_name(st));
            call_stop_asking(call);
            call_fail_later(call, &err);
            return;
        }
        lw_etcd__move_on(call->link);
        call_stop_asking(call);
    }
    call_arm(call);
}

lw_status lw_etcd__ask(lw_etcd *etcd, const lw_etcd_question *question, lw_etcd_call **out)
{
    static const lw_backoff_options pauses = { 10 * LW_NS_PER_MS, LW_NS_PER_S, 2.0, 1.0, 0 };
    int timeout_ms = question->timeout_ms > 0 ? question->timeout_ms : etcd->request_timeout_ms;
    if (etcd->call_count >= LW_ETCD_CALLS_MAX)
        return LW_ERR_TOO_MANY;
    lw_etcd_call *call = lw_alloc_zero(1, sizeof(*call));
    if (!call)
        return LW_ERR_NOMEM;
    lw_status st = lw_backoff_init(&call->backoff, &pauses, lw_random_next(&etcd->random));
    call->etcd = etcd;
    call->method = question->method;
    call->asker = question->asker;
    call->arg = question->arg;
    call->is_unguarded_delete = question->is_unguarded_delete;
    call->is_leaderless = question->is_leaderless;
    call->waiter.wake = call_woken;
    call->timer.fire = call_due;
    call->timeout_ms = timeout_ms;
    call->deadline_ns = lw_etcd__now(etcd) + timeout_ms * LW_NS_PER_MS;
    lw_arena_init(&call->arena, 0);
    lw_dlist_push_back(&etcd->calls, &call->node);
    etcd->call_count++;
    if (st == LW_OK)
        st = lw_etcd_frame_new(&call->request, question->request);
    if (st == LW_OK)
        st = lw_timer_set(etcd->loop, &call->timer, call->deadline_ns);
    if (st < 0) {
        lw_etcd__call_free(call);
        return st == LW_ERR_LIMIT ? LW_ERR_LIMIT : LW_ERR_NOMEM;
    }
    call_try(call);
    if (out)
        *out = call;
    return LW_OK;
}

void lw_etcd_call_cancel(lw_etcd *etcd, lw_etcd_call *call)
{
    (void)etcd;
    if (call)
        lw_etcd__call_free(call);
}
