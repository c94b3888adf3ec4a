/* SPDX-License-Identifier: Apache-2.0 */
/* regex_class.h -- sets of characters in a pattern: [a-z], \d, [[:alpha:]]; for regex*.c
 * alone. */
#ifndef LW_BASE_REGEX_CLASS_H
#define LW_BASE_REGEX_CLASS_H

#include "base/regex_program.h"

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
