/* SPDX-License-Identifier: Apache-2.0 */
/* flow_match_test.c -- which requests a FlowSchema matches. */
#include <stdio.h>

#include "base/str.h"
#include "server/flowcontrol/flow_schema.h"
#include "unit/test.h"

typedef struct match_world {
    lw_arena arena;
    lw_flow_schema schema;
} match_world;

/* A schema with one rule: |subjects| and |rules| as JSON. */
static void begin(match_world *w, const char *subjects, const char *rules)
{
    char json[4096];
    (void)snprintf(json, sizeof(json),
                   "{\"metadata\":{\"name\":\"s\",\"uid\":\"u\"},\"spec\":{"
                   "\"priorityLevelConfiguration\":{\"name\":\"l\"},\"matchingPrecedence\":7,"
                   "\"distinguisherMethod\":{\"type\":\"ByNamespace\"},"
                   "\"rules\":[{\"subjects\":[%s],%s}]}}",
                   subjects, rules);
    lw_arena_init(&w->arena, 1 << 20);
    assert_int_equal(lw_flow_schema_read(&w->schema, lw_str_of(json), &w->arena), LW_OK);
}

static void end(match_world *w)
{
    lw_arena_done(&w->arena);
}

#define EVERYTHING                                                                                 \
    "\"resourceRules\":[{\"verbs\":[\"*\"],\"apiGroups\":[\"*\"],\"resources\":[\"*\"],"           \
    "\"clusterScope\":true,\"namespaces\":[\"*\"]}],"                                              \
    "\"nonResourceRules\":[{\"verbs\":[\"*\"],\"nonResourceURLs\":[\"*\"]}]"
#define ALICE   "{\"kind\":\"User\",\"user\":{\"name\":\"alice\"}}"
#define ANYBODY "{\"kind\":\"User\",\"user\":{\"name\":\"*\"}}"

static const lw_str groups[] = { LW_STR_INIT("system:authenticated"), LW_STR_INIT("devs") };

static lw_user user_of(const char *name)
{
    return (lw_user){ .name = lw_str_of(name), .groups = groups, .group_count = 2 };
}

static bool matches(const match_world *w, const char *user, const char *method, const char *target)
{
    lw_request_info info;
    lw_str path, query;
    (void)lw_str_cut(lw_str_of(target), '?', &path, &query);
    lw_user who = user_of(user);
    const lw_http_request request = { .method = lw_http_method_of(lw_str_of(method)),
                                      .method_text = lw_str_of(method),
                                      .path = path,
                                      .query = query };
    lw_request_info_read(&info, &request);
    return lw_flow_schema_matches(&w->schema, &info, &who);
}

static void a_user_matches_by_name_or_star(void **state)
{
    (void)state;
    match_world w;
    begin(&w, ALICE, EVERYTHING);
    assert_true(matches(&w, "alice", "GET", "/api/v1/pods"));
    assert_true(matches(&w, "alice", "GET", "/version"));
    assert_false(matches(&w, "bob", "GET", "/api/v1/pods"));
    end(&w);
    begin(&w, ANYBODY, EVERYTHING);
    assert_true(matches(&w, "bob", "GET", "/api/v1/pods"));
    end(&w);
}

static void a_group_matches_by_membership(void **state)
{
    (void)state;
    match_world w;
    begin(&w, "{\"kind\":\"Group\",\"group\":{\"name\":\"devs\"}}", EVERYTHING);
    assert_true(matches(&w, "x", "GET", "/version"));
    end(&w);
    begin(&w, "{\"kind\":\"Group\",\"group\":{\"name\":\"ops\"}}", EVERYTHING);
    assert_false(matches(&w, "x", "GET", "/version"));
    end(&w);
}

static void a_service_account_matches_by_namespace_and_name(void **state)
{
    (void)state;
    match_world w;
    begin(&w,
          "{\"kind\":\"ServiceAccount\",\"serviceAccount\":{\"namespace\":\"a\",\"name\":\"b\"}}",
          EVERYTHING);
    assert_true(matches(&w, "system:serviceaccount:a:b", "GET", "/version"));
    assert_false(matches(&w, "system:serviceaccount:a:c", "GET", "/version"));
    assert_false(matches(&w, "system:serviceaccount:ab:b", "GET", "/version"));
    assert_false(matches(&w, "a:b", "GET", "/version"));
    end(&w);
    begin(&w,
          "{\"kind\":\"ServiceAccount\",\"serviceAccount\":{\"namespace\":\"a\",\"name\":\"*\"}}",
          EVERYTHING);
    assert_true(matches(&w, "system:serviceaccount:a:c", "GET", "/version"));
    assert_false(matches(&w, "system:serviceaccount:ab:c", "GET", "/version"));
    end(&w);
}

static void a_resource_rule_needs_verb_group_resource_and_namespace(void **state)
{
    (void)state;
    match_world w;
    begin(&w, ANYBODY,
          "\"resourceRules\":[{\"verbs\":[\"list\",\"watch\"],\"apiGroups\":[\"apps\"],"
          "\"resources\":[\"deployments\"],\"namespaces\":[\"n1\",\"n2\"]}]");
    assert_true(matches(&w, "x", "GET", "/apis/apps/v1/namespaces/n1/deployments"));
    assert_true(matches(&w, "x", "GET", "/apis/apps/v1/namespaces/n2/deployments?watch=1"));
    assert_false(matches(&w, "x", "GET", "/apis/apps/v1/namespaces/n1/deployments/d"));
    assert_false(matches(&w, "x", "POST", "/apis/apps/v1/namespaces/n1/deployments"));
    assert_false(matches(&w, "x", "GET", "/apis/batch/v1/namespaces/n1/deployments"));
    assert_false(matches(&w, "x", "GET", "/apis/apps/v1/namespaces/n1/replicasets"));
    assert_false(matches(&w, "x", "GET", "/apis/apps/v1/namespaces/n3/deployments"));
    assert_false(matches(&w, "x", "GET", "/apis/apps/v1/deployments")); /* no clusterScope */
    assert_false(matches(&w, "x", "GET", "/version"));
    end(&w);
}

static void cluster_scope_matches_requests_without_a_namespace(void **state)
{
    (void)state;
    match_world w;
    begin(&w, ANYBODY,
          "\"resourceRules\":[{\"verbs\":[\"*\"],\"apiGroups\":[\"\"],\"resources\":[\"*\"],"
          "\"clusterScope\":true,\"namespaces\":[]}]");
    assert_true(matches(&w, "x", "GET", "/api/v1/nodes"));
    assert_true(matches(&w, "x", "GET", "/api/v1/pods"));
    assert_false(matches(&w, "x", "GET", "/api/v1/namespaces/n/pods"));
    end(&w);
}

static void a_subresource_must_be_named(void **state)
{
    (void)state;
    match_world w;
    begin(&w, ANYBODY,
          "\"resourceRules\":[{\"verbs\":[\"*\"],\"apiGroups\":[\"\"],"
          "\"resources\":[\"pods/status\"],\"namespaces\":[\"*\"]}]");
    assert_true(matches(&w, "x", "PUT", "/api/v1/namespaces/n/pods/p/status"));
    assert_false(matches(&w, "x", "PUT", "/api/v1/namespaces/n/pods/p"));
    assert_false(matches(&w, "x", "PUT", "/api/v1/namespaces/n/pods/p/log"));
    end(&w);
    begin(&w, ANYBODY,
          "\"resourceRules\":[{\"verbs\":[\"*\"],\"apiGroups\":[\"\"],"
          "\"resources\":[\"pods\"],\"namespaces\":[\"*\"]}]");
    assert_false(matches(&w, "x", "PUT", "/api/v1/namespaces/n/pods/p/status"));
    end(&w);
}

static void a_path_matches_itself_and_what_is_below_it(void **state)
{
    (void)state;
    match_world w;
    begin(&w, ANYBODY,
          "\"nonResourceRules\":[{\"verbs\":[\"get\"],"
          "\"nonResourceURLs\":[\"/healthz\",\"/openapi/*\"]}]");
    assert_true(matches(&w, "x", "GET", "/healthz"));
    assert_true(matches(&w, "x", "GET", "/healthz/ping"));
    assert_true(matches(&w, "x", "GET", "/openapi/v3"));
    assert_false(matches(&w, "x", "GET", "/healthz2"));
    assert_false(matches(&w, "x", "GET", "/openapi"));
    assert_false(matches(&w, "x", "POST", "/healthz"));
    assert_false(matches(&w, "x", "GET", "/api/v1/pods"));
    end(&w);
}

static void subjects_and_rules_must_both_match(void **state)
{
    (void)state;
    match_world w;
    begin(&w, ALICE, "\"nonResourceRules\":[{\"verbs\":[\"*\"],\"nonResourceURLs\":[\"/a\"]}]");
    assert_true(matches(&w, "alice", "GET", "/a"));
    assert_false(matches(&w, "alice", "GET", "/b"));
    assert_false(matches(&w, "bob", "GET", "/a"));
    end(&w);
}

static void the_distinguisher_is_the_namespace_or_the_user(void **state)
{
    (void)state;
    match_world w;
    lw_request_info info = { .ns = LW_STR("n") };
    lw_user who = user_of("alice");
    begin(&w, ALICE, EVERYTHING);
    assert_true(lw_str_equal(lw_flow_schema_distinguish(&w.schema, &info, &who), LW_STR("n")));
    w.schema.distinguisher = LW_FLOW_BY_USER;
    assert_true(lw_str_equal(lw_flow_schema_distinguish(&w.schema, &info, &who), LW_STR("alice")));
    w.schema.distinguisher = LW_FLOW_ONE;
    assert_int_equal(lw_flow_schema_distinguish(&w.schema, &info, &who).len, 0);
    end(&w);
}

static void schemas_are_ordered_by_precedence_then_by_name(void **state)
{
    (void)state;
    const lw_flow_schema b1 = { .name = LW_STR("b"), .precedence = 1 };
    const lw_flow_schema a2 = { .name = LW_STR("a"), .precedence = 2 };
    const lw_flow_schema b2 = { .name = LW_STR("b"), .precedence = 2 };
    assert_true(lw_flow_schema_compare(&b1, &a2) < 0);
    assert_true(lw_flow_schema_compare(&b2, &a2) > 0);
    assert_int_equal(lw_flow_schema_compare(&b2, &b2), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_user_matches_by_name_or_star),
        TEST(a_group_matches_by_membership),
        TEST(a_service_account_matches_by_namespace_and_name),
        TEST(a_resource_rule_needs_verb_group_resource_and_namespace),
        TEST(cluster_scope_matches_requests_without_a_namespace),
        TEST(a_subresource_must_be_named),
        TEST(a_path_matches_itself_and_what_is_below_it),
        TEST(subjects_and_rules_must_both_match),
        TEST(the_distinguisher_is_the_namespace_or_the_user),
        TEST(schemas_are_ordered_by_precedence_then_by_name),
    };
    return cmocka_run_group_tests_name("flow_match", tests, NULL, NULL);
}
