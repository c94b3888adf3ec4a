/* SPDX-License-Identifier: Apache-2.0 */
/* check_time.c -- whether a text is a moment, read part by part as Go reads it, so that the part
 * which is wrong can be named. */
#include <listwatch/time.h>

#include "base/str.h"
#include "schema/validation/check_value.h"

#define LAYOUT       "2006-01-02T15:04:05Z07:00"
#define MICRO_LAYOUT "2006-01-02T15:04:05.000000Z07:00"

/* What has been read, or where it stopped. */
typedef struct reading {
    lw_str rest;
    lw_str part;       /* of the layout, that the rest does not begin with */
    const char *range; /* what is out of range; NULL: nothing */
    int year, month, day;
} reading;

static bool is_digit_at(lw_str text, size_t i)
{
    return i < text.len && lw_char_is_digit(text.ptr[i]);
}

static bool read_text(reading *r, const char *text)
{
    for (; *text; text++) {
        r->part = lw_str_make(text, 1);
        if (r->rest.len == 0 || r->rest.ptr[0] != *text)
            return false;
        r->rest = lw_str_skip(r->rest, 1);
    }
    return true;
}

/* |digits| digits; |part| is what stands for them in the layout. */
static bool read_number(reading *r, const char *part, size_t digits, int *out)
{
    int value = 0;
    r->part = lw_str_of(part);
    for (size_t i = 0; i < digits; i++) {
        if (!is_digit_at(r->rest, i))
            return false;
        value = value * 10 + (r->rest.ptr[i] - '0');
    }
    r->rest = lw_str_skip(r->rest, digits);
    *out = value;
    return true;
}

static bool read_ranged(reading *r, const char *part, int max, const char *name)
{
    int value;
    if (!read_number(r, part, 2, &value))
        return false;
    if (value > max)
        r->range = name;
    return value <= max;
}

/* One digit will do, as in Go. */
static bool read_hour(reading *r)
{
    int hour;
    if (!read_number(r, "15", is_digit_at(r->rest, 1) ? 2 : 1, &hour))
        return false;
    if (hour > 23)
        r->range = "hour";
    return hour <= 23;
}

static bool read_fraction(reading *r, bool is_micro)
{
    bool has_point = r->rest.len > 0 && (r->rest.ptr[0] == '.' || r->rest.ptr[0] == ',');
    size_t n = 1;
    if (!is_micro) {
        while (has_point && is_digit_at(r->rest, n))
            n++;
        r->rest = lw_str_skip(r->rest, n > 1 ? n : 0);
        return true;
    }
    r->part = LW_STR(".000000");
    while (n < 7 && is_digit_at(r->rest, n))
        n++;
    if (!has_point || n < 7)
        return false;
    r->rest = lw_str_skip(r->rest, 7);
    return true;
}

/* +01:00 is told as out of range before it is told as wrong, as in Go. */
static bool read_offset(reading *r)
{
    reading inner = { .rest = lw_str_skip(r->rest, 1) };
    int hours = 0, minutes = 0;
    bool has_sign = r->rest.ptr[0] == '+' || r->rest.ptr[0] == '-';
    bool is_read = read_number(&inner, "07", 2, &hours) && read_text(&inner, ":") &&
                   read_number(&inner, "00", 2, &minutes);
    if (minutes > 60)
        r->range = "time zone offset minute";
    else if (hours > 24)
        r->range = "time zone offset hour";
    if (!is_read || !has_sign || r->range)
        return false;
    r->rest = inner.rest;
    return true;
}

static bool read_zone(reading *r)
{
    r->part = LW_STR("Z07:00");
    if (r->rest.len > 0 && r->rest.ptr[0] == 'Z') {
        r->rest = lw_str_skip(r->rest, 1);
        return true;
    }
    return r->rest.len >= 6 && r->rest.ptr[3] == ':' && read_offset(r);
}

static bool read_month(reading *r)
{
    if (!read_number(r, "01", 2, &r->month))
        return false;
    if (r->month < 1 || r->month > 12)
        r->range = "month";
    return !r->range;
}

static bool read_moment(reading *r, bool is_micro)
{
    return read_number(r, "2006", 4, &r->year) && read_text(r, "-") && read_month(r) &&
           read_text(r, "-") && read_number(r, "02", 2, &r->day) && read_text(r, "T") &&
           read_hour(r) && read_text(r, ":") && read_ranged(r, "04", 59, "minute") &&
           read_text(r, ":") && read_ranged(r, "05", 59, "second") && read_fraction(r, is_micro) &&
           read_zone(r);
}

/* In quotes, as Go's package of time writes them. */
static void append_quoted(lw_buf *out, lw_str text)
{
    lw_buf_append_char(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c < ' ' || c >= 0x80) {
            lw_buf_printf(out, "\\x%02x", c);
            continue;
        }
        if (c == '"' || c == '\\')
            lw_buf_append_char(out, '\\');
        lw_buf_append_char(out, (char)c);
    }
    lw_buf_append_char(out, '"');
}

void lw_check_time(lw_str text, bool is_micro, lw_buf *fault)
{
    reading r = { .rest = text };
    bool is_read = read_moment(&r, is_micro);
    bool has_day = is_read && r.day >= 1 && r.day <= lw_civil_month_days(r.year, r.month);
    if (is_read && r.rest.len == 0 && has_day)
        return;
    lw_buf_append_text(fault, "parsing time ");
    append_quoted(fault, text);
    if (r.range) {
        lw_buf_printf(fault, ": %s out of range", r.range);
    } else if (is_read && r.rest.len > 0) {
        lw_buf_append_text(fault, ": extra text: ");
        append_quoted(fault, r.rest);
    } else if (is_read) {
        lw_buf_append_text(fault, ": day out of range");
    } else {
        lw_buf_printf(fault, " as \"%s\": cannot parse ", is_micro ? MICRO_LAYOUT : LAYOUT);
        append_quoted(fault, r.rest);
        lw_buf_append_text(fault, " as ");
        append_quoted(fault, r.part);
    }
}
