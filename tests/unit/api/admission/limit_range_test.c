/* SPDX-License-Identifier: Apache-2.0 */
/* limit_range_test.c -- what pods and claims get by default from limit ranges, and which are
 * refused in which words. */
#include "unit/api/sent.h"

#define PODS   "/api/v1/namespaces/default/pods"
#define CLAIMS "/api/v1/namespaces/default/persistentvolumeclaims"

#define POD(name, resources)                                                                       \
    "{\"metadata\":{\"name\":\"" name "\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":"   \
    "\"i\",\"resources\":{" resources "}}]}}"
#define CLAIM(size)                                                                                \
    "{\"metadata\":{\"name\":\"c\"},\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],\"resources\":{" \
    "\"requests\":{\"storage\":\"" size "\"}}}}"

static void make_range(api_world *world, const char *item)
{
    char body[2048];
    (void)snprintf(body, sizeof(body),
                   "{\"metadata\":{\"name\":\"l\"},\"spec\":{\"limits\":[{%s}]}}", item);
    do_send(world, "POST", DEFAULT "limitranges", body, 201);
}

static void limit_ranges_are_defaulted(void **state)
{
    assert_sent_has(*state, "POST", DEFAULT "limitranges",
                    "{\"metadata\":{\"name\":\"l\"},\"spec\":{\"limits\":[{\"type\":\"Container\","
                    "\"max\":{\"cpu\":\"2\"},\"min\":{\"cpu\":\"1\",\"memory\":\"5Mi\"}}]}}",
                    201,
                    "\"default\":{\"cpu\":\"2\"},\"defaultRequest\":{\"cpu\":\"2\",\"memory\":"
                    "\"5Mi\"}");
}

static void containers_get_default_requests_and_limits(void **state)
{
    make_range(*state, "\"type\":\"Container\",\"default\":{\"cpu\":\"500m\",\"memory\":\"1Gi\"},"
                       "\"defaultRequest\":{\"cpu\":\"100m\"}");
    assert_sent_has(*state, "POST", PODS, POD("p", "\"requests\":{\"memory\":\"2Mi\"}"), 201,
                    "\"resources\":{\"requests\":{\"memory\":\"2Mi\",\"cpu\":\"100m\"},\"limits\":{"
                    "\"cpu\":\"500m\",\"memory\":\"1Gi\"}}");
    assert_sent_has(*state, "GET", PODS "/p", "", 200,
                    "\"kubernetes.io/limit-ranger\":\"LimitRanger plugin set: cpu request for "
                    "container c; cpu, memory limit for container c\"");
}

static void containers_outside_the_bounds_are_refused(void **state)
{
    make_range(*state, "\"type\":\"Container\",\"max\":{\"cpu\":\"1\"},\"min\":{\"cpu\":\"50m\"}");
    assert_sent(*state, "POST", PODS,
                POD("p", "\"requests\":{\"cpu\":\"10m\"},\"limits\":{\"cpu\":\"2\"}"), 403,
                FAILURE("pods \\\"p\\\" is forbidden: [minimum cpu usage per Container is 50m, but "
                        "request is 10m, maximum cpu usage per Container is 1, but limit is 2]",
                        "\"reason\":\"Forbidden\",\"details\":{\"name\":\"p\",\"kind\":\"pods\"},"
                        "\"code\":403"));
    do_send(*state, "POST", PODS,
            POD("p", "\"requests\":{\"cpu\":\"50m\"},\"limits\":{\"cpu\":\"1\"}"), 201);
}

static void limits_above_the_ratio_to_requests_are_refused(void **state)
{
    make_range(*state, "\"type\":\"Container\",\"maxLimitRequestRatio\":{\"cpu\":\"2\"}");
    assert_sent_has(*state, "POST", PODS,
                    POD("p", "\"requests\":{\"cpu\":\"1\"},\"limits\":{\"cpu\":\"3\"}"), 403,
                    "cpu max limit to request ratio per Container is 2, but provided ratio is "
                    "3.000000\"");
    do_send(*state, "POST", PODS,
            POD("p", "\"requests\":{\"cpu\":\"1\"},\"limits\":{\"cpu\":\"2\"}"), 201);
}

static void pod_totals_are_checked(void **state)
{
    make_range(*state, "\"type\":\"Pod\",\"max\":{\"memory\":\"1Gi\"}");
    assert_sent_has(*state, "POST", PODS, POD("p", ""), 403,
                    "maximum memory usage per Pod is 1Gi.  No limit is specified\"");
    do_send(*state, "POST", PODS, POD("p", "\"limits\":{\"memory\":\"1Gi\"}"), 201);
}

static void claims_outside_the_bounds_are_refused(void **state)
{
    make_range(*state, "\"type\":\"PersistentVolumeClaim\",\"min\":{\"storage\":\"1Gi\"},\"max\":{"
                       "\"storage\":\"2Gi\"}");
    assert_sent_has(*state, "POST", CLAIMS, CLAIM("500Mi"), 403,
                    "persistentvolumeclaims \\\"c\\\" is forbidden: minimum storage usage per "
                    "PersistentVolumeClaim is 1Gi, but request is 500Mi\"");
    assert_sent_has(*state, "POST", CLAIMS, CLAIM("3Gi"), 403,
                    "maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi\"");
    do_send(*state, "POST", CLAIMS, CLAIM("2Gi"), 201);
}

static void contradictory_limit_ranges_are_refused(void **state)
{
    assert_sent_has(
        *state, "POST", DEFAULT "limitranges",
        "{\"metadata\":{\"name\":\"l\"},\"spec\":{\"limits\":[{\"type\":\"Pod\","
        "\"max\":{\"cpu\":\"1\"},\"min\":{\"cpu\":\"2\"}}]}}",
        422,
        "spec.limits[0].min[cpu]: Invalid value: \\\"2\\\": min value 2 is greater than "
        "max value 1");
    do_send(*state, "POST", DEFAULT "limitranges",
            "{\"metadata\":{\"name\":\"l\"},\"spec\":{\"limits\":[{\"type\":\"Node\"}]}}", 422);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SEEDED_TEST(limit_ranges_are_defaulted),
        SEEDED_TEST(containers_get_default_requests_and_limits),
        SEEDED_TEST(containers_outside_the_bounds_are_refused),
        SEEDED_TEST(limits_above_the_ratio_to_requests_are_refused),
        SEEDED_TEST(pod_totals_are_checked),
        SEEDED_TEST(claims_outside_the_bounds_are_refused),
        SEEDED_TEST(contradictory_limit_ranges_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
