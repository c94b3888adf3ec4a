/* SPDX-License-Identifier: Apache-2.0 */
/* age.c -- how long ago something happened. */
#include "age.h"

#include <stdio.h>
#include <time.h>

#include <listwatch.h>

enum {
    MINUTE = 60,
    HOUR = 60 * MINUTE,
    DAY = 24 * HOUR,
    YEAR = 365 * DAY,
};

/* "3m20s", or "3m" if there is no rest. */
static void two_units(char out[AGE_SIZE], int64_t whole, char unit, int64_t rest, char rest_unit)
{
    if (rest == 0)
        (void)snprintf(out, AGE_SIZE, "%lld%c", (long long)whole, unit);
    else
        (void)snprintf(out, AGE_SIZE, "%lld%c%lld%c", (long long)whole, unit, (long long)rest,
                       rest_unit);
}

void age_of_seconds(char out[AGE_SIZE], int64_t seconds)
{
    if (seconds < 0)
        seconds = 0;
    if (seconds < 2 * MINUTE)
        (void)snprintf(out, AGE_SIZE, "%llds", (long long)seconds);
    else if (seconds < 10 * MINUTE)
        two_units(out, seconds / MINUTE, 'm', seconds % MINUTE, 's');
    else if (seconds < 3 * HOUR)
        (void)snprintf(out, AGE_SIZE, "%lldm", (long long)(seconds / MINUTE));
    else if (seconds < 8 * HOUR)
        two_units(out, seconds / HOUR, 'h', seconds % HOUR / MINUTE, 'm');
    else if (seconds < 2 * DAY)
        (void)snprintf(out, AGE_SIZE, "%lldh", (long long)(seconds / HOUR));
    else if (seconds < 8 * DAY)
        two_units(out, seconds / DAY, 'd', seconds % DAY / HOUR, 'h');
    else if (seconds < 2 * (int64_t)YEAR)
        (void)snprintf(out, AGE_SIZE, "%lldd", (long long)(seconds / DAY));
    else
        two_units(out, seconds / YEAR, 'y', seconds % YEAR / DAY, 'd');
}

void age_since(char out[AGE_SIZE], const char *timestamp)
{
    struct timespec now = { 0, 0 };
    int64_t then = 0;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (lw_time_parse_ns(lw_str_of(timestamp), &then))
        age_of_seconds(out, (int64_t)now.tv_sec - then / LW_NS_PER_S);
    else
        (void)snprintf(out, AGE_SIZE, "<unknown>");
}
