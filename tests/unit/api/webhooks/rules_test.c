/* SPDX-License-Identifier: Apache-2.0 */
/* rules_test.c -- which requests the rules of a webhook match. */
#include "api/webhooks/rules.h"

#include "schema/kinds/kinds.h"
#include "unit/test.h"

static bool matches(const char *rules, const lw_kind *kind, const char *sub, unsigned operation)
{
    lw_tree *tree = NULL;
    lw_hook_rules *compiled = NULL;
    assert_int_equal(lw_tree_parse(&tree, lw_str_of(rules), 0, NULL), LW_OK);
    assert_int_equal(lw_hook_rules_new(&compiled, lw_tree_root(tree)), LW_OK);
    bool is_matched = false;
    for (size_t i = 0; i < lw_hook_rules_count(compiled); i++)
        is_matched |= lw_hook_rule_matches(compiled, i, kind, lw_str_of(sub), operation);
    lw_hook_rules_free(compiled);
    lw_tree_free(tree);
    return is_matched;
}

#define RULE(groups, versions, resources, operations)                                              \
    "[{\"apiGroups\":[" groups "],\"apiVersions\":[" versions "],\"resources\":[" resources        \
    "],\"operations\":[" operations "]}]"
#define PODS(resources) RULE("\"\"", "\"v1\"", resources, "\"CREATE\"")

static void groups_versions_and_operations_must_match(void **state)
{
    const lw_kind *pods = &lw_kind_pods;
    (void)state;
    assert_true(matches(PODS("\"pods\""), pods, "", LW_HOOK_CREATE));
    assert_false(matches(PODS("\"pods\""), pods, "", LW_HOOK_UPDATE));
    assert_false(matches(PODS("\"pods\""), &lw_kind_services, "", LW_HOOK_CREATE));
    assert_false(
        matches(RULE("\"apps\"", "\"v1\"", "\"pods\"", "\"*\""), pods, "", LW_HOOK_CREATE));
    assert_false(matches(RULE("\"\"", "\"v2\"", "\"pods\"", "\"*\""), pods, "", LW_HOOK_CREATE));
    assert_true(matches(RULE("\"*\"", "\"*\"", "\"*\"", "\"*\""), pods, "", LW_HOOK_DELETE));
}

static void subresources_match_by_themselves(void **state)
{
    const lw_kind *pods = &lw_kind_pods;
    (void)state;
    assert_false(matches(PODS("\"pods\""), pods, "status", LW_HOOK_CREATE));
    assert_false(matches(PODS("\"*\""), pods, "status", LW_HOOK_CREATE));
    assert_true(matches(PODS("\"pods/status\""), pods, "status", LW_HOOK_CREATE));
    assert_true(matches(PODS("\"pods/*\""), pods, "status", LW_HOOK_CREATE));
    assert_true(matches(PODS("\"pods/*\""), pods, "", LW_HOOK_CREATE));
    assert_true(matches(PODS("\"*/status\""), pods, "status", LW_HOOK_CREATE));
    assert_true(matches(PODS("\"*/*\""), pods, "status", LW_HOOK_CREATE));
    assert_false(matches(PODS("\"pods/log\""), pods, "status", LW_HOOK_CREATE));
}

static void scopes_separate_namespaced_kinds(void **state)
{
    static const char cluster[] = "[{\"apiGroups\":[\"\"],\"apiVersions\":[\"v1\"],\"resources\":["
                                  "\"*\"],\"operations\":[\"*\"],\"scope\":\"Cluster\"}]";
    static const char namespaced[] =
        "[{\"apiGroups\":[\"\"],\"apiVersions\":[\"v1\"],\"resources\":["
        "\"*\"],\"operations\":[\"*\"],\"scope\":\"Namespaced\"}]";
    (void)state;
    assert_true(matches(cluster, &lw_kind_namespaces, "", LW_HOOK_CREATE));
    assert_false(matches(cluster, &lw_kind_pods, "", LW_HOOK_CREATE));
    assert_true(matches(namespaced, &lw_kind_pods, "", LW_HOOK_CREATE));
    assert_false(matches(namespaced, &lw_kind_namespaces, "", LW_HOOK_CREATE));
}

static void configurations_of_webhooks_are_exempt(void **state)
{
    (void)state;
    assert_true(lw_hook_is_exempt(&lw_kind_validatingwebhookconfigurations));
    assert_false(lw_hook_is_exempt(&lw_kind_pods));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(groups_versions_and_operations_must_match),
        TEST(subresources_match_by_themselves),
        TEST(scopes_separate_namespaced_kinds),
        TEST(configurations_of_webhooks_are_exempt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
