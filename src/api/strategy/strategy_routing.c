/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_routing.c -- what leads to pods beside services: endpoints and ingresses; and events, which
 * tell of objects in their own namespace. */
#include <stdio.h>

#include "api/strategy/cluster_ip.h"
#include "json/fields.h"
#include "api/strategy/strategy.h"
#include "api/pending/metadata_validation.h"
#include "api/pending/value_validation.h"
#include "base/str.h"

enum {
    FIELD_SIZE = 128,
};

static size_t count_of(const lw_node *list)
{
    return lw_node_is(list, LW_JSON_ARRAY) ? lw_node_count(list) : 0;
}

static void endpoints_defaults(lw_draft *draft)
{
    const lw_node *subsets = lw_node_get(draft->root, LW_STR("subsets"));
    for (size_t i = 0; i < count_of(subsets); i++) {
        const lw_node *ports = lw_node_get(lw_node_at(subsets, i), LW_STR("ports"));
        for (size_t j = 0; j < count_of(ports); j++)
            lw_fields_default_text(draft->tree, lw_node_at(ports, j), "protocol", "TCP");
    }
}

static void check_addresses(const lw_node *list, size_t subset, lw_api_status *faults)
{
    char field[FIELD_SIZE];
    for (size_t i = 0; i < count_of(list); i++) {
        lw_str ip = lw_fields_text(lw_node_at(list, i), "ip");
        if (lw_cluster_ip_is_address(ip) || (ip.len > 0 && memchr(ip.ptr, ':', ip.len)))
            continue;
        (void)snprintf(field, sizeof(field), "subsets[%zu].addresses[%zu].ip", subset, i);
        lw_fault_invalid(faults, field, ip,
                         "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
        lw_fault_invalid(faults, field, ip, "must be a valid IP address");
    }
}

static void endpoints_validate(const lw_draft *draft, lw_api_status *faults)
{
    const lw_node *subsets = lw_node_get(draft->root, LW_STR("subsets"));
    for (size_t i = 0; i < count_of(subsets); i++)
        check_addresses(lw_node_get(lw_node_at(subsets, i), LW_STR("addresses")), i, faults);
}

static void check_path_types(const lw_node *rules, lw_api_status *faults)
{
    char field[FIELD_SIZE];
    for (size_t i = 0; i < count_of(rules); i++) {
        const lw_node *paths = lw_fields_find(lw_node_at(rules, i), "/http/paths");
        for (size_t j = 0; j < count_of(paths); j++) {
            if (lw_fields_text(lw_node_at(paths, j), "pathType").len > 0)
                continue;
            (void)snprintf(field, sizeof(field), "spec.rules[%zu].http.paths[%zu].pathType", i, j);
            lw_fault_required(faults, field, "pathType must be specified");
        }
    }
}

static void ingress_validate(const lw_draft *draft, lw_api_status *faults)
{
    static const lw_value_rule host_rules[] = {
        { "rules[].host", LW_VALUE_SUBDOMAIN, NULL },
        { NULL, LW_VALUE_REQUIRED, NULL },
    };
    static const lw_value_rule type_rules[] = {
        { "rules[].http.paths[].pathType", LW_VALUE_ONE_OF, "Exact|ImplementationSpecific|Prefix" },
        { NULL, LW_VALUE_REQUIRED, NULL },
    };
    const lw_node *spec = lw_node_get(draft->root, LW_STR("spec"));
    const lw_node *rules = lw_node_get(spec, LW_STR("rules"));
    if (count_of(rules) == 0 && !lw_node_get(spec, LW_STR("defaultBackend")))
        lw_fault_plain(faults, "spec", LW_STR("null"),
                       "either `defaultBackend` or `rules` must be specified");
    lw_value_rules_check(host_rules, spec, "spec", faults);
    check_path_types(rules, faults);
    lw_value_rules_check(type_rules, spec, "spec", faults);
}

static void event_validate(const lw_draft *draft, lw_api_status *faults)
{
    lw_str ns = lw_fields_text_at(draft->root, "/involvedObject/namespace");
    if (ns.len > 0 && !lw_str_equal(ns, lw_fields_text(draft->metadata, "namespace")))
        lw_fault_invalid(faults, "involvedObject.namespace", ns, "does not match event.namespace");
}

const lw_kind_rules lw_rules_routing[] = {
    { .plural = LW_STR_INIT("endpoints"),
      .defaults = endpoints_defaults,
      .validate = endpoints_validate },
    { .group = LW_STR_INIT("networking.k8s.io"),
      .plural = LW_STR_INIT("ingresses"),
      .validate = ingress_validate },
    { .plural = LW_STR_INIT("events"), .validate = event_validate },
    { .plural = LW_STR_INIT("") },
};
