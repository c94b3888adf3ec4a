/* SPDX-License-Identifier: Apache-2.0 */
/* field_set.h -- a set of fields, as managedFields name them.
 *
 * A set is a node of a tree and has the form of FieldsV1 itself, so that reading and writing it is
 * reading and writing JSON:
 *
 *     {"f:data":{".":{},"f:color":{}}}     .data and .data.color
 *     {"f:data":{"f:color":{}}}            .data.color alone
 *
 * A member's name is an element of a path: "f:name" a field, "k:{...}" the item of a list that has
 * these keys, "v:..." the item that is this value, "i:7" the item there.  An object without members
 * is in the set itself; one with members is if "." is among them.  NULL is the empty set.
 *
 * Unless it says otherwise, a function leaves its arguments alone and makes new nodes in |tree|;
 * arguments may be of other trees.  Failures of memory stick in the tree. */
#ifndef LW_SCHEMA_MANAGEDFIELDS_FIELD_SET_H
#define LW_SCHEMA_MANAGEDFIELDS_FIELD_SET_H

#include "base/buf.h"
#include "json/tree.h"

/* Reads FieldsV1: elements in one form only, those of unknown kinds left out.  LW_ERR_INVALID says
 * what is wrong with it. */
lw_status lw_field_set_read(lw_tree *tree, const lw_node *fields, lw_node **out, lw_error *err);

/* Puts the set in the order in which Kubernetes writes it.  LW_ERR_NOMEM. */
lw_status lw_field_set_sort(lw_tree *tree, lw_node *set);

bool lw_field_set_is_empty(const lw_node *set);
bool lw_field_set_equal(const lw_node *a, const lw_node *b);

lw_node *lw_field_set_union(lw_tree *tree, const lw_node *a, const lw_node *b);
lw_node *lw_field_set_intersection(lw_tree *tree, const lw_node *a, const lw_node *b);

/* What is in |a| and not in |b|. */
lw_node *lw_field_set_difference(lw_tree *tree, const lw_node *a, const lw_node *b);

/* True when nothing is in both, and when all of |b| is in |a|.  Both make nothing. */
bool lw_field_set_is_disjoint(const lw_node *a, const lw_node *b);
bool lw_field_set_has_all(const lw_node *a, const lw_node *b);

/* Take what is in |gone|, or what is in it and below, out of |set| itself: as much work as |gone|
 * is large. */
void lw_field_set_remove(lw_tree *tree, lw_node *set, const lw_node *gone);
void lw_field_set_remove_below(lw_tree *tree, lw_node *set, const lw_node *gone);

/* For those who build a set from its leaves up.  |below| is what stands under one element: */

/* True when the element itself is in the set. */
bool lw_field_set_has_self(const lw_node *below);

/* |below| (NULL: nothing yet) with the element itself in the set. */
lw_node *lw_field_set_with_self(lw_tree *tree, lw_node *below);

/* Puts |below| (NULL: does nothing) under |element| into |*set|, which is made if it is NULL. */
void lw_field_set_put(lw_tree *tree, lw_node **set, lw_str element, lw_node *below);

/* Calls |visit| with each path of the set as people read it, |.spec.containers[name="a"].image|: of
 * each level first what is in the set there.  Returns LW_OK, or LW_ERR_NOMEM or LW_ERR_LIMIT. */
lw_status lw_field_set_visit(const lw_node *set, void (*visit)(lw_str path, void *arg), void *arg);

#endif
