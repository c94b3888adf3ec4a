/* SPDX-License-Identifier: Apache-2.0 */
/* duration.c -- formats ages, and parses durations of Go. */
#include "base/text/duration.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include <listwatch/time.h>

#include "base/str.h"

enum {
    MINUTE = 60,
    HOUR = 60 * MINUTE,
    DAY = 24 * HOUR,
    YEAR = 365 * DAY,
};

/* A duration of less than |below| seconds is written in |unit|s and, unless |small| is 0, the
 * remainder in |small|s. */
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

enum {
    FRACTION_DIGITS = 15, /* further digits are less than a nanosecond of any unit */
};

int64_t lw_go_duration_unit(lw_str name)
{
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = {
        { "ns", 1 },
        { "us", LW_NS_PER_US },
        { "\xc2\xb5s", LW_NS_PER_US }, /* the micro sign */
        { "\xce\xbcs", LW_NS_PER_US }, /* the Greek letter */
        { "ms", LW_NS_PER_MS },
        { "s", LW_NS_PER_S },
        { "m", 60 * LW_NS_PER_S },
        { "h", 3600 * LW_NS_PER_S },
    };
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (lw_str_equal(name, lw_str_of(units[i].name)))
            return units[i].ns;
    }
    return 0;
}

static size_t count_digits(lw_str text)
{
    size_t len = 0;
    while (len < text.len && lw_char_is_digit(text.ptr[len]))
        len++;
    return len;
}

static lw_str take(lw_str *rest, size_t len)
{
    lw_str taken = lw_str_make(rest->ptr, len);
    *rest = lw_str_skip(*rest, len);
    return taken;
}

static lw_str take_unit(lw_str *rest)
{
    size_t len = 0;
    while (len < rest->len && rest->ptr[len] != '.' && !lw_char_is_digit(rest->ptr[len]))
        len++;
    return take(rest, len);
}

/* Returns the value of the digits after the decimal point, in units of |unit|. */
static int64_t fraction_of(lw_str digits, int64_t unit)
{
    int64_t value = 0, scale = 1;
    for (size_t i = 0; i < digits.len && i < FRACTION_DIGITS; i++) {
        value = value * 10 + (digits.ptr[i] - '0');
        scale *= 10;
    }
    return (int64_t)((double)value * ((double)unit / (double)scale));
}

/* Parses one number with its unit at the start of |*rest|, and removes both from it. */
static lw_go_duration_error take_part(lw_str *rest, int64_t *ns, lw_str *bad_unit)
{
    lw_str whole = take(rest, count_digits(*rest)), fraction = lw_str_make("", 0);
    if (rest->len > 0 && rest->ptr[0] == '.') {
        *rest = lw_str_skip(*rest, 1);
        fraction = take(rest, count_digits(*rest));
    }
    int64_t count = 0;
    if ((whole.len == 0 && fraction.len == 0) || (whole.len > 0 && !lw_str_to_int64(whole, &count)))
        return LW_GO_DURATION_INVALID;
    lw_str name = take_unit(rest);
    if (name.len == 0)
        return LW_GO_DURATION_NO_UNIT;
    int64_t unit = lw_go_duration_unit(name);
    if (unit == 0) {
        *bad_unit = name;
        return LW_GO_DURATION_UNKNOWN_UNIT;
    }
    bool is_over = __builtin_mul_overflow(count, unit, ns) ||
                   __builtin_add_overflow(*ns, fraction_of(fraction, unit), ns);
    return is_over ? LW_GO_DURATION_INVALID : LW_GO_DURATION_OK;
}

lw_go_duration_error lw_go_duration_parse(lw_str text, int64_t *ns, lw_str *unit)
{
    bool is_negative = text.len > 0 && text.ptr[0] == '-';
    int64_t sum = 0;
    if (text.len > 0 && (text.ptr[0] == '-' || text.ptr[0] == '+'))
        text = lw_str_skip(text, 1);
    if (text.len == 0)
        return LW_GO_DURATION_INVALID;
    if (lw_str_equal(text, LW_STR("0")))
        text.len = 0;
    while (text.len > 0) {
        int64_t part;
        lw_go_duration_error error = take_part(&text, &part, unit);
        if (error != LW_GO_DURATION_OK)
            return error;
        if (__builtin_add_overflow(sum, part, &sum))
            return LW_GO_DURATION_INVALID;
    }
    *ns = is_negative ? -sum : sum;
    return LW_GO_DURATION_OK;
}
