/* SPDX-License-Identifier: Apache-2.0 */
/* alloc.h -- replace the allocator of the whole library (one per process).
 *
 * For programs with an allocator of their own, and for tests that let allocations fail. */
#ifndef LISTWATCH_SYS_ALLOC_H
#define LISTWATCH_SYS_ALLOC_H

#include <stddef.h>

#include <listwatch/api.h>

LW_BEGIN_DECLS

/* All three members are required, may be called from any thread at once, and must not call back
 * into the library.  |resize| with ptr NULL allocates; memory is aligned as malloc aligns. */
typedef struct lw_allocator {
    void *(*allocate)(size_t size, void *arg);          /* NULL = out of memory */
    void *(*resize)(void *ptr, size_t size, void *arg); /* NULL = out of memory, ptr stays valid */
    void (*release)(void *ptr, void *arg);              /* ptr may be NULL */
    void *arg;
} lw_allocator;

/* Use |allocator| (copied) from now on; NULL returns to malloc.  Call it before any other function
 * of the library: memory is released by the allocator in force at that time.  Not thread-safe. */
LW_API void lw_set_allocator(const lw_allocator *allocator);

LW_END_DECLS

#endif
