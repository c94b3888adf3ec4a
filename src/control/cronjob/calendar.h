/* SPDX-License-Identifier: Apache-2.0 */
/* calendar.h -- days and hours of the Gregorian calendar, as arithmetic. */
#ifndef LW_CONTROL_CRONJOB_CALENDAR_H
#define LW_CONTROL_CRONJOB_CALENDAR_H

#include <stdbool.h>
#include <stdint.h>

#define LW_DAY_S INT64_C(86400)

typedef struct lw_calendar {
    int64_t year;
    int month, day; /* from 1 */
    int weekday;    /* 0: Sunday */
    int hour, minute, second;
} lw_calendar;

/* The date and time |s| seconds after 1970-01-01T00:00:00. */
lw_calendar lw_calendar_of(int64_t s);

/* The day in days since 1970-01-01, and which day of the week such a day is. */
int64_t lw_calendar_days(int64_t year, int month, int day);
int lw_calendar_weekday(int64_t days);

bool lw_calendar_is_leap(int64_t year);
int lw_calendar_month_days(int64_t year, int month);

#endif
