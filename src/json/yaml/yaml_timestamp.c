/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_timestamp.c -- recognises the four forms of a timestamp. */
#include "json/yaml/yaml_scalar.h"

#include <listwatch/time.h>

static bool is_digit_at(lw_str s, size_t at)
{
    return at < s.len && s.ptr[at] >= '0' && s.ptr[at] <= '9';
}

static void skip(lw_str *s, size_t n)
{
    s->ptr += n;
    s->len -= n;
}

static bool take_char(lw_str *s, char c)
{
    if (s->len == 0 || s->ptr[0] != c)
        return false;
    skip(s, 1);
    return true;
}

/* Parses one or two digits (exactly two if |is_fixed|) with a value of |least| to |most|. */
static bool take_number(lw_str *s, bool is_fixed, int least, int most, int *out)
{
    if (!is_digit_at(*s, 0) || (is_fixed && !is_digit_at(*s, 1)))
        return false;
    int value = s->ptr[0] - '0';
    size_t len = 1;
    if (is_digit_at(*s, 1)) {
        value = value * 10 + (s->ptr[1] - '0');
        len = 2;
    }
    skip(s, len);
    *out = value;
    return value >= least && value <= most;
}

static bool take_date(lw_str *s)
{
    int year = 0;
    for (size_t at = 0; at < 4; at++) {
        if (!is_digit_at(*s, at))
            return false;
        year = year * 10 + (s->ptr[at] - '0');
    }
    skip(s, 4);
    int month = 0;
    int day = 0;
    return take_char(s, '-') && take_number(s, false, 1, 12, &month) && take_char(s, '-') &&
           take_number(s, false, 1, 31, &day) && day <= lw_civil_month_days(year, month);
}

/* Parses h:m:s with an optional fraction. */
static bool take_time(lw_str *s)
{
    int ignored;
    if (!take_number(s, false, 0, 23, &ignored) || !take_char(s, ':') ||
        !take_number(s, false, 0, 59, &ignored) || !take_char(s, ':') ||
        !take_number(s, false, 0, 59, &ignored))
        return false;
    if (s->len > 1 && (s->ptr[0] == '.' || s->ptr[0] == ',') && is_digit_at(*s, 1)) {
        skip(s, 1);
        while (is_digit_at(*s, 0))
            skip(s, 1);
    }
    return true;
}

static bool take_zone(lw_str *s)
{
    if (take_char(s, 'Z'))
        return true;
    int ignored;
    /* Like Go, allows an offset of 24 hours and 60 minutes. */
    return (take_char(s, '+') || take_char(s, '-')) && take_number(s, true, 0, 24, &ignored) &&
           take_char(s, ':') && take_number(s, true, 0, 60, &ignored);
}

bool lw_yaml_is_timestamp(lw_str text)
{
    if (!take_date(&text))
        return false;
    if (text.len == 0)
        return true;
    if (take_char(&text, 'T') || take_char(&text, 't'))
        return take_time(&text) && take_zone(&text) && text.len == 0;
    if (text.ptr[0] != ' ')
        return false;
    while (take_char(&text, ' ')) {
    }
    return take_time(&text) && text.len == 0;
}
