/* SPDX-License-Identifier: Apache-2.0 */
/* h1.c -- HTTP/1.1 on a connection: one request after the other (RFC 9112).
 *
 * Requests are handled one at a time: the next one is parsed after the reply to the previous one
 * has been queued completely, so pipelined replies keep their order and a read cannot overtake a
 * write. Input that arrives before that is buffered; if there is too much, the connection is not
 * read. */
#include "base/alloc.h"
#include "base/str.h"
#include "net/conn_pool.h"
#include "net/h1/h1_internal.h"

static lw_h1 *h1_of(lw_protocol *protocol)
{
    return (lw_h1 *)(void *)protocol;
}

/* True if the next request has to wait. */
static bool is_busy(lw_h1 *h1)
{
    if (h1->current && h1->current->stage != LW_H1_READING)
        return true;
    return h1->ended_count >= LW_HTTP_PIPELINE_MAX ||
           lw_conn_pending(h1->base.conn) > LW_HTTP_QUEUE_HIGH ||
           (!h1->current && !lw_conn_has_turn(h1->base.conn));
}

/* True if the connection carries another protocol than HTTP. */
static bool is_upgraded(const lw_h1 *h1)
{
    return h1->current &&
           (h1->current->stage == LW_H1_UPGRADED || h1->current->stage == LW_H1_TUNNEL);
}

static lw_status feed_upgraded(lw_h1 *h1, lw_str bytes)
{
    if (h1->current->stage == LW_H1_UPGRADED)
        return lw_h1__feed_frames(h1, bytes.ptr, bytes.len);
    if (bytes.len > 0)
        lw_h1__feed_tunnel(h1, bytes);
    return LW_OK;
}

static lw_status hold(lw_h1 *h1, lw_str bytes)
{
    lw_buf_append_str(&h1->held, bytes);
    if (h1->held.st < 0)
        lw_conn_abort(h1->base.conn);
    else if (h1->held.len >= LW_HTTP_AHEAD_MAX)
        lw_conn_set_reading(h1->base.conn, false);
    return LW_OK;
}

void lw_h1__finish(lw_h1 *h1)
{
    h1->is_over = true;
    lw_conn_finish(h1->base.conn);
}

/* Lets the handler reply that the body is too large, or replies itself. */
static void refuse_body(lw_h1 *h1)
{
    lw_h1_stream *stream = h1->current;
    const lw_http_handler *handler = lw_conn_handler(h1->base.conn);
    if (handler->on_too_large)
        handler->on_too_large(&stream->base, handler->arg);
    if (h1->current == stream && stream->stage == LW_H1_READING)
        lw_h1__refuse(h1, 413, "the body is too large");
    h1->is_over = true;
}

/* Refuses an invalid upgrade after the headers were parsed. */
static bool refuse_upgrade(lw_h1 *h1)
{
    int status = 400;
    lw_http_request *request = &h1->current->base.request;
    request->is_websocket = lw_ws_check_upgrade(request, &status);
    if (!request->is_websocket)
        lw_h1__refuse(h1, status, "malformed WebSocket handshake");
    return !request->is_websocket;
}

static void take_head(lw_h1 *h1, const lw_h1_head *head)
{
    const lw_http_handler *handler = lw_conn_handler(h1->base.conn);
    h1->is_in_head = false;
    lw_conn_count_request(h1->base.conn);
    if (lw_h1__stream_new(h1, head) < 0) {
        lw_conn_abort(h1->base.conn);
        h1->is_over = true;
        return;
    }
    lw_h1_stream *stream = h1->current;
    if (head->asks_for_websocket && refuse_upgrade(h1))
        return;
    if (stream->has_body)
        lw_conn_set_phase(h1->base.conn, LW_CONN_BODY);
    if (handler->on_head) {
        size_t most = handler->on_head(&stream->base, handler->arg);
        stream->body.limit = most < LW_HTTP_BODY_MAX ? most : LW_HTTP_BODY_MAX;
        if (stream->base.is_authenticated)
            lw_conn_set_authenticated(h1->base.conn);
    }
    if (h1->current != stream || stream->stage != LW_H1_READING) {
        /* The reply was sent after the headers: the body is not read, so nothing after it can
         * be. */
        h1->is_over = h1->is_over || head->is_chunked || head->content_length > 0;
        return;
    }
    if (head->content_length > stream->body.limit)
        refuse_body(h1);
    else if (head->expects_continue)
        (void)lw_conn_send(h1->base.conn, lw_bytes_static(LW_STR("HTTP/1.1 100 Continue\r\n\r\n")));
}

static void take_body(lw_h1 *h1, lw_str piece)
{
    lw_h1_stream *stream = h1->current;
    if (piece.len > stream->body.limit - stream->body.len) {
        refuse_body(h1);
        return;
    }
    lw_buf_append_str(&stream->body, piece);
    if (stream->body.st < 0) {
        lw_conn_abort(h1->base.conn);
        h1->is_over = true;
    }
}

static void take_end(lw_h1 *h1)
{
    lw_h1_stream *stream = h1->current;
    const lw_http_handler *handler = lw_conn_handler(h1->base.conn);
    if (!stream) /* the reply was sent after the headers, and there was no body */
        return;
    stream->is_whole = true;
    lw_conn_set_phase(h1->base.conn, LW_CONN_REPLY);
    if (stream->stage != LW_H1_READING)
        return;
    stream->stage = LW_H1_ANSWERING;
    stream->base.request.body = lw_buf_view(&stream->body);
    lw_conn_use_turn(h1->base.conn);
    handler->on_request(&stream->base, handler->arg);
    /* No other reference exists, so no reply will ever be sent. */
    if (h1->current == stream && stream->stage == LW_H1_ANSWERING &&
        lw_ref_count(&stream->base.refs) == 1)
        lw_h1__refuse(h1, 500, "the request was not handled");
}

static void take_event(lw_h1 *h1, lw_h1_event event, const lw_h1_head *head, lw_str body)
{
    switch (event) {
    case LW_H1_MORE: break;
    case LW_H1_HEAD: take_head(h1, head); break;
    case LW_H1_BODY: take_body(h1, body); break;
    case LW_H1_END: take_end(h1); break;
    case LW_H1_REFUSED:
        lw_conn_count_protocol_error(h1->base.conn);
        lw_h1__refuse(h1, h1->parser.refusal_status, h1->parser.refusal);
        break;
    case LW_H1_NO_MEMORY:
        lw_conn_abort(h1->base.conn);
        h1->is_over = true;
        break;
    }
}

/* Closes the connection if the client has shut down its side and no reply is due. */
static void finish_if_done(lw_h1 *h1)
{
    bool is_last =
        h1->has_ended ? h1->held.len == 0 : h1->is_draining && lw_h1_parser_is_idle(&h1->parser);
    if (is_last && !h1->is_over && !h1->current)
        lw_h1__finish(h1);
}

static lw_status consume(lw_h1 *h1, lw_str input)
{
    lw_h1_head head;
    lw_h1_event event = LW_H1_END;
    while (event != LW_H1_MORE && !h1->is_over && !is_busy(h1)) {
        lw_str body = { NULL, 0 };
        event = lw_h1_parser_next(&h1->parser, &input, &head, &body);
        take_event(h1, event, &head, body);
    }
    bool is_in_head = !h1->current && !lw_h1_parser_is_idle(&h1->parser);
    if (is_in_head && !h1->is_in_head && !h1->is_over)
        lw_conn_set_phase(h1->base.conn, LW_CONN_HEAD);
    h1->is_in_head = is_in_head;
    if (h1->is_over)
        return LW_OK;
    if (is_upgraded(h1))
        return feed_upgraded(h1, input);
    return input.len > 0 ? hold(h1, input) : LW_OK;
}

static lw_status h1_feed(lw_protocol *protocol, const char *bytes, size_t len)
{
    lw_h1 *h1 = h1_of(protocol);
    if (h1->is_over)
        return LW_OK;
    if (is_upgraded(h1) && h1->held.len == 0)
        return feed_upgraded(h1, lw_str_make(bytes, len));
    if (h1->held.len > 0 || is_busy(h1))
        return hold(h1, lw_str_make(bytes, len));
    lw_status st = consume(h1, lw_str_make(bytes, len));
    finish_if_done(h1);
    return st;
}

/* Continues with the buffered input. */
static void consume_held(lw_h1 *h1)
{
    if (h1->held.len == 0 || h1->is_over || (is_busy(h1) && !is_upgraded(h1)))
        return;
    lw_buf held = h1->held;
    lw_buf_init(&h1->held, held.limit);
    lw_conn_set_reading(h1->base.conn, true);
    (void)consume(h1, lw_buf_view(&held));
    lw_buf_done(&held);
}

static void close_ended(lw_h1 *h1)
{
    lw_dlist_node *node;
    while ((node = lw_dlist_pop_front(&h1->ended)) != NULL)
        lw_h1__stream_close(LW_DLIST_ITEM(node, lw_h1_stream, link));
    h1->ended_count = 0;
}

static void h1_writable(lw_protocol *protocol)
{
    lw_h1 *h1 = h1_of(protocol);
    size_t pending = lw_conn_pending(h1->base.conn);
    if (pending == 0)
        close_ended(h1);
    lw_h1_stream *stream = h1->current;
    if (stream && stream->is_choked && pending <= LW_HTTP_QUEUE_LOW) {
        stream->is_choked = false;
        if (h1->ws)
            lw_conn_set_reading(h1->base.conn, true);
        if (stream->base.on_drained)
            stream->base.on_drained(&stream->base, stream->base.arg);
    }
    consume_held(h1);
    finish_if_done(h1);
    if (!h1->is_over && !h1->current && h1->ended_count == 0 && !h1->is_in_head)
        lw_conn_set_phase(h1->base.conn, LW_CONN_IDLE);
}

static void h1_next_turn(lw_protocol *protocol)
{
    lw_h1 *h1 = h1_of(protocol);
    consume_held(h1);
    finish_if_done(h1);
}

static void h1_drain(lw_protocol *protocol)
{
    lw_h1 *h1 = h1_of(protocol);
    h1->is_draining = true;
    finish_if_done(h1);
}

static bool h1_is_idle(const lw_protocol *protocol)
{
    const lw_h1 *h1 = (const lw_h1 *)(const void *)protocol;
    return !h1->current && h1->ended_count == 0 && h1->held.len == 0 &&
           lw_h1_parser_is_idle(&h1->parser);
}

/* A client may shut down its side and still wait for replies.  For a streaming reply the end of the
 * client could not be noticed later, so streams end here. */
static bool h1_ended(lw_protocol *protocol)
{
    lw_h1 *h1 = h1_of(protocol);
    h1->has_ended = true;
    bool owes = h1->ended_count > 0 || (!h1->current && h1->held.len > 0) ||
                (h1->current && h1->current->stage == LW_H1_ANSWERING);
    if (owes)
        finish_if_done(h1);
    return owes;
}

static void h1_timed_out(lw_protocol *protocol, lw_conn_phase phase)
{
    lw_h1__refuse(h1_of(protocol), 408,
                  phase == LW_CONN_BODY ? "timed out reading the request body"
                                        : "timed out reading the request headers");
}

static void h1_free(lw_protocol *protocol)
{
    lw_h1 *h1 = h1_of(protocol);
    h1->is_over = true;
    if (h1->current)
        lw_h1__stream_close(h1->current);
    h1->current = NULL;
    close_ended(h1);
    lw_h1_parser_done(&h1->parser);
    lw_buf_done(&h1->held);
    lw_ws_free(h1->ws);
    lw_free(h1);
}

lw_status lw_h1_new(lw_protocol **out, lw_conn *conn)
{
    static const lw_protocol_ops ops = {
        .feed = h1_feed,
        .writable = h1_writable,
        .drain = h1_drain,
        .is_idle = h1_is_idle,
        .free = h1_free,
        .ended = h1_ended,
        .timed_out = h1_timed_out,
        .next_turn = h1_next_turn,
    };
    lw_h1 *h1 = lw_alloc_zero(1, sizeof(*h1));
    if (!h1)
        return LW_ERR_NOMEM;
    h1->base.ops = &ops;
    h1->base.conn = conn;
    lw_h1_parser_init(&h1->parser);
    lw_dlist_init(&h1->ended);
    lw_buf_init(&h1->held, LW_HTTP_AHEAD_MAX + LW_CONN_POOL_READ_SIZE);
    *out = &h1->base;
    return LW_OK;
}
