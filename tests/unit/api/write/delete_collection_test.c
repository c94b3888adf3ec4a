/* SPDX-License-Identifier: Apache-2.0 */
/* delete_collection_test.c -- DELETE of many objects at once. */
#include "unit/api/sent.h"

#define CONFIGMAPS DEFAULT "configmaps"

/* |count| ConfigMaps c000, c001, ...; every second with the label x=1. */
static void make_configs(api_world *world, int count)
{
    for (int i = 0; i < count; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "c%03d", i);
        assert_true(api_world_put_config(world, "default", name, i % 2 ? "1" : "0", NULL) > 0);
    }
}

static size_t count_items(api_world *world, const char *target)
{
    size_t count = 0;
    fake_http *http = ask(world, target, 200);
    for (size_t i = 0; i + 8 < http->body.len; i++)
        count += memcmp(http->body.data + i, "\"name\":\"", 8) == 0;
    fake_http_free(http);
    return count;
}

static void all_of_a_namespace_go_and_are_shown(void **state)
{
    make_configs(*state, 2);
    assert_true(api_world_put_config(*state, "other", "o", NULL, NULL) > 0);
    assert_sent(*state, "DELETE", CONFIGMAPS, "", 200,
                "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":"
                "{\"resourceVersion\":\"7\"},\"items\":[{\"metadata\":{\"name\":\"c000\","
                "\"namespace\":\"default\",\"uid\":\"u-c000\",\"resourceVersion\":\"5\","
                "\"creationTimestamp\":\"2026-11-15T01:49:24Z\",\"labels\":{\"x\":\"0\"}}},"
                "{\"metadata\":{\"name\":\"c001\",\"namespace\":\"default\",\"uid\":\"u-c001\","
                "\"resourceVersion\":\"6\",\"creationTimestamp\":\"2026-11-15T01:49:24Z\","
                "\"labels\":{\"x\":\"1\"}}}]}\n");
    assert_int_equal(count_items(*state, CONFIGMAPS), 0);
    assert_int_equal(count_items(*state, "/api/v1/namespaces/other/configmaps"), 1);
}

static void selectors_choose(void **state)
{
    make_configs(*state, 6);
    do_send(*state, "DELETE", CONFIGMAPS "?labelSelector=x%3D1", "", 200);
    assert_int_equal(count_items(*state, CONFIGMAPS), 3);
    do_send(*state, "DELETE", CONFIGMAPS "?fieldSelector=metadata.name%3Dc002", "", 200);
    assert_int_equal(count_items(*state, CONFIGMAPS), 2);
}

static void more_than_fit_in_the_window(void **state)
{
    make_configs(*state, 300);
    do_send(*state, "DELETE", CONFIGMAPS, "{\"propagationPolicy\":\"Background\"}", 200);
    assert_int_equal(count_items(*state, CONFIGMAPS), 0);
}

static void dry_run_deletes_nothing(void **state)
{
    make_configs(*state, 3);
    do_send(*state, "DELETE", CONFIGMAPS "?dryRun=All", "", 200);
    assert_int_equal(count_items(*state, CONFIGMAPS), 3);
}

static void bad_selector_deletes_nothing(void **state)
{
    make_configs(*state, 3);
    do_send(*state, "DELETE", CONFIGMAPS "?labelSelector=x%3D%3D%3D", "", 400);
    do_send(*state, "DELETE", CONFIGMAPS, "{\"propagationPolicy\":\"Quick\"}", 422);
    assert_int_equal(count_items(*state, CONFIGMAPS), 3);
}

static void precondition_that_fails_is_told(void **state)
{
    make_configs(*state, 3);
    assert_sent_has(*state, "DELETE", CONFIGMAPS, "{\"preconditions\":{\"uid\":\"u-c001\"}}", 409,
                    "the UID in the precondition (u-c001) does not match");
    assert_int_equal(count_items(*state, CONFIGMAPS), 2);
}

static void nothing_is_an_empty_list(void **state)
{
    assert_sent_has(*state, "DELETE", CONFIGMAPS, "", 200, "\"items\":[]}");
}

/* Sends, waits unless it is a watch, and says whether the two witnesses in "default" are there. */
static bool spares_the_collection(api_world *world, const char *method, const char *target)
{
    fake_http *http = send_off(world, method, target, NULL, "{}");
    assert_non_null(http);
    if (!http->is_streamed)
        await(world, http);
    assert_int_not_equal(http->status, 0);
    fake_http_free(http);
    size_t count = count_items(world, CONFIGMAPS "?labelSelector=x");
    assert_true(count == 0 || count == 2);
    return count == 2;
}

static void only_delete_of_a_collection_deletes_a_collection(void **state)
{
    static const char *const methods[] = { "GET",   "HEAD",   "POST",    "PUT",
                                           "PATCH", "DELETE", "OPTIONS", "BREW" };
    static const char *const targets[] = {
        CONFIGMAPS "/one",
        CONFIGMAPS "/one/status",
        CONFIGMAPS "/one/nothing",
        CONFIGMAPS "?watch=1",
        "/api/v1/configmaps",
        "/api/v1/watch/namespaces/default/configmaps",
        "/api/v1/watch/namespaces/default/configmaps/one",
        "/api/v1/watch/configmaps",
        "/api/v1/namespaces",
        "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    };
    make_configs(*state, 2);
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        bool is_delete = strcmp(methods[i], "DELETE") == 0;
        for (size_t j = 0; j < sizeof(targets) / sizeof(targets[0]); j++) {
            /* A query for a watch does not make DELETE of a collection anything else. */
            if (is_delete && strcmp(targets[j], CONFIGMAPS "?watch=1") == 0)
                continue;
            if (!spares_the_collection(*state, methods[i], targets[j]))
                fail_msg("%s %s deletes the collection", methods[i], targets[j]);
        }
        if (!is_delete && !spares_the_collection(*state, methods[i], CONFIGMAPS))
            fail_msg("%s deletes the collection", methods[i]);
    }
    assert_false(spares_the_collection(*state, "DELETE", CONFIGMAPS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SEEDED_TEST(all_of_a_namespace_go_and_are_shown),
        SEEDED_TEST(selectors_choose),
        SEEDED_TEST(more_than_fit_in_the_window),
        SEEDED_TEST(dry_run_deletes_nothing),
        SEEDED_TEST(bad_selector_deletes_nothing),
        SEEDED_TEST(precondition_that_fails_is_told),
        SEEDED_TEST(nothing_is_an_empty_list),
        SEEDED_TEST(only_delete_of_a_collection_deletes_a_collection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
