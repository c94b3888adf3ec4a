/* SPDX-License-Identifier: Apache-2.0 */
/* turn.c -- a lock that knows its owner and prefers threads that do not dispatch. */
#include "informer/factory/turn.h"

#include <assert.h>

#include "base/thread/caller.h"

void lw_turn_init(lw_turn *turn)
{
    lw_mutex_init(&turn->mu);
    lw_cond_init(&turn->given);
    turn->owner = 0;
    turn->waiting = 0;
}

void lw_turn_done(lw_turn *turn)
{
    lw_cond_done(&turn->given);
    lw_mutex_done(&turn->mu);
}

void lw_turn_take(lw_turn *turn)
{
    pid_t caller = lw_caller();
    lw_mutex_lock(&turn->mu);
    assert(turn->owner != caller);
    turn->waiting++;
    while (turn->owner != 0)
        lw_cond_wait(&turn->given, &turn->mu);
    turn->waiting--;
    turn->owner = caller;
    lw_mutex_unlock(&turn->mu);
}

void lw_turn_take_to_dispatch(lw_turn *turn)
{
    pid_t caller = lw_caller();
    lw_mutex_lock(&turn->mu);
    assert(turn->owner != caller);
    while (turn->owner != 0 || turn->waiting > 0)
        lw_cond_wait(&turn->given, &turn->mu);
    turn->owner = caller;
    lw_mutex_unlock(&turn->mu);
}

void lw_turn_give(lw_turn *turn)
{
    lw_mutex_lock(&turn->mu);
    assert(turn->owner == lw_caller());
    turn->owner = 0;
    lw_cond_broadcast(&turn->given);
    lw_mutex_unlock(&turn->mu);
}

bool lw_turn_is_mine(lw_turn *turn)
{
    lw_mutex_lock(&turn->mu);
    bool is_mine = turn->owner == lw_caller();
    lw_mutex_unlock(&turn->mu);
    return is_mine;
}
