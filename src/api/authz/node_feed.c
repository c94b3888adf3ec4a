/* SPDX-License-Identifier: Apache-2.0 */
/* node_feed.c -- passes pods, volumes and attachments from the cache to the graph of nodes.
 *
 * Most changes of pods are changes of their status.  A pod is parsed, in parts, only if its spec
 * has changed; otherwise a change costs one scan.  If memory runs out, the cache drops the resource
 * and loads it again later; until then its objects relate to no node. */
#include "api/authz/node_feed.h"

#include "api/authz/pod_outline.h"
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

static bool has_node(lw_str spec)
{
    lw_json_cursor c = lw_json_cursor_on(spec);
    return lw_json_cursor_find_member(&c, LW_STR("nodeName"));
}

static lw_status put_pod(const lw_object *obj, void *arg)
{
    lw_node_graph *graph = arg;
    lw_tree *tree = NULL;
    lw_str spec = LW_STR(""), annotations = LW_STR("");
    if (lw_object_raw(obj, "/spec", &spec) < 0 || !has_node(spec)) {
        lw_node_graph_remove_pod(graph, ns_of(obj), name_of(obj));
        return LW_OK;
    }
    (void)lw_object_raw(obj, "/metadata/annotations", &annotations);
    uint64_t print = lw_node_graph_print(graph, spec, annotations);
    if (lw_node_graph_has_pod(graph, ns_of(obj), name_of(obj), print))
        return LW_OK;
    lw_status st = lw_pod_outline_parse(lw_object_json(obj), &tree);
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

typedef lw_status (*put_fn)(lw_node_graph *graph, lw_str name, const lw_node *node);

static lw_status put_parsed(const lw_object *obj, lw_node_graph *graph, put_fn put)
{
    lw_tree *tree = NULL;
    lw_status st = lw_tree_parse(&tree, lw_object_json(obj), 0, NULL);
    if (st == LW_OK)
        st = put(graph, name_of(obj), lw_tree_root(tree));
    lw_tree_free(tree);
    return st;
}

static lw_status put_volume(const lw_object *obj, void *arg)
{
    return put_parsed(obj, arg, lw_node_graph_put_volume);
}

static void remove_volume(const lw_object *obj, void *arg)
{
    lw_node_graph_remove_volume(arg, name_of(obj));
}

static void reset_volumes(void *arg)
{
    lw_node_graph_remove_all(arg, LW_REF_VOLUME);
}

static lw_status put_attachment(const lw_object *obj, void *arg)
{
    return put_parsed(obj, arg, lw_node_graph_put_attachment);
}

static void remove_attachment(const lw_object *obj, void *arg)
{
    lw_node_graph_remove_attachment(arg, name_of(obj));
}

static void reset_attachments(void *arg)
{
    lw_node_graph_remove_all(arg, LW_REF_ATTACHMENT);
}

void lw_node_feed_start(lw_node_graph *graph, lw_api *api)
{
    const struct {
        const lw_kind *kind;
        lw_cache_observer observer;
    } feeds[] = {
        { &lw_kind_pods, { put_pod, remove_pod, reset_pods, graph } },
        { &lw_kind_persistentvolumes, { put_volume, remove_volume, reset_volumes, graph } },
        { &lw_kind_volumeattachments,
          { put_attachment, remove_attachment, reset_attachments, graph } },
    };
    for (size_t i = 0; i < sizeof(feeds) / sizeof(feeds[0]); i++)
        lw_cache_observe(lw_api_resource(api, feeds[i].kind), &feeds[i].observer);
}
