/* SPDX-License-Identifier: Apache-2.0 */
/* random.h -- random numbers: lw_random, a small and fast generator (xoshiro256**) for jitter,
 * sampling and simulations; lw_entropy, random bytes from the operating system.
 *
 * lw_random gives the same numbers for the same seed on every machine.  It is not for secrets: the
 * numbers are predictable; use lw_entropy_fill.  Threads: each generator has one user at a time. */
#ifndef LW_BASE_RANDOM_H
#define LW_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#include <listwatch/error.h>

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

/* Fills |out| with |len| bytes for keys and tokens.  LW_ERR_IO if the system provides none; then
 * |out| is undefined.  Never blocks. */
LW_MUST_CHECK lw_status lw_entropy_fill(void *out, size_t len);

/* Fills |out| with seeds for hash tables and jitter.  Cannot fail: if the system provides none,
 * clocks, the process id and addresses are mixed; such a seed is unique, but not secret. */
void lw_entropy_seed(uint64_t *out, size_t count);

/* The fallback of lw_entropy_seed; declared for its test. */
void lw_entropy__seed_weak(uint64_t *out, size_t count);

#endif
