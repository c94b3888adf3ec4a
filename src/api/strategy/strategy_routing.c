/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_routing.c -- endpoints, ingresses and events. */
#include <stdio.h>

#include "api/allocation/cluster_ip.h"
#include "api/pending/metadata_validation.h"
#include "api/pending/value_validation.h"
#include "api/strategy/status/status_validation.h"
#include "api/strategy/strategy.h"
#include "base/str.h"
#include "json/fields.h"

enum {
    FIELD_SIZE = 128,
};

static size_t count_of(const lw_node *list)
{
    return lw_node_is(list, LW_JSON_ARRAY) ? lw_node_count(list) : 0;
}

static void endpoints_defaults(lw_pending_object *pending)
{
    const lw_node *subsets = lw_node_get(pending->root, LW_STR("subsets"));
    for (size_t i = 0; i < count_of(subsets); i++) {
        const lw_node *ports = lw_node_get(lw_node_at(subsets, i), LW_STR("ports"));
        for (size_t j = 0; j < count_of(ports); j++)
            lw_fields_default_text(pending->tree, lw_node_at(ports, j), "protocol", "TCP");
    }
}

static void check_addresses(const lw_node *list, size_t subset, lw_api_status *errors)
{
    char field[FIELD_SIZE];
    for (size_t i = 0; i < count_of(list); i++) {
        lw_str ip = lw_fields_text(lw_node_at(list, i), "ip");
        if (lw_cluster_ip_is_address(ip) || (ip.len > 0 && memchr(ip.ptr, ':', ip.len)))
            continue;
        (void)snprintf(field, sizeof(field), "subsets[%zu].addresses[%zu].ip", subset, i);
        lw_field_error_invalid(errors, field, ip,
                               "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
        lw_field_error_invalid(errors, field, ip, "must be a valid IP address");
    }
}

static void endpoints_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    const lw_node *subsets = lw_node_get(pending->root, LW_STR("subsets"));
    for (size_t i = 0; i < count_of(subsets); i++)
        check_addresses(lw_node_get(lw_node_at(subsets, i), LW_STR("addresses")), i, errors);
}

static void check_path_types(const lw_node *rules, lw_api_status *errors)
{
    char field[FIELD_SIZE];
    for (size_t i = 0; i < count_of(rules); i++) {
        const lw_node *paths = lw_fields_find(lw_node_at(rules, i), "/http/paths");
        for (size_t j = 0; j < count_of(paths); j++) {
            if (lw_fields_text(lw_node_at(paths, j), "pathType").len > 0)
                continue;
            (void)snprintf(field, sizeof(field), "spec.rules[%zu].http.paths[%zu].pathType", i, j);
            lw_field_error_required(errors, field, "pathType must be specified");
        }
    }
}

static void ingress_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    static const lw_value_rule host_rules[] = {
        { "rules[].host", LW_VALUE_SUBDOMAIN, NULL },
        { NULL, LW_VALUE_REQUIRED, NULL },
    };
    static const lw_value_rule type_rules[] = {
        { "rules[].http.paths[].pathType", LW_VALUE_ONE_OF, "Exact|ImplementationSpecific|Prefix" },
        { NULL, LW_VALUE_REQUIRED, NULL },
    };
    const lw_node *spec = lw_node_get(pending->root, LW_STR("spec"));
    const lw_node *rules = lw_node_get(spec, LW_STR("rules"));
    if (count_of(rules) == 0 && !lw_node_get(spec, LW_STR("defaultBackend")))
        lw_field_error_plain(errors, "spec", LW_STR("null"),
                             "either `defaultBackend` or `rules` must be specified");
    lw_value_validate(host_rules, spec, "spec", errors);
    check_path_types(rules, errors);
    lw_value_validate(type_rules, spec, "spec", errors);
}

static void event_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    lw_str ns = lw_fields_text_at(pending->root, "/involvedObject/namespace");
    if (ns.len > 0 && !lw_str_equal(ns, lw_fields_text(pending->metadata, "namespace")))
        lw_field_error_invalid(errors, "involvedObject.namespace", ns,
                               "does not match event.namespace");
}

const lw_strategy lw_strategies_routing[] = {
    { .plural = LW_STR_INIT("endpoints"),
      .defaults = endpoints_defaults,
      .validate = endpoints_validate },
    { .group = LW_STR_INIT("networking.k8s.io"),
      .plural = LW_STR_INIT("ingresses"),
      .validate = ingress_validate,
      .status = lw_status_validate_load_balancer },
    { .plural = LW_STR_INIT("events"), .validate = event_validate },
    { .plural = LW_STR_INIT("") },
};
