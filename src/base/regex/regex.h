/* SPDX-License-Identifier: Apache-2.0 */
/* regex.h -- regular expressions of schemas, with bounded matching time.
 *
 * The syntax is RE2 as in Go, without features that schemas hardly use: of the Unicode classes,
 * only C and Cc (\PC, \p{Cc}) are supported; others (\pL), \C, and \Q...\E are rejected.  An
 * expression is compiled to a small program (an NFA) whose states are followed in parallel: the
 * time is at most the length of the program times that of the text.  Both are limited: an
 * expression whose program is too long is rejected, and a match that needs too many steps fails.
 * Case folding (?i) is ASCII only.  Threads: any number may match with one expression. */
#ifndef LW_BASE_REGEX_REGEX_H
#define LW_BASE_REGEX_REGEX_H

#include <stdbool.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

enum {
    LW_REGEX_MAX = 16 * 1024,             /* bytes of an expression */
    LW_REGEX_PROGRAM_MAX = 4 * 1024,      /* steps of its program */
    LW_REGEX_REPEAT_MAX = 1000,           /* limit of {n,m}, as in RE2 */
    LW_REGEX_DEPTH_MAX = 100,             /* nested groups */
    LW_REGEX_WORK_MAX = 60 * 1000 * 1000, /* steps of all matches of a matcher */
};

typedef struct lw_regex lw_regex;

/* Compile |text|, and free the result.  LW_ERR_SYNTAX: the expression is invalid or not supported,
 * err->message is the reason; LW_ERR_LIMIT: it is too large; LW_ERR_NOMEM. */
lw_status lw_regex_new(lw_regex **out, lw_str text, lw_error *err);
void lw_regex_free(lw_regex *regex);

/* Returns the number of steps of the program of |regex|. */
size_t lw_regex_size(const lw_regex *regex);

/* Sets whether |regex| matches anywhere in |text|, which is UTF-8.  LW_ERR_LIMIT: the match takes
 * too long; LW_ERR_NOMEM. */
lw_status lw_regex_match(const lw_regex *regex, lw_str text, bool *is_match);

/* Several matches, of any expressions, that share their memory and the limit LW_REGEX_WORK_MAX.
 * One thread. */
typedef struct lw_regex_matcher {
    uint64_t work;    /* steps taken so far */
    uint32_t *memory; /* |count| numbers */
    size_t count;
} lw_regex_matcher;

void lw_regex_matcher_init(lw_regex_matcher *matcher);
void lw_regex_matcher_done(lw_regex_matcher *matcher);

/* As lw_regex_match, with the memory and the limit of |matcher|. */
lw_status lw_regex_match_many(lw_regex_matcher *matcher, const lw_regex *regex, lw_str text,
                              bool *is_match);

/* Finds the first match in |text| at or after the byte |from|: |*match| is the result of FindString
 * in Go, set if |*is_match|.  Errors as lw_regex_match. */
lw_status lw_regex_find(const lw_regex *regex, lw_str text, size_t from, lw_str *match,
                        bool *is_match);

#endif
