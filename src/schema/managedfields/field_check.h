/* SPDX-License-Identifier: Apache-2.0 */
/* field_check.h -- whether a configuration can be applied: its fields are those of the type, of the
 * form they should have, and items of lists can be told apart. */
#ifndef LW_SCHEMA_MANAGEDFIELDS_FIELD_CHECK_H
#define LW_SCHEMA_MANAGEDFIELDS_FIELD_CHECK_H

#include "base/buf.h"
#include "schema/types/type.h"
#include "json/tree.h"

/* False: |why| says what is wrong first, ".spec.replica: field not declared in schema".  Look at
 * why->st.  |type| may be NULL: not known, then everything is good. */
bool lw_field_check(lw_tree *tree, const lw_type *type, const lw_node *config, lw_buf *why);

#endif
