/* SPDX-License-Identifier: Apache-2.0 */
/* scan_bulk.h -- checks the structure of a whole block, or of the rest of one, with its masks.
 *
 * This is a fast path next to the walk over single tokens, with the same results: it either accepts
 * a part of the input and computes the state after it, or leaves the part to the walk, which then
 * reports the error.  In compact JSON there is nothing between two tokens, so that checking which
 * token follows which is a shift and a mask; only brackets are processed one by one.
 *
 * Bit i of a mask is byte i of the block.  "After x" is the mask x shifted up by one; its first bit
 * comes from the block before. */
#ifndef LW_JSON_SCAN_BULK_H
#define LW_JSON_SCAN_BULK_H

#include "json/lexer/lexer.h"
#include "json/scan_grammar.h"

/* The state between two blocks, against which a block is checked.  Members that are 0 or 1 describe
 * the next byte: they are the bits that the block before shifted out. */
typedef struct lw_bulk {
    uint64_t types;     /* as in lw_nest */
    unsigned depth;     /* as in lw_nest */
    unsigned floor;     /* the deep part ends when the depth is this again */
    unsigned limit;     /* a block that reaches this depth is left to the walk */
    uint64_t start;     /* 1: a key or value must begin */
    uint64_t key;       /* 1: a key must begin */
    uint64_t opened;    /* 1: or the container, which was just opened, may end */
    uint64_t colon;     /* 1: a colon must follow */
    uint64_t end;       /* 1: a comma or a closing bracket must follow */
    uint64_t in_key;    /* 1: the byte continues a key */
    uint64_t in_string; /* all ones: the byte continues a string; otherwise 0 */
    uint64_t in_word;   /* 1: the byte may continue a word */
} lw_bulk;

/* Sets the members for the next byte from |expect|; it may be inside a string or word. */
LW_ALWAYS_INLINE void lw_bulk_await(lw_bulk *bulk, lw_expect expect, uint64_t in_string,
                                    uint64_t in_word)
{
    enum {
        START = 1,
        KEY = 2,
        OPENED = 4,
        COLON = 8,
        END = 16
    };
    static const uint8_t awaited[LW_EXPECT_COUNT] = {
        [LW_EXPECT_FIRST_KEY] = START | KEY | OPENED,
        [LW_EXPECT_KEY] = START | KEY,
        [LW_EXPECT_COLON] = COLON,
        [LW_EXPECT_MEMBER] = START,
        [LW_EXPECT_MEMBER_END] = END,
        [LW_EXPECT_FIRST_ELEMENT] = START | OPENED,
        [LW_EXPECT_ELEMENT] = START,
        [LW_EXPECT_ELEMENT_END] = END,
    };
    uint64_t next = in_string | in_word ? 0 : awaited[expect];
    bulk->start = next & 1;
    bulk->key = next >> 1 & 1;
    bulk->opened = next >> 2 & 1;
    bulk->colon = next >> 3 & 1;
    bulk->end = next >> 4 & 1;
    bulk->in_key = in_string & (expect == LW_EXPECT_COLON);
    bulk->in_string = in_string;
    bulk->in_word = in_word;
}

/* The inverse of lw_bulk_await: returns the state after the accepted bytes. */
LW_ALWAYS_INLINE lw_expect lw_bulk_expect(const lw_bulk *bulk)
{
    bool in_object = bulk->types & 1;
    if (bulk->depth == 0)
        return LW_EXPECT_NOTHING;
    if (bulk->colon || bulk->in_key)
        return LW_EXPECT_COLON;
    if (bulk->key)
        return bulk->opened ? LW_EXPECT_FIRST_KEY : LW_EXPECT_KEY;
    if (bulk->start && bulk->opened)
        return LW_EXPECT_FIRST_ELEMENT;
    if (bulk->start)
        return in_object ? LW_EXPECT_MEMBER : LW_EXPECT_ELEMENT;
    return in_object ? LW_EXPECT_MEMBER_END : LW_EXPECT_ELEMENT_END;
}

/* Clears all bits of |b| after the bracket |last|. */
LW_ALWAYS_INLINE void lw_bulk_cut(lw_lex_block *b, uint64_t last)
{
    uint64_t part = last | (last - 1);
    b->open &= part;
    b->close &= part;
    b->colon &= part;
    b->comma &= part;
    b->in_string &= part;
    b->opening &= part;
    b->closing &= part;
    b->word &= part;
}

/* The result of processing the brackets of a block. */
typedef struct bracket_walk {
    uint64_t types;     /* as in lw_nest */
    unsigned depth;     /* as in lw_nest */
    uint64_t in_object; /* bytes whose container is an object; a bracket belongs to the outer
                           container */
    uint64_t last;      /* the bracket at which the depth is |floor| again, or 0 */
    bool fits;          /* all brackets match, and the depth is within the limits */
} bracket_walk;

/* Processes the brackets of a block.  Those of empty containers are skipped; their depth is not
 * counted, which is why the depth must stay below the limit. */
LW_ALWAYS_INLINE bracket_walk walk_brackets(const lw_bulk *bulk, const lw_lex_block *b)
{
    uint64_t brackets = lw_lex_nesting(b);
    bracket_walk w = { .types = bulk->types, .depth = bulk->depth };
    uint64_t inside = -(w.types & 1); /* all ones inside an object */
    uint64_t wrong = w.depth >= bulk->limit;
    w.in_object = inside;
    while (brackets) {
        uint64_t bit = brackets & -brackets;
        uint64_t is_curly = (b->curly & bit) != 0;
        if (b->open & bit) {
            w.types = w.types << 1 | is_curly;
            wrong |= ++w.depth >= bulk->limit;
        } else {
            wrong |= (w.types ^ is_curly) & 1;
            w.types >>= 1;
            if (--w.depth == bulk->floor) {
                w.last = bit;
                break;
            }
        }
        uint64_t now = -(w.types & 1);
        w.in_object ^= (inside ^ now) & -(bit << 1);
        inside = now;
        brackets ^= bit;
    }
    w.fits = wrong == 0;
    return w;
}

/* Checks |b| up to the bracket at which the depth is |floor| again, or to its end.  There must be
 * no white space between its tokens; words are not validated.  Returns the number of accepted
 * bytes; 0 if the block is left to the walk, and then |bulk| has not changed.  The caller sets
 * in_string and in_word for the next block. */
LW_ALWAYS_INLINE unsigned lw_bulk_accept(lw_bulk *bulk, lw_lex_block *b)
{
    bracket_walk w = walk_brackets(bulk, b);
    if (!w.fits)
        return 0;
    if (w.last)
        lw_bulk_cut(b, w.last);

    /* After an opening bracket or a separator, a key or value begins, or the container is empty. */
    uint64_t starts = b->open | b->colon | b->comma;
    uint64_t start_at = starts << 1 | bulk->start;
    uint64_t opened_at = b->open << 1 | bulk->opened;
    uint64_t wrong = start_at & ~(b->opening | b->open | b->word | (b->close & opened_at));
    /* In an object, a key begins. */
    uint64_t keys = (b->open & b->curly) | (b->comma & w.in_object);
    uint64_t key_at = keys << 1 | bulk->key;
    wrong |= key_at & ~(b->opening | b->close);
    /* There is a colon after each key and nowhere else.  Adding the first bit of a string to its
     * run of ones carries to the closing quote. */
    uint64_t carried = b->in_string + ((b->opening & key_at) | bulk->in_key);
    uint64_t key_end = carried & b->closing;
    wrong |= (key_end << 1 | bulk->colon) ^ b->colon;
    /* After a string, a word or a closing bracket, a separator or closing bracket follows; this is
     * not checked after the last bracket, where the part ends. */
    uint64_t ends = (b->closing | b->close) & ~w.last;
    uint64_t end_at = ends << 1 | bulk->end | ((b->word << 1 | bulk->in_word) & ~b->word);
    wrong |= end_at & ~(b->colon | b->comma | b->close);
    if (wrong)
        return 0;

    bulk->types = w.types;
    bulk->depth = w.depth;
    bulk->start = starts >> 63;
    bulk->key = keys >> 63;
    bulk->opened = b->open >> 63;
    bulk->colon = key_end >> 63;
    bulk->end = (ends & ~key_end) >> 63;
    bulk->in_key =
        carried < b->in_string; /* the addition overflowed: the key continues in the next block */
    return w.last ? (unsigned)__builtin_ctzll(w.last) + 1 : LW_BLOCK;
}

#endif
