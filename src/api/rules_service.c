/* SPDX-License-Identifier: Apache-2.0 */
/* rules_service.c -- services: ports, types, and an address of their own. */
#include <stdio.h>

#include "api/cluster_ip.h"
#include "api/fields.h"
#include "api/kind_rules.h"
#include "api/validate.h"
#include "base/str.h"

enum {
    FIELD_SIZE = 64,
    PORT_MAX = 65535,
};

static lw_str type_of(const lw_node *spec)
{
    return lw_fields_text(spec, "type");
}

static bool is_type(const lw_node *spec, const char *type)
{
    return lw_str_equal(type_of(spec), lw_str_of(type));
}

static bool is_headless(const lw_node *spec)
{
    return lw_str_equal(lw_fields_text(spec, "clusterIP"), LW_STR("None"));
}

static void default_ports(lw_tree *tree, const lw_node *spec)
{
    const lw_node *ports = lw_node_get(spec, LW_STR("ports"));
    for (size_t i = 0; lw_node_is(ports, LW_JSON_ARRAY) && i < lw_node_count(ports); i++) {
        lw_node *port = lw_node_at(ports, i);
        if (!lw_node_is(port, LW_JSON_OBJECT))
            continue;
        lw_fields_default_text(tree, port, "protocol", "TCP");
        const lw_node *target = lw_node_get(port, LW_STR("targetPort"));
        if (!target || lw_str_equal(lw_node_text(target), LW_STR("")) ||
            lw_str_equal(lw_node_text(target), LW_STR("0")))
            lw_fields_set_copy(tree, port, "targetPort", lw_node_get(port, LW_STR("port")));
    }
}

static lw_node *list_of(lw_tree *tree, lw_str text)
{
    lw_node *list = lw_tree_array(tree);
    lw_node_append(tree, list, lw_tree_string(tree, text));
    return list;
}

static void service_defaults(lw_draft *draft)
{
    lw_tree *tree = draft->tree;
    lw_node *spec = lw_fields_object(tree, draft->root, "spec");
    default_ports(tree, spec);
    lw_fields_default_text(tree, spec, "type", "ClusterIP");
    lw_fields_default_text(tree, spec, "sessionAffinity", "None");
    if (is_type(spec, "ExternalName"))
        return;
    lw_fields_default_text(tree, spec, "internalTrafficPolicy", "Cluster");
    lw_fields_default_text(tree, spec, "ipFamilyPolicy", "SingleStack");
    if (lw_node_count(lw_node_get(spec, LW_STR("ipFamilies"))) == 0)
        lw_node_put(tree, spec, LW_STR("ipFamilies"), list_of(tree, LW_STR("IPv4")));
    if (is_type(spec, "NodePort") || is_type(spec, "LoadBalancer"))
        lw_fields_default_text(tree, spec, "externalTrafficPolicy", "Cluster");
    if (is_type(spec, "LoadBalancer"))
        lw_fields_default_bool(tree, spec, "allocateLoadBalancerNodePorts", true);
}

static void note_taken(lw_str ip, lw_api_status *faults)
{
    char value[FIELD_SIZE], detail[2 * FIELD_SIZE];
    (void)snprintf(value, sizeof(value), "[\"%.*s\"]", LW_STR_ARG(ip));
    (void)snprintf(detail, sizeof(detail),
                   "failed to allocate IP %.*s: provided IP is already allocated", LW_STR_ARG(ip));
    lw_fault_plain(faults, "spec.clusterIPs", lw_str_of(value), detail);
}

/* Gives the service an address, or checks that the one it asks for is free. */
static void assign_address(lw_draft *draft, lw_node *spec, lw_api_status *faults)
{
    char drawn[LW_CLUSTER_IP_SIZE];
    lw_str ip = lw_fields_text(spec, "clusterIP");
    bool is_used = false;
    lw_status st = LW_OK;
    if (ip.len == 0) {
        st = lw_cluster_ip_draw(draft->port->api, draft->kind, drawn);
        ip = lw_str_of(drawn);
    } else if (lw_cluster_ip_is_address(ip)) {
        st = lw_cluster_ip_is_used(draft->port->api, draft->kind, ip, &is_used);
    }
    if (st < 0) {
        lw_draft_note(draft, st);
        return;
    }
    if (is_used)
        note_taken(ip, faults);
    lw_fields_set_text(draft->tree, spec, "clusterIP", ip);
}

static void sync_addresses(lw_draft *draft, lw_node *spec)
{
    lw_str ip = lw_fields_text(spec, "clusterIP");
    if (ip.len > 0)
        lw_node_put(draft->tree, spec, LW_STR("clusterIPs"), list_of(draft->tree, ip));
    else
        lw_fields_remove(spec, "clusterIPs");
}

static void service_create(lw_draft *draft, lw_api_status *faults)
{
    lw_node *spec = lw_fields_object(draft->tree, draft->root, "spec");
    lw_node *status = lw_fields_object(draft->tree, draft->root, "status");
    (void)lw_fields_object(draft->tree, status, "loadBalancer");
    const lw_node *ips = lw_node_get(spec, LW_STR("clusterIPs"));
    if (lw_fields_text(spec, "clusterIP").len == 0 && lw_node_is(ips, LW_JSON_ARRAY) &&
        lw_node_count(ips) > 0)
        lw_fields_set_text(draft->tree, spec, "clusterIP", lw_node_text(lw_node_at(ips, 0)));
    if (!is_type(spec, "ExternalName") && !is_headless(spec))
        assign_address(draft, spec, faults);
    sync_addresses(draft, spec);
}

/* What was assigned stays assigned when a client sends its own file again. */
static void service_update(lw_draft *draft)
{
    lw_node *spec = lw_fields_object(draft->tree, draft->root, "spec");
    const lw_node *old = lw_node_get(draft->old, LW_STR("spec"));
    if (is_type(spec, "ExternalName"))
        return;
    if (lw_fields_text(spec, "clusterIP").len == 0 && !is_type(old, "ExternalName"))
        lw_fields_set_copy(draft->tree, spec, "clusterIP", lw_node_get(old, LW_STR("clusterIP")));
    if (lw_fields_text(spec, "clusterIP").len == 0) {
        char drawn[LW_CLUSTER_IP_SIZE];
        lw_status st = lw_cluster_ip_draw(draft->port->api, draft->kind, drawn);
        lw_draft_note(draft, st);
        if (st == LW_OK)
            lw_fields_set_text(draft->tree, spec, "clusterIP", lw_str_of(drawn));
    }
    sync_addresses(draft, spec);
}

static void check_port(const lw_node *ports, size_t index, lw_api_status *faults)
{
    char field[FIELD_SIZE];
    const lw_node *port = lw_node_at(ports, index);
    const lw_node *number = lw_node_get(port, LW_STR("port"));
    int64_t value = 0;
    (void)snprintf(field, sizeof(field), "spec.ports[%zu].name", index);
    if (lw_node_count(ports) > 1 && lw_fields_text(port, "name").len == 0)
        lw_fault_required(faults, field, "");
    (void)snprintf(field, sizeof(field), "spec.ports[%zu].port", index);
    if (!lw_node_int64(number, &value) || value < 1 || value > PORT_MAX)
        lw_fault_plain(faults, field, number ? lw_node_text(number) : LW_STR("0"),
                       "must be between 1 and 65535, inclusive");
}

static void check_type(const lw_node *spec, lw_api_status *faults)
{
    if (is_type(spec, "ClusterIP") || is_type(spec, "NodePort") || is_type(spec, "LoadBalancer"))
        return;
    if (!is_type(spec, "ExternalName"))
        lw_api_status_add_fault(faults, LW_FIELD_NOT_SUPPORTED, LW_STR("spec.type"), type_of(spec),
                                LW_STR("supported values: \"ClusterIP\", \"ExternalName\", "
                                       "\"LoadBalancer\", \"NodePort\""));
    else if (lw_fields_text(spec, "externalName").len == 0)
        lw_fault_required(faults, "spec.externalName", "");
}

static void check_address(const lw_draft *draft, const lw_node *spec, lw_api_status *faults)
{
    lw_str ip = lw_fields_text(spec, "clusterIP");
    lw_str old = lw_fields_text_at(draft->old, "/spec/clusterIP");
    if (ip.len > 0 && !is_headless(spec) && !lw_cluster_ip_is_address(ip))
        lw_fault_invalid(faults, "spec.clusterIPs[0]", ip,
                         "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
    if (old.len > 0 && !is_type(spec, "ExternalName") && !lw_str_equal(ip, old))
        lw_fault_invalid(faults, "spec.clusterIP", ip, "field is immutable");
}

static void service_validate(const lw_draft *draft, lw_api_status *faults)
{
    const lw_node *spec = lw_node_get(draft->root, LW_STR("spec"));
    const lw_node *ports = lw_node_get(spec, LW_STR("ports"));
    if (lw_node_count(ports) == 0 && !is_headless(spec) && !is_type(spec, "ExternalName"))
        lw_fault_required(faults, "spec.ports", "");
    for (size_t i = 0; lw_node_is(ports, LW_JSON_ARRAY) && i < lw_node_count(ports); i++)
        check_port(ports, i, faults);
    check_type(spec, faults);
    check_address(draft, spec, faults);
}

const lw_kind_rules lw_rules_service[] = {
    { .plural = LW_STR_INIT("services"),
      .defaults = service_defaults,
      .create = service_create,
      .update = service_update,
      .validate = service_validate },
    { .plural = LW_STR_INIT("") },
};
