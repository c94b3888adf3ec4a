/* SPDX-License-Identifier: Apache-2.0 */
/* rbac_test.c -- decisions of the RBAC authorizer, and what happens when roles and bindings come
 * and go. */
#include "api/authz/rbac.h"

#include <stdio.h>

#include "api/authz/rbac_cover.h"
#include "base/str.h"
#include "unit/test.h"

typedef struct world {
    lw_rbac *rbac;
    lw_buf text;
} world;

static int set_up(void **state)
{
    static world w;
    assert_int_equal(lw_rbac_new(&w.rbac), LW_OK);
    lw_buf_init(&w.text, 65536);
    *state = &w;
    return 0;
}

static int tear_down(void **state)
{
    world *w = *state;
    lw_buf_done(&w->text);
    lw_rbac_free(w->rbac);
    return 0;
}

static lw_tree *parse(const char *json)
{
    lw_tree *tree = NULL;
    assert_int_equal(lw_tree_parse(&tree, lw_str_of(json), 0, NULL), LW_OK);
    return tree;
}

static void put_role(world *w, const char *ns, const char *name, const char *rules)
{
    char json[4096];
    (void)snprintf(json, sizeof(json), "{\"rules\":[%s]}", rules);
    lw_tree *tree = parse(json);
    assert_int_equal(lw_rbac_put_role(w->rbac, lw_str_of(ns), lw_str_of(name), lw_tree_root(tree)),
                     LW_OK);
    lw_tree_free(tree);
}

static void put_binding(world *w, const char *ns, const char *name, const char *role_kind,
                        const char *role, const char *subjects)
{
    char json[4096];
    (void)snprintf(json, sizeof(json),
                   "{\"roleRef\":{\"kind\":\"%s\",\"name\":\"%s\"},\"subjects\":[%s]}", role_kind,
                   role, subjects);
    lw_tree *tree = parse(json);
    assert_int_equal(lw_rbac_put_binding(w->rbac, lw_str_of(ns), lw_str_of(name),
                                         lw_tree_root(tree)),
                     LW_OK);
    lw_tree_free(tree);
}

#define USER(name)  "{\"kind\":\"User\",\"name\":\"" name "\"}"
#define GROUP(name) "{\"kind\":\"Group\",\"name\":\"" name "\"}"
#define READ_PODS   "{\"verbs\":[\"get\",\"list\"],\"apiGroups\":[\"\"],\"resources\":[\"pods\"]}"

static const lw_str team[] = { LW_STR_INIT("team"), LW_STR_INIT("system:authenticated") };
static const lw_user ann = { .name = LW_STR_INIT("ann"), .groups = team, .group_count = 2 };
static const lw_user robot = { .name = LW_STR_INIT("system:serviceaccount:ci:robot") };

static lw_authz_attributes on(const lw_user *user, const char *verb, const char *group,
                              const char *resource, const char *ns, const char *name)
{
    lw_str whole = lw_str_of(resource), plain, sub;
    (void)lw_str_cut(whole, '/', &plain, &sub);
    return (lw_authz_attributes){ .user = user,
                                  .verb = lw_str_of(verb),
                                  .is_resource = true,
                                  .group = lw_str_of(group),
                                  .resource = plain,
                                  .subresource = sub,
                                  .ns = lw_str_of(ns),
                                  .name = lw_str_of(name) };
}

static bool may(world *w, lw_authz_attributes a)
{
    lw_buf_reset(&w->text);
    return lw_rbac_decide(w->rbac, &a, &w->text) == LW_AUTHZ_ALLOW;
}

static bool may_visit(world *w, const char *verb, const char *path)
{
    return may(w, (lw_authz_attributes){
                      .user = &ann, .verb = lw_str_of(verb), .path = lw_str_of(path) });
}

static void assert_reason(world *w, const char *text)
{
    lw_buf_append_char(&w->text, '\0');
    assert_int_equal(w->text.st, LW_OK);
    assert_string_equal(lw_buf_view(&w->text).ptr, text);
}

static void without_bindings_nothing_is_allowed(void **state)
{
    world *w = *state;
    put_role(w, "", "reader", READ_PODS);
    assert_false(may(w, on(&ann, "get", "", "pods", "prod", "a")));
    assert_reason(w, "");
}

static void a_cluster_binding_allows_in_every_namespace(void **state)
{
    world *w = *state;
    put_role(w, "", "reader", READ_PODS);
    put_binding(w, "", "b", "ClusterRole", "reader", USER("ann"));
    assert_true(may(w, on(&ann, "get", "", "pods", "prod", "a")));
    assert_reason(w, "RBAC: allowed by ClusterRoleBinding \"b\" of ClusterRole \"reader\" to User "
                     "\"ann\"");
    assert_true(may(w, on(&ann, "list", "", "pods", "", "")));
    assert_false(may(w, on(&ann, "delete", "", "pods", "prod", "a")));
    assert_false(may(w, on(&ann, "get", "apps", "pods", "prod", "a")));
    assert_false(may(w, on(&ann, "get", "", "pods/log", "prod", "a")));
}

static void a_binding_allows_in_its_namespace_only(void **state)
{
    world *w = *state;
    put_role(w, "", "reader", READ_PODS);
    put_binding(w, "prod", "b", "ClusterRole", "reader", GROUP("team"));
    assert_true(may(w, on(&ann, "get", "", "pods", "prod", "a")));
    assert_reason(w, "RBAC: allowed by RoleBinding \"b/prod\" of ClusterRole \"reader\" to Group "
                     "\"team\"");
    assert_false(may(w, on(&ann, "get", "", "pods", "test", "a")));
    assert_false(may(w, on(&ann, "list", "", "pods", "", "")));
}

static void a_service_account_without_a_namespace_is_of_the_bindings(void **state)
{
    world *w = *state;
    put_role(w, "ci", "reader", READ_PODS);
    put_binding(w, "ci", "b", "Role", "reader", "{\"kind\":\"ServiceAccount\",\"name\":\"robot\"}");
    assert_true(may(w, on(&robot, "get", "", "pods", "ci", "a")));
    assert_reason(w, "RBAC: allowed by RoleBinding \"b/ci\" of Role \"reader\" to ServiceAccount "
                     "\"robot/ci\"");
}

static void a_binding_waits_for_its_role(void **state)
{
    world *w = *state;
    put_binding(w, "prod", "b", "Role", "late", USER("ann"));
    put_binding(w, "", "c", "ClusterRole", "later", USER("ann"));
    assert_false(may(w, on(&ann, "get", "", "pods", "prod", "a")));
    assert_reason(w, "RBAC: [clusterrole.rbac.authorization.k8s.io \"later\" not found, "
                     "role.rbac.authorization.k8s.io \"late\" not found]");
    put_role(w, "prod", "late", READ_PODS);
    assert_true(may(w, on(&ann, "get", "", "pods", "prod", "a")));
    lw_rbac_remove_role(w->rbac, LW_STR("prod"), LW_STR("late"));
    assert_false(may(w, on(&ann, "get", "", "pods", "prod", "a")));
}

static void a_removed_or_changed_binding_grants_no_more(void **state)
{
    world *w = *state;
    put_role(w, "", "reader", READ_PODS);
    put_binding(w, "", "b", "ClusterRole", "reader", USER("ann") "," USER("ann"));
    put_binding(w, "", "c", "ClusterRole", "reader", USER("ann"));
    lw_rbac_remove_binding(w->rbac, LW_STR(""), LW_STR("b"));
    assert_true(may(w, on(&ann, "get", "", "pods", "prod", "a")));
    put_binding(w, "", "c", "ClusterRole", "reader", USER("bob"));
    assert_false(may(w, on(&ann, "get", "", "pods", "prod", "a")));
    lw_rbac_remove_binding(w->rbac, LW_STR(""), LW_STR("never"));
}

static void names_subresources_and_wildcards_are_matched(void **state)
{
    world *w = *state;
    put_role(w, "", "r",
             "{\"verbs\":[\"*\"],\"apiGroups\":[\"apps\"],\"resources\":[\"*/scale\"]},"
             "{\"verbs\":[\"get\"],\"apiGroups\":[\"*\"],\"resources\":[\"secrets\"],"
             "\"resourceNames\":[\"one\"]},"
             "{\"verbs\":[\"get\"],\"nonResourceURLs\":[\"/healthz\",\"/debug/*\"]}");
    put_binding(w, "", "b", "ClusterRole", "r", GROUP("system:authenticated"));
    assert_true(may(w, on(&ann, "patch", "apps", "deployments/scale", "prod", "a")));
    assert_false(may(w, on(&ann, "patch", "apps", "deployments", "prod", "a")));
    assert_true(may(w, on(&ann, "get", "", "secrets", "prod", "one")));
    assert_false(may(w, on(&ann, "get", "", "secrets", "prod", "two")));
    assert_false(may(w, on(&ann, "get", "", "secrets", "prod", "")));
    assert_true(may_visit(w, "get", "/healthz"));
    assert_true(may_visit(w, "get", "/debug/pprof"));
    assert_false(may_visit(w, "get", "/debug"));
    assert_false(may_visit(w, "post", "/healthz"));
}

/* Whether ann's rules cover |rules|; what is missing is in w->text. */
static bool covers(world *w, const char *rules)
{
    char json[4096];
    lw_rbac_held held;
    lw_rbac_rules *wanted = NULL;
    bool is_covered = false;
    (void)snprintf(json, sizeof(json), "[%s]", rules);
    lw_tree *tree = parse(json);
    assert_int_equal(lw_rbac_rules_new(&wanted, lw_tree_root(tree)), LW_OK);
    assert_int_equal(lw_rbac_collect(w->rbac, &ann, LW_STR("prod"), &held, NULL), LW_OK);
    lw_buf_reset(&w->text);
    assert_int_equal(lw_rbac_cover(&held, wanted, &is_covered, &w->text), LW_OK);
    lw_rbac_held_done(&held);
    lw_rbac_rules_unref(wanted);
    lw_tree_free(tree);
    return is_covered;
}

static void rules_are_covered_by_several_others_together(void **state)
{
    world *w = *state;
    put_role(w, "", "a", READ_PODS);
    put_role(w, "prod", "b", "{\"verbs\":[\"watch\"],\"apiGroups\":[\"*\"],\"resources\":[\"*\"]}");
    put_binding(w, "", "a", "ClusterRole", "a", USER("ann"));
    put_binding(w, "prod", "b", "Role", "b", GROUP("team"));
    assert_true(covers(w, "{\"verbs\":[\"get\",\"watch\"],\"apiGroups\":[\"\"],"
                          "\"resources\":[\"pods\"],\"resourceNames\":[\"x\"]}"));
    assert_true(covers(w, ""));
    assert_false(covers(w, "{\"verbs\":[\"get\",\"delete\",\"patch\"],\"apiGroups\":[\"\"],"
                           "\"resources\":[\"pods\",\"nodes\"]},"
                           "{\"verbs\":[\"update\"],\"apiGroups\":[\"\"],\"resources\":[\"pods\"]},"
                           "{\"verbs\":[\"get\",\"post\"],\"nonResourceURLs\":[\"/x\"]}"));
    assert_reason(w, "{APIGroups:[\"\"], Resources:[\"nodes\"], Verbs:[\"get\" \"delete\" "
                     "\"patch\"]}\n"
                     "{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"delete\" \"patch\" "
                     "\"update\"]}\n"
                     "{NonResourceURLs:[\"/x\"], Verbs:[\"get\"]}\n"
                     "{NonResourceURLs:[\"/x\"], Verbs:[\"post\"]}");
}

static void names_that_are_held_do_not_cover_all_objects(void **state)
{
    world *w = *state;
    put_role(w, "", "a",
             "{\"verbs\":[\"get\"],\"apiGroups\":[\"\"],\"resources\":[\"pods\"],"
             "\"resourceNames\":[\"one\"]}");
    put_binding(w, "", "a", "ClusterRole", "a", USER("ann"));
    assert_true(covers(w, "{\"verbs\":[\"get\"],\"apiGroups\":[\"\"],\"resources\":[\"pods\"],"
                          "\"resourceNames\":[\"one\"]}"));
    assert_false(covers(w, "{\"verbs\":[\"get\"],\"apiGroups\":[\"\"],\"resources\":[\"pods\"]}"));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(without_bindings_nothing_is_allowed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_cluster_binding_allows_in_every_namespace, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_binding_allows_in_its_namespace_only, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_service_account_without_a_namespace_is_of_the_bindings,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_binding_waits_for_its_role, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_removed_or_changed_binding_grants_no_more, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(names_subresources_and_wildcards_are_matched, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(rules_are_covered_by_several_others_together, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(names_that_are_held_do_not_cover_all_objects, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
