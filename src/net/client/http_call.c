/* SPDX-License-Identifier: Apache-2.0 */
/* http_call.c -- one call as its owner sees it: send, pause, cancel, close.
 *
 *     waiting ──lw_http_conn__start──▶ on a connection ──complete, failed, deadline──▶ closed
 *        ▲                                   │
 *        └── once, if the idle connection ───┘
 *            had been closed
 *     any ──lw_http_call_cancel──▶ dropped without a callback */
#include "base/clock.h"
#include "base/container_of.h"
#include "base/error.h"
#include "base/str.h"
#include "net/client/http_internal.h"

/* Removes the call from everything that knows it. */
static void detach(lw_http_call *call)
{
    lw_http_client *client = call->client;
    if (lw_dlist_node_is_linked(&call->link))
        lw_http_pool__stop_waiting(call);
    if (lw_dlist_node_is_linked(&call->ending.link))
        lw_dlist_remove(&call->ending.link);
    lw_timer_cancel(client->loop, &call->timer);
    if (call->conn && call->conn->h2) {
        lw_http_conn__detach_h2(call);
    } else if (call->conn) {
        lw_http_conn *conn = call->conn;
        call->conn = NULL;
        conn->call = NULL;
        lw_http_conn__close(conn);
    }
    lw_dlist_remove(&call->all);
    client->call_count--;
    call->pool->call_count--;
    lw_http_pool__settle_soon(call->pool);
}

void lw_http_call__close(lw_http_call *call, const lw_error *err)
{
    detach(call);
    call->is_closed = true;
    call->sink.on_close(call, err, call->sink.arg);
    lw_http_request__free(call);
}

void lw_http_call__drop(lw_http_call *call)
{
    detach(call);
    lw_http_request__free(call);
}

void lw_http_call__end(lw_task *task)
{
    lw_http_call *call = LW_DLIST_ITEM(&task->link, lw_http_call, ending.link);
    lw_error err = call->err;
    lw_http_call__close(call, &err);
}

void lw_http_call__fail_soon(lw_http_call *call, lw_status st, const char *reason)
{
    if (lw_dlist_node_is_linked(&call->ending.link))
        return;
    (void)lw_error_set(&call->err, st, "%s: %s", call->pool->authority, reason);
    if (lw_dlist_node_is_linked(&call->link))
        lw_http_pool__stop_waiting(call);
    lw_loop_defer(call->client->loop, &call->ending);
}

bool lw_http_call__is_started(const lw_http_call *call)
{
    return call->conn && call->conn->stage >= LW_HTTP_CONN_BUSY;
}

lw_status lw_http_call__set_timer(lw_http_call *call)
{
    int64_t at = lw_http_call__is_started(call) ? call->deadline_ns : call->wait_until_ns;
    if (at != 0)
        return lw_timer_set(call->client->loop, &call->timer, at);
    lw_timer_cancel(call->client->loop, &call->timer);
    return LW_OK;
}

void lw_http_call__timer_fired(lw_timer *timer)
{
    lw_http_call *call = LW_CONTAINER_OF(timer, lw_http_call, timer);
    lw_error err = LW_ERROR_INIT;
    bool is_sent = lw_http_call__is_started(call);
    (void)lw_error_set(&err, LW_ERR_TIMEOUT, "%s: %s before the deadline", call->pool->authority,
                       !is_sent       ? "no connection was available"
                       : call->status ? "the reply was not complete"
                                      : "the server did not reply");
    lw_http_call__close(call, &err);
}

bool lw_http_call__has_room(lw_http_call *call, uint64_t len)
{
    lw_error err = LW_ERROR_INIT;
    if (call->reply_max == 0 || len <= call->reply_max - call->reply_len)
        return true;
    (void)lw_error_set(&err, LW_ERR_LIMIT, "%s: the reply is larger than %zu bytes",
                       call->pool->authority, call->reply_max);
    lw_http_call__close(call, &err);
    return false;
}

void lw_http_call__take_data(lw_http_call *call, lw_str bytes)
{
    if (!lw_http_call__has_room(call, bytes.len))
        return;
    call->reply_len += bytes.len;
    if (call->sink.on_data && bytes.len > 0)
        call->sink.on_data(call, bytes.ptr, bytes.len, call->sink.arg);
}

lw_status lw_http_call_send(lw_http_call *call, lw_bytes bytes, bool is_last)
{
    bool has_ended =
        call->is_ended || call->is_closed || lw_dlist_node_is_linked(&call->ending.link);
    lw_http_conn *conn = call->conn;
    /* An upgrade is sent to only after the server has accepted it. */
    bool is_early = call->is_upgrade && !(conn && conn->is_upgraded);
    if (has_ended || is_early) {
        lw_bytes_release(bytes);
        return LW_ERR_STOPPED;
    }
    if (bytes.len > LW_HTTP_CLIENT_QUEUE_MAX - lw_http_call_pending(call)) {
        lw_bytes_release(bytes);
        return LW_ERR_LIMIT;
    }
    lw_status st = !lw_http_call__is_started(call) ? lw_h2_pieces_push(&call->early, bytes)
                   : call->h2                      ? lw_h2_call_send(call->h2, bytes, is_last)
                                                   : lw_http_conn__send(conn, bytes, is_last);
    if (st == LW_OK)
        call->is_ended = is_last;
    return st;
}

size_t lw_http_call_pending(const lw_http_call *call)
{
    size_t queued = !lw_http_call__is_started(call) ? 0
                    : call->h2                      ? lw_h2_call_pending(call->h2)
                                                    : call->conn->queue.pending;
    return queued < LW_HTTP_CLIENT_QUEUE_MAX - call->early.bytes ? queued + call->early.bytes
                                                                 : LW_HTTP_CLIENT_QUEUE_MAX;
}

void lw_http_call_set_paused(lw_http_call *call, bool is_paused)
{
    call->is_paused = is_paused;
    if (call->h2)
        lw_h2_call_set_paused(call->h2, is_paused);
    else if (call->conn && !call->is_closed)
        lw_http_conn__settle_soon(call->conn);
}

void lw_http_call_cancel(lw_http_call *call)
{
    if (call && !call->is_closed)
        lw_http_call__drop(call);
}
