/* SPDX-License-Identifier: Apache-2.0 */
/* throttle.h -- how fast the server does what nobody waits for: after each batch of writes it rests
 * for as long as the batch took, so that half of the store's time is always the clients'. Threads:
 * those of the port's loop. */
#ifndef LW_API_CONTEXT_THROTTLE_H
#define LW_API_CONTEXT_THROTTLE_H

#include "api/context/port.h"

typedef struct lw_throttle lw_throttle;
struct lw_throttle {
    /* The owner's. */
    lw_api_port *port;
    void (*go)(lw_throttle *pace); /* the rest is over; may free the pace */

    /* Its own; starts zeroed. */
    int64_t began_ns;
    bool is_resting;    /* counts as under way on the port, so that it is waited for */
    lw_dlist_node link; /* in port->resting */
    lw_timer timer;
};

/* A batch begins. */
void lw_throttle_begin(lw_throttle *pace);

/* The batch is over: |go| is called after the rest; at once when the port is about to be taken
 * down, or there is no memory for a timer.  Not while it rests. */
void lw_throttle_rest(lw_throttle *pace);

/* Calls |go| after |wait_ns|, or when the port begins to drain.  False, and |go| is not called,
 * when the port is draining already or there is no memory for a timer.  Not while it rests. */
bool lw_throttle_wait(lw_throttle *pace, int64_t wait_ns);

/* Ends all rests of the port, which is draining, at once. */
void lw_throttle_hurry(lw_api_port *port);

#endif
