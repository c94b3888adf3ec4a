/* SPDX-License-Identifier: Apache-2.0 */
/* policies_scenarios.c -- admission policies with every allocation failing in turn: a policy is
 * compiled, validated or type-checked completely, or not at all. */
#include "api/policies/policy.h"
#include "api/policies/policy_check.h"
#include "api/policies/policy_typecheck.h"
#include "base/error.h"
#include "base/str.h"
#include "oom/oom.h"

#define POLICY                                                                                     \
    "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"matchConstraints\":{\"resourceRules\":[{"          \
    "\"apiGroups\":[\"\"],\"apiVersions\":[\"v1\"],\"resources\":[\"configmaps\"],"                \
    "\"operations\":[\"CREATE\"]}]},\"paramKind\":{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\"}," \
    "\"variables\":[{\"name\":\"a\",\"expression\":\"object.metadata.name\"}],"                    \
    "\"matchConditions\":[{\"name\":\"c\",\"expression\":\"request.name != 'x'\"}],"               \
    "\"validations\":[{\"expression\":\"variables.a == 'b' && params.data.x == 'y'\"},{"           \
    "\"expression\":\"object.nope == 1\",\"messageExpression\":\"'no ' + string(1)\"}]}}"

static lw_status parse(lw_tree **tree, lw_error *err)
{
    return lw_tree_parse(tree, LW_STR(POLICY), 0, err);
}

static lw_status a_policy_is_compiled(lw_error *err)
{
    lw_tree *tree = NULL;
    lw_policy *policy = NULL;
    lw_status st = parse(&tree, err);
    if (st == LW_OK)
        st = lw_policy_new(&policy, LW_POLICY_VALIDATING, lw_tree_root(tree));
    if (st == LW_OK && (policy->validations.count != 2 || !policy->validations.list[1].program ||
                        !policy->conditions.list[0].program))
        st = lw_error_set(err, LW_ERR_INTERNAL, "wrong: the policy");
    lw_policy_unref(policy);
    lw_tree_free(tree);
    return st;
}

static lw_status a_policy_is_validated(lw_error *err)
{
    lw_tree *tree = NULL;
    lw_api_status errors;
    lw_status st = parse(&tree, err);
    if (st < 0)
        return st;
    lw_api_status_init(&errors);
    lw_policy_check(LW_POLICY_VALIDATING, lw_tree_root(tree), &errors);
    st = errors.st;
    if (st == LW_OK && errors.cause_count > 0)
        st = lw_error_set(err, LW_ERR_INTERNAL, "wrong: errors");
    lw_api_status_done(&errors);
    lw_tree_free(tree);
    return st;
}

static lw_status a_policy_is_type_checked(lw_error *err)
{
    lw_tree *tree = NULL;
    lw_registry *registry = NULL;
    lw_node *warnings = NULL;
    lw_status st = parse(&tree, err);
    if (st == LW_OK)
        st = lw_registry_new(&registry);
    if (st == LW_OK)
        st = lw_policy_typecheck(registry, lw_node_get(lw_tree_root(tree), LW_STR("spec")), tree,
                                 &warnings);
    if (st == LW_OK && lw_node_count(warnings) != 1)
        st = lw_error_set(err, LW_ERR_INTERNAL, "wrong: %zu warnings", lw_node_count(warnings));
    lw_registry_unref(registry);
    lw_tree_free(tree);
    return st;
}

const oom_scenario policies_scenarios[] = {
    { "a policy is compiled", a_policy_is_compiled },
    { "a policy is validated", a_policy_is_validated },
    { "a policy is type-checked", a_policy_is_type_checked },
};
const size_t policies_scenario_count = sizeof(policies_scenarios) / sizeof(policies_scenarios[0]);
