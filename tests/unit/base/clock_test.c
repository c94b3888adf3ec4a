/* SPDX-License-Identifier: Apache-2.0 */
/* clock_test.c -- the system's clocks and the one moved by hand. */
#include "base/clock.h"

#include "unit/failing_alloc.h"
#include "unit/test.h"

static void the_system_clock_never_goes_back(void **state)
{
    (void)state;
    const lw_clock *clock = lw_clock_system();
    int64_t last = lw_clock_now(clock);
    assert_true(last > 0);
    for (int i = 0; i < 1000; i++) {
        int64_t now = lw_clock_now(clock);
        assert_true(now >= last);
        last = now;
    }
}

static void the_system_clock_moves(void **state)
{
    (void)state;
    const lw_clock *clock = lw_clock_system();
    int64_t start = lw_clock_now(clock);
    int64_t now = start;
    for (long i = 0; i < 1000000000 && now == start; i++)
        now = lw_clock_now(clock);
    assert_true(now > start);
}

static void the_system_date_is_in_this_century(void **state)
{
    (void)state;
    int64_t wall = lw_clock_wall(lw_clock_system());
    assert_in_range(wall, INT64_C(1735689600) * LW_NS_PER_S, INT64_C(4102444800) * LW_NS_PER_S);
}

static lw_manual_clock *manual_at(int64_t wall_ns)
{
    lw_manual_clock *manual = NULL;
    assert_int_equal(lw_manual_clock_new(&manual, wall_ns), LW_OK);
    return manual;
}

static void a_manual_clock_stands_still(void **state)
{
    (void)state;
    lw_manual_clock *manual = manual_at(5000);
    const lw_clock *clock = lw_manual_clock_as_clock(manual);
    assert_int_equal(lw_clock_now(clock), LW_NS_PER_S);
    assert_int_equal(lw_clock_wall(clock), 5000);
    assert_int_equal(lw_clock_now(clock), LW_NS_PER_S);
    assert_int_equal(lw_clock_wall(clock), 5000);
    lw_manual_clock_free(manual);
}

static void advancing_moves_both_times(void **state)
{
    (void)state;
    lw_manual_clock *manual = manual_at(5000);
    const lw_clock *clock = lw_manual_clock_as_clock(manual);
    lw_manual_clock_advance(manual, 42);
    lw_manual_clock_advance(manual, 0);
    assert_int_equal(lw_clock_now(clock), LW_NS_PER_S + 42);
    assert_int_equal(lw_clock_wall(clock), 5042);
    lw_manual_clock_free(manual);
}

static void setting_the_date_leaves_monotonic_time(void **state)
{
    (void)state;
    lw_manual_clock *manual = manual_at(5000);
    const lw_clock *clock = lw_manual_clock_as_clock(manual);
    lw_manual_clock_set_wall(manual, -7);
    assert_int_equal(lw_clock_now(clock), LW_NS_PER_S);
    assert_int_equal(lw_clock_wall(clock), -7);
    lw_manual_clock_advance(manual, 10);
    assert_int_equal(lw_clock_wall(clock), 3);
    lw_manual_clock_free(manual);
}

static void manual_clocks_are_independent(void **state)
{
    (void)state;
    lw_manual_clock *a = manual_at(1);
    lw_manual_clock *b = manual_at(2);
    lw_manual_clock_advance(a, 10);
    assert_int_equal(lw_clock_wall(lw_manual_clock_as_clock(a)), 11);
    assert_int_equal(lw_clock_wall(lw_manual_clock_as_clock(b)), 2);
    lw_manual_clock_free(a);
    lw_manual_clock_free(b);
}

static void a_manual_clock_without_memory_is_not_made(void **state)
{
    (void)state;
    failing_alloc f;
    failing_alloc_begin(&f, 0);
    lw_manual_clock *manual = NULL;
    assert_int_equal(lw_manual_clock_new(&manual, 0), LW_ERR_NOMEM);
    assert_null(manual);
    lw_manual_clock_free(NULL);
    failing_alloc_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_system_clock_never_goes_back),   TEST(the_system_clock_moves),
        TEST(the_system_date_is_in_this_century), TEST(a_manual_clock_stands_still),
        TEST(advancing_moves_both_times),         TEST(setting_the_date_leaves_monotonic_time),
        TEST(manual_clocks_are_independent),      TEST(a_manual_clock_without_memory_is_not_made),
    };
    return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
