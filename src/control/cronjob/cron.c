/* SPDX-License-Identifier: Apache-2.0 */
/* cron.c -- computes the times of a schedule: starts at a minute and skips what does not match,
 * largest unit first. */
#include "cronjob/cron.h"

#include <string.h>

#include "runtime/fields.h"
#include "runtime/report.h"

enum {
    MINUTE_S = 60,
    HOUR_S = 3600,
    YEARS_MAX = 5, /* a 29 February occurs within eight years, but Kubernetes stops here, too */
};

static bool has_bit(uint64_t set, int bit)
{
    return (set >> bit & 1) != 0;
}

static lw_civil local_of(const lw_zone *zone, int64_t utc_s)
{
    return lw_civil_of(utc_s + lw_zone_offset(zone, utc_s));
}

static bool is_day(const lw_cron *c, const lw_civil *at)
{
    bool by_day = has_bit(c->days, at->day), by_weekday = has_bit(c->weekdays, at->weekday);
    return c->is_any_day || c->is_any_weekday ? by_day && by_weekday : by_day || by_weekday;
}

/* The first moment of a later local day, |days| after that of |t|.  Where the clocks were changed
 * meanwhile, midnight is not where it was expected. */
static int64_t day_after(const lw_zone *zone, int64_t t, const lw_civil *at, int days)
{
    int64_t to = t + days * LW_S_PER_DAY - at->hour * HOUR_S - at->minute * MINUTE_S;
    lw_civil there = local_of(zone, to);
    int64_t past_s = there.hour * HOUR_S + there.minute * MINUTE_S;
    if (there.hour >= 12) /* the evening before */
        return to + LW_S_PER_DAY - past_s;
    lw_civil back = local_of(zone, to - past_s);
    return back.day == there.day && to - past_s > t ? to - past_s : to;
}

int64_t lw_cron_next(const lw_cron *c, const lw_zone *zone, int64_t after_s)
{
    if (c->every_s > 0)
        return after_s + c->every_s;
    int64_t t = (after_s / MINUTE_S + 1) * MINUTE_S;
    int64_t last_year = local_of(zone, t).year + YEARS_MAX;
    for (;;) {
        lw_civil at = local_of(zone, t);
        if (at.year > last_year)
            return -1;
        if (!has_bit(c->months, at.month))
            t = day_after(zone, t, &at, lw_civil_month_days(at.year, at.month) - at.day + 1);
        else if (!is_day(c, &at))
            t = day_after(zone, t, &at, 1);
        else if (!has_bit(c->hours, at.hour))
            t += HOUR_S - at.minute * MINUTE_S - at.second;
        else if (!has_bit(c->minutes, at.minute))
            t += MINUTE_S;
        else
            return t;
    }
}

/* Avoids iterating over very many times: a window that ends now is enough; it is widened until it
 * contains one. */
static int64_t near(const lw_cron *c, const lw_zone *zone, int64_t since_s, int64_t now_s)
{
    for (int64_t window_s = HOUR_S; now_s - window_s > since_s; window_s *= 8) {
        int64_t first = lw_cron_next(c, zone, now_s - window_s);
        if (first >= 0 && first <= now_s)
            return now_s - window_s;
    }
    return since_s;
}

lw_cron_due lw_cron_due_of(const lw_cron *c, const lw_zone *zone, int64_t since_s, int64_t now_s)
{
    lw_cron_due due = { .last_s = -1, .next_s = lw_cron_next(c, zone, since_s) };
    while (due.next_s >= 0 && due.next_s <= now_s && due.missed < LW_CRON_MISSED_MANY) {
        due.last_s = due.next_s;
        due.missed++;
        due.next_s = lw_cron_next(c, zone, due.next_s);
    }
    if (due.next_s < 0 || due.next_s > now_s)
        return due;
    if (c->every_s > 0) {
        due.last_s = now_s - (now_s - since_s) % c->every_s;
        due.next_s = due.last_s + c->every_s;
        return due;
    }
    due.next_s = lw_cron_next(c, zone, near(c, zone, due.last_s, now_s));
    while (due.next_s >= 0 && due.next_s <= now_s) {
        due.last_s = due.next_s;
        due.next_s = lw_cron_next(c, zone, due.next_s);
    }
    return due;
}

enum {
    FIELDS = 5,
    NAME_LEN = 3,
    NUMBER_MAX = 1000,
    EVERY_MAX_S = 10 * 366 * 86400,
};

/* The valid values of a field. */
typedef struct bounds {
    const char *name;
    int min, max;
    const char *words; /* e.g. "jan feb ", beginning with |min|; NULL: numbers only */
} bounds;

static const bounds fields[FIELDS] = {
    { "minute", 0, 59, NULL },
    { "hour", 0, 23, NULL },
    { "day of month", 1, 31, NULL },
    { "month", 1, 12, "jan feb mar apr may jun jul aug sep oct nov dec " },
    { "day of week", 0, 6, "sun mon tue wed thu fri sat " },
};

static const struct {
    const char *name;
    const char *stands_for;
} shorthands[] = {
    { "@yearly", "0 0 1 1 *" }, { "@annually", "0 0 1 1 *" }, { "@monthly", "0 0 1 * *" },
    { "@weekly", "0 0 * * 0" }, { "@daily", "0 0 * * *" },    { "@midnight", "0 0 * * *" },
    { "@hourly", "0 * * * *" },
};

/* Returns the text before |separator| and skips it; all of |*text| if there is none. */
static lw_str take_until(lw_str *text, char separator)
{
    size_t at = 0;
    while (at < text->len && text->ptr[at] != separator)
        at++;
    lw_str taken = lw_str_make(text->ptr, at);
    at += at < text->len;
    *text = lw_str_make(text->ptr + at, text->len - at);
    return taken;
}

static bool has_char(lw_str text, char c)
{
    return text.len > 0 && memchr(text.ptr, c, text.len) != NULL;
}

static bool read_number(lw_str text, int *out)
{
    int value = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9' || value > NUMBER_MAX)
            return false;
        value = value * 10 + (text.ptr[i] - '0');
    }
    *out = value;
    return text.len > 0;
}

/* Parses a number, or a name if the field has names. */
static bool read_value(const bounds *b, lw_str text, int *out)
{
    char word[NAME_LEN + 2];
    if (!b->words || text.len != NAME_LEN || (text.ptr[0] >= '0' && text.ptr[0] <= '9'))
        return read_number(text, out);
    for (size_t i = 0; i < NAME_LEN; i++)
        word[i] = (char)(text.ptr[i] | ' ');
    word[NAME_LEN] = ' ';
    word[NAME_LEN + 1] = '\0';
    const char *found = strstr(b->words, word);
    if (!found || (found - b->words) % (NAME_LEN + 1) != 0)
        return false;
    *out = b->min + (int)(found - b->words) / (NAME_LEN + 1);
    return true;
}

/* Parses "*", "5" or "1-5", each optionally followed by "/2". */
static bool read_range(const bounds *b, lw_str text, uint64_t *bits, bool *is_any)
{
    bool has_step = has_char(text, '/');
    lw_str range = take_until(&text, '/');
    int from = b->min, to = b->max, step = 1;
    bool is_star = lw_text_is(range, "*") || lw_text_is(range, "?");
    if (has_step && (!read_number(text, &step) || step < 1))
        return false;
    if (!is_star) {
        bool has_end = has_char(range, '-');
        lw_str first = take_until(&range, '-');
        if (!read_value(b, first, &from) || (has_end && !read_value(b, range, &to)))
            return false;
        if (!has_end && !has_step)
            to = from;
    }
    if (from < b->min || to > b->max || from > to)
        return false;
    *is_any |= is_star && step == 1;
    for (int i = from; i <= to; i += step)
        *bits |= UINT64_C(1) << i;
    return true;
}

static bool read_field(const bounds *b, lw_str text, uint64_t *bits, bool *is_any)
{
    bool is_last = false;
    while (!is_last) {
        is_last = !has_char(text, ',');
        if (!read_range(b, take_until(&text, ','), bits, is_any))
            return false;
    }
    return true;
}

static lw_str trimmed(lw_str text)
{
    while (text.len > 0 && (text.ptr[0] == ' ' || text.ptr[0] == '\t'))
        text = lw_str_make(text.ptr + 1, text.len - 1);
    while (text.len > 0 && (text.ptr[text.len - 1] == ' ' || text.ptr[text.len - 1] == '\t'))
        text.len--;
    return text;
}

static lw_status parse_fields(lw_cron *c, lw_str text, lw_error *err)
{
    uint64_t *const bits[FIELDS] = { &c->minutes, &c->hours, &c->days, &c->months, &c->weekdays };
    for (size_t i = 0; i < FIELDS; i++) {
        bool is_any = false;
        text = trimmed(text);
        lw_str field = take_until(&text, ' ');
        if (field.len == 0)
            return lw_report_error(err, LW_ERR_INVALID,
                                   "expected exactly 5 fields (minute hour day month weekday)");
        if (!read_field(&fields[i], field, bits[i], &is_any))
            return lw_report_error(err, LW_ERR_INVALID, "%.*s is not a valid %s (%d to %d)",
                                   (int)(field.len < 64 ? field.len : 64), field.ptr,
                                   fields[i].name, fields[i].min, fields[i].max);
        c->is_any_day |= i == 2 && is_any;
        c->is_any_weekday |= i == 4 && is_any;
    }
    if (trimmed(text).len > 0)
        return lw_report_error(err, LW_ERR_INVALID,
                               "expected exactly 5 fields (minute hour day month weekday)");
    return LW_OK;
}

/* Parses "1h30m" to whole seconds. */
static bool read_every(lw_str text, int64_t *out)
{
    static const struct {
        char unit;
        int64_t s;
    } units[] = { { 'h', 3600 }, { 'm', 60 }, { 's', 1 } };
    int64_t total = 0;
    while (text.len > 0) {
        int64_t value = 0, unit_s = 0;
        size_t at = 0;
        for (; at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9'; at++) {
            value = value * 10 + (text.ptr[at] - '0');
            if (value > EVERY_MAX_S)
                return false;
        }
        for (size_t i = 0; at > 0 && at < text.len && i < sizeof(units) / sizeof(units[0]); i++)
            unit_s = text.ptr[at] == units[i].unit ? units[i].s : unit_s;
        total += value * unit_s;
        if (unit_s == 0 || total > EVERY_MAX_S)
            return false;
        text = lw_str_make(text.ptr + at + 1, text.len - at - 1);
    }
    *out = total;
    return total > 0;
}

lw_status lw_cron_parse(lw_cron *c, lw_str text, lw_error *err)
{
    static const char every[] = "@every ";
    *c = (lw_cron){ 0 };
    for (size_t i = 0; i < sizeof(shorthands) / sizeof(shorthands[0]); i++) {
        if (lw_text_is(text, shorthands[i].name))
            return parse_fields(c, lw_str_of(shorthands[i].stands_for), err);
    }
    if (text.len == 0 || text.ptr[0] != '@')
        return parse_fields(c, text, err);
    size_t len = sizeof(every) - 1;
    if (text.len > len && memcmp(text.ptr, every, len) == 0 &&
        read_every(lw_str_make(text.ptr + len, text.len - len), &c->every_s))
        return LW_OK;
    return lw_report_error(err, LW_ERR_INVALID, "%.*s is not a valid schedule",
                           (int)(text.len < 64 ? text.len : 64), text.ptr);
}
