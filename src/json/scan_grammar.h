/* SPDX-License-Identifier: Apache-2.0 */
/* scan_grammar.h -- the grammar of JSON as a table from (state, token) to the next step, and the
 * stack of open containers.
 *
 * A string is one token, at its opening quote; a word is one token, at its first byte. */
#ifndef LW_JSON_SCAN_GRAMMAR_H
#define LW_JSON_SCAN_GRAMMAR_H

#include <stdbool.h>
#include <stdint.h>

#include "json/scan.h"

/* The state: what is allowed next. */
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
    LW_TOKEN_WORD, /* starts with any byte that starts no other token */
    LW_TOKEN_STRING,
    LW_TOKEN_COLON,
    LW_TOKEN_COMMA,
    LW_TOKEN_OBJECT_BEGIN,
    LW_TOKEN_OBJECT_END,
    LW_TOKEN_ARRAY_BEGIN,
    LW_TOKEN_ARRAY_END,
    LW_TOKEN_COUNT,
} lw_token;

/* A step is 0 if the token is not allowed; otherwise it is the next lw_expect, possibly with one of
 * the flags. */
enum {
    LW_STEP_EXPECT = 0x0f,
    LW_STEP_WORD = 0x10,  /* the caller validates the word */
    LW_STEP_OPEN = 0x20,  /* a container begins */
    LW_STEP_CLOSE = 0x40, /* a container ends; the next state depends on the enclosing one */
};

extern const uint8_t lw_grammar_step[LW_EXPECT_COUNT][LW_TOKEN_COUNT];
extern const uint8_t lw_grammar_token[256]; /* first byte -> lw_token */

/* Describes |expect| for an error message: "',' or '}'". */
const char *lw_grammar_expected(lw_expect expect);

enum {
    LW_NEST_WORD = 64, /* levels in one word */
};

/* The stack of open containers, one bit each: 1 for an object, 0 for an array.  |types| holds the
 * innermost 64, the innermost in the lowest bit; |outer| holds the others in words of 64.  So up to
 * 64 levels a push or pop is one shift, on which scan_bulk.h depends. */
typedef struct lw_nest {
    uint64_t types;
    unsigned depth; /* number of open containers */
    uint64_t outer[LW_SCAN_DEPTH_MAX / LW_NEST_WORD];
} lw_nest;

/* The caller has checked that |depth| is below LW_SCAN_DEPTH_MAX. */
static inline void lw_nest_push(lw_nest *nest, bool is_object)
{
    if (nest->depth % LW_NEST_WORD == 0 && nest->depth > 0)
        nest->outer[nest->depth / LW_NEST_WORD - 1] = nest->types;
    nest->types = nest->types << 1 | is_object;
    nest->depth++;
}

/* The caller has checked that a container is open. */
static inline void lw_nest_pop(lw_nest *nest)
{
    nest->types >>= 1;
    nest->depth--;
    if (nest->depth % LW_NEST_WORD == 0 && nest->depth > 0)
        nest->types = nest->outer[nest->depth / LW_NEST_WORD - 1];
}

/* Returns the state after a value in the innermost container. */
static inline lw_expect lw_nest_after_value(const lw_nest *nest)
{
    if (nest->depth == 0)
        return LW_EXPECT_NOTHING;
    return nest->types & 1 ? LW_EXPECT_MEMBER_END : LW_EXPECT_ELEMENT_END;
}

#endif
