/* SPDX-License-Identifier: Apache-2.0 */
/* times.c -- moments and durations.  Time zones are UTC or an offset such as +01:00: there is no
 * database of them here. */
#include "base/str.h"
#include "cel/functions.h"

#define SECOND_NS INT64_C(1000000000)
#define MINUTE_NS (60 * SECOND_NS)
#define HOUR_NS   (60 * MINUTE_NS)
#define DAY_NS    (24 * HOUR_NS)
#define DAY_S     INT64_C(86400)

/* The years 1 to 9999. */
#define TIME_MIN INT64_C(-62135596800)
#define TIME_MAX INT64_C(253402300799)

bool lw_cel_time_add(lw_time time, int64_t ns, lw_time *out)
{
    int64_t rest = time.ns + ns % SECOND_NS, s = time.s + ns / SECOND_NS;
    if (rest < 0) {
        rest += SECOND_NS;
        s--;
    } else if (rest >= SECOND_NS) {
        rest -= SECOND_NS;
        s++;
    }
    if (s < TIME_MIN || s > TIME_MAX)
        return false;
    *out = (lw_time){ s, (int32_t)rest };
    return true;
}

/* How long a unit is; 0: there is none of this name. */
static int64_t unit_of(lw_str name)
{
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = {
        { "ns", 1 },       { "us", 1000 },     { "µs", 1000 },     { "μs", 1000 },
        { "ms", 1000000 }, { "s", SECOND_NS }, { "m", MINUTE_NS }, { "h", HOUR_NS },
    };
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (lw_str_equal(name, lw_str_of(units[i].name)))
            return units[i].ns;
    }
    return 0;
}

/* Units in words, as schemas have them: "3 days". */
static int64_t long_unit_of(lw_str name)
{
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = {
        { "d", DAY_NS },          { "day", DAY_NS },    { "days", DAY_NS },
        { "w", 7 * DAY_NS },      { "wk", 7 * DAY_NS }, { "week", 7 * DAY_NS },
        { "weeks", 7 * DAY_NS },  { "hr", HOUR_NS },    { "hour", HOUR_NS },
        { "hours", HOUR_NS },     { "min", MINUTE_NS }, { "minute", MINUTE_NS },
        { "minutes", MINUTE_NS }, { "sec", SECOND_NS }, { "second", SECOND_NS },
        { "seconds", SECOND_NS },
    };
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (lw_str_equal(name, lw_str_of(units[i].name)))
            return units[i].ns;
    }
    return unit_of(name);
}

/* Takes digits off |*rest|; false: there are none, or too many. */
static bool take_digits(lw_str *rest, int64_t *out, int64_t *scale)
{
    size_t len = 0;
    *out = 0;
    *scale = 1;
    while (len < rest->len && lw_char_is_digit(rest->ptr[len])) {
        if (*out > (INT64_MAX - 9) / 10)
            return false;
        *out = *out * 10 + (rest->ptr[len++] - '0');
        *scale = *scale <= INT64_MAX / 10 ? *scale * 10 : *scale;
    }
    *rest = lw_str_skip(*rest, len);
    return len > 0;
}

/* What stands behind the point; digits that are less than a nanosecond of any unit are dropped. */
static int64_t take_fraction(lw_str *rest, int64_t *scale)
{
    int64_t value = 0;
    size_t len = 0;
    *scale = 1;
    for (; len < rest->len && lw_char_is_digit(rest->ptr[len]); len++) {
        if (len < 15) {
            value = value * 10 + (rest->ptr[len] - '0');
            *scale *= 10;
        }
    }
    *rest = lw_str_skip(*rest, len);
    return value;
}

/* Takes one amount with its unit off |*rest|. */
static bool take_part(lw_str *rest, int64_t *out)
{
    int64_t whole = 0, scale = 1, fraction = 0, unused;
    bool has_whole = take_digits(rest, &whole, &unused);
    size_t before = rest->len;
    if (rest->len > 0 && rest->ptr[0] == '.') {
        *rest = lw_str_skip(*rest, 1);
        fraction = take_fraction(rest, &scale);
        if (!has_whole && before == rest->len + 1)
            return false;
    } else if (!has_whole) {
        return false;
    }
    size_t len = 0;
    while (len < rest->len && rest->ptr[len] != '.' && !lw_char_is_digit(rest->ptr[len]))
        len++;
    int64_t unit = unit_of(lw_str_make(rest->ptr, len));
    *rest = lw_str_skip(*rest, len);
    int64_t small = (int64_t)((double)fraction * ((double)unit / (double)scale));
    return unit > 0 && !__builtin_mul_overflow(whole, unit, out) &&
           !__builtin_add_overflow(*out, small, out);
}

static bool parse_go(lw_str text, int64_t *out)
{
    bool is_negative = text.len > 0 && text.ptr[0] == '-';
    int64_t sum = 0, part;
    if (text.len > 0 && (text.ptr[0] == '-' || text.ptr[0] == '+'))
        text = lw_str_skip(text, 1);
    if (text.len == 0)
        return false;
    if (lw_str_equal(text, LW_STR("0")))
        text.len = 0;
    while (text.len > 0) {
        if (!take_part(&text, &part) || __builtin_add_overflow(sum, part, &sum))
            return false;
    }
    *out = is_negative ? -sum : sum;
    return true;
}

bool lw_cel_duration_parse(lw_str text, int64_t *out)
{
    int64_t amount, unused;
    lw_str rest = text;
    if (parse_go(text, out))
        return true;
    if (!take_digits(&rest, &amount, &unused))
        return false;
    int64_t unit = long_unit_of(lw_str_trim(rest));
    return unit > 0 && !__builtin_mul_overflow(amount, unit, out);
}

lw_cel_value lw_cel_fn_duration(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_cel_value made = { .kind = LW_CEL_DURATION, .integer = args[0].integer };
    (void)count;
    if (args[0].kind == LW_CEL_STRING && !parse_go(args[0].text, &made.integer))
        return lw_cel_fail(run,
                           "type conversion error from 'string' to 'google.protobuf.Duration'");
    return made;
}

lw_cel_value lw_cel_fn_timestamp(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_cel_value made = args[0];
    (void)count;
    made.kind = LW_CEL_TIMESTAMP;
    if (args[0].kind == LW_CEL_INT)
        made.time = (lw_time){ args[0].integer, 0 };
    if (args[0].kind == LW_CEL_STRING && !lw_time_parse(args[0].text, &made.time))
        return lw_cel_fail(run,
                           "type conversion error from 'string' to 'google.protobuf.Timestamp'");
    if (made.time.s < TIME_MIN || made.time.s > TIME_MAX)
        return lw_cel_fail(run, "timestamp overflow");
    return made;
}

/* A moment on the calendar. */
typedef struct calendar {
    int64_t year;
    int month, day, day_of_year; /* from 0 on */
    int weekday;                 /* Sunday is 0 */
    int second_of_day;
} calendar;

/* "+01:30" as seconds; UTC is 0. */
static bool parse_zone(lw_str zone, int64_t *seconds)
{
    lw_str rest = zone, hours, minutes;
    uint64_t h, m;
    *seconds = 0;
    if (zone.len == 0 || lw_str_equal(zone, LW_STR("UTC")))
        return true;
    bool is_negative = zone.ptr[0] == '-';
    if (is_negative || zone.ptr[0] == '+')
        rest = lw_str_skip(zone, 1);
    if (!lw_str_cut(rest, ':', &hours, &minutes) || !lw_str_to_uint64(hours, &h) ||
        !lw_str_to_uint64(minutes, &m) || h > 23 || m > 59)
        return false;
    *seconds = (int64_t)(h * 3600 + m * 60);
    *seconds = is_negative ? -*seconds : *seconds;
    return true;
}

static bool is_leap(int64_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* Days since 1970 to a date, by eras of 400 years that begin in March. */
static calendar calendar_of(int64_t s)
{
    static const int before[] = { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334 };
    int64_t days = s / DAY_S - (s % DAY_S < 0);
    calendar c = { .second_of_day = (int)(s - days * DAY_S) };
    c.weekday = (int)(((days + 4) % 7 + 7) % 7);
    int64_t shifted = days + 719468;
    int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    int64_t in_era = shifted - era * 146097;
    int64_t year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    int64_t in_year = in_era - (365 * year + year / 4 - year / 100);
    int64_t march = (5 * in_year + 2) / 153;
    c.day = (int)(in_year - (153 * march + 2) / 5);
    c.month = (int)(march < 10 ? march + 2 : march - 10);
    c.year = year + era * 400 + (c.month < 2);
    c.day_of_year = before[c.month] + c.day + (c.month > 1 && is_leap(c.year));
    return c;
}

/* The calendar of args[0] in the zone args[1]; false: an error in |*error|. */
static bool read_calendar(lw_cel_run *run, const lw_cel_value *args, size_t count, calendar *out,
                          lw_cel_value *error)
{
    int64_t offset = 0;
    if (count > 1 && !parse_zone(args[1].text, &offset)) {
        *error = lw_cel_fail(run, "unknown time zone %.*s: use UTC or an offset such as +01:00",
                             LW_STR_ARG(args[1].text));
        return false;
    }
    *out = calendar_of(args[0].time.s + offset);
    return true;
}

/* What a getter wants of a calendar. */
typedef enum part {
    PART_YEAR,
    PART_MONTH,
    PART_DAY_OF_YEAR,
    PART_DAY,
    PART_DATE,
    PART_WEEKDAY,
    PART_HOURS,
    PART_MINUTES,
    PART_SECONDS,
} part;

static lw_cel_value get(lw_cel_run *run, const lw_cel_value *args, size_t count, part which)
{
    calendar c;
    lw_cel_value error;
    if (!read_calendar(run, args, count, &c, &error))
        return error;
    switch (which) {
    case PART_YEAR: return lw_cel_of_int(c.year);
    case PART_MONTH: return lw_cel_of_int(c.month);
    case PART_DAY_OF_YEAR: return lw_cel_of_int(c.day_of_year);
    case PART_DAY: return lw_cel_of_int(c.day);
    case PART_DATE: return lw_cel_of_int(c.day + 1);
    case PART_WEEKDAY: return lw_cel_of_int(c.weekday);
    case PART_HOURS: return lw_cel_of_int(c.second_of_day / 3600);
    case PART_MINUTES: return lw_cel_of_int(c.second_of_day / 60 % 60);
    case PART_SECONDS: break;
    }
    return lw_cel_of_int(c.second_of_day % 60);
}

lw_cel_value lw_cel_fn_year(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    return get(run, args, count, PART_YEAR);
}

lw_cel_value lw_cel_fn_month(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    return get(run, args, count, PART_MONTH);
}

lw_cel_value lw_cel_fn_day_of_year(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    return get(run, args, count, PART_DAY_OF_YEAR);
}

lw_cel_value lw_cel_fn_day_of_month(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    return get(run, args, count, PART_DAY);
}

lw_cel_value lw_cel_fn_date(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    return get(run, args, count, PART_DATE);
}

lw_cel_value lw_cel_fn_day_of_week(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    return get(run, args, count, PART_WEEKDAY);
}

lw_cel_value lw_cel_fn_hours(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    return args[0].kind == LW_CEL_DURATION ? lw_cel_of_int(args[0].integer / HOUR_NS)
                                           : get(run, args, count, PART_HOURS);
}

lw_cel_value lw_cel_fn_minutes(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    return args[0].kind == LW_CEL_DURATION ? lw_cel_of_int(args[0].integer / MINUTE_NS)
                                           : get(run, args, count, PART_MINUTES);
}

lw_cel_value lw_cel_fn_seconds(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    return args[0].kind == LW_CEL_DURATION ? lw_cel_of_int(args[0].integer / SECOND_NS)
                                           : get(run, args, count, PART_SECONDS);
}

lw_cel_value lw_cel_fn_milliseconds(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    calendar c;
    lw_cel_value error;
    if (args[0].kind == LW_CEL_DURATION)
        return lw_cel_of_int(args[0].integer / 1000000);
    if (!read_calendar(run, args, count, &c, &error))
        return error;
    return lw_cel_of_int(args[0].time.ns / 1000000);
}
