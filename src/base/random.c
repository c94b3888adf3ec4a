/* SPDX-License-Identifier: Apache-2.0 */
/* random.c -- xoshiro256** (Blackman, Vigna 2018), seeded with splitmix64 as its authors recommend,
 * so that similar seeds give unrelated sequences. */
#include "base/random.h"

#include <assert.h>

#include "base/entropy.h"

static uint64_t splitmix(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint64_t rotate_left(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

void lw_random_init(lw_random *random, uint64_t seed)
{
    for (int i = 0; i < 4; i++)
        random->s[i] = splitmix(&seed);
}

void lw_random_init_from_os(lw_random *random)
{
    uint64_t seed;
    lw_entropy_seed(&seed, 1);
    lw_random_init(random, seed);
}

uint64_t lw_random_next(lw_random *random)
{
    uint64_t *s = random->s;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate_left(s[3], 45);
    return result;
}

double lw_random_unit(lw_random *random)
{
    return (double)(lw_random_next(random) >> 11) * 0x1.0p-53;
}

uint64_t lw_random_below(lw_random *random, uint64_t bound)
{
    assert(bound > 0);
    /* 2^64 mod bound: below it lie the numbers that would favour the small remainders. */
    uint64_t unfair = (0 - bound) % bound;
    uint64_t drawn;
    do {
        drawn = lw_random_next(random);
    } while (drawn < unfair);
    return drawn % bound;
}
