/* SPDX-License-Identifier: Apache-2.0 */
/* node_feed.c -- passes pods, volumes and objects of nodes from the cache to the graph of nodes.
 *
 * Most changes of pods are changes of their status.  The references of a pod are read only if its
 * spec, its annotations or its claims of devices have changed; otherwise a change costs one scan.
 * If memory runs out, the cache drops the resource and loads it again later; until then its objects
 * relate to no node. */
#include "api/authz/node_feed.h"

#include "api/authz/pod_text.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"

static lw_str ns_of(const lw_object *obj)
{
    return lw_str_of(lw_object_namespace(obj));
}

static lw_str name_of(const lw_object *obj)
{
    return lw_str_of(lw_object_name(obj));
}

/* Adds a pod whose text has something rare. */
static lw_status put_parsed(lw_node_graph *graph, const lw_object *obj, uint64_t print)
{
    lw_tree *tree = NULL;
    lw_status st = lw_tree_parse(&tree, lw_object_json(obj), 0, NULL);
    if (st == LW_OK)
        st = lw_node_graph_put_pod(graph, ns_of(obj), name_of(obj), lw_tree_root(tree), print);
    lw_tree_free(tree);
    return st;
}

static lw_status put_changed(lw_node_graph *graph, const lw_object *obj)
{
    lw_pod_text pod;
    lw_str json = lw_object_json(obj);
    if (lw_pod_text_read(json, &pod)) {
        uint64_t print = pod.node.len > 0 ? lw_node_graph_print(graph, &pod.parts) : 0;
        return lw_node_graph_put_pod_text(graph, ns_of(obj), name_of(obj), &pod, print);
    }
    lw_pod_text_find_parts(json, &pod.parts);
    return put_parsed(graph, obj, lw_node_graph_print(graph, &pod.parts));
}

static lw_status put_pod(const lw_object *obj, void *arg)
{
    lw_node_graph *graph = arg;
    lw_pod_text_parts parts;
    uint64_t print;
    if (lw_node_graph_find_pod(graph, ns_of(obj), name_of(obj), &print)) {
        lw_pod_text_find_parts(lw_object_json(obj), &parts);
        if (lw_node_graph_print(graph, &parts) == print)
            return LW_OK;
    }
    return put_changed(graph, obj);
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
