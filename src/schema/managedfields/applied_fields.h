/* SPDX-License-Identifier: Apache-2.0 */
/* applied_fields.h -- writes the set of the fields of an applied configuration, as text.
 *
 * The set is that of lw_field_walk without the unmanaged fields, sorted.  Most sets are only
 * stored, so no nodes are made of it. */
#ifndef LW_SCHEMA_MANAGEDFIELDS_APPLIED_FIELDS_H
#define LW_SCHEMA_MANAGEDFIELDS_APPLIED_FIELDS_H

#include "schema/types/type.h"
#include "json/tree.h"

/* Returns true if each field in the set |ignored| (NULL: none) is a whole member of the document,
 * as its status, and not a part of one: lw_applied_fields can leave out only these. */
bool lw_applied_fields_can_ignore(const lw_node *ignored);

/* Sets |*set| to the fields of |config| that are managed, without those in |ignored|
 * (lw_applied_fields_can_ignore): a closed object in |tree|.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_applied_fields(lw_tree *tree, const lw_type *type, const lw_node *config,
                            const lw_node *ignored, lw_node **set);

#endif
