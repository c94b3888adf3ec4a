/* SPDX-License-Identifier: Apache-2.0 */
/* regex.h -- regular expressions of schemas, in time that cannot run away.
 *
 * The syntax is RE2's as Go takes it, without what hardly any schema has: of Unicode's classes
 * there are C and Cc (\PC, \p{Cc}); others (\pL), \C, and \Q...\E are refused.  A pattern becomes a
 * small machine whose states are all followed at once: the time is at most the length of the
 * machine times that of the text.  Both are bounded: a pattern whose machine is too long is
 * refused, and a match that takes too many steps fails.  Letters are folded (?i) in ASCII only.
 * Threads: any number match with one pattern. */
#ifndef LW_BASE_REGEX_H
#define LW_BASE_REGEX_H

#include <stdbool.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

enum {
    LW_REGEX_MAX = 16 * 1024,             /* bytes of a pattern */
    LW_REGEX_PROGRAM_MAX = 4 * 1024,      /* steps of its machine */
    LW_REGEX_REPEAT_MAX = 1000,           /* of {n,m}, as in RE2 */
    LW_REGEX_DEPTH_MAX = 100,             /* groups in groups */
    LW_REGEX_WORK_MAX = 60 * 1000 * 1000, /* steps that a matcher may take for all matches */
};

typedef struct lw_regex lw_regex;

/* LW_ERR_SYNTAX: it is no pattern, or none that is taken here, err->message says what about it;
 * LW_ERR_LIMIT: it is too large; LW_ERR_NOMEM. */
lw_status lw_regex_new(lw_regex **out, lw_str text, lw_error *err);
void lw_regex_free(lw_regex *pattern);

/* Steps of the machine of |pattern|. */
size_t lw_regex_size(const lw_regex *pattern);

/* Whether |text|, UTF-8, has the pattern anywhere in it.  LW_ERR_LIMIT: the match takes too long;
 * LW_ERR_NOMEM. */
lw_status lw_regex_match(const lw_regex *pattern, lw_str text, bool *is_match);

/* Many matches, of any patterns, that share their memory and their budget of
 * LW_REGEX_WORK_MAX steps.  One thread. */
typedef struct lw_regex_matcher {
    uint64_t work;    /* steps taken so far */
    uint32_t *memory; /* |count| numbers */
    size_t count;
} lw_regex_matcher;

void lw_regex_matcher_init(lw_regex_matcher *matcher);
void lw_regex_matcher_done(lw_regex_matcher *matcher);

/* The same as lw_regex_match, on account of |matcher|. */
lw_status lw_regex_match_many(lw_regex_matcher *matcher, const lw_regex *pattern, lw_str text,
                              bool *is_match);

/* Where |text| has the pattern first, at or behind the byte |from|: |*match| is what Go's
 * FindString finds, set when |*is_match|.  The same errors. */
lw_status lw_regex_find(const lw_regex *pattern, lw_str text, size_t from, lw_str *match,
                        bool *is_match);

#endif
