/* SPDX-License-Identifier: Apache-2.0 */
/* fixed_world.h -- a program that links this has time and chance in its hand: clock_gettime(2) and
 * getrandom(2) are ours, for libraries too, and so every jitter, every order of a hash table and
 * every timer of curl is the same when a seed is played again. */
#ifndef LW_TESTS_SUITE_FIXED_WORLD_H
#define LW_TESTS_SUITE_FIXED_WORLD_H

#include <stdint.h>

#include <listwatch/sys/clock.h>

/* What is random is the sequence of |seed|; time is that of |clock| until it is NULL, which means
 * the system's.  One thread. */
void fixed_world_begin(uint64_t seed, const lw_clock *clock);
void fixed_world_end(void);

#endif
