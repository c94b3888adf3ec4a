/* SPDX-License-Identifier: Apache-2.0 */
/* field_merge.h -- merges an applied configuration into an object, and removes fields from one.
 *
 * Pure functions.  They make all nodes in |tree| and return its failures. */
#ifndef LW_SCHEMA_MANAGEDFIELDS_FIELD_MERGE_H
#define LW_SCHEMA_MANAGEDFIELDS_FIELD_MERGE_H

#include "schema/types/type.h"
#include "json/tree.h"

/* Merges |config| into a copy of |live| along the type: structs and maps member by member,
 * associative lists item by item, everything else as a whole.  Items have the order of the
 * configuration; items that it does not contain keep their position among the others. */
lw_status lw_field_merge(lw_tree *tree, const lw_type *type, const lw_node *live,
                         const lw_node *config, lw_node **out);

/* Copies |document| without the fields and items of |set|. */
lw_status lw_field_remove(lw_tree *tree, const lw_type *type, const lw_node *document,
                          const lw_node *set, lw_node **out);

#endif
