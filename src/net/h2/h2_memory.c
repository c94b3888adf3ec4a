/* SPDX-License-Identifier: Apache-2.0 */
/* h2_memory.c -- maps nghttp2's allocator to the library's. */
#include "net/h2/h2_memory.h"

#include "base/alloc.h"

static void *h2_malloc(size_t size, void *arg)
{
    (void)arg;
    return lw_alloc(size);
}

static void h2_free_memory(void *ptr, void *arg)
{
    (void)arg;
    lw_free(ptr);
}

static void *h2_calloc(size_t count, size_t size, void *arg)
{
    (void)arg;
    return lw_alloc_zero(count, size);
}

static void *h2_realloc(void *ptr, size_t size, void *arg)
{
    (void)arg;
    return lw_realloc_array(ptr, size, 1);
}

const nghttp2_mem lw_h2__memory = { NULL, h2_malloc, h2_free_memory, h2_calloc, h2_realloc };
