/* SPDX-License-Identifier: Apache-2.0 */
/* h1_tunnel.c -- an HTTP/1.1 connection that was upgraded to a protocol of the handler's (RFC 9110,
 * 7.8): its bytes are passed on as they are. */
#include "base/str.h"
#include "net/h1/h1_internal.h"

enum {
    HEAD_LIMIT = 64 * 1024,
};

static lw_h1_stream *stream_of(lw_http_stream *stream)
{
    return (lw_h1_stream *)(void *)stream;
}

lw_status lw_h1__open_tunnel(lw_http_stream *base, const lw_http_reply *reply)
{
    lw_h1_stream *stream = stream_of(base);
    lw_h1 *h1 = stream->h1;
    lw_buf head;
    if (stream->stage > LW_H1_ANSWERING || h1->has_ended)
        return LW_ERR_STOPPED;
    if (stream->is_old || !stream->is_whole)
        return LW_ERR_UNSUPPORTED;
    stream->stage = LW_H1_TUNNEL;
    stream->keeps_alive = false;
    lw_conn_set_phase(h1->base.conn, LW_CONN_REPLY);
    lw_buf_init(&head, HEAD_LIMIT);
    lw_buf_append_text(&head, "HTTP/1.1 101 Switching Protocols\r\n");
    lw_h1__write_headers(&head, reply);
    lw_buf_append_text(&head, "\r\n");
    return lw_h1__send_buf(h1, &head);
}

void lw_h1__set_tunnel_reading(lw_http_stream *base, bool is_reading)
{
    lw_h1_stream *stream = stream_of(base);
    if (stream->stage == LW_H1_TUNNEL)
        lw_conn_set_reading(stream->h1->base.conn, is_reading);
}

void lw_h1__feed_tunnel(lw_h1 *h1, lw_str bytes)
{
    lw_http_stream *stream = &h1->current->base;
    if (stream->on_data)
        stream->on_data(stream, bytes.ptr, bytes.len, stream->arg);
}
