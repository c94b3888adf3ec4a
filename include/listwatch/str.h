/* SPDX-License-Identifier: Apache-2.0 */
/* str.h -- a string view: pointer and length, not NUL-terminated.
 *
 * A view is passed by value.  It does not own its bytes and is valid only as long as they are. */
#ifndef LISTWATCH_STR_H
#define LISTWATCH_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <listwatch/api.h>

LW_BEGIN_DECLS

typedef struct lw_str {
    const char *ptr; /* may be NULL if len is 0 */
    size_t len;
} lw_str;

/* Returns a view of the |len| bytes at |ptr|. */
static inline lw_str lw_str_make(const char *ptr, size_t len)
{
    lw_str s;
    s.ptr = ptr;
    s.len = len;
    return s;
}

/* Returns a view of the NUL-terminated |text|; NULL gives the empty view. */
static inline lw_str lw_str_of(const char *text)
{
    return lw_str_make(text, text ? strlen(text) : 0);
}

/* Initialises a view with a string literal; it may be used in constant initialisers. */
#define LW_STR_INIT(literal)                                                                       \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }

/* Returns true if |s| is empty. */
static inline bool lw_str_is_empty(lw_str s)
{
    return s.len == 0;
}

/* Returns true if both views have the same bytes. */
static inline bool lw_str_equal(lw_str a, lw_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

LW_END_DECLS

#endif
