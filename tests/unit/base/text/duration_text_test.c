/* SPDX-License-Identifier: Apache-2.0 */
/* duration_text_test.c -- ages as kubectl writes them. */
#include "base/text/duration.h"

#include "unit/test.h"

enum {
    M = 60,
    H = 60 * M,
    D = 24 * H,
};

static const struct {
    int64_t seconds;
    const char *text;
} cases[] = {
    { INT64_MIN, "<invalid>" },
    { -2, "<invalid>" },
    { -1, "0s" },
    { 0, "0s" },
    { 1, "1s" },
    { 2 * M - 1, "119s" },
    { 2 * M, "2m" },
    { 2 * M + 1, "2m1s" },
    { 10 * M - 1, "9m59s" },
    { 10 * M, "10m" },
    { 10 * M + 1, "10m" },
    { 3 * H - 1, "179m" },
    { 3 * H, "3h" },
    { 3 * H + M, "3h1m" },
    { 8 * H - 1, "7h59m" },
    { 8 * H, "8h" },
    { 48 * H - 1, "47h" },
    { 48 * H, "2d" },
    { 49 * H, "2d1h" },
    { 8 * D - 1, "7d23h" },
    { 8 * D, "8d" },
    { 365 * D, "365d" },
    { INT64_C(2) * 365 * D - 1, "729d" },
    { INT64_C(2) * 365 * D, "2y" },
    { INT64_C(2) * 365 * D + D, "2y1d" },
    { INT64_C(8) * 365 * D - 1, "7y364d" },
    { INT64_C(8) * 365 * D, "8y" },
    { INT64_C(100) * 365 * D, "100y" },
    { INT64_MAX, "292471208677y" },
};

static void the_longer_the_coarser(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[LW_DURATION_TEXT_SIZE];
        lw_str view = lw_duration_format(text, cases[i].seconds);
        assert_string_equal(text, cases[i].text);
        assert_str_equal(view, cases[i].text);
    }
}

static void seconds_between_are_cut_towards_zero(void **state)
{
    (void)state;
    assert_int_equal(lw_time_seconds_between((lw_time){ 10, 0 }, (lw_time){ 15, 0 }), 5);
    assert_int_equal(lw_time_seconds_between((lw_time){ 10, 1 }, (lw_time){ 15, 0 }), 4);
    assert_int_equal(lw_time_seconds_between((lw_time){ 10, 0 }, (lw_time){ 15, 999999999 }), 5);
    assert_int_equal(lw_time_seconds_between((lw_time){ 15, 0 }, (lw_time){ 10, 0 }), -5);
    assert_int_equal(lw_time_seconds_between((lw_time){ 15, 0 }, (lw_time){ 10, 1 }), -4);
    assert_int_equal(lw_time_seconds_between((lw_time){ 10, 1 }, (lw_time){ 10, 0 }), 0);
    assert_int_equal(lw_time_seconds_between((lw_time){ 10, 999999999 }, (lw_time){ 11, 0 }), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_longer_the_coarser),
        TEST(seconds_between_are_cut_towards_zero),
    };
    return cmocka_run_group_tests_name("duration_text", tests, NULL, NULL);
}
