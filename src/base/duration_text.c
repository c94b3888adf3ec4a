/* SPDX-License-Identifier: Apache-2.0 */
/* duration_text.c -- durations for people. */
#include "base/duration_text.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    MINUTE = 60,
    HOUR = 60 * MINUTE,
    DAY = 24 * HOUR,
    YEAR = 365 * DAY,
};

/* Up to |below| seconds a duration is told in |unit|s and, unless 0, the rest in |small| ones. */
typedef struct duration_step {
    int64_t below;
    int32_t unit;
    int32_t small;
    char unit_name;
    char small_name;
} duration_step;

static const duration_step steps[] = {
    { 2 * MINUTE, 1, 0, 's', 0 },          { 10 * MINUTE, MINUTE, 1, 'm', 's' },
    { 3 * HOUR, MINUTE, 0, 'm', 0 },       { 8 * HOUR, HOUR, MINUTE, 'h', 'm' },
    { 2 * DAY, HOUR, 0, 'h', 0 },          { 8 * DAY, DAY, HOUR, 'd', 'h' },
    { INT64_C(2) * YEAR, DAY, 0, 'd', 0 }, { INT64_C(8) * YEAR, YEAR, DAY, 'y', 'd' },
    { INT64_MAX, YEAR, 0, 'y', 0 },
};

int64_t lw_time_seconds_between(lw_time from, lw_time to)
{
    int64_t s = to.s - from.s;
    int32_t ns = to.ns - from.ns;
    if (s > 0 && ns < 0)
        return s - 1;
    return s < 0 && ns > 0 ? s + 1 : s;
}

lw_str lw_duration_format(char text[LW_DURATION_TEXT_SIZE], int64_t seconds)
{
    const duration_step *step = steps;
    int len;
    if (seconds < -1)
        return lw_str_make(text, (size_t)snprintf(text, LW_DURATION_TEXT_SIZE, "<invalid>"));
    if (seconds < 0)
        seconds = 0;
    while (seconds >= step->below && step->below != INT64_MAX)
        step++;
    int64_t small = step->small ? seconds % step->unit / step->small : 0;
    if (small)
        len = snprintf(text, LW_DURATION_TEXT_SIZE, "%" PRId64 "%c%" PRId64 "%c",
                       seconds / step->unit, step->unit_name, small, step->small_name);
    else
        len = snprintf(text, LW_DURATION_TEXT_SIZE, "%" PRId64 "%c", seconds / step->unit,
                       step->unit_name);
    return lw_str_make(text, (size_t)len);
}
