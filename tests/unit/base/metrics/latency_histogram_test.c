/* SPDX-License-Identifier: Apache-2.0 */
/* latency_histogram_test.c -- a histogram of times. */
#include "base/metrics/latency_histogram.h"

#include "unit/test.h"

/* The bucket that |us| went to. */
static unsigned bucket_of(int64_t us)
{
    lw_latency_histogram latencies = { { 0 } };
    lw_latency_histogram_add(&latencies, us * 1000, 1);
    unsigned bucket = 0;
    while (bucket < LW_LATENCY_HISTOGRAM_BUCKETS && latencies.counts[bucket] == 0)
        bucket++;
    assert_true(bucket < LW_LATENCY_HISTOGRAM_BUCKETS);
    return bucket;
}

static void every_time_is_below_the_bound_of_its_bucket_and_no_other(void **state)
{
    (void)state;
    for (int64_t us = 0; us < 100000; us += 1 + us / 7) {
        unsigned bucket = bucket_of(us);
        assert_true((uint64_t)us < lw_latency_below_us(bucket));
        assert_true(bucket == 0 || (uint64_t)us >= lw_latency_below_us(bucket - 1));
    }
}

static void a_bound_is_at_most_a_quarter_too_high(void **state)
{
    (void)state;
    for (unsigned i = LW_LATENCY_HISTOGRAM_STEPS; i < LW_LATENCY_HISTOGRAM_BUCKETS; i++)
        assert_true(lw_latency_below_us(i) * 4 <= lw_latency_below_us(i - 1) * 5);
}

static void what_takes_for_ever_is_in_the_last_bucket(void **state)
{
    (void)state;
    assert_int_equal(bucket_of(INT64_MAX / 1000), LW_LATENCY_HISTOGRAM_BUCKETS - 1);
    assert_int_equal(bucket_of(-5), 0);
}

static void sums_are_merged(void **state)
{
    (void)state;
    lw_latency_histogram a = { { 0 } }, b = { { 0 } };
    lw_latency_histogram_add(&a, 2000, 3);
    lw_latency_histogram_add(&b, 2000, 4);
    lw_latency_histogram_add(&b, 0, 1);
    lw_latency_histogram_merge(&a, &b);
    assert_int_equal(a.counts[2], 7);
    assert_int_equal(a.counts[0], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_time_is_below_the_bound_of_its_bucket_and_no_other),
        TEST(a_bound_is_at_most_a_quarter_too_high),
        TEST(what_takes_for_ever_is_in_the_last_bucket),
        TEST(sums_are_merged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
