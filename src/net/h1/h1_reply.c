/* SPDX-License-Identifier: Apache-2.0 */
/* h1_reply.c -- a request of HTTP/1.1 and its reply: Content-Length for a complete reply, chunks
 * for a streamed one, and for HTTP/1.0 the end of the connection. */
#include <assert.h>

#include "base/alloc.h"
#include "base/str.h"
#include "net/h1/h1_head.h"
#include "net/h1/h1_internal.h"

enum {
    HEAD_FIRST = 512,       /* fits most reply headers */
    HEAD_LIMIT = 64 * 1024, /* maximum size of reply headers */
};

static lw_h1_stream *stream_of(lw_http_stream *stream)
{
    return (lw_h1_stream *)(void *)stream;
}

/* Moves a view of |head->bytes| to |copy|; other views (literals) are unchanged. */
static lw_str moved(lw_str s, lw_str from, char *copy)
{
    bool is_inside = s.ptr && s.ptr >= from.ptr && s.ptr <= from.ptr + from.len;
    return is_inside ? lw_str_make(copy + (s.ptr - from.ptr), s.len) : s;
}

static void fill_request(lw_h1_stream *stream, const lw_h1_head *head, char *copy)
{
    lw_http_request *request = &stream->base.request;
    memcpy(copy, head->bytes.ptr, head->bytes.len);
    request->method = lw_http_method_of(head->method);
    request->method_text = moved(head->method, head->bytes, copy);
    request->path = moved(head->path, head->bytes, copy);
    request->query = moved(head->query, head->bytes, copy);
    request->headers = stream->headers;
    request->header_count = head->header_count;
    request->version_major = 1;
    request->peer = lw_conn_peer(stream->h1->base.conn);
    for (size_t i = 0; i < head->header_count; i++) {
        lw_http_header *header = &stream->headers[i];
        header->name = moved(head->headers[i].name, head->bytes, copy);
        header->value = moved(head->headers[i].value, head->bytes, copy);
        char *name = copy + (header->name.ptr - copy);
        for (size_t j = 0; j < header->name.len; j++) {
            if (name[j] >= 'A' && name[j] <= 'Z')
                name[j] = (char)(name[j] - 'A' + 'a');
        }
    }
}

static const lw_http_stream_ops stream_ops;

lw_status lw_h1__stream_new(lw_h1 *h1, const lw_h1_head *head)
{
    size_t fields = head->header_count * sizeof(lw_http_header);
    lw_h1_stream *stream = lw_alloc(sizeof(*stream) + fields + head->bytes.len);
    if (!stream)
        return LW_ERR_NOMEM;
    *stream = (lw_h1_stream){ .h1 = h1, .stage = LW_H1_READING };
    stream->base.ops = &stream_ops;
    stream->base.loop = lw_conn_loop(h1->base.conn);
    lw_ref_init(&stream->base.refs);
    fill_request(stream, head, (char *)stream->headers + fields);
    lw_buf_init(&stream->body, LW_HTTP_BODY_MAX);
    stream->has_body = head->is_chunked || head->content_length > 0;
    stream->keeps_alive = head->keeps_alive;
    stream->is_old = head->version_minor == 0;
    h1->current = stream;
    lw_conn_count_stream(h1->base.conn, 1);
    return LW_OK;
}

void lw_h1__stream_close(lw_h1_stream *stream)
{
    lw_conn_count_stream(stream->h1->base.conn, -1);
    lw_http_stream_closed(&stream->base);
    stream->h1 = NULL;
    lw_http_stream_unref(&stream->base);
}

/* Appends text of a handler, without characters that would break the headers. */
static void append_clean(lw_buf *out, lw_str text)
{
    size_t from = out->len;
    lw_buf_append_str(out, text);
    for (size_t i = from; i < out->len; i++) {
        if (out->data[i] == '\r' || out->data[i] == '\n' || out->data[i] == '\0')
            out->data[i] = ' ';
    }
}

void lw_h1__write_headers(lw_buf *out, const lw_http_reply *reply)
{
    for (size_t i = 0; i < reply->header_count; i++) {
        append_clean(out, reply->headers[i].name);
        lw_buf_append_text(out, ": ");
        append_clean(out, reply->headers[i].value);
        lw_buf_append_text(out, "\r\n");
    }
}

/* Writes the headers up to the lines that determine the end of the body. */
static void write_head(lw_h1 *h1, lw_buf *out, const lw_http_reply *reply)
{
    lw_buf_init(out, HEAD_LIMIT);
    (void)lw_buf_reserve(out, HEAD_FIRST);
    lw_buf_append_text(out, "HTTP/1.1 ");
    lw_buf_append_uint(out, (uint64_t)reply->status);
    lw_buf_append_char(out, ' ');
    lw_buf_append_text(out, lw_http_status_text(reply->status));
    lw_buf_append_text(out, "\r\n");
    lw_h1__write_headers(out, reply);
    lw_buf_append_text(out, "Date: ");
    lw_buf_append_str(out, lw_conn_date(h1->base.conn));
    lw_buf_append_text(out, "\r\n");
}

static void write_connection(lw_h1_stream *stream, lw_buf *out)
{
    if (!stream->keeps_alive)
        lw_buf_append_text(out, "Connection: close\r\n");
    else if (stream->is_old)
        lw_buf_append_text(out, "Connection: keep-alive\r\n");
}

lw_status lw_h1__send_buf(lw_h1 *h1, lw_buf *out)
{
    lw_status st = out->st;
    if (st == LW_OK) {
        lw_bytes bytes = { out->data, out->len, lw_free, out->data };
        lw_buf_init(out, out->limit);
        return lw_conn_send(h1->base.conn, bytes);
    }
    lw_buf_done(out);
    lw_conn_abort(h1->base.conn);
    return st;
}

lw_status lw_h1__send_pieces(lw_h1 *h1, const lw_bytes *pieces, size_t count)
{
    lw_status st = LW_OK;
    for (size_t i = 0; i < count; i++) {
        if (st == LW_OK)
            st = lw_conn_send(h1->base.conn, pieces[i]);
        else
            lw_bytes_release(pieces[i]);
    }
    return st;
}

static void release_all(const lw_bytes *pieces, size_t count)
{
    for (size_t i = 0; i < count; i++)
        lw_bytes_release(pieces[i]);
}

/* Decides whether the connection stays open, before the headers are written. */
static void begin_reply(lw_h1_stream *stream, int status)
{
    lw_h1 *h1 = stream->h1;
    bool is_unread = stream->stage == LW_H1_READING && stream->has_body;
    if (is_unread || h1->is_draining || lw_conn_is_draining(h1->base.conn))
        stream->keeps_alive = false;
    lw_conn_set_phase(h1->base.conn, LW_CONN_REPLY);
    stream->sends_no_body =
        stream->base.request.method == LW_HTTP_HEAD || status == 204 || status == 304;
}

/* The reply is queued completely. */
static void end_reply(lw_h1_stream *stream)
{
    lw_h1 *h1 = stream->h1;
    assert(h1->current == stream);
    stream->stage = LW_H1_ENDED;
    h1->current = NULL;
    lw_dlist_push_back(&h1->ended, &stream->link);
    h1->ended_count++;
    if (!stream->keeps_alive)
        lw_h1__finish(h1);
}

static void note_choked(lw_h1_stream *stream)
{
    if (lw_conn_pending(stream->h1->base.conn) > LW_HTTP_QUEUE_HIGH)
        stream->is_choked = true;
}

static lw_status stream_reply(lw_http_stream *base, const lw_http_reply *reply, lw_bytes body)
{
    lw_h1_stream *stream = stream_of(base);
    lw_h1 *h1 = stream->h1;
    if (stream->stage > LW_H1_ANSWERING) {
        lw_bytes_release(body);
        return LW_ERR_STOPPED;
    }
    lw_buf head;
    begin_reply(stream, reply->status);
    write_head(h1, &head, reply);
    if (reply->status != 204 && reply->status != 304) {
        lw_buf_append_text(&head, "Content-Length: ");
        lw_buf_append_uint(&head, body.len);
        lw_buf_append_text(&head, "\r\n");
    }
    write_connection(stream, &head);
    lw_buf_append_text(&head, "\r\n");
    lw_status st = lw_h1__send_buf(h1, &head);
    if (st < 0 || stream->sends_no_body)
        lw_bytes_release(body);
    else
        st = lw_conn_send(h1->base.conn, body);
    if (st == LW_OK)
        end_reply(stream);
    return st;
}

static lw_status stream_begin(lw_http_stream *base, const lw_http_reply *reply)
{
    lw_h1_stream *stream = stream_of(base);
    lw_h1 *h1 = stream->h1;
    if (stream->stage > LW_H1_ANSWERING)
        return LW_ERR_STOPPED;
    if (h1->has_ended) {
        lw_conn_abort(h1->base.conn);
        return LW_ERR_STOPPED;
    }
    if (base->request.is_websocket && reply->status == 200)
        return lw_h1__upgrade(stream, reply);
    lw_buf head;
    begin_reply(stream, reply->status);
    if (stream->is_old)
        stream->keeps_alive = false;
    stream->stage = LW_H1_STREAMING;
    write_head(h1, &head, reply);
    if (!stream->is_old && reply->status != 204 && reply->status != 304)
        lw_buf_append_text(&head, "Transfer-Encoding: chunked\r\n");
    write_connection(stream, &head);
    lw_buf_append_text(&head, "\r\n");
    lw_status st = lw_h1__send_buf(h1, &head);
    note_choked(stream);
    return st;
}

static lw_status send_chunk(lw_h1 *h1, const lw_bytes *pieces, size_t count, size_t len)
{
    char size[LW_H1_CHUNK_SIZE_MAX];
    lw_status st = lw_conn_send_copy(h1->base.conn, size, lw_h1_write_chunk_size(size, len));
    if (st < 0) {
        release_all(pieces, count);
        return st;
    }
    st = lw_h1__send_pieces(h1, pieces, count);
    if (st == LW_OK)
        st = lw_conn_send(h1->base.conn, lw_bytes_static(LW_STR("\r\n")));
    return st;
}

static lw_status stream_write(lw_http_stream *base, const lw_bytes *pieces, size_t count)
{
    lw_h1_stream *stream = stream_of(base);
    lw_h1 *h1 = stream->h1;
    size_t len = 0;
    lw_status st = LW_OK;
    for (size_t i = 0; i < count; i++)
        len += pieces[i].len;
    if (stream->stage == LW_H1_UPGRADED) {
        st = lw_h1__send_frame(h1, pieces, count);
    } else if (stream->stage == LW_H1_TUNNEL) {
        st = lw_h1__send_pieces(h1, pieces, count);
    } else if (stream->stage != LW_H1_STREAMING || stream->sends_no_body || len == 0) {
        /* An empty chunk would end the body. */
        release_all(pieces, count);
        st = stream->stage == LW_H1_STREAMING ? LW_OK : LW_ERR_STOPPED;
    } else if (stream->is_old) {
        st = lw_h1__send_pieces(h1, pieces, count);
    } else {
        st = send_chunk(h1, pieces, count, len);
    }
    note_choked(stream);
    return st;
}

static void stream_end(lw_http_stream *base)
{
    lw_h1_stream *stream = stream_of(base);
    lw_h1 *h1 = stream->h1;
    assert(stream->stage >= LW_H1_STREAMING && "the end of a reply that has not begun");
    if (stream->stage == LW_H1_UPGRADED)
        lw_h1__close_frame(h1, 1000);
    else if (stream->stage == LW_H1_STREAMING && !stream->is_old && !stream->sends_no_body)
        (void)lw_conn_send(h1->base.conn, lw_bytes_static(LW_STR("0\r\n\r\n")));
    if (stream->stage != LW_H1_ENDED)
        end_reply(stream);
}

/* Without the last chunk, the client knows that the body is incomplete.  Without chunks, the
 * connection must be aborted to show that. */
static void stream_abort(lw_http_stream *base)
{
    lw_h1_stream *stream = stream_of(base);
    lw_h1 *h1 = stream->h1;
    if (stream->stage == LW_H1_ENDED)
        return;
    if (stream->stage == LW_H1_UPGRADED)
        lw_h1__close_frame(h1, 1011);
    if (stream->stage == LW_H1_UPGRADED || (stream->stage == LW_H1_STREAMING && !stream->is_old))
        lw_h1__finish(h1);
    else
        lw_conn_abort(h1->base.conn);
    h1->is_over = true;
}

static size_t stream_pending(const lw_http_stream *base)
{
    const lw_h1_stream *stream = (const lw_h1_stream *)(const void *)base;
    return lw_conn_pending(stream->h1->base.conn);
}

static bool stream_wants_more(lw_http_stream *base)
{
    lw_h1_stream *stream = stream_of(base);
    note_choked(stream);
    return lw_conn_pending(stream->h1->base.conn) <= LW_HTTP_QUEUE_HIGH;
}

static void stream_free(lw_http_stream *base)
{
    lw_h1_stream *stream = stream_of(base);
    lw_buf_done(&stream->body);
    lw_free(stream);
}

static const lw_http_stream_ops stream_ops = {
    .reply = stream_reply,
    .begin = stream_begin,
    .write = stream_write,
    .end = stream_end,
    .abort = stream_abort,
    .pending = stream_pending,
    .wants_more = stream_wants_more,
    .upgrade = lw_h1__open_tunnel,
    .set_reading = lw_h1__set_tunnel_reading,
    .free = stream_free,
};

void lw_h1__refuse(lw_h1 *h1, int status, const char *reason)
{
    static const lw_http_header headers[] = {
        { LW_STR_INIT("Content-Type"), LW_STR_INIT("text/plain; charset=utf-8") },
        { LW_STR_INIT("Upgrade"), LW_STR_INIT("websocket") },
        { LW_STR_INIT("Sec-WebSocket-Version"), LW_STR_INIT("13") },
    };
    lw_http_reply reply = { status, headers, status == 426 ? 3 : 1 };
    lw_h1_stream *stream = h1->current;
    if (!stream || stream->stage <= LW_H1_ANSWERING) {
        lw_buf out;
        write_head(h1, &out, &reply);
        size_t len = strlen(reason) + 1;
        lw_buf_append_text(&out, "Content-Length: ");
        lw_buf_append_uint(&out, len);
        lw_buf_append_text(&out, "\r\nConnection: close\r\n\r\n");
        if (!stream || stream->base.request.method != LW_HTTP_HEAD) {
            lw_buf_append(&out, reason, len - 1);
            lw_buf_append_char(&out, '\n');
        }
        (void)lw_h1__send_buf(h1, &out);
    }
    if (stream) {
        stream->keeps_alive = false;
        end_reply(stream);
    }
    lw_h1__finish(h1);
}
