/* SPDX-License-Identifier: Apache-2.0 */
/* field_normal.h -- a document as Go would write it. */
#ifndef LW_SCHEMA_FIELD_NORMAL_H
#define LW_SCHEMA_FIELD_NORMAL_H

#include "json/tree.h"

typedef struct lw_type lw_type; /* schema/type.h */

/* A copy of |document| without the fields that say nothing to Go: null, and zeros of fields that
 * are left out when they are zero.  Of no known type (NULL): a copy.  Returns the tree's status. */
lw_status lw_field_normalize(lw_tree *tree, const lw_type *type, const lw_node *document,
                             lw_node **out);

#endif
