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

/* Where the walk stands, and what a block is checked against. */
typedef struct lw_bulk {
    uint64_t types;     /* as in lw_nest */
    unsigned depth;     /* as in lw_nest */
    unsigned floor;     /* the part to check ends when nesting comes down to this */
    unsigned limit;     /* a block that comes up to this depth is left to the walk */
    lw_expect expect;   /* what to expect next */
    uint64_t in_string; /* all ones when the block's first byte continues a string, else 0 */
    uint64_t in_word;   /* 1 when the block's first byte may continue a word, else 0 */
} lw_bulk;

/* What lw_expect says of the next byte. */
enum {
    AWAITS_START = 1, /* a key or a value */
    AWAITS_KEY = 2,
    AWAITS_COLON = 4,
    AWAITS_END = 8, /* a comma or a closing bracket */
    MAY_CLOSE = 16, /* the container has only just been opened */
};

static const uint8_t awaited[LW_EXPECT_COUNT] = {
    [LW_EXPECT_FIRST_KEY] = AWAITS_START | AWAITS_KEY | MAY_CLOSE,
    [LW_EXPECT_KEY] = AWAITS_START | AWAITS_KEY,
    [LW_EXPECT_COLON] = AWAITS_COLON,
    [LW_EXPECT_MEMBER] = AWAITS_START,
    [LW_EXPECT_MEMBER_END] = AWAITS_END,
    [LW_EXPECT_FIRST_ELEMENT] = AWAITS_START | MAY_CLOSE,
    [LW_EXPECT_ELEMENT] = AWAITS_START,
    [LW_EXPECT_ELEMENT_END] = AWAITS_END,
};

/* What to expect behind a block by its last byte: a key's end or inside (8), colon (4), comma (2),
 * opening bracket (1), or else the end of a value; and whether the container is an object (16). */
static const uint8_t expect_behind[32] = {
    [0] = LW_EXPECT_ELEMENT_END,    [16] = LW_EXPECT_MEMBER_END, [1] = LW_EXPECT_FIRST_ELEMENT,
    [16 + 1] = LW_EXPECT_FIRST_KEY, [2] = LW_EXPECT_ELEMENT,     [16 + 2] = LW_EXPECT_KEY,
    [16 + 4] = LW_EXPECT_MEMBER,    [16 + 8] = LW_EXPECT_COLON,
};

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

/* What to expect behind the part that was found right. */
LW_ALWAYS_INLINE lw_expect behind(const lw_bulk *bulk, const bracket_walk *w, unsigned last)
{
    if (w->depth == bulk->floor)
        return w->depth == 0 ? LW_EXPECT_NOTHING : (lw_expect)expect_behind[(w->types & 1) << 4];
    return (lw_expect)expect_behind[last | (unsigned)(w->types & 1) << 4];
}

/* Checks |b| from the byte |from| on, up to the bracket that brings the nesting down to the floor,
 * or to its end; with |is_whole|, from its first byte to its end or not at all.  Returns the mask
 * of the bytes found right, or 0 when they are left to the walk; nothing has changed then.  Words
 * are not looked into. */
LW_ALWAYS_INLINE uint64_t lw_bulk_accept(lw_bulk *bulk, const lw_lex_block *b, unsigned from,
                                         bool is_whole)
{
    bracket_walk w = walk_brackets(bulk, b, ~(uint64_t)0 << from, is_whole);
    if (!w.fits || b->blank & w.part)
        return 0;
    uint64_t in_word = from == 0 ? bulk->in_word : 0;
    uint64_t in_string_before = from == 0 ? bulk->in_string : 0;
    uint64_t in_key = in_string_before & (bulk->expect == LW_EXPECT_COLON);
    uint64_t first = in_string_before | in_word ? 0 : awaited[bulk->expect];

    uint64_t open = b->open & w.part;
    uint64_t close = b->close & w.part;
    uint64_t colon = b->colon & w.part;
    uint64_t comma = b->comma & w.part;
    uint64_t opening = b->opening & w.part;
    uint64_t closing = b->closing & w.part;
    uint64_t in_string = b->in_string & w.part;
    uint64_t word = b->word & w.part;

    /* Behind an opening bracket or a separator something begins, or the container is empty. */
    uint64_t start_at = (open | colon | comma) << 1 | (first & 1) << from;
    uint64_t opened = open << 1 | (first >> 4 & 1) << from;
    uint64_t wrong = start_at & ~(opening | open | word | (close & opened));
    /* In an object it is a key. */
    uint64_t key_at = ((open & b->curly) | (comma & w.in_object)) << 1 | (first >> 1 & 1) << from;
    wrong |= key_at & ~(opening | close);
    /* Colons stand behind keys and nowhere else.  Adding its first bit to the run of a string
     * carries out at the closing quote. */
    uint64_t carried = in_string + ((opening & key_at) | in_key);
    uint64_t key_end = carried & closing;
    wrong |= (key_end << 1 | (first >> 2 & 1) << from) ^ colon;
    /* Behind a string, a word or a closing bracket something ends. */
    uint64_t end_at =
        (closing | close) << 1 | (first >> 3 & 1) << from | ((word << 1 | in_word) & ~word);
    wrong |= end_at & ~(colon | comma | close);
    if (wrong & w.part)
        return 0;

    /* A key that is still open carried out of the block. */
    uint64_t in_last_key = key_end >> 63 | (carried < in_string);
    unsigned last = (unsigned)(open >> 63 | comma >> 63 << 1 | colon >> 63 << 2 | in_last_key << 3);
    bulk->expect = behind(bulk, &w, last);
    bulk->types = w.types;
    bulk->depth = w.depth;
    return w.part;
}

#endif
