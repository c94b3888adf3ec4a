/* SPDX-License-Identifier: Apache-2.0 */
/* key.h -- the name of an object among those of its kind: namespace and name. */
#ifndef LISTWATCH_KEY_H
#define LISTWATCH_KEY_H

#include <stdbool.h>
#include <stddef.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

LW_BEGIN_DECLS

/* Two views; they die with what they point into. */
typedef struct lw_key {
    lw_str ns; /* empty when the kind has no namespaces */
    lw_str name;
} lw_key;

/* Views of two NUL-terminated strings; |ns| may be NULL. */
static inline lw_key lw_key_make(const char *ns, const char *name)
{
    lw_key key;
    key.ns = lw_str_of(ns);
    key.name = lw_str_of(name);
    return key;
}

/* True when namespace and name are the same. */
static inline bool lw_key_equal(lw_key a, lw_key b)
{
    return lw_str_equal(a.name, b.name) && lw_str_equal(a.ns, b.ns);
}

/* Orders by the bytes of the namespace, then of the name, as lists are ordered: <0, 0, >0. */
LW_API int lw_key_compare(lw_key a, lw_key b);

/* Reads "ns/name" or "name" into views of |text|.  LW_ERR_INVALID: more than one '/'. */
LW_API lw_status lw_key_parse(lw_str text, lw_key *key, lw_error *err);

/* Prints "ns/name", or "name" without a namespace, into |dst| of |size| bytes as snprintf does: cut
 * to fit, always terminated when size > 0, and returns the length of the whole text. */
LW_API size_t lw_key_print(lw_key key, char *dst, size_t size);

LW_END_DECLS

#endif
