/* SPDX-License-Identifier: Apache-2.0 */
/* typed.h -- a document as it is after a Go struct has held it.
 *
 * Clients see no difference between a field that is absent and one that is zero, and a server that
 * keeps what it was sent would show one: so what is read loses what says nothing, and what is
 * written has what is always there. */
#ifndef LW_SCHEMA_VALIDATION_TYPED_H
#define LW_SCHEMA_VALIDATION_TYPED_H

#include "schema/types/type.h"
#include "json/tree.h"

/* Takes from |object| what a decoder would not have noticed: members that |type| does not have,
 * null, and zeros of fields that are no pointers; writes quantities and times in their one form.
 * What is of another type than it should be stays as it is.  Failures stick in |tree|. */
void lw_typed_read(lw_tree *tree, const lw_type *type, lw_node *object);

/* Adds to |object| what an encoder writes also when it is empty. */
void lw_typed_write(lw_tree *tree, const lw_type *type, lw_node *object);

#endif
