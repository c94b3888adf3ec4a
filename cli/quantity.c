/* SPDX-License-Identifier: Apache-2.0 */
/* quantity.c -- parses sizes, durations and counts of the command line. */
#include "quantity.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A duration in nanoseconds must fit into an int64_t. */
#define DURATION_MAX_S (INT64_MAX / 1000000000)

/* A unit and its factor. */
typedef struct unit {
    const char *name;
    uint64_t factor;
} unit;

/* Parses digits followed by one of |units|; the result must be from 1 to |max|. */
static bool parse(const char *text, const unit *units, size_t count, uint64_t max, uint64_t *out)
{
    char *end = NULL;
    if (text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (errno != 0 || number == 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(end, units[i].name) != 0)
            continue;
        if (number > max / units[i].factor)
            return false;
        *out = number * units[i].factor;
        return true;
    }
    return false;
}

bool quantity_parse_size(const char *text, uint64_t *bytes)
{
    static const unit units[] = {
        { "", 1 },         { "K", 1 << 10 },   { "Ki", 1 << 10 },  { "KiB", 1 << 10 },
        { "M", 1 << 20 },  { "Mi", 1 << 20 },  { "MiB", 1 << 20 }, { "G", 1 << 30 },
        { "Gi", 1 << 30 }, { "GiB", 1 << 30 },
    };
    return parse(text, units, sizeof(units) / sizeof(units[0]), INT64_MAX, bytes);
}

/* Takes a number at the start of |*text|, in thousandths; at most three decimals. */
static bool take_number(const char **text, int64_t *thousandths)
{
    char *end = NULL;
    if ((*text)[0] < '0' || (*text)[0] > '9')
        return false;
    errno = 0;
    unsigned long long whole = strtoull(*text, &end, 10);
    if (errno != 0 || whole > DURATION_MAX_S)
        return false;
    *thousandths = (int64_t)whole * 1000;
    if (*end == '.') {
        end++;
        for (int64_t place = 100; *end >= '0' && *end <= '9'; end++, place /= 10)
            *thousandths += (*end - '0') * place;
    }
    *text = end;
    return true;
}

/* Takes a unit at the start of |*text|; its milliseconds, or 0. */
static int64_t take_unit(const char **text)
{
    static const struct {
        const char *name;
        int64_t ms;
    } units[] = {
        { "ms", 1 }, { "s", 1000 }, { "m", 60000 }, { "h", 3600000 }, { "d", 86400000 },
    };
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        size_t len = strlen(units[i].name);
        if (strncmp(*text, units[i].name, len) != 0)
            continue;
        *text += len;
        return units[i].ms;
    }
    return 0;
}

bool quantity_parse_seconds(const char *text, int64_t *seconds)
{
    int64_t ms = 0;
    for (bool is_first = true; is_first || *text != '\0'; is_first = false) {
        int64_t number, part;
        if (!take_number(&text, &number))
            return false;
        int64_t factor = is_first && *text == '\0' ? 1000 : take_unit(&text);
        if (factor == 0 || __builtin_mul_overflow(number, factor, &part) ||
            __builtin_add_overflow(ms, part / 1000, &ms))
            return false;
    }
    /* Less than a second is one: no option knows shorter times, and 0 means its default. */
    *seconds = ms / 1000 + (ms % 1000 > 0);
    return *seconds > 0 && *seconds <= DURATION_MAX_S;
}

bool quantity_parse_count(const char *text, unsigned *count)
{
    static const unit none = { "", 1 };
    uint64_t value = 0;
    if (strcmp(text, "0") != 0 && !parse(text, &none, 1, UINT_MAX, &value))
        return false;
    *count = (unsigned)value;
    return true;
}
