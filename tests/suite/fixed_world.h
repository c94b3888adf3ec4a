/* SPDX-License-Identifier: Apache-2.0 */
/* fixed_world.h -- makes a program deterministic: it replaces clock_gettime(2) and getrandom(2),
 * also for libraries.  So all jitter, hash table orders and curl timers are the same for the same
 * seed. */
#ifndef LW_TESTS_SUITE_FIXED_WORLD_H
#define LW_TESTS_SUITE_FIXED_WORLD_H

#include <stdint.h>

#include <listwatch/sys/clock.h>

/* Random numbers come from |seed|; the time comes from |clock|, or from the system if it is NULL.
 * Threads: one. */
void fixed_world_begin(uint64_t seed, const lw_clock *clock);
void fixed_world_end(void);

#endif
