/* SPDX-License-Identifier: Apache-2.0 */
/* seed_service.c -- the Service default/kubernetes with its address and its endpoints.
 *
 * Each object is made from a template.  One that is stored already only gets what another address
 * or port of the server changes. */
#include "api/seed_service.h"

#include <string.h>

#include "api/allocation/cluster_ip.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "json/fields.h"

#define NAME "kubernetes"

static const lw_str blank_range = LW_STR_INIT(
    "{\"kind\":\"ServiceCIDR\",\"apiVersion\":\"networking.k8s.io/v1\",\"metadata\":{},"
    "\"spec\":{\"cidrs\":[]},\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\","
    "\"lastTransitionTime\":null,\"reason\":\"\","
    "\"message\":\"Kubernetes default Service CIDR is ready\"}]}}");

static const lw_str blank_service = LW_STR_INIT(
    "{\"kind\":\"Service\",\"apiVersion\":\"v1\",\"metadata\":{\"labels\":{"
    "\"component\":\"apiserver\",\"provider\":\"kubernetes\"}},\"spec\":{\"ports\":[{"
    "\"name\":\"https\",\"protocol\":\"TCP\",\"port\":443,\"targetPort\":0}],\"clusterIP\":\"\","
    "\"clusterIPs\":[],\"type\":\"ClusterIP\",\"sessionAffinity\":\"None\","
    "\"ipFamilies\":[\"IPv4\"],\"ipFamilyPolicy\":\"SingleStack\","
    "\"internalTrafficPolicy\":\"Cluster\"},\"status\":{\"loadBalancer\":{}}}");

static const lw_str blank_endpoints = LW_STR_INIT(
    "{\"kind\":\"Endpoints\",\"apiVersion\":\"v1\",\"metadata\":{\"labels\":{"
    "\"endpointslice.kubernetes.io/skip-mirror\":\"true\"}},\"subsets\":[{\"addresses\":[{"
    "\"ip\":\"\"}],\"ports\":[{\"name\":\"https\",\"port\":0,\"protocol\":\"TCP\"}]}]}");

static const lw_str blank_slice = LW_STR_INIT(
    "{\"kind\":\"EndpointSlice\",\"apiVersion\":\"discovery.k8s.io/v1\",\"metadata\":{"
    "\"labels\":{\"kubernetes.io/service-name\":\"" NAME "\"}},\"addressType\":\"IPv4\","
    "\"endpoints\":[{\"addresses\":[],\"conditions\":{\"ready\":true}}],"
    "\"ports\":[{\"name\":\"https\",\"protocol\":\"TCP\",\"port\":0}]}");

static const lw_str blank_address = LW_STR_INIT(
    "{\"kind\":\"IPAddress\",\"apiVersion\":\"networking.k8s.io/v1\",\"metadata\":{\"labels\":{"
    "\"ipaddress.kubernetes.io/ip-family\":\"IPv4\","
    "\"ipaddress.kubernetes.io/managed-by\":\"ipallocator.k8s.io\"}},\"spec\":{\"parentRef\":{"
    "\"resource\":\"services\",\"namespace\":\"default\",\"name\":\"" NAME "\"}}}");

/* Makes member |key| the list of |text| alone. */
static void set_only(lw_tree *tree, lw_node *object, const char *key, lw_str text)
{
    lw_node *list = lw_tree_array(tree);
    lw_node_append(tree, list, lw_tree_string(tree, text));
    lw_node_put(tree, object, lw_str_of(key), list);
}

static void fill_range(const lw_seed_batch *batch, lw_tree *tree)
{
    lw_node *root = lw_tree_root(tree);
    set_only(tree, lw_node_get(root, LW_STR("spec")), "cidrs",
             lw_str_of(batch->api->service_ranges.ip_text));
    lw_fields_set_text(tree, lw_node_at(lw_fields_find(root, "/status/conditions"), 0),
                       "lastTransitionTime", lw_str_of(batch->created));
}

static void fill_service(const lw_seed_batch *batch, lw_tree *tree)
{
    char ip[LW_CLUSTER_IP_SIZE];
    lw_node *spec = lw_node_get(lw_tree_root(tree), LW_STR("spec"));
    lw_cluster_ip_first(batch->api, ip);
    lw_fields_set_text(tree, spec, "clusterIP", lw_str_of(ip));
    set_only(tree, spec, "clusterIPs", lw_str_of(ip));
    lw_fields_set_int(tree, lw_node_at(lw_fields_find(spec, "/ports"), 0), "targetPort",
                      batch->api->advertised.port);
}

static void fill_endpoints(const lw_seed_batch *batch, lw_tree *tree)
{
    const lw_node *subset = lw_node_at(lw_fields_find(lw_tree_root(tree), "/subsets"), 0);
    lw_fields_set_text(tree, lw_node_at(lw_fields_find(subset, "/addresses"), 0), "ip",
                       lw_str_of(batch->api->advertised.address));
    lw_fields_set_int(tree, lw_node_at(lw_fields_find(subset, "/ports"), 0), "port",
                      batch->api->advertised.port);
}

static void fill_slice(const lw_seed_batch *batch, lw_tree *tree)
{
    lw_node *root = lw_tree_root(tree);
    const char *address = batch->api->advertised.address;
    if (strchr(address, ':'))
        lw_fields_set_text(tree, root, "addressType", LW_STR("IPv6"));
    set_only(tree, lw_node_at(lw_fields_find(root, "/endpoints"), 0), "addresses",
             lw_str_of(address));
    lw_fields_set_int(tree, lw_node_at(lw_fields_find(root, "/ports"), 0), "port",
                      batch->api->advertised.port);
}

/* One object, and what of it is renewed on a stored one. */
typedef struct built_in {
    const lw_kind *kind;
    lw_key key;
    lw_str blank;
    void (*fill)(const lw_seed_batch *batch, lw_tree *tree); /* may be NULL */
    const char *part;       /* the member that has those; NULL: the object itself */
    const char *renewed[2]; /* members */
} built_in;

static lw_node *part_of(lw_node *root, const char *part)
{
    return part ? lw_node_get(root, lw_str_of(part)) : root;
}

static lw_status renew(lw_seed_batch *batch, const built_in *wanted, const lw_tree *fresh,
                       const lw_object *present)
{
    lw_tree *tree = NULL, *before = NULL;
    lw_str json = lw_object_json(present);
    lw_status st = lw_tree_parse(&tree, json, 0, NULL);
    if (st == LW_OK)
        st = lw_tree_parse(&before, json, 0, NULL);
    for (size_t i = 0; st == LW_OK && i < 2 && wanted->renewed[i]; i++) {
        lw_node *parent = part_of(lw_tree_root(tree), wanted->part);
        const lw_node *value =
            lw_node_get(part_of(lw_tree_root(fresh), wanted->part), lw_str_of(wanted->renewed[i]));
        if (parent)
            lw_fields_set_copy(tree, parent, wanted->renewed[i], value);
        st = lw_tree_status(tree);
    }
    if (st == LW_OK && !lw_node_equal(lw_tree_root(tree), lw_tree_root(before)))
        st = lw_seed_batch_update(batch, wanted->kind, wanted->key, lw_tree_root(tree),
                                  lw_object_revision(present));
    lw_tree_free(before);
    lw_tree_free(tree);
    return st;
}

static lw_status seed(lw_seed_batch *batch, const built_in *wanted)
{
    lw_tree *tree = NULL;
    lw_object *present = lw_cache_get_ref(lw_api_resource(batch->api, wanted->kind), wanted->key.ns,
                                          wanted->key.name);
    lw_status st = lw_tree_parse(&tree, wanted->blank, 0, NULL);
    if (st == LW_OK && wanted->fill)
        wanted->fill(batch, tree);
    if (st == LW_OK)
        st = lw_tree_status(tree);
    if (st == LW_OK && present)
        st = renew(batch, wanted, tree, present);
    else if (st == LW_OK)
        st = lw_seed_batch_create(batch, wanted->kind, wanted->key, tree, lw_tree_root(tree));
    lw_object_unref(present);
    lw_tree_free(tree);
    return st;
}

lw_status lw_seed_service(lw_seed_batch *batch)
{
    char ip[LW_CLUSTER_IP_SIZE];
    lw_cluster_ip_first(batch->api, ip);
    const lw_key service = { LW_STR("default"), LW_STR(NAME) };
    const built_in objects[] = {
        { &lw_kind_servicecidrs,
          { LW_STR(""), LW_STR(NAME) },
          blank_range,
          fill_range,
          NULL,
          { 0 } },
        { &lw_kind_services, service, blank_service, fill_service, "spec", { "ports" } },
        { &lw_kind_ipaddresses, { LW_STR(""), lw_str_of(ip) }, blank_address, NULL, NULL, { 0 } },
        { &lw_kind_endpoints, service, blank_endpoints, fill_endpoints, NULL, { "subsets" } },
        { &lw_kind_endpointslices,
          service,
          blank_slice,
          fill_slice,
          NULL,
          { "endpoints", "ports" } },
    };
    size_t count = batch->api->advertised.address[0] ? 5 : 3; /* the last two are the endpoints */
    lw_status st = LW_OK;
    for (size_t i = 0; i < count && st == LW_OK; i++)
        st = seed(batch, &objects[i]);
    return st;
}
