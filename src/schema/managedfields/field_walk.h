/* SPDX-License-Identifier: Apache-2.0 */
/* field_walk.h -- which fields a document has, and in which two of them differ, along their type.
 *
 * Pure functions: all nodes they make are of |tree|, whose failures they return. */
#ifndef LW_SCHEMA_MANAGEDFIELDS_FIELD_WALK_H
#define LW_SCHEMA_MANAGEDFIELDS_FIELD_WALK_H

#include "schema/types/type.h"
#include "json/tree.h"

/* The fields of |document|, an applied configuration: its leaves, what is empty in it, and the
 * items of its lists and maps.  |type| may be NULL: not known. */
lw_status lw_field_walk(lw_tree *tree, const lw_type *type, const lw_node *document, lw_node **set);

typedef struct lw_field_changes {
    lw_node *changed; /* set: added or modified; NULL: none */
    lw_node *removed; /* set; NULL: none */
} lw_field_changes;

/* How the second document of a comparison came to be. */
typedef enum lw_field_origin {
    LW_FIELD_FROM_GO, /* as a server writes it: a zero that Go leaves out is not there */
    LW_FIELD_APPLIED, /* merged from a configuration: a zero that is there was meant */
} lw_field_origin;

/* What becomes of |before| in |after|; both are those of one object, |before| as a server writes
 * it, or NULL for none. */
lw_status lw_field_compare(lw_tree *tree, const lw_type *type, const lw_node *before,
                           const lw_node *after, lw_field_origin origin, lw_field_changes *out);

/* The set with every named field on the way to a member: what must be looked at to remove them. */
lw_status lw_field_set_name_parents(lw_tree *tree, const lw_type *type, const lw_node *set,
                                    lw_node **out);

#endif
