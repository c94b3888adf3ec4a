/* SPDX-License-Identifier: Apache-2.0 */
/* consistent_read.h -- asks a store that others write to, too, what it is at; the answer comes to
 * the loop.
 *
 * When it is there, the cache has everything up to that revision. */
#ifndef LW_API_CONTEXT_CONSISTENT_READ_H
#define LW_API_CONTEXT_CONSISTENT_READ_H

#include "api/context/port.h"

typedef struct lw_consistent_read lw_consistent_read;
struct lw_consistent_read {
    /* The owner's. */
    lw_api_port *port;
    void (*over)(lw_consistent_read *confirm); /* once, on the port's loop; may free |confirm| */

    lw_store_confirmation question; /* st, revision, err: the answer */
    lw_task task;
    lw_cache_wait wait; /* the cache itself may still be catching up */
    lw_timer timer;
};

enum {
    LW_CONSISTENT_READ_CACHE_S = 3, /* how long it may; then it is LW_ERR_UNAVAILABLE */
};

/* True when the cache may be behind the store although nothing is wrong. */
bool lw_consistent_read_is_needed(const lw_api_port *port);

/* Asks; |over| comes later, also when the store will not be asked. */
void lw_consistent_read_begin(lw_consistent_read *confirm);

#endif
