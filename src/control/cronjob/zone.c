/* SPDX-License-Identifier: Apache-2.0 */
/* zone.c -- parses a zone file: the times of clock changes, and a rule for all later ones.  Only
 * the second part of a file, with 64-bit times, is used. */
#include "cronjob/zone.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/report.h"

enum {
    HEADER_SIZE = 44,
    TYPE_SIZE = 6,
    NAME_MAX_LEN = 64,
    OFFSET_MAX_S = 26 * 3600,
};

struct lw_zone {
    size_t count; /* number of changes */
    int64_t *transitions;
    int64_t *offsets; /* offset from that time on */
    int64_t before_s; /* offset to UTC before the first change */
    bool has_rule;
    lw_zone_rule rule; /* for times after the last change */
};

/* The counts of a header. */
typedef struct counts {
    size_t isut, isstd, leap, transitions, types, chars;
} counts;

static uint64_t big_endian(const unsigned char *bytes, int size)
{
    uint64_t value = 0;
    for (int i = 0; i < size; i++)
        value = value << 8 | bytes[i];
    return value;
}

static bool read_header(const unsigned char *bytes, size_t len, counts *c)
{
    if (len < HEADER_SIZE || memcmp(bytes, "TZif", 4) != 0)
        return false;
    size_t *const fields[] = {
        &c->isut, &c->isstd, &c->leap, &c->transitions, &c->types, &c->chars
    };
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        *fields[i] = big_endian(bytes + 20 + 4 * i, 4);
        if (*fields[i] > LW_ZONE_FILE_MAX)
            return false;
    }
    return c->types > 0;
}

static size_t data_size(const counts *c, size_t time_size)
{
    return c->transitions * (time_size + 1) + c->types * TYPE_SIZE + c->chars +
           c->leap * (time_size + 4) + c->isstd + c->isut;
}

static bool read_offset(const unsigned char *types, const counts *c, size_t type, int64_t *out)
{
    if (type >= c->types)
        return false;
    *out = (int32_t)(uint32_t)big_endian(types + type * TYPE_SIZE, 4);
    return *out >= -OFFSET_MAX_S && *out <= OFFSET_MAX_S;
}

/* |data| contains what |c| counts. */
static bool read_data(lw_zone *z, const unsigned char *data, const counts *c)
{
    const unsigned char *kinds = data + c->transitions * 8, *types = kinds + c->transitions;
    z->count = c->transitions;
    for (size_t i = 0; i < c->transitions; i++) {
        z->transitions[i] = (int64_t)big_endian(data + i * 8, 8);
        if (!read_offset(types, c, kinds[i], &z->offsets[i]) ||
            (i > 0 && z->transitions[i] <= z->transitions[i - 1]))
            return false;
    }
    return read_offset(types, c, 0, &z->before_s);
}

/* Parses "
 * RULE
 * "; an empty rule is ignored. */
static bool read_footer(lw_zone *z, const unsigned char *bytes, size_t len)
{
    const unsigned char *end =
        len > 1 && bytes[0] == '\n' ? memchr(bytes + 1, '\n', len - 1) : NULL;
    if (!end)
        return false;
    lw_str text = lw_str_make((const char *)bytes + 1, (size_t)(end - bytes) - 1);
    z->has_rule = text.len > 0;
    return !z->has_rule || lw_zone_rule_parse(&z->rule, text);
}

static lw_status read_file(lw_zone *z, const unsigned char *bytes, size_t len)
{
    counts c;
    if (!read_header(bytes, len, &c) || bytes[4] < '2') /* version 1 has no second part */
        return LW_ERR_INVALID;
    size_t skip = HEADER_SIZE + data_size(&c, 4);
    if (skip > len || !read_header(bytes + skip, len - skip, &c))
        return LW_ERR_INVALID;
    bytes += skip + HEADER_SIZE;
    len -= skip + HEADER_SIZE;
    size_t size = data_size(&c, 8);
    if (size > len)
        return LW_ERR_INVALID;
    z->transitions = calloc(c.transitions + 1, sizeof(*z->transitions));
    z->offsets = calloc(c.transitions + 1, sizeof(*z->offsets));
    if (!z->transitions || !z->offsets)
        return LW_ERR_NOMEM;
    bool is_right = read_data(z, bytes, &c) && read_footer(z, bytes + size, len - size);
    return is_right ? LW_OK : LW_ERR_INVALID;
}

lw_status lw_zone_parse(lw_zone **out, const unsigned char *bytes, size_t len, lw_error *err)
{
    lw_zone *z = calloc(1, sizeof(*z));
    if (!z)
        return lw_report_nomem(err);
    lw_status st = read_file(z, bytes, len);
    if (st == LW_OK) {
        *out = z;
        return LW_OK;
    }
    lw_zone_free(z);
    return lw_report_error(err, st, "%s",
                           st == LW_ERR_NOMEM ? "out of memory"
                                              : "cannot parse the time zone file");
}

void lw_zone_free(lw_zone *z)
{
    if (!z)
        return;
    free(z->transitions);
    free(z->offsets);
    free(z);
}

/* Letters, digits, '_', '+' and '-', separated by '/': cannot leave the directory. */
static bool is_name(const char *name)
{
    size_t len = strlen(name);
    bool is_part_begin = true;
    for (size_t i = 0; i < len; i++) {
        char c = name[i], lower = (char)(c | ' ');
        bool is_word = (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
                       c == '+' || c == '-';
        if (!is_word && (c != '/' || is_part_begin))
            return false;
        is_part_begin = c == '/';
    }
    return len > 0 && len <= NAME_MAX_LEN && !is_part_begin;
}

static size_t read_whole(int fd, unsigned char bytes[LW_ZONE_FILE_MAX])
{
    size_t len = 0;
    ssize_t got;
    while (len < LW_ZONE_FILE_MAX && (got = read(fd, bytes + len, LW_ZONE_FILE_MAX - len)) > 0)
        len += (size_t)got;
    return len;
}

lw_status lw_zone_load(lw_zone **out, const char *folder, const char *name, lw_error *err)
{
    char path[512];
    if (!is_name(name) || snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
        return lw_report_error(err, LW_ERR_INVALID, "%.64s is not a time zone name", name);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return lw_report_error(err, LW_ERR_NOT_FOUND, "unknown time zone %s", name);
    unsigned char *bytes = malloc(LW_ZONE_FILE_MAX);
    lw_status st =
        bytes ? lw_zone_parse(out, bytes, read_whole(fd, bytes), err) : lw_report_nomem(err);
    free(bytes);
    (void)close(fd);
    return st;
}

int64_t lw_zone_offset(const lw_zone *z, int64_t utc_s)
{
    size_t low = 0, high = z ? z->count : 0; /* low is the number of changes at or before |utc_s| */
    if (!z)
        return 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (z->transitions[middle] <= utc_s)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == z->count && z->has_rule)
        return lw_zone_rule_offset(&z->rule, utc_s);
    return low > 0 ? z->offsets[low - 1] : z->before_s;
}

/* Parses POSIX TZ strings (POSIX.1-2017 8.3; RFC 8536 3.3.1 allows times from -167
 * to 167). */

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
