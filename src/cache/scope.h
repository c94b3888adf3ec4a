/* SPDX-License-Identifier: Apache-2.0 */
/* scope.h -- the part of a filter that a key answers, and where such keys lie. */
#ifndef LW_CACHE_SCOPE_H
#define LW_CACHE_SCOPE_H

#include "cache/cache.h"
#include "cache/index.h"

/* Views into a filter and its selectors. */
typedef struct lw_filter_scope {
    lw_str ns;   /* empty: all */
    lw_str name; /* empty: all */
} lw_filter_scope;

/* What |filter| says of keys: its own ns and name, or what its field selector demands of
 * metadata.namespace and metadata.name. */
lw_filter_scope lw_scope_of(const lw_cache_filter *filter);

bool lw_scope_has(const lw_filter_scope *scope, const lw_object *obj);

/* Sets |*key| (room for LW_STORE_KEY_MAX bytes at |storage|) to that of an object.  False: there
 * can be none. */
bool lw_scope_key(bool is_namespaced, lw_str ns, lw_str name, char *storage, lw_str *key);

/* A stretch of keys. */
typedef enum lw_scope_extent {
    LW_SCOPE_NOTHING, /* no key can be in it */
    LW_SCOPE_ONE,     /* at most this key */
    LW_SCOPE_UNDER,   /* all that begin with this; ask lw_scope_has where the scope has a name */
} lw_scope_extent;

/* Where the keys of |scope| lie; sets |*key| (room as above). */
lw_scope_extent lw_scope_extent_of(const lw_filter_scope *scope, bool is_namespaced, char *storage,
                                   lw_str *key);

/* The same in |index|: the ranks |*begin| up to, but without, |*end|. */
void lw_scope_ranks(const lw_filter_scope *scope, const lw_index *index, size_t *begin,
                    size_t *end);

#endif
