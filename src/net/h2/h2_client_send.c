/* SPDX-License-Identifier: Apache-2.0 */
/* h2_client_send.c -- moves data from calls to the queue of the connection, without copying bodies.
 *
 * Calls beyond the server's concurrency limit wait here, not in nghttp2, so that it is known which
 * of them the server has never seen. */
#include "base/error.h"
#include "net/h2/h2_client_internal.h"

enum {
    FRAME_HEADER_SIZE = 9,
};

static ssize_t read_data(nghttp2_session *session, int32_t id, uint8_t *buf, size_t length,
                         uint32_t *flags, nghttp2_data_source *source, void *arg)
{
    (void)session;
    (void)buf;
    (void)source;
    lw_h2_call *call = lw_h2_client__find(arg, id);
    if (!call)
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    size_t len = call->queue.bytes < length ? call->queue.bytes : length;
    if (len == call->queue.bytes && call->is_ended) {
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    } else if (len == 0) {
        call->is_deferred = true;
        return NGHTTP2_ERR_DEFERRED;
    }
    call->st = lw_h2_pieces_prepare(&call->queue, len);
    if (call->st < 0)
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    if (len > 0)
        *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    return (ssize_t)len;
}

static int send_data(nghttp2_session *session, nghttp2_frame *frame, const uint8_t *header,
                     size_t length, nghttp2_data_source *source, void *arg)
{
    (void)session;
    (void)source;
    lw_h2_client *client = arg;
    lw_h2_call *call = lw_h2_client__find(client, frame->hd.stream_id);
    if (!call || call->queue.bytes < length)
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    lw_status st = lw_conn_queue_push_copy(&client->queue, header, FRAME_HEADER_SIZE);
    client->queued -= length;
    while (length > 0) {
        lw_bytes part = lw_h2_pieces_take(&call->queue, length);
        length -= part.len;
        if (st == LW_OK)
            st = lw_conn_queue_push(&client->queue, part);
        else
            lw_bytes_release(part);
    }
    if (st < 0) {
        lw_h2_client__fail(client, st, "%s", lw_status_name(st));
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    }
    if (call->queue.bytes == 0 && call->sink.on_drained && !lw_dlist_node_is_linked(&call->drained))
        lw_dlist_push_back(&client->drained, &call->drained);
    return client->queue.pending > LW_HTTP_QUEUE_HIGH ? NGHTTP2_ERR_PAUSE : 0;
}

static int on_frame_send(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
    (void)session;
    lw_h2_client *client = arg;
    bool has_stream = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    /* We never send GOAWAY ourselves: nghttp2 does after a protocol violation of the server. */
    if (frame->hd.type == NGHTTP2_GOAWAY)
        lw_h2_client__fail(client, LW_ERR_INTERNAL, "the server violated the HTTP/2 protocol (%s)",
                           nghttp2_http2_strerror(frame->goaway.error_code));
    lw_h2_call *call = has_stream ? lw_h2_client__find(client, frame->hd.stream_id) : NULL;
    if (call) {
        call->is_sent = true;
        call->is_end_sent = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    }
    return 0;
}

/* If the header compressor runs out of memory, its state is lost, and with it the connection. */
static int on_frame_not_send(nghttp2_session *session, const nghttp2_frame *frame, int reason,
                             void *arg)
{
    (void)session;
    lw_h2_client *client = arg;
    lw_h2_call *call = lw_h2_client__find(client, frame->hd.stream_id);
    if (!call || frame->hd.type != NGHTTP2_HEADERS)
        return 0;
    if (reason == NGHTTP2_ERR_FRAME_SIZE_ERROR)
        call->st = LW_ERR_INVALID;
    else if (reason == NGHTTP2_ERR_HEADER_COMP)
        lw_h2_client__fail(client, LW_ERR_NOMEM, "out of memory");
    return 0;
}

void lw_h2_client__set_send_callbacks(nghttp2_session_callbacks *callbacks)
{
    nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks, on_frame_not_send);
    nghttp2_session_callbacks_set_send_data_callback(callbacks, send_data);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_frame_send);
}

/* Submits |call| to nghttp2. */
static void submit(lw_h2_client *client, lw_h2_call *call)
{
    const nghttp2_data_provider provider = { .read_callback = read_data };
    bool has_body = !call->is_ended || call->queue.bytes > 0;
    int32_t id = nghttp2_submit_request(client->session, NULL, call->fields, call->field_count,
                                        has_body ? &provider : NULL, call);
    if (id > 0) {
        lw_dlist_remove(&call->link);
        lw_dlist_push_back(&client->under_way, &call->link);
        client->under_way_count++;
        call->id = id;
        return;
    }
    lw_error err = LW_ERROR_INIT;
    if (id == NGHTTP2_ERR_STREAM_ID_NOT_AVAILABLE) {
        (void)lw_error_set(&client->goaway, LW_ERR_UNAVAILABLE,
                           "the connection has no stream IDs left");
        client->is_closing = true; /* settle closes those that wait */
        return;
    }
    if (id == NGHTTP2_ERR_NOMEM)
        (void)lw_error_nomem(&err);
    else
        (void)lw_error_set(&err, LW_ERR_INVALID, "cannot send the request: %s",
                           nghttp2_strerror(id));
    lw_h2_call__close(call, &err, true);
}

void lw_h2_client__submit_waiting(lw_h2_client *client)
{
    while (client->stage == LW_H2_CLIENT_UP && !client->is_closing && !client->is_freed) {
        uint32_t max = nghttp2_session_get_remote_settings(client->session,
                                                           NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
        lw_dlist_node *first = lw_dlist_first(&client->waiting);
        if (!first || client->under_way_count >= max)
            return;
        submit(client, LW_DLIST_ITEM(first, lw_h2_call, link));
    }
}

void lw_h2_client__frame(lw_h2_client *client)
{
    while (!client->is_freed && client->queue.pending <= LW_HTTP_QUEUE_HIGH) {
        const uint8_t *bytes = NULL;
        ssize_t len = nghttp2_session_mem_send(client->session, &bytes);
        if (client->is_freed || len == 0)
            return;
        if (len < 0) {
            lw_h2_client__check(client, (int)len);
            return;
        }
        lw_status st = lw_conn_queue_push_copy(&client->queue, bytes, (size_t)len);
        if (st < 0) {
            lw_h2_client__fail(client, st, "%s", lw_status_name(st));
            return;
        }
    }
}
