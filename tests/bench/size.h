/* SPDX-License-Identifier: Apache-2.0 */
/* size.h -- "256M" on a command line. */
#ifndef LW_TESTS_BENCH_SIZE_H
#define LW_TESTS_BENCH_SIZE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/str.h"

/* Reads digits and an optional K, M or G (powers of 1024); false when it is anything else. */
static inline bool parse_size(const char *text, uint64_t *out)
{
    static const char units[] = "KMG";
    lw_str s = lw_str_of(text);
    unsigned shift = 0;
    const char *unit = s.len > 1 ? strchr(units, s.ptr[s.len - 1]) : NULL;
    if (unit && *unit) {
        shift = 10 * (unsigned)(unit - units + 1);
        s.len--;
    }
    uint64_t number;
    if (!lw_str_to_uint64(s, &number) || number > UINT64_MAX >> shift)
        return false;
    *out = number << shift;
    return true;
}

#endif
