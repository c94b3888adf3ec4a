/* SPDX-License-Identifier: Apache-2.0 */
/* field_normal.h -- a document as Go would write it. */
#ifndef LW_SCHEMA_MANAGEDFIELDS_FIELD_NORMAL_H
#define LW_SCHEMA_MANAGEDFIELDS_FIELD_NORMAL_H

#include "schema/managedfields/field_place.h"

/* A copy of |document| without the fields that say nothing to Go: null, and zeros of fields that
 * are left out when they are zero.  Of no known type (NULL): a copy.  Returns the tree's status. */
lw_status lw_field_normalize(lw_tree *tree, const lw_type *type, const lw_node *document,
                             lw_node **out);

/* The same of |value| at |place|. */
lw_node *lw_field_normalize_at(lw_tree *tree, lw_place place, const lw_node *value);

#endif
