/* SPDX-License-Identifier: Apache-2.0 */
/* sent_back_test.c -- an object that is sent back as it was answered changes nothing, and what was
 * accepted once is accepted again. */
#include "unit/api/sent.h"

#define APPS           "/apis/apps/v1/namespaces/default/"
#define BATCH          "/apis/batch/v1/namespaces/default/"
#define FLOW           "/apis/flowcontrol.apiserver.k8s.io/v1/"

#define SYSCTL         "\"securityContext\":{\"sysctls\":[{\"name\":\"kernel.a\",\"value\":\"\"}]}"
#define CONTAINERS     "\"containers\":[{\"name\":\"c\",\"image\":\"i:1\"}]"
#define LABELLED(spec) "{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{" spec "}}"
#define SELECTOR       "\"selector\":{\"matchLabels\":{\"a\":\"b\"}}"
#define NAMED(rest)    "{\"metadata\":{\"name\":\"x\"}," rest "}"

/* Creates the object "x" with |body| in |collection|, and sends back what was answered. */
static void assert_stays_at(api_world *world, const char *collection, const char *body,
                            const char *file, int line)
{
    char *item = NULL;
    assert_true(asprintf(&item, "%s/x", collection) > 0);
    fake_http *made = send_as_at(world, "POST", collection, NULL, body, 201, file, line);
    char *answer = strndup(made->body.data, made->body.len);
    assert_non_null(answer);
    fake_http *again = send_as_at(world, "PUT", item, NULL, answer, 200, file, line);
    char *second = strndup(again->body.data, again->body.len);
    _assert_string_equal(second, answer, file, line);
    do_send(world, "DELETE", item, "", 200);
    fake_http_free(made);
    fake_http_free(again);
    free(answer);
    free(second);
    free(item);
}
#define assert_stays(world, collection, body)                                                      \
    assert_stays_at((world), (collection), (body), __FILE__, __LINE__)

/* Go writes the empty value of a sysctl, which says no more than none does. */
static void empty_values_that_are_always_written_are_no_change(void **state)
{
    assert_stays(*state, "/api/v1/namespaces/default/podtemplates",
                 NAMED("\"template\":" LABELLED(SYSCTL "," CONTAINERS)));
    assert_stays(*state, APPS "deployments",
                 NAMED("\"spec\":{" SELECTOR ",\"template\":" LABELLED(SYSCTL "," CONTAINERS) "}"));
}

static void immutable_templates_with_empty_values_are_accepted_again(void **state)
{
    assert_stays(*state, BATCH "jobs",
                 NAMED("\"spec\":{\"template\":" LABELLED("\"restartPolicy\":\"Never\"," SYSCTL
                                                          "," CONTAINERS) "}"));
}

static void a_patch_that_changes_nothing_counts_no_generation(void **state)
{
    do_send(*state, "POST", APPS "deployments",
            NAMED("\"spec\":{" SELECTOR ",\"template\":" LABELLED(SYSCTL "," CONTAINERS) "}"), 201);
    assert_sent_has_as(*state, "PATCH", APPS "deployments/x", "application/merge-patch+json",
                       "{\"spec\":{\"replicas\":1}}", 200, "\"generation\":1,");
}

static void flow_control_stays(void **state)
{
    assert_stays(*state, FLOW "flowschemas",
                 NAMED("\"spec\":{\"priorityLevelConfiguration\":{\"name\":\"p\"},\"rules\":[{"
                       "\"subjects\":[{\"kind\":\"Group\",\"group\":{\"name\":\"*\"}}],"
                       "\"resourceRules\":[{\"verbs\":[\"*\"],\"apiGroups\":[\"*\"],"
                       "\"resources\":[\"*\"],\"clusterScope\":true,\"namespaces\":[]}]}]}"));
    assert_stays(*state, FLOW "prioritylevelconfigurations",
                 NAMED("\"spec\":{\"type\":\"Limited\",\"limited\":{\"nominalConcurrencyShares\":0,"
                       "\"limitResponse\":{\"type\":\"Queue\",\"queuing\":{\"queues\":0}}}}"));
    assert_stays(*state, FLOW "prioritylevelconfigurations",
                 NAMED("\"spec\":{\"type\":\"Limited\",\"limited\":{\"limitResponse\":{"
                       "\"type\":\"Reject\"}}}"));
}

static void bindings_need_a_role(void **state)
{
    assert_sent_has(*state, "POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
                    "{\"metadata\":{\"name\":\"x\"}}", 422, "roleRef.name: Required value");
}

static void templates_need_containers(void **state)
{
    assert_sent_has(*state, "POST", "/api/v1/namespaces/default/podtemplates",
                    "{\"metadata\":{\"name\":\"x\"}}", 422,
                    "template.spec.containers: Required value");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SEEDED_TEST(empty_values_that_are_always_written_are_no_change),
        SEEDED_TEST(immutable_templates_with_empty_values_are_accepted_again),
        SEEDED_TEST(a_patch_that_changes_nothing_counts_no_generation),
        SEEDED_TEST(flow_control_stays),
        SEEDED_TEST(bindings_need_a_role),
        SEEDED_TEST(templates_need_containers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
