/* SPDX-License-Identifier: Apache-2.0 */
/* applied_fields.h -- lists the fields of an applied configuration directly as text.
 *
 * The result is the same as lw_field_walk without the unmanaged fields, sorted; but most sets are
 * only stored, so this makes no nodes of it. */
#ifndef LW_SCHEMA_MANAGEDFIELDS_APPLIED_FIELDS_H
#define LW_SCHEMA_MANAGEDFIELDS_APPLIED_FIELDS_H

#include "schema/types/type.h"
#include "json/tree.h"

/* True if |ignored| (NULL: nothing) has only members of the document as a whole. */
bool lw_applied_fields_can_ignore(const lw_node *ignored);

/* Makes the set of the managed fields of |config| except |ignored|, for which
 * lw_applied_fields_can_ignore returns true: closed, in |tree|.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_applied_fields(lw_tree *tree, const lw_type *type, const lw_node *config,
                            const lw_node *ignored, lw_node **set);

#endif
