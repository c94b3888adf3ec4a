/* SPDX-License-Identifier: Apache-2.0 */
/* pod_parts_test.c -- the subresources ephemeralcontainers and resize of pods, and bindings that
 * name their pod. */
#include "unit/api/sent.h"

#define POD       DEFAULT "pods/p"
#define EPHEMERAL POD "/ephemeralcontainers"
#define RESIZE    POD "/resize"
#define STRATEGIC "application/strategic-merge-patch+json"
#define DEBUGGER(parts)                                                                            \
    "{\"spec\":{\"ephemeralContainers\":[{\"name\":\"debug\",\"image\":\"busybox\"" parts "}]}}"
#define RESIZED(parts) "{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{" parts "}}]}}"

static int with_pod(void **state)
{
    if (seeded_setup(state) < 0)
        return -1;
    fake_http *http = send_off(
        *state, "POST", DEFAULT "pods", NULL,
        "{\"metadata\":{\"name\":\"p\",\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":"
        "[{\"name\":\"c\",\"image\":\"i\",\"resources\":{\"requests\":{\"cpu\":\"1\"}}}]}}");
    await(*state, http);
    fake_http_free(http);
    return 0;
}

#define POD_TEST(function) cmocka_unit_test_setup_teardown(function, with_pod, world_teardown)

static void ephemeral_containers_are_added_and_nothing_else(void **state)
{
    assert_sent_has_as(*state, "PATCH", EPHEMERAL, STRATEGIC, DEBUGGER(""), 200,
                       "\"ephemeralContainers\":[{\"name\":\"debug\",\"image\":\"busybox\"");
    assert_sent_has_as(*state, "PATCH", EPHEMERAL, STRATEGIC,
                       "{\"metadata\":{\"labels\":{\"a\":\"c\"}},\"spec\":{\"nodeName\":\"n\"}}",
                       200, "\"labels\":{\"a\":\"b\"}");
    fake_http *http = ask(*state, EPHEMERAL, 200);
    assert_body_has(http, "\"generation\":2,");
    assert_null(strstr(http->body.data, "nodeName"));
    fake_http_free(http);
}

static void ephemeral_containers_are_validated(void **state)
{
    static const struct {
        const char *patch, *fault;
    } cases[] = {
        { DEBUGGER(",\"ports\":[{\"containerPort\":1}]"),
          "spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral "
          "Container" },
        { DEBUGGER(",\"targetContainerName\":\"x\""),
          "spec.ephemeralContainers[0].targetContainerName: Not found: \\\"x\\\"" },
        { "{\"spec\":{\"ephemeralContainers\":[{\"name\":\"c\",\"image\":\"i\"}]}}",
          "spec.ephemeralContainers[0].name: Duplicate value: \\\"c\\\"" },
        { "{\"spec\":{\"ephemeralContainers\":[{\"name\":\"x\"}]}}",
          "spec.ephemeralContainers[0].image: Required value" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_sent_has_as(*state, "PATCH", EPHEMERAL, STRATEGIC, cases[i].patch, 422,
                           cases[i].fault);
}

static void ephemeral_containers_stay(void **state)
{
    do_send_as(*state, "PATCH", EPHEMERAL, STRATEGIC, DEBUGGER(""), 200);
    assert_sent_has_as(*state, "PATCH", EPHEMERAL, MERGE_PATCH,
                       "{\"spec\":{\"ephemeralContainers\":null}}", 422,
                       "existing ephemeral containers \\\"debug\\\" may not be removed");
    assert_sent_has_as(*state, "PATCH", EPHEMERAL, STRATEGIC,
                       "{\"spec\":{\"ephemeralContainers\":[{\"name\":\"debug\",\"image\":\"x\"}]"
                       "}}",
                       422, "existing ephemeral containers \\\"debug\\\" may not be changed");
}

static void ephemeral_containers_come_by_their_subresource_only(void **state)
{
    assert_sent_has_as(*state, "PATCH", POD, STRATEGIC, DEBUGGER(""), 422,
                       "pod updates may not change fields other than");
    assert_sent_has(*state, "POST", DEFAULT "pods",
                    "{\"metadata\":{\"name\":\"q\"},\"spec\":{\"containers\":[{\"name\":\"c\","
                    "\"image\":\"i\"}],\"ephemeralContainers\":[{\"name\":\"e\",\"image\":\"i\"}]}"
                    "}",
                    422, "spec.ephemeralContainers: Forbidden: cannot be set on create");
}

static void resources_are_resized_and_nothing_else(void **state)
{
    assert_sent_has_as(*state, "PATCH", RESIZE, STRATEGIC,
                       "{\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"other\","
                       "\"resources\":{\"requests\":{\"cpu\":\"2\"}}}]}}",
                       200, "\"requests\":{\"cpu\":\"2\"}");
    fake_http *http = ask(*state, POD, 200);
    assert_body_has(http, "\"image\":\"i\"");
    fake_http_free(http);
}

static void resizes_are_validated(void **state)
{
    static const struct {
        const char *patch, *fault;
    } cases[] = {
        { RESIZED("\"requests\":{\"cpu\":null,\"memory\":\"1Gi\"}"),
          "spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed" },
        { RESIZED("\"requests\":{\"ephemeral-storage\":\"1Gi\"}"),
          "spec: Forbidden: only cpu and memory resources are mutable" },
        { RESIZED("\"requests\":{\"memory\":\"1Gi\"},\"limits\":{\"cpu\":\"1\",\"memory\":"
                  "\"1Gi\"}"),
          "Pod QOS Class may not change as a result of resizing" },
        { "{\"spec\":{\"containers\":[{\"name\":\"d\",\"image\":\"i\"}]}}",
          "spec.containers: Forbidden: containers may not be added or removed on resize" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_sent_has_as(*state, "PATCH", RESIZE, STRATEGIC, cases[i].patch, 422, cases[i].fault);
}

static void a_node_must_report_resources_to_resize_them(void **state)
{
    do_send_as(*state, "PATCH", POD "/status", MERGE_PATCH,
               "{\"status\":{\"containerStatuses\":[{\"name\":\"c\",\"state\":{\"running\":{}}}]}}",
               200);
    assert_sent_has_as(*state, "PATCH", RESIZE, STRATEGIC, RESIZED("\"requests\":{\"cpu\":\"2\"}"),
                       422, "spec: Forbidden: Pod running on node without support for resize");
}

static void a_posted_binding_names_its_pod(void **state)
{
    static const char bindings[] = DEFAULT "bindings";
    assert_sent_has(*state, "POST", bindings, "{\"target\":{\"name\":\"n\"}}", 400,
                    "Name parameter required.");
    assert_sent_has(*state, "POST", bindings,
                    "{\"metadata\":{\"name\":\"x\"},\"target\":{\"name\":\"n\"}}", 404,
                    "pods \\\"x\\\" not found");
    assert_sent_has(*state, "POST", bindings,
                    "{\"metadata\":{\"name\":\"p\"},\"target\":{\"name\":\"n\"}}", 201,
                    "\"status\":\"Success\"");
    fake_http *http = ask(*state, POD, 200);
    assert_body_has(http, "\"nodeName\":\"n\"");
    fake_http_free(http);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        POD_TEST(ephemeral_containers_are_added_and_nothing_else),
        POD_TEST(ephemeral_containers_are_validated),
        POD_TEST(ephemeral_containers_stay),
        POD_TEST(ephemeral_containers_come_by_their_subresource_only),
        POD_TEST(resources_are_resized_and_nothing_else),
        POD_TEST(resizes_are_validated),
        POD_TEST(a_node_must_report_resources_to_resize_them),
        POD_TEST(a_posted_binding_names_its_pod),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
