/* SPDX-License-Identifier: Apache-2.0 */
/* reload.h -- reloads lost resources on a separate thread.
 *
 * It runs only if the store is shared, where a reload may take long: there no reader waits for it,
 * but gets LW_ERR_UNAVAILABLE and must retry.  On a store that is not shared, the next reader
 * reloads. */
#ifndef LW_CACHE_RELOAD_H
#define LW_CACHE_RELOAD_H

#include "cache/cache.h"

/* Starts the thread.  LW_ERR_IO. */
lw_status lw_reload_start(lw_cache *cache, lw_error *err);
void lw_reload_stop(lw_cache *cache); /* does nothing if it is not running */

/* Requests a reload.  The caller holds apply_mu. */
void lw_reload_wake_locked(lw_cache *cache);

#endif
