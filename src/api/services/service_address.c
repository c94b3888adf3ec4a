/* SPDX-License-Identifier: Apache-2.0 */
/* service_address.c -- chooses an endpoint of a Service. */
#include "api/services/service_address.h"

#include <stdio.h>

#include "api/context/cache_lookup.h"
#include "base/error.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "json/fields.h"

/* Chooses one of the candidates at random while they are counted. */
typedef struct choice {
    lw_random *random;
    uint64_t seen;
    lw_service_address *address;
} choice;

static void consider(choice *pick, lw_str host, int64_t port)
{
    if (host.len == 0 || host.len >= LW_SERVICE_HOST_SIZE || port <= 0 || port > UINT16_MAX)
        return;
    if (lw_random_below(pick->random, ++pick->seen) != 0)
        return;
    (void)snprintf(pick->address->host, sizeof(pick->address->host), "%.*s", LW_STR_ARG(host));
    pick->address->port = (uint16_t)port;
}

/* Returns the number of the port |name| in |ports|; 0: there is none. */
static int64_t port_of(const lw_node *ports, lw_str name)
{
    for (size_t i = 0; i < lw_node_count(ports); i++) {
        const lw_node *port = lw_node_at(ports, i);
        if (lw_str_equal(lw_fields_text(port, "name"), name))
            return lw_fields_int(port, "port", 0);
    }
    return 0;
}

static void choose_from_endpoints(choice *pick, const lw_node *root, lw_str port_name)
{
    const lw_node *subsets = lw_node_get(root, LW_STR("subsets"));
    for (size_t i = 0; i < lw_node_count(subsets); i++) {
        const lw_node *subset = lw_node_at(subsets, i);
        const lw_node *addresses = lw_node_get(subset, LW_STR("addresses"));
        int64_t port = port_of(lw_node_get(subset, LW_STR("ports")), port_name);
        for (size_t j = 0; j < lw_node_count(addresses); j++)
            consider(pick, lw_fields_text(lw_node_at(addresses, j), "ip"), port);
    }
}

/* An endpoint whose readiness is not said is ready. */
static bool is_ready(const lw_node *endpoint)
{
    const lw_node *ready = lw_fields_find(endpoint, "/conditions/ready");
    return lw_node_type(ready) == LW_JSON_NULL || lw_node_bool(ready);
}

static void choose_from_slice(choice *pick, const lw_node *root, lw_str port_name)
{
    const lw_node *endpoints = lw_node_get(root, LW_STR("endpoints"));
    int64_t port = port_of(lw_node_get(root, LW_STR("ports")), port_name);
    for (size_t i = 0; i < lw_node_count(endpoints); i++) {
        const lw_node *endpoint = lw_node_at(endpoints, i);
        if (is_ready(endpoint))
            consider(pick, lw_node_text(lw_node_at(lw_node_get(endpoint, LW_STR("addresses")), 0)),
                     port);
    }
}

static lw_status choose_from(choice *pick, const lw_object *obj, lw_str port_name,
                             void (*choose)(struct choice *pick, const lw_node *root,
                                            lw_str port_name))
{
    lw_tree *tree = NULL;
    lw_status st = lw_tree_parse(&tree, lw_object_json(obj), 0, NULL);
    if (st == LW_OK)
        choose(pick, lw_tree_root(tree), port_name);
    lw_tree_free(tree);
    return st;
}

static lw_status try_endpoints(lw_api_port *port, lw_key key, choice *pick, lw_str port_name)
{
    lw_object *obj = NULL;
    lw_status st = lw_lookup(lw_api_resource(port->api, &lw_kind_endpoints), key, &obj);
    if (st == LW_OK && obj)
        st = choose_from(pick, obj, port_name, choose_from_endpoints);
    lw_object_unref(obj);
    return st;
}

static lw_status try_slices(lw_api_port *port, lw_key key, choice *pick, lw_str port_name)
{
    lw_label_selector *selector = NULL;
    lw_cache_list list = { 0 };
    lw_buf text;
    lw_buf_init(&text, LW_LABEL_SELECTOR_LENGTH_MAX);
    lw_buf_printf(&text, "kubernetes.io/service-name=%.*s", LW_STR_ARG(key.name));
    lw_status st = text.st;
    if (st == LW_OK)
        st = lw_label_selector_parse(&selector, lw_buf_view(&text), NULL);
    if (st == LW_OK) {
        const lw_cache_filter filter = { .ns = key.ns, .labels = selector };
        st = lw_cache_list_now(lw_api_resource(port->api, &lw_kind_endpointslices), &filter,
                               LW_STR(""), 0, &list, NULL);
    }
    for (size_t i = 0; st == LW_OK && i < list.count; i++)
        st = choose_from(pick, list.objects[i], port_name, choose_from_slice);
    lw_cache_list_done(&list);
    lw_label_selector_free(selector);
    lw_buf_done(&text);
    return st;
}

/* Chooses among the endpoints of the port named |port_name|. */
static lw_status choose_endpoint(lw_api_port *port, lw_key key, lw_str port_name,
                                 lw_service_address *out, lw_error *err)
{
    choice pick = { .random = &port->random, .address = out };
    lw_status st = try_endpoints(port, key, &pick, port_name);
    if (st == LW_OK && pick.seen == 0)
        st = try_slices(port, key, &pick, port_name);
    if (st == LW_ERR_NOMEM)
        return lw_error_nomem(err);
    if (st < 0)
        return lw_error_set(err, LW_ERR_UNAVAILABLE,
                            "the endpoints of service \"%.*s\" cannot be "
                            "read: %s",
                            LW_STR_ARG(key.name), lw_status_name(st));
    if (pick.seen == 0)
        return lw_error_set(err, LW_ERR_UNAVAILABLE, "no endpoints available for service \"%.*s\"",
                            LW_STR_ARG(key.name));
    return LW_OK;
}

static lw_status use_external_name(const lw_node *spec, lw_key key, int64_t port_number,
                                   lw_service_address *out, lw_error *err)
{
    lw_str host = lw_fields_text(spec, "externalName");
    if (host.len == 0 || host.len >= LW_SERVICE_HOST_SIZE)
        return lw_error_set(err, LW_ERR_INVALID, "service \"%.*s\" has no usable externalName",
                            LW_STR_ARG(key.name));
    (void)snprintf(out->host, sizeof(out->host), "%.*s", LW_STR_ARG(host));
    out->port = (uint16_t)port_number;
    return LW_OK;
}

static lw_status resolve(lw_api_port *port, lw_key key, const lw_node *spec, int64_t port_number,
                         lw_service_address *out, lw_error *err)
{
    const lw_node *ports = lw_node_get(spec, LW_STR("ports"));
    if (lw_str_equal(lw_fields_text(spec, "type"), LW_STR("ExternalName")))
        return use_external_name(spec, key, port_number, out, err);
    for (size_t i = 0; i < lw_node_count(ports); i++) {
        const lw_node *one = lw_node_at(ports, i);
        if (lw_fields_int(one, "port", 0) == port_number)
            return choose_endpoint(port, key, lw_fields_text(one, "name"), out, err);
    }
    return lw_error_set(err, LW_ERR_INVALID, "no service port %lld found for service \"%.*s\"",
                        (long long)port_number, LW_STR_ARG(key.name));
}

lw_status lw_service_address_find(lw_api_port *port, lw_str ns, lw_str name, int64_t port_number,
                                  lw_service_address *out, lw_error *err)
{
    const lw_key key = { ns, name };
    lw_service_address found = { .port = 0 };
    lw_object *service = NULL;
    lw_tree *tree = NULL;
    if (port_number <= 0 || port_number > UINT16_MAX)
        return lw_error_set(err, LW_ERR_INVALID, "no service port %lld found for service \"%.*s\"",
                            (long long)port_number, LW_STR_ARG(name));
    lw_status st = lw_lookup(lw_api_resource(port->api, &lw_kind_services), key, &service);
    if (st < 0)
        return lw_error_set(err, st == LW_ERR_NOMEM ? st : LW_ERR_UNAVAILABLE,
                            "service \"%.*s\" cannot be read: %s", LW_STR_ARG(name),
                            lw_status_name(st));
    if (!service)
        return lw_error_set(err, LW_ERR_NOT_FOUND, "service \"%.*s\" not found", LW_STR_ARG(name));
    st = lw_tree_parse(&tree, lw_object_json(service), 0, err);
    if (st == LW_OK)
        st = resolve(port, key, lw_node_get(lw_tree_root(tree), LW_STR("spec")), port_number,
                     &found, err);
    if (st == LW_OK)
        *out = found;
    lw_tree_free(tree);
    lw_object_unref(service);
    return st;
}
