/* SPDX-License-Identifier: Apache-2.0 */
/* workqueue_delay_test.c -- the delays of failed keys. */
#include "informer/workqueue_delay.h"

#include "base/clock.h"
#include "unit/test.h"

static lw_workqueue_delay make(int64_t base_ns, int64_t max_ns, double rate, unsigned burst)
{
    const lw_workqueue_options options = { .size = sizeof(lw_workqueue_options),
                                           .base_delay_ns = base_ns,
                                           .max_delay_ns = max_ns,
                                           .rate = rate,
                                           .burst = burst };
    lw_workqueue_delay delay;
    lw_workqueue_delay_init(&delay, &options, 0);
    return delay;
}

static void the_delay_of_a_key_doubles_up_to_a_cap(void **state)
{
    (void)state;
    lw_workqueue_delay delay = make(1 * LW_NS_PER_MS, 1 * LW_NS_PER_S, -1, 0);
    static const int64_t ms[] = { 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000, 1000 };
    for (unsigned i = 0; i < sizeof(ms) / sizeof(ms[0]); i++)
        assert_int_equal(lw_workqueue_delay_next(&delay, i, 0), ms[i] * LW_NS_PER_MS);
}

static void it_never_overflows(void **state)
{
    (void)state;
    lw_workqueue_delay delay = make(1, INT64_MAX, -1, 0);
    assert_int_equal(lw_workqueue_delay_next(&delay, 61, 0), INT64_C(1) << 61);
    assert_int_equal(lw_workqueue_delay_next(&delay, 62, 0), INT64_C(1) << 62);
    assert_int_equal(lw_workqueue_delay_next(&delay, 63, 0), INT64_MAX);
    assert_int_equal(lw_workqueue_delay_next(&delay, 4000000000u, 0), INT64_MAX);
    delay = make(1000, 10, -1, 0); /* a base above the cap */
    assert_int_equal(lw_workqueue_delay_next(&delay, 0, 0), 10);
}

static void all_keys_together_share_a_bucket(void **state)
{
    (void)state;
    lw_workqueue_delay delay = make(1, 1, 10, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(lw_workqueue_delay_next(&delay, 0, 0), 1);
    /* The fourth waits for a token, the fifth for the next. */
    assert_int_equal(lw_workqueue_delay_next(&delay, 0, 0), 100 * LW_NS_PER_MS);
    assert_int_equal(lw_workqueue_delay_next(&delay, 0, 0), 200 * LW_NS_PER_MS);
    /* Two tokens later the debt is paid; ten minutes later the bucket is full, not more. */
    assert_int_equal(lw_workqueue_delay_next(&delay, 0, 200 * LW_NS_PER_MS), 100 * LW_NS_PER_MS);
    int64_t later = 600 * LW_NS_PER_S;
    for (int i = 0; i < 3; i++)
        assert_int_equal(lw_workqueue_delay_next(&delay, 0, later), 1);
    assert_int_equal(lw_workqueue_delay_next(&delay, 0, later), 100 * LW_NS_PER_MS);
}

static void the_longer_of_both_counts(void **state)
{
    (void)state;
    lw_workqueue_delay delay = make(50 * LW_NS_PER_MS, LW_NS_PER_S, 10, 1);
    assert_int_equal(lw_workqueue_delay_next(&delay, 0, 0), 50 * LW_NS_PER_MS);
    assert_int_equal(lw_workqueue_delay_next(&delay, 0, 0), 100 * LW_NS_PER_MS);
    assert_int_equal(lw_workqueue_delay_next(&delay, 4, 0), 800 * LW_NS_PER_MS);
}

static void the_defaults_are_those_of_client_go(void **state)
{
    (void)state;
    lw_workqueue_delay delay = make(0, 0, 0, 0);
    assert_int_equal(lw_workqueue_delay_next(&delay, 0, 0), 5 * LW_NS_PER_MS);
    assert_int_equal(lw_workqueue_delay_next(&delay, 40, 0), 1000 * LW_NS_PER_S);
    for (int i = 0; i < 98; i++)
        assert_int_equal(lw_workqueue_delay_next(&delay, 0, 0), 5 * LW_NS_PER_MS);
    assert_int_equal(lw_workqueue_delay_next(&delay, 0, 0), 100 * LW_NS_PER_MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_delay_of_a_key_doubles_up_to_a_cap), TEST(it_never_overflows),
        TEST(all_keys_together_share_a_bucket),       TEST(the_longer_of_both_counts),
        TEST(the_defaults_are_those_of_client_go),
    };
    return cmocka_run_group_tests_name("workqueue_delay", tests, NULL, NULL);
}
