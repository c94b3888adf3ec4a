/* SPDX-License-Identifier: Apache-2.0 */
/* regex_program.h -- the compiled program of an expression, and the parser of character classes;
 * only for regex*.c. */
#ifndef LW_BASE_REGEX_REGEX_PROGRAM_H
#define LW_BASE_REGEX_REGEX_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "base/regex/regex.h"

typedef enum lw_regex_op {
    LW_REGEX_RUNE,       /* the character |x| */
    LW_REGEX_SET,        /* one of the set |x| */
    LW_REGEX_ANY,        /* any character */
    LW_REGEX_SPLIT,      /* continue at |x| and at |y| */
    LW_REGEX_JUMP,       /* continue at |x| */
    LW_REGEX_BEGIN,      /* only at the beginning of the text */
    LW_REGEX_END,        /* only at the end of the text */
    LW_REGEX_LINE_BEGIN, /* at the beginning, or after a newline */
    LW_REGEX_LINE_END,
    LW_REGEX_WORD,    /* only at a word boundary */
    LW_REGEX_NO_WORD, /* only not at a word boundary */
    LW_REGEX_MATCH,
} lw_regex_op;

typedef struct lw_regex_step {
    uint8_t op;
    bool folds;   /* RUNE, SET: ignores case */
    bool is_lazy; /* SPLIT: |y| is preferred */
    uint32_t x, y;
} lw_regex_step;

typedef struct lw_regex_range {
    uint32_t low, high;
} lw_regex_range;

/* A character class: ranges, from the first one on. */
typedef struct lw_regex_set {
    uint32_t first, count;
    bool is_negated;
} lw_regex_set;

struct lw_regex {
    lw_regex_step *steps;
    size_t step_count;
    lw_regex_set *sets;
    size_t set_count;
    lw_regex_range *ranges;
    size_t range_count;
    bool is_anchored; /* begins with ^, and matches only at the beginning of the text */
};

/* Returns the first character of |text|, which is not empty; |*len| is set to its bytes.  A byte
 * that is not UTF-8 is its own character. */
uint32_t lw_regex_rune(lw_str text, size_t *len);

/* A match in progress. */
typedef struct lw_regex_run {
    const lw_regex *regex;
    uint32_t *stack; /* states to enter */
    uint64_t work;
    uint32_t before, after; /* characters around the position, or LW_REGEX_NONE */
} lw_regex_run;

#define LW_REGEX_NONE UINT32_MAX

/* Returns true if an assertion holds at this position. */
bool lw_regex_holds(const lw_regex_run *run, lw_regex_op op);

/* Returns true if |step| accepts the character |rune|. */
bool lw_regex_takes(lw_regex_run *run, const lw_regex_step *step, uint32_t rune);

/* Character classes in a pattern: [a-z], \d, [[:alpha:]]. */

enum {
    LW_REGEX_SETS_MAX = 512,
    LW_REGEX_RANGES_MAX = 4096,
};

/* Adds |range| to |set|, the newest one of the expression.  LW_ERR_LIMIT. */
lw_status lw_regex_class_add(lw_regex *regex, lw_regex_set *set, lw_regex_range range);

/* Parses the class at |*at| of |text|, "[..." or an escape for a class, and advances |*at|.
 * LW_ERR_SYNTAX, LW_ERR_LIMIT: |*fault| is the reason. */
lw_status lw_regex_class_read(lw_regex *regex, lw_str text, size_t *at, lw_regex_set *set,
                              const char **fault);

/* Returns true if |text| begins with an escape for a class: \d, \W, \pC. */
bool lw_regex_escape_is_class(lw_str text);

/* Parses the escape of one character at |*at|; false: it is not one. */
bool lw_regex_escape_read(lw_str text, size_t *at, uint32_t *rune);

#endif
