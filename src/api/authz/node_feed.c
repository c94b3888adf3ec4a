/* SPDX-License-Identifier: Apache-2.0 */
/* node_feed.c -- passes pods, volumes and objects of nodes from the cache to the graph of nodes.
 *
 * Most changes of pods are changes of their status.  A pod is parsed, in parts, only if its spec,
 * its annotations or its claims of devices have changed; otherwise a change costs one scan.  If
 * memory runs out, the cache drops the resource and loads it again later; until then its objects
 * relate to no node. */
#include "api/authz/node_feed.h"

#include "api/authz/pod_outline.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "json/cursor.h"
#include "json/text.h"

static lw_str ns_of(const lw_object *obj)
{
    return lw_str_of(lw_object_namespace(obj));
}

static lw_str name_of(const lw_object *obj)
{
    return lw_str_of(lw_object_name(obj));
}

/* The value of the member |name| of the object |json|; empty: there is none. */
static lw_str member_of(lw_str json, lw_str name)
{
    lw_json_cursor c = lw_json_cursor_on(json);
    return json.len > 0 && lw_json_cursor_find_member(&c, name) ? lw_json_cursor_skip(&c)
                                                                : LW_STR("");
}

/* The claims of devices in |status|, in one walk: most statuses have none. */
static void find_claims(lw_json_cursor status, lw_node_pod_parts *parts)
{
    lw_str raw_key;
    if (lw_json_cursor_type(&status) != LW_JSON_OBJECT)
        return;
    lw_json_cursor_enter(&status);
    while (lw_json_cursor_next_member(&status, &raw_key)) {
        lw_str value = lw_json_cursor_skip(&status);
        if (lw_json_text_equal(raw_key, LW_STR("resourceClaimStatuses")))
            parts->claims = value;
        else if (lw_json_text_equal(raw_key, LW_STR("extendedResourceClaimStatus")))
            parts->extended_claim = value;
    }
}

static lw_node_pod_parts parts_of(lw_str json)
{
    lw_node_pod_parts parts = { .spec = LW_STR("") };
    lw_str raw_key, metadata = LW_STR(""), status = LW_STR("");
    lw_json_cursor c = lw_json_cursor_on(json);
    lw_json_cursor_enter(&c);
    while (lw_json_cursor_next_member(&c, &raw_key)) {
        lw_str value = lw_json_cursor_skip(&c);
        if (lw_json_text_equal(raw_key, LW_STR("spec")))
            parts.spec = value;
        else if (lw_json_text_equal(raw_key, LW_STR("metadata")))
            metadata = value;
        else if (lw_json_text_equal(raw_key, LW_STR("status")))
            status = value;
    }
    parts.annotations = member_of(metadata, LW_STR("annotations"));
    find_claims(lw_json_cursor_on(status), &parts);
    return parts;
}

static lw_status put_pod(const lw_object *obj, void *arg)
{
    lw_node_graph *graph = arg;
    lw_tree *tree = NULL;
    lw_str json = lw_object_json(obj);
    const lw_node_pod_parts parts = parts_of(json);
    uint64_t print = lw_node_graph_print(graph, &parts);
    if (lw_node_graph_has_pod(graph, ns_of(obj), name_of(obj), print))
        return LW_OK;
    if (member_of(parts.spec, LW_STR("nodeName")).len == 0) {
        lw_node_graph_remove_pod(graph, ns_of(obj), name_of(obj));
        return LW_OK;
    }
    lw_status st = lw_pod_outline_parse(json, &tree);
    if (st == LW_OK)
        st = lw_node_graph_put_pod(graph, ns_of(obj), name_of(obj), lw_tree_root(tree), print);
    lw_tree_free(tree);
    return st;
}

static void remove_pod(const lw_object *obj, void *arg)
{
    lw_node_graph_remove_pod(arg, ns_of(obj), name_of(obj));
}

static void reset_pods(void *arg)
{
    lw_node_graph_remove_all(arg, LW_REF_POD);
}

static lw_status put_volume(const lw_object *obj, void *arg)
{
    lw_tree *tree = NULL;
    lw_status st = lw_tree_parse(&tree, lw_object_json(obj), 0, NULL);
    if (st == LW_OK)
        st = lw_node_graph_put_volume(arg, name_of(obj), lw_tree_root(tree));
    lw_tree_free(tree);
    return st;
}

static void remove_volume(const lw_object *obj, void *arg)
{
    lw_node_graph_remove_volume(arg, name_of(obj));
}

static void reset_volumes(void *arg)
{
    lw_node_graph_remove_all(arg, LW_REF_VOLUME);
}

static lw_status put_placed(const lw_object *obj, void *arg)
{
    const lw_node_placed *placed = arg;
    lw_str node;
    lw_status st = lw_object_get_string(obj, "/spec/nodeName", &node);
    if (st == LW_ERR_NOMEM)
        return st;
    return lw_node_graph_put_placed(placed->graph, placed->kind, lw_object_key(obj),
                                    st == LW_OK ? node : LW_STR(""));
}

static void remove_placed(const lw_object *obj, void *arg)
{
    const lw_node_placed *placed = arg;
    lw_node_graph_remove_placed(placed->graph, placed->kind, lw_object_key(obj));
}

static void reset_placed(void *arg)
{
    const lw_node_placed *placed = arg;
    lw_node_graph_remove_all(placed->graph, placed->kind);
}

static void follow(lw_api *api, const lw_kind *kind, const lw_cache_observer *observer)
{
    lw_cache_observe(lw_api_resource(api, kind), observer);
}

static void follow_placed(lw_api *api, const lw_kind *kind, lw_node_placed *placed)
{
    follow(api, kind, &(lw_cache_observer){ put_placed, remove_placed, reset_placed, placed });
}

void lw_node_feed_start(lw_node_feed *feed, lw_node_graph *graph, lw_api *api)
{
    feed->attachments = (lw_node_placed){ graph, LW_REF_ATTACHMENT };
    feed->slices = (lw_node_placed){ graph, LW_REF_RESOURCE_SLICE };
    feed->requests = (lw_node_placed){ graph, LW_REF_CERTIFICATE_REQUEST };
    follow(api, &lw_kind_pods, &(lw_cache_observer){ put_pod, remove_pod, reset_pods, graph });
    follow(api, &lw_kind_persistentvolumes,
           &(lw_cache_observer){ put_volume, remove_volume, reset_volumes, graph });
    follow_placed(api, &lw_kind_volumeattachments, &feed->attachments);
    follow_placed(api, &lw_kind_resourceslices, &feed->slices);
    follow_placed(api, &lw_kind_podcertificaterequests, &feed->requests);
}
