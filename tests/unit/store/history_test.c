/* SPDX-License-Identifier: Apache-2.0 */
/* history_test.c -- which part of the past is too old, or too much. */
#include "store/history.h"

#include "unit/test.h"

enum {
    HOUR = 3600 * 1000,
};

static lw_history history;

static void begin(size_t max_bytes, int64_t max_age_ns)
{
    lw_history_options options = { max_bytes, max_age_ns };
    lw_history_init(&history, &options, 0);
}

static void nothing_is_too_old_at_first(void **state)
{
    (void)state;
    begin(1000, HOUR);
    assert_int_equal(lw_history_target(&history, INT64_MAX), 0);
    assert_int_equal(lw_history_deadline(&history), INT64_MAX);
}

static void zero_and_none_mean_the_defaults(void **state)
{
    (void)state;
    begin(0, 0);
    assert_int_equal(history.options.max_bytes, LW_HISTORY_BYTES);
    assert_int_equal(history.options.max_age_ns, LW_HISTORY_AGE_NS);
    lw_history_init(&history, NULL, 0);
    assert_int_equal(history.options.max_bytes, LW_HISTORY_BYTES);
}

static void what_is_older_than_the_age_goes(void **state)
{
    (void)state;
    begin(1000000, HOUR);
    lw_history_note(&history, 10, 100, 0);
    lw_history_note(&history, 20, 200, HOUR / 2);
    assert_int_equal(lw_history_target(&history, HOUR - 1), 0);
    assert_int_equal(lw_history_deadline(&history), HOUR);
    assert_int_equal(lw_history_target(&history, HOUR), 10);
    lw_history_compacted(&history, 10, 100);
    assert_int_equal(lw_history_target(&history, HOUR), 0);
    assert_int_equal(lw_history_deadline(&history), HOUR + HOUR / 2);
    assert_int_equal(lw_history_target(&history, 2 * HOUR), 20);
    lw_history_compacted(&history, 20, 200);
    assert_int_equal(lw_history_deadline(&history), INT64_MAX);
}

static void no_change_is_taken_for_older_than_it_is(void **state)
{
    (void)state;
    begin(1000000, HOUR);
    lw_history_note(&history, 1, 1, 0);
    lw_history_note(&history, 2, 2,
                    HOUR / LW_HISTORY_AGE_STEPS - 1); /* one sample with the first */
    assert_int_equal(history.count, 1);
    assert_int_equal(lw_history_target(&history, HOUR), 0);
    assert_int_equal(lw_history_target(&history, HOUR + HOUR / LW_HISTORY_AGE_STEPS - 1), 2);
}

static void beyond_the_bytes_three_quarters_stay(void **state)
{
    (void)state;
    begin(1000, HOUR);
    for (uint64_t i = 1; i <= 100; i++)
        lw_history_note(&history, i, i * 10, 0);
    assert_int_equal(lw_history_target(&history, 0), 0);
    lw_history_note(&history, 101, 1010, 0);
    uint64_t target = lw_history_target(&history, 0);
    /* 750 of 1010 stay, give or take a sample. */
    assert_in_range(target, 26, 26 + 1000 / LW_HISTORY_BYTE_STEPS / 10 + 1);
    lw_history_compacted(&history, target, target * 10);
    assert_int_equal(lw_history_target(&history, 0), 0);
}

static void one_change_beyond_all_bounds_goes_whole(void **state)
{
    (void)state;
    begin(1000, HOUR);
    lw_history_note(&history, 7, 5000, 0);
    assert_int_equal(lw_history_target(&history, 0), 7);
}

static void the_floor_is_where_the_store_was_compacted(void **state)
{
    (void)state;
    lw_history_options options = { 1000, HOUR };
    lw_history_init(&history, &options, 99500);
    lw_history_note(&history, 7, 100000, 0);
    assert_int_equal(lw_history_target(&history, 0), 0);
    lw_history_note(&history, 8, 100501, 0);
    assert_int_equal(lw_history_target(&history, 0), 7);
}

static void a_compaction_by_hand_is_respected(void **state)
{
    (void)state;
    begin(1000, HOUR);
    for (uint64_t i = 1; i <= 100; i++)
        lw_history_note(&history, i, i * 10, (int64_t)i);
    lw_history_compacted(&history, 100, 1000);
    assert_int_equal(history.count, 0);
    lw_history_note(&history, 101, 2000, 200);
    assert_int_equal(lw_history_target(&history, 200), 0);
}

static void moments_beyond_the_bound_widen_the_newest(void **state)
{
    (void)state;
    begin(SIZE_MAX / 2, HOUR);
    for (uint64_t i = 1; i <= 2 * LW_HISTORY_SAMPLES; i++)
        lw_history_note(&history, i, i, (int64_t)i * HOUR / LW_HISTORY_AGE_STEPS);
    assert_int_equal(history.count, LW_HISTORY_SAMPLES);
    int64_t now = (int64_t)(2 * LW_HISTORY_SAMPLES + 1) * HOUR;
    assert_int_equal(lw_history_target(&history, now), 2 * LW_HISTORY_SAMPLES);
}

static void an_age_without_end_never_comes(void **state)
{
    (void)state;
    begin(1000, INT64_MAX);
    lw_history_note(&history, 1, 1, 5);
    assert_int_equal(lw_history_deadline(&history), INT64_MAX);
    assert_int_equal(lw_history_target(&history, INT64_MAX - 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_is_too_old_at_first),
        TEST(zero_and_none_mean_the_defaults),
        TEST(what_is_older_than_the_age_goes),
        TEST(no_change_is_taken_for_older_than_it_is),
        TEST(beyond_the_bytes_three_quarters_stay),
        TEST(one_change_beyond_all_bounds_goes_whole),
        TEST(the_floor_is_where_the_store_was_compacted),
        TEST(a_compaction_by_hand_is_respected),
        TEST(moments_beyond_the_bound_widen_the_newest),
        TEST(an_age_without_end_never_comes),
    };
    return cmocka_run_group_tests_name("history", tests, NULL, NULL);
}
