/* SPDX-License-Identifier: Apache-2.0 */
/* scan_lexer.h -- from 64 bytes to the places where tokens stand, with what must be carried from
 * one block to the next: inside a string, after a backslash, inside a UTF-8 sequence or a word.
 *
 * A block may be shorter than 64 bytes (padded with spaces), so the input may be cut anywhere. */
#ifndef LW_JSON_SCAN_LEXER_H
#define LW_JSON_SCAN_LEXER_H

#include "json/scan_block.h"
#include "json/scan_word.h"

typedef struct lw_lexer {
    uint64_t in_string; /* all ones inside a string, else 0 */
    uint8_t in_word;    /* 1 when the last byte belongs to a word */
    uint8_t escape;     /* 0; 1: the next byte is escaped; 2..5: that many - 1 hex digits to come */
    uint8_t utf8_more;  /* continuation bytes to come, the next one from utf8_low to utf8_high */
    uint8_t utf8_low;
    uint8_t utf8_high;
    lw_word word; /* state of the word at hand, while in_word */
} lw_lexer;

/* Why bytes cannot be JSON, whatever stands around them. */
typedef enum lw_lex_fault {
    LW_LEX_FINE,
    LW_LEX_BAD_ESCAPE,
    LW_LEX_BAD_HEX,
    LW_LEX_CONTROL,
    LW_LEX_BAD_UTF8,
} lw_lex_fault;

/* One block, sorted.  Brackets, separators and words are those outside strings.  Nothing at or
 * after |fault_at| is to be believed. */
typedef struct lw_lex_block {
    uint64_t open;  /* { [ */
    uint64_t close; /* } ] */
    uint64_t curly; /* tells { } from [ ]; means nothing elsewhere */
    uint64_t colon;
    uint64_t comma;
    uint64_t in_string;  /* opening quote up to, not including, the closing one */
    uint64_t opening;    /* opening quotes */
    uint64_t closing;    /* closing quotes */
    uint64_t word;       /* all bytes of words */
    uint64_t word_begin; /* their first bytes */
    unsigned fault_at;   /* first byte at fault, or LW_BLOCK */
    lw_lex_fault fault;
} lw_lex_block;

/* The brackets, without those of "{}" and "[]". */
static inline uint64_t lw_lex_nesting(const lw_lex_block *b)
{
    uint64_t empty = b->open & b->close >> 1 & ~(b->curly ^ b->curly >> 1);
    return (b->open | b->close) & ~(empty | empty << 1);
}

/* The first byte of every token. */
static inline uint64_t lw_lex_tokens(const lw_lex_block *b)
{
    return b->open | b->close | b->colon | b->comma | b->opening | b->word_begin;
}

/* The first fault found so far in a block. */
typedef struct lw_lex_fault_place {
    unsigned at; /* LW_BLOCK: none */
    lw_lex_fault what;
} lw_lex_fault_place;

/* What most blocks do not need.  Escapes: returns the mask of escaped bytes, and carries |*escape|
 * (as in lw_lexer) over the block. */
uint64_t lw_lexer_escapes(uint8_t *escape, const uint8_t *p, unsigned n, uint64_t backslash,
                          lw_lex_fault_place *fault);
uint64_t lw_lexer_escapes_trusting(uint8_t *escape, unsigned n, uint64_t backslash);

/* Text beyond plain ASCII: UTF-8, and the controls among |control|, which must not be there. */
void lw_lexer_text(lw_lexer *lx, const uint8_t *p, unsigned n, uint64_t control,
                   lw_lex_fault_place *fault);

#endif
