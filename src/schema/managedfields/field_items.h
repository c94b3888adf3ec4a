/* SPDX-License-Identifier: Apache-2.0 */
/* field_items.h -- the items of a list that apply tells apart, found by their elements.
 * An item that has no element of its own is told apart by its position. */
#ifndef LW_SCHEMA_MANAGEDFIELDS_FIELD_ITEMS_H
#define LW_SCHEMA_MANAGEDFIELDS_FIELD_ITEMS_H

#include "schema/managedfields/field_place.h"

typedef struct lw_items {
    const lw_node *list; /* NULL: none */
    lw_node *elements;   /* array of strings: the element of each item */
    lw_node *positions;  /* object: element to the array of its positions */
} lw_items;

/* Reads |list| (NULL or no list: no items) at |place|; all nodes are of |tree|.  |scratch| is for
 * texts and keeps its first failure.  Returns the scratch's status; failures of the tree stick
 * there. */
lw_status lw_items_read(lw_items *items, lw_tree *tree, lw_place place, const lw_node *list,
                        lw_buf *scratch);

size_t lw_items_count(const lw_items *items);
lw_str lw_items_element(const lw_items *items, size_t at);

/* How many items have |element|. */
size_t lw_items_matches(const lw_items *items, lw_str element);

/* The |nth| item with |element|; NULL: there are fewer. */
const lw_node *lw_items_match(const lw_items *items, lw_str element, size_t nth);

#endif
