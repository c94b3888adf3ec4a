/* SPDX-License-Identifier: Apache-2.0 */
/* times.c -- moments and durations.  Time zones are UTC or an offset such as +01:00: there is no
 * database of them here. */
#include "base/str.h"
#include "base/text/duration.h"
#include "cel/functions.h"

#define MINUTE_NS (60 * LW_NS_PER_S)
#define HOUR_NS   (60 * MINUTE_NS)
#define DAY_NS    (24 * HOUR_NS)

/* The years 1 to 9999. */
#define TIME_MIN INT64_C(-62135596800)
#define TIME_MAX INT64_C(253402300799)

bool lw_cel_time_add(lw_time time, int64_t ns, lw_time *out)
{
    int64_t rest = time.ns + ns % LW_NS_PER_S, s = time.s + ns / LW_NS_PER_S;
    if (rest < 0) {
        rest += LW_NS_PER_S;
        s--;
    } else if (rest >= LW_NS_PER_S) {
        rest -= LW_NS_PER_S;
        s++;
    }
    if (s < TIME_MIN || s > TIME_MAX)
        return false;
    *out = (lw_time){ s, (int32_t)rest };
    return true;
}

/* Units in words, as schemas have them: "3 days". */
static int64_t long_unit_of(lw_str name)
{
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = {
        { "d", DAY_NS },           { "day", DAY_NS },
        { "days", DAY_NS },        { "w", 7 * DAY_NS },
        { "wk", 7 * DAY_NS },      { "week", 7 * DAY_NS },
        { "weeks", 7 * DAY_NS },   { "hr", HOUR_NS },
        { "hour", HOUR_NS },       { "hours", HOUR_NS },
        { "min", MINUTE_NS },      { "minute", MINUTE_NS },
        { "minutes", MINUTE_NS },  { "sec", LW_NS_PER_S },
        { "second", LW_NS_PER_S }, { "seconds", LW_NS_PER_S },
    };
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (lw_str_equal(name, lw_str_of(units[i].name)))
            return units[i].ns;
    }
    return lw_go_duration_unit(name);
}

static bool parse_go(lw_str text, int64_t *out)
{
    lw_str unit;
    return lw_go_duration_parse(text, out, &unit) == LW_GO_DURATION_OK;
}

bool lw_cel_duration_parse(lw_str text, int64_t *out)
{
    int64_t amount;
    size_t len = 0;
    if (parse_go(text, out))
        return true;
    while (len < text.len && lw_char_is_digit(text.ptr[len]))
        len++;
    if (!lw_str_to_int64(lw_str_make(text.ptr, len), &amount))
        return false;
    int64_t unit = long_unit_of(lw_str_trim(lw_str_skip(text, len)));
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

/* The date of args[0] in the zone args[1]; false: an error in |*error|. */
static bool read_date(lw_cel_run *run, const lw_cel_value *args, size_t count, lw_civil *out,
                      lw_cel_value *error)
{
    int64_t offset = 0;
    if (count > 1 && !parse_zone(args[1].text, &offset)) {
        *error = lw_cel_fail(run, "unknown time zone %.*s: use UTC or an offset such as +01:00",
                             LW_STR_ARG(args[1].text));
        return false;
    }
    *out = lw_civil_of(args[0].time.s + offset);
    return true;
}

/* The calendar field that a getter returns. */
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
    lw_civil c;
    lw_cel_value error;
    if (!read_date(run, args, count, &c, &error))
        return error;
    switch (which) {
    case PART_YEAR: return lw_cel_of_int(c.year);
    case PART_MONTH: return lw_cel_of_int(c.month - 1);
    case PART_DAY_OF_YEAR:
        return lw_cel_of_int(lw_civil_days(c.year, c.month, c.day) - lw_civil_days(c.year, 1, 1));
    case PART_DAY: return lw_cel_of_int(c.day - 1);
    case PART_DATE: return lw_cel_of_int(c.day);
    case PART_WEEKDAY: return lw_cel_of_int(c.weekday);
    case PART_HOURS: return lw_cel_of_int(c.hour);
    case PART_MINUTES: return lw_cel_of_int(c.minute);
    case PART_SECONDS: break;
    }
    return lw_cel_of_int(c.second);
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
    return args[0].kind == LW_CEL_DURATION ? lw_cel_of_int(args[0].integer / LW_NS_PER_S)
                                           : get(run, args, count, PART_SECONDS);
}

lw_cel_value lw_cel_fn_milliseconds(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_civil c;
    lw_cel_value error;
    if (args[0].kind == LW_CEL_DURATION)
        return lw_cel_of_int(args[0].integer / 1000000);
    if (!read_date(run, args, count, &c, &error))
        return error;
    return lw_cel_of_int(args[0].time.ns / 1000000);
}
