/* SPDX-License-Identifier: Apache-2.0 */
/* mirror_state.c -- saves what a mirror has, from time to time and when it stops. */
#include "base/clock.h"
#include "base/container_of.h"
#include "server/mirror/mirror_internal.h"

static void set_timer(lw_mirror *mirror)
{
    int64_t next = lw_clock_now(lw_loop_clock(mirror->loop)) + LW_MIRROR_SAVE_TICK_S * LW_NS_PER_S;
    /* Its place in the heap is kept; without memory for the first one, the state is saved when the
     * mirror stops. */
    (void)!lw_timer_set(mirror->loop, &mirror->save_timer, next);
}

static void save_fired(lw_timer *timer)
{
    lw_mirror *mirror = LW_CONTAINER_OF(timer, lw_mirror, save_timer);
    for (size_t i = 0; i < LW_MIRROR_RESOURCES_MAX; i++) {
        lw_follower *follower = mirror->followers[i];
        if (follower)
            lw_mirror_saver_tick(&follower->saver, follower->options.resource);
    }
    set_timer(mirror);
}

void lw_mirror__save_start(lw_mirror *mirror)
{
    mirror->save_timer.fire = save_fired;
    if (mirror->state_dir)
        set_timer(mirror);
}

void lw_mirror__save_last(lw_mirror *mirror)
{
    for (size_t i = 0; i < LW_MIRROR_RESOURCES_MAX && mirror->state_dir; i++) {
        lw_follower *follower = mirror->followers[i];
        if (follower)
            lw_mirror_saver_finish(&follower->saver, follower->options.resource);
    }
}
