/* SPDX-License-Identifier: Apache-2.0 */
/* field_normal.h -- normalizes a document to what Go would write. */
#ifndef LW_SCHEMA_MANAGEDFIELDS_FIELD_NORMAL_H
#define LW_SCHEMA_MANAGEDFIELDS_FIELD_NORMAL_H

#include "schema/managedfields/field_place.h"

/* Copies |document| without null members and without zeros that Go omits.  If |type| is NULL, the
 * copy is complete.  Returns the status of the tree. */
lw_status lw_field_normalize(lw_tree *tree, const lw_type *type, const lw_node *document,
                             lw_node **out);

/* Returns true if lw_field_normalize would return an equal document: most are normal already. */
bool lw_field_is_normal(const lw_type *type, const lw_node *document);

/* The same as lw_field_normalize for |value| at |place|. */
lw_node *lw_field_normalize_at(lw_tree *tree, lw_place place, const lw_node *value);

#endif
