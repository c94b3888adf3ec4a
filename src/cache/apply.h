/* SPDX-License-Identifier: Apache-2.0 */
/* apply.h -- what the store tells, into the resources.  _locked: the caller holds apply_mu. */
#ifndef LW_CACHE_APPLY_H
#define LW_CACHE_APPLY_H

#include "cache/cache.h"

/* The sink of the cache's own watch. */
lw_store_sink lw_cache_sink(lw_cache *cache);

/* The resource that |key| belongs to; NULL: none. */
lw_cache_resource *lw_cache_find_locked(lw_cache *cache, lw_str key);

/* How many of the |count| (> 0) events are of the first one's revision: they are told together, and
 * whoever applies them holds the resource meanwhile. */
size_t lw_apply_together(const lw_store_event *events, size_t count);

/* Applies |event|, a change of |resource|, unless it has been settled.  LW_ERR_NOMEM: the resource
 * must be reset.  LW_ERR_INVALID: the value is no object or the wrong one; it was left out. */
lw_status lw_apply_change_locked(lw_cache_resource *resource, const lw_store_event *event,
                                 lw_error *err);

/* Says in |err| why the value of |key| could not be taken.  Returns |st|. */
lw_status lw_apply_error(lw_error *err, lw_status st, lw_str key);

/* There is news for the watchers of |resource|; told by the next publish. */
void lw_apply_mark_dirty_locked(lw_cache_resource *resource);

/* Everything up to |revision| is in: tells those who wait for it, and the watchers of dirty
 * resources. */
void lw_apply_publish_locked(lw_cache *cache, uint64_t revision);

#endif
