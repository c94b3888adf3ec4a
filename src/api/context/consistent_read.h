/* SPDX-License-Identifier: Apache-2.0 */
/* consistent_read.h -- asks a store that others write to, too, what it is at; the answer comes to the loop.
 *
 * When it is there, the cache has everything up to that revision. */
#ifndef LW_API_CONTEXT_CONSISTENT_READ_H
#define LW_API_CONTEXT_CONSISTENT_READ_H

#include "api/context/port.h"

typedef struct lw_confirm lw_confirm;
struct lw_confirm {
    /* The owner's. */
    lw_api_port *port;
    void (*over)(lw_confirm *confirm); /* once, on the port's loop; may free |confirm| */

    lw_store_confirmation question; /* st, revision, err: the answer */
    lw_task task;
    lw_cache_wait wait; /* the cache itself may still be catching up */
    lw_timer timer;
};

enum {
    LW_CONFIRM_CACHE_S = 3, /* how long it may; then it is LW_ERR_UNAVAILABLE */
};

/* True when the cache may be behind the store although nothing is wrong. */
bool lw_confirm_is_needed(const lw_api_port *port);

/* Asks; |over| comes later, also when the store will not be asked. */
void lw_confirm_begin(lw_confirm *confirm);

#endif
