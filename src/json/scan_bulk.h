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

/* Where the walk stands: what has been read, and what a block is checked against. */
typedef struct lw_bulk {
    lw_nest *nest;
    unsigned floor;     /* the part to check ends when nesting comes down to this */
    unsigned max_depth; /* a block that comes up to this is left to the walk */
    lw_expect expect;   /* what to expect next */
    bool in_string;     /* the block's first byte continues a string */
    bool in_word;       /* the block's first byte may continue a word */
} lw_bulk;

/* Checks |b| from the byte |from| on, up to the bracket that brings the nesting down to the floor,
 * or to its end.  Returns the mask of the bytes found right, or 0 when they are left to the walk;
 * nothing has changed then.  Words are not looked into. */
uint64_t lw_bulk_accept(lw_bulk *bulk, const lw_lex_block *b, unsigned from);

#endif
