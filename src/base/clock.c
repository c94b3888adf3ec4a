/* SPDX-License-Identifier: Apache-2.0 */
/* clock.c -- the system clocks. */
#include "base/clock.h"

#include <assert.h>
#include <stddef.h>
#include <time.h>

static int64_t read_clock(clockid_t id)
{
    struct timespec now = { 0 };
    int rc = clock_gettime(id, &now);
    assert(rc == 0);
    (void)rc;
    return (int64_t)now.tv_sec * LW_NS_PER_S + now.tv_nsec;
}

static int64_t system_now_ns(void *arg)
{
    (void)arg;
    return read_clock(CLOCK_MONOTONIC);
}

static int64_t system_wall_ns(void *arg)
{
    (void)arg;
    return read_clock(CLOCK_REALTIME);
}

const lw_clock *lw_clock_system(void)
{
    static const lw_clock system = { system_now_ns, system_wall_ns, NULL };
    return &system;
}
