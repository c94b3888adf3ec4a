/* SPDX-License-Identifier: Apache-2.0 */
/* seat_allocation_test.c -- seats are shared out by demand, within bounds; and how demand is
 * measured. */
#include "server/flowcontrol/seat_allocation.h"

#include <math.h>

#include "base/clock.h"
#include "server/flowcontrol/seat_demand.h"
#include "unit/test.h"

static void assert_near(double got, double wanted)
{
    if (fabs(got - wanted) > 1e-6)
        fail_msg("%.9f is not %.9f", got, wanted);
}

static void without_bounds_that_matter_everybody_gets_the_same_part_of_its_target(void **state)
{
    (void)state;
    lw_seat_claim claims[] = { { .target = 10, .lower = 0, .upper = 1000 },
                               { .target = 30, .lower = 0, .upper = 1000 } };
    double fraction;
    assert_int_equal(lw_seats_allocate(100, claims, 2, &fraction), LW_OK);
    assert_near(claims[0].seats, 25);
    assert_near(claims[1].seats, 75);
    assert_near(fraction, 2.5);
}

static void nobody_gets_less_than_its_lower_or_more_than_its_upper_bound(void **state)
{
    (void)state;
    lw_seat_claim claims[] = { { .target = 50, .lower = 50, .upper = 1000 },
                               { .target = 20, .lower = 0, .upper = 30 },
                               { .target = 100, .lower = 0, .upper = 1000 } };
    double fraction;
    assert_int_equal(lw_seats_allocate(100, claims, 3, &fraction), LW_OK);
    assert_near(claims[0].seats, 50);
    assert_near(claims[1].seats + claims[2].seats, 50);
    assert_near(claims[1].seats, 50.0 * 20 / 120);
    claims[2].upper = 10;
    claims[0].upper = 60;
    assert_int_equal(lw_seats_allocate(100, claims, 3, &fraction), LW_OK);
    assert_near(claims[0].seats, 60);
    assert_near(claims[1].seats, 30);
    assert_near(claims[2].seats, 10);
}

static void a_level_without_demand_takes_part(void **state)
{
    (void)state;
    lw_seat_claim claims[] = { { .target = 0, .lower = 0, .upper = 100 },
                               { .target = 0, .lower = 0, .upper = 100 } };
    double fraction;
    assert_int_equal(lw_seats_allocate(100, claims, 2, &fraction), LW_OK);
    assert_near(claims[0].seats, 50);
    assert_near(claims[1].seats, 50);
}

static void bounds_that_do_not_allow_the_sum_are_an_error(void **state)
{
    (void)state;
    lw_seat_claim claims[] = { { .target = 10, .lower = 10, .upper = 20 } };
    double fraction;
    assert_int_equal(lw_seats_allocate(9, claims, 1, &fraction), LW_ERR_INVALID);
    assert_int_equal(lw_seats_allocate(21, claims, 1, &fraction), LW_ERR_INVALID);
    claims[0].target = 5;
    assert_int_equal(lw_seats_allocate(15, claims, 1, &fraction), LW_ERR_INVALID);
    claims[0] = (lw_seat_claim){ .target = 30, .lower = 30, .upper = 20 };
    assert_int_equal(lw_seats_allocate(25, claims, 1, &fraction), LW_ERR_INVALID);
}

static void demand_is_weighted_by_time(void **state)
{
    (void)state;
    lw_seat_demand demand;
    lw_seat_demand_init(&demand, 0);
    lw_seat_demand_set(&demand, 8, 0);
    lw_seat_demand_set(&demand, 0, 2 * LW_NS_PER_S);
    lw_seat_demand_end_period(&demand, 8 * LW_NS_PER_S);
    assert_near(demand.average, 2);
    assert_near(demand.deviation, sqrt(12));
    assert_int_equal(demand.high_watermark, 8);
    assert_near(demand.smoothed, 2 + sqrt(12));
}

static void smoothed_demand_rises_at_once_and_falls_slowly(void **state)
{
    (void)state;
    lw_seat_demand demand;
    lw_seat_demand_init(&demand, 0);
    lw_seat_demand_set(&demand, 100, 0);
    lw_seat_demand_end_period(&demand, 10 * LW_NS_PER_S);
    assert_near(demand.smoothed, 100);
    lw_seat_demand_set(&demand, 0, 10 * LW_NS_PER_S);
    for (int period = 2; period <= 31; period++)
        lw_seat_demand_end_period(&demand, period * 10 * LW_NS_PER_S);
    assert_in_range((uint64_t)demand.smoothed, 48, 51); /* half of it after five minutes */
    assert_int_equal(demand.high_watermark, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(without_bounds_that_matter_everybody_gets_the_same_part_of_its_target),
        TEST(nobody_gets_less_than_its_lower_or_more_than_its_upper_bound),
        TEST(a_level_without_demand_takes_part),
        TEST(bounds_that_do_not_allow_the_sum_are_an_error),
        TEST(demand_is_weighted_by_time),
        TEST(smoothed_demand_rises_at_once_and_falls_slowly),
    };
    return cmocka_run_group_tests_name("seat_allocation", tests, NULL, NULL);
}
