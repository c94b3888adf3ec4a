/* SPDX-License-Identifier: Apache-2.0 */
/* http_request.c -- a request: checked, copied, and written as HTTP/1.1.
 *
 * Names and values that could be read as more than one header, or that would contradict the framing
 * of the client, are refused: values may come from objects. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "net/client/http_internal.h"
#include "net/h1/h1_head.h"

/* Set by the client itself, or meant for one connection (RFC 9110, 7.6.1). */
static bool is_reserved(lw_str name, bool is_upgrade)
{
    static const lw_str always[] = { LW_STR_INIT("host"), LW_STR_INIT("content-length"),
                                     LW_STR_INIT("transfer-encoding"), LW_STR_INIT("expect"),
                                     LW_STR_INIT("keep-alive") };
    for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++) {
        if (lw_http_name_is(name, always[i]))
            return true;
    }
    return !is_upgrade && (lw_http_name_is(name, LW_STR("connection")) ||
                           lw_http_name_is(name, LW_STR("upgrade")));
}

static lw_status check_header(const lw_http_header *header, bool is_upgrade, lw_error *err)
{
    if (!lw_h1_is_token(header->name))
        return lw_error_set(err, LW_ERR_INVALID, "\"%.*s\" is not a valid HTTP header name",
                            LW_STR_ARG(header->name));
    if (!lw_h1_is_field_value(header->value))
        return lw_error_set(err, LW_ERR_INVALID,
                            "the value of the HTTP header %.*s has control characters",
                            LW_STR_ARG(header->name));
    if (is_reserved(header->name, is_upgrade))
        return lw_error_set(err, LW_ERR_INVALID, "the HTTP header %.*s is set by the client itself",
                            LW_STR_ARG(header->name));
    return LW_OK;
}

static lw_status check(const lw_http_call_options *options, lw_error *err)
{
    size_t len = options->method.len + options->path.len;
    lw_status st = LW_OK;
    if (!lw_h1_is_token(options->method))
        return lw_error_set(err, LW_ERR_INVALID, "\"%.*s\" is not an HTTP method",
                            LW_STR_ARG(options->method));
    if (!lw_h1_is_visible(options->path) || options->path.ptr[0] != '/' ||
        memchr(options->path.ptr, '#', options->path.len))
        return lw_error_set(err, LW_ERR_INVALID,
                            "\"%.*s\" is not a valid request path: it must begin with / and be "
                            "percent-encoded",
                            LW_STR_ARG(options->path));
    if (options->is_body_streamed && options->body.len > 0)
        return lw_error_set(err, LW_ERR_INVALID, "a streamed request cannot have a body as well");
    for (size_t i = 0; i < options->header_count && st == LW_OK; i++) {
        st = check_header(&options->headers[i], options->is_upgrade, err);
        len += options->headers[i].name.len + options->headers[i].value.len;
    }
    if (st == LW_OK &&
        (options->header_count > LW_HTTP_HEADERS_MAX || len > LW_HTTP_CLIENT_HEAD_MAX))
        st = lw_error_set(err, LW_ERR_LIMIT,
                          "the request has %zu headers of %zu bytes; the limits are %d and %d",
                          options->header_count, len, LW_HTTP_HEADERS_MAX, LW_HTTP_CLIENT_HEAD_MAX);
    return st;
}

/* Copies |text| to |*at| and advances it. */
static lw_str place(char **at, lw_str text)
{
    char *start = *at;
    if (text.len > 0)
        memcpy(start, text.ptr, text.len);
    *at += text.len;
    return lw_str_make(start, text.len);
}

static lw_str place_name(char **at, lw_str name)
{
    char *start = *at;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        start[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    *at += name.len;
    return lw_str_make(start, name.len);
}

/* Allocates a call with its headers and their text in one block; NULL: out of memory. */
static lw_http_call *copy(const lw_http_call_options *options)
{
    size_t text = options->method.len + options->path.len;
    for (size_t i = 0; i < options->header_count; i++)
        text += options->headers[i].name.len + options->headers[i].value.len;
    size_t headers = options->header_count * sizeof(lw_http_header);
    lw_http_call *call = lw_alloc_zero(1, sizeof(*call) + headers + text);
    if (!call)
        return NULL;
    call->headers = (lw_http_header *)(call + 1);
    call->header_count = options->header_count;
    char *at = (char *)call->headers + headers;
    call->method = place(&at, options->method);
    call->path = place(&at, options->path);
    for (size_t i = 0; i < options->header_count; i++) {
        call->headers[i].name = place_name(&at, options->headers[i].name);
        call->headers[i].value = place(&at, options->headers[i].value);
    }
    return call;
}

static void body_unref(void *owner)
{
    lw_http_body *body = owner;
    if (!lw_ref_dec(&body->refs))
        return;
    lw_bytes_release(body->bytes);
    lw_free(body);
}

lw_bytes lw_http_request__body(const lw_http_call *call)
{
    lw_http_body *body = call->body;
    lw_ref_inc(&body->refs);
    return (lw_bytes){ body->bytes.ptr, body->bytes.len, body_unref, body };
}

void lw_http_request__free(lw_http_call *call)
{
    if (call->body)
        body_unref(call->body);
    lw_h2_pieces_drop(&call->early);
    lw_http_ask__free(call->ask);
    lw_free(call);
}

lw_status lw_http_request__new(lw_http_call **out, lw_http_call_options *options, lw_error *err)
{
    lw_http_call *call = NULL;
    lw_http_body *body = NULL;
    lw_bytes bytes = options->body;
    options->body = lw_bytes_static(lw_str_make(NULL, 0));
    lw_status st = check(options, err);
    if (st == LW_OK) {
        call = copy(options);
        body = bytes.len > 0 ? lw_alloc(sizeof(*body)) : NULL;
    }
    if (st == LW_OK && (!call || (bytes.len > 0 && !body)))
        st = lw_error_nomem(err);
    if (st < 0) {
        lw_bytes_release(bytes);
        lw_free(body);
        lw_free(call);
        return st;
    }
    if (body) {
        lw_ref_init(&body->refs);
        body->bytes = bytes;
    } else {
        lw_bytes_release(bytes);
    }
    call->body = body;
    lw_h2_pieces_init(&call->early);
    call->reply_max = options->reply_max;
    call->deadline_ns = options->deadline_ns;
    call->is_streamed = options->is_body_streamed;
    call->is_upgrade = options->is_upgrade;
    call->needs_new_conn = options->is_body_streamed || options->is_upgrade;
    call->is_ended = !options->is_body_streamed && !options->is_upgrade;
    *out = call;
    return LW_OK;
}

/* A request of these methods has a Content-Length even without a body (RFC 9110, 8.6). */
static bool usually_has_body(lw_str method)
{
    return lw_str_equal(method, LW_STR("POST")) || lw_str_equal(method, LW_STR("PUT")) ||
           lw_str_equal(method, LW_STR("PATCH"));
}

void lw_http_request__write_head(const lw_http_call *call, lw_buf *out)
{
    lw_buf_append_str(out, call->method);
    lw_buf_append_char(out, ' ');
    lw_buf_append_str(out, call->path);
    lw_buf_append_text(out, " HTTP/1.1\r\nhost: ");
    lw_buf_append_text(out, call->pool->authority);
    lw_buf_append_text(out, "\r\n");
    for (size_t i = 0; i < call->header_count; i++) {
        lw_buf_append_str(out, call->headers[i].name);
        lw_buf_append_text(out, ": ");
        lw_buf_append_str(out, call->headers[i].value);
        lw_buf_append_text(out, "\r\n");
    }
    if (call->is_streamed)
        lw_buf_append_text(out, "transfer-encoding: chunked\r\n");
    else if (call->body || usually_has_body(call->method)) {
        lw_buf_append_text(out, "content-length: ");
        lw_buf_append_uint(out, call->body ? call->body->bytes.len : 0);
        lw_buf_append_text(out, "\r\n");
    }
    lw_buf_append_text(out, "\r\n");
}
