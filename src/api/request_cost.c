/* SPDX-License-Identifier: Apache-2.0 */
/* request_cost.c -- the one place that decides which requests are heavy.
 *
 *     request                        heavy if
 *     any write                      its body is large
 *     patch, apply                   the stored object is large
 *     get                            the object is large and must be converted
 *     list                           many objects must be converted, or gone through
 *     deletecollection               there are many objects
 *     OpenAPI                        the document is not cached
 *     discovery                      there are very many kinds
 *     watch                          never: a watch sends what it has in small portions
 *
 * "Converted" means every form but the JSON that the cache has: Table, YAML, protobuf that is not
 * cached, indented, compressed.  A list in plain JSON shares the bytes of the cache.  Health checks
 * and metrics do not get here (server/handler.c), and renewals of leases are small. */
#include "api/request_cost.h"

#include "api/http/reply.h"
#include "api/read/read.h"
#include "base/str.h"

static bool is_converted(const lw_api_call *call, size_t bytes)
{
    const lw_media *media = &call->media;
    return media->format != LW_MEDIA_JSON || media->as != LW_MEDIA_AS_IS || media->is_pretty ||
           call->route.kind->conversion || call->route.kind->custom ||
           (media->takes_gzip && bytes > LW_REPLY_GZIP_MIN);
}

static size_t stored_bytes(const lw_api_call *call)
{
    lw_cache_resource *resource = lw_api_resource(call->api, call->route.kind);
    lw_object *obj = resource ? lw_cache_get_ref(resource, call->route.ns, call->route.name) : NULL;
    size_t bytes = obj ? lw_object_json(obj).len : 0;
    lw_object_unref(obj);
    return bytes;
}

static void measure(const lw_api_call *call, size_t *objects, size_t *bytes)
{
    lw_cache_resource *resource = lw_api_resource(call->api, call->route.kind);
    *objects = *bytes = 0;
    if (resource)
        lw_cache_measure(resource, call->route.ns, objects, bytes);
}

static bool is_heavy_list(const lw_api_call *call)
{
    size_t objects, bytes;
    uint64_t limit = 0;
    measure(call, &objects, &bytes);
    if (lw_query_get(&call->query, "labelSelector").len > 0 ||
        lw_query_get(&call->query, "fieldSelector").len > 0)
        return objects > LW_COST_LIST_OBJECTS || bytes > LW_COST_LIST_BYTES;
    if (lw_str_to_uint64(lw_query_get(&call->query, "limit"), &limit) && limit > 0 &&
        limit < objects) {
        bytes = bytes / objects * (size_t)limit;
        objects = (size_t)limit;
    }
    return objects > LW_COST_LIST_OBJECTS ||
           (bytes > LW_COST_LIST_BYTES && is_converted(call, bytes));
}

static bool is_heavy_collection(const lw_api_call *call)
{
    size_t objects, bytes;
    measure(call, &objects, &bytes);
    return objects > LW_COST_DELETE_COLLECTION_OBJECTS;
}

static bool is_heavy_get(const lw_api_call *call)
{
    if (!is_converted(call, SIZE_MAX))
        return false;
    size_t bytes = stored_bytes(call);
    return bytes > LW_COST_OBJECT_BYTES && is_converted(call, bytes);
}

static bool is_heavy_verb(const lw_api_call *call)
{
    switch (call->route.verb) {
    case LW_VERB_GET: return is_heavy_get(call);
    case LW_VERB_LIST: return is_heavy_list(call);
    case LW_VERB_PATCH: return stored_bytes(call) > LW_COST_OBJECT_BYTES;
    case LW_VERB_DELETE_COLLECTION: return is_heavy_collection(call);
    default: return false;
    }
}

bool lw_request_is_heavy(const lw_api_call *call)
{
    size_t kinds = 0;
    if (call->stream->request.body.len > LW_COST_BODY_BYTES)
        return call->route.verb != LW_VERB_WATCH;
    switch (call->route.target) {
    case LW_ROUTE_RESOURCE: return is_heavy_verb(call);
    case LW_ROUTE_OPENAPI: return !lw_rest_openapi_is_cached(call);
    case LW_ROUTE_DISCOVERY:
        (void)lw_registry_kinds(call->port->kinds.registry, &kinds);
        return kinds > LW_COST_DISCOVERY_KINDS;
    default: return false;
    }
}
