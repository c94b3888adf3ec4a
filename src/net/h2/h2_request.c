/* SPDX-License-Identifier: Apache-2.0 */
/* h2_request.c -- handles what the client sends: headers, bodies, ends and resets of requests.
 *
 * A stream is created when the headers are complete, and passed to the server's handler inside
 * nghttp2's callbacks.  A handler may reply there; nothing is sent before the end of the feed. */
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "net/h2/h2.h"

/* Creates the stream of the header block that was read, in one allocation.  NULL: out of memory. */
static lw_h2_stream *stream_new(lw_h2 *h2, int32_t id, bool *is_answerable)
{
    size_t size = sizeof(lw_h2_stream) + lw_h2_head_size(&h2->head);
    lw_h2_stream *stream = h2->head.text.st < 0 ? NULL : lw_alloc_zero(1, size);
    if (!stream)
        return NULL;
    if (nghttp2_session_set_stream_user_data(h2->session, id, stream) != 0) {
        lw_free(stream);
        return NULL;
    }
    stream->base.ops = &lw_h2__stream_ops;
    lw_ref_init(&stream->base.refs);
    stream->base.loop = lw_conn_loop(h2->base.conn);
    stream->base.request.peer = lw_conn_peer(h2->base.conn);
    stream->h2 = h2;
    stream->id = id;
    lw_buf_init(&stream->body, LW_HTTP_BODY_MAX);
    lw_h2_pieces_init(&stream->queue);
    *is_answerable = lw_h2_head_place(&h2->head, stream + 1, &stream->base.request);
    lw_dlist_push_back(&h2->streams, &stream->link);
    lw_dlist_push_back(&h2->reading, &stream->reading);
    h2->stream_count++;
    lw_conn_count_stream(h2->base.conn, 1);
    return stream;
}

static void stop_reading(lw_h2_stream *stream)
{
    if (lw_dlist_node_is_linked(&stream->reading))
        lw_dlist_remove(&stream->reading);
}

void lw_h2__give_up(lw_h2_stream *stream)
{
    stream->is_given_up = true;
    stop_reading(stream);
    if (stream->is_sent)
        lw_h2__reset(stream, NGHTTP2_NO_ERROR);
}

void lw_h2__stream_close(lw_h2_stream *stream)
{
    lw_h2 *h2 = stream->h2;
    stop_reading(stream);
    lw_dlist_remove(&stream->link);
    if (lw_dlist_node_is_linked(&stream->drained))
        lw_dlist_remove(&stream->drained);
    if (lw_dlist_node_is_linked(&stream->ready))
        lw_dlist_remove(&stream->ready);
    h2->stream_count--;
    h2->body_bytes -= stream->body.len;
    lw_conn_count_stream(h2->base.conn, -1);
    lw_h2__drop_queue(stream);
    lw_http_stream_closed(&stream->base);
    stream->h2 = NULL;
    lw_http_stream_unref(&stream->base);
}

/* Converts |result| to the result of an nghttp2 callback. */
static int callback_result(int result)
{
    return result == 0 ? 0 : NGHTTP2_ERR_CALLBACK_FAILURE;
}

/* The body is larger than the handler accepts. */
static void too_large(lw_h2_stream *stream)
{
    const lw_http_handler *handler = lw_conn_handler(stream->h2->base.conn);
    stream->is_body_dropped = true;
    if (handler->on_too_large)
        handler->on_too_large(&stream->base, handler->arg);
    else
        lw_h2__refuse(stream, 413);
}

/* Sends 100 Continue if the client waits for it (RFC 9110, 10.1.1). */
static void send_continue(lw_h2_stream *stream)
{
    uint8_t name[] = ":status";
    uint8_t value[] = "100";
    const nghttp2_nv field = { name, value, sizeof(name) - 1, sizeof(value) - 1,
                               NGHTTP2_NV_FLAG_NONE };
    lw_h2__check(stream->h2, nghttp2_submit_headers(stream->h2->session, NGHTTP2_FLAG_NONE,
                                                    stream->id, NULL, &field, 1, NULL));
}

/* Asks the handler for the accepted body size, and lets the client send the body. */
static void head_is_in(lw_h2_stream *stream, bool has_body)
{
    const lw_http_handler *handler = lw_conn_handler(stream->h2->base.conn);
    lw_conn_count_request(stream->h2->base.conn);
    if (handler->on_head) {
        size_t limit = handler->on_head(&stream->base, handler->arg);
        stream->body.limit = limit < LW_HTTP_BODY_MAX ? limit : LW_HTTP_BODY_MAX;
        if (stream->base.is_authenticated)
            lw_conn_set_authenticated(stream->h2->base.conn);
    }
    lw_str text;
    uint64_t len = 0;
    if (!has_body || stream->is_replied || stream->is_aborted)
        return;
    if (lw_http_request_header(&stream->base.request, "content-length", &text) &&
        lw_str_to_uint64(text, &len) && len > stream->body.limit)
        too_large(stream);
    else if (lw_http_request_header(&stream->base.request, "expect", &text) &&
             lw_http_name_is(text, LW_STR("100-continue")))
        send_continue(stream);
}

static void dispatch(lw_h2_stream *stream)
{
    const lw_http_handler *handler = lw_conn_handler(stream->h2->base.conn);
    if (stream->is_replied || stream->is_aborted || stream->is_body_dropped)
        return;
    lw_conn_use_turn(stream->h2->base.conn);
    stream->base.request.body = lw_buf_view(&stream->body);
    handler->on_request(&stream->base, handler->arg);
}

/* The request is complete.  A client with many requests must not delay other clients: it is served
 * now if it is the connection's turn, otherwise in a later batch. */
static void request_is_in(lw_h2_stream *stream)
{
    lw_h2 *h2 = stream->h2;
    stop_reading(stream);
    if (lw_dlist_is_empty(&h2->ready) && lw_conn_has_turn(h2->base.conn))
        dispatch(stream);
    else if (!lw_dlist_node_is_linked(&stream->ready))
        lw_dlist_push_back(&h2->ready, &stream->ready);
}

void lw_h2__dispatch_ready(lw_h2 *h2)
{
    while (!lw_dlist_is_empty(&h2->ready) && lw_conn_has_turn(h2->base.conn))
        dispatch(LW_DLIST_ITEM(lw_dlist_pop_front(&h2->ready), lw_h2_stream, ready));
}

/* A handler may close its stream, so it is looked up again after each call. */
static lw_h2_stream *find(lw_h2 *h2, int32_t id)
{
    return nghttp2_session_get_stream_user_data(h2->session, id);
}

static int64_t now_of(const lw_h2 *h2)
{
    return lw_loop_now(lw_conn_loop(h2->base.conn));
}

/* The failure of this callback makes h2_feed end the connection. */
static int on_begin_frame(nghttp2_session *session, const nghttp2_frame_hd *frame, void *arg)
{
    (void)session;
    lw_h2 *h2 = arg;
    return lw_h2_abuse_count_frame(&h2->abuse, frame, now_of(h2)) ? 0
                                                                  : NGHTTP2_ERR_CALLBACK_FAILURE;
}

/* Frames of unknown types are ignored (RFC 9113, 5.5). */
static int skip_unknown(nghttp2_session *session, void **payload, const nghttp2_frame_hd *frame,
                        void *arg)
{
    (void)session;
    (void)payload;
    (void)frame;
    (void)arg;
    return NGHTTP2_ERR_CANCEL;
}

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
    (void)session;
    lw_h2 *h2 = arg;
    lw_h2_abuse_begin_block(&h2->abuse);
    if (frame->headers.cat != NGHTTP2_HCAT_REQUEST)
        return 0;
    lw_h2_head_reset(&h2->head);
    h2->head_id = frame->hd.stream_id;
    return 0;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_len, const uint8_t *value, size_t value_len, uint8_t flags,
                     void *arg)
{
    (void)session;
    (void)flags;
    lw_h2 *h2 = arg;
    if (!lw_h2_abuse_count_field(&h2->abuse, name_len + value_len, now_of(h2)))
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    /* Trailers are ignored. */
    if (frame->headers.cat == NGHTTP2_HCAT_REQUEST)
        lw_h2_head_add(&h2->head, lw_str_make((const char *)name, name_len),
                       lw_str_make((const char *)value, value_len));
    return 0;
}

/* The headers are complete: creates a stream. */
static int take_head(lw_h2 *h2, int32_t id, bool has_body)
{
    bool is_answerable = false;
    lw_h2_stream *stream = stream_new(h2, id, &is_answerable);
    h2->head_id = 0;
    if (!stream)
        return callback_result(
            nghttp2_submit_rst_stream(h2->session, NGHTTP2_FLAG_NONE, id, NGHTTP2_REFUSED_STREAM));
    if (h2->head.is_too_large || !is_answerable)
        lw_h2__refuse(stream, h2->head.is_too_large ? 431 : 400);
    else
        head_is_in(stream, has_body);
    return 0;
}

/* The rest of the body is not needed, but it is still read for a while: a client that is stopped in
 * the middle of its body may not read the reply. */
static void drop(lw_h2_stream *stream, size_t len)
{
    stream->dropped += len;
    if (stream->dropped > LW_H2_DROPPED_MAX)
        lw_h2__give_up(stream);
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *data,
                   size_t len, void *arg)
{
    (void)session;
    (void)flags;
    lw_h2 *h2 = arg;
    lw_h2_stream *stream = find(h2, id);
    if (!stream || stream->is_aborted)
        return 0;
    if (stream->is_replied || stream->is_body_dropped) {
        drop(stream, len);
        return 0;
    }
    if (len > stream->body.limit - stream->body.len) {
        too_large(stream);
        drop(stream, len);
        return 0;
    }
    lw_buf_append(&stream->body, data, len);
    h2->body_bytes += stream->body.st == LW_OK ? len : 0;
    /* The handler has not seen the request, so the client may send it again. */
    if (stream->body.st < 0 || h2->body_bytes > LW_H2_BODIES_MAX)
        lw_h2__reset(stream, NGHTTP2_REFUSED_STREAM);
    return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
    (void)session;
    lw_h2 *h2 = arg;
    int32_t id = frame->hd.stream_id;
    bool is_end = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    if (frame->hd.type == NGHTTP2_PING && (frame->hd.flags & NGHTTP2_FLAG_ACK)) {
        lw_h2__submit_goaway(h2); /* only sent by a connection that is draining */
        return 0;
    }
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA)
        return 0;
    if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
        int result = take_head(h2, id, !is_end);
        if (result != 0)
            return result;
    }
    lw_h2_stream *stream = find(h2, id);
    if (stream && is_end)
        request_is_in(stream);
    return 0;
}

static int on_invalid_frame(nghttp2_session *session, const nghttp2_frame *frame, int code,
                            void *arg)
{
    (void)session;
    (void)code;
    lw_h2 *h2 = arg;
    if (h2->head_id == frame->hd.stream_id)
        h2->head_id = 0;
    return 0;
}

static int on_stream_close(nghttp2_session *session, int32_t id, uint32_t code, void *arg)
{
    (void)code;
    lw_h2 *h2 = arg;
    lw_h2_stream *stream = find(h2, id);
    bool is_reset = !stream || (!stream->is_sent && !stream->is_aborted);
    if (h2->head_id == id)
        h2->head_id = 0;
    if (stream)
        lw_h2__stream_close(stream);
    if (h2->is_draining && h2->stream_count == 0)
        lw_h2__submit_goaway(h2);
    /* Opening and resetting streams is cheap for a client and expensive for a server
     * (CVE-2023-44487). */
    if (is_reset && !lw_h2_abuse_count_reset(&h2->abuse, now_of(h2)))
        return callback_result(
            nghttp2_session_terminate_session(session, NGHTTP2_ENHANCE_YOUR_CALM));
    return 0;
}

void lw_h2__set_request_callbacks(nghttp2_session_callbacks *callbacks)
{
    nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks, on_begin_frame);
    nghttp2_session_callbacks_set_unpack_extension_callback(callbacks, skip_unknown);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks, on_invalid_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
}
