/* SPDX-License-Identifier: Apache-2.0 */
/* regex_program.h -- the machine of a pattern; for pattern*.c alone. */
#ifndef LW_BASE_REGEX_PROGRAM_H
#define LW_BASE_REGEX_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "base/regex.h"

typedef enum lw_regex_op {
    LW_REGEX_RUNE,       /* the character |x| */
    LW_REGEX_SET,        /* one of the set |x| */
    LW_REGEX_ANY,        /* any character */
    LW_REGEX_SPLIT,      /* go on at |x| and at |y| */
    LW_REGEX_JUMP,       /* go on at |x| */
    LW_REGEX_BEGIN,      /* only where the text begins */
    LW_REGEX_END,        /* only where it ends */
    LW_REGEX_LINE_BEGIN, /* there, or behind a newline */
    LW_REGEX_LINE_END,
    LW_REGEX_WORD,    /* only between a word and what is none */
    LW_REGEX_NO_WORD, /* only where that is not so */
    LW_REGEX_MATCH,
} lw_regex_op;

typedef struct lw_regex_step {
    uint8_t op;
    bool folds;   /* RUNE, SET: letters of both cases */
    bool is_lazy; /* SPLIT: |y| is preferred */
    uint32_t x, y;
} lw_regex_step;

typedef struct lw_regex_range {
    uint32_t low, high;
} lw_regex_range;

/* A set of characters: ranges, from the first one on. */
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
    bool is_anchored; /* it begins with ^, and matches where the text begins or nowhere */
};

/* The character at the beginning of |text|, which is not empty; |*len| gets its bytes.  A byte that
 * is no UTF-8 stands for itself. */
uint32_t lw_regex_rune(lw_str text, size_t *len);

/* A match under way. */
typedef struct lw_regex_run {
    const lw_regex *pattern;
    uint32_t *stack; /* states to be entered */
    uint64_t work;
    uint32_t before, after; /* characters around the place, or LW_REGEX_NONE */
} lw_regex_run;

#define LW_REGEX_NONE UINT32_MAX

/* Whether an assertion holds here. */
bool lw_regex_holds(const lw_regex_run *run, lw_regex_op op);

/* Whether |step| goes on with the character |rune|. */
bool lw_regex_takes(lw_regex_run *run, const lw_regex_step *step, uint32_t rune);

#endif
