/* SPDX-License-Identifier: Apache-2.0 */
/* structural_lists.h -- the state of a validation, and the checks of lists that are sets or maps;
 * private to structural*.c. */
#ifndef LW_SCHEMA_STRUCTURAL_STRUCTURAL_LISTS_H
#define LW_SCHEMA_STRUCTURAL_STRUCTURAL_LISTS_H

#include <stdio.h>

#include "schema/structural/structural_node.h"

enum {
    LW_STRUCTURAL_WORK_MAX = 4 * 1000 * 1000, /* values visited per object */
};

typedef struct lw_structural_check {
    lw_api_status *errors;
    lw_buf path;  /* "spec.items[0]" */
    lw_buf shown; /* the invalid value as JSON */
    size_t work;
    lw_budget *budget;        /* of the request; NULL: no limit */
    lw_regex_matcher matcher; /* shared, so that all patterns have one budget */
    bool is_probe;      /* only the existence of an error counts; the first one ends the check */
    bool has_failed;    /* of a probe: an error was found */
    const lw_node *old; /* the previous value; NULL: none, or it cannot be correlated */
} lw_structural_check;

/* Adds the error "|title|: |shown|: |detail|" for the value at the path; the last two may be
 * empty. */
void lw_structural_error(lw_structural_check *c, const char *reason, const char *title,
                         lw_str shown, const char *detail);

/* True if no more errors are wanted: there are enough, or the budget is over. */
bool lw_structural_is_full(const lw_structural_check *c);

/* Returns |value| as JSON, valid until the next call. */
lw_str lw_structural_show(lw_structural_check *c, const lw_node *value);

/* Appends the member |name| to the path. */
void lw_structural_enter(lw_structural_check *c, lw_str name);

/* Appends the index |i| to |path|: "[7]".  There are very many of them: no printf. */
static inline void lw_structural_enter_item(lw_buf *path, size_t i)
{
    lw_buf_append_char(path, '[');
    lw_buf_append_uint(path, i);
    lw_buf_append_char(path, ']');
}

/* True if |value| is valid against |schema|; errors are not reported. */
bool lw_structural_satisfies(lw_structural_check *c, const lw_structural_node *schema,
                             const lw_node *value);

/* Checks that the elements of a set, or the keys of a map, are unique. */
void lw_structural_check_list(lw_structural_check *c, const lw_structural_node *schema,
                              const lw_node *list);

#endif
