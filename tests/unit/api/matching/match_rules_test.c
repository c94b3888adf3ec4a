/* SPDX-License-Identifier: Apache-2.0 */
/* match_rules_test.c -- which requests rules of webhooks and policies match. */
#include "api/matching/match_rules.h"

#include "schema/kinds/kinds.h"
#include "unit/api/sent.h"

#define RULE(operations, groups, versions, resources, more)                                        \
    "{\"operations\":[" operations "],\"apiGroups\":[" groups "],\"apiVersions\":[" versions       \
    "],\"resources\":[" resources "]" more "}"
#define PODS_RULE RULE("\"CREATE\"", "\"\"", "\"v1\"", "\"pods\"", "")

typedef struct sample {
    api_world *world;
    lw_tree *object; /* NULL: none */
    lw_match_request request;
} sample;

static sample pod_request(api_world *world, const char *object)
{
    sample s = { .world = world };
    if (object)
        assert_int_equal(lw_tree_parse(&s.object, lw_str_of(object), 0, NULL), LW_OK);
    s.request = (lw_match_request){ .api = world->api,
                                    .registry = world->registry,
                                    .kind = &lw_kind_pods,
                                    .operation = LW_OPERATION_CREATE,
                                    .ns = LW_STR("default"),
                                    .name = LW_STR("p"),
                                    .object = s.object ? lw_tree_root(s.object) : NULL };
    return s;
}

static void sample_done(sample *s)
{
    lw_match_request_done(&s->request);
    lw_tree_free(s->object);
}

static lw_match_rules *compile(const char *json, bool is_webhook)
{
    lw_tree *tree = NULL;
    lw_match_rules *rules = NULL;
    assert_int_equal(lw_tree_parse(&tree, lw_str_of(json), 0, NULL), LW_OK);
    lw_status st = is_webhook ? lw_match_rules_of_webhook(&rules, lw_tree_root(tree), NULL)
                              : lw_match_rules_of_resources(&rules, lw_tree_root(tree), NULL);
    assert_int_equal(st, LW_OK);
    lw_tree_free(tree);
    return rules;
}

/* Whether the policy's MatchResources |json| match; the kind is checked where it is. */
static lw_match_verdict decide(sample *s, const char *json, const lw_kind **kind)
{
    const lw_kind *matched = NULL;
    lw_api_status status;
    lw_api_status_init(&status);
    lw_match_rules *rules = compile(json, false);
    lw_match_verdict verdict = lw_match_rules_decide(rules, &s->request, &matched, &status);
    assert_true((verdict == LW_MATCH_FOUND) == (matched != NULL));
    assert_true(!matched || lw_match_rules_may_match(rules, s->world->registry, s->request.kind));
    if (verdict == LW_MATCH_ERROR)
        assert_int_equal(status.code, 404);
    if (kind)
        *kind = matched;
    lw_match_rules_free(rules);
    lw_api_status_done(&status);
    return verdict;
}

#define assert_matches(s, rules)     assert_int_equal(decide((s), (rules), NULL), LW_MATCH_FOUND)
#define assert_not_matched(s, rules) assert_int_equal(decide((s), (rules), NULL), LW_MATCH_NONE)

static void every_part_of_a_rule_must_match(void **state)
{
    sample s = pod_request(*state, NULL);
    assert_matches(&s, "{\"resourceRules\":[" PODS_RULE "]}");
    assert_matches(&s, "{\"resourceRules\":[" RULE("\"*\"", "\"*\"", "\"*\"", "\"*\"", "") "]}");
    assert_not_matched(&s, "{\"resourceRules\":[" RULE("\"UPDATE\"", "\"\"", "\"v1\"", "\"pods\"",
                                                       "") "]}");
    assert_not_matched(&s, "{\"resourceRules\":[" RULE("\"CREATE\"", "\"apps\"", "\"v1\"",
                                                       "\"pods\"", "") "]}");
    assert_not_matched(&s, "{\"resourceRules\":[" RULE("\"CREATE\"", "\"\"", "\"v2\"", "\"pods\"",
                                                       "") "]}");
    assert_not_matched(&s, "{\"resourceRules\":[" RULE("\"CREATE\"", "\"\"", "\"v1\"",
                                                       "\"services\"", "") "]}");
    assert_matches(&s, "{\"resourceRules\":[" RULE("\"CREATE\"", "\"\"", "\"v1\"", "\"pods\"",
                                                   ",\"resourceNames\":[\"o\",\"p\"]") "]}");
    assert_not_matched(&s, "{\"resourceRules\":[" RULE("\"CREATE\"", "\"\"", "\"v1\"", "\"pods\"",
                                                       ",\"resourceNames\":[\"o\"]") "]}");
    sample_done(&s);
}

static void rules_name_subresources(void **state)
{
    static const char status[] =
        "{\"resourceRules\":[" RULE("\"*\"", "\"\"", "\"v1\"", "\"pods/status\"", "") "]}";
    static const char all[] =
        "{\"resourceRules\":[" RULE("\"*\"", "\"\"", "\"v1\"", "\"*/*\"", "") "]}";
    sample s = pod_request(*state, NULL);
    assert_not_matched(&s, status);
    assert_matches(&s, all);
    s.request.subresource = LW_STR("status");
    assert_matches(&s, status);
    assert_matches(&s, all);
    assert_not_matched(&s, "{\"resourceRules\":[" PODS_RULE "]}");
    sample_done(&s);
}

static void namespaces_are_cluster_scoped(void **state)
{
    static const char cluster[] = "{\"resourceRules\":[" RULE("\"*\"", "\"*\"", "\"*\"", "\"*\"",
                                                              ",\"scope\":\"Cluster\"") "]}";
    static const char namespaced[] = "{\"resourceRules\":[" RULE("\"*\"", "\"*\"", "\"*\"", "\"*\"",
                                                                 ",\"scope\":\"Namespaced\"") "]}";
    sample s = pod_request(*state, NULL);
    assert_matches(&s, namespaced);
    assert_not_matched(&s, cluster);
    s.request.kind = &lw_kind_namespaces;
    assert_matches(&s, cluster);
    assert_not_matched(&s, namespaced);
    sample_done(&s);
}

static void excluded_rules_win(void **state)
{
    sample s = pod_request(*state, NULL);
    assert_matches(&s, "{}");
    assert_not_matched(&s, "{\"excludeResourceRules\":[" PODS_RULE "]}");
    assert_not_matched(&s, "{\"resourceRules\":[" PODS_RULE "],\"excludeResourceRules\":[" PODS_RULE
                           "]}");
    sample_done(&s);
}

static void a_webhook_without_rules_matches_nothing(void **state)
{
    sample s = pod_request(*state, NULL);
    const lw_kind *kind = NULL;
    lw_match_rules *none = compile("{}", true),
                   *pods = compile("{\"rules\":[" PODS_RULE "]}", true);
    assert_int_equal(lw_match_rules_decide(none, &s.request, &kind, NULL), LW_MATCH_NONE);
    assert_false(lw_match_rules_may_match(none, s.world->registry, &lw_kind_pods));
    assert_int_equal(lw_match_rules_decide(pods, &s.request, &kind, NULL), LW_MATCH_FOUND);
    assert_false(lw_match_rules_may_match(pods, s.world->registry, &lw_kind_secrets));
    lw_match_rules_free(none);
    lw_match_rules_free(pods);
    sample_done(&s);
}

static void the_old_object_can_match_the_selector(void **state)
{
    static const char rules[] = "{\"objectSelector\":{\"matchLabels\":{\"a\":\"b\"}}}";
    sample s = pod_request(*state, "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
    assert_matches(&s, rules);
    s.request.old = s.request.object;
    s.request.object = NULL;
    assert_matches(&s, rules);
    assert_not_matched(&s, "{\"objectSelector\":{\"matchLabels\":{\"a\":\"c\"}}}");
    s.request.old = NULL;
    assert_not_matched(&s, rules);
    sample_done(&s);
}

static void the_namespace_is_selected_by_its_labels(void **state)
{
    static const char rules[] = "{\"namespaceSelector\":{\"matchExpressions\":[{\"key\":"
                                "\"kubernetes.io/metadata.name\",\"operator\":\"In\",\"values\":["
                                "\"default\"]}]}}";
    sample s = pod_request(*state, NULL);
    assert_matches(&s, rules);
    assert_not_matched(&s, "{\"namespaceSelector\":{\"matchLabels\":{\"a\":\"c\"}}}");
    lw_match_request_done(&s.request);
    s.request.ns = LW_STR("absent");
    assert_int_equal(decide(&s, rules, NULL), LW_MATCH_ERROR);
    /* The failure does not matter if the rules do not match. */
    assert_not_matched(&s, "{\"namespaceSelector\":{\"matchLabels\":{\"a\":\"c\"}},"
                           "\"excludeResourceRules\":[" PODS_RULE "]}");
    s.request.ns = LW_STR("");
    s.request.kind = &lw_kind_nodes;
    assert_matches(&s, rules);
    sample_done(&s);
}

static void a_new_namespace_is_selected_by_its_own_labels(void **state)
{
    static const char rules[] = "{\"namespaceSelector\":{\"matchLabels\":{\"a\":\"b\"}}}";
    sample s = pod_request(*state, "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
    s.request.kind = &lw_kind_namespaces;
    assert_matches(&s, rules);
    assert_not_matched(&s, "{\"namespaceSelector\":{\"matchLabels\":{\"a\":\"c\"}}}");
    sample_done(&s);
}

static void equivalent_resources_match_unless_exact(void **state)
{
    const lw_kind *kind = NULL;
    sample s = pod_request(*state, NULL);
#define EVENTS RULE("\"*\"", "\"events.k8s.io\"", "\"v1\"", "\"events\"", "")
    s.request.kind = &lw_kind_events;
    assert_int_equal(decide(&s, "{\"matchPolicy\":\"Equivalent\",\"resourceRules\":[" EVENTS "]}",
                            &kind),
                     LW_MATCH_FOUND);
    assert_int_equal(kind->group.len, sizeof("events.k8s.io") - 1);
    assert_not_matched(&s, "{\"matchPolicy\":\"Exact\",\"resourceRules\":[" EVENTS "]}");
    sample_done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SEEDED_TEST(every_part_of_a_rule_must_match),
        SEEDED_TEST(rules_name_subresources),
        SEEDED_TEST(namespaces_are_cluster_scoped),
        SEEDED_TEST(excluded_rules_win),
        SEEDED_TEST(a_webhook_without_rules_matches_nothing),
        SEEDED_TEST(the_old_object_can_match_the_selector),
        SEEDED_TEST(the_namespace_is_selected_by_its_labels),
        SEEDED_TEST(a_new_namespace_is_selected_by_its_own_labels),
        SEEDED_TEST(equivalent_resources_match_unless_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
