/* SPDX-License-Identifier: Apache-2.0 */
/* str.c -- string views. */
#include "base/str.h"

#include "base/alloc.h"

int lw_str_compare(lw_str a, lw_str b)
{
    size_t shared = a.len < b.len ? a.len : b.len;
    int order = shared ? memcmp(a.ptr, b.ptr, shared) : 0;
    if (order != 0)
        return order;
    return (a.len > b.len) - (a.len < b.len);
}

bool lw_str_starts_with(lw_str s, lw_str prefix)
{
    return s.len >= prefix.len && lw_str_equal(lw_str_make(s.ptr, prefix.len), prefix);
}

bool lw_str_ends_with(lw_str s, lw_str suffix)
{
    return s.len >= suffix.len && lw_str_equal(lw_str_skip(s, s.len - suffix.len), suffix);
}

lw_str lw_str_trim(lw_str s)
{
    while (s.len > 0 && lw_char_is_blank(s.ptr[s.len - 1]))
        s.len--;
    while (s.len > 0 && lw_char_is_blank(s.ptr[0]))
        s = lw_str_skip(s, 1);
    return s;
}

bool lw_str_cut(lw_str s, char separator, lw_str *head, lw_str *tail)
{
    const char *at = s.len ? memchr(s.ptr, separator, s.len) : NULL;
    if (!at) {
        *head = s;
        *tail = lw_str_make(NULL, 0);
        return false;
    }
    size_t before = (size_t)(at - s.ptr);
    *head = lw_str_make(s.ptr, before);
    *tail = lw_str_skip(s, before + 1);
    return true;
}

bool lw_str_to_uint64(lw_str s, uint64_t *out)
{
    uint64_t value = 0;
    if (s.len == 0)
        return false;
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] < '0' || s.ptr[i] > '9')
            return false;
        uint64_t digit = (uint64_t)(s.ptr[i] - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *out = value;
    return true;
}

bool lw_str_to_int64(lw_str s, int64_t *out)
{
    bool negative = s.len > 0 && s.ptr[0] == '-';
    uint64_t magnitude;
    if (!lw_str_to_uint64(negative ? lw_str_skip(s, 1) : s, &magnitude))
        return false;
    if (magnitude > (uint64_t)INT64_MAX + (negative ? 1 : 0))
        return false;
    /* -magnitude in two steps: -INT64_MIN does not fit into int64_t. */
    *out = negative ? (magnitude == 0 ? 0 : -(int64_t)(magnitude - 1) - 1) : (int64_t)magnitude;
    return true;
}

char *lw_str_dup(lw_str s)
{
    char *copy = lw_alloc(s.len + 1);
    if (!copy)
        return NULL;
    if (s.len > 0)
        memcpy(copy, s.ptr, s.len);
    copy[s.len] = '\0';
    return copy;
}
