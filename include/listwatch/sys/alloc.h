/* SPDX-License-Identifier: Apache-2.0 */
/* alloc.h -- replaces the allocator of the library (one per process).
 *
 * For programs with their own allocator, and for tests in which allocations fail. */
#ifndef LISTWATCH_SYS_ALLOC_H
#define LISTWATCH_SYS_ALLOC_H

#include <stddef.h>

#include <listwatch/api.h>

LW_BEGIN_DECLS

/* All three functions are required.  They are called from any thread, also at the same time, and
 * must not call the library.  |resize| with a NULL ptr allocates.  Memory must be aligned as by
 * malloc. */
typedef struct lw_allocator {
    void *(*allocate)(size_t size, void *arg); /* NULL: out of memory */
    void *(*resize)(void *ptr, size_t size,
                    void *arg);            /* NULL: out of memory, and ptr stays valid */
    void (*release)(void *ptr, void *arg); /* ptr may be NULL */
    void *arg;
} lw_allocator;

/* Sets the allocator, which is copied; NULL means malloc.  Must be called before any other function
 * of the library, because memory is released with the allocator that is set at that time.  Not
 * thread-safe. */
LW_API void lw_set_allocator(const lw_allocator *allocator);

LW_END_DECLS

#endif
