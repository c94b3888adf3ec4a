/* SPDX-License-Identifier: Apache-2.0 */
/* strategic_copy.h -- copies values of a patch into the document, without directives. */
#ifndef LW_SCHEMA_STRATEGICPATCH_STRATEGIC_COPY_H
#define LW_SCHEMA_STRATEGICPATCH_STRATEGIC_COPY_H

#include "json/tree.h"

typedef enum lw_strategic_copy {
    LW_COPY_PLAIN,     /* for a replacement: omits only the members that are directives */
    LW_COPY_UNMARKED,  /* for a new list with an order: omits maps with $patch */
    LW_COPY_NEW_VALUE, /* for a value that was absent: omits null members too */
} lw_strategic_copy;

/* True if |name| is a directive. */
bool lw_strategic__is_directive(lw_str name);

/* Returns a copy of |node| in |tree|; NULL: |node| itself is omitted, or the tree has failed. */
lw_node *lw_strategic__copy(lw_tree *tree, const lw_node *node, lw_strategic_copy how);

#endif
