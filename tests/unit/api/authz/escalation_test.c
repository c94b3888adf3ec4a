/* SPDX-License-Identifier: Apache-2.0 */
/* escalation_test.c -- writes of roles and bindings by a user who holds less than they grant. */
#include "api/authz/authz.h"
#include "unit/api/sent.h"
#include "json/tree.h"

#define RBAC     "/apis/rbac.authorization.k8s.io/v1/"
#define IN       RBAC "namespaces/default/"
#define REF(k)   "\"roleRef\":{\"apiGroup\":\"rbac.authorization.k8s.io\",\"kind\":\"" k "\"}"
#define NAMED(n) "\"metadata\":{\"name\":\"" n "\"}"

/* What a test has besides its world, which is first. */
typedef struct guarded_world {
    api_world world;
    lw_authz *authz;
} guarded_world;

static void put(lw_rbac *rbac, lw_status (*fn)(lw_rbac *, lw_str, lw_str, const lw_node *),
                const char *name, const char *json)
{
    lw_tree *tree = NULL;
    assert_int_equal(lw_tree_parse(&tree, lw_str_of(json), 0, NULL), LW_OK);
    assert_int_equal(fn(rbac, LW_STR(""), lw_str_of(name), lw_tree_root(tree)), LW_OK);
    lw_tree_free(tree);
}

/* The user may write everything, and read ConfigMaps; may escalate one role by its name. */
static int guarded_setup(void **state)
{
    static const lw_authz_mode mode = LW_AUTHZ_MODE_RBAC;
    static const char *const stored[][2] = {
        { "clusterroles/all", "{\"rules\":[{\"verbs\":[\"*\"],\"apiGroups\":[\"*\"],\"resources\":["
                              "\"*\"]}],\"apiVersion\":\"rbac.authorization.k8s.io/v1\",\"kind\":"
                              "\"ClusterRole\",\"metadata\":{\"name\":\"all\",\"uid\":\"1\"}}" },
        { "rolebindings/default/b",
          "{\"apiVersion\":\"rbac.authorization.k8s.io/v1\",\"kind\":\"RoleBinding\",\"metadata\":{"
          "\"name\":\"b\",\"namespace\":\"default\",\"uid\":\"2\"},\"roleRef\":{\"apiGroup\":"
          "\"rbac.authorization.k8s.io\",\"kind\":\"ClusterRole\",\"name\":\"all\"}}" },
    };
    guarded_world *g = calloc(1, sizeof(*g));
    assert_non_null(g);
    *state = g;
    assert_int_equal(api_world_open(&g->world, NULL), LW_OK);
    assert_int_equal(lw_api_seed(g->world.api, NULL), LW_OK);
    for (size_t i = 0; i < 2; i++)
        assert_true(api_world_put(&g->world, stored[i][0], stored[i][1]) > 0);
    assert_int_equal(lw_authz_new(&g->authz, &mode, 1, NULL), LW_OK);
    g->world.api->authz = g->authz;
    lw_rbac *rbac = lw_authz_rbac(g->authz);
    put(rbac, lw_rbac_put_role, "all", stored[0][1]);
    put(rbac, lw_rbac_put_role, "some",
        "{\"rules\":[{\"verbs\":[\"get\"],\"apiGroups\":[\"\"],\"resources\":[\"configmaps\"]},"
        "{\"verbs\":[\"create\",\"update\",\"patch\"],\"apiGroups\":[\"rbac.authorization.k8s.io\"]"
        ","
        "\"resources\":[\"*\"]},{\"verbs\":[\"escalate\"],\"apiGroups\":[\"rbac.authorization.k8s."
        "io\"],\"resources\":[\"roles\"],\"resourceNames\":[\"mine\"]}]}");
    put(rbac, lw_rbac_put_binding, "b",
        "{\"roleRef\":{\"kind\":\"ClusterRole\",\"name\":\"some\"},\"subjects\":[{\"kind\":"
        "\"User\","
        "\"name\":\"tester\"}]}");
    return 0;
}

static int guarded_teardown(void **state)
{
    guarded_world *g = *state;
    api_world_close(&g->world);
    lw_authz_free(g->authz);
    free(g);
    return 0;
}

static void assert_told(void **state, const char *method, const char *target, const char *body,
                        int code, const char *text)
{
    const char *type = strcmp(method, "PATCH") == 0 ? MERGE_PATCH : NULL;
    fake_http *http = send_as(*state, method, target, type, body, code);
    lw_buf_append_char(&http->body, '\0');
    if (!strstr(http->body.data, text))
        fail_msg("%s is not in %s", text, http->body.data);
    fake_http_free(http);
}

static void a_role_of_an_unknown_kind_is_told_before_the_binding_is_validated(void **state)
{
    static const char text[] = "\"message\":\"unsupported role reference kind: \\\"Thing\\\"\","
                               "\"code\":500";
    assert_told(state, "PUT", IN "rolebindings/b", "{" NAMED("b") "," REF("Thing") "}", 500, text);
    assert_told(state, "POST", IN "rolebindings", "{" NAMED("c") "," REF("Thing") "}", 500, text);
    assert_told(state, "POST", RBAC "clusterrolebindings", "{" NAMED("c") "," REF("Thing") "}", 500,
                text);
}

static void a_role_that_cannot_be_named_is_a_bad_request(void **state)
{
    assert_told(state, "POST", IN "rolebindings", "{" NAMED("c") "," REF("Role") "}", 400,
                "\"Name parameter required.\"");
    assert_told(state, "POST", RBAC "clusterrolebindings", "{" NAMED("c") "," REF("Role") "}", 400,
                "\"Namespace parameter required.\"");
    assert_told(state, "POST", RBAC "clusterrolebindings",
                "{" NAMED("c") ",\"roleRef\":{\"kind\":\"ClusterRole\",\"name\":\"a/%\"}}", 400,
                "Name parameter invalid: \\\"a/%\\\": may not contain '/';may not contain '%'\"");
}

static void new_labels_are_checked_as_anything_else(void **state)
{
    static const char text[] = "user \\\"tester\\\" (groups=[\\\"system:authenticated\\\"]) is "
                               "attempting to grant RBAC permissions not currently held";
    static const char body[] = "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}";
    assert_told(state, "PATCH", IN "rolebindings/b", body, 403, text);
    assert_told(state, "PATCH", RBAC "clusterroles/all", body, 403, text);
}

static void the_garbage_collectors_fields_are_free_to_change(void **state)
{
    assert_told(state, "PATCH", IN "rolebindings/b",
                "{\"metadata\":{\"finalizers\":[\"a.b/c\"],\"ownerReferences\":[{\"apiVersion\":"
                "\"v1\",\"kind\":\"ConfigMap\",\"name\":\"a\",\"uid\":\"3\"}]}}",
                200, "a.b/c");
    assert_told(state, "PATCH", IN "rolebindings/b",
                "{\"metadata\":{\"finalizers\":[],\"labels\":{\"a\":\"b\"}}}", 403,
                "not currently");
    assert_told(state, "PATCH", IN "rolebindings/b", "{\"metadata\":{\"finalizers\":[]}}", 200,
                "RoleBinding");
}

/* What the server would keep of the stored metadata is compared as it was sent. */
static void a_binding_put_without_its_uid_is_checked(void **state)
{
    static const char ref[] = "\"roleRef\":{\"apiGroup\":\"rbac.authorization.k8s.io\",\"kind\":"
                              "\"ClusterRole\",\"name\":\"all\"}";
    char body[512];
    (void)snprintf(body, sizeof(body), "{" NAMED("b") ",%s}", ref);
    assert_told(state, "PUT", IN "rolebindings/b", body, 403, "not currently held");
}

/* A POST has no name in its path, so that a rule with names allows it nothing. */
static void a_new_role_cannot_be_escalated_by_its_name(void **state)
{
    static const char body[] = "{" NAMED("mine") ",\"rules\":[{\"verbs\":[\"get\"],\"apiGroups\":["
                                                 "\"\"],\"resources\":[\"secrets\"]}]}";
    assert_told(state, "POST", IN "roles", body, 403, "not currently held");
    assert_told(state, "PUT", IN "roles/mine", body, 201, "secrets");
}

static void an_aggregation_rule_without_selectors_gathers_nothing(void **state)
{
    assert_told(state, "POST", RBAC "clusterroles",
                "{" NAMED("c") ",\"aggregationRule\":{\"clusterRoleSelectors\":[]}}", 422,
                "at least one clusterRoleSelector required if aggregationRule is non-nil");
    assert_told(state, "POST", RBAC "clusterroles",
                "{" NAMED("c") ",\"aggregationRule\":{\"clusterRoleSelectors\":[{\"matchLabels\":{"
                               "\"a\":\"b\"}}]}}",
                403, "must have cluster-admin privileges to use the aggregationRule");
}

int main(void)
{
#define GUARDED(test) cmocka_unit_test_setup_teardown(test, guarded_setup, guarded_teardown)
    const struct CMUnitTest tests[] = {
        GUARDED(a_role_of_an_unknown_kind_is_told_before_the_binding_is_validated),
        GUARDED(a_role_that_cannot_be_named_is_a_bad_request),
        GUARDED(new_labels_are_checked_as_anything_else),
        GUARDED(the_garbage_collectors_fields_are_free_to_change),
        GUARDED(a_binding_put_without_its_uid_is_checked),
        GUARDED(a_new_role_cannot_be_escalated_by_its_name),
        GUARDED(an_aggregation_rule_without_selectors_gathers_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
