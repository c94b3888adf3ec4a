/* SPDX-License-Identifier: Apache-2.0 */
/* zone_rule.c -- parses POSIX TZ strings (POSIX.1-2017 8.3; RFC 8536 3.3.1 allows times from -167
 * to 167). */
#include "cronjob/zone_rule.h"

enum {
    MINUTE_S = 60,
    HOUR_S = 3600,
    RULE_HOURS_MAX = 167,
    OFFSET_HOURS_MAX = 24,
    CHANGE_HOUR = 2, /* default time of a change */
};

static bool is_at_end(lw_str text)
{
    return text.len == 0;
}

static bool take_char(lw_str *text, char c)
{
    if (is_at_end(*text) || text->ptr[0] != c)
        return false;
    *text = lw_str_make(text->ptr + 1, text->len - 1);
    return true;
}

static bool take_number(lw_str *text, int max, int *out)
{
    int value = 0;
    size_t at = 0;
    for (; at < text->len && text->ptr[at] >= '0' && text->ptr[at] <= '9' && value <= max; at++)
        value = value * 10 + (text->ptr[at] - '0');
    *text = lw_str_make(text->ptr + at, text->len - at);
    *out = value;
    return at > 0 && value <= max;
}

/* Skips "<+03>" or at least three letters. */
static bool take_name(lw_str *text)
{
    size_t at = 0;
    bool is_quoted = take_char(text, '<');
    while (at < text->len &&
           (is_quoted ? text->ptr[at] != '>'
                      : (text->ptr[at] | ' ') >= 'a' && (text->ptr[at] | ' ') <= 'z'))
        at++;
    *text = lw_str_make(text->ptr + at, text->len - at);
    return at >= 3 && (!is_quoted || take_char(text, '>'));
}

/* Parses [+-]hh[:mm[:ss]]. */
static bool take_time(lw_str *text, int hours_max, int64_t *out)
{
    int hours = 0, minutes = 0, seconds = 0;
    bool is_negative = take_char(text, '-');
    if (!is_negative)
        (void)take_char(text, '+');
    if (!take_number(text, hours_max, &hours))
        return false;
    if (take_char(text, ':') && !take_number(text, MINUTE_S - 1, &minutes))
        return false;
    if (take_char(text, ':') && !take_number(text, MINUTE_S - 1, &seconds))
        return false;
    *out = (int64_t)hours * HOUR_S + minutes * MINUTE_S + seconds;
    *out = is_negative ? -*out : *out;
    return true;
}

static bool take_day(lw_str *text, lw_zone_day *day)
{
    *day = (lw_zone_day){ .form = 'n', .time_s = CHANGE_HOUR * HOUR_S };
    if (take_char(text, 'M')) {
        day->form = 'M';
        if (!take_number(text, 12, &day->month) || !take_char(text, '.') ||
            !take_number(text, 5, &day->week) || !take_char(text, '.') ||
            !take_number(text, 6, &day->weekday) || day->month < 1 || day->week < 1)
            return false;
    } else {
        day->form = take_char(text, 'J') ? 'J' : 'n';
        if (!take_number(text, 365, &day->day) || (day->form == 'J' && day->day < 1))
            return false;
    }
    return !take_char(text, '/') || take_time(text, RULE_HOURS_MAX, &day->time_s);
}

bool lw_zone_rule_parse(lw_zone_rule *rule, lw_str text)
{
    int64_t behind = 0;
    *rule = (lw_zone_rule){ 0 };
    if (!take_name(&text) || !take_time(&text, OFFSET_HOURS_MAX, &behind))
        return false;
    rule->offset_s = -behind;
    if (is_at_end(text))
        return true;
    rule->has_summer = true;
    rule->summer_offset_s = rule->offset_s + HOUR_S;
    if (!take_name(&text))
        return false;
    if (!is_at_end(text) && text.ptr[0] != ',') {
        if (!take_time(&text, OFFSET_HOURS_MAX, &behind))
            return false;
        rule->summer_offset_s = -behind;
    }
    return take_char(&text, ',') && take_day(&text, &rule->start) && take_char(&text, ',') &&
           take_day(&text, &rule->end) && is_at_end(text);
}

/* Returns the day in |year|, in days since 1970. */
static int64_t day_of(const lw_zone_day *day, int64_t year)
{
    int64_t first = lw_civil_days(year, 1, 1);
    if (day->form == 'J') {
        bool is_after_february = day->day >= 60;
        return first + day->day - 1 + (is_after_february && lw_civil_is_leap_year(year));
    }
    if (day->form == 'n')
        return first + day->day;
    first = lw_civil_days(year, day->month, 1);
    int64_t at = first + (day->weekday - lw_civil_weekday(first) + 7) % 7 + (day->week - 1) * 7;
    return at >= first + lw_civil_month_days(year, day->month) ? at - 7 : at;
}

int64_t lw_zone_rule_offset(const lw_zone_rule *rule, int64_t utc_s)
{
    if (!rule->has_summer)
        return rule->offset_s;
    lw_civil now = lw_civil_of(utc_s + rule->offset_s);
    int64_t start =
        day_of(&rule->start, now.year) * LW_S_PER_DAY + rule->start.time_s - rule->offset_s;
    int64_t end =
        day_of(&rule->end, now.year) * LW_S_PER_DAY + rule->end.time_s - rule->summer_offset_s;
    bool is_summer = start < end ? utc_s >= start && utc_s < end : utc_s >= start || utc_s < end;
    return is_summer ? rule->summer_offset_s : rule->offset_s;
}
