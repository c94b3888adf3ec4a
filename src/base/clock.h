/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h -- reading an lw_clock. */
#ifndef LW_BASE_CLOCK_H
#define LW_BASE_CLOCK_H

#include <listwatch/sys/clock.h>

#define LW_NS_PER_US INT64_C(1000)
#define LW_NS_PER_MS INT64_C(1000000)
#define LW_NS_PER_S  INT64_C(1000000000)

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
