/* SPDX-License-Identifier: Apache-2.0 */
/* zone_file.h -- zone files for tests, so that none of the system's is needed. */
#ifndef LW_TESTS_UNIT_CONTROL_ZONE_FILE_H
#define LW_TESTS_UNIT_CONTROL_ZONE_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "control/cronjob/zone.h"
#include "unit/test.h"

enum {
    ZONE_FILE_SIZE = 512,
};

static inline size_t put_number(unsigned char *to, uint64_t value, int size)
{
    for (int i = 0; i < size; i++)
        to[i] = (unsigned char)(value >> 8 * (size - 1 - i));
    return (size_t)size;
}

static inline size_t put_header(unsigned char *to, unsigned changes, unsigned types)
{
    const unsigned counts[] = { 0, 0, 0, changes, types, 4 };
    size_t len = 20;
    memset(to, 0, 20);
    memcpy(to, "TZif2", 5);
    for (size_t i = 0; i < 6; i++)
        len += put_number(to + len, counts[i], 4);
    return len;
}

/* One with two kinds of time, |offsets|, that change at |moments| to the second and back, and go on
 * by |rule|.  Returns its size. */
static inline size_t zone_file(unsigned char to[ZONE_FILE_SIZE], const int32_t offsets[2],
                               const int64_t moments[2], const char *rule)
{
    size_t len = put_header(to, 0, 1);
    memset(to + len, 0, 10); /* one type, four characters */
    len += 10;
    len += put_header(to + len, 2, 2);
    len += put_number(to + len, (uint64_t)moments[0], 8);
    len += put_number(to + len, (uint64_t)moments[1], 8);
    to[len++] = 1;
    to[len++] = 0;
    for (size_t i = 0; i < 2; i++) {
        len += put_number(to + len, (uint32_t)offsets[i], 4);
        len += put_number(to + len, i << 8, 2);
    }
    memcpy(to + len, "ABC", 4);
    len += 4;
    return len + (size_t)snprintf((char *)to + len, ZONE_FILE_SIZE - len, "\n%s\n", rule);
}

/* Central Europe: the rule for later times. */
static inline lw_zone *berlin(void)
{
    unsigned char bytes[ZONE_FILE_SIZE];
    lw_zone *zone = NULL;
    size_t len = zone_file(bytes, (const int32_t[]){ 3600, 7200 }, (const int64_t[]){ 1000, 2000 },
                           "CET-1CEST,M3.5.0,M10.5.0/3");
    assert_int_equal(lw_zone_parse(&zone, bytes, len, NULL), LW_OK);
    return zone;
}

#endif
