/* SPDX-License-Identifier: Apache-2.0 */
/* cron_parse.c -- parses a schedule field by field. */
#include <string.h>

#include "cronjob/cron.h"
#include "runtime/fields.h"
#include "runtime/report.h"

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
