/* SPDX-License-Identifier: Apache-2.0 */
/* consistent_read.h -- asks a shared store for its current revision and waits until the cache has
 * reached it.
 *
 * When |over| is called without an error, the cache has every change up to that revision.  Threads:
 * the port's loop. */
#ifndef LW_API_CONTEXT_CONSISTENT_READ_H
#define LW_API_CONTEXT_CONSISTENT_READ_H

#include "api/context/port.h"

typedef struct lw_consistent_read lw_consistent_read;
struct lw_consistent_read {
    /* Set by the owner. */
    lw_api_port *port;
    lw_cache_resource *resource;            /* that is read; NULL: any */
    void (*over)(lw_consistent_read *read); /* once, on the port's loop; may free |read| */

    lw_store_confirmation question; /* st, revision, err: the result */
    lw_task task;
    lw_cache_wait wait; /* for a cache that is still behind */
    lw_timer timer;
};

enum {
    LW_CONSISTENT_READ_CACHE_S = 3, /* how long to wait for the cache; then LW_ERR_UNAVAILABLE */
};

/* Returns true if the cache can be behind the store, because other servers write to it, or behind
 * the upstream of |resource| (may be NULL). */
bool lw_consistent_read_is_needed(const lw_api_port *port, const lw_cache_resource *resource);

/* Asks the store; |over| is called later, also if the store refuses the question. */
void lw_consistent_read_begin(lw_consistent_read *read);

#endif
