/* SPDX-License-Identifier: Apache-2.0 */
/* namespace_purge_test.c -- what becomes of a namespace that is deleted, and of what is in it. */
#include "unit/api/lived.h"

#define SPACE "/api/v1/namespaces/t"

static void make_space(api_world *world)
{
    do_send(world, "POST", "/api/v1/namespaces", "{\"metadata\":{\"name\":\"t\"}}", 201);
}

static void deleted_namespace_is_terminating(void **state)
{
    make_space(*state);
    assert_sent(
        *state, "DELETE", SPACE, "", 200,
        "{\"kind\":\"Namespace\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"t\","
        "\"uid\":\"U\",\"resourceVersion\":\"6\",\"creationTimestamp\":"
        "\"2026-11-15T01:49:24Z\",\"deletionTimestamp\":\"2026-11-15T01:49:24Z\",\"labels\":"
        "{\"kubernetes.io/metadata.name\":\"t\"}},\"spec\":{\"finalizers\":[\"kubernetes\"]}"
        ",\"status\":{\"phase\":\"Terminating\"}}\n");
    await_end(*state, SPACE);
}

static void content_is_deleted_first(void **state)
{
    api_world *world = *state;
    make_space(world);
    for (int i = 0; i < 600; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "c%03d", i);
        assert_true(api_world_put_config(world, "t", name, NULL, NULL) > 0);
    }
    do_send(world, "POST", SPACE "/secrets", "{\"metadata\":{\"name\":\"s\"}}", 201);
    do_send(world, "POST", SPACE "/pods",
            "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"nodeName\":\"n\",\"containers\":[{\"name\":"
            "\"c\",\"image\":\"i\"}]}}",
            201);
    assert_true(api_world_put_config(world, "default", "mine", NULL, NULL) > 0);
    do_send(world, "DELETE", SPACE, "", 200);
    await_end(world, SPACE);
    assert_false(is_there(world, SPACE "/secrets/s"));
    assert_false(is_there(world, SPACE "/pods/p"));
    fake_http *http = ask(world, "/api/v1/configmaps", 200);
    assert_body_has(http, "\"name\":\"mine\"");
    assert_null(memmem(http->body.data, http->body.len, "\"namespace\":\"t\"", 15));
    fake_http_free(http);
}

static void finalizers_of_content_delay_the_deletion(void **state)
{
    api_world *world = *state;
    make_space(world);
    do_send(world, "POST", SPACE "/configmaps",
            "{\"metadata\":{\"name\":\"held\",\"finalizers\":[\"ex.io/f\"]}}", 201);
    do_send(world, "DELETE", SPACE, "", 200);
    await_rest(world);
    fake_http *http = ask(world, SPACE "/configmaps/held", 200);
    assert_body_has(http, "\"deletionTimestamp\"");
    fake_http_free(http);
    assert_sent_has(world, "DELETE", SPACE, "", 200, "\"phase\":\"Terminating\"");
    do_send_as(world, "PATCH", SPACE "/configmaps/held", MERGE_PATCH,
               "{\"metadata\":{\"finalizers\":null}}", 200);
    await_end(world, SPACE);
}

static void pods_are_deleted_first(void **state)
{
    api_world *world = *state;
    make_space(world);
    assert_true(api_world_put_config(world, "t", "c", NULL, NULL) > 0);
    do_send(world, "POST", SPACE "/pods",
            "{\"metadata\":{\"name\":\"held\",\"finalizers\":[\"ex.io/f\"]},\"spec\":{"
            "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}",
            201);
    do_send(world, "DELETE", SPACE, "", 200);
    await_rest(world);
    assert_shows(world, SPACE "/pods/held", "\"deletionTimestamp\"", true);
    assert_true(is_there(world, SPACE "/configmaps/c"));
    assert_shows(world, SPACE, "configmaps. has 1 resource instances, pods. has 1 resource", true);
    do_send_as(world, "PATCH", SPACE "/pods/held", MERGE_PATCH,
               "{\"metadata\":{\"finalizers\":null}}", 200);
    api_world_pass(world, 2 * LW_NS_PER_S);
    await_end(world, SPACE);
    assert_false(is_there(world, SPACE "/configmaps/c"));
}

/* By another server, which was about to, and may not live to see that it was too late. */
static void late_objects_are_deleted_too(void **state)
{
    api_world *world = *state;
    make_space(world);
    do_send(world, "POST", SPACE "/configmaps",
            "{\"metadata\":{\"name\":\"held\",\"finalizers\":[\"ex.io/f\"]}}", 201);
    do_send(world, "DELETE", SPACE, "", 200);
    await_rest(world);
    assert_true(api_world_put_config(world, "t", "late", NULL, NULL) > 0);
    api_world_turns(world, 3);
    api_world_pass(world, LW_NS_PER_S);
    await_end(world, SPACE "/configmaps/late");
    assert_true(is_there(world, SPACE "/configmaps/held"));
}

static void status_reports_remaining_content(void **state)
{
    api_world *world = *state;
    make_space(world);
    do_send(world, "POST", SPACE "/configmaps",
            "{\"metadata\":{\"name\":\"held\",\"finalizers\":[\"ex.io/f\"]}}", 201);
    do_send(world, "POST", SPACE "/configmaps",
            "{\"metadata\":{\"name\":\"also\",\"finalizers\":[\"ex.io/f\",\"ex.io/g\"]}}", 201);
    do_send(world, "DELETE", SPACE, "", 200);
    await_rest(world);
    assert_shows(world, SPACE,
                 "{\"type\":\"NamespaceDeletionContentFailure\",\"status\":\"False\","
                 "\"lastTransitionTime\":\"2026-11-15T01:49:24Z\",\"reason\":\"ContentDeleted\","
                 "\"message\":\"All content successfully deleted, may be waiting on "
                 "finalization\"},{\"type\":\"NamespaceContentRemaining\",\"status\":\"True\","
                 "\"lastTransitionTime\":\"2026-11-15T01:49:24Z\",\"reason\":"
                 "\"SomeResourcesRemain\",\"message\":\"Some resources are remaining: "
                 "configmaps. has 2 resource instances\"},{\"type\":"
                 "\"NamespaceFinalizersRemaining\",\"status\":\"True\",\"lastTransitionTime\":"
                 "\"2026-11-15T01:49:24Z\",\"reason\":\"SomeFinalizersRemain\",\"message\":"
                 "\"Some content in the namespace has finalizers remaining: ex.io/f in 2 resource "
                 "instances, ex.io/g in 1 resource instances\"}]}}",
                 true);
    do_send_as(world, "PATCH", SPACE "/configmaps/also", MERGE_PATCH,
               "{\"metadata\":{\"finalizers\":null}}", 200);
    await_rest(world);
    assert_shows(world, SPACE, "configmaps. has 2 resource instances", true);
    api_world_pass(world, 2 * LW_NS_PER_S);
    await_rest(world);
    assert_shows(world, SPACE, "configmaps. has 1 resource instances", true);
    do_send_as(world, "PATCH", SPACE "/configmaps/held", MERGE_PATCH,
               "{\"metadata\":{\"finalizers\":null}}", 200);
    await_end(world, SPACE);
}

static void one_deletion_does_not_rescan_many_blocked_objects(void **state)
{
    api_world *world = *state;
    char text[128];
    make_space(world);
    for (int i = 0; i < 20; i++) {
        (void)snprintf(text, sizeof(text),
                       "{\"metadata\":{\"name\":\"c%d\",\"finalizers\":[\"ex.io/f\"]}}", i);
        do_send(world, "POST", SPACE "/configmaps", text, 201);
    }
    do_send(world, "DELETE", SPACE, "", 200);
    await_rest(world);
    uint64_t before = lw_cache_revision(world->cache);
    for (int i = 0; i < 19; i++) {
        (void)snprintf(text, sizeof(text), SPACE "/configmaps/c%d", i);
        do_send_as(world, "PATCH", text, MERGE_PATCH, "{\"metadata\":{\"finalizers\":null}}", 200);
        await_rest(world);
    }
    assert_int_equal(lw_cache_revision(world->cache), before + 19);
    do_send_as(world, "PATCH", SPACE "/configmaps/c19", MERGE_PATCH,
               "{\"metadata\":{\"finalizers\":null}}", 200);
    await_end(world, SPACE);
}

static void finalizers_of_the_namespace_delay_its_removal(void **state)
{
    api_world *world = *state;
    do_send(world, "POST", "/api/v1/namespaces",
            "{\"metadata\":{\"name\":\"t\",\"finalizers\":[\"ex.io/f\"]}}", 201);
    do_send(world, "DELETE", SPACE, "", 200);
    await_rest(world);
    fake_http *http = ask(world, SPACE, 200);
    assert_body_has(http, "\"spec\":{}");
    fake_http_free(http);
    do_send_as(world, "PATCH", SPACE, MERGE_PATCH, "{\"metadata\":{\"finalizers\":null}}", 200);
    fake_http_free(ask(world, SPACE, 404));
}

static void interrupted_purge_is_resumed(void **state)
{
    api_world *world = *state;
    assert_true(
        api_world_put(world, "namespaces/t",
                      "{\"kind\":\"Namespace\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":"
                      "\"t\",\"uid\":\"u\",\"resourceVersion\":\"\",\"deletionTimestamp\":"
                      "\"2026-11-15T01:49:24Z\"},\"spec\":{\"finalizers\":[\"kubernetes\"]},"
                      "\"status\":{\"phase\":\"Terminating\"}}") > 0);
    assert_true(api_world_put_config(world, "t", "a", NULL, NULL) > 0);
    assert_int_equal(api_world_live(world, 0), LW_OK);
    await_end(world, SPACE);
    assert_false(is_there(world, SPACE "/configmaps/a"));
}

static void stopping_during_a_purge_leaks_nothing(void **state)
{
    api_world *world = *state;
    make_space(world);
    for (int i = 0; i < 600; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "c%03d", i);
        assert_true(api_world_put_config(world, "t", name, NULL, NULL) > 0);
    }
    do_send(world, "DELETE", SPACE, "", 200); /* the world is closed while it is being emptied */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIVED_TEST(deleted_namespace_is_terminating),
        LIVED_TEST(content_is_deleted_first),
        LIVED_TEST(pods_are_deleted_first),
        LIVED_TEST(finalizers_of_content_delay_the_deletion),
        LIVED_TEST(late_objects_are_deleted_too),
        LIVED_TEST(status_reports_remaining_content),
        LIVED_TEST(one_deletion_does_not_rescan_many_blocked_objects),
        LIVED_TEST(finalizers_of_the_namespace_delay_its_removal),
        SEEDED_TEST(interrupted_purge_is_resumed),
        LIVED_TEST(stopping_during_a_purge_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
