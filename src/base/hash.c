/* SPDX-License-Identifier: Apache-2.0 */
/* hash.c -- SipHash (Aumasson, Bernstein: "SipHash: a fast short-input PRF", 2012) with one round
 * a word and three at the end: strong enough against chosen keys, half the work of 2-4. */
#include "base/hash.h"

#include <endian.h>

#include "base/random.h"

enum {
    WORD_ROUNDS = 1,
    FINAL_ROUNDS = 3,
};

typedef struct sip_state {
    uint64_t v0, v1, v2, v3;
} sip_state;

static inline uint64_t rotate_left(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

static inline void sip_round(sip_state *s)
{
    s->v0 += s->v1;
    s->v2 += s->v3;
    s->v1 = rotate_left(s->v1, 13) ^ s->v0;
    s->v3 = rotate_left(s->v3, 16) ^ s->v2;
    s->v0 = rotate_left(s->v0, 32);
    s->v2 += s->v1;
    s->v0 += s->v3;
    s->v1 = rotate_left(s->v1, 17) ^ s->v2;
    s->v3 = rotate_left(s->v3, 21) ^ s->v0;
    s->v2 = rotate_left(s->v2, 32);
}

static inline void sip_absorb(sip_state *s, uint64_t word)
{
    s->v3 ^= word;
    for (int i = 0; i < WORD_ROUNDS; i++)
        sip_round(s);
    s->v0 ^= word;
}

/* Eight bytes, the first one lowest. */
static inline uint64_t load_word(const unsigned char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof(word));
    return le64toh(word);
}

/* The same of the last |len| bytes, fewer than eight, of |all|. */
static inline uint64_t load_rest(const unsigned char *bytes, size_t len, size_t all)
{
    uint64_t word = 0;
    if (len > 0 && all >= 8)
        return load_word(bytes + len - 8) >> (8 * (8 - len));
    for (size_t i = 0; i < len; i++)
        word |= (uint64_t)bytes[i] << (8 * i);
    return word;
}

uint64_t lw_hash_bytes(lw_hash_seed seed, const void *bytes, size_t len)
{
    /* The constants spell "somepseudorandomlygeneratedbytes". */
    sip_state s = {
        .v0 = seed.k0 ^ 0x736f6d6570736575u,
        .v1 = seed.k1 ^ 0x646f72616e646f6du,
        .v2 = seed.k0 ^ 0x6c7967656e657261u,
        .v3 = seed.k1 ^ 0x7465646279746573u,
    };
    const unsigned char *at = bytes;
    size_t left = len;
    for (; left >= 8; left -= 8, at += 8)
        sip_absorb(&s, load_word(at));
    sip_absorb(&s, load_rest(at, left, len) | (uint64_t)len << 56);
    s.v2 ^= 0xff;
    for (int i = 0; i < FINAL_ROUNDS; i++)
        sip_round(&s);
    return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

/* A system call for each seed would cost more than the small tables that most seeds are for. */
lw_hash_seed lw_hash_seed_random(void)
{
    static _Thread_local lw_hash_seed secret;
    static _Thread_local uint64_t drawn;
    if (drawn == 0) {
        uint64_t words[2];
        lw_entropy_seed(words, 2);
        secret = (lw_hash_seed){ .k0 = words[0], .k1 = words[1] };
    }
    uint64_t first = ++drawn, second = ++drawn;
    return (lw_hash_seed){ .k0 = lw_hash_bytes(secret, &first, sizeof(first)),
                           .k1 = lw_hash_bytes(secret, &second, sizeof(second)) };
}
