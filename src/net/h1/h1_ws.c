/* SPDX-License-Identifier: Apache-2.0 */
/* h1_ws.c -- an HTTP/1.1 connection that was upgraded to a WebSocket: each message of the reply is
 * one frame, text or (for protobuf) binary. */
#include "base/str.h"
#include "net/h1/h1_internal.h"

enum {
    HEAD_LIMIT = 64 * 1024,
    ANSWER_LIMIT = 1024 * 1024, /* maximum size of pongs for one read */
};

/* A bearer token may be sent as a subprotocol; it is a secret and must not be echoed. */
static const lw_str token_prefix = LW_STR_INIT("base64url.bearer.authorization.k8s.io.");

/* Returns the last subprotocol that the client offers; empty if there is none. */
static lw_str offered_protocol(const lw_http_request *request)
{
    lw_str found = { NULL, 0 };
    for (size_t i = 0; i < request->header_count; i++) {
        if (!lw_str_equal(request->headers[i].name, LW_STR("sec-websocket-protocol")))
            continue;
        lw_str rest = request->headers[i].value;
        while (rest.len > 0) {
            lw_str item;
            lw_str_cut(rest, ',', &item, &rest);
            item = lw_str_trim(item);
            if (item.len > 0 && !lw_str_starts_with(item, token_prefix))
                found = item;
        }
    }
    return found;
}

static void write_head(lw_buf *out, const lw_http_request *request, const lw_http_reply *reply)
{
    lw_str key = { NULL, 0 };
    char accept[LW_WS_ACCEPT_SIZE];
    (void)lw_http_request_header(request, "sec-websocket-key", &key);
    lw_ws_accept(key, accept);
    lw_buf_append_text(out, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                            "Connection: Upgrade\r\nSec-WebSocket-Accept: ");
    lw_buf_append_text(out, accept);
    lw_str protocol = offered_protocol(request);
    if (protocol.len > 0) {
        lw_buf_append_text(out, "\r\nSec-WebSocket-Protocol: ");
        lw_buf_append_str(out, protocol);
    }
    lw_buf_append_text(out, "\r\n");
    lw_h1__write_headers(out, reply);
    lw_buf_append_text(out, "\r\n");
}

static bool is_text(const lw_http_reply *reply)
{
    for (size_t i = 0; i < reply->header_count; i++) {
        if (lw_str_equal(reply->headers[i].name, LW_STR("Content-Type")))
            return !lw_str_starts_with(reply->headers[i].value,
                                       LW_STR("application/vnd.kubernetes.protobuf")) &&
                   !lw_str_starts_with(reply->headers[i].value, LW_STR("application/cbor"));
    }
    return true;
}

lw_status lw_h1__upgrade(lw_h1_stream *stream, const lw_http_reply *reply)
{
    lw_h1 *h1 = stream->h1;
    lw_buf head;
    lw_status st = lw_ws_new(&h1->ws);
    if (st < 0) {
        lw_conn_abort(h1->base.conn);
        return st;
    }
    h1->ws_is_text = is_text(reply);
    stream->stage = LW_H1_UPGRADED;
    stream->keeps_alive = false;
    lw_conn_set_phase(h1->base.conn, LW_CONN_REPLY);
    lw_buf_init(&head, HEAD_LIMIT);
    write_head(&head, &stream->base.request, reply);
    return lw_h1__send_buf(h1, &head);
}

lw_status lw_h1__send_frame(lw_h1 *h1, const lw_bytes *pieces, size_t count)
{
    char header[LW_WS_HEADER_MAX];
    uint64_t len = 0;
    for (size_t i = 0; i < count; i++)
        len += pieces[i].len;
    size_t header_len = lw_ws_header(len, h1->ws_is_text, header);
    lw_status st = lw_conn_send_copy(h1->base.conn, header, header_len);
    if (st == LW_OK)
        return lw_h1__send_pieces(h1, pieces, count);
    for (size_t i = 0; i < count; i++)
        lw_bytes_release(pieces[i]);
    return st;
}

void lw_h1__close_frame(lw_h1 *h1, unsigned code)
{
    lw_buf out;
    lw_buf_init(&out, ANSWER_LIMIT);
    lw_ws_close(h1->ws, code, &out);
    if (out.len > 0)
        (void)lw_conn_send_copy(h1->base.conn, out.data, out.len);
    lw_buf_done(&out);
}

lw_status lw_h1__feed_frames(lw_h1 *h1, const char *bytes, size_t len)
{
    lw_buf out;
    bool is_closed = false;
    lw_buf_init(&out, ANSWER_LIMIT);
    lw_status st = lw_ws_feed(h1->ws, bytes, len, &out, &is_closed);
    if (st == LW_OK && out.len > 0)
        st = lw_conn_send_copy(h1->base.conn, out.data, out.len);
    lw_buf_done(&out);
    if (st < 0)
        lw_conn_abort(h1->base.conn);
    else if (is_closed)
        lw_h1__finish(h1);
    /* Input is not read while the client does not read its pongs. */
    if (lw_conn_pending(h1->base.conn) > LW_HTTP_QUEUE_HIGH) {
        h1->current->is_choked = true;
        lw_conn_set_reading(h1->base.conn, false);
    }
    return LW_OK;
}
