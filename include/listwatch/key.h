/* SPDX-License-Identifier: Apache-2.0 */
/* key.h -- the key of an object among the objects of its kind: namespace and name. */
#ifndef LISTWATCH_KEY_H
#define LISTWATCH_KEY_H

#include <stdbool.h>
#include <stddef.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

LW_BEGIN_DECLS

/* A key does not own its strings: it is valid only as long as they are. */
typedef struct lw_key {
    lw_str ns; /* empty for cluster-scoped kinds */
    lw_str name;
} lw_key;

/* Returns a key with views of two NUL-terminated strings; |ns| may be NULL. */
static inline lw_key lw_key_make(const char *ns, const char *name)
{
    lw_key key;
    key.ns = lw_str_of(ns);
    key.name = lw_str_of(name);
    return key;
}

/* Returns true if namespace and name are equal. */
static inline bool lw_key_equal(lw_key a, lw_key b)
{
    return lw_str_equal(a.name, b.name) && lw_str_equal(a.ns, b.ns);
}

/* Compares by the bytes of the namespace, then of the name, which is the order of lists.  Returns
 * <0, 0 or >0. */
LW_API int lw_key_compare(lw_key a, lw_key b);

/* Parses "ns/name" or "name" into views of |text|.  LW_ERR_INVALID: there is more than one '/'. */
LW_MUST_CHECK LW_API lw_status lw_key_parse(lw_str text, lw_key *key, lw_error *err);

/* Writes "ns/name", or "name" if there is no namespace, to |dst| like snprintf: the text is
 * truncated to |size| bytes and NUL-terminated if size > 0.  Returns the length of the full text.
 */
LW_API size_t lw_key_print(lw_key key, char *dst, size_t size);

LW_END_DECLS

#endif
