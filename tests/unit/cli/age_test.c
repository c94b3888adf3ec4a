/* SPDX-License-Identifier: Apache-2.0 */
/* age_test.c -- durations are written as kubectl writes them. */
#include "cli/age.h"

#include "unit/test.h"

static void writes_at_most_two_units(void **state)
{
    (void)state;
    static const struct {
        int64_t seconds;
        const char *text;
    } cases[] = {
        { -5, "0s" },         { 0, "0s" },      { 119, "119s" },      { 120, "2m" },
        { 201, "3m21s" },     { 600, "10m" },   { 7199, "119m" },     { 10800, "3h" },
        { 11400, "3h10m" },   { 28800, "8h" },  { 172799, "47h" },    { 172800, "2d" },
        { 183600, "2d3h" },   { 691200, "8d" }, { 63071999, "729d" }, { 63072000, "2y" },
        { 63158400, "2y1d" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[AGE_SIZE];
        age_of_seconds(text, cases[i].seconds);
        assert_string_equal(text, cases[i].text);
    }
}

static void says_that_a_time_is_unknown(void **state)
{
    (void)state;
    char text[AGE_SIZE];
    age_since(text, "yesterday");
    assert_string_equal(text, "<unknown>");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_at_most_two_units),
        cmocka_unit_test(says_that_a_time_is_unknown),
    };
    return cmocka_run_group_tests_name("age", tests, NULL, NULL);
}
