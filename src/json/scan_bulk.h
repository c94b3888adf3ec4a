/* SPDX-License-Identifier: Apache-2.0 */
/* scan_bulk.h -- check the structure of a whole block, or the rest of one, by its masks.
 *
 * A short cut beside the walk over single tokens, which it must agree with: it either accepts a
 * part, with the same state behind it, or leaves it to the walk, which then finds what is wrong.
 * In compact JSON every token touches the one before it, so "what may follow what" becomes a shift
 * and a mask; only brackets are looked at one by one.
 *
 * Bit i of a mask is byte i of the block.  "Behind x" is the mask x shifted up by one; what stood
 * before the part comes in at its first bit. */
#ifndef LW_JSON_SCAN_BULK_H
#define LW_JSON_SCAN_BULK_H

#include "json/scan_lexer.h"
#include "json/scan_nest.h"

/* Where the walk stands, and what a block is checked against.  What is 0 or 1 says something of the
 * next byte; it is the bit that the block before shifted out. */
typedef struct lw_bulk {
    uint64_t types;     /* as in lw_nest */
    unsigned depth;     /* as in lw_nest */
    unsigned floor;     /* the part to check ends when nesting comes down to this */
    unsigned limit;     /* a block that comes up to this depth is left to the walk */
    uint64_t start;     /* 1: a key or value begins */
    uint64_t key;       /* 1: a key begins */
    uint64_t opened;    /* 1: or the container ends, having only just been opened */
    uint64_t colon;     /* 1: a colon */
    uint64_t end;       /* 1: a comma or a closing bracket */
    uint64_t in_key;    /* 1: it continues a key */
    uint64_t in_string; /* all ones: it continues a string; else 0 */
    uint64_t in_word;   /* 1: it may continue a word */
} lw_bulk;

/* Sets what |expect| says of the next byte, which may be inside a string or word. */
LW_ALWAYS_INLINE void lw_bulk_await(lw_bulk *bulk, lw_expect expect, uint64_t in_string,
                                    uint64_t in_word)
{
    bool is_free = !in_string && !in_word;
    bool is_key = expect == LW_EXPECT_KEY || expect == LW_EXPECT_FIRST_KEY;
    bool is_first = expect == LW_EXPECT_FIRST_KEY || expect == LW_EXPECT_FIRST_ELEMENT;
    bool is_value = expect == LW_EXPECT_MEMBER || expect == LW_EXPECT_ELEMENT || is_first;
    bool is_end = expect == LW_EXPECT_MEMBER_END || expect == LW_EXPECT_ELEMENT_END;
    bulk->start = is_free && (is_key || is_value);
    bulk->key = is_free && is_key;
    bulk->opened = is_free && is_first;
    bulk->colon = is_free && expect == LW_EXPECT_COLON;
    bulk->end = is_free && is_end;
    bulk->in_key = in_string && expect == LW_EXPECT_COLON;
    bulk->in_string = in_string;
    bulk->in_word = in_word;
}

/* The same the other way round: what to expect behind the bytes found right. */
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

/* The part of a block that is checked, and the brackets in it. */
typedef struct bracket_walk {
    uint64_t part;      /* its bytes */
    uint64_t types;     /* as in lw_nest */
    unsigned depth;     /* as in lw_nest */
    uint64_t in_object; /* bytes whose container is an object; a bracket counts to the one around */
    bool fits;          /* each closing bracket is of its opening one's kind; depth in bounds */
} bracket_walk;

/* Opens and closes what the block does.  Empty containers cancel out and are not looked at: the
 * depth they reach for a moment is why the limit itself is not to be reached. */
LW_ALWAYS_INLINE bracket_walk walk_brackets(const lw_bulk *bulk, const lw_lex_block *b,
                                            uint64_t part, bool is_whole)
{
    uint64_t brackets = lw_lex_nesting(b, part);
    bracket_walk w = { .part = part, .types = bulk->types, .depth = bulk->depth };
    uint64_t inside = -(w.types & 1); /* all ones in an object */
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
                if (is_whole)
                    return w;
                w.part &= bit | (bit - 1);
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

/* Checks |b| from the byte |from| on, up to the bracket that brings the nesting down to the floor,
 * or to its end; with |is_whole|, from its first byte to its end or not at all.  Returns the mask
 * of the bytes found right, or 0 when they are left to the walk; nothing has changed then.  Words
 * are not looked into.  The caller sets in_string and in_word for the next block. */
LW_ALWAYS_INLINE uint64_t lw_bulk_accept(lw_bulk *bulk, const lw_lex_block *b, unsigned from,
                                         bool is_whole)
{
    bracket_walk w = walk_brackets(bulk, b, ~(uint64_t)0 << from, is_whole);
    if (!w.fits || b->blank & w.part)
        return 0;
    uint64_t open = b->open & w.part;
    uint64_t close = b->close & w.part;
    uint64_t colon = b->colon & w.part;
    uint64_t comma = b->comma & w.part;
    uint64_t opening = b->opening & w.part;
    uint64_t closing = b->closing & w.part;
    uint64_t in_string = b->in_string & w.part;
    uint64_t word = b->word & w.part;

    /* Behind an opening bracket or a separator something begins, or the container is empty. */
    uint64_t starts = open | colon | comma;
    uint64_t start_at = starts << 1 | bulk->start << from;
    uint64_t opened_at = open << 1 | bulk->opened << from;
    uint64_t wrong = start_at & ~(opening | open | word | (close & opened_at));
    /* In an object it is a key. */
    uint64_t keys = (open & b->curly) | (comma & w.in_object);
    uint64_t key_at = keys << 1 | bulk->key << from;
    wrong |= key_at & ~(opening | close);
    /* Colons stand behind keys and nowhere else.  Adding its first bit to the run of a string
     * carries out at the closing quote. */
    uint64_t carried = in_string + ((opening & key_at) | bulk->in_key);
    uint64_t key_end = carried & closing;
    wrong |= (key_end << 1 | bulk->colon << from) ^ colon;
    /* Behind a string, a word or a closing bracket something ends. */
    uint64_t ends = closing | close;
    uint64_t end_at = ends << 1 | bulk->end << from | ((word << 1 | bulk->in_word) & ~word);
    wrong |= end_at & ~(colon | comma | close);
    if (wrong & w.part)
        return 0;

    bulk->types = w.types;
    bulk->depth = w.depth;
    bulk->start = starts >> 63;
    bulk->key = keys >> 63;
    bulk->opened = open >> 63;
    bulk->colon = key_end >> 63;
    bulk->end = (ends & ~key_end) >> 63;
    bulk->in_key = carried < in_string; /* a key that is still open carried out of the block */
    return w.part;
}

#endif
