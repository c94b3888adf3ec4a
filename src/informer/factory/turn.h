/* SPDX-License-Identifier: Apache-2.0 */
/* turn.h -- a lock for what only one thread at a time may use: the provider, the reflectors, the
 * queues.
 *
 * A factory holds the turn while it dispatches, including handlers; other threads hold it briefly.
 * The owner is known, so that a handler that calls the factory is recognised.  Other threads take
 * precedence over the dispatching thread, which would otherwise take the turn again and again. */
#ifndef LW_INFORMER_FACTORY_TURN_H
#define LW_INFORMER_FACTORY_TURN_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/sync.h"

typedef struct lw_turn {
    lw_mutex mu; /* guards the rest */
    lw_cond given;
    pid_t owner;      /* 0: free */
    unsigned waiting; /* threads other than the dispatching one */
} lw_turn;

void lw_turn_init(lw_turn *turn);
void lw_turn_done(lw_turn *turn);

/* Wait for the turn, which the caller must not own, and release it. */
void lw_turn_take(lw_turn *turn);
void lw_turn_take_to_dispatch(lw_turn *turn);
void lw_turn_give(lw_turn *turn);

bool lw_turn_is_mine(lw_turn *turn);

#endif
