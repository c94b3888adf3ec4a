/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_policy.c -- autoscalers, disruption budgets, roles and bindings, leases. */
#include <stdio.h>

#include "api/pending/metadata_validation.h"
#include "api/pending/value_validation.h"
#include "api/strategy/status/status_validation.h"
#include "api/strategy/strategy.h"
#include "base/str.h"
#include "json/fields.h"

#define NO_RULE                                                                                    \
    {                                                                                              \
        NULL, LW_VALUE_REQUIRED, NULL                                                              \
    }

enum {
    FIELD_SIZE = 128,
};

static lw_node *spec_of(lw_pending_object *pending)
{
    return lw_fields_object(pending->tree, pending->root, "spec");
}

static const lw_node *spec_in(const lw_pending_object *pending)
{
    return lw_node_get(pending->root, LW_STR("spec"));
}

static size_t count_of(const lw_node *list)
{
    return lw_node_is(list, LW_JSON_ARRAY) ? lw_node_count(list) : 0;
}

/* The default metric is 80% of the requested cpu. */
static void default_metrics(lw_tree *tree, lw_node *spec)
{
    static const char metrics[] = "[{\"type\":\"Resource\",\"resource\":{\"name\":\"cpu\","
                                  "\"target\":{\"type\":\"Utilization\","
                                  "\"averageUtilization\":80}}}]";
    lw_node *made = NULL;
    if (lw_node_get(spec, LW_STR("metrics")))
        return;
    if (lw_tree_parse_node(tree, lw_str_of(metrics), &made, NULL) == LW_OK)
        lw_node_put(tree, spec, LW_STR("metrics"), made);
}

static void autoscaler_defaults(lw_pending_object *pending)
{
    lw_node *spec = spec_of(pending);
    lw_fields_default_int(pending->tree, spec, "minReplicas", 1);
    if (!pending->kind->conversion) /* autoscaling/v1: the conversion adds the default metric */
        default_metrics(pending->tree, spec);
}

static void autoscaler_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    static const lw_value_rule rules[] = {
        { "minReplicas", LW_VALUE_POSITIVE, NULL },
        NO_RULE,
    };
    static const lw_value_rule target_rules[] = {
        { "kind", LW_VALUE_REQUIRED, NULL },
        { "name", LW_VALUE_REQUIRED, NULL },
        NO_RULE,
    };
    const lw_node *spec = spec_in(pending), *target = lw_node_get(spec, LW_STR("scaleTargetRef"));
    char shown[FIELD_SIZE];
    int64_t most = lw_fields_int(spec, "maxReplicas", 0);
    lw_value_validate(rules, spec, "spec", errors);
    (void)snprintf(shown, sizeof(shown), "%d", (int)most);
    if (most < lw_fields_int(spec, "minReplicas", 1))
        lw_field_error_plain(errors, "spec.maxReplicas", lw_str_of(shown),
                             "must be greater than or equal to `minReplicas`");
    lw_str version = lw_fields_text(target, "apiVersion");
    if (!target) {
        lw_field_error_required(errors, "spec.scaleTargetRef.kind", "");
        lw_field_error_required(errors, "spec.scaleTargetRef.name", "");
    }
    lw_value_validate(target_rules, target, "spec.scaleTargetRef", errors);
    if (version.len == 0)
        lw_field_error_invalid(errors, "spec.scaleTargetRef.apiVersion", version,
                               "apiVersion must specify API group");
    if (most < 1)
        lw_field_error_required(errors, "spec.maxReplicas", "");
}

static void check_portion(const lw_node *spec, const char *key, lw_api_status *errors)
{
    char field[FIELD_SIZE];
    const lw_node *node = lw_node_get(spec, lw_str_of(key));
    lw_str text = lw_node_text(node), percent, rest;
    int64_t number = 0;
    uint64_t value = 0;
    (void)snprintf(field, sizeof(field), "spec.%s", key);
    if (lw_node_is(node, LW_JSON_NUMBER) && lw_node_int64(node, &number) && number < 0)
        lw_field_error_plain(errors, field, text, "must be greater than or equal to 0");
    if (lw_node_is(node, LW_JSON_STRING) && lw_str_cut(text, '%', &percent, &rest) &&
        lw_str_to_uint64(percent, &value) && value > 100)
        lw_field_error_invalid(errors, field, text, "must not be greater than 100%");
}

static void budget_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    const lw_node *spec = spec_in(pending);
    if (lw_node_get(spec, LW_STR("minAvailable")) && lw_node_get(spec, LW_STR("maxUnavailable")))
        lw_value_error(errors, "spec", spec, "minAvailable and maxUnavailable cannot be both set");
    check_portion(spec, "minAvailable", errors);
    check_portion(spec, "maxUnavailable", errors);
}

static void check_role_rule(const lw_node *rule, size_t index, lw_api_status *errors)
{
    char field[FIELD_SIZE];
    bool has_paths = count_of(lw_node_get(rule, LW_STR("nonResourceURLs"))) > 0;
    (void)snprintf(field, sizeof(field), "rules[%zu].verbs", index);
    if (count_of(lw_node_get(rule, LW_STR("verbs"))) == 0)
        lw_field_error_required(errors, field, "");
    (void)snprintf(field, sizeof(field), "rules[%zu].apiGroups", index);
    if (!has_paths && count_of(lw_node_get(rule, LW_STR("apiGroups"))) == 0)
        lw_field_error_required(errors, field, "resource rules must supply at least one api group");
    (void)snprintf(field, sizeof(field), "rules[%zu].resources", index);
    if (!has_paths && count_of(lw_node_get(rule, LW_STR("resources"))) == 0)
        lw_field_error_required(errors, field, "resource rules must supply at least one resource");
}

static void role_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    const lw_node *rules = lw_node_get(pending->root, LW_STR("rules"));
    for (size_t i = 0; i < count_of(rules); i++)
        check_role_rule(lw_node_at(rules, i), i, errors);
    const lw_node *aggregation = lw_node_get(pending->root, LW_STR("aggregationRule"));
    if (aggregation && count_of(lw_node_get(aggregation, LW_STR("clusterRoleSelectors"))) == 0)
        lw_field_error_required(errors, "aggregationRule.clusterRoleSelectors",
                                "at least one clusterRoleSelector required if aggregationRule is "
                                "non-nil");
}

#define RBAC_GROUP "rbac.authorization.k8s.io"

static void binding_defaults(lw_pending_object *pending)
{
    const lw_node *subjects = lw_node_get(pending->root, LW_STR("subjects"));
    lw_fields_default_text(pending->tree, lw_fields_object(pending->tree, pending->root, "roleRef"),
                           "apiGroup", RBAC_GROUP);
    for (size_t i = 0; i < count_of(subjects); i++) {
        lw_node *subject = lw_node_at(subjects, i);
        lw_str kind = lw_fields_text(subject, "kind");
        if (lw_str_equal(kind, LW_STR("User")) || lw_str_equal(kind, LW_STR("Group")))
            lw_fields_default_text(pending->tree, subject, "apiGroup", RBAC_GROUP);
    }
}

static void binding_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    static const lw_value_rule role_rules[] = {
        { "roleRef.kind", LW_VALUE_ONE_OF, "Role|ClusterRole" },
        { "roleRef.name", LW_VALUE_REQUIRED, NULL },
        NO_RULE,
    };
    static const lw_value_rule subject_rules[] = {
        { "subjects[].kind", LW_VALUE_ONE_OF, "ServiceAccount|User|Group" },
        { "subjects[].name", LW_VALUE_REQUIRED, NULL },
        NO_RULE,
    };
    const lw_node *role = lw_node_get(pending->root, LW_STR("roleRef"));
    lw_value_validate(role_rules, pending->root, "", errors);
    lw_value_validate(subject_rules, pending->root, "", errors);
    if (pending->old && !lw_node_equal(role, lw_node_get(pending->old, LW_STR("roleRef"))))
        lw_value_error(errors, "roleRef", role, "field is immutable");
}

static void lease_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    static const lw_value_rule rules[] = {
        { "leaseDurationSeconds", LW_VALUE_POSITIVE, NULL },
        { "leaseTransitions", LW_VALUE_NOT_NEGATIVE, NULL },
        NO_RULE,
    };
    lw_value_validate(rules, spec_in(pending), "spec", errors);
}

#define RBAC .group = LW_STR_INIT(RBAC_GROUP)

const lw_strategy lw_strategies_policy[] = {
    { .group = LW_STR_INIT("autoscaling"),
      .plural = LW_STR_INIT("horizontalpodautoscalers"),
      .defaults = autoscaler_defaults,
      .validate = autoscaler_validate,
      .status = lw_status_validate_counts },
    { .group = LW_STR_INIT("policy"),
      .plural = LW_STR_INIT("poddisruptionbudgets"),
      .validate = budget_validate,
      .status = lw_status_validate_counts },
    { .group = LW_STR_INIT("coordination.k8s.io"),
      .plural = LW_STR_INIT("leases"),
      .validate = lease_validate },
    { RBAC, .plural = LW_STR_INIT("roles"), .validate = role_validate },
    { RBAC, .plural = LW_STR_INIT("clusterroles"), .validate = role_validate },
    { RBAC, .plural = LW_STR_INIT("rolebindings"), .defaults = binding_defaults,
      .validate = binding_validate },
    { RBAC, .plural = LW_STR_INIT("clusterrolebindings"), .defaults = binding_defaults,
      .validate = binding_validate },
    { .plural = LW_STR_INIT("") },
};
