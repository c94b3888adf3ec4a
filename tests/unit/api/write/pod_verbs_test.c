/* SPDX-License-Identifier: Apache-2.0 */
/* pod_verbs_test.c -- pods bound to nodes and evicted from them. */
#include "unit/api/sent.h"

#define PODS DEFAULT "pods"
#define DONE                                                                                       \
    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Success\",\"code\":"  \
    "201}\n"

static const char binding[] =
    "{\"kind\":\"Binding\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"p\",\"annotations\":{"
    "\"by\":\"me\"}},\"target\":{\"kind\":\"Node\",\"name\":\"n1\"}}";

static int with_pod(void **state)
{
    if (seeded_setup(state) < 0)
        return -1;
    fake_http *http = send_off(*state, "POST", PODS, NULL,
                               "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":"
                               "\"c\",\"image\":\"i\"}]}}");
    await(*state, http);
    fake_http_free(http);
    return 0;
}

#define POD_TEST(function) cmocka_unit_test_setup_teardown(function, with_pod, world_teardown)

static void binding_gives_a_pod_its_node(void **state)
{
    assert_sent(*state, "POST", PODS "/p/binding", binding, 201, DONE);
    fake_http *http = ask(*state, PODS "/p", 200);
    assert_body_has(http, "\"nodeName\":\"n1\"");
    assert_body_has(http, "\"generation\":1,");
    assert_body_has(http, "\"annotations\":{\"by\":\"me\"}");
    assert_body_has(http, "\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"True\","
                          "\"lastTransitionTime\":\"2026-11-15T01:49:24Z\","
                          "\"lastProbeTime\":null}]");
    fake_http_free(http);
}

static void bound_pod_stays_where_it_is(void **state)
{
    do_send(*state, "POST", PODS "/p/binding", binding, 201);
    assert_sent(*state, "POST", PODS "/p/binding", binding, 409,
                FAILURE("Operation cannot be fulfilled on pods/binding \\\"p\\\": pod p is already "
                        "assigned to node \\\"n1\\\"",
                        "\"reason\":\"Conflict\",\"details\":{\"name\":\"p\",\"kind\":"
                        "\"pods/binding\"},\"code\":409"));
    do_send(*state, "DELETE", PODS "/p", "", 200);
    assert_sent_has(*state, "POST", PODS "/p/binding", binding, 409,
                    "pod p is being deleted, cannot be assigned to a host");
}

static void binding_and_eviction_need_a_namespace(void **state)
{
    assert_sent_has(*state, "POST", "/api/v1/namespaces/gone/pods/p/binding", binding, 404,
                    "namespaces \\\"gone\\\" not found");
    assert_sent_has(*state, "POST", "/api/v1/namespaces/gone/pods/p/eviction",
                    "{\"metadata\":{\"name\":\"p\"}}", 404, "namespaces \\\"gone\\\" not found");
}

static void binding_must_name_a_node(void **state)
{
#define OF(pod) "{\"metadata\":{\"name\":\"" pod "\"},\"target\":"
    assert_sent_has(*state, "POST", PODS "/p/binding", OF("p") "{}}", 500,
                    "\"message\":\"target.name: Required value\"");
    assert_sent_has(*state, "POST", PODS "/p/binding", OF("p") "{\"kind\":\"Pod\",\"name\":\"n\"}}",
                    500, "target.kind: Unsupported value: \\\"Pod\\\"");
    assert_sent_has(*state, "POST", PODS "/q/binding", OF("q") "{\"name\":\"n\"}}", 404,
                    "pods \\\"q\\\" not found");
    assert_sent_has(*state, "POST", PODS "/q/binding", binding, 400,
                    "name in URL does not match name in Binding object");
#undef OF
}

static void evicted_pod_goes(void **state)
{
    assert_sent(*state, "POST", PODS "/p/eviction",
                "{\"kind\":\"Eviction\",\"apiVersion\":\"policy/v1\",\"metadata\":{\"name\":\"p\"},"
                "\"deleteOptions\":{\"gracePeriodSeconds\":5}}",
                201, DONE);
    fake_http_free(ask(*state, PODS "/p", 404));
    do_send(*state, "POST", PODS "/p/eviction", "{\"metadata\":{\"name\":\"p\"}}", 404);
}

static void eviction_must_name_the_pod(void **state)
{
    assert_sent_has(*state, "POST", PODS "/p/eviction", "{\"metadata\":{\"name\":\"q\"}}", 400,
                    "name in URL does not match name in Eviction object");
}

#define BUDGETS "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
#define EVICT   "{\"metadata\":{\"name\":\"p\"}}"

/* A budget of all pods, which allows |allowed| disruptions, and a pod that counts. */
static void make_budget(api_world *world, const char *allowed)
{
    char status[128];
    do_send(world, "POST", BUDGETS,
            "{\"metadata\":{\"name\":\"b\"},\"spec\":{\"minAvailable\":1,\"selector\":{}}}", 201);
    (void)snprintf(status, sizeof(status),
                   "{\"status\":{\"observedGeneration\":1,\"disruptionsAllowed\":%s}}", allowed);
    do_send_as(world, "PATCH", BUDGETS "/b/status", MERGE_PATCH, status, 200);
    do_send_as(world, "PATCH", PODS "/p/status", MERGE_PATCH,
               "{\"status\":{\"phase\":\"Running\"}}", 200);
}

static void budget_forbids_an_eviction(void **state)
{
    make_budget(*state, "0");
    assert_sent_has(*state, "POST", PODS "/p/eviction", EVICT, 429,
                    "Cannot evict pod as it would violate the pod's disruption budget.");
    fake_http *http = ask(*state, PODS "/p", 200);
    assert_body_has(http, "\"phase\":\"Running\"");
    fake_http_free(http);
}

static void eviction_uses_up_its_budget(void **state)
{
    make_budget(*state, "1");
    do_send(*state, "POST", PODS "/p/eviction", EVICT, 201);
    fake_http *http = ask(*state, BUDGETS "/b", 200);
    assert_body_has(http, "\"disruptionsAllowed\":0");
    assert_body_has(http, "\"disruptedPods\":{\"p\":");
    fake_http_free(http);
    fake_http_free(ask(*state, PODS "/p", 404));
}

static void status_of_a_pod_is_validated(void **state)
{
    assert_sent_has_as(*state, "PATCH", PODS "/p/status", MERGE_PATCH,
                       "{\"status\":{\"podIP\":\"x\"}}", 422,
                       "status.podIPs[0]: Invalid value: \\\"x\\\": must be a valid IP address");
    assert_sent_has_as(*state, "PATCH", PODS "/p/status", MERGE_PATCH,
                       "{\"status\":{\"podIPs\":[{\"ip\":\"10.0.0.1\"}]}}", 200,
                       "\"podIP\":\"10.0.0.1\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        POD_TEST(binding_gives_a_pod_its_node),
        POD_TEST(bound_pod_stays_where_it_is),
        POD_TEST(binding_and_eviction_need_a_namespace),
        POD_TEST(binding_must_name_a_node),
        POD_TEST(evicted_pod_goes),
        POD_TEST(eviction_must_name_the_pod),
        POD_TEST(budget_forbids_an_eviction),
        POD_TEST(eviction_uses_up_its_budget),
        POD_TEST(status_of_a_pod_is_validated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
