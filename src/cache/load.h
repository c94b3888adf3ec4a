/* SPDX-License-Identifier: Apache-2.0 */
/* load.h -- bringing resources in from the store.  None of these on the store's thread. */
#ifndef LW_CACHE_LOAD_H
#define LW_CACHE_LOAD_H

#include "cache/cache.h"

enum {
    LW_LOAD_TRIES = 16, /* a compaction may take the past away under our hands, but not so often */
};

/* Puts the objects that |resource| had at |revision| into it; it has been reset.  LW_ERR_EXPIRED:
 * the revision has been compacted meanwhile.  LW_ERR_INVALID: a value is no object; names its key.
 * LW_ERR_IO, LW_ERR_NOMEM. */
lw_status lw_resource_load_state(lw_cache_resource *resource, uint64_t revision, lw_error *err);

/* Fills |resource| while the cache goes on following the store.  Nothing to do: LW_OK.  After a
 * failure (as above) it is BROKEN. */
lw_status lw_resource_load(lw_cache_resource *resource, lw_error *err);
lw_status lw_resource_load_locked(lw_cache_resource *resource, lw_error *err); /* load_mu */

/* Follows the store again after it has ended the watch; does nothing when it has not. */
lw_status lw_cache_reconnect(lw_cache *cache, lw_error *err);

#endif
