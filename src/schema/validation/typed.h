/* SPDX-License-Identifier: Apache-2.0 */
/* typed.h -- normalizes a document as a round trip through a Go struct would.
 *
 * In Go an absent field and a zero field are the same.  A server that stored what it was sent would
 * show a difference to clients.  So reading removes zero values, and writing adds the fields that
 * Go always writes.  An object that is closed and has a reader (tree.h: lw_node_is_unread) is left
 * alone by both: the reader is to read it when it is opened, and until then its text is written. */
#ifndef LW_SCHEMA_VALIDATION_TYPED_H
#define LW_SCHEMA_VALIDATION_TYPED_H

#include "schema/types/type.h"
#include "json/tree.h"

/* Removes from |object| what a Go decoder would drop: unknown members, null, and zeros of fields
 * that are not pointers.  Converts quantities and times to their canonical form.  Values of the
 * wrong type are left unchanged.  Failures are sticky in |tree|. */
void lw_typed_read(lw_tree *tree, const lw_type *type, lw_node *object);

/* Returns true if lw_typed_read leaves |value| of a |field| as it is, without a look at what is
 * inside of it. */
bool lw_typed_keeps(const lw_field *field, const lw_node *value);

/* The same for an element of a map, whose type is |type|. */
bool lw_typed_keeps_element(const lw_type *type, const lw_node *value);

/* The same as lw_typed_read; members of |object| that are also members of |done|, which has been
 * read, are left as they are. */
void lw_typed_read_beside(lw_tree *tree, const lw_type *type, lw_node *object, const lw_node *done);

/* Adds to |object| the fields that a Go encoder writes even if they are empty.  Returns true if the
 * result is a fixed point: to read and write it again would not even change the order of members.
 * (False mostly means that a zero that reading drops is not among the last members.) */
bool lw_typed_write(lw_tree *tree, const lw_type *type, lw_node *object);

/* Returns true if lw_typed_write would make |object| equal to |written|, which lw_typed_write has
 * made.  It costs less than to do so: a difference ends the comparison.  |tree| is for temporary
 * nodes; look at its status afterwards. */
bool lw_typed_is_written(lw_tree *tree, const lw_type *type, const lw_node *object,
                         const lw_node *written);

#endif
