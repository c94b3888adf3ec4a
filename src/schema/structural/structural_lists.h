/* SPDX-License-Identifier: Apache-2.0 */
/* structural_lists.h -- a check under way, and what lists that are sets or maps add to it; for
 * structural*.c alone. */
#ifndef LW_SCHEMA_STRUCTURAL_STRUCTURAL_LISTS_H
#define LW_SCHEMA_STRUCTURAL_STRUCTURAL_LISTS_H

#include <stdio.h>

#include "schema/structural/structural_node.h"

enum {
    LW_STRUCTURAL_WORK_MAX = 4 * 1000 * 1000, /* values that are looked at in one object */
};

typedef struct lw_structural_check {
    lw_api_status *faults;
    lw_buf path;  /* "spec.items[0]" */
    lw_buf shown; /* the value at fault */
    size_t work;
    lw_regex_matcher matcher; /* of all patterns: together they have one budget */
    bool is_probe;            /* only whether there is a fault counts: the first one ends it */
    bool has_failed;          /* of a probe: there is one */
    const lw_node *old;       /* what the value at hand was; NULL: nothing, or nobody can say */
} lw_structural_check;

/* Adds "|title|: |shown|: |detail|" about the value at the path; the last two may be empty. */
void lw_structural_error(lw_structural_check *c, const char *reason, const char *title,
                         lw_str shown, const char *detail);

/* |value| as JSON, until the next call. */
lw_str lw_structural_show(lw_structural_check *c, const lw_node *value);

/* Goes on to the member |name|. */
void lw_structural_enter(lw_structural_check *c, lw_str name);

/* True when |value| is as |schema| says; its faults are nobody's. */
bool lw_structural_satisfies(lw_structural_check *c, const lw_structural_node *schema,
                             const lw_node *value);

/* No two elements of a set, or of the keys of a map, are the same. */
void lw_structural_check_list(lw_structural_check *c, const lw_structural_node *schema,
                              const lw_node *list);

#endif
