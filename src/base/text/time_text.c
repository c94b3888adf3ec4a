/* SPDX-License-Identifier: Apache-2.0 */
/* time_text.c -- formats and parses times as in RFC 3339. */
#include "base/text/time_text.h"

#include <assert.h>

#include "base/str.h"

/* The years 0 to 9999. */
#define SECONDS_MIN INT64_C(-62167219200)
#define SECONDS_MAX INT64_C(253402300799)

lw_time lw_time_of_ns(int64_t unix_ns)
{
    lw_time time = { .s = unix_ns / LW_NS_PER_S, .ns = (int32_t)(unix_ns % LW_NS_PER_S) };
    if (time.ns < 0) {
        time.s--;
        time.ns += (int32_t)LW_NS_PER_S;
    }
    return time;
}

bool lw_time_to_ns(lw_time time, int64_t *out)
{
    /* The limits in seconds, such that any fraction fits as well. */
    if (time.s < INT64_MIN / LW_NS_PER_S || time.s >= INT64_MAX / LW_NS_PER_S)
        return false;
    *out = time.s * LW_NS_PER_S + time.ns;
    return true;
}

/* Writes the two digits of |value|; returns the position after them. */
static char *put_two(char *at, int value)
{
    at[0] = (char)('0' + value / 10);
    at[1] = (char)('0' + value % 10);
    return at + 2;
}

/* The same, followed by |end|. */
static char *put_two_and(char *at, int value, char end)
{
    at = put_two(at, value);
    *at = end;
    return at + 1;
}

/* Writes date and time up to the seconds, followed by |end|; returns the position after it. */
static char *put_civil(char *at, const lw_civil *c, char end)
{
    at = put_two(at, (int)c->year / 100);
    at = put_two_and(at, (int)c->year % 100, '-');
    at = put_two_and(at, c->month, '-');
    at = put_two_and(at, c->day, 'T');
    at = put_two_and(at, c->hour, ':');
    at = put_two_and(at, c->minute, ':');
    return put_two_and(at, c->second, end);
}

lw_status lw_time_format(char text[LW_TIME_TEXT_SIZE], lw_time time)
{
    if (time.s < SECONDS_MIN || time.s > SECONDS_MAX)
        return LW_ERR_INVALID;
    lw_civil c = lw_civil_of(time.s);
    *put_civil(text, &c, 'Z') = '\0';
    return LW_OK;
}

/* Writes the six digits of microseconds, and the end of the text. */
static void put_micros(char *at, lw_time time)
{
    int micros = time.ns / 1000;
    at = put_two(at, micros / 10000);
    at = put_two(at, micros / 100 % 100);
    *put_two_and(at, micros % 100, 'Z') = '\0';
}

lw_status lw_time_format_micro(char text[LW_TIME_TEXT_SIZE], lw_time time)
{
    if (time.s < SECONDS_MIN || time.s > SECONDS_MAX)
        return LW_ERR_INVALID;
    lw_civil c = lw_civil_of(time.s);
    put_micros(put_civil(text, &c, '.'), time);
    return LW_OK;
}

lw_status lw_time_reformat_micro(char text[LW_TIME_TEXT_SIZE], lw_time before, lw_time time)
{
    if (time.s != before.s)
        return lw_time_format_micro(text, time);
    put_micros(text + sizeof("2026-11-15T01:49:24.") - 1, time);
    return LW_OK;
}

/* Removes |count| digits from the front of |*s| and parses them. */
static bool take_number(lw_str *s, size_t count, int *out)
{
    int value = 0;
    if (s->len < count)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!lw_char_is_digit(s->ptr[i]))
            return false;
        value = 10 * value + (s->ptr[i] - '0');
    }
    *s = lw_str_skip(*s, count);
    *out = value;
    return true;
}

/* Removes one byte, which must be one of the two, from the front of |*s|. */
static bool take_either(lw_str *s, char a, char b)
{
    if (s->len == 0 || (s->ptr[0] != a && s->ptr[0] != b))
        return false;
    *s = lw_str_skip(*s, 1);
    return true;
}

static bool take_char(lw_str *s, char c)
{
    return take_either(s, c, c);
}

static bool take_date(lw_str *s, lw_civil *c)
{
    int year;
    if (!take_number(s, 4, &year) || !take_char(s, '-') || !take_number(s, 2, &c->month) ||
        !take_char(s, '-') || !take_number(s, 2, &c->day))
        return false;
    c->year = year;
    return c->month >= 1 && c->month <= 12 && c->day >= 1 &&
           c->day <= lw_civil_month_days(c->year, c->month);
}

static bool take_time_of_day(lw_str *s, lw_civil *c)
{
    return take_number(s, 2, &c->hour) && take_char(s, ':') && take_number(s, 2, &c->minute) &&
           take_char(s, ':') && take_number(s, 2, &c->second) && c->hour <= 23 && c->minute <= 59 &&
           c->second <= 60;
}

/* Parses the fraction in nanoseconds, if there is one. */
static bool take_fraction(lw_str *s, int32_t *ns)
{
    *ns = 0;
    if (!take_char(s, '.'))
        return true;
    int32_t unit = (int32_t)LW_NS_PER_S / 10;
    int digit;
    if (!take_number(s, 1, &digit))
        return false;
    do {
        *ns += digit * unit;
        unit /= 10;
    } while (take_number(s, 1, &digit));
    return true;
}

/* Parses the offset from UTC in seconds. */
static bool take_offset(lw_str *s, int64_t *offset)
{
    int hours;
    int minutes;
    *offset = 0;
    if (take_either(s, 'Z', 'z'))
        return true;
    bool west = s->len > 0 && s->ptr[0] == '-';
    if (!take_either(s, '+', '-') || !take_number(s, 2, &hours) || !take_char(s, ':') ||
        !take_number(s, 2, &minutes) || hours > 23 || minutes > 59)
        return false;
    *offset = hours * 3600 + minutes * 60;
    if (west)
        *offset = -*offset;
    return true;
}

bool lw_time_parse(lw_str text, lw_time *out)
{
    lw_civil c = { 0 };
    int32_t ns;
    int64_t offset;
    if (!take_date(&text, &c) || !take_either(&text, 'T', 't') || !take_time_of_day(&text, &c) ||
        !take_fraction(&text, &ns) || !take_offset(&text, &offset) || text.len != 0)
        return false;
    int64_t seconds = lw_civil_days(c.year, c.month, c.day) * LW_S_PER_DAY + c.hour * 3600 +
                      c.minute * 60 + c.second - offset;
    /* RFC 3339 section 5.7: leap seconds are at the end of a UTC day. */
    if (c.second == 60 && seconds % LW_S_PER_DAY != 0)
        return false;
    *out = (lw_time){ .s = seconds, .ns = ns };
    return true;
}

void lw_time_format_ns(char text[LW_TIME_TEXT_SIZE], int64_t unix_ns)
{
    lw_status st = lw_time_format(text, lw_time_of_ns(unix_ns));
    assert(st == LW_OK); /* 64-bit nanoseconds overflow in 2262 */
    (void)st;
}

void lw_time_format_micro_ns(char text[LW_TIME_TEXT_SIZE], int64_t unix_ns)
{
    lw_status st = lw_time_format_micro(text, lw_time_of_ns(unix_ns));
    assert(st == LW_OK);
    (void)st;
}

bool lw_time_parse_ns(lw_str text, int64_t *unix_ns)
{
    lw_time time;
    return lw_time_parse(text, &time) && lw_time_to_ns(time, unix_ns);
}
