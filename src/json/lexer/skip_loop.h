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
    MEMBER_READ_AHEAD = 512, /* bytes: objects that are searched have often left the cache */
};

/* What is carried from one block to the next. */
typedef struct skip_state {
    size_t depth;       /* brackets that are open */
    uint64_t in_string; /* all ones inside a string, else 0 */
    uint8_t escape;     /* as in lw_lexer */
} skip_state;

/* What matters of 64 bytes; brackets and colons are those outside strings. */
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

/* Walks single brackets, in a block where the container may end.  The bit behind the one that
 * brings the depth to zero, or LW_BLOCK + 1. */
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

/* Takes the 64 bytes at |p|.  How many belong to the container, or LW_BLOCK + 1: all, and more. */
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

/* Where members are looked for. */
typedef struct member_search {
    skip_state state;
    const char *begin; /* the bracket of the object */
    lw_str name;
    const char *colon; /* of the last member of that name; NULL: none yet */
    bool has_escape;   /* a backslash in the object's own keys and strings */
    bool is_over;      /* the object has ended */
} member_search;

/* True when the key before |colon| is |m->name|.  The quote before it begins it: one inside of a
 * key is escaped, and then nothing that is found here counts. */
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

/* The bytes of a block that stand in the object itself, not in what it contains; its brackets are
 * walked one by one. */
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

/* Takes the 64 bytes at |p|, which are those at |text| and maybe spaces behind them. */
LW_ALWAYS_INLINE void member_block(member_search *m, const uint8_t *p, const char *text)
{
    skip_masks masks = skip_classify(&m->state, p);
    size_t closed = (size_t)__builtin_popcountll(masks.close);
    if (closed + 1 < m->state.depth) { /* nothing of it is the object's own */
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

/* Asks for what comes later; the address may lie beyond the text. */
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
