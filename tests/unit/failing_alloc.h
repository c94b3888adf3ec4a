/* SPDX-License-Identifier: Apache-2.0 */
/* failing_alloc.h -- an allocator for tests: fails on demand and counts what is alive.
 * One test program; any thread allocates, and one begins and ends while there is no other. */
#ifndef LW_TESTS_UNIT_FAILING_ALLOC_H
#define LW_TESTS_UNIT_FAILING_ALLOC_H

#include <stdatomic.h>
#include <stdlib.h>

#include <listwatch/sys/alloc.h>

typedef struct failing_alloc {
    atomic_size_t allowed; /* allocations that still succeed */
    atomic_size_t calls;   /* allocations asked for, resizing included */
    atomic_size_t live;    /* blocks not released */
    atomic_size_t largest; /* size of the largest request */
} failing_alloc;

static inline int failing_alloc__refuses(failing_alloc *f, size_t size)
{
    f->calls++;
    if (size > f->largest)
        f->largest = size;
    if (f->allowed == 0)
        return 1;
    f->allowed--;
    return 0;
}

static inline void *failing_alloc__allocate(size_t size, void *arg)
{
    failing_alloc *f = arg;
    if (failing_alloc__refuses(f, size))
        return NULL;
    void *ptr = malloc(size ? size : 1);
    f->live += ptr != NULL;
    return ptr;
}

static inline void *failing_alloc__resize(void *ptr, size_t size, void *arg)
{
    failing_alloc *f = arg;
    if (failing_alloc__refuses(f, size))
        return NULL;
    void *resized = realloc(ptr, size ? size : 1);
    f->live += !ptr && resized;
    return resized;
}

static inline void failing_alloc__release(void *ptr, void *arg)
{
    failing_alloc *f = arg;
    f->live -= ptr != NULL;
    free(ptr);
}

/* From now on |allowed| allocations succeed and all after them fail, until failing_alloc_end. */
static inline void failing_alloc_begin(failing_alloc *f, size_t allowed)
{
    *f = (failing_alloc){ .allowed = allowed };
    const lw_allocator allocator = { failing_alloc__allocate, failing_alloc__resize,
                                     failing_alloc__release, f };
    lw_set_allocator(&allocator);
}

static inline void failing_alloc_end(void)
{
    lw_set_allocator(NULL);
}

#endif
