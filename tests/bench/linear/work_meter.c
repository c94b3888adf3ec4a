/* SPDX-License-Identifier: Apache-2.0 */
/* work_meter.c -- the counters; this file itself must not be instrumented. */
#include "bench/linear/work_meter.h"

#include <stdlib.h>
#include <string.h>

#include <listwatch/sys/alloc.h>

enum {
    BYTES_PER_BLOCK = 16,
};

static _Thread_local work done;

/* Called by the measured code. */
void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    done.blocks++;
}

/* The linker sends calls of memcpy and others here (--wrap). */
void *__real_memcpy(void *to, const void *from, size_t size);
void *__real_memmove(void *to, const void *from, size_t size);
void *__real_memset(void *to, int byte, size_t size);
void *__real_memchr(const void *in, int byte, size_t size);
int __real_memcmp(const void *a, const void *b, size_t size);
size_t __real_strlen(const char *text);
void *__wrap_memcpy(void *to, const void *from, size_t size);
void *__wrap_memmove(void *to, const void *from, size_t size);
void *__wrap_memset(void *to, int byte, size_t size);
void *__wrap_memchr(const void *in, int byte, size_t size);
int __wrap_memcmp(const void *a, const void *b, size_t size);
size_t __wrap_strlen(const char *text);

void *__wrap_memcpy(void *to, const void *from, size_t size)
{
    done.blocks += size / BYTES_PER_BLOCK;
    return __real_memcpy(to, from, size);
}

void *__wrap_memmove(void *to, const void *from, size_t size)
{
    done.blocks += size / BYTES_PER_BLOCK;
    return __real_memmove(to, from, size);
}

void *__wrap_memset(void *to, int byte, size_t size)
{
    done.blocks += size / BYTES_PER_BLOCK;
    return __real_memset(to, byte, size);
}

void *__wrap_memchr(const void *in, int byte, size_t size)
{
    char *found = __real_memchr(in, byte, size);
    done.blocks += (found ? (size_t)(found - (const char *)in) : size) / BYTES_PER_BLOCK;
    return found;
}

/* Counted as if both were equal to the end, which is right for keys that differ late. */
int __wrap_memcmp(const void *a, const void *b, size_t size)
{
    done.blocks += size / BYTES_PER_BLOCK;
    return __real_memcmp(a, b, size);
}

size_t __wrap_strlen(const char *text)
{
    size_t len = __real_strlen(text);
    done.blocks += len / BYTES_PER_BLOCK;
    return len;
}

static void *allocate(size_t size, void *arg)
{
    (void)arg;
    done.bytes += size;
    return malloc(size ? size : 1);
}

static void *resize(void *ptr, size_t size, void *arg)
{
    (void)arg;
    done.bytes += size;
    return realloc(ptr, size ? size : 1);
}

static void release(void *ptr, void *arg)
{
    (void)arg;
    free(ptr);
}

void work_meter_start(void)
{
    static const lw_allocator counting = { allocate, resize, release, NULL };
    lw_set_allocator(&counting);
}

work work_meter_read(void)
{
    return done;
}
