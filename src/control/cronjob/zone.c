/* SPDX-License-Identifier: Apache-2.0 */
/* zone.c -- parses a zone file: the times of clock changes, and a rule for all later ones.  Only
 * the second part of a file, with 64-bit times, is used. */
#include "cronjob/zone.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cronjob/zone_rule.h"
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
