/* SPDX-License-Identifier: Apache-2.0 */
/* h2_send.c -- moves data from the streams' queues to the connection, without copying bodies. */
#include "net/h2/h2.h"

enum {
    FRAME_HEADER_SIZE = 9,
};

void lw_h2__drop_queue(lw_h2_stream *stream)
{
    lw_h2_pieces_drop(&stream->queue);
    stream->is_high = false;
    lw_h2__room_forget(stream);
    lw_h2__stall_forget(stream);
}

ssize_t lw_h2__read_data(nghttp2_session *session, int32_t id, uint8_t *buf, size_t length,
                         uint32_t *flags, nghttp2_data_source *source, void *arg)
{
    (void)buf;
    (void)source;
    (void)arg;
    lw_h2_stream *stream = nghttp2_session_get_stream_user_data(session, id);
    if (!stream)
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    size_t len = stream->queue.bytes < length ? stream->queue.bytes : length;
    if (len == stream->queue.bytes && stream->is_ended) {
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    } else if (len == 0) {
        stream->is_deferred = true;
        return NGHTTP2_ERR_DEFERRED;
    }
    if (lw_h2_pieces_prepare(&stream->queue, len) < 0)
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    if (len > 0)
        *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    return (ssize_t)len;
}

/* The queue has become shorter: a waiting producer is notified after the flush. */
static void note_drained(lw_h2_stream *stream)
{
    if (!stream->is_high || stream->queue.bytes > LW_HTTP_QUEUE_LOW)
        return;
    stream->is_high = false;
    if (!lw_dlist_node_is_linked(&stream->drained))
        lw_dlist_push_back(&stream->h2->drained, &stream->drained);
}

static int send_data(nghttp2_session *session, nghttp2_frame *frame, const uint8_t *header,
                     size_t length, nghttp2_data_source *source, void *arg)
{
    (void)source;
    lw_h2 *h2 = arg;
    lw_h2_stream *stream = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (!stream || stream->queue.bytes < length)
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    lw_status st = lw_conn_send_copy(h2->base.conn, header, FRAME_HEADER_SIZE);
    while (length > 0) {
        lw_bytes part = lw_h2_pieces_take(&stream->queue, length);
        length -= part.len;
        if (st == LW_OK)
            st = lw_conn_send(h2->base.conn, part);
        else
            lw_bytes_release(part);
    }
    lw_h2__stall_moved(stream);
    note_drained(stream);
    if (st < 0) {
        h2->st = st;
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    }
    return lw_conn_pending(h2->base.conn) > LW_HTTP_QUEUE_HIGH ? NGHTTP2_ERR_PAUSE : 0;
}

/* The reply is complete; the stream stays open while the request is incomplete. */
static void reply_is_sent(lw_h2_stream *stream)
{
    stream->is_sent = true;
    if (stream->is_given_up)
        lw_h2__reset(stream, NGHTTP2_NO_ERROR);
    lw_http_stream_closed(&stream->base);
}

/* True if the frame reports a protocol violation of the client. */
static bool is_complaint(const nghttp2_frame *frame)
{
    if (frame->hd.type == NGHTTP2_GOAWAY)
        return frame->goaway.error_code != NGHTTP2_NO_ERROR;
    return frame->hd.type == NGHTTP2_RST_STREAM &&
           frame->rst_stream.error_code == NGHTTP2_PROTOCOL_ERROR;
}

static int on_frame_send(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
    lw_h2 *h2 = arg;
    bool can_end = frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS;
    if (is_complaint(frame))
        lw_conn_count_protocol_error(h2->base.conn);
    if (can_end)
        lw_h2_abuse_reply_frame(&h2->abuse);
    if (!can_end || !(frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
        return 0;
    lw_h2_stream *stream = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (stream)
        reply_is_sent(stream);
    return 0;
}

void lw_h2__set_send_callbacks(nghttp2_session_callbacks *callbacks)
{
    nghttp2_session_callbacks_set_send_data_callback(callbacks, send_data);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_frame_send);
}

void lw_h2__check(lw_h2 *h2, int result)
{
    if (result == 0 || h2->st < 0)
        return;
    h2->st = result == NGHTTP2_ERR_NOMEM ? LW_ERR_NOMEM : LW_ERR_INTERNAL;
    lw_h2__want_flush(h2);
}

static void send_frames(lw_h2 *h2)
{
    while (h2->st == LW_OK && lw_conn_pending(h2->base.conn) <= LW_HTTP_QUEUE_HIGH) {
        const uint8_t *bytes = NULL;
        ssize_t len = nghttp2_session_mem_send(h2->session, &bytes);
        if (len < 0)
            lw_h2__check(h2, (int)len);
        if (len <= 0)
            return;
        h2->st = lw_conn_send_copy(h2->base.conn, bytes, (size_t)len);
    }
}

/* Notifies waiting producers, which may write at once.  False: there was none. */
static bool tell_drained(lw_h2 *h2)
{
    bool was_told = false;
    for (lw_dlist_node *node; (node = lw_dlist_pop_front(&h2->drained));) {
        lw_http_stream *stream = &LW_DLIST_ITEM(node, lw_h2_stream, drained)->base;
        if (!stream->on_drained || stream->is_closed)
            continue;
        was_told = true;
        (void)lw_http_stream_ref(stream);
        stream->on_drained(stream, stream->arg);
        lw_http_stream_unref(stream);
    }
    return was_told;
}

void lw_h2__flush(lw_h2 *h2)
{
    if (h2->is_flushing || h2->is_gone)
        return;
    h2->is_flushing = true;
    do {
        send_frames(h2);
        lw_h2__room_wake(h2);
    } while (tell_drained(h2) && h2->st == LW_OK);
    h2->is_flushing = false;
    /* LW_ERR_STOPPED: after lw_conn_finish, the connection first sends its queue. */
    if (h2->st < 0 && h2->st != LW_ERR_STOPPED)
        lw_conn_abort(h2->base.conn);
    else if (!nghttp2_session_want_read(h2->session) && !nghttp2_session_want_write(h2->session))
        lw_conn_finish(h2->base.conn);
    lw_h2__update_phase(h2);
}

void lw_h2__want_flush(lw_h2 *h2)
{
    if (h2->is_feeding || h2->is_flushing || lw_dlist_node_is_linked(&h2->flush_task.link))
        return;
    lw_loop_defer(lw_conn_loop(h2->base.conn), &h2->flush_task);
}
