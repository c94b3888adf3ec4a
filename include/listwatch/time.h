/* SPDX-License-Identifier: Apache-2.0 */
/* time.h -- times as Kubernetes writes them (RFC 3339), and dates of the Gregorian calendar.
 *
 * The calendar is also used for the time before it was introduced.  There are no leap seconds, no
 * time zone database and no locale. */
#ifndef LISTWATCH_TIME_H
#define LISTWATCH_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

LW_BEGIN_DECLS

#define LW_NS_PER_US INT64_C(1000)
#define LW_NS_PER_MS INT64_C(1000000)
#define LW_NS_PER_S  INT64_C(1000000000)
#define LW_S_PER_DAY INT64_C(86400)

enum {
    LW_TIME_TEXT_SIZE = 28, /* "2026-11-15T01:49:24.123456Z" and its NUL */
};

/* Writes the time |unix_ns| nanoseconds after 1970-01-01T00:00:00Z as metav1.Time does, without the
 * fraction of the second: "2026-11-15T01:49:24Z". */
LW_API void lw_time_format_ns(char text[LW_TIME_TEXT_SIZE], int64_t unix_ns);

/* Writes the time |unix_ns| nanoseconds after 1970-01-01T00:00:00Z as metav1.MicroTime does, always
 * with six digits: "2026-11-15T01:49:24.123456Z". */
LW_API void lw_time_format_micro_ns(char text[LW_TIME_TEXT_SIZE], int64_t unix_ns);

/* Parses all of |text| as an RFC 3339 date-time with any number of fraction digits (those after the
 * ninth are dropped), and Z or an offset such as +01:00.  Returns false, and does not change
 * |*unix_ns|, for anything else and for years other than 1678 to 2261. */
LW_MUST_CHECK LW_API bool lw_time_parse_ns(lw_str text, int64_t *unix_ns);

/* A date and a time of day. */
typedef struct lw_civil {
    int64_t year;
    int month, day; /* from 1 */
    int weekday;    /* 0: Sunday */
    int hour, minute, second;
} lw_civil;

/* Returns the date and time |unix_s| seconds after 1970-01-01T00:00:00. */
LW_API lw_civil lw_civil_of(int64_t unix_s);

/* Returns how many days after 1970-01-01 a date is. */
LW_API int64_t lw_civil_days(int64_t year, int month, int day);

/* Returns the weekday of the day |days| days after 1970-01-01; 0 is Sunday. */
LW_API int lw_civil_weekday(int64_t days);

/* Returns whether |year| has a 29th of February. */
LW_API bool lw_civil_is_leap_year(int64_t year);

/* Returns how many days the month (1 to 12) has. */
LW_API int lw_civil_month_days(int64_t year, int month);

LW_END_DECLS

#endif
