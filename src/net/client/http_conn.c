/* SPDX-License-Identifier: Apache-2.0 */
/* http_conn.c -- one connection: dial, TLS, idle, close.
 *
 *     dialling ─▶ [securing] ─▶ idle ◀─▶ busy
 *                     └──ALPN──▶ h2
 *     any ──lw_http_conn__close──▶ closed ──▶ (end of the batch) deleted */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/error.h"
#include "net/client/http_internal.h"
#include "net/wire.h"

void lw_http_conn__settle_soon(lw_http_conn *conn)
{
    if (!lw_dlist_node_is_linked(&conn->settling.link))
        lw_loop_defer(conn->client->loop, &conn->settling);
}

static bool is_connecting(const lw_http_conn *conn)
{
    return conn->stage < LW_HTTP_CONN_IDLE;
}

static void disconnect(lw_http_conn *conn)
{
    if (conn->tls)
        lw_tls_stream_shutdown(conn->tls);
    lw_tls_stream_free(conn->tls);
    conn->tls = NULL;
    if (conn->io.fd < 0)
        return;
    lw_loop_remove(conn->client->loop, &conn->io);
    close(conn->io.fd);
    conn->io.fd = -1;
}

void lw_http_conn__close(lw_http_conn *conn)
{
    lw_http_pool *pool = conn->pool;
    if (conn->stage == LW_HTTP_CONN_CLOSED)
        return;
    if (is_connecting(conn) && !conn->is_bound)
        pool->dialling_count--;
    conn->stage = LW_HTTP_CONN_CLOSED;
    conn->pool = NULL;
    lw_dial_cancel(conn->dial);
    conn->dial = NULL;
    lw_timer_cancel(conn->client->loop, &conn->timer);
    disconnect(conn);
    lw_h2_client_free(conn->h2);
    conn->h2 = NULL;
    if (pool->h2 == conn)
        pool->h2 = NULL;
    lw_conn_queue_done(&conn->queue);
    lw_h1_parser_done(&conn->parser);
    lw_dlist_remove(&conn->link);
    pool->conn_count--;
    lw_http_pool__settle_soon(pool);
    lw_http_conn__settle_soon(conn); /* deletes it */
}

/* The request can be sent once more: the server closed the connection while it was idle.  Only
 * once, because the next connection has not been idle. */
static bool may_retry(const lw_http_conn *conn, lw_status st)
{
    return conn->was_used && !conn->has_reply && st == LW_ERR_UNAVAILABLE;
}

void lw_http_conn__fail(lw_http_conn *conn, lw_status st, const char *format, ...)
{
    char text[LW_ERROR_MESSAGE_SIZE];
    lw_error err = LW_ERROR_INIT;
    lw_http_pool *pool = conn->pool;
    lw_http_call *call = conn->call;
    bool was_connecting = is_connecting(conn);
    bool is_retried = call && may_retry(conn, st);
    va_list args;
    if (conn->stage == LW_HTTP_CONN_CLOSED)
        return;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (call)
        call->conn = NULL;
    conn->call = NULL;
    lw_http_conn__close(conn);
    if (is_retried) {
        call->needs_new_conn = true;
        lw_http_pool__wait(pool, call, true);
    } else if (call) {
        (void)lw_error_set(&err, st, "%s: %s", pool->authority, text);
        lw_http_call__close(call, &err);
    } else if (was_connecting) {
        (void)lw_error_set(&err, st, "%s", text);
        lw_http_pool__dial_failed(pool, &err);
    }
}

void lw_http_conn__become_idle(lw_http_conn *conn)
{
    lw_http_pool *pool = conn->pool;
    lw_http_client *client = conn->client;
    conn->stage = LW_HTTP_CONN_IDLE;
    lw_dlist_remove(&conn->link);
    lw_dlist_push_front(&pool->idle, &conn->link);
    if (lw_timer_set(client->loop, &conn->timer,
                     lw_loop_now(client->loop) + LW_HTTP_CLIENT_IDLE_S * LW_NS_PER_S) < 0)
        lw_http_conn__close(conn);
    lw_http_pool__settle_soon(pool);
}

void lw_http_conn__leave_idle(lw_http_conn *conn)
{
    conn->stage = LW_HTTP_CONN_BUSY;
    lw_timer_cancel(conn->client->loop, &conn->timer);
    lw_dlist_remove(&conn->link);
    lw_dlist_push_back(&conn->pool->conns, &conn->link);
}

/* The connection can be used. */
static void ready(lw_http_conn *conn)
{
    if (!conn->is_bound)
        conn->pool->dialling_count--;
    lw_http_conn__become_idle(conn);
    if (!conn->call || conn->stage != LW_HTTP_CONN_IDLE)
        return;
    lw_http_conn__leave_idle(conn);
    lw_http_conn__start(conn, conn->call);
}

static void handshake(lw_http_conn *conn)
{
    lw_error err = LW_ERROR_INIT;
    lw_tls_result result = lw_tls_stream_handshake(conn->tls);
    conn->is_blocked = result == LW_TLS_WANTS_WRITE;
    if (result == LW_TLS_WANTS_READ || result == LW_TLS_WANTS_WRITE)
        return;
    if (result == LW_TLS_CLOSED) {
        lw_http_conn__fail(conn, LW_ERR_UNAVAILABLE,
                           "the server closed the connection during the TLS handshake");
    } else if (result != LW_TLS_OK) {
        lw_status st = lw_tls_stream_error(conn->tls, &err);
        lw_http_conn__fail(conn, st, "%s", err.message);
    } else if (lw_tls_stream_is_h2(conn->tls)) {
        lw_http_conn__become_h2(conn);
    } else {
        conn->pool->is_h1 = true;
        ready(conn);
    }
}

/* An idle connection is readable: the server has closed it, or sent TLS messages between
 * replies. */
static void check_idle(lw_http_conn *conn)
{
    size_t got = 0;
    lw_tls_result result =
        lw_wire_read(conn->io.fd, conn->tls, conn->client->read, LW_HTTP_CLIENT_READ_SIZE, &got);
    if (result != LW_TLS_WANTS_READ)
        lw_http_conn__close(conn);
}

static void io_ready(lw_io *io, unsigned events)
{
    lw_http_conn *conn = LW_CONTAINER_OF(io, lw_http_conn, io);
    bool is_readable = (events & (LW_IO_READ | LW_IO_GONE)) != 0;
    if (events & LW_IO_WRITE)
        conn->is_blocked = false;
    switch (conn->stage) {
    case LW_HTTP_CONN_SECURING: handshake(conn); break;
    case LW_HTTP_CONN_IDLE:
        if (is_readable)
            check_idle(conn);
        break;
    case LW_HTTP_CONN_BUSY:
        if (is_readable)
            lw_http_conn__read(conn);
        break;
    default: return;
    }
    lw_http_conn__settle_soon(conn);
}

/* Starts to use the connected socket. */
static void dialled(int fd, const lw_error *err, void *arg)
{
    lw_http_conn *conn = arg;
    lw_http_client *client = conn->client;
    lw_error why = LW_ERROR_INIT;
    conn->dial = NULL;
    if (fd < 0) {
        lw_http_conn__fail(conn, err->code, "%s", err->message);
        return;
    }
    conn->io = (lw_io){ .fd = fd, .wanted = LW_IO_READ, .ready = io_ready };
    lw_status st = lw_loop_add(client->loop, &conn->io, &why);
    if (st < 0) {
        close(fd);
        conn->io.fd = -1;
        lw_http_conn__fail(conn, st, "%s", why.message);
    } else if (!conn->pool->tls) {
        ready(conn);
    } else if (lw_tls_stream_new_client(&conn->tls, conn->pool->tls, fd, conn->pool->name) < 0 ||
               (conn->is_bound && !lw_tls_stream_offer_h1(conn->tls))) {
        lw_http_conn__fail(conn, LW_ERR_NOMEM, "%s", lw_status_name(LW_ERR_NOMEM));
    } else {
        conn->stage = LW_HTTP_CONN_SECURING;
        handshake(conn);
    }
    lw_http_conn__settle_soon(conn);
}

static void timer_fired(lw_timer *timer)
{
    lw_http_conn *conn = LW_CONTAINER_OF(timer, lw_http_conn, timer);
    if (conn->stage >= LW_HTTP_CONN_IDLE)
        lw_http_conn__close(conn);
    else
        lw_http_conn__fail(conn, LW_ERR_TIMEOUT, "no TLS connection before the deadline");
}

static void update_wanted(lw_http_conn *conn)
{
    bool is_paused = conn->call && conn->call->is_paused;
    if (conn->io.fd >= 0)
        lw_loop_change(conn->client->loop, &conn->io,
                       (is_paused ? 0 : LW_IO_READ) | (conn->is_blocked ? LW_IO_WRITE : 0));
}

static void settle(lw_task *task)
{
    lw_http_conn *conn = LW_DLIST_ITEM(&task->link, lw_http_conn, settling.link);
    if (conn->stage == LW_HTTP_CONN_BUSY)
        lw_http_conn__flush(conn);
    /* No event reports what TLS has already read while the call was paused. */
    if (conn->stage == LW_HTTP_CONN_BUSY && !conn->call->is_paused && conn->tls &&
        lw_tls_stream_has_more(conn->tls))
        lw_http_conn__read(conn);
    if (conn->stage != LW_HTTP_CONN_CLOSED)
        update_wanted(conn);
    else if (!lw_dlist_node_is_linked(&conn->settling.link))
        lw_free(conn);
}

lw_status lw_http_conn__new(lw_http_pool *pool, lw_http_call *call, int64_t deadline_ns,
                            lw_error *err)
{
    lw_http_client *client = pool->client;
    lw_http_conn *conn = lw_alloc_zero(1, sizeof(*conn));
    if (!conn)
        return lw_error_nomem(err);
    conn->client = client;
    conn->pool = pool;
    conn->io.fd = -1;
    conn->timer.fire = timer_fired;
    conn->settling.run = settle;
    conn->is_bound = call != NULL;
    lw_conn_queue_init(&conn->queue);
    lw_h1_parser_init_reply(&conn->parser);
    lw_status st = lw_timer_set(client->loop, &conn->timer, deadline_ns);
    if (st == LW_OK)
        st = lw_dial_start(&conn->dial, client->loop, pool->host, pool->port, deadline_ns, dialled,
                           conn, err);
    else
        (void)lw_error_nomem(err);
    if (st < 0) {
        lw_timer_cancel(client->loop, &conn->timer);
        lw_free(conn);
        return st;
    }
    conn->call = call;
    if (call)
        call->conn = conn;
    else
        pool->dialling_count++;
    lw_dlist_push_back(&pool->conns, &conn->link);
    pool->conn_count++;
    return LW_OK;
}
