/* SPDX-License-Identifier: Apache-2.0 */
/* skip_loop.h -- the loops of skip.h.
 *
 * Included by one file for each instruction set (json/simd_*.c), which defines
 *   LW_SKIP        the name of the lw_skip_fn defined here
 *   LW_MEMBER      the name of the lw_member_fn defined here
 *   LW_CLASSIFY    the function that classifies a block (block_*.h)
 *   LW_PREFIX_XOR  the function that turns quotes into strings (block.h, block_clmul.h) */
#include <stddef.h>
#include <string.h>

#include "base/str.h"
#include "json/lexer/lexer.h"
#include "json/lexer/skip.h"

enum {
    MEMBER_READ_AHEAD =
        512, /* bytes; objects that are searched are often no longer in the CPU cache */
};

/* The state between two blocks. */
typedef struct skip_state {
    size_t depth;       /* open brackets */
    uint64_t in_string; /* all ones inside a string, else 0 */
    uint8_t escape;     /* as in lw_lexer */
} skip_state;

/* The masks of 64 bytes that are used; brackets and colons are those outside strings. */
typedef struct skip_masks {
    uint64_t open, close, colon;
    uint64_t backslash;
} skip_masks;

LW_ALWAYS_INLINE skip_masks skip_classify(skip_state *s, const uint8_t *p)
{
    lw_block_masks m;
    LW_CLASSIFY(p, &m);
    uint64_t quote = m.quote;
    if (m.backslash | s->escape)
        quote &= ~lw_lexer_escapes_trusting(&s->escape, LW_BLOCK, m.backslash);
    uint64_t in_string = LW_PREFIX_XOR(quote) ^ s->in_string;
    s->in_string = (uint64_t)((int64_t)in_string >> 63);
    return (skip_masks){ .open = m.open & ~in_string,
                         .close = m.close & ~in_string,
                         .colon = m.colon & ~in_string,
                         .backslash = m.backslash };
}

/* Processes single brackets, in a block where the container may end.  Returns the position after
 * the bracket at which the depth is zero, or LW_BLOCK + 1. */
static unsigned skip_brackets(skip_state *s, uint64_t open, uint64_t close)
{
    uint64_t brackets = open | close;
    for (; brackets; brackets &= brackets - 1) {
        uint64_t bit = brackets & -brackets;
        s->depth += open & bit ? (size_t)1 : (size_t)-1;
        if (s->depth == 0)
            return (unsigned)__builtin_ctzll(bit) + 1;
    }
    return LW_BLOCK + 1;
}

/* Processes 64 bytes at |p|.  Returns how many belong to the container; LW_BLOCK + 1: it goes on.
 */
LW_ALWAYS_INLINE unsigned skip_block(skip_state *s, const uint8_t *p)
{
    skip_masks m = skip_classify(s, p);
    size_t closed = (size_t)__builtin_popcountll(m.close);
    if (closed >= s->depth)
        return skip_brackets(s, m.open, m.close);
    s->depth += (size_t)__builtin_popcountll(m.open) - closed;
    return LW_BLOCK + 1;
}

const char *LW_SKIP(const char *at, const char *end)
{
    skip_state s = { 0 };
    uint8_t rest[LW_BLOCK];
    unsigned taken;
    for (; end - at >= LW_BLOCK; at += LW_BLOCK) {
        taken = skip_block(&s, (const uint8_t *)at);
        if (taken <= LW_BLOCK)
            return at + taken;
    }
    size_t len = (size_t)(end - at);
    memset(rest, ' ', sizeof(rest));
    memcpy(rest, at, len);
    taken = skip_block(&s, rest);
    return taken <= len ? at + taken : end;
}

/* The state of a search for a member. */
typedef struct member_search {
    skip_state state;
    const char *begin; /* the bracket of the object */
    lw_str name;
    const char *colon; /* of the last member with that name; NULL: none yet */
    bool has_escape;   /* a key or string of the object itself contains a backslash */
    bool is_over;      /* the object has ended */
} member_search;

/* Returns true if the key before |colon| is |m->name|.  The quote before the name begins the key: a
 * quote inside a key is escaped, and then the caller ignores the result. */
static bool is_named(const member_search *m, const char *colon)
{
    const char *quote = colon - 1;
    while (quote > m->begin && lw_char_is_blank(*quote))
        quote--;
    if ((size_t)(quote - m->begin) < m->name.len + 2)
        return false;
    const char *key = quote - m->name.len;
    return key[-1] == '"' && memcmp(key, m->name.ptr, m->name.len) == 0;
}

/* Returns the bytes of a block that belong to the object itself, not to the containers in it;
 * processes brackets one by one. */
static uint64_t member_own_bytes(member_search *m, uint64_t open, uint64_t close)
{
    size_t depth = m->state.depth;
    uint64_t inside = depth == 1 ? ~(uint64_t)0 : 0, own = inside;
    for (uint64_t brackets = open | close; brackets; brackets &= brackets - 1) {
        uint64_t bit = brackets & -brackets;
        depth += open & bit ? (size_t)1 : (size_t)-1;
        uint64_t now = depth == 1 ? ~(uint64_t)0 : 0;
        own ^= (inside ^ now) & -(bit << 1);
        inside = now;
        if (depth == 0) {
            m->is_over = true;
            break;
        }
    }
    m->state.depth = depth;
    return own;
}

/* Processes 64 bytes at |p|: those at |text|, possibly followed by spaces. */
LW_ALWAYS_INLINE void member_block(member_search *m, const uint8_t *p, const char *text)
{
    skip_masks masks = skip_classify(&m->state, p);
    size_t closed = (size_t)__builtin_popcountll(masks.close);
    if (closed + 1 < m->state.depth) { /* no byte belongs to the object itself */
        m->state.depth += (size_t)__builtin_popcountll(masks.open) - closed;
        return;
    }
    uint64_t own = member_own_bytes(m, masks.open, masks.close);
    m->has_escape = m->has_escape || (masks.backslash & own);
    for (uint64_t colons = masks.colon & own; colons; colons &= colons - 1) {
        const char *colon = text + __builtin_ctzll(colons);
        if (is_named(m, colon))
            m->colon = colon;
    }
}

/* Prefetches later bytes; the address may be beyond the text. */
static inline void member_read_ahead(const char *at)
{
    __builtin_prefetch((const void *)((uintptr_t)at + MEMBER_READ_AHEAD));
}

bool LW_MEMBER(const char *at, const char *end, lw_str name, const char **colon)
{
    member_search m = { .begin = at, .name = name };
    uint8_t rest[LW_BLOCK];
    for (size_t ahead = LW_BLOCK; ahead < MEMBER_READ_AHEAD; ahead += LW_BLOCK)
        member_read_ahead(at + ahead - MEMBER_READ_AHEAD);
    for (; end - at >= LW_BLOCK && !m.is_over && !m.has_escape; at += LW_BLOCK) {
        member_read_ahead(at);
        member_block(&m, (const uint8_t *)at, at);
    }
    if (end > at && !m.is_over && !m.has_escape) {
        memset(rest, ' ', sizeof(rest));
        memcpy(rest, at, (size_t)(end - at));
        member_block(&m, rest, at);
    }
    *colon = m.colon;
    return !m.has_escape;
}
