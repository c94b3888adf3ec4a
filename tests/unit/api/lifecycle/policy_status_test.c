/* SPDX-License-Identifier: Apache-2.0 */
/* policy_status_test.c -- the status of ValidatingAdmissionPolicies.
 *
 * What is found in other expressions is compared with Kubernetes: tests/interop/policies/typed.py.
 */
#include "unit/api/lived.h"

#define POLICIES "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies"
#define CRDS     "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

/* Makes the policy "p" with one validation of objects of |group|/v1 |resource|. */
static void make_policy(api_world *world, const char *group, const char *resource,
                        const char *expression)
{
    static char body[16 * 1024];
    (void)snprintf(body, sizeof(body),
                   "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"matchConstraints\":{"
                   "\"resourceRules\":[{\"apiGroups\":[\"%s\"],\"apiVersions\":[\"v1\"],"
                   "\"resources\":[\"%s\"],\"operations\":[\"*\"]}]},\"validations\":[{"
                   "\"expression\":\"%s\"}]}}",
                   group, resource, expression);
    do_send(world, "POST", POLICIES, body, 201);
    await_rest(world);
}

static void an_expression_that_fits_has_no_warnings(void **state)
{
    make_policy(*state, "apps", "deployments", "object.spec.replicas > 1");
    assert_shows(*state, POLICIES "/p", "\"status\":{\"observedGeneration\":1,\"typeChecking\":{}}",
                 true);
}

static void an_expression_that_does_not_fit_has_a_warning(void **state)
{
    make_policy(*state, "apps", "deployments", "object.spec.nope == 1");
    assert_shows(*state, POLICIES "/p",
                 "\"status\":{\"observedGeneration\":1,\"typeChecking\":{\"expressionWarnings\":[{"
                 "\"fieldRef\":\"spec.validations[0].expression\",\"warning\":\"apps/v1, "
                 "Kind=Deployment: ERROR: \\u003cinput\\u003e:1:12: undefined field 'nope'\\n | "
                 "object.spec.nope == 1\\n | ...........^\\n\"}]}}",
                 true);
}

static void a_new_generation_is_checked_again(void **state)
{
    make_policy(*state, "apps", "deployments", "object.spec.nope == 1");
    do_send_as(*state, "PATCH", POLICIES "/p", JSON_PATCH,
               "[{\"op\":\"replace\",\"path\":\"/spec/validations/0/expression\",\"value\":"
               "\"object.spec.replicas == 1\"}]",
               200);
    await_rest(*state);
    assert_shows(*state, POLICIES "/p", "\"status\":{\"observedGeneration\":2,\"typeChecking\":{}}",
                 true);
}

/* Kinds are looked up in the names, not each combination of names among the kinds: with 200 groups
 * and 200 resources that would be 40,000 searches for each version. */
static void many_names_in_a_rule_are_looked_up(void **state)
{
    static char groups[4096], resources[4096];
    size_t used = 0, taken = 0;
    for (int i = 0; i < 200; i++) {
        used += (size_t)snprintf(groups + used, sizeof(groups) - used, "g%d.io\",\"", i);
        taken += (size_t)snprintf(resources + taken, sizeof(resources) - taken, "r%d\",\"", i);
    }
    (void)snprintf(groups + used, sizeof(groups) - used, "apps");
    (void)snprintf(resources + taken, sizeof(resources) - taken, "deployments\",\"daemonsets");
    make_policy(*state, groups, resources, "object.spec.nope == 1");
    /* In the order of the resources. */
    assert_shows(*state, POLICIES "/p", "\"warning\":\"apps/v1, Kind=DaemonSet: ERROR: ", true);
    assert_shows(*state, POLICIES "/p", "apps/v1, Kind=Deployment: ERROR: ", true);
}

static void custom_resources_are_checked_by_their_schema(void **state)
{
    api_world *world = *state;
    do_send(world, "POST", CRDS,
            "{\"metadata\":{\"name\":\"a.b.c\"},\"spec\":{\"group\":\"b.c\",\"scope\":\"Cluster\","
            "\"names\":{\"plural\":\"a\",\"kind\":\"A\"},\"versions\":[{\"name\":\"v1\",\"served\":"
            "true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\","
            "\"properties\":{\"spec\":{\"type\":\"object\",\"properties\":{\"size\":{\"type\":"
            "\"integer\"}}}}}}}]}}",
            201);
    await_rest(world);
    make_policy(
        world, "b.c", "a",
        "object.spec.size == 1 && object.metadata.labels['a'] == 'b' && object.spec.no == 1");
    assert_shows(world, POLICIES "/p", "b.c/v1, Kind=A: ERROR: ", true);
    assert_shows(world, POLICIES "/p", "undefined field 'no'", true);
    assert_shows(world, POLICIES "/p", "undefined field 'size'", false);
    assert_shows(world, POLICIES "/p", "undefined field 'labels'", false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIVED_TEST(an_expression_that_fits_has_no_warnings),
        LIVED_TEST(an_expression_that_does_not_fit_has_a_warning),
        LIVED_TEST(a_new_generation_is_checked_again),
        LIVED_TEST(many_names_in_a_rule_are_looked_up),
        LIVED_TEST(custom_resources_are_checked_by_their_schema),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
