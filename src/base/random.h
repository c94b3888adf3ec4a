/* SPDX-License-Identifier: Apache-2.0 */
/* random.h -- a small and fast generator (xoshiro256**) for jitter, sampling and simulations.
 *
 * The same seed gives the same numbers on every machine.  Not for secrets: the numbers are
 * predictable; use base/entropy.h.  Threads: each generator has one user at a time. */
#ifndef LW_BASE_RANDOM_H
#define LW_BASE_RANDOM_H

#include <stdint.h>

typedef struct lw_random {
    uint64_t s[4]; /* never all zero */
} lw_random;

/* Starts the sequence of |seed|; any value is allowed. */
void lw_random_init(lw_random *random, uint64_t seed);

/* Starts a sequence that is seeded by the operating system. */
void lw_random_init_from_os(lw_random *random);

/* Returns the next 64 bits. */
uint64_t lw_random_next(lw_random *random);

/* Returns a number in [0, 1); each of 2^53 values is equally likely. */
double lw_random_unit(lw_random *random);

/* Returns a number in [0, |bound|); all are equally likely; |bound| must not be 0. */
uint64_t lw_random_below(lw_random *random, uint64_t bound);

#endif
