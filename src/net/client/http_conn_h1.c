/* SPDX-License-Identifier: Apache-2.0 */
/* http_conn_h1.c -- a call on an HTTP/1.1 connection: sends the request, reads the reply. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/error.h"
#include "base/str.h"
#include "net/client/http_internal.h"
#include "net/h1/h1_head.h"
#include "net/wire.h"

enum {
    READ_ROUNDS = 16,        /* reads before other descriptors are served */
    FLUSH_MAX = 1024 * 1024, /* bytes sent before other descriptors are served */
    INFORMATIONAL_MAX = 100, /* 1xx replies before the final one */
    HEAD_USUAL = 512,        /* bytes of the head of most requests */
};

static void out_of_memory(lw_http_conn *conn)
{
    lw_http_conn__fail(conn, LW_ERR_NOMEM, "%s", lw_status_name(LW_ERR_NOMEM));
}

/* Queues one chunk; the last one is empty. */
static lw_status push_chunk(lw_http_conn *conn, lw_bytes bytes)
{
    char size[LW_H1_CHUNK_SIZE_MAX];
    if (bytes.len == 0) {
        lw_bytes_release(bytes);
        return LW_OK;
    }
    size_t len = lw_h1_write_chunk_size(size, bytes.len);
    lw_status st = lw_conn_queue_push_copy(&conn->queue, size, len);
    if (st < 0) {
        lw_bytes_release(bytes);
        return st;
    }
    st = lw_conn_queue_push(&conn->queue, bytes);
    return st == LW_OK ? lw_conn_queue_push(&conn->queue, lw_bytes_static(LW_STR("\r\n"))) : st;
}

lw_status lw_http_conn__send(lw_http_conn *conn, lw_bytes bytes, bool is_last)
{
    lw_status st;
    if (conn->is_write_lost) {
        lw_bytes_release(bytes);
        return LW_OK; /* the reply, or the end, tells why */
    }
    conn->is_draining = true;
    if (conn->is_upgraded) {
        st = lw_conn_queue_push(&conn->queue, bytes);
        conn->is_end_due = is_last;
    } else {
        st = push_chunk(conn, bytes);
        if (st == LW_OK && is_last)
            st = lw_conn_queue_push(&conn->queue, lw_bytes_static(LW_STR("0\r\n\r\n")));
    }
    /* Part of a chunk may be queued: nothing can follow it. */
    if (st < 0)
        lw_http_call__fail_soon(conn->call, st, "cannot queue the request");
    lw_http_conn__settle_soon(conn);
    return st;
}

/* Queues what the owner has sent while the call was waiting. */
static lw_status send_early(lw_http_conn *conn, lw_http_call *call)
{
    lw_status st = LW_OK;
    while (st == LW_OK && call->early.bytes > 0) {
        st = lw_h2_pieces_prepare(&call->early, call->early.bytes);
        if (st == LW_OK)
            st =
                lw_http_conn__send(conn, lw_h2_pieces_take(&call->early, call->early.bytes), false);
    }
    if (st == LW_OK && call->is_ended)
        st = lw_http_conn__send(conn, lw_bytes_static(lw_str_make(NULL, 0)), true);
    return st;
}

void lw_http_conn__start(lw_http_conn *conn, lw_http_call *call)
{
    lw_buf head;
    conn->call = call;
    call->conn = conn;
    call->status = 0;
    conn->informational_count = 0;
    conn->has_reply = conn->is_draining = false;
    conn->parser.answers_head = lw_str_equal(call->method, LW_STR("HEAD"));
    lw_buf_init(&head, 2 * LW_HTTP_CLIENT_HEAD_MAX);
    (void)lw_buf_reserve(&head, HEAD_USUAL);
    lw_http_request__write_head(call, &head);
    lw_status st = head.st;
    if (st == LW_OK)
        st = lw_conn_queue_push(&conn->queue, lw_buf_take_bytes(&head));
    if (st == LW_OK && call->body)
        st = lw_conn_queue_push(&conn->queue, lw_http_request__body(call));
    if (st == LW_OK && call->is_streamed)
        st = send_early(conn, call);
    if (st == LW_OK)
        st = lw_http_call__set_timer(call);
    lw_buf_done(&head);
    if (st < 0)
        lw_http_call__fail_soon(call, st, "cannot queue the request");
    lw_http_conn__settle_soon(conn);
}

/* The reply is complete; |rest| bytes came after it. */
static void finish(lw_http_conn *conn, size_t rest)
{
    lw_http_call *call = conn->call;
    bool is_sent = call->is_ended && conn->queue.pending == 0 && !conn->is_write_lost;
    /* What TLS has read ahead would be taken for the reply to the next request. */
    if (conn->tls && lw_tls_stream_has_more(conn->tls))
        conn->keeps_alive = false;
    call->conn = NULL;
    conn->call = NULL;
    if (conn->keeps_alive && is_sent && rest == 0) {
        conn->was_used = true;
        lw_http_conn__become_idle(conn);
    } else {
        lw_http_conn__close(conn);
    }
    lw_http_call__close(call, NULL);
}

static void take_head(lw_http_conn *conn, const lw_h1_head *head)
{
    lw_http_call *call = conn->call;
    bool is_informational = head->status < 200 && head->status != 101;
    if (is_informational && ++conn->informational_count <= INFORMATIONAL_MAX)
        return;
    if (is_informational || (head->status == 101 && !call->is_upgrade)) {
        lw_http_conn__fail(conn, LW_ERR_INVALID,
                           is_informational ? "too many informational replies"
                                            : "the server upgraded the connection without request");
        return;
    }
    call->status = head->status;
    conn->keeps_alive = head->keeps_alive;
    conn->is_upgraded = head->status == 101;
    if (call->is_upgrade && !conn->is_upgraded)
        call->is_ended = true; /* refused: an ordinary reply follows */
    if (!conn->parser.answers_head && !lw_http_call__has_room(call, head->content_length))
        return;
    if (call->sink.on_head)
        call->sink.on_head(call, head->status, head->headers, head->header_count, call->sink.arg);
}

static void take_event(lw_http_conn *conn, lw_h1_event event, const lw_h1_head *head, lw_str body,
                       size_t rest)
{
    switch (event) {
    case LW_H1_MORE: break;
    case LW_H1_HEAD: take_head(conn, head); break;
    case LW_H1_BODY: lw_http_call__take_data(conn->call, body); break;
    case LW_H1_END:
        if (conn->call->status != 0)
            finish(conn, rest);
        break;
    case LW_H1_REFUSED:
        lw_http_conn__fail(conn, LW_ERR_INVALID, "the reply is not valid HTTP: %s",
                           conn->parser.refusal);
        break;
    case LW_H1_NO_MEMORY: out_of_memory(conn); break;
    }
}

static void feed(lw_http_conn *conn, lw_str input)
{
    const lw_http_call *call = conn->call;
    lw_h1_head head;
    lw_h1_event event = LW_H1_END;
    conn->has_reply = true;
    while (event != LW_H1_MORE && !conn->is_upgraded) {
        lw_str body = { NULL, 0 };
        event = lw_h1_parser_next(&conn->parser, &input, &head, &body);
        take_event(conn, event, &head, body, input.len);
        if (conn->call != call)
            return;
    }
    if (input.len > 0)
        lw_http_call__take_data(conn->call, input);
}

static void take_end(lw_http_conn *conn)
{
    if (conn->is_upgraded) {
        conn->keeps_alive = false;
        finish(conn, 0);
    } else if (!conn->has_reply) {
        lw_http_conn__fail(conn, LW_ERR_UNAVAILABLE,
                           "the server closed the connection without a reply");
    } else if (lw_h1_parser_finish(&conn->parser) == LW_H1_END) {
        conn->keeps_alive = false;
        finish(conn, 0);
    } else {
        lw_http_conn__fail(conn, LW_ERR_UNAVAILABLE, "%s", conn->parser.refusal);
    }
}

/* Reading or writing has failed, in TLS or in the socket. */
static void broken(lw_http_conn *conn)
{
    lw_error err = LW_ERROR_INIT;
    int error = errno;
    if (conn->tls) {
        lw_status st = lw_tls_stream_error(conn->tls, &err);
        lw_http_conn__fail(conn, st, "%s", err.message);
    } else {
        lw_http_conn__fail(conn, LW_ERR_UNAVAILABLE, "the connection failed: %s", strerror(error));
    }
}

void lw_http_conn__read(lw_http_conn *conn)
{
    const lw_http_call *call = conn->call;
    for (int round = 0; conn->call == call; round++) {
        size_t got = 0;
        if (conn->tls && (round == 0 || round == READ_ROUNDS))
            lw_tls_stream_set_read_ahead(conn->tls, round == 0);
        bool has_more = conn->tls && lw_tls_stream_has_more(conn->tls);
        if ((round >= READ_ROUNDS && !has_more) || (round > 0 && call->is_paused))
            return;
        lw_tls_result result = lw_wire_read(conn->io.fd, conn->tls, conn->client->read,
                                            LW_HTTP_CLIENT_READ_SIZE, &got);
        if (result == LW_TLS_OK)
            feed(conn, lw_str_make(conn->client->read, got));
        else if (result == LW_TLS_CLOSED)
            take_end(conn);
        else if (result == LW_TLS_FAILED)
            broken(conn);
        /* A plain socket that returned less has no more. */
        if (result != LW_TLS_OK || (!conn->tls && got < LW_HTTP_CLIENT_READ_SIZE))
            return;
    }
}

/* The server does not accept the rest of the request, but may have replied. */
static void write_failed(lw_http_conn *conn)
{
    if (conn->tls || conn->call->is_paused) {
        broken(conn);
        return;
    }
    conn->is_write_lost = true;
    lw_conn_queue_done(&conn->queue);
    lw_conn_queue_init(&conn->queue);
}

static void drained(lw_http_conn *conn)
{
    lw_http_call *call = conn->call;
    if (conn->is_end_due) {
        conn->is_end_due = false;
        if (conn->tls)
            lw_tls_stream_shutdown(conn->tls);
        else
            (void)shutdown(conn->io.fd, SHUT_WR);
    }
    if (!conn->is_draining)
        return;
    conn->is_draining = false;
    if (call->sink.on_drained)
        call->sink.on_drained(call, call->sink.arg);
}

void lw_http_conn__flush(lw_http_conn *conn)
{
    size_t total = 0;
    while (conn->queue.pending > 0 && !conn->is_blocked) {
        size_t sent = 0;
        lw_tls_result result =
            lw_wire_write(conn->io.fd, conn->tls, &conn->queue, conn->client->gather,
                          LW_HTTP_CLIENT_GATHER_SIZE, &sent);
        if (result == LW_TLS_OK)
            lw_conn_queue_take(&conn->queue, sent);
        /* If TLS needs to read first, any event leads back here. */
        else if (result == LW_TLS_WANTS_WRITE)
            conn->is_blocked = true;
        else if (result != LW_TLS_WANTS_READ)
            write_failed(conn);
        if (result != LW_TLS_OK)
            break;
        total += sent;
        if (total > FLUSH_MAX)
            conn->is_blocked = true; /* the next batch continues with it */
    }
    if (conn->stage == LW_HTTP_CONN_BUSY && conn->queue.pending == 0)
        drained(conn);
}
