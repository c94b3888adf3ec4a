/* SPDX-License-Identifier: Apache-2.0 */
/* str.h -- functions for string views: compare, trim, split, parse integers. */
#ifndef LW_BASE_STR_H
#define LW_BASE_STR_H

#include <stdint.h>
#include <string.h>

#include <listwatch/str.h>

/* Makes a view of a string literal. */
#define LW_STR(literal) ((lw_str)LW_STR_INIT(literal))

/* Arguments for "%.*s".  Longer views are truncated at INT_MAX. */
#define LW_STR_ARG(s) ((int)((s).len > 0x7fffffff ? 0x7fffffff : (s).len)), ((s).ptr ? (s).ptr : "")

/* Returns true for white space in JSON and in selectors: space, tab, carriage return, newline. */
static inline bool lw_char_is_blank(char c)
{
    return (unsigned char)c <= ' ' && (c == ' ' || c == '\t' || c == '\r' || c == '\n');
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

/* Returns true if the |len| bytes are equal; for names, most of which are short, so that a call of
 * memcmp would take longer. */
static inline bool lw_str_same(const char *a, const char *b, size_t len)
{
    uint64_t x, y;
    uint32_t u, v;
    if (len > 2 * sizeof(x))
        return memcmp(a, b, len) == 0;
    if (len >= sizeof(x)) { /* two halves, which overlap */
        memcpy(&x, a, sizeof(x));
        memcpy(&y, b, sizeof(y));
        if (x != y)
            return false;
        memcpy(&x, a + len - sizeof(x), sizeof(x));
        memcpy(&y, b + len - sizeof(y), sizeof(y));
        return x == y;
    }
    if (len >= sizeof(u)) {
        memcpy(&u, a, sizeof(u));
        memcpy(&v, b, sizeof(v));
        if (u != v)
            return false;
        memcpy(&u, a + len - sizeof(u), sizeof(u));
        memcpy(&v, b + len - sizeof(v), sizeof(v));
        return u == v;
    }
    return len == 0 || (a[0] == b[0] && a[len / 2] == b[len / 2] && a[len - 1] == b[len - 1]);
}

/* Compares by bytes, a prefix first: <0, 0, >0. */
int lw_str_compare(lw_str a, lw_str b);

bool lw_str_starts_with(lw_str s, lw_str prefix);
bool lw_str_ends_with(lw_str s, lw_str suffix);

/* Returns |s| without its first |n| bytes (empty if there are fewer). */
static inline lw_str lw_str_skip(lw_str s, size_t n)
{
    if (n > s.len)
        n = s.len;
    return n ? lw_str_make(s.ptr + n, s.len - n) : s;
}

/* Returns |s| without white space at both ends. */
lw_str lw_str_trim(lw_str s);

/* Splits |s| at the first |separator|: |*head| is the part before, |*tail| the part after it.
 * Without a separator, returns false, the head is all of |s| and the tail is empty. */
bool lw_str_cut(lw_str s, char separator, lw_str *head, lw_str *tail);

/* Parse all of |s| as a decimal integer: optional '-' (int64 only), digits.  Return false and leave
 * |*out| unchanged if there is anything else or the number is out of range. */
bool lw_str_to_int64(lw_str s, int64_t *out);
bool lw_str_to_uint64(lw_str s, uint64_t *out);

/* Returns a NUL-terminated copy, which the caller frees with lw_free; NULL if memory runs out. */
LW_MUST_CHECK char *lw_str_dup(lw_str s);

#endif
