/* SPDX-License-Identifier: Apache-2.0 */
/* pod_security_test.c -- the labels of a namespace decide which pods are admitted in it. */
#include "unit/api/sent.h"

#define NS   "/api/v1/namespaces/default"
#define PODS DEFAULT "pods"
#define POD(name, more)                                                                            \
    "{\"metadata\":{\"name\":\"" name "\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":"   \
    "\"i\"" more "}]}}"
#define PRIVILEGED ",\"securityContext\":{\"privileged\":true}"

/* The first Warning header is exactly |expected|. */
static void assert_warned(const fake_http *http, const char *expected)
{
    lw_str value = { NULL, 0 };
    assert_true(fake_http_header(http, "Warning", 0, &value));
    assert_int_equal(value.len, strlen(expected));
    assert_memory_equal(value.ptr, expected, value.len);
}

static void label(api_world *world, const char *labels, int status)
{
    char body[512];
    (void)snprintf(body, sizeof(body), "{\"metadata\":{\"labels\":{%s}}}", labels);
    do_send_as(world, "PATCH", NS, MERGE_PATCH, body, status);
}

static void pods_that_violate_what_is_enforced_are_refused(void **state)
{
    do_send(*state, "POST", PODS, POD("before", PRIVILEGED), 201);
    label(*state, "\"pod-security.kubernetes.io/enforce\":\"baseline\"", 200);
    assert_sent_has(*state, "POST", PODS, POD("p", PRIVILEGED), 403,
                    "pods \\\"p\\\" is forbidden: violates PodSecurity \\\"baseline:latest\\\": "
                    "privileged (container \\\"c\\\" must not set "
                    "securityContext.privileged=true)\"");
    do_send(*state, "POST", PODS, POD("p", ""), 201);
    /* What does not change an image is left alone. */
    do_send_as(*state, "PATCH", PODS "/before", MERGE_PATCH,
               "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}", 200);
    do_send_as(*state, "PATCH", PODS "/before", JSON_PATCH,
               "[{\"op\":\"replace\",\"path\":\"/spec/containers/0/image\",\"value\":\"j\"}]", 403);
}

static void invalid_labels_are_refused(void **state)
{
    assert_sent_has_as(*state, "PATCH", NS, MERGE_PATCH,
                       "{\"metadata\":{\"labels\":{\"pod-security.kubernetes.io/warn-version\":"
                       "\"1\"}}}",
                       422,
                       "metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "
                       "\\\"1\\\": must be \\\"latest\\\" or \\\"v1.x\\\"");
}

static void existing_pods_are_warned_of(void **state)
{
    do_send(*state, "POST", PODS, POD("b", PRIVILEGED), 201);
    do_send(*state, "POST", PODS, POD("a", PRIVILEGED), 201);
    fake_http *http = send_as(*state, "PATCH", NS, MERGE_PATCH,
                              "{\"metadata\":{\"labels\":{\"pod-security.kubernetes.io/enforce\":"
                              "\"baseline\"}}}",
                              200);
    assert_warned(http, "299 - \"existing pods in namespace \\\"default\\\" violate the new "
                        "PodSecurity enforce level \\\"baseline:latest\\\"\"");
    fake_http_free(http);
}

static void templates_are_only_warned_of(void **state)
{
    label(*state, "\"pod-security.kubernetes.io/enforce\":\"baseline\"", 200);
    fake_http *http = send(*state, "POST", "/apis/apps/v1/namespaces/default/deployments",
                           "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"selector\":{\"matchLabels\":"
                           "{\"a\":\"b\"}},\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},"
                           "\"spec\":{\"hostNetwork\":true,\"containers\":[{\"name\":\"c\","
                           "\"image\":\"i\"}]}}}}",
                           201);
    assert_warned(http,
                  "299 - \"would violate PodSecurity \\\"baseline:latest\\\": host namespaces "
                  "(hostNetwork=true)\"");
    fake_http_free(http);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SEEDED_TEST(pods_that_violate_what_is_enforced_are_refused),
        SEEDED_TEST(invalid_labels_are_refused),
        SEEDED_TEST(existing_pods_are_warned_of),
        SEEDED_TEST(templates_are_only_warned_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
