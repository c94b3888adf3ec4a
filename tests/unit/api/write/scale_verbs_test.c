/* SPDX-License-Identifier: Apache-2.0 */
/* scale_verbs_test.c -- the scale of a workload, read and written. */
#include "unit/api/sent.h"

#define DEPLOYMENTS "/apis/apps/v1/namespaces/default/deployments"
#define SCALE(rv, spec)                                                                            \
    "{\"kind\":\"Scale\",\"apiVersion\":\"autoscaling/v1\",\"metadata\":{\"name\":\"d\","          \
    "\"namespace\":\"default\",\"uid\":\"U\",\"resourceVersion\":\"" rv "\","                      \
    "\"creationTimestamp\":\"2026-11-15T01:49:24Z\"},\"spec\":{" spec "},"                         \
    "\"status\":{\"replicas\":0,\"selector\":\"a=b,c in (x,y)\"}}\n"

static int with_deployment(void **state)
{
    if (seeded_setup(state) < 0)
        return -1;
    fake_http *http =
        send_off(*state, "POST", DEPLOYMENTS, NULL,
                 "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":"
                 "\"b\"},\"matchExpressions\":[{\"key\":\"c\",\"operator\":\"In\",\"values\":["
                 "\"x\",\"y\"]}]},\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\",\"c\":\"x\"}}"
                 ",\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}}}");
    await(*state, http);
    fake_http_free(http);
    return 0;
}

#define SCALE_TEST(function)                                                                       \
    cmocka_unit_test_setup_teardown(function, with_deployment, world_teardown)

static void scale_is_shown(void **state)
{
    fake_http *http = ask(*state, DEPLOYMENTS "/d/scale", 200);
    mask(http);
    assert_str_equal(lw_buf_view(&http->body), SCALE("5", "\"replicas\":1"));
    fake_http_free(http);
}

static void missing_scale_is_told(void **state)
{
    assert_answer(*state, DEPLOYMENTS "/zz/scale", 404,
                  FAILURE("deployments.apps \\\"zz\\\" not found",
                          "\"reason\":\"NotFound\",\"details\":{\"name\":\"zz\",\"group\":\"apps\","
                          "\"kind\":\"deployments\"},\"code\":404"));
    assert_sent_has_as(*state, "PATCH", DEPLOYMENTS "/zz/scale", MERGE_PATCH, "{}", 404,
                       "deployments.apps \\\"zz\\\" not found");
}

static void patch_scales(void **state)
{
    assert_sent_as(*state, "PATCH", DEPLOYMENTS "/d/scale", MERGE_PATCH,
                   "{\"spec\":{\"replicas\":3}}", 200, SCALE("6", "\"replicas\":3"));
    fake_http *http = ask(*state, DEPLOYMENTS "/d", 200);
    assert_body_has(http, "\"generation\":2,");
    assert_body_has(http, "\"replicas\":3,\"strategy\"");
    fake_http_free(http);
    assert_sent_as(*state, "PATCH", DEPLOYMENTS "/d/scale", JSON_PATCH,
                   "[{\"op\":\"replace\",\"path\":\"/spec/replicas\",\"value\":0}]", 200,
                   SCALE("7", ""));
}

static void put_scales(void **state)
{
    assert_sent(
        *state, "PUT", DEPLOYMENTS "/d/scale",
        "{\"kind\":\"Scale\",\"apiVersion\":\"autoscaling/v1\",\"metadata\":{\"name\":\"d\","
        "\"namespace\":\"default\",\"resourceVersion\":\"5\"},\"spec\":{\"replicas\":4}}",
        200, SCALE("6", "\"replicas\":4"));
    assert_sent_has(*state, "PUT", DEPLOYMENTS "/d/scale",
                    "{\"metadata\":{\"name\":\"d\",\"resourceVersion\":\"5\"},\"spec\":{"
                    "\"replicas\":5}}",
                    409,
                    "Operation cannot be fulfilled on deployments.apps \\\"d\\\": the object has "
                    "been modified");
}

static void same_number_is_not_written(void **state)
{
    assert_sent_as(*state, "PATCH", DEPLOYMENTS "/d/scale", MERGE_PATCH,
                   "{\"spec\":{\"replicas\":1}}", 200, SCALE("5", "\"replicas\":1"));
}

static void what_makes_no_sense_is_refused(void **state)
{
    assert_sent(*state, "PUT", DEPLOYMENTS "/d/scale",
                "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":-1}}", 422,
                FAILURE("Scale.autoscaling \\\"d\\\" is invalid: spec.replicas: Invalid value: -1: "
                        "must be greater than or equal to 0",
                        "\"reason\":\"Invalid\",\"details\":{\"name\":\"d\",\"group\":"
                        "\"autoscaling\",\"kind\":\"Scale\",\"causes\":[{\"reason\":"
                        "\"FieldValueInvalid\",\"message\":\"Invalid value: -1: must be greater "
                        "than or equal to 0\",\"field\":\"spec.replicas\"}]},\"code\":422"));
    assert_sent_has(*state, "PUT", DEPLOYMENTS "/d/scale",
                    "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":\"1\"}}", 400,
                    "cannot unmarshal string into Go struct field ScaleSpec.spec.replicas");
    assert_sent_has(*state, "PUT", DEPLOYMENTS "/d/scale", "{\"metadata\":{\"name\":\"e\"}}", 400,
                    "the name of the object (e) does not match the name on the URL (d)");
    assert_sent_has(*state, "PUT", DEPLOYMENTS "/d/scale", "{\"kind\":\"Deployment\"}", 400,
                    "Deployment in version \\\"v1\\\" cannot be handled as a Scale");
}

static void selector_may_be_a_map_of_labels(void **state)
{
    do_send(
        *state, "POST", DEFAULT "replicationcontrollers",
        "{\"metadata\":{\"name\":\"r\"},\"spec\":{\"template\":{\"metadata\":{\"labels\":{\"q\":"
        "\"1\"}},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}}}",
        201);
    fake_http *http = ask(*state, DEFAULT "replicationcontrollers/r/scale", 200);
    assert_body_has(http, "\"selector\":\"q=1\"");
    fake_http_free(http);
}

#define APPLIED(spec)                                                                              \
    "{\"apiVersion\":\"autoscaling/"                                                               \
    "v1\",\"kind\":\"Scale\",\"metadata\":{\"name\":\"d\"},\"spec\":{" spec "}}"
#define APPLY  "application/apply-patch+yaml"
#define NUMBER "\"fieldsV1\":{\"f:spec\":{\"f:replicas\":{}}},\"subresource\":\"scale\"}"

static void scales_are_applied(void **state)
{
    assert_sent_has_as(*state, "PATCH", DEPLOYMENTS "/d/scale?fieldManager=k", APPLY,
                       APPLIED("\"replicas\":3"), 409,
                       "Apply failed with 1 conflict: conflict with \\\"unknown\\\" using "
                       "autoscaling/v1: .spec.replicas");
    assert_sent_as(*state, "PATCH", DEPLOYMENTS "/d/scale?fieldManager=k&force=1", APPLY,
                   APPLIED("\"replicas\":3"), 200, SCALE("6", "\"replicas\":3"));
    fake_http *http = ask(*state, DEPLOYMENTS "/d", 200);
    assert_body_has(http, "{\"manager\":\"k\",\"operation\":\"Apply\",\"apiVersion\":\"apps/v1\","
                          "\"fieldsType\":\"FieldsV1\"," NUMBER);
    fake_http_free(http);
    /* Once more is no change, and who sets another number takes it away. */
    assert_sent_as(*state, "PATCH", DEPLOYMENTS "/d/scale?fieldManager=k", APPLY,
                   APPLIED("\"replicas\":3"), 200, SCALE("6", "\"replicas\":3"));
    do_send_as(*state, "PATCH", DEPLOYMENTS "/d/scale?fieldManager=l", MERGE_PATCH,
               "{\"spec\":{\"replicas\":4}}", 200);
    assert_sent_has_as(*state, "PATCH", DEPLOYMENTS "/d/scale?fieldManager=k", APPLY,
                       APPLIED("\"replicas\":5"), 409,
                       "conflict with \\\"l\\\" with subresource \\\"scale\\\" using "
                       "autoscaling/v1: .spec.replicas");
}

static void what_is_no_scale_is_not_applied(void **state)
{
    assert_sent_has_as(*state, "PATCH", DEPLOYMENTS "/d/scale?fieldManager=k", APPLY,
                       APPLIED("\"copies\":3"), 500,
                       "failed to create typed patch object (/d; autoscaling/v1, Kind=Scale): "
                       ".spec.copies: field not declared in schema");
    assert_sent_has_as(*state, "PATCH", DEPLOYMENTS "/d/scale?fieldManager=k", APPLY,
                       "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\"}", 400,
                       "invalid object type: apps/v1, Kind=Deployment");
    assert_sent_has_as(*state, "PATCH", DEPLOYMENTS "/zz/scale?fieldManager=k", APPLY, APPLIED(""),
                       404, "deployments.apps \\\"zz\\\" not found");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCALE_TEST(scale_is_shown),
        SCALE_TEST(missing_scale_is_told),
        SCALE_TEST(patch_scales),
        SCALE_TEST(put_scales),
        SCALE_TEST(same_number_is_not_written),
        SCALE_TEST(what_makes_no_sense_is_refused),
        SCALE_TEST(selector_may_be_a_map_of_labels),
        SCALE_TEST(scales_are_applied),
        SCALE_TEST(what_is_no_scale_is_not_applied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
