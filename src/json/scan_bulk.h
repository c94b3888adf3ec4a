/* SPDX-License-Identifier: Apache-2.0 */
/* scan_bulk.h -- check the structure of a whole block at once, by its masks.
 *
 * A short cut beside the walk over single tokens, which it must agree with: it either accepts a
 * block, with the same state behind it, or leaves it to the walk, which then finds what is wrong.
 * In compact JSON every token touches the one before it, so "what may follow what" becomes a shift
 * and a mask; only brackets are looked at one by one. */
#ifndef LW_JSON_SCAN_BULK_H
#define LW_JSON_SCAN_BULK_H

#include "json/scan_lexer.h"
#include "json/scan_nest.h"

/* What a block is checked against: where the one before it ended. */
typedef struct lw_bulk {
    lw_nest *nest;
    unsigned floor;     /* the block is left to the walk when nesting comes down to this */
    unsigned max_depth; /* or comes up to this */
    lw_expect expect;   /* what to expect at its first byte; behind the block, at the next */
    bool in_string;     /* its first byte continues a string */
    bool in_word;       /* its first byte may continue a word */
} lw_bulk;

/* True when the structure of |b| is right from end to end; words are not looked into.  On false
 * nothing has changed. */
bool lw_bulk_accept(lw_bulk *bulk, const lw_lex_block *b);

#endif
