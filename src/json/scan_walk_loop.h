/* SPDX-License-Identifier: Apache-2.0 */
/* scan_walk_loop.h -- the loop that nearly all bytes of a list go through.
 *
 * Included by one file for each kind of machine, which may define
 *   LW_WALK        the name of the lw_walk_fn made here
 *   LW_CLASSIFY    how a block is sorted (scan_block_*.h)
 *   LW_PREFIX_XOR  how quotes become strings
 * and gets the scalar twin if it does not.
 *
 * What is marked LW_ALWAYS_INLINE works on one block whose masks stay in registers. */
#include <string.h>

#include "json/scan_walk.h"

#if !defined(LW_WALK)
#include "json/scan_block_scalar.h"
#define LW_WALK       lw_walk_scalar
#define LW_CLASSIFY   lw_block_classify_scalar
#define LW_PREFIX_XOR lw_block_prefix_xor
#endif

/* Sorts |n| bytes (1 to 64) at |p|, which has 64 readable bytes, spaces after the first |n|.
 * Returns what |lx| becomes behind them, but for the state of words. */
LW_ALWAYS_INLINE lw_lexer lex_block(lw_lexer lx, const uint8_t *p, unsigned n, bool trusts_input,
                                    lw_lex_block *b)
{
    lw_block_masks m;
    LW_CLASSIFY(p, &m);
    uint64_t quote = m.quote;
    lw_lex_fault_place fault = { .at = LW_BLOCK };
    if (m.backslash || lx.escape) {
        lw_lexer behind = lx; /* a copy, so that |lx| need not live in memory */
        quote &= ~(trusts_input ? lw_lexer_escapes_trusting(&behind, n, m.backslash)
                                : lw_lexer_escapes(&behind, p, n, m.backslash, &fault));
        lx = behind;
    }
    /* From each opening quote up to, not including, the closing one. */
    uint64_t in_string = LW_PREFIX_XOR(quote) ^ lx.in_string;
    uint64_t outside = ~in_string;
    if (!trusts_input && (m.high | lx.utf8_more | (m.control & in_string))) {
        lw_lexer behind = lx;
        lw_lexer_text(&behind, p, n, m.control & in_string, &fault);
        lx = behind;
    }
    b->open = m.open & outside;
    b->close = m.close & outside;
    b->curly = m.curly;
    b->separator = m.separator & outside;
    b->colon = m.colon & outside;
    b->blank = m.space & outside;
    b->in_string = in_string;
    b->opening = quote & in_string;
    b->closing = quote & outside;
    b->word = outside & ~(m.open | m.close | m.separator | m.space | quote);
    b->word_begin = b->word & ~(b->word << 1 | lx.in_word);
    b->digit = m.digit;
    b->zero = m.zero;
    b->fault_at = fault.at;
    b->fault = fault.what;
    lx.in_string = (uint64_t)((int64_t)in_string >> 63);
    lx.in_word = (uint8_t)(b->word >> (n - 1) & 1);
    return lx;
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
static inline bool words_are_plain(const uint8_t *p, uint64_t word, const lw_lex_block *b)
{
    uint64_t begin = word & ~(word << 1);
    uint64_t other = word & ~b->digit;
    if (begin & b->zero & word >> 1) /* 012 is no number */
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
        unsigned len = (unsigned)__builtin_clzll(~b.within);
        b.word = lw_word_run(LW_WORD_START, p + LW_BLOCK - len, len);
        b.within &= lw_block_below(LW_BLOCK - len);
    }
    return b;
}

/* Takes a deep block in one go, from end to end; false, and nothing changed, when it cannot be. */
LW_ALWAYS_INLINE bool walk_whole(lw_scan *s, const uint8_t *p)
{
    lw_lex_block b;
    lw_lexer behind = lex_block(s->lexer, p, LW_BLOCK, false, &b);
    if (b.fault != LW_LEX_FINE || b.blank)
        return false;
    lw_bulk bulk = {
        .nest = &s->nest,
        .floor = s->floor,
        .max_depth = s->max_depth,
        .expect = s->expect,
        .in_string = s->lexer.in_string != 0,
        .in_word = s->lexer.in_word,
    };
    border_words words = { .within = b.word, .word = LW_WORD_START };
    if (bulk.in_word | b.word >> 63) {
        words = words_at_borders(bulk.in_word, s->lexer.word, p, b.word);
        if (words.word == LW_WORD_FAILED)
            return false;
    }
    if (!words_are_plain(p, words.within, &b) || !lw_bulk_accept(&bulk, &b, 0, true))
        return false;
    s->expect = bulk.expect;
    s->lexer = behind;
    s->lexer.word = words.word;
    return true;
}

/* Takes a word from its first byte on. */
static inline void word_begin(lw_scan *s, const lw_walk *w, unsigned i)
{
    s->lexer.word = LW_WORD_START;
    lw_walk__word(s, w, i);
}

/* Passes over the deep part of input that is known to be JSON, where only the depth matters;
 * returns the tokens behind it. */
static uint64_t walk_deep_trusting(lw_scan *s, const lw_walk *w, uint64_t tokens)
{
    uint64_t nesting = lw_lex_nesting(&w->lex, ~(uint64_t)0 << __builtin_ctzll(tokens));
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

/* Takes the deep part from the first of |tokens| on in one go, if it can be; returns the tokens
 * behind it, or all of them. */
static inline uint64_t walk_bulk(lw_scan *s, const lw_walk *w, uint64_t tokens, unsigned from)
{
    lw_bulk bulk = {
        .nest = &s->nest,
        .floor = s->floor,
        .max_depth = s->max_depth,
        .expect = s->expect,
        .in_string = w->in_string,
        .in_word = w->in_word,
    };
    uint64_t part = lw_bulk_accept(&bulk, &w->lex, from, false);
    if (part == 0)
        return tokens;
    s->expect = bulk.expect;
    for (uint64_t words = w->lex.word_begin & part; words && s->st >= 0; words &= words - 1)
        word_begin(s, w, (unsigned)__builtin_ctzll(words));
    if (s->nest.depth == s->floor)
        lw_walk__rise(s);
    return tokens & ~part;
}

LW_ALWAYS_INLINE void walk_tokens(lw_scan *s, const lw_walk *w, uint64_t tokens, bool trusts_input)
{
    bool is_plain = w->lex.fault == LW_LEX_FINE;
    unsigned from = 0; /* behind the last token taken */
    while (tokens && s->st >= 0) {
        uint64_t left;
        if (!s->is_deep) {
            left = lw_walk__tracked(s, w, tokens);
        } else if (trusts_input) {
            left = walk_deep_trusting(s, w, tokens);
        } else if (is_plain && s->nest.depth > s->floor) {
            left = walk_bulk(s, w, tokens, from);
            is_plain = left != tokens;
        } else {
            lw_walk__deep(s, w, (unsigned)__builtin_ctzll(tokens));
            left = tokens & (tokens - 1);
        }
        if (left != tokens)
            from = LW_BLOCK - (unsigned)__builtin_clzll(tokens ^ left);
        tokens = left;
    }
}

/* Takes a block token by token, or its deep parts in bulk.  It sorts the block again rather than
 * being handed the masks: kept for it, they would not stay in registers for walk_whole. */
LW_ALWAYS_INLINE void walk_slowly(lw_scan *s, const uint8_t *bytes, const char *at, unsigned n,
                                  bool trusts_input)
{
    lw_walk w;
    w.bytes = bytes;
    w.at = at;
    w.n = n;
    w.in_string = s->lexer.in_string != 0;
    w.in_word = s->lexer.in_word;
    s->lexer = lex_block(s->lexer, bytes, n, trusts_input, &w.lex);
    if (w.in_word && !trusts_input)
        lw_walk__word(s, &w, 0);
    if (s->in_key && s->st >= 0)
        lw_walk__key(s, &w);
    walk_tokens(s, &w, lw_lex_tokens(&w.lex) & lw_block_below(w.lex.fault_at), trusts_input);
    if (w.lex.fault != LW_LEX_FINE && s->st >= 0)
        lw_walk__fail_lexer(s, at + w.lex.fault_at, w.lex.fault);
}

static __attribute__((noinline)) void walk_checking(lw_scan *s, const uint8_t *bytes,
                                                    const char *at, unsigned n)
{
    walk_slowly(s, bytes, at, n, false);
}

static __attribute__((noinline)) void walk_trusting(lw_scan *s, const uint8_t *bytes,
                                                    const char *at, unsigned n)
{
    walk_slowly(s, bytes, at, n, true);
}

/* Walks the whole blocks of a chunk, then the rest as a block of its own. */
void LW_WALK(lw_scan *s, const char *bytes, size_t len)
{
    const uint8_t *p = (const uint8_t *)bytes;
    size_t i = 0;
    for (; len - i >= LW_BLOCK && s->st >= 0; i += LW_BLOCK) {
        if (s->trusts_input)
            walk_trusting(s, p + i, bytes + i, LW_BLOCK);
        else if (!s->is_deep || s->nest.depth == s->floor || !walk_whole(s, p + i))
            walk_checking(s, p + i, bytes + i, LW_BLOCK);
    }
    if (i < len && s->st >= 0) {
        uint8_t rest[LW_BLOCK];
        memset(rest, ' ', sizeof(rest));
        memcpy(rest, p + i, len - i);
        if (s->trusts_input)
            walk_trusting(s, rest, bytes + i, (unsigned)(len - i));
        else
            walk_checking(s, rest, bytes + i, (unsigned)(len - i));
    }
}
