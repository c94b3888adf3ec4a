/* SPDX-License-Identifier: Apache-2.0 */
/* authz_scenarios.c -- authorizers and what they index, with every allocation failing in turn.
 * Something that could not be added grants nothing, and can be added again. */
#include "api/authz/authz.h"
#include "base/error.h"
#include "base/str.h"
#include "oom/oom.h"
#include "json/fields.h"

static const lw_str groups[] = { LW_STR_INIT("system:nodes") };
static const lw_user node = { .name = LW_STR_INIT("system:node:n1"),
                              .groups = groups,
                              .group_count = 1 };

static lw_status wrong(lw_error *err, const char *what)
{
    return lw_error_set(err, LW_ERR_INTERNAL, "wrong: %s", what);
}

static bool may_get(lw_authz *authz, const char *resource, const char *ns, const char *name)
{
    const lw_authz_attributes attributes = { .user = &node,
                                             .verb = LW_STR("get"),
                                             .is_resource = true,
                                             .resource = lw_str_of(resource),
                                             .ns = lw_str_of(ns),
                                             .name = lw_str_of(name) };
    return lw_authz_allows(authz, &attributes);
}

typedef lw_status (*put_fn)(lw_node_graph *graph, const lw_node *object);

static lw_status put_pod(lw_node_graph *graph, const lw_node *object)
{
    return lw_node_graph_put_pod(graph, LW_STR("a"), LW_STR("p"), object, 1);
}

static lw_status put_volume(lw_node_graph *graph, const lw_node *object)
{
    return lw_node_graph_put_volume(graph, LW_STR("pv"), object);
}

static lw_status put_attachment(lw_node_graph *graph, const lw_node *object)
{
    return lw_node_graph_put_placed(graph, LW_REF_ATTACHMENT, lw_key_make("", "va"),
                                    lw_fields_text_at(object, "/spec/nodeName"));
}

static lw_status put(lw_authz *authz, const char *json, put_fn fn, lw_error *err)
{
    lw_tree *tree = NULL;
    lw_status st = lw_tree_parse(&tree, lw_str_of(json), 0, NULL);
    if (st == LW_OK)
        st = fn(lw_authz_node_graph(authz), lw_tree_root(tree));
    lw_tree_free(tree);
    return st < 0 ? lw_error_nomem(err) : LW_OK;
}

static const char pod[] =
    "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"nodeName\":\"n1\",\"serviceAccountName\":\"sa\","
    "\"volumes\":[{\"secret\":{\"secretName\":\"s\"}},{\"configMap\":{\"name\":\"c\"}},"
    "{\"persistentVolumeClaim\":{\"claimName\":\"v\"}}]}}";
static const char volume[] =
    "{\"spec\":{\"claimRef\":{\"namespace\":\"a\",\"name\":\"v\"},"
    "\"csi\":{\"nodeStageSecretRef\":{\"namespace\":\"a\",\"name\":\"k\"}}}}";

static lw_status put_all(lw_authz *authz, lw_error *err)
{
    lw_status st = put(authz, pod, put_pod, err);
    if (st < 0 && (may_get(authz, "pods", "a", "p") || may_get(authz, "secrets", "a", "s")))
        return wrong(err, "a pod that could not be added grants something");
    if (st == LW_OK)
        st = put(authz, volume, put_volume, err);
    if (st < 0 && may_get(authz, "secrets", "a", "k"))
        return wrong(err, "a volume that could not be added grants something");
    if (st == LW_OK)
        st = put(authz, pod, put_pod, err); /* replaces it */
    if (st == LW_OK)
        st = put(authz, "{\"spec\":{\"nodeName\":\"n1\"}}", put_attachment, err);
    return st;
}

static lw_status relates_nodes_to_objects(lw_error *err)
{
    static const lw_authz_mode modes[] = { LW_AUTHZ_MODE_NODE, LW_AUTHZ_MODE_RBAC };
    lw_authz *authz = NULL;
    lw_status st = lw_authz_new(&authz, modes, 2, err);
    if (st < 0)
        return st;
    st = put_all(authz, err);
    if (st == LW_OK &&
        !(may_get(authz, "secrets", "a", "s") && may_get(authz, "secrets", "a", "k") &&
          may_get(authz, "configmaps", "a", "c") && may_get(authz, "persistentvolumes", "", "pv")))
        st = wrong(err, "the node may not read what its pod refers to");
    lw_node_graph_remove_all(lw_authz_node_graph(authz), LW_REF_POD);
    if (may_get(authz, "secrets", "a", "s") || may_get(authz, "secrets", "a", "k"))
        st = wrong(err, "a pod that is gone grants something");
    lw_authz_free(authz);
    return st;
}

const oom_scenario authz_scenarios[] = {
    { "relates_nodes_to_objects", relates_nodes_to_objects },
};
const size_t authz_scenario_count = sizeof(authz_scenarios) / sizeof(authz_scenarios[0]);
