/* SPDX-License-Identifier: Apache-2.0 */
/* scan_walk_loop.h -- the loop that nearly all bytes of a list go through.
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
    READ_AHEAD = 2048, /* bytes: far enough for memory to answer in time */
};

/* Asks for what comes later; the address may lie beyond the chunk. */
static inline void read_ahead(const uint8_t *p)
{
    __builtin_prefetch((const void *)((uintptr_t)p + READ_AHEAD));
}

/* The masks of a block, once it is known where its strings are. */
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

/* Sorts |n| bytes (1 to 64) at |p|, which has 64 readable bytes, spaces after the first |n|. */
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
    /* From each opening quote up to, not including, the closing one. */
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

/* True when the |len| bytes at |p|, of which there are at least five, are true, false or null. */
static inline bool is_literal(const uint8_t *p, unsigned len)
{
    if (len == 4)
        return memcmp(p, "true", 4) == 0 || memcmp(p, "null", 4) == 0;
    return len == 5 && memcmp(p, "false", 5) == 0;
}

/* Checks the words that lie within a block: natural numbers and literals, which nearly all are.
 * False when there is another one. */
static inline bool words_are_plain(const uint8_t *p, uint64_t word, const lw_block_masks *m)
{
    uint64_t begin = word & ~(word << 1);
    uint64_t other = word & ~m->digit;
    if (begin & m->zero & word >> 1) /* 012 is no number */
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

/* What a block leaves of the words that cross its borders. */
typedef struct border_words {
    uint64_t within; /* the words that do not */
    lw_word word;    /* state of the one that goes on, or LW_WORD_START; FAILED: one is wrong */
} border_words;

/* Takes the end of the word that came in and the beginning of the one that goes on. */
static border_words words_at_borders(bool in_word, lw_word state, const uint8_t *p, uint64_t word)
{
    border_words b = { .within = word, .word = LW_WORD_START };
    if (in_word) {
        unsigned len = ~word ? (unsigned)__builtin_ctzll(~word) : LW_BLOCK;
        bool is_right = len < LW_BLOCK && lw_word_is_complete(lw_word_run(state, p, len));
        if (!is_right) /* or endless; the walk finds out */
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

/* What the bulk check needs to know of the walk. */
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

/* Finds the escaped bytes of a block and checks them, in full generality. */
static __attribute__((noinline)) bool escapes_fit(uint8_t *escape, const uint8_t *p,
                                                  uint64_t backslash, uint64_t *escaped)
{
    lw_lex_fault_place fault = { .at = LW_BLOCK };
    *escaped = lw_lexer_escapes(escape, p, LW_BLOCK, backslash, &fault);
    return fault.what == LW_LEX_FINE;
}

/* Takes a deep block in one go, if it is ASCII without blanks between tokens, the way most of a
 * list looks.  Returns the bytes taken, fewer than a block when the deep part ends; or 0, and
 * nothing has changed. */
LW_ALWAYS_INLINE unsigned walk_whole(lw_bulk *bulk, lw_lexer *lx, const uint8_t *p)
{
    lw_block_masks m;
    read_ahead(p);
    LW_CLASSIFY(p, &m);
    uint64_t quote = m.quote;
    uint8_t escape = 0;
    if (m.backslash | lx->escape) {
        uint64_t escaped = m.backslash << 1;
        uint64_t other = (escaped & ~quote) | m.backslash >> 63 | lx->escape;
        if (other) { /* than quotes */
            escape = lx->escape;
            if (!escapes_fit(&escape, p, m.backslash, &escaped))
                return 0;
        }
        quote &= ~escaped;
    }
    uint64_t in_string = LW_PREFIX_XOR(quote) ^ lx->in_string;
    if (m.high | lx->utf8_more | (m.control & in_string) | (m.space & ~in_string))
        return 0;
    lw_lex_block b;
    m.space = 0; /* there is none outside strings */
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

/* Takes deep blocks as long as it can, to the end of the deep part at most; returns the bytes. */
static size_t walk_deep_blocks(lw_scan *s, const uint8_t *p, size_t len)
{
    lw_lexer lx = s->lexer;
    lw_bulk bulk = bulk_at(s);
    size_t at = 0;
    unsigned taken = LW_BLOCK;
    while (taken == LW_BLOCK && len - at >= LW_BLOCK && bulk.depth > bulk.floor) {
        taken = walk_whole(&bulk, &lx, p + at);
        at += taken;
    }
    s->lexer = lx;
    s->expect = lw_bulk_expect(&bulk);
    s->nest.types = bulk.types;
    s->nest.depth = bulk.depth;
    if (s->nest.depth == s->floor)
        lw_walk__rise(s);
    return at;
}

/* Passes over the deep part of input that is known to be JSON, where only the depth matters;
 * returns the tokens behind it. */
static uint64_t walk_deep_trusting(lw_scan *s, const lw_walk *w, uint64_t tokens)
{
    uint64_t nesting = (w->lex.open | w->lex.close) & tokens;
    for (; nesting; nesting &= nesting - 1) {
        uint64_t bit = nesting & -nesting;
        s->nest.depth += w->lex.open & bit ? 1u : -1u;
        if (s->nest.depth == s->floor) {
            s->nest.depth++; /* only the outermost of the deep containers was pushed */
            lw_nest_pop(&s->nest);
            s->expect = lw_nest_after_value(&s->nest);
            lw_walk__rise(s);
            return tokens & -(bit << 1);
        }
    }
    return 0;
}

/* Takes a block token by token.  Returns the bytes taken: up to the bracket that begins a deep
 * part, so that this begins with a block of its own; or all |n|. */
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
            bool is_empty = w.lex.close & left & -left; /* the bracket is closed at once */
            if (s->is_deep && !trusts_input && !is_empty) {
                s->lexer = (lw_lexer){ 0 }; /* as it is behind a bracket */
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

/* Takes a block, or what is left of the chunk, padded to one; returns the bytes taken. */
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
