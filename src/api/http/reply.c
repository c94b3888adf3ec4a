/* SPDX-License-Identifier: Apache-2.0 */
/* reply.c -- from a document and a call to what goes on the wire. */
#include "api/http/reply.h"

#include <inttypes.h>
#include <stdio.h>

#include "api/media/gzip.h"
#include "api/media/list_yaml.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/str.h"
#include "schema/proto/proto.h"
#include "json/cbor/cbor.h"

enum {
    HEADERS_MAX = 11 + LW_CALL_WARNINGS_MAX,
    WARNING_TOTAL = 4096, /* bytes of warnings, as in Kubernetes: when there are more, each is
                             cut ... */
    WARNING_CUT = 256,    /* ... to this many, and those that do not fit then are left out */
    WARNING_SIZE = LW_CALL_WARNING_BYTES * 2 + LW_CALL_WARNINGS_MAX * 16,
};

/* Header lines under way; the texts it makes itself stand in |text|. */
typedef struct header_list {
    lw_http_header at[HEADERS_MAX];
    size_t count;
    char retry_after[12];
    char lag[32];
    lw_buf text; /* the Warning headers */
} header_list;

static void add(header_list *headers, const char *name, lw_str value)
{
    if (headers->count < HEADERS_MAX)
        headers->at[headers->count++] = (lw_http_header){ lw_str_of(name), value };
}

static void add_text(header_list *headers, const char *name, const char *value)
{
    if (value)
        add(headers, name, lw_str_of(value));
}

/* 299 - "text", quoted as RFC 9110, section 5.6.4, has it.  Controls would end the header. */
static void append_warning(lw_buf *out, lw_str text)
{
    lw_buf_append_text(out, "299 - \"");
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '"' || c == '\\')
            lw_buf_append_char(out, '\\');
        lw_buf_append_char(out, (unsigned char)c < ' ' || c == 0x7f ? ' ' : c);
    }
    lw_buf_append_char(out, '"');
}

/* |text| cut to |max| bytes, not inside a character. */
static lw_str cut_text(lw_str text, size_t max)
{
    if (text.len <= max)
        return text;
    while (max > 0 && ((unsigned char)text.ptr[max] & 0xC0) == 0x80)
        max--;
    return lw_str_make(text.ptr, max);
}

/* The texts stand one behind the other in |headers->text|; a header more costs no memory that
 * matters, and where there is none the reply goes without. */
static void add_warnings(header_list *headers, const lw_buf *warnings)
{
    size_t max = warnings->len > WARNING_TOTAL ? WARNING_CUT : WARNING_TOTAL;
    lw_str rest = lw_buf_view(warnings), text;
    size_t left = WARNING_TOTAL;
    if (lw_buf_reserve(&headers->text, 2 * warnings->len + LW_CALL_WARNINGS_MAX * 16) < 0)
        return;
    for (size_t i = 0; i < LW_CALL_WARNINGS_MAX && lw_str_cut(rest, '\0', &text, &rest); i++) {
        size_t before = headers->text.len;
        text = cut_text(text, max);
        if (text.len > left)
            continue; /* a shorter one may still have room */
        left -= text.len;
        append_warning(&headers->text, text);
        add(headers, "Warning", lw_str_skip(lw_buf_view(&headers->text), before));
    }
}

static void collect(header_list *headers, lw_api_call *call, const lw_api_reply_head *head)
{
    headers->count = 0;
    lw_buf_init(&headers->text, WARNING_SIZE);
    add_text(headers, "Audit-Id", call->account.audit_id);
    add_text(headers, "Cache-Control",
             head->cache_control ? head->cache_control : "no-cache, private");
    add_text(headers, "Content-Type", head->content_type);
    if (head->is_gzip) {
        add_text(headers, "Content-Encoding", "gzip");
        add_text(headers, "Vary", "Accept-Encoding");
    }
    add_text(headers, "Vary", head->vary);
    add_text(headers, "ETag", head->etag);
    add_text(headers, "Location", head->location);
    if (head->retry_after_s > 0) {
        (void)snprintf(headers->retry_after, sizeof(headers->retry_after), "%d",
                       head->retry_after_s);
        add_text(headers, "Retry-After", headers->retry_after);
    }
    const lw_api_upstream *upstream = &call->api->upstream;
    if (upstream->lag_ns && call->cache) {
        int64_t ms = upstream->lag_ns(upstream->arg, call->cache) / LW_NS_PER_MS;
        (void)snprintf(headers->lag, sizeof(headers->lag), "%" PRId64 ".%03d", ms / 1000,
                       (int)(ms % 1000));
        add_text(headers, "X-Listwatch-Lag", headers->lag);
    }
    if (call->warnings.len > 0)
        add_warnings(headers, &call->warnings);
}

void lw_reply_send(lw_api_call *call, const lw_api_reply_head *head, lw_bytes body)
{
    header_list headers;
    collect(&headers, call, head);
    lw_http_reply reply = { head->code, headers.at, headers.count };
    lw_call_answered(call, head->code, body.len);
    call->stream->annotations = lw_buf_view(&call->annotations);
    lw_status st = lw_http_reply_whole(call->stream, &reply, body);
    call->stream->annotations = LW_STR("");
    if (st < 0 && st != LW_ERR_STOPPED)
        lw_http_abort(call->stream);
    lw_buf_done(&headers.text);
    lw_call_free(call);
}

lw_status lw_reply_begin(lw_api_call *call, const lw_api_reply_head *head)
{
    header_list headers;
    collect(&headers, call, head);
    lw_http_reply reply = { head->code, headers.at, headers.count };
    lw_call_answered(call, head->code, 0);
    lw_status st = lw_http_reply_begin(call->stream, &reply);
    lw_buf_done(&headers.text);
    return st;
}

/* Compresses |body| in place; when that fails for want of memory it stays as it is. */
static bool compress(lw_buf *body)
{
    lw_gzip *gzip = NULL;
    lw_buf small;
    lw_buf_init(&small, LW_CALL_REPLY_MAX);
    if (lw_gzip_new(&gzip) < 0)
        return false;
    lw_status st = lw_gzip_feed(gzip, lw_buf_view(body), true, &small);
    lw_gzip_free(gzip);
    if (st < 0) {
        lw_buf_done(&small);
        return false;
    }
    lw_buf_done(body);
    *body = small;
    return true;
}

void lw_reply_send_buf(lw_api_call *call, const lw_api_reply_head *head, lw_buf *body)
{
    lw_api_reply_head sent = *head;
    sent.is_gzip = call->media.takes_gzip && body->len > LW_REPLY_GZIP_MIN && compress(body);
    lw_bytes bytes = lw_buf_take_bytes(body);
    if (call->user)
        bytes = lw_held_bytes_charge(call->api->held, call->user->name, bytes);
    lw_reply_send(call, &sent, bytes);
}

const char *lw_reply_content_type(const lw_media *media)
{
    switch (media->format) {
    case LW_MEDIA_YAML: return "application/yaml";
    case LW_MEDIA_PROTOBUF: return "application/vnd.kubernetes.protobuf";
    case LW_MEDIA_CBOR: return "application/cbor";
    case LW_MEDIA_JSON: break;
    }
    return "application/json";
}

static lw_status to_indented(lw_str json, lw_buf *out)
{
    lw_json_writer w;
    lw_json_writer_init(&w, out, LW_JSON_INDENTED);
    lw_json_write_raw(&w, json);
    return lw_json_writer_status(&w);
}

static lw_status dress(const lw_media *media, lw_str json, lw_buf *out)
{
    switch (media->format) {
    case LW_MEDIA_YAML: return lw_media_append_yaml(json, out);
    case LW_MEDIA_PROTOBUF: return lw_proto_write_document(json, out, NULL);
    case LW_MEDIA_CBOR: return lw_cbor_append_document(json, out);
    case LW_MEDIA_JSON: break;
    }
    return to_indented(json, out);
}

lw_status lw_reply_dress(const lw_media *media, lw_buf *json)
{
    if (json->st < 0)
        return json->st;
    if (media->format == LW_MEDIA_JSON && !media->is_pretty) {
        lw_buf_append_char(json, '\n');
        return json->st;
    }
    lw_buf out;
    lw_buf_init(&out, LW_CALL_REPLY_MAX);
    lw_status st = dress(media, lw_buf_view(json), &out);
    if (st < 0) {
        lw_buf_done(&out);
        return st;
    }
    lw_buf_done(json);
    *json = out;
    return LW_OK;
}

lw_str lw_reply_meta_version(const lw_media *media)
{
    return lw_str_equal(media->as_version, LW_STR("v1beta1")) ? LW_STR("meta.k8s.io/v1beta1")
                                                              : LW_STR("meta.k8s.io/v1");
}

void lw_reply_etag(lw_str bytes, char etag[LW_REPLY_ETAG_SIZE])
{
    /* Fixed, so that restarts agree.  No secret: it only tells documents apart. */
    static const lw_hash_seed seeds[] = { { 1, 2 }, { 3, 4 } };
    (void)snprintf(etag, LW_REPLY_ETAG_SIZE, "\"%016llX%016llX\"",
                   (unsigned long long)lw_hash_str(seeds[0], bytes),
                   (unsigned long long)lw_hash_str(seeds[1], bytes));
}

bool lw_reply_is_known(const lw_api_call *call, const char *etag)
{
    lw_str rest, one;
    if (!lw_http_request_header(&call->stream->request, "if-none-match", &rest))
        return false;
    while (rest.len > 0) {
        (void)lw_str_cut(rest, ',', &one, &rest);
        one = lw_str_trim(one);
        if (lw_str_starts_with(one, LW_STR("W/")))
            one = lw_str_skip(one, 2);
        if (lw_str_equal(one, LW_STR("*")) || lw_str_equal(one, lw_str_of(etag)))
            return true;
    }
    return false;
}
