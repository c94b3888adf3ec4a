/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_device_test.c -- resource claims, slices, device classes and taint rules. */
#include "unit/api/sent.h"

#define RESOURCE       "/apis/resource.k8s.io/v1/"
#define CLAIMS         RESOURCE "namespaces/default/resourceclaims"
#define TEMPLATES      RESOURCE "namespaces/default/resourceclaimtemplates"
#define CLASSES        RESOURCE "deviceclasses"
#define SLICES         RESOURCE "resourceslices"
#define RULES          RESOURCE "devicetaintrules"
#define TABLE          "application/json;as=Table;v=v1;g=meta.k8s.io"

#define NAMED(spec)    "{\"metadata\":{\"name\":\"a\"},\"spec\":{" spec "}}"
#define DEVICES(parts) NAMED("\"devices\":{" parts "}")
#define REQUEST(parts) DEVICES("\"requests\":[{\"name\":\"gpu\"," parts "}]")
#define EXACTLY(parts) REQUEST("\"exactly\":{\"deviceClassName\":\"x\"" parts "}")
#define SLICE(parts)                                                                               \
    NAMED("\"driver\":\"d.io\",\"pool\":{\"name\":\"p\",\"generation\":1,"                         \
          "\"resourceSliceCount\":1}" parts)

typedef struct faulty {
    const char *body, *fault;
} faulty;

static void assert_faults(void *world, const char *path, const faulty *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_sent_has(world, "POST", path, cases[i].body, 422, cases[i].fault);
}

static void requests_of_claims_are_defaulted(void **state)
{
    assert_sent_has(*state, "POST", CLAIMS, EXACTLY(",\"tolerations\":[{\"key\":\"k\"}]"), 201,
                    "\"tolerations\":[{\"key\":\"k\",\"operator\":\"Equal\"}],"
                    "\"allocationMode\":\"ExactCount\",\"count\":1}");
    assert_sent_has(*state, "POST", TEMPLATES,
                    NAMED("\"spec\":{\"devices\":{\"requests\":[{\"name\":\"gpu\","
                          "\"firstAvailable\":[{\"name\":\"b\",\"deviceClassName\":\"x\","
                          "\"allocationMode\":\"All\"}]}]}}"),
                    201, "\"allocationMode\":\"All\"}]");
}

static void requests_of_claims_are_validated(void **state)
{
    static const faulty cases[] = {
        { REQUEST("\"exactly\":null"),
          "spec.devices.requests[0]: Required value: exactly one of `exactly` or "
          "`firstAvailable` is required" },
        { REQUEST("\"exactly\":{}"), "requests[0].exactly.deviceClassName: Required value" },
        { EXACTLY(",\"count\":-1"), "exactly.count: Invalid value: -1: must be greater than zero" },
        { EXACTLY(",\"count\":2,\"allocationMode\":\"All\""),
          "must not be specified when allocationMode is 'All'" },
        { EXACTLY(",\"allocationMode\":\"Some\""),
          "supported values: \\\"All\\\", \\\"ExactCount\\\"" },
        { EXACTLY(",\"selectors\":[{}]"), "exactly.selectors[0].cel: Required value" },
        { EXACTLY(",\"tolerations\":[{\"operator\":\"Exists\",\"value\":\"v\"}]"),
          "tolerations[0].value: Invalid value: \\\"v\\\": must be empty for operator `Exists`" },
        { REQUEST("\"exactly\":{\"deviceClassName\":\"x\"},\"firstAvailable\":[{\"name\":\"b\","
                  "\"deviceClassName\":\"x\"}]"),
          "but multiple fields are set" },
        { DEVICES("\"requests\":[{\"name\":\"a\",\"exactly\":{\"deviceClassName\":\"x\"}},"
                  "{\"name\":\"a\",\"exactly\":{\"deviceClassName\":\"x\"}}]"),
          "spec.devices.requests[1]: Duplicate value: {\\\"name\\\":\\\"a\\\"" },
        { DEVICES("\"constraints\":[{\"requests\":[\"nope\"],\"matchAttribute\":\"d.io/a\"}]"),
          "constraints[0].requests[0]: Invalid value: \\\"nope\\\": must be the name of a "
          "request" },
        { DEVICES("\"config\":[{}]"), "spec.devices.config[0].opaque: Required value" },
    };
    assert_faults(*state, CLAIMS, cases, sizeof(cases) / sizeof(cases[0]));
}

static void the_spec_of_a_claim_cannot_change(void **state)
{
    do_send(*state, "POST", CLAIMS, EXACTLY(""), 201);
    assert_sent_has_as(*state, "PATCH", CLAIMS "/a", MERGE_PATCH,
                       "{\"spec\":{\"devices\":{\"requests\":[]}}}", 422,
                       "spec: Invalid value: null: field is immutable");
    assert_sent_has_as(*state, "PATCH", CLAIMS "/a", MERGE_PATCH,
                       "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}", 200,
                       "\"labels\":{\"a\":\"b\"}");
}

static void the_status_of_a_claim_says_its_state(void **state)
{
    static const char status[] = CLAIMS "/a/status";
    static const char reserved[] = "{\"status\":{\"reservedFor\":[{\"resource\":\"pods\","
                                   "\"name\":\"p\",\"uid\":\"u\"}]}}";
    do_send(*state, "POST", CLAIMS, EXACTLY(""), 201);
    fake_http *http = ask_as(*state, CLAIMS, TABLE, 200);
    assert_body_has(http, "\"cells\":[\"a\",\"pending\",\"0s\"]");
    fake_http_free(http);
    assert_sent_has_as(*state, "PATCH", status, MERGE_PATCH, reserved, 422,
                       "status.reservedFor: Forbidden: may not be specified when `allocated` is "
                       "not set");
    assert_sent_has_as(*state, "PATCH", status, MERGE_PATCH, "{\"status\":{\"allocation\":{}}}",
                       200, "\"allocation\":{");
    assert_sent_has_as(*state, "PATCH", status, MERGE_PATCH, reserved, 200, "\"reservedFor\":[{");
    http = ask_as(*state, CLAIMS, TABLE, 200);
    assert_body_has(http, "\"cells\":[\"a\",\"allocated,reserved\",\"0s\"]");
    fake_http_free(http);
    assert_sent_has_as(*state, "PATCH", status, MERGE_PATCH,
                       "{\"status\":{\"allocation\":{\"allocationTimestamp\":"
                       "\"2026-01-01T00:00:00Z\"}}}",
                       422, "status.allocation: Invalid value: null: field is immutable");
}

static void classes_and_templates_are_validated(void **state)
{
    static const faulty classes[] = {
        { NAMED("\"selectors\":[{}]"), "spec.selectors[0].cel: Required value" },
        { NAMED("\"extendedResourceName\":\"bad\""), "a name must be a domain-prefixed path" },
    };
    assert_faults(*state, CLASSES, classes, sizeof(classes) / sizeof(classes[0]));
    assert_sent_has(*state, "POST", TEMPLATES,
                    NAMED("\"metadata\":{\"name\":\"b\"},\"spec\":{\"devices\":{}}"), 422,
                    "spec.metadata.name: Forbidden: cannot be set");
}

static void slices_say_where_their_devices_are(void **state)
{
    static const faulty cases[] = {
        { NAMED(""), "spec.driver: Required value" },
        { NAMED(""), "spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero" },
        { SLICE(""), "spec: Required value: exactly one of `nodeName`, `nodeSelector`" },
        { SLICE(",\"nodeName\":\"n\",\"allNodes\":true"),
          "spec: Invalid value: \\\"{`nodeName`, `allNodes`}\\\"" },
        { SLICE(",\"allNodes\":false"), "must be either unset or set to true" },
        { SLICE(",\"allNodes\":true,\"devices\":[{\"name\":\"x\"},{\"name\":\"x\"}]"),
          "spec.devices[1]: Duplicate value: \\\"x\\\"" },
        { SLICE(",\"allNodes\":true,\"devices\":[{\"name\":\"x\",\"attributes\":{\"k\":{"
                "\"int\":1,\"bool\":false}}}]"),
          "spec.devices[0].attributes[k]: Invalid value: \\\"{int, bool}\\\"" },
        { SLICE(",\"allNodes\":true,\"devices\":[{\"name\":\"x\",\"taints\":[{\"key\":\"k\"}]}]"),
          "spec.devices[0].taints[0].effect: Required value" },
    };
    assert_faults(*state, SLICES, cases, sizeof(cases) / sizeof(cases[0]));
    do_send(*state, "POST", SLICES, SLICE(",\"nodeName\":\"n\""), 201);
    assert_sent_has_as(*state, "PATCH", SLICES "/a", MERGE_PATCH,
                       "{\"spec\":{\"driver\":\"other.io\"}}", 422,
                       "spec.driver: Invalid value: \\\"other.io\\\": field is immutable");
    fake_http *http = ask_as(*state, SLICES "?fieldSelector=spec.pool.name%3Dp", TABLE, 200);
    assert_body_has(http, "\"cells\":[\"a\",\"n\",\"d.io\",\"p\",\"0s\"]");
    fake_http_free(http);
}

static void a_taint_tells_since_when_it_has_its_effect(void **state)
{
    assert_sent_has(*state, "POST", RULES,
                    NAMED("\"taint\":{\"key\":\"k\",\"effect\":\"NoSchedule\","
                          "\"timeAdded\":\"2020-01-01T00:00:00Z\"}"),
                    201, "\"timeAdded\":\"2020-01-01T00:00:00Z\"");
    assert_sent_has_as(*state, "PATCH", RULES "/a", MERGE_PATCH,
                       "{\"spec\":{\"taint\":{\"effect\":\"NoExecute\"}}}", 200,
                       "\"timeAdded\":\"2026-11-15T01:49:24Z\"");
    assert_sent_has(*state, "POST", RULES, NAMED("\"deviceSelector\":{\"pool\":\"P!\"}"), 422,
                    "spec.deviceSelector.pool: Invalid value: \\\"P!\\\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SEEDED_TEST(requests_of_claims_are_defaulted),
        SEEDED_TEST(requests_of_claims_are_validated),
        SEEDED_TEST(the_spec_of_a_claim_cannot_change),
        SEEDED_TEST(the_status_of_a_claim_says_its_state),
        SEEDED_TEST(classes_and_templates_are_validated),
        SEEDED_TEST(slices_say_where_their_devices_are),
        SEEDED_TEST(a_taint_tells_since_when_it_has_its_effect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
