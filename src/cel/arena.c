/* SPDX-License-Identifier: Apache-2.0 */
/* arena.c -- blocks that grow with what is asked of them. */
#include "cel/arena.h"

#include <stdint.h>

#include "base/alloc.h"

enum {
    BLOCK_MIN = 2 * 1024,
    BLOCK_MAX = 256 * 1024, /* unless one piece is larger */
    ALIGN = 16,
};

struct lw_cel_block {
    struct lw_cel_block *older;
    size_t size, used; /* of the bytes behind it */
};

/* Where the bytes of a block begin. */
enum {
    HEAD = (sizeof(struct lw_cel_block) + ALIGN - 1) / ALIGN * ALIGN,
};

void lw_cel_arena_init(lw_cel_arena *arena, size_t limit)
{
    *arena = (lw_cel_arena){ .limit = limit };
}

void lw_cel_arena_done(lw_cel_arena *arena)
{
    for (struct lw_cel_block *block = arena->blocks, *older; block; block = older) {
        older = block->older;
        lw_free(block);
    }
    arena->blocks = NULL;
}

static struct lw_cel_block *grow(lw_cel_arena *arena, size_t need)
{
    size_t size = arena->blocks ? arena->blocks->size * 2 : BLOCK_MIN;
    size = size > BLOCK_MAX ? BLOCK_MAX : size;
    size = size < need ? need : size;
    if (size > arena->limit - arena->taken) {
        arena->st = LW_ERR_LIMIT;
        return NULL;
    }
    struct lw_cel_block *block = lw_alloc_zero(1, HEAD + size);
    if (!block) {
        arena->st = LW_ERR_NOMEM;
        return NULL;
    }
    block->size = size;
    block->older = arena->blocks;
    arena->blocks = block;
    arena->taken += size;
    return block;
}

void *lw_cel_arena_take(lw_cel_arena *arena, size_t count, size_t size)
{
    struct lw_cel_block *block = arena->blocks;
    if (arena->st < 0)
        return NULL;
    if (count > SIZE_MAX / 2 / size || count * size > arena->limit) {
        arena->st = LW_ERR_LIMIT;
        return NULL;
    }
    size_t need = (count * size + ALIGN - 1) / ALIGN * ALIGN;
    if (!block || block->size - block->used < need)
        block = grow(arena, need);
    if (!block)
        return NULL;
    void *piece = (char *)block + HEAD + block->used;
    block->used += need;
    return piece;
}

lw_str lw_cel_arena_copy(lw_cel_arena *arena, lw_str text)
{
    char *copy = lw_cel_arena_take(arena, text.len + 1, 1);
    if (!copy)
        return lw_str_make(NULL, 0);
    if (text.len > 0)
        memcpy(copy, text.ptr, text.len);
    return lw_str_make(copy, text.len);
}
