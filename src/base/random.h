/* SPDX-License-Identifier: Apache-2.0 */
/* random.h -- small fast generator (xoshiro256**) for jitter, sampling and simulations.
 *
 * The same seed gives the same numbers on every machine.  Not for secrets: whoever sees a few
 * numbers knows the rest; those come from base/entropy.h.  Threads: each generator has one user
 * at a time. */
#ifndef LW_BASE_RANDOM_H
#define LW_BASE_RANDOM_H

#include <stdint.h>

typedef struct lw_random {
    uint64_t s[4]; /* never all zero */
} lw_random;

/* Starts the sequence that belongs to |seed|; any value will do, 0 too. */
void lw_random_init(lw_random *random, uint64_t seed);

/* Starts a sequence of its own, seeded by the operating system. */
void lw_random_init_from_os(lw_random *random);

/* The next 64 bits. */
uint64_t lw_random_next(lw_random *random);

/* A number in [0, 1), each of 2^53 steps equally likely. */
double lw_random_unit(lw_random *random);

/* A number in [0, |bound|), each equally likely; |bound| is not 0. */
uint64_t lw_random_below(lw_random *random, uint64_t bound);

#endif
