/* SPDX-License-Identifier: Apache-2.0 */
/* quantity.c -- parses sizes, durations and counts of the command line. */
#include "quantity.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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

bool quantity_parse_seconds(const char *text, int64_t *seconds)
{
    static const unit units[] = {
        { "", 1 }, { "s", 1 }, { "m", 60 }, { "h", 3600 }, { "d", 24 * 3600 },
    };
    /* The duration in nanoseconds must fit into an int64_t. */
    uint64_t value = 0;
    if (!parse(text, units, sizeof(units) / sizeof(units[0]), INT64_MAX / 1000000000, &value))
        return false;
    *seconds = (int64_t)value;
    return true;
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
