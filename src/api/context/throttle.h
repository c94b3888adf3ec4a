/* SPDX-License-Identifier: Apache-2.0 */
/* throttle.h -- limits the speed of the server's own writes: after each batch it pauses for as long
 * as the batch took, so that at least half of the store's time is left to clients.  Threads: the
 * port's loop. */
#ifndef LW_API_CONTEXT_THROTTLE_H
#define LW_API_CONTEXT_THROTTLE_H

#include "api/context/port.h"

typedef struct lw_throttle lw_throttle;
struct lw_throttle {
    /* Set by the owner. */
    lw_api_port *port;
    void (*go)(lw_throttle *throttle); /* the pause is over; may free |throttle| */

    /* Internal; initialised with zeros. */
    int64_t began_ns;
    bool is_resting;    /* counted in port->under_way, so that lw_port_settle waits for it */
    lw_dlist_node link; /* in port->resting */
    lw_timer timer;
};

/* Marks the begin of a batch. */
void lw_throttle_begin(lw_throttle *throttle);

/* Marks the end of a batch and calls |go| after the pause; at once if the port is draining or there
 * is no memory for a timer.  Not to be called during a pause. */
void lw_throttle_rest(lw_throttle *throttle);

/* Calls |go| after |wait_ns|, or when the port begins to drain.  Returns false, without calling
 * |go|, if the port is already draining or there is no memory for a timer.  Not to be called during
 * a pause. */
bool lw_throttle_wait(lw_throttle *throttle, int64_t wait_ns);

/* Ends all pauses of the port, which is draining, at once. */
void lw_throttle_hurry(lw_api_port *port);

#endif
