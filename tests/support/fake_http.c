/* SPDX-License-Identifier: Apache-2.0 */
/* fake_http.c -- a stream without a network. */
#include "support/fake_http.h"

#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/str.h"

enum {
    BODY_MAX = 1 << 30,
};

static fake_http *fake_of(const lw_http_stream *stream)
{
    return (fake_http *)(uintptr_t)stream;
}

static void keep(fake_http *http, lw_str bytes)
{
    http->bytes += bytes.len;
    if (!http->keeps_no_body) {
        lw_buf_append_str(&http->body, bytes);
        /* Adds a NUL after the body, so that tests can search it as text. */
        if (lw_buf_reserve(&http->body, 1) == LW_OK)
            http->body.data[http->body.len] = '\0';
    }
    if (http->is_slow) {
        http->pending += bytes.len;
        http->was_high = http->was_high || http->pending > LW_HTTP_QUEUE_HIGH;
    }
}

static lw_status keep_head(fake_http *http, const lw_http_reply *reply)
{
    if (http->is_out_of_memory)
        return LW_ERR_NOMEM;
    http->status = reply->status;
    for (size_t i = 0; i < reply->header_count; i++) {
        lw_buf_append_str(&http->headers, reply->headers[i].name);
        lw_buf_append_text(&http->headers, ": ");
        lw_buf_append_str(&http->headers, reply->headers[i].value);
        lw_buf_append_char(&http->headers, '\n');
    }
    return http->headers.st;
}

static void finish(fake_http *http)
{
    http->is_ended = true;
    if (http->pending == 0)
        lw_http_stream_closed(&http->stream);
}

static lw_status fake_reply(lw_http_stream *stream, const lw_http_reply *reply, lw_bytes body)
{
    fake_http *http = fake_of(stream);
    lw_status st = keep_head(http, reply);
    if (st == LW_OK) {
        keep(http, lw_str_make(body.ptr, body.len));
        st = http->body.st;
    }
    lw_bytes_release(body);
    if (st == LW_OK)
        finish(http);
    return st;
}

static lw_status fake_begin(lw_http_stream *stream, const lw_http_reply *reply)
{
    fake_of(stream)->is_streamed = true;
    return keep_head(fake_of(stream), reply);
}

static lw_status fake_write(lw_http_stream *stream, const lw_bytes *pieces, size_t count)
{
    fake_http *http = fake_of(stream);
    lw_status st = http->is_out_of_memory ? LW_ERR_NOMEM : LW_OK;
    http->messages++;
    for (size_t i = 0; i < count; i++) {
        if (st == LW_OK)
            keep(http, lw_str_make(pieces[i].ptr, pieces[i].len));
        lw_bytes_release(pieces[i]);
    }
    return st < 0 ? st : http->body.st;
}

static void fake_end(lw_http_stream *stream)
{
    finish(fake_of(stream));
}

static void fake_abort(lw_http_stream *stream)
{
    fake_of(stream)->is_aborted = true;
    lw_http_stream_closed(stream);
}

static size_t fake_pending(const lw_http_stream *stream)
{
    return fake_of(stream)->pending;
}

static void fake_last_unref(lw_http_stream *stream)
{
    fake_http *http = fake_of(stream);
    lw_buf_done(&http->headers);
    lw_buf_done(&http->body);
    lw_free(http->request_text);
    lw_free(http);
}

static bool fake_wants_more(lw_http_stream *stream)
{
    fake_http *http = fake_of(stream);
    bool wants = !http->takes_nothing && http->pending <= LW_HTTP_QUEUE_HIGH;
    http->was_high = http->was_high || !wants;
    return wants;
}

static const lw_http_stream_ops fake_ops = {
    .reply = fake_reply,
    .begin = fake_begin,
    .write = fake_write,
    .end = fake_end,
    .abort = fake_abort,
    .pending = fake_pending,
    .wants_more = fake_wants_more,
    .free = fake_last_unref,
};

/* Copies |text| to |*at| and moves |*at| past it. */
static lw_str store(char **at, lw_str text)
{
    lw_str copy = lw_str_make(*at, text.len);
    if (text.len > 0)
        memcpy(*at, text.ptr, text.len);
    *at += text.len;
    return copy;
}

static size_t text_size(const fake_http_request *request)
{
    size_t size = strlen(request->method) + strlen(request->target) + request->body.len;
    for (size_t i = 0; i < 2 * FAKE_HTTP_HEADERS_MAX && request->headers[i]; i++)
        size += strlen(request->headers[i]);
    return size;
}

static void fill_request(fake_http *http, const fake_http_request *wanted)
{
    lw_http_request *request = &http->stream.request;
    char *at = http->request_text;
    request->method = lw_http_method_of(lw_str_of(wanted->method));
    request->method_text = store(&at, lw_str_of(wanted->method));
    lw_str target = store(&at, lw_str_of(wanted->target));
    (void)lw_str_cut(target, '?', &request->path, &request->query);
    for (size_t i = 0; i + 1 < 2 * FAKE_HTTP_HEADERS_MAX && wanted->headers[i]; i += 2) {
        lw_http_header *header = &http->request_headers[request->header_count++];
        header->name = store(&at, lw_str_of(wanted->headers[i]));
        header->value = store(&at, lw_str_of(wanted->headers[i + 1]));
    }
    request->headers = http->request_headers;
    request->body = store(&at, wanted->body);
    request->version_major = 1;
    request->is_websocket = wanted->is_websocket;
    request->peer = &http->peer;
}

fake_http *fake_http_new(lw_loop *loop, const fake_http_request *request)
{
    fake_http *http = lw_alloc_zero(1, sizeof(*http));
    if (!http)
        return NULL;
    http->request_text = lw_alloc(text_size(request));
    if (!http->request_text) {
        lw_free(http);
        return NULL;
    }
    http->stream.ops = &fake_ops;
    lw_ref_init(&http->stream.refs);
    http->stream.loop = loop;
    lw_buf_init(&http->headers, BODY_MAX);
    lw_buf_init(&http->body, BODY_MAX);
    fill_request(http, request);
    return http;
}

void fake_http_free(fake_http *http)
{
    if (!http)
        return;
    fake_http_close(http);
    lw_http_stream_unref(&http->stream);
}

void fake_http_close(fake_http *http)
{
    lw_http_stream_closed(&http->stream);
}

void fake_http_drain(fake_http *http)
{
    bool is_drained = http->was_high;
    http->takes_nothing = false;
    http->pending = 0;
    http->was_high = false;
    if (http->is_ended)
        lw_http_stream_closed(&http->stream);
    else if (is_drained && !http->stream.is_closed && http->stream.on_drained)
        http->stream.on_drained(&http->stream, http->stream.arg);
}

bool fake_http_header(const fake_http *http, const char *name, size_t index, lw_str *value)
{
    lw_str rest = lw_buf_view(&http->headers), line, head;
    while (lw_str_cut(rest, '\n', &line, &rest)) {
        (void)lw_str_cut(line, ':', &head, value);
        *value = lw_str_trim(*value);
        if (head.len == strlen(name) && strncasecmp(head.ptr, name, head.len) == 0 && index-- == 0)
            return true;
    }
    return false;
}

void fake_http_forget_body(fake_http *http)
{
    lw_buf_reset(&http->body);
}
