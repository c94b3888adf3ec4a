/* SPDX-License-Identifier: Apache-2.0 */
/* civil_test.c -- the calendar against that of the C library. */

#include <listwatch/time.h>

#include <time.h>

#include "unit/test.h"

static void every_day_is_that_of_the_c_library(void **state)
{
    (void)state;
    for (int64_t s = INT64_C(-6000000000); s < INT64_C(12000000000); s += 86399) {
        time_t when = (time_t)s;
        struct tm wanted;
        assert_non_null(gmtime_r(&when, &wanted));
        lw_civil c = lw_civil_of(s);
        assert_int_equal(c.year, wanted.tm_year + 1900);
        assert_int_equal(c.month, wanted.tm_mon + 1);
        assert_int_equal(c.day, wanted.tm_mday);
        assert_int_equal(c.weekday, wanted.tm_wday);
        assert_int_equal(c.hour, wanted.tm_hour);
        assert_int_equal(c.minute, wanted.tm_min);
        assert_int_equal(c.second, wanted.tm_sec);
        assert_int_equal(lw_civil_days(c.year, c.month, c.day),
                         s / LW_S_PER_DAY - (s % LW_S_PER_DAY < 0));
    }
}

static void months_have_their_days(void **state)
{
    (void)state;
    assert_int_equal(lw_civil_month_days(2024, 2), 29);
    assert_int_equal(lw_civil_month_days(2026, 2), 28);
    assert_int_equal(lw_civil_month_days(2000, 2), 29);
    assert_int_equal(lw_civil_month_days(2100, 2), 28);
    assert_int_equal(lw_civil_month_days(2026, 12), 31);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_day_is_that_of_the_c_library),
        TEST(months_have_their_days),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
