/* SPDX-License-Identifier: Apache-2.0 */
/* reload.h -- brings back what the cache has lost, on a thread of its own.
 *
 * Only on a store that is shared, where it may take long: there no reader waits for it, but is told
 * to come again.  On a store of our own the next reader does it. */
#ifndef LW_CACHE_RELOAD_H
#define LW_CACHE_RELOAD_H

#include "cache/cache.h"

/* Starts the thread.  LW_ERR_IO. */
lw_status lw_reload_start(lw_cache *cache, lw_error *err);
void lw_reload_stop(lw_cache *cache); /* does nothing when it does not run */

/* Something is lost.  The caller holds apply_mu. */
void lw_reload_wake_locked(lw_cache *cache);

#endif
