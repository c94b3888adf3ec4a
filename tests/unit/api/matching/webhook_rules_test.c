/* SPDX-License-Identifier: Apache-2.0 */
/* webhook_rules_test.c -- which requests the rules of a webhook match, whatever its selectors. */
#include "api/matching/match_rules.h"

#include "schema/kinds/kinds.h"
#include "unit/test.h"

static bool matches(const char *rules, const lw_kind *kind, const char *sub, unsigned operation)
{
    lw_tree *tree = NULL;
    lw_match_rules *compiled = NULL;
    const lw_match_request request = { .kind = kind,
                                       .subresource = lw_str_of(sub),
                                       .operation = operation };
    assert_int_equal(lw_tree_parse(&tree, lw_str_of(rules), 0, NULL), LW_OK);
    assert_int_equal(lw_match_rules_of_webhook(&compiled, lw_tree_root(tree), NULL), LW_OK);
    lw_tree_free(tree);
    const lw_kind *found = lw_match_rules_find(compiled, &request);
    lw_match_rules_free(compiled);
    assert_true(!found || found == kind);
    return found;
}

#define RULE(groups, versions, resources, operations)                                              \
    "{\"matchPolicy\":\"Exact\",\"rules\":[{\"apiGroups\":[" groups "],\"apiVersions\":[" versions \
    "],\"resources\":[" resources "],\"operations\":[" operations "]}]}"
#define PODS(resources) RULE("\"\"", "\"v1\"", resources, "\"CREATE\"")

static void groups_versions_and_operations_must_match(void **state)
{
    const lw_kind *pods = &lw_kind_pods;
    (void)state;
    assert_true(matches(PODS("\"pods\""), pods, "", LW_OPERATION_CREATE));
    assert_false(matches(PODS("\"pods\""), pods, "", LW_OPERATION_UPDATE));
    assert_false(matches(PODS("\"pods\""), &lw_kind_services, "", LW_OPERATION_CREATE));
    assert_false(
        matches(RULE("\"apps\"", "\"v1\"", "\"pods\"", "\"*\""), pods, "", LW_OPERATION_CREATE));
    assert_false(
        matches(RULE("\"\"", "\"v2\"", "\"pods\"", "\"*\""), pods, "", LW_OPERATION_CREATE));
    assert_true(matches(RULE("\"*\"", "\"*\"", "\"*\"", "\"*\""), pods, "", LW_OPERATION_DELETE));
}

static void subresources_match_by_themselves(void **state)
{
    const lw_kind *pods = &lw_kind_pods;
    (void)state;
    assert_false(matches(PODS("\"pods\""), pods, "status", LW_OPERATION_CREATE));
    assert_false(matches(PODS("\"*\""), pods, "status", LW_OPERATION_CREATE));
    assert_true(matches(PODS("\"pods/status\""), pods, "status", LW_OPERATION_CREATE));
    assert_true(matches(PODS("\"pods/*\""), pods, "status", LW_OPERATION_CREATE));
    assert_true(matches(PODS("\"pods/*\""), pods, "", LW_OPERATION_CREATE));
    assert_true(matches(PODS("\"*/status\""), pods, "status", LW_OPERATION_CREATE));
    assert_true(matches(PODS("\"*/*\""), pods, "status", LW_OPERATION_CREATE));
    assert_false(matches(PODS("\"pods/log\""), pods, "status", LW_OPERATION_CREATE));
}

static void scopes_separate_namespaced_kinds(void **state)
{
    static const char cluster[] = "{\"matchPolicy\":\"Exact\",\"rules\":[{\"apiGroups\":[\"\"],"
                                  "\"apiVersions\":[\"v1\"],\"resources\":["
                                  "\"*\"],\"operations\":[\"*\"],\"scope\":\"Cluster\"}]}";
    static const char namespaced[] = "{\"matchPolicy\":\"Exact\",\"rules\":[{\"apiGroups\":[\"\"],"
                                     "\"apiVersions\":[\"v1\"],\"resources\":["
                                     "\"*\"],\"operations\":[\"*\"],\"scope\":\"Namespaced\"}]}";
    (void)state;
    assert_true(matches(cluster, &lw_kind_namespaces, "", LW_OPERATION_CREATE));
    assert_false(matches(cluster, &lw_kind_pods, "", LW_OPERATION_CREATE));
    assert_true(matches(namespaced, &lw_kind_pods, "", LW_OPERATION_CREATE));
    assert_false(matches(namespaced, &lw_kind_namespaces, "", LW_OPERATION_CREATE));
}

static void configurations_of_webhooks_are_exempt(void **state)
{
    (void)state;
    assert_true(lw_match_is_exempt(&lw_kind_validatingwebhookconfigurations));
    assert_false(lw_match_is_exempt(&lw_kind_pods));
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
