/* SPDX-License-Identifier: Apache-2.0 */
/* scan_grammar.h -- what may follow what in JSON: a table from (state, token) to a step.
 *
 * A string counts as one token, at its opening quote; so does a word, at its first byte. */
#ifndef LW_JSON_SCAN_GRAMMAR_H
#define LW_JSON_SCAN_GRAMMAR_H

#include <stdint.h>

/* What must come next. */
typedef enum lw_expect {
    LW_EXPECT_ROOT = 1,  /* the document's value */
    LW_EXPECT_NOTHING,   /* the document is complete */
    LW_EXPECT_FIRST_KEY, /* a key or '}' */
    LW_EXPECT_KEY,
    LW_EXPECT_COLON,
    LW_EXPECT_MEMBER,        /* the value of a member */
    LW_EXPECT_MEMBER_END,    /* ',' or '}' */
    LW_EXPECT_FIRST_ELEMENT, /* a value or ']' */
    LW_EXPECT_ELEMENT,
    LW_EXPECT_ELEMENT_END, /* ',' or ']' */
    LW_EXPECT_COUNT,
} lw_expect;

typedef enum lw_token {
    LW_TOKEN_WORD, /* whatever begins with no other token's byte */
    LW_TOKEN_STRING,
    LW_TOKEN_COLON,
    LW_TOKEN_COMMA,
    LW_TOKEN_OBJECT_BEGIN,
    LW_TOKEN_OBJECT_END,
    LW_TOKEN_ARRAY_BEGIN,
    LW_TOKEN_ARRAY_END,
    LW_TOKEN_COUNT,
} lw_token;

/* A step is 0, the token may not stand there; or the next lw_expect, with a flag where there is
 * more to do than to expect that. */
enum {
    LW_STEP_EXPECT = 0x0f,
    LW_STEP_WORD = 0x10,  /* the word is to be checked */
    LW_STEP_OPEN = 0x20,  /* a container begins */
    LW_STEP_CLOSE = 0x40, /* a container ends; what to expect depends on the one around it */
};

extern const uint8_t lw_grammar_step[LW_EXPECT_COUNT][LW_TOKEN_COUNT];
extern const uint8_t lw_grammar_token[256]; /* first byte -> lw_token */

/* |expect| in words: "',' or '}'". */
const char *lw_grammar_expected(lw_expect expect);

#endif
