/* SPDX-License-Identifier: Apache-2.0 */
/* quantity_test.c -- durations of the command line. */
#include "cli/quantity.h"

#include "unit/test.h"

static void reads_durations_of_go_and_plain_ones(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t seconds;
    } cases[] = {
        { "90", 90 },     { "90s", 90 },   { "30m", 1800 },   { "2h", 7200 },
        { "7d", 604800 }, { "2m0s", 120 }, { "1h30m", 5400 }, { "1h0m0s", 3600 },
        { "1.5h", 5400 }, { "100ms", 1 },  { "1s500ms", 2 },  { "0h10s", 10 },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t seconds = 0;
        assert_true(quantity_parse_seconds(cases[i].text, &seconds));
        assert_int_equal(seconds, cases[i].seconds);
    }
}

static void refuses_what_is_no_duration(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "",    "0",    "0s",           "s",     "-1s",
        "1x",  "1h30", "1 h",          "1..5h", "99999999999999999999s",
        "1h,", "0s90", "10000000000s", "1hs"
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t seconds = 0;
        if (quantity_parse_seconds(cases[i], &seconds))
            fail_msg("%s is taken as %lld", cases[i], (long long)seconds);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_durations_of_go_and_plain_ones),
        cmocka_unit_test(refuses_what_is_no_duration),
    };
    return cmocka_run_group_tests_name("quantity", tests, NULL, NULL);
}
