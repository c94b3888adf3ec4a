/* SPDX-License-Identifier: Apache-2.0 */
/* recorder_test.c -- Events that a recorder writes to a server in this process. */
#include <listwatch/recorder.h>

#include <stdio.h>

#include "base/clock.h"
#include "support/client_world.h"
#include "support/hung_server.h"
#include "unit/test.h"

enum {
    PATIENCE_MS = 20000,
};

static client_world world;

static int set_up(void **state)
{
    (void)state;
    client_world_open(&world, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    client_world_close(&world);
    return 0;
}

static lw_recorder *recorder_of(lw_client *client, size_t max_queued)
{
    lw_recorder *recorder = NULL;
    lw_error err = LW_ERROR_INIT;
    lw_recorder_options options = LW_RECORDER_OPTIONS_INIT;
    options.client = client;
    options.component = "test";
    options.max_queued = max_queued;
    if (lw_recorder_new(&recorder, &options, &err) < 0)
        fail_msg("%s", err.message);
    return recorder;
}

static lw_object *thing(const char *ns, const char *name)
{
    char json[256];
    lw_object *obj = NULL;
    int len = snprintf(json, sizeof(json),
                       "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\"%s%s%s"
                       ",\"uid\":\"u-%s\"}}",
                       name, ns ? ",\"namespace\":\"" : "", ns ? ns : "", ns ? "\"" : "", name);
    assert_int_equal(lw_object_from_json(&obj, json, (size_t)len, NULL), LW_OK);
    return obj;
}

static lw_object_list *events(void)
{
    lw_object_list *list = NULL;
    const lw_list_options options = { .size = sizeof(lw_list_options) };
    assert_int_equal(lw_client_list_all(world.client, lw_gvr_make("", "v1", "events"), &options,
                                        &list, NULL),
                     LW_OK);
    return list;
}

/* Writes what is queued. */
static lw_recorder_statistics stop(lw_recorder *recorder)
{
    lw_recorder_statistics stats;
    lw_recorder_stop(recorder, PATIENCE_MS);
    assert_true(lw_recorder_is_closed(recorder));
    lw_recorder_stats(recorder, &stats);
    assert_int_equal(stats.queued, 0);
    return stats;
}

static void an_event_says_who_saw_what_about_which_object(void **state)
{
    (void)state;
    lw_object *pod = thing("default", "web");
    lw_recorder *recorder = recorder_of(world.client, 0);
    lw_recorder_event(recorder, pod, "Warning", "Failed", "it is %s", "gone");
    assert_int_equal(stop(recorder).created, 1);
    lw_object_list *list = events();
    assert_int_equal(lw_object_list_count(list), 1);
    const lw_object *event = lw_object_list_at(list, 0);
    assert_string_equal(lw_object_string(event, "/involvedObject/uid", ""), "u-web");
    assert_string_equal(lw_object_string(event, "/involvedObject/kind", ""), "Pod");
    assert_string_equal(lw_object_string(event, "/type", ""), "Warning");
    assert_string_equal(lw_object_string(event, "/reason", ""), "Failed");
    assert_string_equal(lw_object_string(event, "/message", ""), "it is gone");
    assert_string_equal(lw_object_string(event, "/source/component", ""), "test");
    assert_string_equal(lw_object_string(event, "/reportingComponent", ""), "test");
    assert_int_equal(lw_object_int(event, "/count", 0), 1);
    assert_string_equal(lw_object_namespace(event), "default");
    lw_object_list_free(list);
    lw_recorder_free(recorder);
    lw_object_unref(pod);
}

static void events_of_cluster_scoped_objects_are_in_default(void **state)
{
    (void)state;
    lw_object *node = thing(NULL, "node-1");
    lw_recorder *recorder = recorder_of(world.client, 0);
    lw_recorder_event_from(recorder, "other", node, "Normal", "Seen", "seen");
    assert_int_equal(stop(recorder).created, 1);
    lw_object_list *list = events();
    assert_string_equal(lw_object_namespace(lw_object_list_at(list, 0)), "default");
    assert_string_equal(lw_object_string(lw_object_list_at(list, 0), "/source/component", ""),
                        "other");
    lw_object_list_free(list);
    lw_recorder_free(recorder);
    lw_object_unref(node);
}

static void a_repeated_event_is_counted_up(void **state)
{
    (void)state;
    lw_object *pod = thing("default", "web");
    lw_recorder *recorder = recorder_of(world.client, 0);
    for (int i = 0; i < 3; i++)
        lw_recorder_event(recorder, pod, "Normal", "Same", "again");
    lw_recorder_statistics stats = stop(recorder);
    assert_int_equal(stats.created, 1);
    assert_int_equal(stats.patched, 2);
    lw_object_list *list = events();
    assert_int_equal(lw_object_list_count(list), 1);
    assert_int_equal(lw_object_int(lw_object_list_at(list, 0), "/count", 0), 3);
    lw_object_list_free(list);
    lw_recorder_free(recorder);
    lw_object_unref(pod);
}

static void an_event_that_was_deleted_is_created_again_with_its_count(void **state)
{
    (void)state;
    lw_object *pod = thing("default", "web");
    lw_recorder *recorder = recorder_of(world.client, 0);
    lw_recorder_statistics stats;
    lw_recorder_event(recorder, pod, "Normal", "Same", "again");
    int64_t late_ns = lw_clock_now(lw_clock_system()) + PATIENCE_MS * LW_NS_PER_MS;
    assert_int_equal(lw_recorder_start(recorder, NULL), LW_OK);
    do
        lw_recorder_stats(recorder, &stats);
    while (stats.created == 0 && lw_clock_now(lw_clock_system()) < late_ns);
    lw_list_options all = LW_LIST_OPTIONS_INIT;
    all.ns = "default";
    assert_int_equal(lw_client_delete_collection(world.client, lw_gvr_make("", "v1", "events"),
                                                 &all, NULL, NULL),
                     LW_OK);
    lw_recorder_event(recorder, pod, "Normal", "Same", "again");
    assert_int_equal(stop(recorder).created, 2);
    lw_object_list *list = events();
    assert_int_equal(lw_object_list_count(list), 1);
    assert_int_equal(lw_object_int(lw_object_list_at(list, 0), "/count", 0), 2);
    lw_object_list_free(list);
    lw_recorder_free(recorder);
    lw_object_unref(pod);
}

static void similar_events_are_combined_and_spam_is_filtered(void **state)
{
    (void)state;
    lw_object *pod = thing("default", "loud");
    lw_recorder *recorder = recorder_of(world.client, 0);
    for (int i = 0; i < 100; i++)
        lw_recorder_event(recorder, pod, "Normal", "Other", "said %d times", i);
    lw_recorder_statistics stats = stop(recorder);
    assert_int_equal(stats.created, 10);
    assert_int_equal(stats.patched, 15);
    assert_int_equal(stats.filtered, 75);
    lw_object_list *list = events();
    assert_int_equal(lw_object_list_count(list), 10);
    int combined = 0;
    for (size_t i = 0; i < 10; i++)
        combined += strncmp(lw_object_string(lw_object_list_at(list, i), "/message", ""),
                            "(combined from similar events): said 24 times", 45) == 0;
    assert_int_equal(combined, 1);
    lw_object_list_free(list);
    lw_recorder_free(recorder);
    lw_object_unref(pod);
}

static void events_that_do_not_fit_into_the_queue_are_dropped(void **state)
{
    (void)state;
    lw_object *pod = thing("default", "web");
    lw_recorder *recorder = recorder_of(world.client, 4);
    for (int i = 0; i < 7; i++)
        lw_recorder_event(recorder, pod, "Normal", "Same", "again");
    lw_recorder_statistics stats = stop(recorder);
    assert_int_equal(stats.created + stats.patched, 4);
    assert_int_equal(stats.dropped, 3);
    lw_recorder_event(recorder, pod, "Normal", "Same", "too late");
    lw_recorder_stats(recorder, &stats);
    assert_int_equal(stats.dropped, 4);
    lw_recorder_free(recorder);
    lw_object_unref(pod);
}

static void an_event_that_the_server_rejects_is_counted_as_failed(void **state)
{
    (void)state;
    lw_object *pod = thing("no-such-namespace", "web");
    lw_recorder *recorder = recorder_of(world.client, 0);
    lw_recorder_event(recorder, pod, "Normal", "Same", "again");
    assert_int_equal(stop(recorder).failed, 1);
    lw_recorder_free(recorder);
    lw_object_unref(pod);
}

static void a_server_that_hangs_delays_neither_the_caller_nor_the_stop(void **state)
{
    (void)state;
    hung_server server;
    lw_recorder_statistics stats;
    hung_server_open(&server);
    lw_client *client = hung_server_client(&server);
    lw_object *pod = thing("default", "web");
    lw_recorder *recorder = recorder_of(client, 8);
    assert_int_equal(lw_recorder_start(recorder, NULL), LW_OK);
    lw_recorder_event(recorder, pod, "Normal", "First", "first");
    hung_server_await_request(&server);
    int64_t before_ns = lw_clock_now(lw_clock_system());
    for (int i = 0; i < 10; i++)
        lw_recorder_event(recorder, pod, "Normal", "Same", "again");
    lw_recorder_stop(recorder, 30);
    assert_true(lw_clock_now(lw_clock_system()) - before_ns < 1000 * LW_NS_PER_MS);
    lw_recorder_stats(recorder, &stats);
    assert_int_equal(stats.dropped, 11);
    lw_recorder_free(recorder);
    lw_object_unref(pod);
    lw_client_unref(client);
    hung_server_close(&server);
}

static void a_server_that_cannot_be_reached_is_tried_again(void **state)
{
    (void)state;
    hung_server server;
    lw_manual_clock *clock = NULL;
    lw_recorder *recorder = NULL;
    lw_recorder_statistics stats;
    hung_server_open(&server);
    lw_client *client = hung_server_client(&server);
    hung_server_close(&server);
    lw_object *pod = thing("default", "web");
    assert_int_equal(lw_manual_clock_new(&clock, LW_NS_PER_S), LW_OK);
    lw_recorder_options options = LW_RECORDER_OPTIONS_INIT;
    options.client = client;
    options.component = "test";
    options.clock = lw_manual_clock_as_clock(clock);
    assert_int_equal(lw_recorder_new(&recorder, &options, NULL), LW_OK);
    lw_recorder_event(recorder, pod, "Normal", "First", "first");
    int64_t late_ns = lw_clock_now(lw_clock_system()) + PATIENCE_MS * LW_NS_PER_MS;
    int tries = 0;
    do {
        lw_recorder_dispatch(recorder);
        lw_recorder_stats(recorder, &stats);
        /* Only the clock of the recorder must move it to the next try. */
        if (stats.failed == 0 && lw_recorder_timeout_ms(recorder) > 5) {
            lw_manual_clock_advance(clock, 10 * LW_NS_PER_S);
            tries++;
        }
    } while (stats.failed == 0 && lw_clock_now(lw_clock_system()) < late_ns);
    assert_int_equal(stats.failed, 1);
    assert_true(tries >= 11);
    lw_recorder_free(recorder);
    lw_object_unref(pod);
    lw_client_unref(client);
    lw_manual_clock_free(clock);
}

#define IN_WORLD(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(an_event_says_who_saw_what_about_which_object),
        IN_WORLD(events_of_cluster_scoped_objects_are_in_default),
        IN_WORLD(a_repeated_event_is_counted_up),
        IN_WORLD(an_event_that_was_deleted_is_created_again_with_its_count),
        IN_WORLD(similar_events_are_combined_and_spam_is_filtered),
        IN_WORLD(events_that_do_not_fit_into_the_queue_are_dropped),
        IN_WORLD(an_event_that_the_server_rejects_is_counted_as_failed),
        TEST(a_server_that_hangs_delays_neither_the_caller_nor_the_stop),
        TEST(a_server_that_cannot_be_reached_is_tried_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
