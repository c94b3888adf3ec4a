/* SPDX-License-Identifier: Apache-2.0 */
/* scan_walk.h -- the walk over the tokens of a document, in blocks of 64 bytes.
 *
 *   lexer    finds the tokens of a block; its state covers strings, escapes, UTF-8 and words
 *   grammar  defines which token may follow which
 *   extract  copies objects and records metadata, in the containers that the plan tracks
 *
 * Everything below the tracked containers is "deep": it is checked against the grammar and skipped,
 * whole blocks at a time if possible (scan_bulk.h).  Nearly all bytes of a list are deep, and
 * nearly all of the work is in scan_walk_loop.h, which is compiled once for each instruction set.
 *
 * Invariant: between two blocks the whole state is in lw_scan, so that a block may end at any byte.
 * An error of the lexer is reported only if the walk finds none before it: the first error in the
 * input is reported, whatever the sizes of the chunks. */
#ifndef LW_JSON_SCAN_WALK_H
#define LW_JSON_SCAN_WALK_H

#include "json/lexer/lexer.h"
#include "json/scan_bulk.h"
#include "json/scan_extract.h"
#include "json/scan_grammar.h"

/* Walks |len| bytes; failures are left in s->st and s->error. */
typedef void (*lw_walk_fn)(lw_scan *s, const char *bytes, size_t len);

void lw_walk_scalar(lw_scan *s, const char *bytes, size_t len);
#if defined(__x86_64__)
void lw_walk_sse2(lw_scan *s, const char *bytes, size_t len);
void lw_walk_avx2(lw_scan *s, const char *bytes, size_t len);
void lw_walk_avx512(lw_scan *s, const char *bytes, size_t len);
#elif defined(__aarch64__)
void lw_walk_neon(lw_scan *s, const char *bytes, size_t len);
#endif

struct lw_scan {
    lw_walk_fn walk; /* for this machine */
    lw_lexer lexer;
    lw_expect expect;
    lw_nest nest;
    unsigned floor; /* if |is_deep|: the deep part ends when nest.depth is this again */
    unsigned max_depth;
    bool is_deep;
    bool in_key; /* inside a tracked key */
    bool is_stream;
    bool trusts_input;
    lw_plan *plan; /* NULL: nothing is tracked */
    lw_extract extract;
    uint64_t offset;   /* input bytes before the current chunk */
    const char *chunk; /* the current chunk */
    lw_status st;      /* the first failure; |error| has the details */
    lw_error error;
};

/* One block and its position in the chunk.  |bytes| may be a padded copy of |at|. */
typedef struct lw_walk {
    lw_lex_block lex;
    const uint8_t *bytes;
    const char *at;
    unsigned n;
} lw_walk;

/* Rare cases that are not part of the loop. */
void lw_walk__fail_token(lw_scan *s, const char *at);
void lw_walk__fail_depth(lw_scan *s, const char *at);
void lw_walk__fail_lexer(lw_scan *s, const char *at, lw_lex_fault fault);

/* Processes the bytes of a word from bit |i| on, and its end if that is in the block. */
void lw_walk__word(lw_scan *s, const lw_walk *w, unsigned i);

/* Processes |tokens| up to a deep container, a failure or the end of the block; at least one of
 * them. Returns the remaining tokens. */
uint64_t lw_walk__tracked(lw_scan *s, const lw_walk *w, uint64_t tokens);

/* Processes the token at bit |i| of a deep container. */
void lw_walk__deep(lw_scan *s, const lw_walk *w, unsigned i);

/* Ends a tracked key that began in an earlier block, if its closing quote is in this block. */
void lw_walk__key(lw_scan *s, const lw_walk *w);

/* The deep part has ended: continues in the tracked containers, if there are any. */
static inline void lw_walk__rise(lw_scan *s)
{
    if (s->plan)
        s->is_deep = false;
}

/* Returns the number of bytes of the word from bit |i| on, within the block. */
static inline unsigned lw_walk__word_length(const lw_walk *w, unsigned i)
{
    uint64_t rest = ~(w->lex.word >> i);
    unsigned len = rest ? (unsigned)__builtin_ctzll(rest) : LW_BLOCK;
    return len < w->n - i ? len : w->n - i;
}

#endif
