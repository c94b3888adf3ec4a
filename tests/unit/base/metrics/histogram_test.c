/* SPDX-License-Identifier: Apache-2.0 */
/* histogram_test.c -- histograms with given bounds. */
#include "base/metrics/histogram.h"

#include "unit/test.h"

static const lw_histogram_bound bounds[] = { { 10, "10" }, { 100, "100" }, { 0, NULL } };

static void a_value_is_counted_below_its_bound(void **state)
{
    (void)state;
    lw_histogram h = { .sum = 0 };
    lw_histogram_add(&h, bounds, 0);
    lw_histogram_add(&h, bounds, 10); /* a bound is inclusive */
    lw_histogram_add(&h, bounds, 11);
    lw_histogram_add(&h, bounds, 1000); /* above all bounds */
    assert_int_equal(lw_counter_read(&h.counts[0]), 2);
    assert_int_equal(lw_counter_read(&h.counts[1]), 1);
    assert_int_equal(lw_counter_read(&h.counts[2]), 1);
    assert_int_equal(lw_counter_read(&h.sum), 1021);
    assert_int_equal(lw_histogram_count(&h), 4);
}

static void histograms_are_added_up(void **state)
{
    (void)state;
    lw_histogram a = { .sum = 0 }, b = { .sum = 0 };
    lw_histogram_add(&a, bounds, 5);
    lw_histogram_add(&b, bounds, 5);
    lw_histogram_add(&b, bounds, 50);
    lw_histogram_merge(&a, &b);
    assert_int_equal(lw_counter_read(&a.counts[0]), 2);
    assert_int_equal(lw_counter_read(&a.counts[1]), 1);
    assert_int_equal(lw_counter_read(&a.sum), 60);
}

static void a_gauge_goes_down_again(void **state)
{
    (void)state;
    lw_counter gauge = 0;
    lw_counter_add(&gauge, 2);
    lw_counter_add(&gauge, (uint64_t)-1);
    assert_int_equal(lw_counter_read(&gauge), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_value_is_counted_below_its_bound),
        TEST(histograms_are_added_up),
        TEST(a_gauge_goes_down_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
