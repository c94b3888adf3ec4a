/* SPDX-License-Identifier: Apache-2.0 */
/* field_set.h -- a set of fields, as in managedFields.
 *
 * A set is a node of a tree in the format of FieldsV1, so it is read and written as JSON:
 *
 *     {"f:data":{".":{},"f:color":{}}}     .data and .data.color
 *     {"f:data":{"f:color":{}}}            .data.color only
 *
 * A member name is a path element: "f:name" is a field, "k:{...}" the list item with these keys,
 * "v:..." the list item with this value, "i:7" the list item at this index.  An object without
 * members is in the set itself; an object with members is in the set if it has the member ".".
 * NULL is the empty set.
 *
 * Unless stated otherwise, functions do not change their arguments and make new nodes in |tree|;
 * the arguments may belong to other trees.  Out of memory is sticky in the tree. */
#ifndef LW_SCHEMA_MANAGEDFIELDS_FIELD_SET_H
#define LW_SCHEMA_MANAGEDFIELDS_FIELD_SET_H

#include "base/buf.h"
#include "json/tree.h"

/* Reads FieldsV1 with elements in canonical form; omits elements of unknown kinds.  LW_ERR_INVALID:
 * |err| says why. */
lw_status lw_field_set_read(lw_tree *tree, const lw_node *fields, lw_node **out, lw_error *err);

/* Sorts |set| itself in the order in which Kubernetes writes it; what is closed has that order.
 * LW_ERR_NOMEM. */
lw_status lw_field_set_sort(lw_node *set);

/* These do not open a closed set. */
bool lw_field_set_is_empty(const lw_node *set);
bool lw_field_set_names_whole(const lw_node *set); /* has ".": the whole object, no field of it */

bool lw_field_set_equal(const lw_node *a, const lw_node *b);

lw_node *lw_field_set_union(lw_tree *tree, const lw_node *a, const lw_node *b);
lw_node *lw_field_set_intersection(lw_tree *tree, const lw_node *a, const lw_node *b);

/* Returns the fields of |a| that are not in |b|. */
lw_node *lw_field_set_difference(lw_tree *tree, const lw_node *a, const lw_node *b);

/* True if no field is in both sets (|a| is not opened if |b| is small), and if |a| contains all of
 * |b|. */
bool lw_field_set_is_disjoint(const lw_node *a, const lw_node *b);
bool lw_field_set_has_all(const lw_node *a, const lw_node *b);

/* Remove from |set| itself the fields of |gone|; _below also removes the fields below them.  The
 * cost depends on the size of |gone|. */
void lw_field_set_remove(lw_tree *tree, lw_node *set, const lw_node *gone);
void lw_field_set_remove_below(lw_tree *tree, lw_node *set, const lw_node *gone);

/* For building a set from its leaves.  |below| is the set below one element. */

/* True when the element itself is in the set. */
bool lw_field_set_has_self(const lw_node *below);

/* Returns |below| (NULL: empty) with the element itself in the set. */
lw_node *lw_field_set_with_self(lw_tree *tree, lw_node *below);

/* Puts |below| (NULL: does nothing) at |element| into |*set|, which is made if it is NULL. */
void lw_field_set_put(lw_tree *tree, lw_node **set, lw_str element, lw_node *below);

/* The same if |*set| is known not to have |element|. */
void lw_field_set_add(lw_tree *tree, lw_node **set, lw_str element, lw_node *below);

/* Calls |visit| with the text of each path of the set, |.spec.containers[name="a"].image|.  On each
 * level the fields in the set come first.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_field_set_visit(const lw_node *set, void (*visit)(lw_str path, void *arg), void *arg);

#endif
