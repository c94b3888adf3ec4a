/* SPDX-License-Identifier: Apache-2.0 */
/* arena.c -- memory of what one message is decoded into. */
#include "etcd/arena.h"

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"

enum {
    PIECE_FIRST = 1024,
    PIECE_MAX = 256 * 1024,
};

struct lw_etcd_arena_piece {
    lw_etcd_arena_piece *next;
    size_t size, used;
    _Alignas(max_align_t) char bytes[];
};

void lw_etcd_arena_init(lw_etcd_arena *arena, size_t limit)
{
    *arena = (lw_etcd_arena){ .limit = limit };
}

void lw_etcd_arena_done(lw_etcd_arena *arena)
{
    while (arena->pieces) {
        lw_etcd_arena_piece *next = arena->pieces->next;
        lw_free(arena->pieces);
        arena->pieces = next;
    }
    arena->taken = 0;
    arena->st = LW_OK;
}

/* A new piece in front: twice the last one, up to a bound, and |size| at least. */
static lw_etcd_arena_piece *grow(lw_etcd_arena *arena, size_t size)
{
    size_t wanted = arena->pieces ? 2 * arena->pieces->size : PIECE_FIRST;
    if (wanted > PIECE_MAX)
        wanted = PIECE_MAX;
    if (wanted < size)
        wanted = size;
    if (wanted > arena->limit - arena->taken) {
        wanted = size;
        if (wanted > arena->limit - arena->taken) {
            arena->st = LW_ERR_LIMIT;
            return NULL;
        }
    }
    lw_etcd_arena_piece *piece = lw_alloc(sizeof(*piece) + wanted);
    if (!piece) {
        arena->st = LW_ERR_NOMEM;
        return NULL;
    }
    *piece = (lw_etcd_arena_piece){ .next = arena->pieces, .size = wanted };
    arena->pieces = piece;
    arena->taken += wanted;
    return piece;
}

void *lw_etcd_arena_take(lw_etcd_arena *arena, size_t size)
{
    const size_t align = _Alignof(max_align_t);
    lw_etcd_arena_piece *piece = arena->pieces;
    if (arena->st < 0)
        return NULL;
    if (size > SIZE_MAX / 2) {
        arena->st = LW_ERR_LIMIT;
        return NULL;
    }
    size = size ? (size + align - 1) / align * align : align;
    if (!piece || piece->size - piece->used < size)
        piece = grow(arena, size);
    if (!piece)
        return NULL;
    void *taken = piece->bytes + piece->used;
    piece->used += size;
    return taken;
}
