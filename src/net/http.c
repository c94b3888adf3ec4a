/* SPDX-License-Identifier: Apache-2.0 */
/* http.c -- the parts of a request and its reply that are the same for every protocol. */
#include "net/http.h"

#include <assert.h>
#include <string.h>

#include "base/str.h"

static void release_all(const lw_bytes *pieces, size_t count)
{
    for (size_t i = 0; i < count; i++)
        lw_bytes_release(pieces[i]);
}

/* Returns |reply| with the headers of the stream's admission; |all| is their memory. */
static lw_http_reply with_admission(const lw_http_stream *stream, const lw_http_reply *reply,
                                    lw_http_header all[LW_HTTP_REPLY_HEADERS_MAX])
{
    const lw_http_admission *admission = stream->admission;
    size_t count = reply->header_count, more = admission ? admission->header_count : 0;
    if (more == 0 || count + more > LW_HTTP_REPLY_HEADERS_MAX)
        return *reply;
    if (count > 0)
        memcpy(all, reply->headers, count * sizeof(*all));
    memcpy(all + count, admission->headers, more * sizeof(*all));
    return (lw_http_reply){ reply->status, all, count + more };
}

/* Returns who is to be told about |stream|; NULL: nobody. */
static const lw_http_observer *observer_of(const lw_http_stream *stream)
{
    return stream->observation ? stream->observation->observer : NULL;
}

lw_status lw_http_reply_whole(lw_http_stream *stream, const lw_http_reply *reply, lw_bytes body)
{
    if (observer_of(stream))
        observer_of(stream)->replied(stream, reply, &body);
    if (stream->is_closed) {
        lw_bytes_release(body);
        return LW_ERR_STOPPED;
    }
    lw_http_header headers[LW_HTTP_REPLY_HEADERS_MAX];
    const lw_http_reply whole = with_admission(stream, reply, headers);
    return stream->ops->reply(stream, &whole, body);
}

lw_status lw_http_reply_begin(lw_http_stream *stream, const lw_http_reply *reply)
{
    if (observer_of(stream))
        observer_of(stream)->replied(stream, reply, NULL);
    if (stream->is_closed)
        return LW_ERR_STOPPED;
    lw_http_header headers[LW_HTTP_REPLY_HEADERS_MAX];
    const lw_http_reply whole = with_admission(stream, reply, headers);
    return stream->ops->begin(stream, &whole);
}

lw_status lw_http_write(lw_http_stream *stream, const lw_bytes *pieces, size_t count)
{
    if (observer_of(stream))
        observer_of(stream)->written(stream, pieces, count);
    if (stream->is_closed) {
        release_all(pieces, count);
        return LW_ERR_STOPPED;
    }
    return stream->ops->write(stream, pieces, count);
}

void lw_http_end(lw_http_stream *stream)
{
    if (!stream->is_closed)
        stream->ops->end(stream);
}

void lw_http_abort(lw_http_stream *stream)
{
    if (!stream->is_closed)
        stream->ops->abort(stream);
}

size_t lw_http_pending(const lw_http_stream *stream)
{
    return stream->is_closed ? 0 : stream->ops->pending(stream);
}

bool lw_http_wants_more(lw_http_stream *stream)
{
    if (stream->is_closed)
        return false;
    return stream->ops->wants_more ? stream->ops->wants_more(stream)
                                   : stream->ops->pending(stream) <= LW_HTTP_QUEUE_HIGH;
}

lw_status lw_http_upgrade(lw_http_stream *stream, const lw_http_reply *reply)
{
    if (stream->is_closed)
        return LW_ERR_STOPPED;
    if (!stream->ops->upgrade)
        return LW_ERR_UNSUPPORTED;
    lw_status st = stream->ops->upgrade(stream, reply);
    if (st == LW_OK && observer_of(stream))
        observer_of(stream)->replied(stream, reply, NULL);
    return st;
}

void lw_http_set_reading(lw_http_stream *stream, bool is_reading)
{
    if (!stream->is_closed && stream->ops->set_reading)
        stream->ops->set_reading(stream, is_reading);
}

lw_http_stream *lw_http_stream_ref(lw_http_stream *stream)
{
    lw_ref_inc(&stream->refs);
    return stream;
}

void lw_http_stream_unref(lw_http_stream *stream)
{
    if (!stream || !lw_ref_dec(&stream->refs))
        return;
    if (observer_of(stream))
        observer_of(stream)->freed(stream);
    if (stream->companion)
        stream->companion->freed(stream->companion);
    if (stream->caller_free)
        stream->caller_free(stream->caller);
    stream->ops->free(stream);
}

void lw_http_stream_settled(lw_http_stream *stream)
{
    lw_http_admission *admission = stream->admission;
    if (admission && admission->settled)
        admission->settled(stream, admission);
}

void lw_http_stream_closed(lw_http_stream *stream)
{
    if (stream->is_closed)
        return;
    /* The peer belongs to the connection, which the stream may outlive. */
    static const lw_peer nobody = { .is_tls = false };
    stream->is_closed = true;
    if (stream->companion)
        stream->companion->closed(stream->companion);
    if (stream->on_closed)
        stream->on_closed(stream, stream->arg);
    lw_http_admission *admission = stream->admission;
    stream->admission = NULL;
    if (admission && admission->closed)
        admission->closed(stream, admission);
    if (observer_of(stream))
        observer_of(stream)->closed(stream);
    stream->request.peer = &nobody;
}

bool lw_http_request_header(const lw_http_request *request, const char *name, lw_str *value)
{
    lw_str wanted = lw_str_of(name);
    for (size_t i = 0; i < request->header_count; i++) {
        if (lw_str_equal(request->headers[i].name, wanted)) {
            *value = request->headers[i].value;
            return true;
        }
    }
    return false;
}

bool lw_http_name_is(lw_str name, lw_str lower_case)
{
    if (name.len != lower_case.len)
        return false;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if ((c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c) != lower_case.ptr[i])
            return false;
    }
    return true;
}

lw_http_method lw_http_method_of(lw_str text)
{
    static const lw_str names[] = {
        [LW_HTTP_GET] = LW_STR_INIT("GET"),         [LW_HTTP_HEAD] = LW_STR_INIT("HEAD"),
        [LW_HTTP_POST] = LW_STR_INIT("POST"),       [LW_HTTP_PUT] = LW_STR_INIT("PUT"),
        [LW_HTTP_PATCH] = LW_STR_INIT("PATCH"),     [LW_HTTP_DELETE] = LW_STR_INIT("DELETE"),
        [LW_HTTP_OPTIONS] = LW_STR_INIT("OPTIONS"),
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (lw_str_equal(text, names[i]))
            return (lw_http_method)i;
    }
    return LW_HTTP_OTHER;
}

const char *lw_http_status_text(int status)
{
    static const struct {
        int status;
        const char *text;
    } known[] = {
        { 100, "Continue" },
        { 101, "Switching Protocols" },
        { 200, "OK" },
        { 201, "Created" },
        { 202, "Accepted" },
        { 204, "No Content" },
        { 301, "Moved Permanently" },
        { 304, "Not Modified" },
        { 400, "Bad Request" },
        { 401, "Unauthorized" },
        { 403, "Forbidden" },
        { 404, "Not Found" },
        { 405, "Method Not Allowed" },
        { 406, "Not Acceptable" },
        { 408, "Request Timeout" },
        { 409, "Conflict" },
        { 410, "Gone" },
        { 411, "Length Required" },
        { 412, "Precondition Failed" },
        { 413, "Request Entity Too Large" },
        { 414, "URI Too Long" },
        { 415, "Unsupported Media Type" },
        { 417, "Expectation Failed" },
        { 422, "Unprocessable Entity" },
        { 426, "Upgrade Required" },
        { 429, "Too Many Requests" },
        { 431, "Request Header Fields Too Large" },
        { 500, "Internal Server Error" },
        { 501, "Not Implemented" },
        { 502, "Bad Gateway" },
        { 503, "Service Unavailable" },
        { 504, "Gateway Timeout" },
        { 505, "HTTP Version Not Supported" },
        { 507, "Insufficient Storage" },
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (known[i].status == status)
            return known[i].text;
    }
    return "";
}
