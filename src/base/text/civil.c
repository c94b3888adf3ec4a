/* SPDX-License-Identifier: Apache-2.0 */
/* civil.c -- arithmetic of the Gregorian calendar.
 * Years are counted in eras of 400 that begin in March, so that a leap day is the last day of a
 * year. */
#include <listwatch/time.h>

enum {
    ERA_YEARS = 400,
    ERA_DAYS = 146097,
    DAYS_TO_1970 = 719468, /* from the 1st of March of the year 0 */
    WEEKDAY_1970 = 4,
    WEEK = 7,
};

/* Rounded down, for what is before 0 too. */
static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

int64_t lw_civil_days(int64_t year, int month, int day)
{
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t era = floor_div(y, ERA_YEARS), in_era = y - era * ERA_YEARS;
    int64_t in_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return era * ERA_DAYS + in_era * 365 + in_era / 4 - in_era / 100 + in_year - DAYS_TO_1970;
}

int lw_civil_weekday(int64_t days)
{
    int64_t at = days + WEEKDAY_1970;
    return (int)(at - floor_div(at, WEEK) * WEEK);
}

bool lw_civil_is_leap_year(int64_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int lw_civil_month_days(int64_t year, int month)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    return days[month - 1] + (month == 2 && lw_civil_is_leap_year(year));
}

lw_civil lw_civil_of(int64_t unix_s)
{
    int64_t days = floor_div(unix_s, LW_S_PER_DAY), rest = unix_s - days * LW_S_PER_DAY;
    int64_t z = days + DAYS_TO_1970, era = floor_div(z, ERA_DAYS), in_era = z - era * ERA_DAYS;
    int64_t year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    int64_t in_year = in_era - (365 * year + year / 4 - year / 100);
    int64_t month = (5 * in_year + 2) / 153;
    lw_civil c = {
        .month = (int)(month < 10 ? month + 3 : month - 9),
        .day = (int)(in_year - (153 * month + 2) / 5 + 1),
        .weekday = lw_civil_weekday(days),
        .hour = (int)(rest / 3600),
        .minute = (int)(rest / 60 % 60),
        .second = (int)(rest % 60),
    };
    c.year = year + era * ERA_YEARS + (c.month <= 2);
    return c;
}
