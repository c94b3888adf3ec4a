/* SPDX-License-Identifier: Apache-2.0 */
/* apply.h -- applies the events of the store to the resources of the cache.
 *
 * _locked: the caller holds apply_mu. */
#ifndef LW_CACHE_APPLY_H
#define LW_CACHE_APPLY_H

#include "cache/cache.h"

/* Returns the sink of the cache's own watch on the store. */
lw_store_sink lw_cache_sink(lw_cache *cache);

/* Returns the resource that |key| belongs to, or NULL. */
lw_cache_resource *lw_cache_find_locked(lw_cache *cache, lw_str key);

/* Returns how many of the |count| (> 0) events have the revision of the first one.  They are
 * applied together, while the caller holds the resource (lw_resource_hold). */
size_t lw_apply_same_revision(const lw_store_event *events, size_t count);

/* Applies |event|, a change of |resource|, unless it has been applied already.  LW_ERR_NOMEM: the
 * resource must be reset.  LW_ERR_INVALID: the value is not an object, or it is the object of
 * another key; the change was ignored. */
lw_status lw_apply_change_locked(lw_cache_resource *resource, const lw_store_event *event,
                                 lw_error *err);

/* Sets |err| to the reason why the value of |key| could not be applied.  Returns |st|. */
lw_status lw_apply_error(lw_error *err, lw_status st, lw_str key);

/* Marks |resource| as changed; the next publish wakes its watchers. */
void lw_apply_mark_dirty_locked(lw_cache_resource *resource);

/* Declares that everything up to |revision| has been applied, and wakes the waits for it and the
 * watchers of dirty resources. */
void lw_apply_publish_locked(lw_cache *cache, uint64_t revision);

#endif
