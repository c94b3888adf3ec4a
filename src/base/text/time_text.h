/* SPDX-License-Identifier: Apache-2.0 */
/* time_text.h -- times of the years 0 to 9999 as text: RFC 3339, as Kubernetes writes Time and
 * MicroTime. */
#ifndef LW_BASE_TEXT_TIME_TEXT_H
#define LW_BASE_TEXT_TIME_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/str.h>
#include <listwatch/time.h>

/* A moment: seconds since 1970-01-01T00:00:00Z, and how far into that second.  Nanoseconds alone
 * would end in 2262 and could not hold the zero time of Go (year 1). */
typedef struct lw_time {
    int64_t s;
    int32_t ns; /* 0 .. 999999999, also before 1970 */
} lw_time;

/* The moment |unix_ns| nanoseconds after (before, when negative) 1970. */
lw_time lw_time_of_ns(int64_t unix_ns);

/* The way back.  False, and |*out| left alone, for moments outside of the years 1678 to 2261. */
bool lw_time_to_ns(lw_time time, int64_t *out);

/* Writes "2026-11-15T01:49:24Z", dropping the fraction as metav1.Time does.  LW_ERR_INVALID when
 * the year is not 0 to 9999; |text| is left alone then. */
LW_MUST_CHECK lw_status lw_time_format(char text[LW_TIME_TEXT_SIZE], lw_time time);

/* Writes "2026-11-15T01:49:24.123456Z", always with six digits, as metav1.MicroTime does. */
LW_MUST_CHECK lw_status lw_time_format_micro(char text[LW_TIME_TEXT_SIZE], lw_time time);

/* Reads all of |text| as an RFC 3339 date-time: any number of fraction digits (those after the
 * ninth are dropped), Z or an offset such as +01:00, small t and z (section 5.6), and a leap second
 * where one can be, as the second after it.  False, and |*out| left alone, for anything else. */
LW_MUST_CHECK bool lw_time_parse(lw_str text, lw_time *out);

#endif
