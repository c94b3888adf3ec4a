/* SPDX-License-Identifier: Apache-2.0 */
/* seed.c -- the objects that always exist: namespaces, the priority classes of the system, and the
 * roles and bindings of RBAC; for the Service of the server see seed_service.c. */
#include "api/admission/namespaces.h"
#include "api/api.h"
#include "api/authz/authz.h"
#include "api/authz/bootstrap.h"
#include "api/context/seed_batch.h"
#include "api/seed_service.h"
#include "base/error.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "json/fields.h"

static const char *const always[] = { "default", "kube-node-lease", "kube-public", "kube-system" };

/* As a created one looks: with the finalizer that its deletion waits for, and active. */
static const lw_str blank_namespace =
    LW_STR_INIT("{\"kind\":\"Namespace\",\"apiVersion\":\"v1\",\"metadata\":{\"labels\":{},"
                "\"managedFields\":[{\"manager\":\"kube-apiserver\",\"operation\":\"Update\","
                "\"apiVersion\":\"v1\",\"time\":\"\",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{"
                "\"f:metadata\":{\"f:labels\":{\".\":{},\"f:kubernetes.io/metadata.name\":{}}}}}]},"
                "\"spec\":{\"finalizers\":[\"kubernetes\"]},\"status\":{\"phase\":\"Active\"}}");

static bool is_present(const lw_seed_batch *batch, const lw_kind *kind, lw_key key)
{
    lw_object *present = lw_cache_get_ref(lw_api_resource(batch->api, kind), key.ns, key.name);
    lw_object_unref(present);
    return present != NULL;
}

static lw_status seed_namespace(lw_seed_batch *batch, lw_str name)
{
    const lw_kind *kind = lw_namespace_kind(batch->api);
    lw_tree *tree = NULL;
    if (is_present(batch, kind, (lw_key){ LW_STR(""), name }))
        return LW_OK;
    lw_status st = lw_tree_parse(&tree, blank_namespace, 0, NULL);
    if (st == LW_OK) {
        lw_fields_set_text(tree, lw_fields_find(lw_tree_root(tree), "/metadata/labels"),
                           "kubernetes.io/metadata.name", name);
        lw_fields_set_text(tree,
                           lw_node_at(lw_fields_find(lw_tree_root(tree), "/metadata/managedFields"),
                                      0),
                           "time", lw_str_of(batch->created));
        st = lw_seed_batch_create(batch, kind, (lw_key){ LW_STR(""), name }, tree,
                                  lw_tree_root(tree));
    }
    lw_tree_free(tree);
    return st;
}

static lw_status seed_priority_class(lw_seed_batch *batch, lw_str name, lw_str json)
{
    const lw_key key = { LW_STR(""), name };
    lw_tree *tree = NULL;
    if (is_present(batch, &lw_kind_priorityclasses, key))
        return LW_OK;
    lw_status st = lw_tree_parse(&tree, json, 0, NULL);
    if (st == LW_OK)
        st = lw_seed_batch_create(batch, &lw_kind_priorityclasses, key, tree, lw_tree_root(tree));
    lw_tree_free(tree);
    return st;
}

#define PRIORITY_CLASS "\"kind\":\"PriorityClass\",\"apiVersion\":\"scheduling.k8s.io/v1\""

static lw_status seed_priority_classes(lw_seed_batch *batch)
{
    lw_status st = seed_priority_class(
        batch, LW_STR("system-node-critical"),
        LW_STR("{" PRIORITY_CLASS
               ",\"metadata\":{},\"value\":2000001000,\"description\":\"Used for "
               "system critical pods that must not be moved from their current node.\","
               "\"preemptionPolicy\":\"PreemptLowerPriority\"}"));
    return st < 0
               ? st
               : seed_priority_class(
                     batch, LW_STR("system-cluster-critical"),
                     LW_STR("{" PRIORITY_CLASS
                            ",\"metadata\":{},\"value\":2000000000,\"description\":\"Used for "
                            "system critical pods that must run in the cluster, but can be moved "
                            "to another node if necessary.\","
                            "\"preemptionPolicy\":\"PreemptLowerPriority\"}"));
}

lw_status lw_api_seed_add(lw_seed_batch *batch)
{
    lw_api *api = batch->api;
    lw_status st = LW_OK;
    for (size_t i = 0; i < sizeof(always) / sizeof(always[0]) && st == LW_OK; i++)
        st = seed_namespace(batch, lw_str_of(always[i]));
    if (st == LW_OK && lw_authz_rbac(api->authz))
        st = lw_rbac_bootstrap(batch);
    if (st == LW_OK && api->advertised.has_classes)
        st = seed_priority_classes(batch);
    if (st == LW_OK && api->advertised.port > 0)
        st = lw_seed_service(batch);
    return st;
}

lw_status lw_api_seed(lw_api *api, lw_error *err)
{
    lw_seed_batch batch;
    lw_status st = lw_seed_batch_init(&batch, api, err);
    if (st == LW_OK && (st = lw_api_seed_add(&batch)) < 0)
        st = lw_error_set(err, st, "out of memory while the server's own objects were made");
    if (st == LW_OK)
        st = lw_seed_batch_commit(&batch, err);
    lw_seed_batch_done(&batch);
    return st;
}
