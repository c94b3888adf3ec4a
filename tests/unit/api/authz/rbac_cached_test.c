/* SPDX-License-Identifier: Apache-2.0 */
/* rbac_cached_test.c -- decisions of the RBAC authorizer that are cached: none outlives a change of
 * roles or bindings. */
#include <stdio.h>
#include <stdlib.h>

#include "api/authz/rbac.h"
#include "base/str.h"
#include "unit/test.h"
#include "json/tree.h"

#define READ_PODS "{\"verbs\":[\"get\"],\"apiGroups\":[\"\"],\"resources\":[\"pods\"]}"
#define READ_ONE                                                                                   \
    "{\"verbs\":[\"get\"],\"apiGroups\":[\"\"],\"resources\":[\"pods\"],"                          \
    "\"resourceNames\":[\"one\"]}"
#define READ_JOBS "{\"verbs\":[\"get\"],\"apiGroups\":[\"batch\"],\"resources\":[\"jobs\"]}"

typedef struct world {
    lw_rbac *rbac;
    lw_decision_cache *cache;
    const lw_user *ann, *bob;
} world;

typedef lw_status (*put_fn)(lw_rbac *rbac, lw_str ns, lw_str name, const lw_node *node);

static void put(lw_rbac *rbac, put_fn fn, const char *ns, const char *name, const char *json)
{
    lw_tree *tree = NULL;
    assert_int_equal(lw_tree_parse(&tree, lw_str_of(json), 0, NULL), LW_OK);
    assert_int_equal(fn(rbac, lw_str_of(ns), lw_str_of(name), lw_tree_root(tree)), LW_OK);
    lw_tree_free(tree);
}

static void put_role(lw_rbac *rbac, const char *ns, const char *rules)
{
    char json[1024];
    (void)snprintf(json, sizeof(json), "{\"rules\":[%s]}", rules);
    put(rbac, lw_rbac_put_role, ns, "reader", json);
}

static void put_binding(lw_rbac *rbac, const char *ns, const char *role_kind, const char *user)
{
    char json[1024];
    (void)snprintf(json, sizeof(json),
                   "{\"roleRef\":{\"kind\":\"%s\",\"name\":\"reader\"},"
                   "\"subjects\":[{\"kind\":\"User\",\"name\":\"%s\"}]}",
                   role_kind, user);
    put(rbac, lw_rbac_put_binding, ns, "b", json);
}

/* Lets ann read pods: by the cluster's role and binding, or by those of the namespace prod. */
static void grant(lw_rbac *rbac, bool in_namespace)
{
    const char *ns = in_namespace ? "prod" : "";
    put_role(rbac, ns, READ_PODS);
    put_binding(rbac, ns, in_namespace ? "Role" : "ClusterRole", "ann");
}

static int set_up(void **state)
{
    static const lw_user ann = { .name = LW_STR_INIT("ann") }, bob = { .name = LW_STR_INIT("bob") };
    static world w;
    assert_int_equal(lw_rbac_new(&w.rbac), LW_OK);
    assert_int_equal(lw_user_copy(&w.ann, &ann), LW_OK);
    assert_int_equal(lw_user_copy(&w.bob, &bob), LW_OK);
    w.cache = calloc(1, sizeof(*w.cache));
    assert_non_null(w.cache);
    *state = &w;
    return 0;
}

static int tear_down(void **state)
{
    world *w = *state;
    lw_rbac_free(w->rbac);
    lw_user_unref(w->ann);
    lw_user_unref(w->bob);
    free(w->cache);
    return 0;
}

static bool may(const world *w, lw_rbac *rbac, const lw_user *user, const char *ns,
                const char *name)
{
    const lw_authz_attributes attributes = { .user = user,
                                             .verb = LW_STR("get"),
                                             .is_resource = true,
                                             .group = LW_STR(""),
                                             .resource = LW_STR("pods"),
                                             .subresource = LW_STR(""),
                                             .ns = lw_str_of(ns),
                                             .name = lw_str_of(name),
                                             .cache = w->cache };
    return lw_rbac_decide(rbac, &attributes, NULL) == LW_AUTHZ_ALLOW;
}

/* Asks twice: the second answer is from the cache, if there is one. */
static bool ann_may(const world *w)
{
    bool first = may(w, w->rbac, w->ann, "prod", "one");
    assert_int_equal(may(w, w->rbac, w->ann, "prod", "one"), first);
    return first;
}

static size_t cached(const world *w)
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof(w->cache->slots) / sizeof(w->cache->slots[0]); i++)
        count += w->cache->slots[i].generation != 0;
    return count;
}

static void an_allowed_request_is_cached_for_its_user_and_namespace(void **state)
{
    world *w = *state;
    grant(w->rbac, true);
    assert_true(ann_may(w));
    assert_int_equal(cached(w), 1);
    assert_true(may(w, w->rbac, w->ann, "prod", "another"));
    assert_int_equal(cached(w), 1);
    assert_false(may(w, w->rbac, w->ann, "test", "one"));
    assert_false(may(w, w->rbac, w->bob, "prod", "one"));
}

static void a_denied_request_is_not_cached(void **state)
{
    world *w = *state;
    put_role(w->rbac, "", READ_PODS);
    assert_false(ann_may(w));
    assert_int_equal(cached(w), 0);
    put_binding(w->rbac, "", "ClusterRole", "ann");
    assert_true(ann_may(w));
}

static void a_rule_for_some_names_allows_no_others(void **state)
{
    world *w = *state;
    put_role(w->rbac, "", READ_ONE);
    put_binding(w->rbac, "", "ClusterRole", "ann");
    assert_true(ann_may(w));
    assert_int_equal(cached(w), 0);
    assert_false(may(w, w->rbac, w->ann, "prod", "two"));
}

/* Each change that revokes what grant() has granted. */
static void remove_binding(lw_rbac *rbac, bool in_namespace)
{
    lw_rbac_remove_binding(rbac, lw_str_of(in_namespace ? "prod" : ""), LW_STR("b"));
}

static void replace_binding(lw_rbac *rbac, bool in_namespace)
{
    put_binding(rbac, in_namespace ? "prod" : "", in_namespace ? "Role" : "ClusterRole", "bob");
}

static void remove_role(lw_rbac *rbac, bool in_namespace)
{
    lw_rbac_remove_role(rbac, lw_str_of(in_namespace ? "prod" : ""), LW_STR("reader"));
}

static void replace_role(lw_rbac *rbac, bool in_namespace)
{
    put_role(rbac, in_namespace ? "prod" : "", READ_JOBS);
}

static void what_is_revoked_is_denied_at_once(void **state)
{
    static void (*const revocations[])(lw_rbac * rbac, bool in_namespace) = {
        remove_binding, replace_binding,      remove_role,
        replace_role,   lw_rbac_remove_roles, lw_rbac_remove_bindings,
    };
    world *w = *state;
    for (size_t i = 0; i < 2 * sizeof(revocations) / sizeof(revocations[0]); i++) {
        bool in_namespace = i % 2 == 1;
        grant(w->rbac, in_namespace);
        assert_true(ann_may(w));
        revocations[i / 2](w->rbac, in_namespace);
        assert_false(ann_may(w));
        lw_rbac_remove_bindings(w->rbac, in_namespace);
    }
}

static void what_one_index_has_allowed_is_not_allowed_by_another(void **state)
{
    world *w = *state;
    lw_rbac *other = NULL;
    assert_int_equal(lw_rbac_new(&other), LW_OK);
    grant(w->rbac, false);
    put_role(other, "", READ_PODS);
    put_binding(other, "", "ClusterRole", "bob");
    assert_true(ann_may(w));
    assert_false(may(w, other, w->ann, "prod", "one"));
    lw_rbac_free(other);
}

static void users_without_an_id_are_not_cached(void **state)
{
    world *w = *state;
    const lw_user ann = *w->ann;
    grant(w->rbac, false);
    assert_true(may(w, w->rbac, &ann, "prod", "one"));
    assert_int_equal(cached(w), 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_allowed_request_is_cached_for_its_user_and_namespace,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_denied_request_is_not_cached, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_rule_for_some_names_allows_no_others, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_revoked_is_denied_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_one_index_has_allowed_is_not_allowed_by_another,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(users_without_an_id_are_not_cached, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
