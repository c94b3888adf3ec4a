/* SPDX-License-Identifier: Apache-2.0 */
/* regex_class.h -- sets of characters in a pattern: [a-z], \d, [[:alpha:]]; for pattern*.c
 * alone. */
#ifndef LW_BASE_REGEX_CLASS_H
#define LW_BASE_REGEX_CLASS_H

#include "base/regex_program.h"

enum {
    LW_REGEX_SETS_MAX = 512,
    LW_REGEX_RANGES_MAX = 4096,
};

/* Adds |range| to |set|, the newest one of the pattern.  LW_ERR_LIMIT. */
lw_status lw_regex_class_add(lw_regex *pattern, lw_regex_set *set, lw_regex_range range);

/* Reads the set at |*at| of |text|, "[..." or an escape that is one, and goes behind it.
 * LW_ERR_SYNTAX, LW_ERR_LIMIT: |*fault| says what is wrong. */
lw_status lw_regex_class_read(lw_regex *pattern, lw_str text, size_t *at, lw_regex_set *set,
                              const char **fault);

/* True when |text| begins with an escape that is a set: \d, \W, \pC. */
bool lw_regex_escape_is_class(lw_str text);

/* Reads the escape of one character at |*at|; false: it is none. */
bool lw_regex_escape_read(lw_str text, size_t *at, uint32_t *rune);

#endif
