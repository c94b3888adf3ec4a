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

/* A point in time: seconds since 1970-01-01T00:00:00Z, and nanoseconds.  64-bit nanoseconds alone
 * would overflow in 2262 and could not represent the zero time of Go (year 1). */
typedef struct lw_time {
    int64_t s;
    int32_t ns; /* 0 .. 999999999, also before 1970 */
} lw_time;

/* Returns the time |unix_ns| nanoseconds after 1970, or before it if negative. */
lw_time lw_time_of_ns(int64_t unix_ns);

/* The inverse.  Returns false and leaves |*out| unchanged for times outside of 1678 to 2261. */
bool lw_time_to_ns(lw_time time, int64_t *out);

/* Writes "2026-11-15T01:49:24Z", without the fraction, like metav1.Time.  LW_ERR_INVALID: the year
 * is not 0 to 9999; then |text| is unchanged. */
LW_MUST_CHECK lw_status lw_time_format(char text[LW_TIME_TEXT_SIZE], lw_time time);

/* Writes "2026-11-15T01:49:24.123456Z", always with six digits, like metav1.MicroTime. */
LW_MUST_CHECK lw_status lw_time_format_micro(char text[LW_TIME_TEXT_SIZE], lw_time time);

/* Like lw_time_format_micro, for a |text| that has |before| already: if both are in the same
 * second, only the fraction is written. */
LW_MUST_CHECK lw_status lw_time_reformat_micro(char text[LW_TIME_TEXT_SIZE], lw_time before,
                                               lw_time time);

/* Parses all of |text| as an RFC 3339 date-time: any number of fraction digits (those after the
 * ninth are ignored), Z or an offset such as +01:00, t and z in lower case (section 5.6), and a
 * leap second where one is possible, which is the same as the second after it.  Returns false and
 * leaves |*out| unchanged for anything else. */
LW_MUST_CHECK bool lw_time_parse(lw_str text, lw_time *out);

#endif
