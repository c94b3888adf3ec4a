/* SPDX-License-Identifier: Apache-2.0 */
/* list.h -- a list while it grows. */
#ifndef LW_CACHE_LIST_H
#define LW_CACHE_LIST_H

#include "cache/cache.h"
#include "cache/scope.h"

/* Objects are offered in the order of their keys. */
typedef struct lw_list_builder {
    const lw_cache_filter *filter;
    lw_filter_scope scope;
    bool has_selectors;
    size_t limit; /* 0: none */
    lw_cache_list list;
    size_t cap;
} lw_list_builder;

void lw_list_builder_init(lw_list_builder *builder, const lw_cache_filter *filter, size_t limit);

/* Gives back what was gathered; not after list was handed out. */
void lw_list_builder_done(lw_list_builder *builder);

/* True when there is no room below the limit. */
bool lw_list_builder_is_full(const lw_list_builder *builder);

/* True when the rest need not be looked at one by one: all of it matches, or it is enough to know
 * that there is one more. */
bool lw_list_builder_is_done(const lw_list_builder *builder);

/* Takes a reference to |obj| if it matches; when the list is full, counts it (remaining) and notes
 * that there is more.  LW_ERR_NOMEM. */
lw_status lw_list_builder_offer(lw_list_builder *builder, const lw_object *obj);

/* lw_cache_list_at from the store, past the cache. */
lw_status lw_list_from_store(lw_cache_resource *resource, lw_list_builder *builder, lw_str start,
                             uint64_t revision, lw_error *err);

#endif
