/* SPDX-License-Identifier: Apache-2.0 */
/* scope.h -- the part of a filter that the key decides, and the range of such keys. */
#ifndef LW_CACHE_SCOPE_H
#define LW_CACHE_SCOPE_H

#include "cache/cache.h"
#include "cache/index/index.h"

/* Views into a filter and its selectors. */
typedef struct lw_filter_scope {
    lw_str ns;   /* empty: all */
    lw_str name; /* empty: all */
} lw_filter_scope;

/* Returns the restrictions of |filter| on the key: its ns and name, or the values that its field
 * selector requires of metadata.namespace and metadata.name. */
lw_filter_scope lw_scope_of(const lw_cache_filter *filter);

bool lw_scope_has(const lw_filter_scope *scope, const lw_object *obj);

/* Sets |*key| (written to |storage|, which has LW_STORE_KEY_MAX bytes) to the key of an object.
 * False: no object can have this namespace and name. */
bool lw_scope_key(bool is_namespaced, lw_str ns, lw_str name, char *storage, lw_str *key);

/* A range of keys. */
typedef enum lw_scope_extent {
    LW_SCOPE_NOTHING, /* contains no key */
    LW_SCOPE_ONE,     /* at most this key */
    LW_SCOPE_UNDER,   /* all keys with this prefix; check lw_scope_has if the scope has a name */
} lw_scope_extent;

/* Returns the range of keys in |scope| and sets |*key| (|storage| as above). */
lw_scope_extent lw_scope_extent_of(const lw_filter_scope *scope, bool is_namespaced, char *storage,
                                   lw_str *key);

/* Sets |*begin| and |*end| (exclusive) to the ranks of the keys in |scope| in |index|. */
void lw_scope_ranks(const lw_filter_scope *scope, const lw_index *index, size_t *begin,
                    size_t *end);

#endif
