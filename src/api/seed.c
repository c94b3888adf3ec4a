/* SPDX-License-Identifier: Apache-2.0 */
/* seed.c -- the objects that always exist: namespaces and, with RBAC, its roles and bindings and
 * the range of cluster IPs. */
#include <stdio.h>

#include "api/admission/namespaces.h"
#include "api/api.h"
#include "api/authz/authz.h"
#include "api/authz/bootstrap.h"
#include "api/context/seed_batch.h"
#include "base/error.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "json/fields.h"

static const char *const always[] = { "default", "kube-node-lease", "kube-public", "kube-system" };

/* As a created one looks: with the finalizer that its deletion waits for, and active. */
static const lw_str blank_namespace =
    LW_STR_INIT("{\"kind\":\"Namespace\",\"apiVersion\":\"v1\",\"metadata\":{\"labels\":{}},"
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
        st = lw_seed_batch_create(batch, kind, (lw_key){ LW_STR(""), name }, tree,
                                  lw_tree_root(tree));
    }
    lw_tree_free(tree);
    return st;
}

/* The range from which cluster IPs are taken; %s is the range. */
static const char service_range[] =
    "{\"kind\":\"ServiceCIDR\",\"apiVersion\":\"networking.k8s.io/v1\",\"metadata\":{},"
    "\"spec\":{\"cidrs\":[\"%s\"]},\"status\":{\"conditions\":[{"
    "\"type\":\"Ready\",\"status\":\"True\",\"lastTransitionTime\":null,\"reason\":\"\","
    "\"message\":\"Kubernetes default Service CIDR is ready\"}]}}";

static lw_status seed_service_range(lw_seed_batch *batch)
{
    const lw_key key = { LW_STR(""), LW_STR("kubernetes") };
    lw_tree *tree = NULL;
    if (is_present(batch, &lw_kind_servicecidrs, key))
        return LW_OK;
    char text[sizeof(service_range) + LW_SERVICE_RANGE_SIZE];
    (void)snprintf(text, sizeof(text), service_range, batch->api->service_ranges.ip_text);
    lw_status st = lw_tree_parse(&tree, lw_str_of(text), 0, NULL);
    if (st == LW_OK) {
        lw_fields_set_text(tree, lw_fields_find(lw_tree_root(tree), "/status/conditions/0"),
                           "lastTransitionTime", lw_str_of(batch->created));
        st = lw_seed_batch_create(batch, &lw_kind_servicecidrs, key, tree, lw_tree_root(tree));
    }
    lw_tree_free(tree);
    return st;
}

lw_status lw_api_seed(lw_api *api, lw_error *err)
{
    lw_seed_batch batch;
    lw_status st = lw_seed_batch_init(&batch, api, err);
    for (size_t i = 0; i < sizeof(always) / sizeof(always[0]) && st == LW_OK; i++)
        st = seed_namespace(&batch, lw_str_of(always[i]));
    if (st == LW_OK && lw_authz_rbac(api->authz))
        st = lw_rbac_bootstrap(&batch);
    if (st == LW_OK && lw_authz_rbac(api->authz)) /* for the control plane, which has roles */
        st = seed_service_range(&batch);
    if (st == LW_ERR_NOMEM || st == LW_ERR_LIMIT)
        st = lw_error_set(err, st, "out of memory while the server's own objects were made");
    if (st == LW_OK)
        st = lw_seed_batch_commit(&batch, err);
    lw_seed_batch_done(&batch);
    return st;
}
