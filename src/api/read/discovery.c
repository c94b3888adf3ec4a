/* SPDX-License-Identifier: Apache-2.0 */
/* discovery.c -- what is served, told to clients: /api, /apis, /version.
 * The documents are made by the schema; here it is decided which one, and when a client has it
 * already. */
#include "api/http/call.h"
#include "api/read/read.h"

#include <listwatch/version.h>

#include "api/http/reply.h"
#include "base/str.h"
#include "schema/discovery/discovery.h"

#define AGGREGATED ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

/* Adds what other servers serve to |json|, which is empty if this server serves nothing of it. */
static lw_status merge(const lw_api_call *call, lw_aggregated_document document, lw_buf *json)
{
    const lw_aggregation *others = &call->api->aggregation;
    if (json->st < 0)
        return json->st;
    if (others->merge)
        return others->merge(others->arg, document, call->route.group, json);
    return json->len > 0 ? LW_OK : LW_ERR_NOT_FOUND;
}

/* Sends |json| with its ETag, or 304 when the client has it.  |head| says the rest. */
static void reply_tagged(lw_api_call *call, const lw_api_reply_head *head, lw_buf *json)
{
    char etag[LW_REPLY_ETAG_SIZE];
    lw_api_reply_head sent = *head;
    if (json->st < 0) {
        lw_buf_done(json);
        lw_call_reply_nomem(call);
        return;
    }
    lw_reply_etag(lw_buf_view(json), etag);
    sent.etag = etag;
    if (lw_reply_is_known(call, etag)) {
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
    if (!is_core && json.st == LW_OK && merge(call, LW_AGGREGATED_DISCOVERY, &json) < 0)
        json.st = LW_ERR_NOMEM;
    bool is_protobuf = call->media.format == LW_MEDIA_PROTOBUF;
    bool is_cbor = call->media.format == LW_MEDIA_CBOR;
    lw_api_reply_head head = { .code = 200,
                               .content_type =
                                   is_protobuf ? "application/vnd.kubernetes.protobuf" AGGREGATED
                                   : is_cbor   ? "application/cbor" AGGREGATED
                                               : "application/json" AGGREGATED,
                               .cache_control = "public",
                               .vary = "Accept" };
    reply_tagged(call, &head, &json);
}

/* Writes the document of a group, of which other servers may have versions; false: nobody has
 * one. */
static bool add_group(const lw_api_call *call, lw_json_writer *w, lw_buf *json)
{
    if (!lw_discovery_group(call->port->kinds.registry, call->route.group, w))
        lw_buf_reset(json);
    lw_status st = merge(call, LW_AGGREGATED_GROUP, json);
    if (st < 0 && st != LW_ERR_NOT_FOUND)
        json->st = st;
    return st != LW_ERR_NOT_FOUND;
}

static void add_groups(const lw_api_call *call, lw_json_writer *w, lw_buf *json)
{
    lw_discovery_groups(call->port->kinds.registry, w);
    lw_status st = merge(call, LW_AGGREGATED_GROUPS, json);
    if (st < 0)
        json->st = st;
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
        is_found = add_group(call, &w, &json);
    else if (is_core)
        lw_discovery_core_versions(registry, lw_str_of(call->api->server_address), &w);
    else
        add_groups(call, &w, &json);
    if (is_found) {
        lw_call_reply_json(call, 200, &json);
    } else {
        lw_buf_done(&json);
        lw_call_reply_nowhere(call);
    }
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

/* Serves /version, always indented, as kube-apiserver does. */
static void reply_version(lw_api_call *call)
{
    lw_buf json;
    lw_buf_init(&json, LW_CALL_REPLY_MAX);
    write_version(&json);
    call->media = (lw_media){ .format = LW_MEDIA_JSON, .is_pretty = true };
    lw_call_reply_json(call, 200, &json);
}

void lw_rest_nowhere(lw_api_call *call)
{
    const lw_route *route = &call->route;
    bool is_group = lw_str_equal(route->root, LW_STR("apis")) && route->group.len > 0 &&
                    route->version.len == 0;
    if (is_group && call->stream->request.method == LW_HTTP_GET && call->api->aggregation.merge)
        reply_discovery(call);
    else
        lw_call_reply_nowhere(call);
}

void lw_rest_discovery(lw_api_call *call)
{
    if (call->route.target == LW_ROUTE_VERSION)
        reply_version(call);
    else
        reply_discovery(call);
}
