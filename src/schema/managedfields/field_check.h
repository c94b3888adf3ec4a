/* SPDX-License-Identifier: Apache-2.0 */
/* field_check.h -- checks whether a configuration can be applied: its fields are declared by the
 * type, its values have the right type, and list items are unique. */
#ifndef LW_SCHEMA_MANAGEDFIELDS_FIELD_CHECK_H
#define LW_SCHEMA_MANAGEDFIELDS_FIELD_CHECK_H

#include "base/buf.h"
#include "schema/types/type.h"
#include "json/tree.h"

/* False: |why| contains the first error, ".spec.replica: field not declared in schema"; check
 * why->st.  If |type| is NULL (unknown), every configuration passes. */
bool lw_field_check(lw_tree *tree, const lw_type *type, const lw_node *config, lw_buf *why);

#endif
