/* SPDX-License-Identifier: Apache-2.0 */
/* scan_walk_loop.h -- the loop that processes nearly all bytes of a list.
 *
 * Included by one file for each instruction set (simd_*.c), which defines
 *   LW_WALK        the name of the lw_walk_fn defined here
 *   LW_CLASSIFY    the function that classifies a block (lexer/block_*.h)
 *   LW_PREFIX_XOR  the function that turns quotes into strings (lexer/block.h, block_clmul.h)
 *
 * The functions marked LW_ALWAYS_INLINE work on one block whose masks stay in registers. */
#include <string.h>

#include "json/scan_walk.h"

enum {
    READ_AHEAD = 2048, /* bytes; far enough for the memory latency */
};

/* Prefetches later bytes; the address may be beyond the chunk. */
static inline void read_ahead(const uint8_t *p)
{
    __builtin_prefetch((const void *)((uintptr_t)p + READ_AHEAD));
}

/* Computes the masks of a block from the positions of its strings. */
LW_ALWAYS_INLINE void lex_sort(lw_lex_block *b, const lw_block_masks *m, uint64_t quote,
                               uint64_t in_string)
{
    uint64_t outside = ~in_string;
    b->open = m->open & outside;
    b->close = m->close & outside;
    b->curly = m->curly;
    b->colon = m->colon & outside;
    b->comma = m->comma & outside;
    b->in_string = in_string;
    b->opening = quote & in_string;
    b->closing = quote & outside;
    b->word = outside & ~(m->open | m->close | m->colon | m->comma | m->space | quote);
}

/* Finds the tokens of |n| bytes (1 to 64) at |p|, which are followed by spaces up to 64 bytes. */
LW_ALWAYS_INLINE void lex_block(lw_lexer *lx, const uint8_t *p, unsigned n, bool trusts_input,
                                lw_lex_block *b)
{
    lw_block_masks m;
    LW_CLASSIFY(p, &m);
    uint64_t quote = m.quote;
    lw_lex_fault_place fault = { .at = LW_BLOCK };
    if (m.backslash || lx->escape)
        quote &= ~(trusts_input ? lw_lexer_escapes_trusting(&lx->escape, n, m.backslash)
                                : lw_lexer_escapes(&lx->escape, p, n, m.backslash, &fault));
    /* From each opening quote to the byte before the closing one. */
    uint64_t in_string = LW_PREFIX_XOR(quote) ^ lx->in_string;
    uint64_t control = m.control & in_string;
    if (!trusts_input && (m.high | lx->utf8_more | control))
        lw_lexer_text(lx, p, n, control, &fault);
    lex_sort(b, &m, quote, in_string);
    b->word_begin = b->word & ~(b->word << 1 | lx->in_word);
    b->fault_at = fault.at;
    b->fault = fault.what;
    lx->in_string = (uint64_t)((int64_t)in_string >> 63);
    lx->in_word = (uint8_t)(b->word >> (n - 1) & 1);
}

/* Returns true if the |len| bytes at |p| are true, false or null; at least five bytes are readable.
 */
static inline bool is_literal(const uint8_t *p, unsigned len)
{
    if (len == 4)
        return memcmp(p, "true", 4) == 0 || memcmp(p, "null", 4) == 0;
    return len == 5 && memcmp(p, "false", 5) == 0;
}

/* Checks the words that are completely in the block: nearly all are natural numbers and literals.
 * Returns false if there is any other word. */
static inline bool words_are_plain(const uint8_t *p, uint64_t word, const lw_block_masks *m)
{
    uint64_t begin = word & ~(word << 1);
    uint64_t other = word & ~m->digit;
    if (begin & m->zero & word >> 1) /* 012 is not a number */
        return false;
    while (other) {
        unsigned i = (unsigned)__builtin_ctzll(other);
        unsigned len = (unsigned)__builtin_ctzll(~(word >> i));
        if (!(begin >> i & 1) || !is_literal(p + i, len))
            return false;
        other &= ~lw_block_below(i + len);
    }
    return true;
}

/* The words of a block, and the one that continues in the next block. */
typedef struct border_words {
    uint64_t within; /* the words that are completely in the block */
    lw_word
        word; /* state of the word that continues, or LW_WORD_START; FAILED: a word is invalid */
} border_words;

/* Processes the end of a word from the block before, and the beginning of one that continues. */
static border_words words_at_borders(bool in_word, lw_word state, const uint8_t *p, uint64_t word)
{
    border_words b = { .within = word, .word = LW_WORD_START };
    if (in_word) {
        unsigned len = ~word ? (unsigned)__builtin_ctzll(~word) : LW_BLOCK;
        bool is_right = len < LW_BLOCK && lw_word_is_complete(lw_word_run(state, p, len));
        if (!is_right) /* or a very long one; the walk decides */
            return (border_words){ .word = LW_WORD_FAILED };
        b.within &= ~lw_block_below(len);
    }
    if (b.within >> 63) {
        unsigned len = ~b.within ? (unsigned)__builtin_clzll(~b.within) : LW_BLOCK;
        b.word = lw_word_run(LW_WORD_START, p + LW_BLOCK - len, len);
        b.within &= lw_block_below(LW_BLOCK - len);
    }
    return b;
}

/* Initialises the state of the bulk check from the walk. */
LW_ALWAYS_INLINE lw_bulk bulk_at(const lw_scan *s)
{
    lw_bulk bulk = {
        .types = s->nest.types,
        .depth = s->nest.depth,
        .floor = s->floor,
        .limit = s->max_depth < LW_NEST_WORD ? s->max_depth : LW_NEST_WORD,
    };
    lw_bulk_await(&bulk, s->expect, s->lexer.in_string, s->lexer.in_word);
    return bulk;
}

/* Finds and validates all escaped bytes of a block. */
static __attribute__((noinline)) bool escapes_fit(uint8_t *escape, const uint8_t *p,
                                                  uint64_t backslash, uint64_t *escaped)
{
    lw_lex_fault_place fault = { .at = LW_BLOCK };
    *escaped = lw_lexer_escapes(escape, p, LW_BLOCK, backslash, &fault);
    return fault.what == LW_LEX_FINE;
}

/* Processes a deep block at once, if it is ASCII without white space between tokens, like most of a
 * list.  Returns the number of processed bytes, which is less than a block if the deep part ends;
 * 0: nothing has changed.  |*is_in_string| is set if all of it is in one string. */
LW_ALWAYS_INLINE unsigned walk_whole(lw_bulk *bulk, lw_lexer *lx, const uint8_t *p,
                                     bool *is_in_string)
{
    lw_block_masks m;
    read_ahead(p);
    LW_CLASSIFY(p, &m);
    uint64_t quote = m.quote;
    uint8_t escape = lx->escape;
    if (m.backslash | escape) {
        uint64_t escaped;
        if (!lw_lexer_short_escapes(&escape, p, m.backslash, quote, &escaped) &&
            !escapes_fit(&escape, p, m.backslash, &escaped))
            return 0;
        quote &= ~escaped;
    }
    if (lx->in_string && !quote) { /* the string goes on, and the bulk with it */
        if (m.high | lx->utf8_more | m.control)
            return 0;
        lx->escape = escape;
        *is_in_string = true;
        return LW_BLOCK;
    }
    *is_in_string = false;
    uint64_t in_string = LW_PREFIX_XOR(quote) ^ lx->in_string;
    if (m.high | lx->utf8_more | (m.control & in_string) | (m.space & ~in_string))
        return 0;
    lw_lex_block b;
    m.space = 0; /* there is none outside of strings */
    lex_sort(&b, &m, quote, in_string);
    border_words words = { .within = b.word, .word = LW_WORD_START };
    if (lx->in_word | b.word >> 63) {
        words = words_at_borders(lx->in_word, lx->word, p, b.word);
        if (words.word == LW_WORD_FAILED)
            return 0;
    }
    if (words.within && !words_are_plain(p, words.within, &m))
        return 0;
    unsigned taken = lw_bulk_accept(bulk, &b);
    if (taken == 0)
        return 0;
    lx->in_string = (uint64_t)((int64_t)b.in_string >> 63);
    lx->in_word = (uint8_t)(b.word >> 63);
    lx->escape = taken == LW_BLOCK ? escape : 0;
    lx->word = words.word;
    bulk->in_string = lx->in_string;
    bulk->in_word = lx->in_word;
    return taken;
}

/* Processes the blocks that are completely in the string in which |p| is, as far as they are ASCII;
 * returns their bytes.  For them nothing changes but the escapes. */
LW_ALWAYS_INLINE size_t walk_string(lw_lexer *lx, const uint8_t *p, size_t len)
{
    size_t at = 0;
    for (; len - at >= LW_BLOCK; at += LW_BLOCK) {
        lw_block_masks m;
        uint8_t escape = lx->escape;
        uint64_t escaped = 0;
        read_ahead(p + at);
        LW_CLASSIFY(p + at, &m); /* of which three masks are used */
        if (m.high | m.control)
            break;
        if ((m.backslash | escape) &&
            !lw_lexer_short_escapes(&escape, p + at, m.backslash, m.quote, &escaped))
            break;
        if (m.quote & ~escaped)
            break;
        lx->escape = escape;
    }
    return at;
}

/* Processes deep blocks as long as possible, at most to the end of the deep part; returns the
 * bytes. */
static size_t walk_deep_blocks(lw_scan *s, const uint8_t *p, size_t len)
{
    lw_lexer lx = s->lexer;
    lw_bulk bulk = bulk_at(s);
    size_t at = 0;
    unsigned taken = LW_BLOCK;
    bool in_string = false;
    while (taken == LW_BLOCK && len - at >= LW_BLOCK && bulk.depth > bulk.floor) {
        taken = walk_whole(&bulk, &lx, p + at, &in_string);
        at += taken;
        if (in_string)
            at += walk_string(&lx, p + at, len - at);
    }
    s->lexer = lx;
    s->expect = lw_bulk_expect(&bulk);
    s->nest.types = bulk.types;
    s->nest.depth = bulk.depth;
    if (s->nest.depth == s->floor)
        lw_walk__rise(s);
    return at;
}

/* Skips the deep part of trusted input, of which only the depth matters; returns the tokens after
 * it. */
static uint64_t walk_deep_trusting(lw_scan *s, const lw_walk *w, uint64_t tokens)
{
    uint64_t nesting = (w->lex.open | w->lex.close) & tokens;
    for (; nesting; nesting &= nesting - 1) {
        uint64_t bit = nesting & -nesting;
        s->nest.depth += w->lex.open & bit ? 1u : -1u;
        if (s->nest.depth == s->floor) {
            s->nest.depth++; /* of the deep containers, only the outermost was pushed */
            lw_nest_pop(&s->nest);
            s->expect = lw_nest_after_value(&s->nest);
            lw_walk__rise(s);
            return tokens & -(bit << 1);
        }
    }
    return 0;
}

/* Processes a block token by token.  Returns the number of processed bytes: up to the bracket that
 * begins a deep part, so that the deep part begins with a new block; or all |n|. */
LW_ALWAYS_INLINE unsigned walk_slowly(lw_scan *s, const uint8_t *bytes, const char *at, unsigned n,
                                      bool trusts_input)
{
    lw_walk w;
    read_ahead(bytes);
    w.bytes = bytes;
    w.at = at;
    w.n = n;
    bool in_word = s->lexer.in_word;
    lex_block(&s->lexer, bytes, n, trusts_input, &w.lex);
    if (in_word && !trusts_input)
        lw_walk__word(s, &w, 0);
    if (s->in_key && s->st >= 0)
        lw_walk__key(s, &w);
    uint64_t tokens = lw_lex_tokens(&w.lex) & lw_block_below(w.lex.fault_at);
    while (tokens && s->st >= 0) {
        uint64_t left;
        if (!s->is_deep) {
            left = lw_walk__tracked(s, &w, tokens);
            bool is_empty = w.lex.close & left & -left; /* an empty container */
            if (s->is_deep && !trusts_input && !is_empty) {
                s->lexer = (lw_lexer){ 0 }; /* as after a bracket */
                return LW_BLOCK - (unsigned)__builtin_clzll(tokens ^ left);
            }
        } else if (trusts_input) {
            left = walk_deep_trusting(s, &w, tokens);
        } else {
            lw_walk__deep(s, &w, (unsigned)__builtin_ctzll(tokens));
            left = tokens & (tokens - 1);
        }
        tokens = left;
    }
    if (w.lex.fault != LW_LEX_FINE && s->st >= 0)
        lw_walk__fail_lexer(s, at + w.lex.fault_at, w.lex.fault);
    return n;
}

static __attribute__((noinline)) unsigned walk_checking(lw_scan *s, const uint8_t *bytes,
                                                        const char *at, unsigned n)
{
    return walk_slowly(s, bytes, at, n, false);
}

static __attribute__((noinline)) unsigned walk_trusting(lw_scan *s, const uint8_t *bytes,
                                                        const char *at, unsigned n)
{
    return walk_slowly(s, bytes, at, n, true);
}

/* Processes a block, or the rest of the chunk, padded to a block; returns the processed bytes. */
static size_t walk_one(lw_scan *s, const uint8_t *p, size_t len)
{
    uint8_t rest[LW_BLOCK];
    const char *at = (const char *)p;
    if (len >= LW_BLOCK) {
        len = LW_BLOCK;
    } else {
        memset(rest, ' ', sizeof(rest));
        memcpy(rest, p, len);
        p = rest;
    }
    return s->trusts_input ? walk_trusting(s, p, at, (unsigned)len)
                           : walk_checking(s, p, at, (unsigned)len);
}

void LW_WALK(lw_scan *s, const char *bytes, size_t len)
{
    const uint8_t *p = (const uint8_t *)bytes;
    while (len > 0 && s->st >= 0) {
        size_t taken = 0;
        if (s->is_deep && !s->trusts_input && s->nest.depth > s->floor)
            taken = walk_deep_blocks(s, p, len);
        if (taken == 0)
            taken = walk_one(s, p, len);
        p += taken;
        len -= taken;
    }
}
