/* SPDX-License-Identifier: Apache-2.0 */
/* arena.h -- memory that is taken piece by piece and given back at once, with a cap.
 *
 * A failure sticks: after one, every piece is NULL, and |st| says why.  One thread at a time. */
#ifndef LW_CEL_ARENA_H
#define LW_CEL_ARENA_H

#include <stddef.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

typedef struct lw_cel_arena {
    struct lw_cel_block *blocks; /* the newest first */
    size_t taken;                /* bytes of all blocks */
    size_t limit;
    lw_status st; /* LW_OK, LW_ERR_NOMEM or LW_ERR_LIMIT: the first failure */
} lw_cel_arena;

/* Allocates nothing yet. */
void lw_cel_arena_init(lw_cel_arena *arena, size_t limit);
void lw_cel_arena_done(lw_cel_arena *arena);

/* |count| * |size| zeroed bytes, aligned for anything; NULL: the arena has failed. */
void *lw_cel_arena_take(lw_cel_arena *arena, size_t count, size_t size);

/* A copy of |text|; empty when there is no memory. */
lw_str lw_cel_arena_copy(lw_cel_arena *arena, lw_str text);

#endif
