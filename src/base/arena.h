/* SPDX-License-Identifier: Apache-2.0 */
/* arena.h -- memory that is allocated in small parts, up to a limit, and freed at once. The first
 * failure is remembered in |st|: after it, every allocation returns NULL. One thread at a time. */
#ifndef LW_BASE_ARENA_H
#define LW_BASE_ARENA_H

#include <stddef.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

typedef struct lw_arena_block lw_arena_block;

typedef struct lw_arena {
    lw_arena_block *blocks; /* the newest first */
    size_t taken;           /* bytes of all blocks */
    size_t limit;           /* |taken| never exceeds this */
    lw_status st;           /* LW_OK, LW_ERR_NOMEM or LW_ERR_LIMIT: the first failure */
} lw_arena;

/* Makes an empty arena; allocates nothing. */
void lw_arena_init(lw_arena *arena, size_t limit);

/* Frees everything. The arena may be used again, with the same limit. */
void lw_arena_done(lw_arena *arena);

/* Returns |size| bytes, aligned for any type; NULL: the arena has failed. */
LW_MUST_CHECK void *lw_arena_take(lw_arena *arena, size_t size);

/* Returns |count| * |size| zeroed bytes, aligned for any type; NULL: the arena has failed. */
LW_MUST_CHECK void *lw_arena_take_zero(lw_arena *arena, size_t count, size_t size);

/* Returns a copy of |text|, followed by a NUL; empty if the arena has failed. */
lw_str lw_arena_copy(lw_arena *arena, lw_str text);

#endif
