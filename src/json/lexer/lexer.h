/* SPDX-License-Identifier: Apache-2.0 */
/* lexer.h -- finds the tokens in a block of 64 bytes.
 *
 * lw_lexer is the state between two blocks: whether a block ends inside a string, an escape, a
 * UTF-8 sequence or a word.  A word is a number, true, false or null.  A block may be shorter than
 * 64 bytes (then it is padded with spaces), so the input may be split at any byte. */
#ifndef LW_JSON_LEXER_LEXER_H
#define LW_JSON_LEXER_LEXER_H

#include <stdbool.h>
#include <stdint.h>

#include "json/lexer/block.h"

/* The state of a word that is read byte by byte; it never leaves LW_WORD_FAILED. */
typedef enum lw_word {
    LW_WORD_FAILED,
    LW_WORD_START,
    LW_WORD_MINUS,    /* -       */
    LW_WORD_ZERO,     /* 0       */
    LW_WORD_INT,      /* 12      */
    LW_WORD_POINT,    /* 1.      */
    LW_WORD_FRACTION, /* 1.2     */
    LW_WORD_E,        /* 1e      */
    LW_WORD_E_SIGN,   /* 1e+     */
    LW_WORD_EXPONENT, /* 1e+2    */
    LW_WORD_T,
    LW_WORD_TR,
    LW_WORD_TRU,
    LW_WORD_F,
    LW_WORD_FA,
    LW_WORD_FAL,
    LW_WORD_FALS,
    LW_WORD_N,
    LW_WORD_NU,
    LW_WORD_NUL,
    LW_WORD_LITERAL, /* true, false or null, complete */
    LW_WORD_COUNT,
} lw_word;

/* Returns the state after |byte|. */
lw_word lw_word_step(lw_word state, uint8_t byte);

/* Returns the state after |len| bytes. */
lw_word lw_word_run(lw_word state, const uint8_t *bytes, unsigned len);

/* Returns true if the bytes so far are a complete word. */
bool lw_word_is_complete(lw_word state);

typedef struct lw_lexer {
    uint64_t in_string; /* all ones inside a string, else 0 */
    uint8_t in_word;    /* 1 if the last byte belongs to a word */
    uint8_t escape;     /* 1: the next byte is escaped; 2..5: 1..4 hex digits follow; otherwise 0 */
    uint8_t utf8_more;  /* continuation bytes that follow; the next is in utf8_low..utf8_high */
    uint8_t utf8_low;
    uint8_t utf8_high;
    lw_word word; /* state of the current word, if in_word */
} lw_lexer;

/* Errors that do not depend on the surrounding tokens. */
typedef enum lw_lex_fault {
    LW_LEX_FINE,
    LW_LEX_BAD_ESCAPE,
    LW_LEX_BAD_HEX,
    LW_LEX_CONTROL,
    LW_LEX_BAD_UTF8,
} lw_lex_fault;

/* The tokens of one block as bit masks.  Brackets, separators and words are those outside strings.
 * Bits at and after |fault_at| are undefined. */
typedef struct lw_lex_block {
    uint64_t open;  /* { [ */
    uint64_t close; /* } ] */
    uint64_t curly; /* distinguishes { } from [ ]; undefined for other bytes */
    uint64_t colon;
    uint64_t comma;
    uint64_t in_string;  /* from the opening quote to the byte before the closing one */
    uint64_t opening;    /* opening quotes */
    uint64_t closing;    /* closing quotes */
    uint64_t word;       /* all bytes of words */
    uint64_t word_begin; /* first bytes of words */
    unsigned fault_at;   /* first invalid byte, or LW_BLOCK */
    lw_lex_fault fault;
} lw_lex_block;

/* Returns the brackets, without those of "{}" and "[]". */
static inline uint64_t lw_lex_nesting(const lw_lex_block *b)
{
    uint64_t empty = b->open & b->close >> 1 & ~(b->curly ^ b->curly >> 1);
    return (b->open | b->close) & ~(empty | empty << 1);
}

/* Returns the first byte of every token. */
static inline uint64_t lw_lex_tokens(const lw_lex_block *b)
{
    return b->open | b->close | b->colon | b->comma | b->opening | b->word_begin;
}

/* The first invalid byte found so far in a block. */
typedef struct lw_lex_fault_place {
    unsigned at; /* LW_BLOCK: none */
    lw_lex_fault what;
} lw_lex_fault_place;

/* Return the mask of escaped bytes, and update |*escape| (as in lw_lexer).  The second one does not
 * validate the escapes.  Most blocks have none. */
uint64_t lw_lexer_escapes(uint8_t *escape, const uint8_t *p, unsigned n, uint64_t backslash,
                          lw_lex_fault_place *fault);
uint64_t lw_lexer_escapes_trusting(uint8_t *escape, unsigned n, uint64_t backslash);

/* Returns true for the byte after the backslash of an escape without digits. */
static inline bool lw_lexer_is_short_escape(uint8_t byte)
{
    const uint64_t low = UINT64_C(1) << '"' | UINT64_C(1) << '/';
    const uint64_t high = UINT64_C(1) << ('\\' - 64) | UINT64_C(1) << ('b' - 64) |
                          UINT64_C(1) << ('f' - 64) | UINT64_C(1) << ('n' - 64) |
                          UINT64_C(1) << ('r' - 64) | UINT64_C(1) << ('t' - 64);
    return byte < 128 && ((byte < 64 ? low : high) >> (byte & 63) & 1) != 0;
}

/* As lw_lexer_escapes for a whole block, whose quotes are |quote|, if its escapes are valid and
 * have no digits; false, and nothing has changed: it may have others. */
static inline bool lw_lexer_short_escapes(uint8_t *escape, const uint8_t *p, uint64_t backslash,
                                          uint64_t quote, uint64_t *escaped)
{
    uint64_t found = *escape;
    *escaped = backslash << 1;
    if (((*escaped & ~quote) | backslash >> (LW_BLOCK - 1) | found) == 0)
        return true; /* only quotes are escaped, as in JSON in a string */
    if (found > 1 || (found == 1 && !lw_lexer_is_short_escape(p[0])))
        return false;
    backslash &= ~found;
    while (backslash & ~(UINT64_C(1) << (LW_BLOCK - 1))) {
        const uint64_t after = (backslash & -backslash) << 1;
        if (!lw_lexer_is_short_escape(p[__builtin_ctzll(after)]))
            return false;
        found |= after;
        backslash &= (backslash - 1) & ~after;
    }
    *escape = backslash != 0;
    *escaped = found;
    return true;
}

/* Validates UTF-8 and reports the control characters |control| that are inside strings. */
void lw_lexer_text(lw_lexer *lx, const uint8_t *p, unsigned n, uint64_t control,
                   lw_lex_fault_place *fault);

#endif
