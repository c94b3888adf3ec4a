/* SPDX-License-Identifier: Apache-2.0 */
/* quota_scope.c -- the scopes of quotas. */
#include "api/quota/quota_usage.h"
#include "base/str.h"
#include "json/fields.h"

/* Returns true if a class of the object satisfies the operator |op| and its |values|. */
static bool has_class(const lw_quota_usage *usage, lw_str op, const lw_node *values)
{
    bool is_in = lw_str_equal(op, LW_STR("In"));
    if (lw_str_equal(op, LW_STR("Exists")))
        return usage->class_count > 0;
    if (lw_str_equal(op, LW_STR("DoesNotExist")))
        return usage->class_count == 0;
    if (!is_in && !lw_str_equal(op, LW_STR("NotIn")))
        return false;
    for (size_t i = 0; i < usage->class_count; i++) {
        if (lw_fields_list_has(values, usage->classes[i]) == is_in)
            return true;
    }
    return usage->class_count == 0 && !is_in;
}

static bool matches(const lw_quota_usage *usage, lw_str scope, lw_str op, const lw_node *values)
{
    if (usage->is_claim)
        return lw_str_equal(scope, LW_STR("VolumeAttributesClass")) && has_class(usage, op, values);
    if (!usage->is_pod)
        return false;
    if (lw_str_equal(scope, LW_STR("Terminating")))
        return usage->is_terminating;
    if (lw_str_equal(scope, LW_STR("NotTerminating")))
        return !usage->is_terminating;
    if (lw_str_equal(scope, LW_STR("BestEffort")))
        return usage->is_best_effort;
    if (lw_str_equal(scope, LW_STR("NotBestEffort")))
        return !usage->is_best_effort;
    if (lw_str_equal(scope, LW_STR("CrossNamespacePodAffinity")))
        return usage->crosses_namespaces;
    return lw_str_equal(scope, LW_STR("PriorityClass")) && has_class(usage, op, values);
}

bool lw_quota_has_in_scope(const lw_node *spec, const lw_quota_usage *usage)
{
    const lw_node *scopes = lw_node_get(spec, LW_STR("scopes"));
    const lw_node *selectors = lw_fields_find(spec, "/scopeSelector/matchExpressions");
    for (size_t i = 0; i < lw_node_count(scopes); i++) {
        if (!matches(usage, lw_node_text(lw_node_at(scopes, i)), LW_STR("Exists"), NULL))
            return false;
    }
    for (size_t i = 0; i < lw_node_count(selectors); i++) {
        const lw_node *selector = lw_node_at(selectors, i);
        if (!matches(usage, lw_fields_text(selector, "scopeName"),
                     lw_fields_text(selector, "operator"), lw_node_get(selector, LW_STR("values"))))
            return false;
    }
    return true;
}
