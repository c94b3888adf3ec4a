/* SPDX-License-Identifier: Apache-2.0 */
/* arena.h -- memory of what one message is decoded into: taken in large pieces, bounded, and given
 * back all at once. */
#ifndef LW_ETCD_ARENA_H
#define LW_ETCD_ARENA_H

#include <stddef.h>

#include <listwatch/error.h>

typedef struct lw_etcd_arena_piece lw_etcd_arena_piece;

typedef struct lw_etcd_arena {
    lw_etcd_arena_piece *pieces; /* the one in use first */
    size_t taken;                /* bytes of all pieces */
    size_t limit;                /* |taken| never exceeds this */
    lw_status st;                /* LW_OK, LW_ERR_NOMEM or LW_ERR_LIMIT: the first failure */
} lw_etcd_arena;

/* An empty one; allocates nothing. */
void lw_etcd_arena_init(lw_etcd_arena *arena, size_t limit);

/* Frees everything that came from it; it is as after init then, with the same limit. */
void lw_etcd_arena_done(lw_etcd_arena *arena);

/* |size| bytes that fit any type, or NULL: see arena->st. */
LW_MUST_CHECK void *lw_etcd_arena_take(lw_etcd_arena *arena, size_t size);

#endif
