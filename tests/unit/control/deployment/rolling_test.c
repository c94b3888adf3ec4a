/* SPDX-License-Identifier: Apache-2.0 */
/* rolling_test.c -- the number of replicas of each ReplicaSet in a rolling update. */
#include "control/deployment/rolling.h"

#include <stdio.h>

#include "unit/test.h"

static void surge_is_rounded_up_and_unavailability_down(void **state)
{
    (void)state;
    static const struct {
        int64_t replicas;
        const char *surge, *unavailable;
        int64_t wanted_surge, wanted_unavailable;
    } cases[] = {
        { 10, "25%", "25%", 3, 2 },     { 4, "25%", "25%", 1, 1 }, { 1, "25%", "25%", 1, 0 },
        { 3, "1", "0", 1, 0 },          { 3, "0", "2", 0, 2 },     { 3, "0", "0", 0, 1 },
        { 3, "0%", "0%", 0, 1 },        { 2, "0", "5", 0, 2 },     { 10, "100%", "50%", 10, 5 },
        { 0, "25%", "25%", 0, 0 },      { 4, "odd", "", 1, 1 },    { 4, "-1", "1", 0, 1 },
        { 1000, "30%", "5%", 300, 50 },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_rolling_bounds b =
            lw_rolling_bounds_of(cases[i].replicas, cases[i].surge, cases[i].unavailable);
        assert_int_equal(b.surge, cases[i].wanted_surge);
        assert_int_equal(b.unavailable, cases[i].wanted_unavailable);
    }
}

static void the_new_one_grows_as_far_as_the_surge_lets_it(void **state)
{
    (void)state;
    const lw_rolling_bounds b = { 10, 3, 2 };
    assert_int_equal(lw_rolling_fresh_size(&b, 0, 10), 3);
    assert_int_equal(lw_rolling_fresh_size(&b, 3, 13), 3);
    assert_int_equal(lw_rolling_fresh_size(&b, 3, 11), 5);
    assert_int_equal(lw_rolling_fresh_size(&b, 9, 9), 10);
    assert_int_equal(lw_rolling_fresh_size(&b, 12, 12), 10); /* scaled down meanwhile */
    assert_int_equal(lw_rolling_fresh_size(&b, 0, 20), 0);
}

static void old_ones_shrink_as_far_as_enough_are_available(void **state)
{
    (void)state;
    const lw_rolling_bounds b = { 10, 3, 2 };
    const lw_rolling_set old[] = { { 4, 4, 0 }, { 6, 6, 0 } };
    int64_t sizes[2];
    lw_rolling_set fresh = { 3, 0, 0 };
    lw_rolling_old_sizes(&b, &fresh, old, 2, sizes); /* the new ones are not there yet */
    assert_int_equal(sizes[0], 2);
    assert_int_equal(sizes[1], 6);
    fresh.available = 3;
    lw_rolling_old_sizes(&b, &fresh, old, 2, sizes);
    assert_int_equal(sizes[0], 0);
    assert_int_equal(sizes[1], 5);
}

static void replicas_that_serve_nobody_go_first(void **state)
{
    (void)state;
    const lw_rolling_bounds b = { 10, 3, 2 };
    const lw_rolling_set fresh = { 5, 5, 0 };
    const lw_rolling_set old[] = { { 4, 4, 0 }, { 4, 0, 0 } };
    int64_t sizes[2];
    lw_rolling_old_sizes(&b, &fresh, old, 2, sizes);
    assert_int_equal(sizes[1], 0);
    assert_int_equal(sizes[0], 3); /* 9 are available, 8 are enough */
}

static void nothing_shrinks_while_the_new_ones_do_not_come_up(void **state)
{
    (void)state;
    const lw_rolling_bounds b = { 4, 1, 0 };
    const lw_rolling_set fresh = { 1, 0, 0 };
    const lw_rolling_set old[] = { { 4, 4, 0 } };
    int64_t sizes[1];
    lw_rolling_old_sizes(&b, &fresh, old, 1, sizes);
    assert_int_equal(sizes[0], 4);
}

/* The old one was scaled from 4 to 3, but its status is older than that. */
static void replicas_that_are_about_to_be_deleted_do_not_count_as_available(void **state)
{
    (void)state;
    const lw_rolling_bounds b = { 4, 1, 0 };
    const lw_rolling_set fresh = { 2, 2, 0 };
    const lw_rolling_set old[] = { { 3, 4, 0 } };
    int64_t sizes[1];
    lw_rolling_old_sizes(&b, &fresh, old, 1, sizes);
    assert_int_equal(sizes[0], 2);
}

/* Whatever happens, only the new ReplicaSet is left at the end, and there are never too few or too
 * many replicas. */
static void every_rollout_comes_to_its_end(void **state)
{
    (void)state;
    for (int64_t replicas = 0; replicas <= 12; replicas++) {
        for (int64_t surge = 0; surge <= 3; surge++) {
            char text[24];
            (void)snprintf(text, sizeof(text), "%d", (int)surge);
            lw_rolling_bounds b = lw_rolling_bounds_of(replicas, text, "25%");
            lw_rolling_set fresh = { 0, 0, 0 }, old = { replicas, replicas, 0 };
            for (int round = 0; round < 50; round++) {
                int64_t size;
                fresh.replicas =
                    lw_rolling_fresh_size(&b, fresh.replicas, fresh.replicas + old.replicas);
                assert_true(fresh.replicas + old.replicas <= replicas + b.surge);
                lw_rolling_old_sizes(&b, &fresh, &old, 1, &size);
                old.replicas = old.available = size;
                assert_true(old.available + fresh.available >= replicas - b.unavailable);
                fresh.available = fresh.replicas;
            }
            assert_int_equal(fresh.replicas, replicas);
            assert_int_equal(old.replicas, 0);
        }
    }
}

static void a_scaled_deployment_shares_in_proportion(void **state)
{
    (void)state;
    int64_t sizes[2];
    /* Ten with a surge of three, in the middle of a rollout; now thirty, with a surge of eight. */
    const lw_rolling_bounds grown = { 30, 8, 7 };
    const lw_rolling_set sets[] = { { 8, 8, 13 }, { 5, 5, 13 } };
    lw_rolling_shares(&grown, sets, 2, sizes);
    assert_int_equal(sizes[0] + sizes[1], 38);
    assert_int_equal(sizes[0], 23);
    const lw_rolling_bounds shrunk = { 5, 2, 1 };
    lw_rolling_shares(&shrunk, sets, 2, sizes);
    assert_int_equal(sizes[0] + sizes[1], 7);
    const lw_rolling_bounds none = { 0, 0, 0 };
    lw_rolling_shares(&none, sets, 2, sizes);
    assert_int_equal(sizes[0] + sizes[1], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(surge_is_rounded_up_and_unavailability_down),
        TEST(the_new_one_grows_as_far_as_the_surge_lets_it),
        TEST(old_ones_shrink_as_far_as_enough_are_available),
        TEST(replicas_that_serve_nobody_go_first),
        TEST(nothing_shrinks_while_the_new_ones_do_not_come_up),
        TEST(replicas_that_are_about_to_be_deleted_do_not_count_as_available),
        TEST(every_rollout_comes_to_its_end),
        TEST(a_scaled_deployment_shares_in_proportion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
