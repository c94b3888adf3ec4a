/* SPDX-License-Identifier: Apache-2.0 */
/* control_alloc.h -- included first in controllers built for these tests: redirects malloc and
 * others to the library's allocator. */
#ifndef LW_TESTS_OOM_CONTROL_ALLOC_H
#define LW_TESTS_OOM_CONTROL_ALLOC_H

#include <stdlib.h>

#include "base/alloc.h"

#define malloc(size)        lw_alloc(size)
#define calloc(count, size) lw_alloc_zero((count), (size))
#define realloc(ptr, size)  lw_realloc_array((ptr), (size), 1)
#define free(ptr)           lw_free(ptr)

#endif
