/* SPDX-License-Identifier: Apache-2.0 */
/* key_scheduler_test.c -- passes by key: how many, when, and when again. */
#include "api/context/key_scheduler.h"

#include "base/clock.h"
#include "base/container_of.h"
#include "base/str.h"
#include "unit/test.h"

typedef struct entry {
    lw_scheduled_key key; /* first */
    int64_t not_before_ns;
} entry;

typedef struct world {
    lw_manual_clock *clock;
    lw_loop *loop;
    lw_key_scheduler scheduler;
    bool is_instant; /* passes are over when they have started */
    char log[64];    /* the names of the keys whose passes were started */
} world;

static void start(lw_scheduled_key *key)
{
    world *w = LW_CONTAINER_OF(key->scheduler, world, scheduler);
    size_t len = strlen(w->log);
    assert_true(len + 1 < sizeof(w->log));
    w->log[len] = key->name.ptr[0];
    if (w->is_instant)
        lw_key_scheduler_pass_over(key, false);
}

static int64_t ready_ns(const lw_scheduled_key *key)
{
    return ((const entry *)(const void *)key)->not_before_ns;
}

static const lw_key_scheduler_type type = {
    .entry_size = sizeof(entry),
    .keys_max = 100,
    .running_max = 2,
    .ready_ns = ready_ns,
    .start = start,
};

static int set_up(void **state)
{
    static world w;
    memset(&w, 0, sizeof(w));
    assert_int_equal(lw_manual_clock_new(&w.clock, 0), LW_OK);
    assert_int_equal(lw_loop_new(&w.loop, lw_manual_clock_as_clock(w.clock), NULL), LW_OK);
    lw_key_scheduler_init(&w.scheduler, &type, w.loop);
    *state = &w;
    return 0;
}

static int tear_down(void **state)
{
    world *w = *state;
    lw_key_scheduler_done(&w->scheduler);
    lw_loop_free(w->loop);
    lw_manual_clock_free(w->clock);
    return 0;
}

static lw_scheduled_key *add_wanted(world *w, const char *name)
{
    lw_scheduled_key *key = lw_key_scheduler_add(&w->scheduler, lw_str_of(name));
    assert_non_null(key);
    lw_key_scheduler_want(key);
    return key;
}

static void wait_s(lw_scheduled_key *key, int64_t seconds)
{
    ((entry *)(void *)key)->not_before_ns =
        lw_key_scheduler_now(key->scheduler) + seconds * LW_NS_PER_S;
}

static void pass_s(world *w, int64_t seconds)
{
    lw_manual_clock_advance(w->clock, seconds * LW_NS_PER_S);
    assert_int_equal(lw_loop_turn(w->loop, 0, NULL), LW_OK);
}

static void a_few_passes_run_at_once_and_the_others_follow_in_order(void **state)
{
    world *w = *state;
    lw_scheduled_key *a = add_wanted(w, "a"), *b = add_wanted(w, "b");
    lw_scheduled_key *c = add_wanted(w, "c");
    lw_key_scheduler_pump(&w->scheduler);
    assert_string_equal(w->log, "ab");
    lw_key_scheduler_pass_over(b, false);
    assert_string_equal(w->log, "abc");
    lw_key_scheduler_pass_over(a, false);
    lw_key_scheduler_pass_over(c, false);
    assert_string_equal(w->log, "abc");
}

static void a_key_wanted_while_its_pass_runs_gets_one_more_pass(void **state)
{
    world *w = *state;
    lw_scheduled_key *a = add_wanted(w, "a");
    lw_key_scheduler_pump(&w->scheduler);
    lw_key_scheduler_want(a);
    lw_key_scheduler_want(a);
    lw_key_scheduler_pump(&w->scheduler);
    assert_string_equal(w->log, "a");
    lw_key_scheduler_pass_over(a, false);
    assert_string_equal(w->log, "aa");
    lw_key_scheduler_pass_over(a, false);
    assert_string_equal(w->log, "aa");
}

static void a_pass_that_failed_is_repeated_when_the_key_is_ready(void **state)
{
    world *w = *state;
    lw_scheduled_key *a = add_wanted(w, "a");
    lw_key_scheduler_pump(&w->scheduler);
    wait_s(a, 3);
    lw_key_scheduler_pass_over(a, true);
    pass_s(w, 2);
    assert_string_equal(w->log, "a");
    pass_s(w, 1);
    assert_string_equal(w->log, "aa");
    lw_key_scheduler_pass_over(a, false);
}

static void a_key_that_must_wait_delays_no_other(void **state)
{
    world *w = *state;
    w->is_instant = true;
    wait_s(add_wanted(w, "a"), 9);
    wait_s(add_wanted(w, "b"), 5);
    (void)add_wanted(w, "c");
    lw_key_scheduler_pump(&w->scheduler);
    assert_string_equal(w->log, "c");
    pass_s(w, 5);
    assert_string_equal(w->log, "cb");
    pass_s(w, 4);
    assert_string_equal(w->log, "cba");
}

static void a_key_removed_during_its_pass_gets_no_other(void **state)
{
    world *w = *state;
    lw_scheduled_key *a = add_wanted(w, "a");
    lw_key_scheduler_pump(&w->scheduler);
    lw_key_scheduler_remove(a);
    assert_null(lw_key_scheduler_find(&w->scheduler, LW_STR("a")));
    lw_key_scheduler_pass_over(a, true);
    lw_key_scheduler_pump(&w->scheduler);
    assert_string_equal(w->log, "a");
}

static void all_keys_can_be_wanted_at_once(void **state)
{
    world *w = *state;
    w->is_instant = true;
    for (const char *const *name = (const char *const[]){ "a", "b", "c", NULL }; *name; name++)
        assert_non_null(lw_key_scheduler_add(&w->scheduler, lw_str_of(*name)));
    lw_key_scheduler_pump(&w->scheduler);
    assert_string_equal(w->log, "");
    lw_key_scheduler_want_all(&w->scheduler);
    lw_key_scheduler_pump(&w->scheduler);
    assert_int_equal(strlen(w->log), 3);
}

static void nothing_starts_after_a_stop(void **state)
{
    world *w = *state;
    wait_s(add_wanted(w, "a"), 1);
    lw_key_scheduler_pump(&w->scheduler);
    lw_key_scheduler_stop(&w->scheduler);
    (void)add_wanted(w, "b");
    lw_key_scheduler_pump(&w->scheduler);
    pass_s(w, 2);
    assert_string_equal(w->log, "");
}

#define TEST_WORLD(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_WORLD(a_few_passes_run_at_once_and_the_others_follow_in_order),
        TEST_WORLD(a_key_wanted_while_its_pass_runs_gets_one_more_pass),
        TEST_WORLD(a_pass_that_failed_is_repeated_when_the_key_is_ready),
        TEST_WORLD(a_key_that_must_wait_delays_no_other),
        TEST_WORLD(a_key_removed_during_its_pass_gets_no_other),
        TEST_WORLD(all_keys_can_be_wanted_at_once),
        TEST_WORLD(nothing_starts_after_a_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
