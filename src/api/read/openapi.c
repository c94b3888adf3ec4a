/* SPDX-License-Identifier: Apache-2.0 */
/* openapi.c -- /openapi/v2 and /openapi/v3: which document, in which form, and when a client
 * has it already. */
#include "api/http/call.h"
#include "api/read/read.h"

#include "api/http/reply.h"
#include "api/media/accept.h"
#include "api/read/openapi_cache.h"
#include "base/alloc.h"
#include "base/str.h"

/* What is asked for has an '@' in it, which is no media type to Go: echoed, it would fail every
 * kubectl. */
static const char protobuf_type[] = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/* Whether the client would rather have /openapi/v2 as protobuf, as client-go does. */
static bool wants_protobuf(const lw_api_call *call)
{
    lw_str accept;
    lw_accept_clause clauses[LW_ACCEPT_CLAUSES_MAX];
    if (!lw_http_request_header(&call->stream->request, "accept", &accept))
        return false;
    size_t count = lw_accept_parse(accept, clauses);
    return count > 0 && lw_str_starts_with(clauses[0].subtype, LW_STR("com.github.proto-openapi"));
}

static lw_openapi_wanted what_is_wanted(const lw_api_call *call)
{
    const lw_route *route = &call->route;
    lw_openapi_wanted wanted = { .form = LW_OPENAPI_V3_VERSION };
    wanted.is_plain = !call->media.takes_gzip;
    wanted.group = route->group;
    wanted.version = route->version;
    if (lw_str_equal(route->root, LW_STR("v2")))
        wanted.form = wants_protobuf(call) ? LW_OPENAPI_V2_PROTO : LW_OPENAPI_V2_JSON;
    else if (route->version.len == 0)
        wanted.form = LW_OPENAPI_V3_INDEX;
    return wanted;
}

/* Tells a client that came with the hash of another document where this one is. */
static void redirect(lw_api_call *call, lw_str hash)
{
    lw_buf location;
    lw_buf_init(&location, LW_HTTP_HEAD_MAX);
    lw_buf_append_str(&location, call->stream->request.path);
    lw_buf_append_text(&location, "?hash=");
    lw_buf_append_str(&location, hash);
    char *text = lw_buf_take_text(&location);
    lw_buf_done(&location);
    if (!text) {
        lw_call_reply_nomem(call);
        return;
    }
    lw_api_reply_head head = { .code = 301, .location = text };
    lw_reply_send(call, &head, lw_bytes_static(LW_STR("")));
    lw_free(text);
}

static void reply(lw_api_call *call, const lw_openapi_wanted *wanted, lw_openapi_document *document)
{
    bool is_proto = wanted->form == LW_OPENAPI_V2_PROTO;
    const char *etag = lw_openapi_document_etag(document);
    lw_str hash = lw_query_get(&call->query, "hash");
    lw_str now = lw_str_make(etag + 1, LW_REPLY_ETAG_SIZE - 3); /* without its quotes */
    lw_api_reply_head head = { .code = 200, .etag = etag };
    head.content_type = is_proto ? protobuf_type : "application/json";
    if (wanted->form <= LW_OPENAPI_V2_PROTO)
        head.vary = "Accept";
    if (wanted->form == LW_OPENAPI_V3_VERSION && hash.len > 0) {
        if (!lw_str_equal(hash, now)) {
            redirect(call, now);
            return;
        }
        head.cache_control = "public, immutable";
    }
    if (lw_reply_is_known(call, etag)) {
        head.code = 304;
        head.content_type = NULL;
        lw_reply_send(call, &head, lw_bytes_static(LW_STR("")));
        return;
    }
    head.is_gzip = !wanted->is_plain;
    lw_reply_send(call, &head, lw_openapi_document_bytes(document));
}

/* Replies with the index of this server's documents and those of other servers.  False: it is that
 * of this server alone, and there was no reply. */
static bool reply_merged(lw_api_call *call)
{
    const lw_aggregation *others = &call->api->aggregation;
    const lw_openapi_wanted wanted = { .form = LW_OPENAPI_V3_INDEX, .is_plain = true };
    lw_openapi_document *document = NULL;
    char etag[LW_REPLY_ETAG_SIZE];
    lw_buf json;
    if (!others->merge || lw_openapi_cache_get_ref(call->api->openapi, call->port->kinds.registry,
                                                   &wanted, &document) < 0)
        return false;
    lw_bytes bytes = lw_openapi_document_bytes(document);
    lw_buf_init(&json, LW_CALL_REPLY_MAX);
    lw_buf_append(&json, bytes.ptr, bytes.len);
    lw_status st = others->merge(others->arg, LW_AGGREGATED_OPENAPI, LW_STR(""), &json);
    bool is_merged = st == LW_OK && json.st == LW_OK && json.len != bytes.len;
    lw_bytes_release(bytes);
    lw_openapi_document_unref(document);
    if (is_merged) {
        lw_reply_etag(lw_buf_view(&json), etag);
        const lw_api_reply_head head = { .code = lw_reply_is_known(call, etag) ? 304 : 200,
                                         .etag = etag,
                                         .content_type = "application/json" };
        if (head.code == 304)
            lw_buf_reset(&json);
        lw_reply_send_buf(call, &head, &json);
    } else {
        lw_buf_done(&json);
    }
    return is_merged;
}

bool lw_rest_openapi_is_cached(const lw_api_call *call)
{
    const lw_openapi_wanted wanted = what_is_wanted(call);
    return lw_openapi_cache_has(call->api->openapi, call->port->kinds.registry, &wanted);
}

void lw_rest_openapi(lw_api_call *call)
{
    const lw_openapi_wanted wanted = what_is_wanted(call);
    lw_openapi_document *document = NULL;
    if (wanted.form == LW_OPENAPI_V3_INDEX && reply_merged(call))
        return;
    lw_status st = lw_openapi_cache_get_ref(call->api->openapi, call->port->kinds.registry, &wanted,
                                            &document);
    if (st == LW_ERR_NOT_FOUND)
        lw_call_reply_nowhere(call);
    else if (st < 0)
        lw_call_reply_nomem(call);
    else
        reply(call, &wanted, document);
    lw_openapi_document_unref(document);
}
