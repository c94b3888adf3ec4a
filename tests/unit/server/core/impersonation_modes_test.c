/* SPDX-License-Identifier: Apache-2.0 */
/* impersonation_modes_test.c -- who may make which requests as whom. */
#include "server/core/impersonation_modes.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "unit/test.h"

typedef struct world {
    lw_authz *authz;
    lw_impersonation_modes modes;
    bool is_constrained;
    char message[512]; /* of the last refusal */
} world;

static int set_up(void **state)
{
    static const lw_authz_mode modes[] = { LW_AUTHZ_MODE_RBAC };
    static world w;
    memset(&w, 0, sizeof(w));
    assert_int_equal(lw_authz_new(&w.authz, modes, 1, NULL), LW_OK);
    *state = &w;
    return 0;
}

static int tear_down(void **state)
{
    world *w = *state;
    lw_authz_free(w->authz);
    return 0;
}

/* Lets the user ann, and the service account of the tests, do what the rules say. */
static void grant(world *w, const char *rules)
{
    static const lw_str binding =
        LW_STR_INIT("{\"roleRef\":{\"kind\":\"ClusterRole\",\"name\":\"r\"},\"subjects\":["
                    "{\"kind\":\"User\",\"name\":\"ann\"},"
                    "{\"kind\":\"ServiceAccount\",\"namespace\":\"ci\",\"name\":\"agent\"}]}");
    char json[2048];
    lw_tree *role = NULL, *bound = NULL;
    lw_rbac *rbac = lw_authz_rbac(w->authz);
    (void)snprintf(json, sizeof(json), "{\"rules\":[%s]}", rules);
    assert_int_equal(lw_tree_parse(&role, lw_str_of(json), 0, NULL), LW_OK);
    assert_int_equal(lw_tree_parse(&bound, binding, 0, NULL), LW_OK);
    assert_int_equal(lw_rbac_put_role(rbac, LW_STR(""), LW_STR("r"), lw_tree_root(role)), LW_OK);
    assert_int_equal(lw_rbac_put_binding(rbac, LW_STR(""), LW_STR("b"), lw_tree_root(bound)),
                     LW_OK);
    lw_tree_free(role);
    lw_tree_free(bound);
}

#define RULE(verb, group, resource)                                                                \
    "{\"verbs\":[\"" verb "\"],\"apiGroups\":[\"" group "\"],\"resources\":[\"" resource "\"]}"
#define AUTHN "authentication.k8s.io"

static const lw_user ann = { .name = LW_STR_INIT("ann") };

/* Whether |caller| may list pods as |other|. */
static bool may_list(world *w, const lw_user *caller, const lw_user *other)
{
    lw_api_status status;
    const lw_authz_attributes asked = { .user = caller,
                                        .verb = LW_STR("list"),
                                        .is_resource = true,
                                        .group = LW_STR(""),
                                        .version = LW_STR("v1"),
                                        .resource = LW_STR("pods") };
    if (lw_impersonation_allowed(&w->modes, w->authz, other, &asked, &w->is_constrained, &status))
        return true;
    assert_int_equal(lw_api_status_state(&status), LW_OK);
    (void)snprintf(w->message, sizeof(w->message), "%.*s",
                   LW_STR_ARG(lw_api_status_str(&status, status.message)));
    lw_api_status_done(&status);
    return false;
}

static bool may_list_as(world *w, const char *name)
{
    const lw_user other = { .name = lw_str_of(name) };
    return may_list(w, &ann, &other);
}

static void the_verb_impersonate_is_enough_for_every_request(void **state)
{
    world *w = *state;
    grant(w, RULE("impersonate", "", "users"));
    assert_true(may_list_as(w, "bob"));
    assert_false(w->is_constrained);
    assert_false(may_list_as(w, "system:serviceaccount:ci:robot"));
}

static void a_constrained_user_does_as_another_only_what_is_granted(void **state)
{
    world *w = *state;
    grant(w, RULE("impersonate:user-info", AUTHN, "users"));
    assert_false(may_list_as(w, "bob"));
    assert_string_equal(w->message,
                        "pods is forbidden: User \"ann\" cannot impersonate-on:user-info:list "
                        "resource \"pods\" in API group \"\" at the cluster scope");
    grant(w, RULE("impersonate:user-info", AUTHN, "users") "," RULE("impersonate-on:user-info:list",
                                                                    "", "pods"));
    assert_true(may_list_as(w, "bob"));
    assert_true(w->is_constrained);
    assert_false(may_list_as(w, "system:node:n1"));
}

static void nobody_becomes_a_master_by_a_constrained_mode(void **state)
{
    static const lw_str masters[] = { LW_STR_INIT("system:masters") };
    static const lw_user other = { .name = LW_STR_INIT("bob"),
                                   .groups = masters,
                                   .group_count = 1 };
    world *w = *state;
    grant(w, RULE("*", AUTHN, "*") "," RULE("impersonate-on:user-info:list", "", "pods"));
    assert_false(may_list(w, &ann, &other));
    assert_non_null(strstr(w->message, "impersonating the system:masters group is not allowed"));
}

static void the_refusal_is_that_of_the_last_successful_mode(void **state)
{
    static const lw_str groups[] = { LW_STR_INIT("team") };
    static const lw_user other = { .name = LW_STR_INIT("bob"), .groups = groups, .group_count = 1 };
    world *w = *state;
    grant(w, RULE("impersonate", "", "users"));
    assert_false(may_list(w, &ann, &other));
    assert_non_null(strstr(w->message, "cannot impersonate-on:user-info:list"));
    assert_true(may_list_as(w, "bob"));
    assert_false(may_list(w, &ann, &other));
    assert_non_null(strstr(w->message, "cannot impersonate resource \"groups\""));
}

static void an_agent_impersonates_the_node_that_it_runs_on(void **state)
{
    static const lw_str node = LW_STR_INIT("n1");
    static const lw_user_extra extra = {
        .key = LW_STR_INIT("authentication.kubernetes.io/node-name"), .values = &node, .count = 1
    };
    static const lw_user agent = { .name = LW_STR_INIT("system:serviceaccount:ci:agent"),
                                   .extras = &extra,
                                   .extra_count = 1 };
    static const lw_user own = { .name = LW_STR_INIT("system:node:n1") };
    static const lw_user foreign = { .name = LW_STR_INIT("system:node:n2") };
    world *w = *state;
    grant(w, RULE("impersonate:associated-node", AUTHN,
                  "nodes") "," RULE("impersonate-on:associated-node:list", "", "pods"));
    assert_true(may_list(w, &agent, &own));
    assert_true(w->is_constrained);
    assert_false(may_list(w, &agent, &foreign));
    assert_false(may_list(w, &ann, &own));
}

static void keys_of_extras_have_a_domain_in_constrained_modes(void **state)
{
    static const lw_str value = LW_STR_INIT("read");
    static const lw_user_extra plain = { .key = LW_STR_INIT("scopes"),
                                         .values = &value,
                                         .count = 1 };
    static const lw_user_extra full = { .key = LW_STR_INIT("acme.io/scopes"),
                                        .values = &value,
                                        .count = 1 };
    const lw_user bob = { .name = LW_STR("bob"), .extras = &plain, .extra_count = 1 };
    const lw_user eve = { .name = LW_STR("eve"), .extras = &full, .extra_count = 1 };
    world *w = *state;
    grant(w, RULE("impersonate:user-info", AUTHN, "*") "," RULE("impersonate-on:user-info:list", "",
                                                                "pods"));
    assert_true(may_list(w, &ann, &eve));
    assert_false(may_list(w, &ann, &bob));
    assert_non_null(strstr(w->message, "must be a domain-prefixed path"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        CASE(the_verb_impersonate_is_enough_for_every_request),
        CASE(a_constrained_user_does_as_another_only_what_is_granted),
        CASE(nobody_becomes_a_master_by_a_constrained_mode),
        CASE(the_refusal_is_that_of_the_last_successful_mode),
        CASE(an_agent_impersonates_the_node_that_it_runs_on),
        CASE(keys_of_extras_have_a_domain_in_constrained_modes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
