/* SPDX-License-Identifier: Apache-2.0 */
/* scan_walk_loop.h -- the loop that nearly all bytes of a list go through.
 *
 * Included by one file for each kind of machine, which defines
 *   LW_WALK        the name of the lw_walk_fn made here
 *   LW_CLASSIFY    how a block is sorted (scan_block_*.h)
 *   LW_PREFIX_XOR  how quotes become strings */
#include <string.h>

#include "json/scan_walk.h"

/* Sorts |n| bytes (1 to 64) at |p|, which has 64 readable bytes, spaces after the first |n|. */
LW_ALWAYS_INLINE void lex_block(lw_lexer *lx, const uint8_t *p, unsigned n, bool trusts_input,
                                lw_lex_block *b)
{
    lw_block_masks m;
    LW_CLASSIFY(p, &m);
    b->fault_at = LW_BLOCK;
    b->fault = LW_LEX_FINE;

    uint64_t quote = m.quote;
    if (m.backslash || lx->escape)
        quote &= ~(trusts_input ? lw_lexer_escapes_trusting(lx, n, m.backslash)
                                : lw_lexer_escapes(lx, p, n, m.backslash, b));
    /* From each opening quote up to, not including, the closing one. */
    uint64_t in_string = LW_PREFIX_XOR(quote) ^ lx->in_string;
    lx->in_string = (uint64_t)((int64_t)in_string >> 63);

    if (!trusts_input) {
        uint64_t control = m.control & in_string;
        if (control)
            lw_lex_report(b, (unsigned)__builtin_ctzll(control), LW_LEX_CONTROL);
        if (m.high || lx->utf8_more)
            lw_lexer_utf8(lx, p, n, b);
    }

    b->open = m.open & ~in_string;
    b->close = m.close & ~in_string;
    b->curly = m.curly;
    b->separator = m.separator & ~in_string;
    b->colon = m.colon & ~in_string;
    b->blank = m.space & ~in_string;
    b->in_string = in_string;
    b->opening = quote & in_string;
    b->closing = quote & ~in_string;
    b->word = ~(m.open | m.close | m.separator | m.space | quote | in_string);
    b->word_begin = b->word & ~(b->word << 1 | lx->in_word);
    lx->in_word = (uint8_t)(b->word >> (n - 1) & 1);
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

static inline void walk_tokens(lw_scan *s, const lw_walk *w, uint64_t tokens, bool trusts_input)
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

/* True when the |len| bytes at |p|, of which there are at least five, are true, false or null. */
static inline bool is_literal(const uint8_t *p, unsigned len)
{
    if (len == 4)
        return memcmp(p, "true", 4) == 0 || memcmp(p, "null", 4) == 0;
    return len == 5 && memcmp(p, "false", 5) == 0;
}

/* Checks the words of a whole block: natural numbers and literals, which nearly all words are.
 * False when there is another one, or one goes on behind the block. */
static inline bool words_are_plain(const uint8_t *p, uint64_t word, const lw_block_masks *m)
{
    uint64_t begin = word & ~(word << 1);
    uint64_t zero_first = begin & m->zero & word >> 1; /* 012 is no number */
    uint64_t other = word & ~m->digit;
    if (zero_first | word >> 63)
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

/* Takes a whole block of plain deep JSON: no escapes, nothing but ASCII, no blanks between tokens,
 * no word across its borders.  That is what most of a list is, and all it takes stays in registers.
 * False, and nothing changed, for any other block. */
LW_ALWAYS_INLINE bool walk_plain(lw_scan *s, const uint8_t *p)
{
    if (s->lexer.in_word | s->lexer.escape | s->lexer.utf8_more)
        return false;
    lw_block_masks m;
    LW_CLASSIFY(p, &m);
    uint64_t in_string = LW_PREFIX_XOR(m.quote) ^ s->lexer.in_string;
    uint64_t outside = ~in_string;
    if (m.backslash | m.high | (m.control & in_string) | (m.space & outside))
        return false;
    lw_lex_block b;
    b.open = m.open & outside;
    b.close = m.close & outside;
    b.curly = m.curly;
    b.separator = m.separator & outside;
    b.colon = m.colon & outside;
    b.blank = 0;
    b.in_string = in_string;
    b.opening = m.quote & in_string;
    b.closing = m.quote & outside;
    b.word = outside & ~(m.open | m.close | m.separator | m.quote);
    lw_bulk bulk = {
        .nest = &s->nest,
        .floor = s->floor,
        .max_depth = s->max_depth,
        .expect = s->expect,
        .in_string = s->lexer.in_string != 0,
        .in_word = false,
    };
    if (!words_are_plain(p, b.word, &m) || !lw_bulk_accept(&bulk, &b, 0, true))
        return false;
    s->expect = bulk.expect;
    s->lexer.in_string = (uint64_t)((int64_t)in_string >> 63);
    return true;
}

static inline void walk_block(lw_scan *s, const uint8_t *bytes, const char *at, unsigned n,
                              bool trusts_input)
{
    lw_walk w; /* not initialised as a whole: clearing it would cost as much as sorting the block */
    w.bytes = bytes;
    w.at = at;
    w.n = n;
    w.in_string = s->lexer.in_string;
    w.in_word = s->lexer.in_word;
    lex_block(&s->lexer, bytes, n, trusts_input, &w.lex);
    if (w.in_word && !trusts_input)
        lw_walk__word(s, &w, 0);
    if (s->in_key && s->st >= 0)
        lw_walk__key(s, &w);
    uint64_t tokens = lw_lex_tokens(&w.lex) & lw_block_below(w.lex.fault_at);
    walk_tokens(s, &w, tokens, trusts_input);
    if (w.lex.fault != LW_LEX_FINE && s->st >= 0)
        lw_walk__fail_lexer(s, at + w.lex.fault_at, w.lex.fault);
}

/* Walks the whole blocks of a chunk, then the rest as a block of its own. */
void LW_WALK(lw_scan *s, const char *bytes, size_t len)
{
    const uint8_t *p = (const uint8_t *)bytes;
    size_t i = 0;
    if (s->trusts_input) {
        for (; len - i >= LW_BLOCK && s->st >= 0; i += LW_BLOCK)
            walk_block(s, p + i, bytes + i, LW_BLOCK, true);
    } else {
        for (; len - i >= LW_BLOCK && s->st >= 0; i += LW_BLOCK) {
            if (!s->is_deep || s->nest.depth == s->floor || !walk_plain(s, p + i))
                walk_block(s, p + i, bytes + i, LW_BLOCK, false);
        }
    }
    if (i < len && s->st >= 0) {
        uint8_t rest[LW_BLOCK];
        memset(rest, ' ', sizeof(rest));
        memcpy(rest, p + i, len - i);
        walk_block(s, rest, bytes + i, (unsigned)(len - i), s->trusts_input);
    }
}
