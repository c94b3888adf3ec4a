/* SPDX-License-Identifier: Apache-2.0 */
/* alloc.h -- the one way the library gets memory, so that a test can let any allocation fail. */
#ifndef LW_BASE_ALLOC_H
#define LW_BASE_ALLOC_H

#include <stddef.h>

#include <listwatch/sys/alloc.h>

/* Returns |size| bytes, uninitialised, or NULL.  A size of 0 gives a pointer that can be freed. */
LW_MUST_CHECK void *lw_alloc(size_t size);

/* Returns |count| * |size| zeroed bytes, or NULL, also when the product overflows. */
LW_MUST_CHECK void *lw_alloc_zero(size_t count, size_t size);

/* Grows or shrinks |ptr| (NULL: allocates) to |count| * |size| bytes.  NULL on failure, also when
 * the product overflows; |ptr| stays valid then. */
LW_MUST_CHECK void *lw_realloc_array(void *ptr, size_t count, size_t size);

/* Frees |ptr|; NULL does nothing. */
void lw_free(void *ptr);

#endif
