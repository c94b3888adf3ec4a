/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_network_policy_test.c -- ports, peers and ranges of network policies; time zones. */
#include <unistd.h>

#include "unit/api/sent.h"

#define POLICIES "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies"
#define CRONJOBS "/apis/batch/v1/namespaces/default/cronjobs"

#define INGRESS(rule)                                                                              \
    "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"podSelector\":{},\"ingress\":[{" rule "}]}}"
#define PORT(port) INGRESS("\"ports\":[{" port "}]")
#define PEER(peer) INGRESS("\"from\":[{" peer "}]")
#define ZONE(zone)                                                                                 \
    "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"schedule\":\"@hourly\",\"timeZone\":\"" zone       \
    "\",\"jobTemplate\":{\"spec\":{\"template\":{\"spec\":{\"restartPolicy\":\"Never\","           \
    "\"containers\":[{\"name\":\"a\",\"image\":\"b\"}]}}}}}}"

typedef struct fault_case {
    const char *body, *fault;
} fault_case;

static void assert_faults(void **state, const char *path, const fault_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_sent_has(*state, "POST", path, cases[i].body, 422, cases[i].fault);
}

static void ports_are_validated(void **state)
{
    static const fault_case cases[] = {
        { PORT("\"protocol\":\"ICMP\""), "spec.ingress[0].ports[0].protocol: Unsupported value: "
                                         "\\\"ICMP\\\"" },
        { PORT("\"port\":70000"), "spec.ingress[0].ports[0].port: Invalid value: 70000: must be" },
        { PORT("\"port\":\"a--b\""), "must not contain consecutive hyphens" },
        { PORT("\"port\":\"-\""), "must contain at least one letter (a-z)" },
        { PORT("\"port\":\"A\""), "must contain only alpha-numeric characters (a-z, 0-9), and "
                                  "hyphens (-)" },
        { PORT("\"port\":\"abcdefghijklmnop\""), "must be no more than 15 characters" },
        { PORT("\"port\":90,\"endPort\":80"),
          "spec.ingress[0].ports[0].endPort: Invalid value: 80: must be greater than or equal to "
          "`port`" },
        { PORT("\"endPort\":80"), "may not be specified when `port` is not specified" },
        { PORT("\"port\":\"http\",\"endPort\":80"),
          "may not be specified when `port` is non-numeric" },
    };
    assert_faults(state, POLICIES, cases, sizeof(cases) / sizeof(cases[0]));
    do_send(*state, "POST", POLICIES, PORT("\"port\":80,\"endPort\":90"), 201);
}

static void peers_are_validated(void **state)
{
    static const fault_case cases[] = {
        { PEER(""), "spec.ingress[0].from[0]: Required value: must specify a peer" },
        { PEER("\"podSelector\":{},\"ipBlock\":{\"cidr\":\"10.0.0.0/8\"}"),
          "spec.ingress[0].from[0]: Forbidden: may not specify both ipBlock and another peer" },
        { PEER("\"ipBlock\":{}"), "spec.ingress[0].from[0].ipBlock.cidr: Required value" },
        { PEER("\"ipBlock\":{\"cidr\":\"1.2.3\"}"), "Invalid value: \\\"1.2.3\\\": must be a valid "
                                                    "CIDR value" },
        { PEER("\"ipBlock\":{\"cidr\":\"010.0.0.0/8\"}"), "must not have leading 0s" },
        { PEER("\"ipBlock\":{\"cidr\":\"10.0.0.0/08\"}"), "must not have leading 0s" },
        { PEER("\"ipBlock\":{\"cidr\":\"::ffff:10.0.0.0/104\"}"),
          "must not have an IPv4-mapped IPv6 address" },
        { PEER("\"ipBlock\":{\"cidr\":\"10.0.0.1/8\"}"),
          "must not have bits set beyond the prefix" },
        { PEER("\"ipBlock\":{\"cidr\":\"10.0.0.0/8\",\"except\":[\"11.0.0.0/16\"]}"),
          "spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: \\\"11.0.0.0/16\\\": must be "
          "a "
          "strict subset of `cidr`" },
        { PEER("\"ipBlock\":{\"cidr\":\"10.0.0.0/8\",\"except\":[\"10.0.0.0/8\"]}"),
          "must be a strict subset of `cidr`" },
        { PEER("\"ipBlock\":{\"cidr\":\"10.0.0.0/8\",\"except\":[\"fd00::/16\"]}"),
          "must be a strict subset of `cidr`" },
    };
    assert_faults(state, POLICIES, cases, sizeof(cases) / sizeof(cases[0]));
    do_send(*state, "POST", POLICIES,
            PEER("\"ipBlock\":{\"cidr\":\"fd00::/8\",\"except\":[\"fd01::/16\"]}"), 201);
}

static void time_zones_are_validated(void **state)
{
    static const fault_case cases[] = {
        { ZONE(""), "spec.timeZone: Invalid value: \\\"\\\": timeZone must be nil or non-empty" },
        { ZONE("Nowhere/Town"), "unknown time zone Nowhere/Town" },
        { ZONE("../../etc/passwd"), "unknown time zone ../../etc/passwd" },
        { ZONE("Europe"), "spec.timeZone: Invalid value: \\\"Europe\\\": is a directory" },
        { ZONE("local"), "timeZone must be an explicit time zone" },
    };
    if (access("/usr/share/zoneinfo", F_OK) < 0) {
        print_message("there are no zone files here: any name is accepted\n");
        skip();
    }
    assert_faults(state, CRONJOBS, cases, sizeof(cases) / sizeof(cases[0]));
    do_send(*state, "POST", CRONJOBS, ZONE("Etc/UTC"), 201);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SEEDED_TEST(ports_are_validated),
        SEEDED_TEST(peers_are_validated),
        SEEDED_TEST(time_zones_are_validated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
