/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h -- reads an lw_clock. */
#ifndef LW_BASE_CLOCK_H
#define LW_BASE_CLOCK_H

#include <listwatch/sys/clock.h>
#include <listwatch/time.h>

/* Monotonic nanoseconds, for delays and deadlines. */
static inline int64_t lw_clock_now(const lw_clock *clock)
{
    return clock->now_ns(clock->arg);
}

/* Nanoseconds since 1970, for timestamps. */
static inline int64_t lw_clock_wall(const lw_clock *clock)
{
    return clock->wall_ns(clock->arg);
}

#endif
