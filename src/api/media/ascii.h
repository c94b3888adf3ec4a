/* SPDX-License-Identifier: Apache-2.0 */
/* ascii.h -- case-insensitive comparison of HTTP tokens, independent of the locale. */
#ifndef LW_API_MEDIA_ASCII_H
#define LW_API_MEDIA_ASCII_H

#include <listwatch/str.h>

static inline char lw_ascii_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Returns true if both are equal, ignoring the case of ASCII letters. */
static inline bool lw_ascii_equal(lw_str a, lw_str b)
{
    if (a.len != b.len)
        return false;
    for (size_t i = 0; i < a.len; i++) {
        if (lw_ascii_lower(a.ptr[i]) != lw_ascii_lower(b.ptr[i]))
            return false;
    }
    return true;
}

#endif
