/* SPDX-License-Identifier: Apache-2.0 */
/* timestamp.c -- RFC 3339 in UTC. */
#include "runtime/timestamp.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static struct tm parts_of(int64_t wall_ns, int64_t *fraction_ns)
{
    int64_t seconds = wall_ns / LW_SECOND_NS, rest = wall_ns % LW_SECOND_NS;
    struct tm parts = { .tm_year = 70, .tm_mday = 1 };
    if (rest < 0) {
        rest += LW_SECOND_NS;
        seconds--;
    }
    time_t when = (time_t)seconds;
    (void)gmtime_r(&when, &parts);
    *fraction_ns = rest;
    return parts;
}

void lw_timestamp_format(char text[LW_TIMESTAMP_SIZE], int64_t wall_ns)
{
    int64_t fraction;
    struct tm parts = parts_of(wall_ns, &fraction);
    (void)strftime(text, LW_TIMESTAMP_SIZE, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

void lw_timestamp_format_micro(char text[LW_TIMESTAMP_SIZE], int64_t wall_ns)
{
    int64_t fraction;
    struct tm parts = parts_of(wall_ns, &fraction);
    size_t len = strftime(text, LW_TIMESTAMP_SIZE, "%Y-%m-%dT%H:%M:%S", &parts);
    (void)snprintf(text + len, LW_TIMESTAMP_SIZE - len, ".%06dZ", (int)(fraction / 1000));
}

/* The digits after the point; |*end| is set behind them. */
static int64_t parse_fraction(const char *text, const char **end)
{
    int64_t value = 0, digit_ns = LW_SECOND_NS;
    for (; *text >= '0' && *text <= '9'; text++) {
        digit_ns /= 10;
        value += (*text - '0') * digit_ns;
    }
    *end = text;
    return value;
}

bool lw_timestamp_parse(const char *text, int64_t *wall_ns)
{
    struct tm parts = { 0 };
    int64_t fraction = 0;
    const char *rest = text ? strptime(text, "%Y-%m-%dT%H:%M:%S", &parts) : NULL;
    if (rest && *rest == '.')
        fraction = parse_fraction(rest + 1, &rest);
    /* Years whose nanoseconds fit into an int64_t. */
    if (!rest || strcmp(rest, "Z") != 0 || parts.tm_year < 1678 - 1900 ||
        parts.tm_year > 2261 - 1900)
        return false;
    *wall_ns = (int64_t)timegm(&parts) * LW_SECOND_NS + fraction;
    return true;
}
