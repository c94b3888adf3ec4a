/* SPDX-License-Identifier: Apache-2.0 */
/* field_walk.h -- lists the fields of a document, and compares two documents, along their type.
 *
 * Pure functions.  They make all nodes in |tree| and return its failures. */
#ifndef LW_SCHEMA_MANAGEDFIELDS_FIELD_WALK_H
#define LW_SCHEMA_MANAGEDFIELDS_FIELD_WALK_H

#include "schema/types/type.h"
#include "json/tree.h"

/* Lists the fields of |document|, an applied configuration: its leaves, its empty values, and the
 * items of its lists and maps.  |type| may be NULL (unknown). */
lw_status lw_field_walk(lw_tree *tree, const lw_type *type, const lw_node *document, lw_node **set);

typedef struct lw_field_changes {
    lw_node *changed; /* set: added or modified; NULL: none */
    lw_node *removed; /* set; NULL: none */
} lw_field_changes;

/* The origin of the second document of a comparison. */
typedef enum lw_field_origin {
    LW_FIELD_FROM_GO, /* written by a server: zeros that Go omits are absent */
    LW_FIELD_APPLIED, /* merged from a configuration: zeros are intended */
} lw_field_origin;

/* Lists the changes from |before| to |after|, two versions of one object.  |before| is as a server
 * writes it, or NULL. */
lw_status lw_field_compare(lw_tree *tree, const lw_type *type, const lw_node *before,
                           const lw_node *after, lw_field_origin origin, lw_field_changes *out);

/* Adds to the set all named fields that are parents of a member.  Removing members requires
 * them. */
lw_status lw_field_set_name_parents(lw_tree *tree, const lw_type *type, const lw_node *set,
                                    lw_node **out);

#endif
