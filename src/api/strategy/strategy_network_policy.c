/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_network_policy.c -- defaults and validation of network policies. */
#include "api/pending/metadata_validation.h"
#include "api/pending/value_validation.h"
#include "api/strategy/strategy.h"
#include "base/str.h"
#include "json/fields.h"

#define NO_RULE                                                                                    \
    {                                                                                              \
        NULL, LW_VALUE_REQUIRED, NULL                                                              \
    }

static size_t count_of(const lw_node *list)
{
    return lw_node_is(list, LW_JSON_ARRAY) ? lw_node_count(list) : 0;
}

static void default_ports(lw_tree *tree, const lw_node *rules)
{
    for (size_t i = 0; i < count_of(rules); i++) {
        const lw_node *ports = lw_node_get(lw_node_at(rules, i), LW_STR("ports"));
        for (size_t j = 0; j < count_of(ports); j++)
            lw_fields_default_text(tree, lw_node_at(ports, j), "protocol", "TCP");
    }
}

/* Sets the default policyTypes according to the rules. */
static void network_policy_defaults(lw_pending_object *pending)
{
    lw_tree *tree = pending->tree;
    lw_node *spec = lw_fields_object(tree, pending->root, "spec");
    const lw_node *egress = lw_node_get(spec, LW_STR("egress"));
    default_ports(tree, lw_node_get(spec, LW_STR("ingress")));
    default_ports(tree, egress);
    if (lw_node_get(spec, LW_STR("policyTypes")))
        return;
    lw_node *types = lw_tree_array(tree);
    lw_node_append(tree, types, lw_tree_string(tree, LW_STR("Ingress")));
    if (count_of(egress) > 0)
        lw_node_append(tree, types, lw_tree_string(tree, LW_STR("Egress")));
    lw_node_put(tree, spec, LW_STR("policyTypes"), types);
}

static void fault(lw_api_status *errors, const lw_field_path *at, const lw_node *value,
                  const char *detail)
{
    char text[LW_FIELD_PATH_SIZE];
    lw_value_error(errors, lw_field_path_text(text, *at), value, detail);
}

/* Checks the last port of a range that begins with |first|; either may be NULL. */
static void check_end(const lw_node *first, const lw_node *last, const lw_field_path *at,
                      lw_api_status *errors)
{
    int64_t from = 0, to = 0;
    const lw_field_path path = lw_field_path_in(at, LW_STR("endPort"));
    if (!last)
        return;
    if (!first)
        fault(errors, &path, last, "may not be specified when `port` is not specified");
    else if (!lw_node_int64(first, &from))
        fault(errors, &path, last, "may not be specified when `port` is non-numeric");
    else if (lw_node_int64(last, &to) && to < from)
        fault(errors, &path, last, "must be greater than or equal to `port`");
}

static void check_port(const lw_node *port, const lw_field_path *at, lw_api_status *errors)
{
    static const lw_value_rule rules[] = {
        { "protocol", LW_VALUE_ONE_OF, "TCP|UDP|SCTP" },
        { "port", LW_VALUE_PORT, NULL },
        NO_RULE,
    };
    static const lw_value_rule end_rules[] = {
        { "endPort", LW_VALUE_PORT, NULL },
        NO_RULE,
    };
    const lw_node *first = lw_node_get(port, LW_STR("port"));
    const lw_field_path path = lw_field_path_in(at, LW_STR("port"));
    lw_name_problems problems;
    lw_value_validate_at(rules, port, at, errors);
    check_end(first, lw_node_get(port, LW_STR("endPort")), at, errors);
    if (lw_node_is(first, LW_JSON_NUMBER))
        lw_value_validate_at(end_rules, port, at, errors);
    if (lw_node_is(first, LW_JSON_STRING) && !lw_name_is_port(lw_node_text(first), &problems))
        lw_value_errors_of_name(errors, &path, lw_node_text(first), &problems);
}

static void check_block(const lw_node *block, const lw_field_path *at, lw_api_status *errors)
{
    char field[LW_FIELD_PATH_SIZE];
    lw_ip_range whole, part;
    const lw_node *excepts = lw_node_get(block, LW_STR("except"));
    lw_str cidr = lw_fields_text(block, "cidr");
    (void)lw_field_path_text(field, lw_field_path_in(at, LW_STR("cidr")));
    if (cidr.len == 0)
        lw_field_error_required(errors, field, "");
    if (cidr.len == 0 || !lw_value_check_ip_range(errors, field, cidr, &whole))
        return;
    for (size_t i = 0; i < count_of(excepts); i++) {
        lw_str text = lw_node_text(lw_node_at(excepts, i));
        (void)lw_field_path_text(field, lw_field_path_item(at, LW_STR("except"), i));
        if (lw_value_check_ip_range(errors, field, text, &part) &&
            (!lw_ip_range_contains(&whole, &part) || part.prefix == whole.prefix))
            lw_field_error_invalid(errors, field, text, "must be a strict subset of `cidr`");
    }
}

static void check_peer(const lw_node *peer, const lw_field_path *at, lw_api_status *errors)
{
    char field[LW_FIELD_PATH_SIZE];
    const lw_node *block = lw_node_get(peer, LW_STR("ipBlock"));
    bool has_selector =
        lw_node_get(peer, LW_STR("podSelector")) || lw_node_get(peer, LW_STR("namespaceSelector"));
    const lw_field_path block_path = lw_field_path_in(at, LW_STR("ipBlock"));
    if (block)
        check_block(block, &block_path, errors);
    (void)lw_field_path_text(field, *at);
    if (!block && !has_selector)
        lw_field_error_required(errors, field, "must specify a peer");
    else if (block && has_selector)
        lw_field_error_forbidden(errors, field,
                                 LW_STR("may not specify both ipBlock and another peer"));
}

/* Checks the rules at spec.|direction|, whose peers are called |peers_name|. */
static void check_rules(const lw_node *spec, lw_str direction, lw_str peers_name,
                        lw_api_status *errors)
{
    const lw_field_path top = lw_field_path_in(NULL, LW_STR("spec"));
    const lw_node *rules = lw_node_get(spec, direction);
    for (size_t i = 0; i < count_of(rules); i++) {
        const lw_field_path rule_path = lw_field_path_item(&top, direction, i);
        const lw_node *ports = lw_node_get(lw_node_at(rules, i), LW_STR("ports"));
        const lw_node *peers = lw_node_get(lw_node_at(rules, i), peers_name);
        for (size_t j = 0; j < count_of(ports); j++) {
            const lw_field_path path = lw_field_path_item(&rule_path, LW_STR("ports"), j);
            check_port(lw_node_at(ports, j), &path, errors);
        }
        for (size_t j = 0; j < count_of(peers); j++) {
            const lw_field_path path = lw_field_path_item(&rule_path, peers_name, j);
            check_peer(lw_node_at(peers, j), &path, errors);
        }
    }
}

static void network_policy_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    static const lw_value_rule rules[] = {
        { "policyTypes[]", LW_VALUE_ONE_OF, "Ingress|Egress" },
        NO_RULE,
    };
    enum {
        TYPES_MAX = 2,
    };
    const lw_node *spec = lw_node_get(pending->root, LW_STR("spec"));
    const lw_node *types = lw_node_get(spec, LW_STR("policyTypes"));
    check_rules(spec, LW_STR("ingress"), LW_STR("from"), errors);
    check_rules(spec, LW_STR("egress"), LW_STR("to"), errors);
    if (count_of(types) > TYPES_MAX)
        lw_value_error(errors, "spec.policyTypes", types,
                       "may not specify more than two policyTypes");
    else
        lw_value_validate(rules, spec, "spec", errors);
}

const lw_strategy lw_strategies_network_policy[] = {
    { .group = LW_STR_INIT("networking.k8s.io"),
      .plural = LW_STR_INIT("networkpolicies"),
      .defaults = network_policy_defaults,
      .validate = network_policy_validate },
    { .plural = LW_STR_INIT("") },
};
