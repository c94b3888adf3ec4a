/* SPDX-License-Identifier: Apache-2.0 */
/* regex_program.h -- the machine of a pattern; for pattern*.c alone. */
#ifndef LW_BASE_REGEX_PROGRAM_H
#define LW_BASE_REGEX_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "base/regex.h"

typedef enum lw_pattern_op {
    LW_PATTERN_RUNE,       /* the character |x| */
    LW_PATTERN_SET,        /* one of the set |x| */
    LW_PATTERN_ANY,        /* any character */
    LW_PATTERN_SPLIT,      /* go on at |x| and at |y| */
    LW_PATTERN_JUMP,       /* go on at |x| */
    LW_PATTERN_BEGIN,      /* only where the text begins */
    LW_PATTERN_END,        /* only where it ends */
    LW_PATTERN_LINE_BEGIN, /* there, or behind a newline */
    LW_PATTERN_LINE_END,
    LW_PATTERN_WORD,    /* only between a word and what is none */
    LW_PATTERN_NO_WORD, /* only where that is not so */
    LW_PATTERN_MATCH,
} lw_pattern_op;

typedef struct lw_pattern_step {
    uint8_t op;
    bool folds;   /* RUNE, SET: letters of both cases */
    bool is_lazy; /* SPLIT: |y| is preferred */
    uint32_t x, y;
} lw_pattern_step;

typedef struct lw_pattern_range {
    uint32_t low, high;
} lw_pattern_range;

/* A set of characters: ranges, from the first one on. */
typedef struct lw_pattern_set {
    uint32_t first, count;
    bool is_negated;
} lw_pattern_set;

struct lw_pattern {
    lw_pattern_step *steps;
    size_t step_count;
    lw_pattern_set *sets;
    size_t set_count;
    lw_pattern_range *ranges;
    size_t range_count;
    bool is_anchored; /* it begins with ^, and matches where the text begins or nowhere */
};

/* The character at the beginning of |text|, which is not empty; |*len| gets its bytes.  A byte that
 * is no UTF-8 stands for itself. */
uint32_t lw_pattern_rune(lw_str text, size_t *len);

/* A match under way. */
typedef struct lw_pattern_run {
    const lw_pattern *pattern;
    uint32_t *stack; /* states to be entered */
    uint64_t work;
    uint32_t before, after; /* characters around the place, or LW_PATTERN_NONE */
} lw_pattern_run;

#define LW_PATTERN_NONE UINT32_MAX

/* Whether an assertion holds here. */
bool lw_pattern_holds(const lw_pattern_run *run, lw_pattern_op op);

/* Whether |step| goes on with the character |rune|. */
bool lw_pattern_takes(lw_pattern_run *run, const lw_pattern_step *step, uint32_t rune);

#endif
