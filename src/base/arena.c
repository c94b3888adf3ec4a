/* SPDX-License-Identifier: Apache-2.0 */
/* arena.c -- blocks, each twice as large as the one before, up to a bound. */
#include "base/arena.h"

#include <stdint.h>
#include <string.h>

#include "base/alloc.h"

enum {
    BLOCK_MIN = 2 * 1024,
    BLOCK_MAX = 256 * 1024, /* unless one allocation is larger */
};

struct lw_arena_block {
    lw_arena_block *older;
    size_t size, used;
    _Alignas(max_align_t) char bytes[];
};

void lw_arena_init(lw_arena *arena, size_t limit)
{
    *arena = (lw_arena){ .limit = limit };
}

void lw_arena_done(lw_arena *arena)
{
    while (arena->blocks) {
        lw_arena_block *older = arena->blocks->older;
        lw_free(arena->blocks);
        arena->blocks = older;
    }
    arena->taken = 0;
    arena->st = LW_OK;
}

static void *fail(lw_arena *arena, lw_status st)
{
    arena->st = st;
    return NULL;
}

/* Adds a block of at least |need| bytes; near the limit, of exactly |need| bytes. */
static lw_arena_block *grow(lw_arena *arena, size_t need)
{
    size_t left = arena->limit - arena->taken;
    size_t size = arena->blocks ? arena->blocks->size * 2 : BLOCK_MIN;
    if (size > BLOCK_MAX)
        size = BLOCK_MAX;
    if (size < need || size > left)
        size = need;
    if (size > left)
        return fail(arena, LW_ERR_LIMIT);
    lw_arena_block *block = lw_alloc(sizeof(*block) + size);
    if (!block)
        return fail(arena, LW_ERR_NOMEM);
    *block = (lw_arena_block){ .older = arena->blocks, .size = size };
    arena->blocks = block;
    arena->taken += size;
    return block;
}

void *lw_arena_take(lw_arena *arena, size_t size)
{
    const size_t align = _Alignof(max_align_t);
    lw_arena_block *block = arena->blocks;
    if (arena->st < 0)
        return NULL;
    if (size > SIZE_MAX / 2)
        return fail(arena, LW_ERR_LIMIT);
    size = size > 0 ? (size + align - 1) / align * align : align;
    if (!block || block->size - block->used < size)
        block = grow(arena, size);
    if (!block)
        return NULL;
    void *part = block->bytes + block->used;
    block->used += size;
    return part;
}

void *lw_arena_take_zero(lw_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        bytes = SIZE_MAX; /* more than any arena has */
    void *part = lw_arena_take(arena, bytes);
    return part ? memset(part, 0, bytes) : NULL;
}

lw_str lw_arena_copy(lw_arena *arena, lw_str text)
{
    char *copy = lw_arena_take(arena, text.len + 1);
    if (!copy)
        return lw_str_make(NULL, 0);
    if (text.len > 0)
        memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    return lw_str_make(copy, text.len);
}
