/* SPDX-License-Identifier: Apache-2.0 */
/* fake_conn.c -- the functions of net/conn.h over memory. */
#include "support/fake_conn.h"

#include <string.h>

#include "base/clock.h"
#include "base/str.h"

lw_status fake_conn_open(lw_conn *conn, lw_loop *loop, const lw_http_handler *handler)
{
    memset(conn, 0, sizeof(*conn));
    conn->loop = loop;
    conn->handler = *handler;
    conn->limits.stall_timeout_ns = LW_HTTP_STALL_TIMEOUT_S * LW_NS_PER_S;
    conn->peer.address = LW_STR("127.0.0.1:4711");
    lw_buf_init(&conn->queue, FAKE_CONN_QUEUE_MAX);
    return lw_h2_new(&conn->protocol, conn);
}

void fake_conn_close(lw_conn *conn)
{
    if (conn->protocol)
        conn->protocol->ops->free(conn->protocol);
    conn->protocol = NULL;
    lw_buf_done(&conn->queue);
    conn->taken = 0;
}

void fake_conn_feed(lw_conn *conn, const void *bytes, size_t len, size_t step)
{
    const char *at = bytes;
    while (len > 0 && !conn->is_finished && !conn->is_aborted) {
        size_t part = len < step ? len : step;
        if (conn->protocol->ops->feed(conn->protocol, at, part) != LW_OK)
            lw_conn_finish(conn);
        at += part;
        len -= part;
    }
}

lw_str fake_conn_take(lw_conn *conn, size_t max)
{
    if (conn->taken == conn->queue.len)
        return lw_str_make(NULL, 0);
    lw_str view = lw_str_make(conn->queue.data + conn->taken, conn->queue.len - conn->taken);
    if (view.len > max)
        view.len = max;
    conn->taken += view.len;
    return view;
}

void fake_conn_refill(lw_conn *conn)
{
    size_t pending = lw_conn_pending(conn);
    bool may_refill =
        (conn->has_sent && pending == 0) || (conn->was_high && pending <= LW_HTTP_QUEUE_LOW);
    if (!may_refill || conn->is_finished || conn->is_aborted)
        return;
    conn->has_sent = conn->was_high = false;
    conn->protocol->ops->writable(conn->protocol);
}

lw_status lw_conn_send(lw_conn *conn, lw_bytes bytes)
{
    lw_status st = lw_conn_send_copy(conn, bytes.ptr, bytes.len);
    lw_bytes_release(bytes);
    return st;
}

lw_status lw_conn_send_copy(lw_conn *conn, const void *bytes, size_t len)
{
    if (conn->is_finished || conn->is_aborted)
        return LW_ERR_STOPPED;
    if (conn->taken == conn->queue.len) {
        lw_buf_reset(&conn->queue);
        conn->taken = 0;
    }
    lw_buf_append(&conn->queue, bytes, len);
    if (conn->queue.st < 0 || conn->fails) {
        conn->is_aborted = true;
        return LW_ERR_NOMEM;
    }
    conn->has_sent = true;
    if (lw_conn_pending(conn) > LW_HTTP_QUEUE_HIGH)
        conn->was_high = true;
    return LW_OK;
}

size_t lw_conn_pending(const lw_conn *conn)
{
    return conn->queue.len - conn->taken;
}

void lw_conn_finish(lw_conn *conn)
{
    conn->is_finished = true;
}

void lw_conn_abort(lw_conn *conn)
{
    conn->is_aborted = true;
}

void lw_conn_set_reading(lw_conn *conn, bool is_reading)
{
    (void)conn;
    (void)is_reading;
}

bool lw_conn_has_turn(lw_conn *conn)
{
    bool has_turn = conn->turn_max == 0 || conn->turn_used < conn->turn_max;
    conn->waits_for_turn = conn->waits_for_turn || !has_turn;
    return has_turn;
}

void lw_conn_use_turn(lw_conn *conn)
{
    conn->turn_used++;
}

void fake_conn_next_turn(lw_conn *conn)
{
    bool is_waiting = conn->waits_for_turn;
    conn->waits_for_turn = false;
    conn->turn_used = 0;
    if (is_waiting)
        conn->protocol->ops->next_turn(conn->protocol);
}

void lw_conn_set_phase(lw_conn *conn, lw_conn_phase phase)
{
    conn->phase = phase;
    conn->phases++;
}

lw_loop *lw_conn_loop(const lw_conn *conn)
{
    return conn->loop;
}

const lw_http_handler *lw_conn_handler(const lw_conn *conn)
{
    return &conn->handler;
}

const lw_peer *lw_conn_peer(const lw_conn *conn)
{
    return &conn->peer;
}

const lw_http_limits *lw_conn_limits(const lw_conn *conn)
{
    return &conn->limits;
}

bool lw_conn_is_draining(const lw_conn *conn)
{
    return conn->is_draining;
}

void lw_conn_set_authenticated(lw_conn *conn)
{
    conn->is_authenticated = true;
}

void lw_conn_count_request(lw_conn *conn)
{
    conn->requests++;
}

void lw_conn_count_stream(lw_conn *conn, int change)
{
    conn->streams += change;
}

void lw_conn_count_protocol_error(lw_conn *conn)
{
    conn->protocol_errors++;
}

lw_str lw_conn_date(lw_conn *conn)
{
    (void)conn;
    return LW_STR("Sun, 06 Nov 1994 08:49:37 GMT");
}
