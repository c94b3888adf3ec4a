/* SPDX-License-Identifier: Apache-2.0 */
/* memory_trim.c -- gives free memory back to the system.
 *
 * The allocator gives back what is free at the end of its heaps.  After many requests of different
 * sizes, most of its free memory is elsewhere.  Threads: the background loop, so that connections
 * do not wait for it. */
#include "server/core/memory_trim.h"

#include <stdlib.h> /* defines __GLIBC__ */

#include "base/clock.h"
#include "base/container_of.h"

#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 33)
#define HAS_TRIM 1
#include <malloc.h>
#endif
#endif

#ifdef HAS_TRIM
static void give_back(lw_memory_trim *trim)
{
    size_t now = mallinfo2().fordblks;
    if (now > trim->free_bytes + LW_MEMORY_TRIM_BYTES) {
        (void)malloc_trim(0);
        /* Counts as free what was given back, until it is used again. */
        trim->free_bytes = mallinfo2().fordblks;
    } else if (now < trim->free_bytes) {
        trim->free_bytes = now;
    }
}
#else
static void give_back(lw_memory_trim *trim)
{
    (void)trim;
}
#endif

static void set_timer(lw_memory_trim *trim)
{
    (void)lw_timer_set(trim->loop, &trim->timer,
                       lw_loop_now(trim->loop) + LW_MEMORY_TRIM_S * LW_NS_PER_S);
}

static void check(lw_timer *timer)
{
    lw_memory_trim *trim = LW_CONTAINER_OF(timer, lw_memory_trim, timer);
    give_back(trim);
    set_timer(trim);
}

void lw_memory_trim_start(lw_memory_trim *trim, lw_loop *loop)
{
    trim->loop = loop;
    trim->timer.fire = check;
    set_timer(trim);
}

void lw_memory_trim_stop(lw_memory_trim *trim)
{
    if (trim->loop)
        lw_timer_cancel(trim->loop, &trim->timer);
}
