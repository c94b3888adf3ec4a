/* SPDX-License-Identifier: Apache-2.0 */
/* rest_discovery.c -- what is served, told to clients: /api, /apis, /openapi, /version.
 * The documents are made by the schema; here it is decided which one, and when a client has it
 * already. */
#include "api/call.h"

#include <listwatch/version.h>

#include "api/accept.h"
#include "api/core.h"
#include "api/reply.h"
#include "base/alloc.h"
#include "base/str.h"
#include "schema/discovery.h"

static const char aggregated_type[] =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
static const char openapi_v2_protobuf[] =
    "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

static void reply_nowhere(lw_api_call *call)
{
    lw_call_reply_text(call, 404, "text/plain; charset=utf-8", LW_STR("404 page not found\n"));
}

/* Whether If-None-Match names |etag|, or anything. */
static bool has_etag(const lw_api_call *call, const char *etag)
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

/* Sends |json| with its ETag, or 304 when the client has it.  |head| says the rest. */
static void reply_tagged(lw_api_call *call, const lw_reply_head *head, lw_buf *json)
{
    char etag[LW_REPLY_ETAG_SIZE];
    lw_reply_head sent = *head;
    if (json->st < 0) {
        lw_buf_done(json);
        lw_call_reply_nomem(call);
        return;
    }
    lw_reply_etag(lw_buf_view(json), etag);
    sent.etag = etag;
    if (has_etag(call, etag)) {
        sent.code = 304;
        sent.content_type = NULL;
        lw_buf_done(json);
        lw_reply_send(call, &sent, lw_bytes_static(LW_STR("")));
        return;
    }
    lw_status st = lw_reply_dress(&call->media, json);
    if (st < 0) {
        lw_buf_done(json);
        lw_call_reply_nomem(call);
        return;
    }
    lw_reply_send_buf(call, &sent, json);
}

static void reply_aggregated(lw_api_call *call, bool is_core)
{
    lw_buf json;
    lw_json_writer w;
    lw_buf_init(&json, LW_CALL_REPLY_MAX);
    lw_json_writer_init(&w, &json, LW_JSON_COMPACT);
    lw_discovery_aggregated(call->port->kinds.registry, is_core, &w);
    lw_reply_head head = {
        .code = 200, .content_type = aggregated_type, .cache_control = "public", .vary = "Accept"
    };
    reply_tagged(call, &head, &json);
}

/* /api, /apis, /apis/g, /api/v1, /apis/g/v */
static void reply_discovery(lw_api_call *call)
{
    const lw_route *route = &call->route;
    const lw_registry *registry = call->port->kinds.registry;
    bool is_core = lw_str_equal(route->root, LW_STR("api"));
    bool is_found = true;
    if (call->media.as == LW_MEDIA_DISCOVERY) {
        reply_aggregated(call, is_core);
        return;
    }
    lw_buf json;
    lw_json_writer w;
    lw_buf_init(&json, LW_CALL_REPLY_MAX);
    lw_json_writer_init(&w, &json, LW_JSON_COMPACT);
    if (route->version.len > 0)
        is_found = lw_discovery_resources(registry, route->group, route->version, &w);
    else if (route->group.len > 0)
        is_found = lw_discovery_group(registry, route->group, &w);
    else if (is_core)
        lw_discovery_core_versions(registry, lw_str_of(call->api->server_address), &w);
    else
        lw_discovery_groups(registry, &w);
    if (is_found) {
        lw_call_reply_json(call, 200, &json);
    } else {
        lw_buf_done(&json);
        reply_nowhere(call);
    }
}

/* The hash of a document as its ETag and the index show it, without quotes. */
static lw_str bare_hash(const char *etag)
{
    return lw_str_make(etag + 1, LW_REPLY_ETAG_SIZE - 3);
}

/* Tells a client that came with the hash of another document where this one is. */
static void redirect(lw_api_call *call, const char *etag)
{
    lw_buf location;
    lw_buf_init(&location, LW_HTTP_HEAD_MAX);
    lw_buf_append_str(&location, call->stream->request.path);
    lw_buf_append_text(&location, "?hash=");
    lw_buf_append_str(&location, bare_hash(etag));
    char *text = lw_buf_take_text(&location);
    lw_buf_done(&location);
    if (!text) {
        lw_call_reply_nomem(call);
        return;
    }
    lw_reply_head head = { .code = 301, .location = text };
    lw_reply_send(call, &head, lw_bytes_static(LW_STR("")));
    lw_free(text);
}

static void reply_openapi_v3(lw_api_call *call)
{
    const lw_route *route = &call->route;
    char etag[LW_REPLY_ETAG_SIZE];
    lw_str hash = lw_query_get(&call->query, "hash");
    lw_reply_head head = { .code = 200, .content_type = "application/json" };
    lw_buf json;
    lw_json_writer w;
    lw_buf_init(&json, LW_CALL_REPLY_MAX);
    lw_json_writer_init(&w, &json, LW_JSON_COMPACT);
    if (route->version.len == 0) {
        lw_openapi_v3_index(call->port->kinds.registry, &w);
        reply_tagged(call, &head, &json);
        return;
    }
    if (!lw_openapi_v3_group(call->port->kinds.registry, route->group, route->version, &w)) {
        lw_buf_done(&json);
        reply_nowhere(call);
        return;
    }
    lw_reply_etag(lw_buf_view(&json), etag);
    if (json.st == LW_OK && hash.len > 0 && !lw_str_equal(hash, bare_hash(etag))) {
        lw_buf_done(&json);
        redirect(call, etag);
        return;
    }
    if (hash.len > 0)
        head.cache_control = "public, immutable";
    reply_tagged(call, &head, &json);
}

/* Whether the client would rather have /openapi/v2 as protobuf, as kubectl up to 1.2x does. */
static bool wants_protobuf(const lw_api_call *call)
{
    lw_str accept;
    lw_accept_clause clauses[LW_ACCEPT_CLAUSES_MAX];
    if (!lw_http_request_header(&call->stream->request, "accept", &accept))
        return false;
    size_t count = lw_accept_parse(accept, clauses);
    return count > 0 && lw_str_starts_with(clauses[0].subtype, LW_STR("com.github.proto-openapi"));
}

static void reply_openapi_v2(lw_api_call *call)
{
    if (wants_protobuf(call)) {
        /* No models: kubectl then checks nothing by itself, and the server does. */
        lw_reply_head head = { .code = 200, .content_type = openapi_v2_protobuf };
        lw_reply_send(call, &head, lw_bytes_static(LW_STR("")));
        return;
    }
    lw_reply_head head = { .code = 200, .content_type = "application/json", .vary = "Accept" };
    lw_buf json;
    lw_json_writer w;
    lw_buf_init(&json, LW_CALL_REPLY_MAX);
    lw_json_writer_init(&w, &json, LW_JSON_COMPACT);
    lw_openapi_v2(call->port->kinds.registry, &w);
    reply_tagged(call, &head, &json);
}

#if defined(__aarch64__)
#define PLATFORM "linux/arm64"
#elif defined(__x86_64__)
#define PLATFORM "linux/amd64"
#else
#define PLATFORM "linux/unknown"
#endif

#if defined(__clang__)
#define COMPILER "clang"
#else
#define COMPILER "gcc"
#endif

static void write_version(lw_buf *out)
{
    lw_json_writer w;
    lw_buf version;
    lw_buf_init(&version, 256);
    lw_buf_append_text(&version, "v1.36.0-listwatch.");
    lw_buf_append_text(&version, lw_version());
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    lw_json_write_object_begin(&w);
    lw_json_write_member_string(&w, "major", LW_STR("1"));
    lw_json_write_member_string(&w, "minor", LW_STR("36"));
    lw_json_write_member_string(&w, "gitVersion", lw_buf_view(&version));
    lw_json_write_member_string(&w, "gitCommit", LW_STR(""));
    lw_json_write_member_string(&w, "gitTreeState", LW_STR(""));
    lw_json_write_member_string(&w, "buildDate", LW_STR("1970-01-01T00:00:00Z"));
    lw_json_write_member_string(&w, "goVersion", LW_STR(COMPILER " " __VERSION__));
    lw_json_write_member_string(&w, "compiler", LW_STR(COMPILER));
    lw_json_write_member_string(&w, "platform", LW_STR(PLATFORM));
    lw_json_write_object_end(&w);
    if (version.st < 0)
        out->st = version.st;
    lw_buf_done(&version);
}

/* /version, indented whoever asks, as kube-apiserver does. */
static void reply_version(lw_api_call *call)
{
    lw_buf json;
    lw_buf_init(&json, LW_CALL_REPLY_MAX);
    write_version(&json);
    call->media = (lw_media){ .format = LW_MEDIA_JSON, .is_pretty = true };
    lw_call_reply_json(call, 200, &json);
}

void lw_rest_discovery(lw_api_call *call)
{
    if (call->route.target == LW_ROUTE_VERSION)
        reply_version(call);
    else if (call->route.target == LW_ROUTE_DISCOVERY)
        reply_discovery(call);
    else if (lw_str_equal(call->route.root, LW_STR("v2")))
        reply_openapi_v2(call);
    else
        reply_openapi_v3(call);
}
