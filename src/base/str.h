/* SPDX-License-Identifier: Apache-2.0 */
/* str.h -- work on string views: compare, trim, cut, read integers. */
#ifndef LW_BASE_STR_H
#define LW_BASE_STR_H

#include <stdint.h>

#include <listwatch/str.h>

/* A view of a string literal. */
#define LW_STR(literal) ((lw_str)LW_STR_INIT(literal))

/* Arguments for "%.*s".  Longer views are cut at INT_MAX. */
#define LW_STR_ARG(s) ((int)((s).len > 0x7fffffff ? 0x7fffffff : (s).len)), ((s).ptr ? (s).ptr : "")

/* What separates words in JSON and in selectors: space, tab, carriage return, newline. */
static inline bool lw_char_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* '0' to '9', whatever the locale. */
static inline bool lw_char_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The value of a hexadecimal digit, or -1. */
static inline int lw_char_hex_value(char c)
{
    if (lw_char_is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* Orders by bytes, a prefix before what it begins: <0, 0, >0. */
int lw_str_compare(lw_str a, lw_str b);

bool lw_str_starts_with(lw_str s, lw_str prefix);
bool lw_str_ends_with(lw_str s, lw_str suffix);

/* |s| without its first |n| bytes (all of them if fewer). */
static inline lw_str lw_str_skip(lw_str s, size_t n)
{
    if (n > s.len)
        n = s.len;
    return n ? lw_str_make(s.ptr + n, s.len - n) : s;
}

/* |s| without spaces, tabs, carriage returns and newlines at both ends. */
lw_str lw_str_trim(lw_str s);

/* Cuts |s| at the first |separator|: |*head| is what comes before, |*tail| after it.  Without the
 * separator the head is all of |s|, the tail is empty, and it returns false. */
bool lw_str_cut(lw_str s, char separator, lw_str *head, lw_str *tail);

/* Reads all of |s| as a decimal integer: optional '-' (int64 only), digits.  Returns false, and
 * leaves |*out| alone, when there is anything else or it does not fit. */
bool lw_str_to_int64(lw_str s, int64_t *out);
bool lw_str_to_uint64(lw_str s, uint64_t *out);

/* A NUL-terminated copy to lw_free, or NULL when out of memory. */
LW_MUST_CHECK char *lw_str_dup(lw_str s);

#endif
