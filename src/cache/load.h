/* SPDX-License-Identifier: Apache-2.0 */
/* load.h -- loads resources from the store.  Not to be called on the store's thread. */
#ifndef LW_CACHE_LOAD_H
#define LW_CACHE_LOAD_H

#include "cache/cache.h"

enum {
    LW_LOAD_TRIES =
        16, /* a compaction can remove the revision being loaded, but hardly this often */
};

/* Loads the objects that |resource| had at |revision|; the resource has been reset.
 * LW_ERR_EXPIRED: the revision has been compacted meanwhile.  LW_ERR_INVALID: a value is not an
 * object; |err| names its key.  LW_ERR_IO, LW_ERR_NOMEM. */
lw_status lw_resource_load_state(lw_cache_resource *resource, uint64_t revision, lw_error *err);

/* Loads |resource| while the cache continues to follow the store.  Returns LW_OK if there is
 * nothing to do.  After an error (as above) the resource is BROKEN. */
lw_status lw_resource_load(lw_cache_resource *resource, lw_error *err);
lw_status lw_resource_load_locked(lw_cache_resource *resource,
                                  lw_error *err); /* the caller holds load_mu */

/* Follows the store again after it has ended the watch; otherwise does nothing. */
lw_status lw_cache_reconnect(lw_cache *cache, lw_error *err);

/* True if a load failed with |st| because of a value that is not readable, which may be a past one,
 * and is to be repeated without the history: |*has_history| is then cleared.  If the current state
 * cannot be read either, the second load says so. */
bool lw_load_gives_up_history(lw_cache *cache, lw_status st, const lw_error *why,
                              bool *has_history);

#endif
