/* SPDX-License-Identifier: Apache-2.0 */
/* fixed_world.c -- replaces clock_gettime(2) and getrandom(2). */
#include "suite/fixed_world.h"

#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <listwatch/api.h>

#include "base/clock.h"
#include "base/random.h"

static struct {
    lw_random random;
    const lw_clock *clock;
} world = { .random = { { 1, 2, 3, 4 } } };

void fixed_world_begin(uint64_t seed, const lw_clock *clock)
{
    lw_random_init(&world.random, seed);
    world.clock = clock;
}

void fixed_world_end(void)
{
    world.clock = NULL;
}

LW_API ssize_t getrandom(void *buffer, size_t size, unsigned flags)
{
    unsigned char *bytes = buffer;
    (void)flags;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)lw_random_next(&world.random);
    return (ssize_t)size;
}

/* Overrides it for shared libraries too. */
LW_API int clock_gettime(clockid_t id, struct timespec *out)
{
    if (!world.clock || (id != CLOCK_MONOTONIC && id != CLOCK_REALTIME))
        return (int)syscall(SYS_clock_gettime, id, out);
    int64_t ns = id == CLOCK_MONOTONIC ? lw_clock_now(world.clock) : lw_clock_wall(world.clock);
    *out = (struct timespec){ .tv_sec = ns / LW_NS_PER_S, .tv_nsec = ns % LW_NS_PER_S };
    return 0;
}
