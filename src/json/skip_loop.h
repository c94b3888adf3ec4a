/* SPDX-License-Identifier: Apache-2.0 */
/* skip_loop.h -- the loop of skip.h.
 *
 * Included by one file for each kind of machine, which may define
 *   LW_SKIP        the name of the lw_skip_fn made here
 *   LW_CLASSIFY    how a block is sorted (scan_block_*.h)
 *   LW_PREFIX_XOR  how quotes become strings
 * and gets the scalar twin if it does not. */
#include <stddef.h>
#include <string.h>

#include "json/scan_lexer.h"
#include "json/skip.h"

#if !defined(LW_SKIP)
#include "json/scan_block_scalar.h"
#define LW_SKIP       lw_skip_scalar
#define LW_CLASSIFY   lw_block_classify_scalar
#define LW_PREFIX_XOR lw_block_prefix_xor
#endif

/* What is carried from one block to the next. */
typedef struct skip_state {
    size_t depth;       /* brackets that are open */
    uint64_t in_string; /* all ones inside a string, else 0 */
    uint8_t escape;     /* as in lw_lexer */
} skip_state;

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
    lw_block_masks m;
    LW_CLASSIFY(p, &m);
    uint64_t quote = m.quote;
    if (m.backslash | s->escape)
        quote &= ~lw_lexer_escapes_trusting(&s->escape, LW_BLOCK, m.backslash);
    uint64_t in_string = LW_PREFIX_XOR(quote) ^ s->in_string;
    s->in_string = (uint64_t)((int64_t)in_string >> 63);
    uint64_t open = m.open & ~in_string, close = m.close & ~in_string;
    size_t closed = (size_t)__builtin_popcountll(close);
    if (closed >= s->depth)
        return skip_brackets(s, open, close);
    s->depth += (size_t)__builtin_popcountll(open) - closed;
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
