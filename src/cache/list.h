/* SPDX-License-Identifier: Apache-2.0 */
/* list.h -- builds a list. */
#ifndef LW_CACHE_LIST_H
#define LW_CACHE_LIST_H

#include "cache/cache.h"
#include "cache/scope.h"

/* Objects are offered in key order. */
typedef struct lw_list_builder {
    const lw_cache_filter *filter;
    lw_filter_scope scope;
    bool has_selectors;
    size_t limit; /* 0: no limit */
    lw_cache_list list;
    size_t cap;
} lw_list_builder;

void lw_list_builder_init(lw_list_builder *builder, const lw_cache_filter *filter, size_t limit);

/* Frees the list; not after it has been handed out. */
void lw_list_builder_done(lw_list_builder *builder);

/* Returns true if the list has reached its limit. */
bool lw_list_builder_is_full(const lw_list_builder *builder);

/* Returns true if the remaining objects need not be examined: all of them match, or it is already
 * known that there is at least one more. */
bool lw_list_builder_is_done(const lw_list_builder *builder);

/* Takes a reference to |obj| if it matches.  If the list is full, only counts it (remaining) and
 * sets has_more.  LW_ERR_NOMEM. */
lw_status lw_list_builder_offer(lw_list_builder *builder, const lw_object *obj);

/* Lists as of |revision| from the store, without the cache (see lw_cache_list_at). */
lw_status lw_list_from_store(lw_cache_resource *resource, lw_list_builder *builder, lw_str start,
                             uint64_t revision, lw_error *err);

#endif
