/* SPDX-License-Identifier: Apache-2.0 */
/* backoff_test.c -- the delays before retries. */
#include "base/backoff.h"

#include <math.h>

#include "base/clock.h"
#include "unit/test.h"

static lw_backoff without_jitter(void)
{
    lw_backoff_options options = LW_BACKOFF_OPTIONS_INIT;
    options.jitter = 0.0;
    lw_backoff backoff;
    assert_int_equal(lw_backoff_init(&backoff, &options, 1), LW_OK);
    return backoff;
}

static void doubles_up_to_the_cap_as_the_reflector_does(void **state)
{
    (void)state;
    static const int64_t expected_ms[] = { 800, 1600, 3200, 6400, 12800, 25600, 30000, 30000 };
    lw_backoff backoff = without_jitter();
    int64_t now = 0;
    for (size_t i = 0; i < sizeof(expected_ms) / sizeof(expected_ms[0]); i++) {
        int64_t delay = lw_backoff_next(&backoff, now);
        assert_int_equal(delay, expected_ms[i] * LW_NS_PER_MS);
        now += delay;
    }
}

static void jitter_stretches_a_delay_to_less_than_double(void **state)
{
    (void)state;
    lw_backoff_options options = LW_BACKOFF_OPTIONS_INIT;
    int64_t least = INT64_MAX;
    int64_t most = 0;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        lw_backoff backoff;
        assert_int_equal(lw_backoff_init(&backoff, &options, seed), LW_OK);
        int64_t delay = lw_backoff_next(&backoff, 0);
        assert_in_range(delay, options.base_ns, 2 * options.base_ns - 1);
        least = delay < least ? delay : least;
        most = delay > most ? delay : most;
    }
    assert_true(least < options.base_ns * 105 / 100);
    assert_true(most > options.base_ns * 195 / 100);
}

static void jitter_does_not_feed_into_later_delays(void **state)
{
    (void)state;
    lw_backoff_options options = LW_BACKOFF_OPTIONS_INIT;
    lw_backoff backoff;
    assert_int_equal(lw_backoff_init(&backoff, &options, 5), LW_OK);
    int64_t now = 0;
    int64_t bare = options.base_ns;
    for (int i = 0; i < 20; i++) {
        int64_t delay = lw_backoff_next(&backoff, now);
        assert_in_range(delay, bare, 2 * bare - 1);
        now += delay;
        bare = bare * 2 < options.cap_ns ? bare * 2 : options.cap_ns;
    }
}

static void the_same_seed_gives_the_same_delays(void **state)
{
    (void)state;
    lw_backoff_options options = LW_BACKOFF_OPTIONS_INIT;
    lw_backoff a;
    lw_backoff b;
    assert_int_equal(lw_backoff_init(&a, &options, 3), LW_OK);
    assert_int_equal(lw_backoff_init(&b, &options, 3), LW_OK);
    for (int i = 0; i < 10; i++)
        assert_int_equal(lw_backoff_next(&a, i), lw_backoff_next(&b, i));
}

static void starts_over_after_a_quiet_time(void **state)
{
    (void)state;
    lw_backoff backoff = without_jitter();
    int64_t now = 5 * LW_NS_PER_S;
    now += lw_backoff_next(&backoff, now);
    now += lw_backoff_next(&backoff, now);
    int64_t delay = lw_backoff_next(&backoff, now + 120 * LW_NS_PER_S);
    assert_int_equal(delay, 800 * LW_NS_PER_MS);
}

static void goes_on_one_nanosecond_before_the_quiet_time_is_over(void **state)
{
    (void)state;
    lw_backoff backoff = without_jitter();
    int64_t now = 5 * LW_NS_PER_S;
    now += lw_backoff_next(&backoff, now);
    int64_t delay = lw_backoff_next(&backoff, now + 120 * LW_NS_PER_S - 1);
    assert_int_equal(delay, 1600 * LW_NS_PER_MS);
}

/* client-go falls back to 0.8 s every two minutes of an outage; 192 tries an hour instead of 85. */
static void stays_at_the_cap_through_a_long_outage(void **state)
{
    (void)state;
    lw_backoff_options options = LW_BACKOFF_OPTIONS_INIT;
    lw_backoff backoff;
    assert_int_equal(lw_backoff_init(&backoff, &options, 8), LW_OK);
    int64_t now = 0;
    int tries = 0;
    while (now < 3600 * LW_NS_PER_S) {
        now += lw_backoff_next(&backoff, now) + 50 * LW_NS_PER_MS;
        tries++;
    }
    assert_in_range(tries, 70, 100);
}

static void a_zero_quiet_time_means_never(void **state)
{
    (void)state;
    lw_backoff backoff = without_jitter();
    backoff.options.reset_after_ns = 0;
    (void)lw_backoff_next(&backoff, 0);
    assert_int_equal(lw_backoff_next(&backoff, INT64_MAX / 2), 1600 * LW_NS_PER_MS);
}

static void reset_starts_over_at_once(void **state)
{
    (void)state;
    lw_backoff backoff = without_jitter();
    (void)lw_backoff_next(&backoff, 0);
    (void)lw_backoff_next(&backoff, 0);
    lw_backoff_reset(&backoff);
    assert_int_equal(lw_backoff_next(&backoff, 0), 800 * LW_NS_PER_MS);
}

static void survives_times_at_both_ends_of_the_range(void **state)
{
    (void)state;
    lw_backoff backoff = without_jitter();
    assert_int_equal(lw_backoff_next(&backoff, INT64_MIN), 800 * LW_NS_PER_MS);
    assert_int_equal(lw_backoff_next(&backoff, INT64_MAX), 800 * LW_NS_PER_MS);
    assert_int_equal(lw_backoff_next(&backoff, INT64_MAX), 1600 * LW_NS_PER_MS);
    assert_int_equal(lw_backoff_next(&backoff, INT64_MIN), 3200 * LW_NS_PER_MS);
}

static void refuses(lw_backoff_options options)
{
    lw_backoff backoff;
    assert_int_equal(lw_backoff_init(&backoff, &options, 0), LW_ERR_INVALID);
}

static void refuses_options_out_of_range(void **state)
{
    (void)state;
    const lw_backoff_options good = LW_BACKOFF_OPTIONS_INIT;
    lw_backoff_options bad = good;
    bad.base_ns = 0;
    refuses(bad);
    bad = good;
    bad.cap_ns = bad.base_ns - 1;
    refuses(bad);
    bad = good;
    bad.factor = 0.99;
    refuses(bad);
    bad.factor = NAN;
    refuses(bad);
    bad = good;
    bad.jitter = -0.1;
    refuses(bad);
    bad.jitter = NAN;
    refuses(bad);
    bad.jitter = INFINITY;
    refuses(bad);
    bad = good;
    bad.reset_after_ns = -1;
    refuses(bad);
    bad = good;
    bad.cap_ns = INT64_MAX;
    refuses(bad);
}

static void an_infinite_factor_jumps_to_the_cap(void **state)
{
    (void)state;
    lw_backoff backoff = without_jitter();
    backoff.options.factor = INFINITY;
    assert_int_equal(lw_backoff_next(&backoff, 0), 800 * LW_NS_PER_MS);
    assert_int_equal(lw_backoff_next(&backoff, 0), 30 * LW_NS_PER_S);
}

static void a_limit_shortens_the_next_delay_and_never_stretches_it(void **state)
{
    (void)state;
    lw_backoff backoff = without_jitter();
    lw_backoff_limit(&backoff, 5 * LW_NS_PER_S);
    assert_int_equal(lw_backoff_next(&backoff, 0), 800 * LW_NS_PER_MS);
    for (int i = 0; i < 8; i++)
        (void)lw_backoff_next(&backoff, 0);
    lw_backoff_limit(&backoff, 5 * LW_NS_PER_S);
    assert_int_equal(lw_backoff_next(&backoff, 0), 5 * LW_NS_PER_S);
    assert_int_equal(lw_backoff_next(&backoff, 0), 10 * LW_NS_PER_S); /* and continues from there */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(doubles_up_to_the_cap_as_the_reflector_does),
        TEST(jitter_stretches_a_delay_to_less_than_double),
        TEST(jitter_does_not_feed_into_later_delays),
        TEST(the_same_seed_gives_the_same_delays),
        TEST(starts_over_after_a_quiet_time),
        TEST(goes_on_one_nanosecond_before_the_quiet_time_is_over),
        TEST(stays_at_the_cap_through_a_long_outage),
        TEST(a_zero_quiet_time_means_never),
        TEST(reset_starts_over_at_once),
        TEST(a_limit_shortens_the_next_delay_and_never_stretches_it),
        TEST(survives_times_at_both_ends_of_the_range),
        TEST(refuses_options_out_of_range),
        TEST(an_infinite_factor_jumps_to_the_cap),
    };
    return cmocka_run_group_tests_name("backoff", tests, NULL, NULL);
}
