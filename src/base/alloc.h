/* SPDX-License-Identifier: Apache-2.0 */
/* alloc.h -- the only memory allocation of the library, so that tests can let any allocation
 * fail. */
#ifndef LW_BASE_ALLOC_H
#define LW_BASE_ALLOC_H

#include <stddef.h>

#include <listwatch/sys/alloc.h>

/* Returns |size| uninitialised bytes, or NULL.  A size of 0 returns a pointer that can be freed. */
LW_MUST_CHECK void *lw_alloc(size_t size);

/* Returns |count| * |size| zeroed bytes, or NULL, also if the product overflows. */
LW_MUST_CHECK void *lw_alloc_zero(size_t count, size_t size);

/* Resizes |ptr| (NULL: allocates) to |count| * |size| bytes.  Returns NULL on failure, also if the
 * product overflows; then |ptr| stays valid. */
LW_MUST_CHECK void *lw_realloc_array(void *ptr, size_t count, size_t size);

/* Frees |ptr|; NULL does nothing. */
void lw_free(void *ptr);

#endif
