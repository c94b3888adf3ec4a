/* SPDX-License-Identifier: Apache-2.0 */
/* memory_trim.h -- gives memory that the allocator keeps for later back to the system, after many
 * large requests or replies were freed. */
#ifndef LW_SERVER_CORE_MEMORY_TRIM_H
#define LW_SERVER_CORE_MEMORY_TRIM_H

#include "net/loop.h"

enum {
    LW_MEMORY_TRIM_S = 10,                   /* how often it checks */
    LW_MEMORY_TRIM_BYTES = 16 * 1024 * 1024, /* additional free memory that it gives back */
};

/* Zeroed initially. */
typedef struct lw_memory_trim {
    lw_loop *loop;
    lw_timer timer;
    size_t free_bytes; /* of the allocator, after the last check that gave nothing back or all */
} lw_memory_trim;

/* Starts to check, on |loop|, which does not run yet.  Without memory for a timer, or with another
 * allocator than glibc's, nothing is given back. */
void lw_memory_trim_start(lw_memory_trim *trim, lw_loop *loop);

/* Ends it, after the loop has ended. */
void lw_memory_trim_stop(lw_memory_trim *trim);

#endif
