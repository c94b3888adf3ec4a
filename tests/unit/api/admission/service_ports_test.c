/* SPDX-License-Identifier: Apache-2.0 */
/* service_ports_test.c -- ports of nodes: one service each, from 30000 to 32767. */
#include "api/allocation/node_port.h"
#include "unit/api/sent.h"

#define SERVICES DEFAULT "services"

static void make(void **state, const char *name, const char *spec, int status, const char *part)
{
    char body[512];
    (void)snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"%s\"},\"spec\":{%s}}", name,
                   spec);
    assert_sent_has(*state, "POST", SERVICES, body, status, part);
}

static void node_ports_are_allocated_and_kept(void **state)
{
    make(state, "s", "\"type\":\"NodePort\",\"ports\":[{\"port\":80}]", 201,
         "\"targetPort\":80,\"nodePort\":3");
    /* The same file again changes nothing. */
    assert_sent_has(*state, "PUT", SERVICES "/s",
                    "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"type\":\"NodePort\","
                    "\"ports\":[{\"port\":80}]}}",
                    200, "\"resourceVersion\":\"5\"");
}

static void a_node_port_is_free_after_its_service_is_deleted(void **state)
{
    static const char wanted[] =
        "\"type\":\"NodePort\",\"ports\":[{\"port\":80,\"nodePort\":30080}]";
    static const char refusal[] = "Service \\\"t\\\" is invalid: spec.ports[0].nodePort: Invalid "
                                  "value: 30080: provided port is already allocated";
    make(state, "s", wanted, 201, "\"nodePort\":30080");
    make(state, "t", wanted, 422, refusal);
    do_send_as(*state, "PATCH", SERVICES "/s", MERGE_PATCH, "{\"spec\":{\"type\":\"ClusterIP\"}}",
               200);
    make(state, "t", wanted, 201, "\"nodePort\":30080");
    assert_sent_has_as(*state, "PATCH", SERVICES "/s", MERGE_PATCH,
                       "{\"spec\":{\"type\":\"NodePort\",\"ports\":[{\"port\":80,\"nodePort\":"
                       "30080}]}}",
                       422, "30080: provided port is already allocated");
    do_send(*state, "DELETE", SERVICES "/t", "", 200);
    make(state, "t", wanted, 201, "\"nodePort\":30080");
}

static void node_ports_outside_the_range_are_refused(void **state)
{
    make(state, "s", "\"type\":\"NodePort\",\"ports\":[{\"port\":80,\"nodePort\":80}]", 422,
         "spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The "
         "range of valid ports is 30000-32767");
    make(state, "s", "\"ports\":[{\"port\":80,\"nodePort\":30000}]", 422,
         "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'");
}

static void protocols_of_one_port_share_a_node_port(void **state)
{
    make(
        state, "s",
        "\"type\":\"NodePort\",\"ports\":[{\"name\":\"t\",\"port\":53},{\"name\":\"u\",\"port\":53,"
        "\"protocol\":\"UDP\",\"nodePort\":30053}]",
        201,
        "\"name\":\"t\",\"port\":53,\"protocol\":\"TCP\",\"targetPort\":53,\"nodePort\":30053");
}

static void local_load_balancers_get_a_health_check_node_port(void **state)
{
    make(state, "s",
         "\"type\":\"LoadBalancer\",\"externalTrafficPolicy\":\"Local\",\"healthCheckNodePort\":"
         "30100,\"ports\":[{\"port\":80}]",
         201, "\"healthCheckNodePort\":30100");
    assert_sent_has_as(*state, "PATCH", SERVICES "/s", MERGE_PATCH,
                       "{\"spec\":{\"healthCheckNodePort\":30101}}", 422,
                       "spec.healthCheckNodePort: Forbidden: field is immutable");
    make(state, "t", "\"type\":\"NodePort\",\"ports\":[{\"port\":80,\"nodePort\":30100}]", 422,
         "already allocated");
    do_send_as(*state, "PATCH", SERVICES "/s", MERGE_PATCH,
               "{\"spec\":{\"externalTrafficPolicy\":\"Cluster\"}}", 200);
    make(state, "t", "\"type\":\"NodePort\",\"ports\":[{\"port\":80,\"nodePort\":30100}]", 201,
         "\"nodePort\":30100");
}

static void all_node_ports_can_be_allocated(void **state)
{
    char why[LW_NODE_PORTS_REASON_SIZE];
    lw_service_ranges range;
    (void)state;
    assert_int_equal(lw_service_ranges_parse(&range, NULL, "30000-32767", NULL), LW_OK);
    lw_node_ports ports = { .range = &range };
    for (size_t i = 0; i < 2768; i++)
        assert_in_range(lw_node_ports_allocate(&ports), 30000, 32767);
    assert_int_equal(lw_node_ports_allocate(&ports), 0);
    assert_false(lw_node_ports_take(&ports, 30000));
    lw_node_ports_explain(&ports, 30000, why);
    assert_string_equal(why, "provided port is already allocated");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SEEDED_TEST(node_ports_are_allocated_and_kept),
        SEEDED_TEST(a_node_port_is_free_after_its_service_is_deleted),
        SEEDED_TEST(node_ports_outside_the_range_are_refused),
        SEEDED_TEST(protocols_of_one_port_share_a_node_port),
        SEEDED_TEST(local_load_balancers_get_a_health_check_node_port),
        cmocka_unit_test(all_node_ports_can_be_allocated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
