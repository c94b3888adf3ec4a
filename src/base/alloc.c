/* SPDX-License-Identifier: Apache-2.0 */
/* alloc.c -- allocation through a replaceable vtable.
 *
 * The vtable is set before the library is used (see lw_set_allocator), so it is read without a
 * lock. */
#include "base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    CALLOC_MIN = 4096,
};

static void *system_allocate(size_t size, void *arg)
{
    (void)arg;
    return malloc(size ? size : 1);
}

static void *system_resize(void *ptr, size_t size, void *arg)
{
    (void)arg;
    return realloc(ptr, size ? size : 1);
}

static void system_release(void *ptr, void *arg)
{
    (void)arg;
    free(ptr);
}

static const lw_allocator system_allocator = {
    .allocate = system_allocate,
    .resize = system_resize,
    .release = system_release,
    .arg = NULL,
};

static lw_allocator current = {
    .allocate = system_allocate,
    .resize = system_resize,
    .release = system_release,
    .arg = NULL,
};

void lw_set_allocator(const lw_allocator *allocator)
{
    current = allocator ? *allocator : system_allocator;
}

void *lw_alloc(size_t size)
{
    return current.allocate(size, current.arg);
}

void *lw_alloc_zero(size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        return NULL;
    size_t bytes = count * size;
    /* The system knows which pages are zero already: tables that are hardly used take no memory.
     * (For small sizes, its calloc is slower than its malloc.) */
    if (bytes >= CALLOC_MIN && current.allocate == system_allocate)
        return calloc(1, bytes);
    void *ptr = lw_alloc(bytes);
    if (ptr)
        memset(ptr, 0, bytes);
    return ptr;
}

void *lw_realloc_array(void *ptr, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        return NULL;
    return current.resize(ptr, count * size, current.arg);
}

void lw_free(void *ptr)
{
    current.release(ptr, current.arg);
}
