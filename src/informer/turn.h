/* SPDX-License-Identifier: Apache-2.0 */
/* turn.h -- whose turn it is to touch what only one thread at a time may touch: the provider, the
 * reflectors, the queues.
 *
 * A turn is held while a factory dispatches, handlers and all, and by others for short.  Whoever
 * holds it is known, so that a handler that comes back in is told from another thread; and others
 * go before the thread that dispatches, which would otherwise take it again and again. */
#ifndef LW_INFORMER_TURN_H
#define LW_INFORMER_TURN_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/sync.h"

typedef struct lw_turn {
    lw_mutex mu; /* guards the rest */
    lw_cond given;
    pid_t owner;      /* 0: nobody's */
    unsigned waiting; /* others than the one that dispatches */
} lw_turn;

void lw_turn_init(lw_turn *turn);
void lw_turn_done(lw_turn *turn);

/* Waits for the turn; it must not be the caller's already. */
void lw_turn_take(lw_turn *turn);
void lw_turn_take_to_dispatch(lw_turn *turn);
void lw_turn_give(lw_turn *turn);

bool lw_turn_is_mine(lw_turn *turn);

#endif
