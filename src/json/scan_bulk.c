/* SPDX-License-Identifier: Apache-2.0 */
/* scan_bulk.c -- see scan_bulk.h.
 *
 * Bit i of a mask is byte i of the block.  "Behind x" is the mask x shifted up by one; what stood
 * before the block comes in at bit 0. */
#include "json/scan_bulk.h"

/* What lw_expect says of the first byte. */
enum {
    AWAITS_KEY = 1,
    AWAITS_VALUE = 2,
    AWAITS_COLON = 4,
    AWAITS_END = 8,
    MAY_CLOSE = 16, /* the container has only just been opened */
};

static const uint8_t awaited[LW_EXPECT_COUNT] = {
    [LW_EXPECT_FIRST_KEY] = AWAITS_KEY | MAY_CLOSE,
    [LW_EXPECT_KEY] = AWAITS_KEY,
    [LW_EXPECT_COLON] = AWAITS_COLON,
    [LW_EXPECT_MEMBER] = AWAITS_VALUE,
    [LW_EXPECT_MEMBER_END] = AWAITS_END,
    [LW_EXPECT_FIRST_ELEMENT] = AWAITS_VALUE | MAY_CLOSE,
    [LW_EXPECT_ELEMENT] = AWAITS_VALUE,
    [LW_EXPECT_ELEMENT_END] = AWAITS_END,
};

/* What to expect behind a block by its last byte: a key's end or inside (8), colon (4), comma (2),
 * opening bracket (1), or else the end of a value; and whether the container is an object (16). */
static const uint8_t expect_behind[32] = {
    [0] = LW_EXPECT_ELEMENT_END,    [16] = LW_EXPECT_MEMBER_END, [1] = LW_EXPECT_FIRST_ELEMENT,
    [16 + 1] = LW_EXPECT_FIRST_KEY, [2] = LW_EXPECT_ELEMENT,     [16 + 2] = LW_EXPECT_KEY,
    [16 + 4] = LW_EXPECT_MEMBER,    [16 + 8] = LW_EXPECT_COLON,
};

typedef struct bracket_walk {
    uint64_t types;
    unsigned depth;
    uint64_t in_object; /* bytes whose container is an object; a bracket counts to the one around */
    bool fits;          /* each closing bracket is of its opening one's kind; depth in bounds */
} bracket_walk;

/* Opens and closes what the block does.  Empty containers cancel out and are not looked at. */
static bracket_walk walk_brackets(const lw_bulk *bulk, const lw_lex_block *b)
{
    /* One level is kept free for them. */
    unsigned limit = bulk->max_depth < LW_NEST_WORD ? bulk->max_depth : LW_NEST_WORD;
    uint64_t brackets = lw_lex_nesting(b) & ~lw_lex_empty(b);
    bracket_walk w = { .types = bulk->nest->types, .depth = bulk->nest->depth };
    uint64_t inside = -(w.types & 1); /* all ones in an object */
    uint64_t wrong = w.depth >= limit;
    w.in_object = inside;
    while (brackets) {
        uint64_t bit = brackets & -brackets;
        uint64_t is_open = (b->open & bit) != 0;
        uint64_t is_curly = (b->curly & bit) != 0;
        wrong |= (w.types ^ is_curly) & 1 & ~is_open;
        w.types = is_open ? w.types << 1 | is_curly : w.types >> 1;
        w.depth += is_open ? 1u : -1u;
        wrong |= (w.depth == bulk->floor) | (w.depth >= limit);
        uint64_t now = -(w.types & 1);
        w.in_object ^= (inside ^ now) & -(bit << 1);
        inside = now;
        brackets ^= bit;
    }
    w.fits = wrong == 0;
    return w;
}

bool lw_bulk_accept(lw_bulk *bulk, const lw_lex_block *b)
{
    if (b->blank)
        return false;
    bracket_walk w = walk_brackets(bulk, b);
    if (!w.fits)
        return false;

    unsigned first = bulk->in_string || bulk->in_word ? 0 : awaited[bulk->expect];
    bool in_key = bulk->in_string && bulk->expect == LW_EXPECT_COLON;
    uint64_t comma = b->separator & ~b->colon;

    uint64_t opened = b->open << 1 | ((first & MAY_CLOSE) != 0);
    uint64_t key_at =
        ((b->open & b->curly) | (comma & w.in_object)) << 1 | ((first & AWAITS_KEY) != 0);
    uint64_t value_at = (b->colon | (b->open & ~b->curly) | (comma & ~w.in_object)) << 1 |
                        ((first & AWAITS_VALUE) != 0);
    /* Adding its first bit to the run of a string carries out at the closing quote. */
    uint64_t key_begin = (b->opening & key_at) | in_key;
    uint64_t carried = b->in_string + key_begin;
    uint64_t key_end = carried & b->closing;
    uint64_t colon_at = key_end << 1 | ((first & AWAITS_COLON) != 0);
    uint64_t end_at = ((b->closing & ~key_end) | b->close) << 1 |
                      ((b->word << 1 | bulk->in_word) & ~b->word) | ((first & AWAITS_END) != 0);

    uint64_t closed = b->close & opened;
    uint64_t wrong = (key_at & ~(b->opening | closed)) |
                     (value_at & ~(b->opening | b->open | b->word | closed)) |
                     (colon_at & ~b->colon) | (end_at & ~(comma | b->close));
    if (wrong)
        return false;

    /* A key that is still open carried out of the block. */
    uint64_t key_last = key_end >> 63 | (carried < b->in_string);
    bulk->nest->types = w.types;
    bulk->nest->depth = w.depth;
    bulk->expect = (lw_expect)expect_behind[b->open >> 63 | comma >> 63 << 1 | b->colon >> 63 << 2 |
                                            key_last << 3 | (w.types & 1) << 4];
    return true;
}
