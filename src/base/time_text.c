/* SPDX-License-Identifier: Apache-2.0 */
/* time_text.c -- RFC 3339 text and the civil calendar.
 * Days are counted from 0000-01-01, which keeps every number here positive. */
#include "base/time_text.h"

#include "base/str.h"

#define NS_PER_S  INT64_C(1000000000)
#define S_PER_DAY INT64_C(86400)

enum {
    DAYS_TO_1970 = 719528,
    DAYS_IN_400_YEARS = 146097,
};

typedef struct civil {
    int year, month, day;
    int hour, minute, second;
} civil;

static bool is_leap_year(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int days_in_month(int year, int month)
{
    static const unsigned char days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    return days[month - 1] + (month == 2 && is_leap_year(year));
}

/* Days from 0000-01-01 to the first of January of |year| (>= 0). */
static int64_t days_to_year(int64_t year)
{
    /* Of the years before this one, 0 included, those divisible by 4, by 100, by 400. */
    return 365 * year + (year + 3) / 4 - (year + 99) / 100 + (year + 399) / 400;
}

static int64_t civil_to_seconds(const civil *c)
{
    int64_t days = days_to_year(c->year) - DAYS_TO_1970 + c->day - 1;
    for (int month = 1; month < c->month; month++)
        days += days_in_month(c->year, month);
    return days * S_PER_DAY + c->hour * 3600 + c->minute * 60 + c->second;
}

static bool civil_of_seconds(int64_t seconds, civil *c)
{
    if (seconds < -DAYS_TO_1970 * S_PER_DAY ||
        seconds >= (days_to_year(10000) - DAYS_TO_1970) * S_PER_DAY)
        return false;
    int64_t since_zero = seconds + DAYS_TO_1970 * S_PER_DAY;
    int64_t day = since_zero / S_PER_DAY;
    int rest = (int)(since_zero % S_PER_DAY);
    int64_t year = day * 400 / DAYS_IN_400_YEARS; /* off by one at most, round the new year */
    while (days_to_year(year) > day)
        year--;
    while (days_to_year(year + 1) <= day)
        year++;
    day -= days_to_year(year);
    c->year = (int)year;
    for (c->month = 1; day >= days_in_month(c->year, c->month); c->month++)
        day -= days_in_month(c->year, c->month);
    c->day = (int)day + 1;
    c->hour = rest / 3600;
    c->minute = rest / 60 % 60;
    c->second = rest % 60;
    return true;
}

lw_time lw_time_of_ns(int64_t unix_ns)
{
    lw_time time = { .s = unix_ns / NS_PER_S, .ns = (int32_t)(unix_ns % NS_PER_S) };
    if (time.ns < 0) {
        time.s--;
        time.ns += (int32_t)NS_PER_S;
    }
    return time;
}

bool lw_time_to_ns(lw_time time, int64_t *out)
{
    /* The seconds that fit whole, so that the fraction fits, too. */
    if (time.s < INT64_MIN / NS_PER_S || time.s >= INT64_MAX / NS_PER_S)
        return false;
    *out = time.s * NS_PER_S + time.ns;
    return true;
}

/* Writes |value| as |count| digits and then |end|; returns the place behind. */
static char *put_number(char *at, int count, int value, char end)
{
    for (int i = count - 1; i >= 0; i--, value /= 10)
        at[i] = (char)('0' + value % 10);
    at[count] = end;
    return at + count + 1;
}

/* Everything up to the seconds, followed by |end|; returns the place behind. */
static char *put_civil(char *at, const civil *c, char end)
{
    at = put_number(at, 4, c->year, '-');
    at = put_number(at, 2, c->month, '-');
    at = put_number(at, 2, c->day, 'T');
    at = put_number(at, 2, c->hour, ':');
    at = put_number(at, 2, c->minute, ':');
    return put_number(at, 2, c->second, end);
}

lw_status lw_time_format(char text[LW_TIME_TEXT_SIZE], lw_time time)
{
    civil c;
    if (!civil_of_seconds(time.s, &c))
        return LW_ERR_INVALID;
    *put_civil(text, &c, 'Z') = '\0';
    return LW_OK;
}

lw_status lw_time_format_micro(char text[LW_TIME_TEXT_SIZE], lw_time time)
{
    civil c;
    if (!civil_of_seconds(time.s, &c))
        return LW_ERR_INVALID;
    char *fraction = put_civil(text, &c, '.');
    *put_number(fraction, 6, time.ns / 1000, 'Z') = '\0';
    return LW_OK;
}

/* Takes |count| digits off the front of |*s|. */
static bool take_number(lw_str *s, size_t count, int *out)
{
    uint64_t value;
    if (s->len < count || !lw_str_to_uint64(lw_str_make(s->ptr, count), &value))
        return false;
    *s = lw_str_skip(*s, count);
    *out = (int)value;
    return true;
}

/* Takes one byte, one of the two, off the front of |*s|. */
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

static bool take_date(lw_str *s, civil *c)
{
    return take_number(s, 4, &c->year) && take_char(s, '-') && take_number(s, 2, &c->month) &&
           take_char(s, '-') && take_number(s, 2, &c->day) && c->month >= 1 && c->month <= 12 &&
           c->day >= 1 && c->day <= days_in_month(c->year, c->month);
}

static bool take_time_of_day(lw_str *s, civil *c)
{
    return take_number(s, 2, &c->hour) && take_char(s, ':') && take_number(s, 2, &c->minute) &&
           take_char(s, ':') && take_number(s, 2, &c->second) && c->hour <= 23 && c->minute <= 59 &&
           c->second <= 60;
}

/* The fraction, when there is one, in nanoseconds. */
static bool take_fraction(lw_str *s, int32_t *ns)
{
    *ns = 0;
    if (!take_char(s, '.'))
        return true;
    int32_t unit = (int32_t)NS_PER_S / 10;
    int digit;
    if (!take_number(s, 1, &digit))
        return false;
    do {
        *ns += digit * unit;
        unit /= 10;
    } while (take_number(s, 1, &digit));
    return true;
}

/* The offset from UTC in seconds. */
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
    civil c;
    int32_t ns;
    int64_t offset;
    if (!take_date(&text, &c) || !take_either(&text, 'T', 't') || !take_time_of_day(&text, &c) ||
        !take_fraction(&text, &ns) || !take_offset(&text, &offset) || text.len != 0)
        return false;
    int64_t seconds = civil_to_seconds(&c) - offset;
    /* RFC 3339 section 5.7: leap seconds come at the end of a day of UTC. */
    if (c.second == 60 && seconds % S_PER_DAY != 0)
        return false;
    *out = (lw_time){ .s = seconds, .ns = ns };
    return true;
}
