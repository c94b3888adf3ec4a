/* SPDX-License-Identifier: Apache-2.0 */
/* field_merge.h -- an applied configuration merged into an object, and fields taken out of one.
 *
 * Pure functions: all nodes they make are of |tree|, whose failures they return. */
#ifndef LW_SCHEMA_MANAGEDFIELDS_FIELD_MERGE_H
#define LW_SCHEMA_MANAGEDFIELDS_FIELD_MERGE_H

#include "schema/types/type.h"
#include "json/tree.h"

/* |live| with everything that |config| says, along the type: structs and maps member by member,
 * lists of keyed items and sets item by item, everything else as a whole.  The configuration's
 * order of items holds; items that it does not name stay where they are among the others. */
lw_status lw_field_merge(lw_tree *tree, const lw_type *type, const lw_node *live,
                         const lw_node *config, lw_node **out);

/* |document| without the fields and items of |set|. */
lw_status lw_field_remove(lw_tree *tree, const lw_type *type, const lw_node *document,
                          const lw_node *set, lw_node **out);

#endif
