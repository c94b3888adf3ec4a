/* SPDX-License-Identifier: Apache-2.0 */
/* random.c -- lw_random: xoshiro256** (Blackman, Vigna 2018), seeded with splitmix64 as its authors
 * recommend, so that similar seeds give unrelated sequences.  lw_entropy: getrandom(2), or
 * /dev/urandom if a sandbox forbids the call. */
#include "base/random.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

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

/* GRND_NONBLOCK: it must not block on a machine that has just booted. */
static bool fill_by_call(char *out, size_t len)
{
    while (len > 0) {
        ssize_t got = getrandom(out, len, GRND_NONBLOCK);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        out += got;
        len -= (size_t)got;
    }
    return true;
}

static bool fill_by_device(char *out, size_t len)
{
    int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    while (len > 0) {
        ssize_t got = read(fd, out, len);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        out += got;
        len -= (size_t)got;
    }
    (void)close(fd);
    return len == 0;
}

lw_status lw_entropy_fill(void *out, size_t len)
{
    return fill_by_call(out, len) || fill_by_device(out, len) ? LW_OK : LW_ERR_IO;
}

void lw_entropy__seed_weak(uint64_t *out, size_t count)
{
    struct timespec wall = { 0 };
    struct timespec mono = { 0 };
    (void)clock_gettime(CLOCK_REALTIME, &wall);
    (void)clock_gettime(CLOCK_MONOTONIC, &mono);
    uint64_t mix = (uint64_t)wall.tv_sec ^ (uint64_t)wall.tv_nsec << 34;
    mix ^= (uint64_t)mono.tv_sec << 48 ^ (uint64_t)mono.tv_nsec << 16;
    mix ^= (uint64_t)getpid() << 40 ^ (uint64_t)(uintptr_t)out ^ (uint64_t)(uintptr_t)&errno;
    lw_random random;
    lw_random_init(&random, mix);
    for (size_t i = 0; i < count; i++)
        out[i] = lw_random_next(&random);
}

void lw_entropy_seed(uint64_t *out, size_t count)
{
    if (lw_entropy_fill(out, count * sizeof(*out)) < 0)
        lw_entropy__seed_weak(out, count);
}
