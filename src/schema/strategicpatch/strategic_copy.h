/* SPDX-License-Identifier: Apache-2.0 */
/* strategic_copy.h -- what a patch adds to a document: copies of its values, without directives. */
#ifndef LW_SCHEMA_STRATEGICPATCH_STRATEGIC_COPY_H
#define LW_SCHEMA_STRATEGICPATCH_STRATEGIC_COPY_H

#include "json/tree.h"

typedef enum lw_strategic_copy {
    LW_COPY_PLAIN,     /* of what replaces: only the directives' own members are left out */
    LW_COPY_UNMARKED,  /* of a new list with an order: maps with $patch are left out */
    LW_COPY_NEW_VALUE, /* of what was not there: null members too */
} lw_strategic_copy;

/* True for the name of a directive. */
bool lw_strategic__is_directive(lw_str name);

/* A copy of |node| in |tree|; NULL: it is left out itself, or the tree has failed. */
lw_node *lw_strategic__copy(lw_tree *tree, const lw_node *node, lw_strategic_copy how);

#endif
