/* SPDX-License-Identifier: Apache-2.0 */
/* entropy.c -- getrandom(2), or /dev/urandom if a sandbox forbids the call. */
#include "base/entropy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"

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
