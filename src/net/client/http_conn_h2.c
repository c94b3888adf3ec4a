/* SPDX-License-Identifier: Apache-2.0 */
/* http_conn_h2.c -- calls on an HTTP/2 connection, which the client of h2_client.h drives.
 *
 * A call that the server has certainly not seen (GOAWAY, refused stream) is sent once more, like
 * one on an idle HTTP/1.1 connection that was closed. */
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "net/client/http_internal.h"

enum {
    PING_IDLE_MS = 30 * 1000, /* as in client-go */
    PING_TIMEOUT_MS = 15 * 1000,
    LENGTH_SIZE = 24,
};

bool lw_http_conn__accepts_h2(const lw_http_conn *conn)
{
    return !lw_h2_client_is_closing(conn->h2);
}

/* Sets the idle timer of a connection without calls. */
static void update_timer(lw_http_conn *conn)
{
    lw_loop *loop = conn->client->loop;
    int64_t at = lw_clock_now(lw_loop_clock(loop)) + LW_HTTP_CLIENT_IDLE_S * LW_NS_PER_S;
    if (conn->h2_calls > 0)
        lw_timer_cancel(loop, &conn->timer);
    else if (lw_timer_set(loop, &conn->timer, at) < 0)
        lw_http_conn__close(conn);
}

void lw_http_conn__detach_h2(lw_http_call *call)
{
    lw_http_conn *conn = call->conn;
    lw_h2_call_reset(call->h2);
    call->h2 = NULL;
    call->conn = NULL;
    conn->h2_calls--;
    update_timer(conn);
}

static void on_down(lw_h2_client *client, const lw_error *err, void *arg)
{
    (void)client;
    (void)err; /* each call was told */
    lw_http_conn__close(arg);
}

void lw_http_conn__become_h2(lw_http_conn *conn)
{
    lw_http_pool *pool = conn->pool;
    lw_loop *loop = conn->client->loop;
    lw_error err = LW_ERROR_INIT;
    const lw_h2_client_options options = {
        .host = pool->host,
        .port = pool->port,
        .tls = pool->tls,
        .authority = pool->authority,
        .connect_timeout_ms = LW_HTTP_CLIENT_CONNECT_TIMEOUT_S * 1000,
        .ping_idle_ms = PING_IDLE_MS,
        .ping_timeout_ms = PING_TIMEOUT_MS,
        .on_down = on_down,
        .arg = conn,
    };
    int fd = conn->io.fd;
    lw_tls_stream *tls = conn->tls;
    lw_loop_remove(loop, &conn->io);
    conn->io.fd = -1;
    conn->tls = NULL;
    lw_status st = lw_h2_client_adopt(&conn->h2, loop, &options, fd, tls, &err);
    if (st < 0) {
        lw_http_conn__fail(conn, st, "%s", err.message);
        return;
    }
    pool->dialling_count--;
    pool->is_h1 = false;
    pool->h2 = conn;
    conn->stage = LW_HTTP_CONN_H2;
    update_timer(conn);
    lw_http_pool__settle_soon(pool);
}

static void on_head(lw_h2_call *h2, int status, const lw_http_header *headers, size_t count,
                    void *arg)
{
    (void)h2;
    lw_http_call *call = arg;
    call->status = status;
    if (call->sink.on_head)
        call->sink.on_head(call, status, headers, count, call->sink.arg);
}

static void on_data(lw_h2_call *h2, const char *bytes, size_t len, void *arg)
{
    (void)h2;
    lw_http_call__take_data(arg, lw_str_make(bytes, len));
}

static void on_drained(lw_h2_call *h2, void *arg)
{
    (void)h2;
    lw_http_call *call = arg;
    if (call->sink.on_drained)
        call->sink.on_drained(call, call->sink.arg);
}

/* Names the target, unless |err| does. */
static void explain(lw_error *err, const lw_http_call *call)
{
    const char *target = call->pool->authority;
    /* A violation of HTTP/2 by the server is not an error of ours. */
    lw_status st = err->code == LW_ERR_INTERNAL ? LW_ERR_INVALID : err->code;
    bool is_named = lw_str_starts_with(lw_str_of(err->message), lw_str_of(target));
    (void)lw_error_set(err, st, "%s%s%s", is_named ? "" : target, is_named ? "" : ": ",
                       err->message);
}

static void on_close(lw_h2_call *h2, const lw_error *err, bool is_unseen, void *arg)
{
    (void)h2;
    lw_http_call *call = arg;
    lw_http_conn *conn = call->conn;
    call->h2 = NULL;
    call->conn = NULL;
    conn->h2_calls--;
    update_timer(conn);
    if (!err) {
        lw_http_call__close(call, NULL);
        return;
    }
    if (is_unseen && !call->is_retried && !call->is_streamed && err->code == LW_ERR_UNAVAILABLE) {
        call->is_retried = true;
        lw_http_pool__wait(call->pool, call, true);
        if (lw_http_call__set_timer(call) == LW_OK)
            return;
    }
    lw_error named = *err;
    explain(&named, call);
    lw_http_call__close(call, &named);
}

/* Sends what there is of the body. */
static lw_status send_body(lw_http_call *call)
{
    const lw_bytes none = lw_bytes_static(lw_str_make(NULL, 0));
    lw_status st = LW_OK;
    if (call->body)
        return lw_h2_call_send(call->h2, lw_http_request__body(call), true);
    while (st == LW_OK && call->early.bytes > 0) {
        st = lw_h2_pieces_prepare(&call->early, call->early.bytes);
        if (st == LW_OK)
            st = lw_h2_call_send(call->h2, lw_h2_pieces_take(&call->early, call->early.bytes),
                                 false);
    }
    return st == LW_OK && call->is_ended ? lw_h2_call_send(call->h2, none, true) : st;
}

/* Writes |len| to the end of |digits|: printf would cost as much as the rest of the headers. */
static lw_str format_length(char digits[LENGTH_SIZE], size_t len)
{
    size_t at = LENGTH_SIZE;
    do {
        digits[--at] = (char)('0' + len % 10);
        len /= 10;
    } while (len > 0);
    return lw_str_make(digits + at, LENGTH_SIZE - at);
}

void lw_http_conn__start_h2(lw_http_conn *conn, lw_http_call *call)
{
    const lw_h2_call_sink sink = { on_head, on_data, NULL, on_drained, on_close, call };
    lw_http_header headers[LW_HTTP_HEADERS_MAX + 1];
    char length[LENGTH_SIZE];
    size_t count = call->header_count;
    if (count > 0)
        memcpy(headers, call->headers, count * sizeof(headers[0]));
    if (call->body)
        headers[count++] = (lw_http_header){ LW_STR("content-length"),
                                             format_length(length, call->body->bytes.len) };
    lw_status st =
        lw_h2_call_open(&call->h2, conn->h2, call->method, call->path, headers, count, &sink);
    if (st < 0) {
        call->h2 = NULL;
        lw_http_call__fail_soon(call, st, "cannot send the request");
        return;
    }
    call->conn = conn;
    conn->h2_calls++;
    update_timer(conn);
    lw_h2_call_set_paused(call->h2, call->is_paused);
    st = send_body(call);
    if (st == LW_OK)
        st = lw_http_call__set_timer(call);
    if (st < 0)
        lw_http_call__fail_soon(call, st, "cannot send the request");
}
