/* SPDX-License-Identifier: Apache-2.0 */
/* hash.h -- seeded hash of bytes: SipHash-1-3.
 *
 * Names of objects come from clients; a client that does not know the seed cannot choose names that
 * collide.  Results are the same on every machine for the same seed. */
#ifndef LW_BASE_HASH_H
#define LW_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include <listwatch/str.h>

/* 128 bits that determine the hash.  Tests use fixed seeds, programs random ones. */
typedef struct lw_hash_seed {
    uint64_t k0;
    uint64_t k1;
} lw_hash_seed;

/* Returns a random seed: the hash of a counter with a secret, which each thread gets once from the
 * operating system; a weaker one if the system provides none. */
lw_hash_seed lw_hash_seed_random(void);

/* Returns the hash of |len| bytes; |bytes| may be NULL if |len| is 0. */
uint64_t lw_hash_bytes(lw_hash_seed seed, const void *bytes, size_t len);

/* Returns the hash of the bytes of |s|. */
static inline uint64_t lw_hash_str(lw_hash_seed seed, lw_str s)
{
    return lw_hash_bytes(seed, s.ptr, s.len);
}

#endif
