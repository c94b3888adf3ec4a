/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_service.c -- services: ports, types, and the cluster IP. */
#include "api/strategy/strategy_service.h"

#include <stdio.h>

#include "api/allocation/cluster_ip.h"
#include "api/pending/metadata_validation.h"
#include "api/pending/text_set.h"
#include "api/pending/value_validation.h"
#include "api/strategy/status/status_validation.h"
#include "api/strategy/strategy.h"
#include "base/str.h"
#include "base/text/ip_range.h"
#include "object/names.h"
#include "json/fields.h"

enum {
    FIELD_SIZE = 64,
    PORT_MAX = 65535,
};

static lw_str type_of(const lw_node *spec)
{
    return lw_fields_text(spec, "type");
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

/* Returns true if the service is reachable from outside of the cluster. */
static bool is_external(const lw_node *spec)
{
    return lw_service_is(spec, "NodePort") || lw_service_is(spec, "LoadBalancer") ||
           lw_node_count(lw_node_get(spec, LW_STR("externalIPs"))) > 0;
}

static void default_affinity(lw_tree *tree, lw_node *spec)
{
    enum {
        AFFINITY_S = 10800,
    };
    if (!lw_str_equal(lw_fields_text(spec, "sessionAffinity"), LW_STR("ClientIP"))) {
        lw_fields_remove(spec, "sessionAffinityConfig");
        return;
    }
    lw_node *config = lw_fields_object(tree, spec, "sessionAffinityConfig");
    lw_fields_default_int(tree, lw_fields_object(tree, config, "clientIP"), "timeoutSeconds",
                          AFFINITY_S);
}

/* A headless service without a selector defaults to both IP families. */
static void set_families(lw_tree *tree, lw_node *spec)
{
    bool is_both = is_headless(spec) && lw_node_count(lw_node_get(spec, LW_STR("selector"))) == 0;
    lw_node *families = lw_node_get(spec, LW_STR("ipFamilies"));
    if (is_both && !families && lw_fields_text(spec, "ipFamilyPolicy").len == 0) {
        families = list_of(tree, LW_STR("IPv4"));
        lw_node_append(tree, families, lw_tree_string(tree, LW_STR("IPv6")));
        lw_fields_set_text(tree, spec, "ipFamilyPolicy", LW_STR("RequireDualStack"));
        lw_node_put(tree, spec, LW_STR("ipFamilies"), families);
    }
    lw_fields_default_text(tree, spec, "ipFamilyPolicy", "SingleStack");
    if (lw_node_count(families) == 0)
        lw_node_put(tree, spec, LW_STR("ipFamilies"), list_of(tree, LW_STR("IPv4")));
}

static void service_defaults(lw_pending_object *pending)
{
    lw_tree *tree = pending->tree;
    lw_node *spec = lw_fields_object(tree, pending->root, "spec");
    default_ports(tree, spec);
    lw_fields_default_text(tree, spec, "type", "ClusterIP");
    lw_fields_default_text(tree, spec, "sessionAffinity", "None");
    default_affinity(tree, spec);
    if (lw_service_is(spec, "ExternalName"))
        return;
    lw_fields_default_text(tree, spec, "internalTrafficPolicy", "Cluster");
    if (is_external(spec))
        lw_fields_default_text(tree, spec, "externalTrafficPolicy", "Cluster");
    if (lw_service_is(spec, "LoadBalancer"))
        lw_fields_default_bool(tree, spec, "allocateLoadBalancerNodePorts", true);
}

static void add_allocated_error(lw_str ip, lw_api_status *errors)
{
    char value[FIELD_SIZE], detail[2 * FIELD_SIZE];
    (void)snprintf(value, sizeof(value), "[\"%.*s\"]", LW_STR_ARG(ip));
    (void)snprintf(detail, sizeof(detail),
                   "failed to allocate IP %.*s: provided IP is already allocated", LW_STR_ARG(ip));
    lw_field_error_plain(errors, "spec.clusterIPs", lw_str_of(value), detail);
}

static void add_range_error(const lw_api *api, lw_str ip, lw_api_status *errors)
{
    char value[FIELD_SIZE], detail[4 * FIELD_SIZE];
    (void)snprintf(value, sizeof(value), "[\"%.*s\"]", LW_STR_ARG(ip));
    (void)snprintf(detail, sizeof(detail),
                   "failed to allocate IP %.*s: the provided IP (%.*s) is not in the valid range. "
                   "The range of valid IPs is %s",
                   LW_STR_ARG(ip), LW_STR_ARG(ip), api->service_ranges.ip_text);
    lw_field_error_plain(errors, "spec.clusterIPs", lw_str_of(value), detail);
}

/* Allocates a cluster IP, or checks that the requested one is free. */
static void assign_address(lw_pending_object *pending, lw_node *spec, lw_api_status *errors)
{
    char address[LW_CLUSTER_IP_SIZE];
    lw_str ip = lw_fields_text(spec, "clusterIP");
    bool is_used = false;
    lw_status st = LW_OK;
    if (ip.len == 0) {
        st = lw_cluster_ip_allocate(pending->port->api, pending->kind, address);
        ip = lw_str_of(address);
    } else if (lw_cluster_ip_is_address(ip) && !lw_cluster_ip_is_in_range(pending->port->api, ip)) {
        add_range_error(pending->port->api, ip, errors);
    } else if (lw_cluster_ip_is_address(ip)) {
        st = lw_cluster_ip_is_used(pending->port->api, pending->kind, ip, &is_used);
    }
    if (st < 0) {
        lw_pending_object_note(pending, st);
        return;
    }
    if (is_used)
        add_allocated_error(ip, errors);
    lw_fields_set_text(pending->tree, spec, "clusterIP", ip);
}

static void sync_addresses(lw_pending_object *pending, lw_node *spec)
{
    lw_str ip = lw_fields_text(spec, "clusterIP");
    if (ip.len > 0)
        lw_node_put(pending->tree, spec, LW_STR("clusterIPs"), list_of(pending->tree, ip));
    else
        lw_fields_remove(spec, "clusterIPs");
}

static void service_create(lw_pending_object *pending, lw_api_status *errors)
{
    lw_node *spec = lw_fields_object(pending->tree, pending->root, "spec");
    lw_node *status = lw_fields_object(pending->tree, pending->root, "status");
    (void)lw_fields_object(pending->tree, status, "loadBalancer");
    const lw_node *ips = lw_node_get(spec, LW_STR("clusterIPs"));
    if (lw_fields_text(spec, "clusterIP").len == 0 && lw_node_is(ips, LW_JSON_ARRAY) &&
        lw_node_count(ips) > 0)
        lw_fields_set_text(pending->tree, spec, "clusterIP", lw_node_text(lw_node_at(ips, 0)));
    if (!lw_service_is(spec, "ExternalName"))
        set_families(pending->tree, spec);
    if (!lw_service_is(spec, "ExternalName") && !is_headless(spec))
        assign_address(pending, spec, errors);
    sync_addresses(pending, spec);
    if (errors->cause_count == 0)
        lw_service_ports_create(pending, errors);
}

/* Removes |key| if it has not changed. */
static void release_member(lw_node *spec, const lw_node *old, const char *key)
{
    if (lw_node_equal(lw_node_get(spec, lw_str_of(key)), lw_node_get(old, lw_str_of(key))))
        lw_fields_remove(spec, key);
}

/* Removes the members that the new type does not need, unless the client has changed them. */
static void release(lw_pending_object *pending, lw_node *spec, const lw_node *old)
{
    static const char *const address_members[] = { "clusterIP", "clusterIPs", "ipFamilies",
                                                   "ipFamilyPolicy", "internalTrafficPolicy" };
    size_t count = sizeof(address_members) / sizeof(address_members[0]);
    bool loses_address = lw_service_is(spec, "ExternalName") && !lw_service_is(old, "ExternalName");
    for (size_t i = 0; i < count && loses_address; i++)
        release_member(spec, old, address_members[i]);
    if (lw_service_is(old, "LoadBalancer") && !lw_service_is(spec, "LoadBalancer")) {
        release_member(spec, old, "allocateLoadBalancerNodePorts");
        release_member(spec, old, "loadBalancerClass");
    }
    if (is_external(old) && !is_external(spec))
        release_member(spec, old, "externalTrafficPolicy");
    lw_node *status = lw_fields_object(pending->tree, pending->root, "status");
    if (!lw_service_is(spec, "LoadBalancer"))
        lw_node_put(pending->tree, status, LW_STR("loadBalancer"), lw_tree_object(pending->tree));
}

/* Keeps the allocated address if the client sends the object without it. */
static void keep_address(lw_pending_object *pending, lw_node *spec, const lw_node *old)
{
    char address[LW_CLUSTER_IP_SIZE];
    set_families(pending->tree, spec);
    if (lw_fields_text(spec, "clusterIP").len == 0 && !lw_service_is(old, "ExternalName"))
        lw_fields_set_copy(pending->tree, spec, "clusterIP", lw_node_get(old, LW_STR("clusterIP")));
    if (lw_fields_text(spec, "clusterIP").len == 0) {
        lw_status st = lw_cluster_ip_allocate(pending->port->api, pending->kind, address);
        lw_pending_object_note(pending, st);
        if (st == LW_OK)
            lw_fields_set_text(pending->tree, spec, "clusterIP", lw_str_of(address));
    }
    sync_addresses(pending, spec);
}

static void service_update(lw_pending_object *pending, lw_api_status *errors)
{
    lw_node *spec = lw_pending_object_own_part(pending, "spec");
    const lw_node *old = lw_node_get(pending->old, LW_STR("spec"));
    if (!lw_service_is(spec, "ExternalName"))
        keep_address(pending, spec, old);
    lw_service_ports_update(pending, errors);
    release(pending, spec, old);
}

static void check_port_name(const lw_node *ports, size_t index, lw_text_set *names,
                            lw_api_status *errors)
{
    char field[FIELD_SIZE];
    lw_node *port = lw_node_at(ports, index);
    lw_str name = lw_fields_text(port, "name");
    lw_name_problems problems;
    (void)snprintf(field, sizeof(field), "spec.ports[%zu].name", index);
    if (lw_node_count(ports) > 1 && name.len == 0)
        lw_field_error_required(errors, field, "");
    else if (name.len > 0 && !lw_name_is_dns1123_label(name, &problems))
        lw_field_error_invalid(errors, field, name, problems.text[0]);
    else if (name.len > 0 && !lw_text_set_add(names, port))
        lw_api_status_add_field_error(errors, LW_FIELD_DUPLICATE, lw_str_of(field), name,
                                      LW_STR(""));
}

static void check_port(const lw_node *ports, size_t index, lw_text_set *names,
                       lw_api_status *errors)
{
    static const lw_value_rule rules[] = {
        { "protocol", LW_VALUE_ONE_OF, "SCTP|TCP|UDP" },
        { "targetPort", LW_VALUE_PORT, NULL },
        { NULL, LW_VALUE_REQUIRED, NULL },
    };
    char field[FIELD_SIZE];
    const lw_node *port = lw_node_at(ports, index);
    const lw_node *number = lw_node_get(port, LW_STR("port"));
    int64_t value = 0;
    check_port_name(ports, index, names, errors);
    (void)snprintf(field, sizeof(field), "spec.ports[%zu].port", index);
    if (!lw_node_int64(number, &value) || value < 1 || value > PORT_MAX)
        lw_field_error_plain(errors, field, number ? lw_node_text(number) : LW_STR("0"),
                             "must be between 1 and 65535, inclusive");
    (void)snprintf(field, sizeof(field), "spec.ports[%zu].targetPort", index);
    if (!lw_node_get(port, LW_STR("targetPort"))) /* it would default to port, which is missing */
        lw_field_error_plain(errors, field, LW_STR("0"), "must be between 1 and 65535, inclusive");
    (void)snprintf(field, sizeof(field), "spec.ports[%zu]", index);
    lw_value_validate(rules, port, field, errors);
}

static uint64_t hash_number(const void *key, lw_hash_seed seed)
{
    int64_t number = lw_fields_int(key, "port", 0);
    seed.k0 ^= lw_hash_str(seed, lw_fields_text(key, "protocol"));
    return lw_hash_bytes(seed, &number, sizeof(number));
}

static bool has_number(const lw_map_type *type, const void *entry, const void *key)
{
    (void)type;
    return lw_fields_int(entry, "port", 0) == lw_fields_int(key, "port", 0) &&
           lw_str_equal(lw_fields_text(entry, "protocol"), lw_fields_text(key, "protocol"));
}

static const lw_map_type ports_by_number = { hash_number, has_number, 0 };

static void add_duplicate_error(const lw_node *port, size_t index, lw_api_status *errors)
{
    char field[FIELD_SIZE], shown[4 * FIELD_SIZE];
    (void)snprintf(field, sizeof(field), "spec.ports[%zu]", index);
    (void)snprintf(shown, sizeof(shown),
                   "Duplicate value: {\"Name\":\"\",\"Protocol\":\"%.*s\",\"AppProtocol\":null,"
                   "\"Port\":%d,\"TargetPort\":0,\"NodePort\":0}",
                   LW_STR_ARG(lw_fields_text(port, "protocol")),
                   (int)lw_fields_int(port, "port", 0));
    lw_api_status_add_cause(errors, LW_STR("FieldValueDuplicate"), lw_str_of(shown),
                            lw_str_of(field));
}

/* Two ports with the same number and protocol are duplicates. */
static void check_duplicates(const lw_node *ports, size_t count, lw_api_status *errors)
{
    lw_map numbers;
    lw_status st = LW_OK;
    lw_map_init(&numbers, &ports_by_number, lw_hash_seed_random(), LW_MAP_MAX);
    for (size_t i = 0; i < count && st == LW_OK; i++) {
        lw_node *port = lw_node_at(ports, i);
        void *present = NULL;
        st = lw_map_add(&numbers, port, port, &present);
        if (present)
            add_duplicate_error(port, i, errors);
    }
    if (st < 0 && errors->st == LW_OK)
        errors->st = st;
    lw_map_done(&numbers);
}

static void check_ports(const lw_node *ports, size_t count, lw_api_status *errors)
{
    lw_text_set names;
    lw_text_set_init(&names, "name");
    for (size_t i = 0; i < count; i++)
        check_port(ports, i, &names, errors);
    lw_text_set_done(&names, errors);
}

static void check_type(const lw_node *spec, lw_api_status *errors)
{
    if (lw_service_is(spec, "ClusterIP") || lw_service_is(spec, "NodePort") ||
        lw_service_is(spec, "LoadBalancer"))
        return;
    if (!lw_service_is(spec, "ExternalName"))
        lw_api_status_add_field_error(errors, LW_FIELD_NOT_SUPPORTED, LW_STR("spec.type"),
                                      type_of(spec),
                                      LW_STR("supported values: \"ClusterIP\", \"ExternalName\", "
                                             "\"LoadBalancer\", \"NodePort\""));
    else if (lw_fields_text(spec, "externalName").len == 0)
        lw_field_error_required(errors, "spec.externalName", "");
}

static void check_address(const lw_pending_object *pending, const lw_node *spec,
                          lw_api_status *errors)
{
    lw_str ip = lw_fields_text(spec, "clusterIP");
    lw_str old = lw_fields_text_at(pending->old, "/spec/clusterIP");
    if (ip.len > 0 && !is_headless(spec) && !lw_cluster_ip_is_address(ip))
        lw_field_error_invalid(errors, "spec.clusterIPs[0]", ip,
                               "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
    else if (old.len > 0 && !lw_service_is(spec, "ExternalName") && !lw_str_equal(ip, old))
        lw_value_error(errors, "spec.clusterIPs[0]", lw_node_get(spec, LW_STR("clusterIPs")),
                       "may not change once set");
}

/* A service that is reachable from outside needs a cluster IP. */
static void check_headless(const lw_node *spec, lw_api_status *errors)
{
    char detail[2 * FIELD_SIZE];
    if (!is_headless(spec) ||
        (!lw_service_is(spec, "NodePort") && !lw_service_is(spec, "LoadBalancer")))
        return;
    (void)snprintf(detail, sizeof(detail), "may not be set to 'None' for %.*s services",
                   LW_STR_ARG(type_of(spec)));
    lw_field_error_invalid(errors, "spec.clusterIPs[0]", LW_STR("None"), detail);
}

static void check_external_ips(const lw_node *ips, lw_api_status *errors)
{
    char field[FIELD_SIZE];
    for (size_t i = 0; i < lw_node_count(ips); i++) {
        lw_str ip = lw_node_text(lw_node_at(ips, i));
        (void)snprintf(field, sizeof(field), "spec.externalIPs[%zu]", i);
        if (!lw_cluster_ip_is_address(ip) && !memchr(ip.ptr, ':', ip.len))
            lw_field_error_invalid(errors, field, ip,
                                   "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
        else if (lw_str_starts_with(ip, LW_STR("127.")))
            lw_field_error_invalid(errors, field, ip,
                                   "may not be in the loopback range (127.0.0.0/8, ::1/128)");
    }
}

static void check_policies(const lw_pending_object *pending, const lw_node *spec,
                           lw_api_status *errors)
{
    static const lw_value_rule rules[] = {
        { "internalTrafficPolicy", LW_VALUE_ONE_OF, "Cluster|Local" },
        { NULL, LW_VALUE_REQUIRED, NULL },
    };
    static const char policies[] = "Cluster|Local";
    lw_str policy = lw_fields_text(spec, "externalTrafficPolicy");
    if (policy.len > 0 && !is_external(spec))
        lw_field_error_invalid(errors, "spec.externalTrafficPolicy", policy,
                               "may only be set for externally-accessible services");
    else if (policy.len > 0 && !lw_value_is_one_of(policy, policies))
        lw_value_error_unsupported(errors, "spec.externalTrafficPolicy", policy, policies);
    lw_service_health_port_validate(spec, lw_node_get(pending->old, LW_STR("spec")), errors);
    lw_value_validate(rules, spec, "spec", errors);
}

/* As in kube-apiserver, blanks around a range are allowed, and the path has a capital letter. */
static void check_source_ranges(const lw_node *ranges, lw_api_status *errors)
{
    char field[LW_FIELD_PATH_SIZE];
    for (size_t i = 0; i < lw_node_count(ranges); i++) {
        lw_ip_range range;
        lw_str text = lw_str_trim(lw_node_text(lw_node_at(ranges, i)));
        (void)snprintf(field, sizeof(field), "spec.LoadBalancerSourceRanges[%zu]", i);
        (void)lw_value_check_ip_range(errors, field, text, &range);
    }
}

static void service_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    static const lw_value_rule rules[] = {
        { "selector", LW_VALUE_LABELS, NULL },
        { "sessionAffinity", LW_VALUE_ONE_OF, "ClientIP|None" },
        { "ipFamilies[]", LW_VALUE_ONE_OF, "IPv4|IPv6" },
        { NULL, LW_VALUE_REQUIRED, NULL },
    };
    const lw_node *spec = lw_node_get(pending->root, LW_STR("spec"));
    const lw_node *ports = lw_node_get(spec, LW_STR("ports"));
    size_t count = lw_node_is(ports, LW_JSON_ARRAY) ? lw_node_count(ports) : 0;
    if (count == 0 && !is_headless(spec) && !lw_service_is(spec, "ExternalName"))
        lw_field_error_required(errors, "spec.ports", "");
    check_ports(ports, count, errors);
    lw_value_validate(rules, spec, "spec", errors);
    check_external_ips(lw_node_get(spec, LW_STR("externalIPs")), errors);
    check_type(spec, errors);
    lw_service_ports_validate(spec, errors);
    check_duplicates(ports, count, errors);
    if (lw_node_count(lw_node_get(spec, LW_STR("loadBalancerSourceRanges"))) > 0 &&
        !lw_service_is(spec, "LoadBalancer"))
        lw_field_error_forbidden(errors, "spec.LoadBalancerSourceRanges",
                                 LW_STR("may only be used when `type` is 'LoadBalancer'"));
    check_source_ranges(lw_node_get(spec, LW_STR("loadBalancerSourceRanges")), errors);
    if (lw_node_get(spec, LW_STR("allocateLoadBalancerNodePorts")) &&
        !lw_service_is(spec, "LoadBalancer"))
        lw_field_error_forbidden(errors, "spec.allocateLoadBalancerNodePorts",
                                 LW_STR("may only be used when `type` is 'LoadBalancer'"));
    check_policies(pending, spec, errors);
    check_address(pending, spec, errors);
    check_headless(spec, errors);
}

const lw_strategy lw_strategies_service[] = {
    { .plural = LW_STR_INIT("services"),
      .defaults = service_defaults,
      .create = service_create,
      .update = service_update,
      .validate = service_validate,
      .status_defaults = lw_status_default_load_balancer,
      .status = lw_status_validate_load_balancer },
    { .plural = LW_STR_INIT("") },
};
