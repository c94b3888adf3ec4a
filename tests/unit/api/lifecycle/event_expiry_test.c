/* SPDX-License-Identifier: Apache-2.0 */
/* event_expiry_test.c -- events go when their time is over. */
#include "unit/api/lived.h"
#include "unit/failing_alloc.h"

#define EVENTS     DEFAULT "events"
#define NEW_EVENTS "/apis/events.k8s.io/v1/namespaces/default/events"

enum {
    TTL_S = 60,
};

static int mortal_setup(void **state)
{
    return seeded_setup(state) == 0 && api_world_live(*state, TTL_S) == LW_OK ? 0 : -1;
}

#define MORTAL_TEST(function)                                                                      \
    cmocka_unit_test_setup_teardown(function, mortal_setup, world_teardown)

static void make_event(api_world *world, const char *collection, const char *name, const char *more)
{
    char body[512];
    (void)snprintf(body, sizeof(body),
                   "{\"metadata\":{\"name\":\"%s\"},\"involvedObject\":{\"namespace\":\"default\"},"
                   "\"regarding\":{\"namespace\":\"default\"}%s}",
                   name, more);
    do_send(world, "POST", collection, body, 201);
    await_rest(world);
}

static void pass_s(api_world *world, int64_t seconds)
{
    api_world_pass(world, seconds * LW_NS_PER_S);
    await_rest(world);
}

static void event_is_deleted_after_its_ttl(void **state)
{
    make_event(*state, EVENTS, "e", "");
    make_event(*state, NEW_EVENTS, "n", "");
    do_send(*state, "POST", DEFAULT "configmaps", "{\"metadata\":{\"name\":\"c\"}}", 201);
    pass_s(*state, TTL_S - 2);
    assert_true(is_there(*state, EVENTS "/e"));
    assert_true(is_there(*state, NEW_EVENTS "/n"));
    pass_s(*state, 3);
    await_end(*state, EVENTS "/e");
    await_end(*state, NEW_EVENTS "/n");
    assert_true(is_there(*state, DEFAULT "configmaps/c"));
}

static void each_event_has_its_own_deadline(void **state)
{
    make_event(*state, EVENTS, "a", "");
    pass_s(*state, TTL_S / 2);
    make_event(*state, EVENTS, "b", "");
    pass_s(*state, TTL_S / 2 + 1);
    await_end(*state, EVENTS "/a");
    await_rest(*state);
    assert_true(is_there(*state, EVENTS "/b"));
    pass_s(*state, TTL_S / 2 + 1);
    await_end(*state, EVENTS "/b");
}

static void an_update_extends_the_deadline(void **state)
{
    make_event(*state, EVENTS, "e", "");
    pass_s(*state, TTL_S / 2);
    do_send_as(*state, "PATCH", EVENTS "/e", MERGE_PATCH, "{\"count\":2}", 200);
    await_rest(*state);
    pass_s(*state, TTL_S / 2 + 1);
    assert_true(is_there(*state, EVENTS "/e"));
    pass_s(*state, TTL_S / 2 + 1);
    await_end(*state, EVENTS "/e");
}

static void after_a_restart_the_timestamps_of_the_event_count(void **state)
{
    api_world *world = *state;
    make_event(world, EVENTS, "old", "");
    make_event(world, EVENTS, "seen", ",\"lastTimestamp\":\"2026-11-15T01:50:04Z\"");
    lw_manual_clock_advance(world->clock, (TTL_S + 1) * LW_NS_PER_S);
    assert_int_equal(api_world_live(world, TTL_S), LW_OK);
    await_rest(world);
    pass_s(world, 1);
    await_end(world, EVENTS "/old");
    await_rest(world);
    assert_true(is_there(world, EVENTS "/seen"));
    pass_s(world, TTL_S);
    await_end(world, EVENTS "/seen");
}

static void many_events_expire_together(void **state)
{
    char name[16];
    for (int i = 0; i < 300; i++) {
        (void)snprintf(name, sizeof(name), "e%03d", i);
        make_event(*state, EVENTS, name, "");
    }
    pass_s(*state, TTL_S + 1);
    for (int i = 0; i < 300; i++) {
        char target[64];
        (void)snprintf(target, sizeof(target), EVENTS "/e%03d", i);
        await_end(*state, target);
    }
}

static void stopping_during_expiry_leaks_nothing(void **state)
{
    failing_alloc counted;
    api_world *world = NULL;
    char name[16];
    (void)state;
    failing_alloc_begin(&counted, SIZE_MAX);
    assert_int_equal(mortal_setup((void **)&world), 0);
    for (int i = 0; i < 100; i++) {
        (void)snprintf(name, sizeof(name), "e%03d", i);
        make_event(world, EVENTS, name, "");
    }
    lw_manual_clock_advance(world->clock, (TTL_S + 1) * LW_NS_PER_S);
    await_work(world);
    assert_int_equal(world_teardown((void **)&world), 0);
    failing_alloc_end();
    assert_int_equal(counted.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        MORTAL_TEST(event_is_deleted_after_its_ttl),
        MORTAL_TEST(each_event_has_its_own_deadline),
        MORTAL_TEST(an_update_extends_the_deadline),
        SEEDED_TEST(after_a_restart_the_timestamps_of_the_event_count),
        MORTAL_TEST(many_events_expire_together),
        TEST(stopping_during_expiry_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
