/* SPDX-License-Identifier: Apache-2.0 */
/* field_items.h -- the items of an associative list, indexed by their path elements.  An item
 * without a path element of its own is identified by its position. */
#ifndef LW_SCHEMA_MANAGEDFIELDS_FIELD_ITEMS_H
#define LW_SCHEMA_MANAGEDFIELDS_FIELD_ITEMS_H

#include "schema/managedfields/field_place.h"

typedef struct lw_items {
    const lw_node *list; /* NULL: none */
    lw_node *elements;   /* array of strings: the path element of each item */
    lw_node *positions;  /* object: maps a path element to the array of its positions */
} lw_items;

/* Indexes |list| (NULL or not a list: no items) at |place| with nodes of |tree|.  |scratch| is used
 * for texts.  Returns the status of |scratch|; failures of the tree are sticky there. */
lw_status lw_items_read(lw_items *items, lw_tree *tree, lw_place place, const lw_node *list,
                        lw_buf *scratch);

size_t lw_items_count(const lw_items *items);
lw_str lw_items_element(const lw_items *items, size_t at);

/* Returns the number of items with |element|. */
size_t lw_items_matches(const lw_items *items, lw_str element);

/* Returns the |nth| item with |element|; NULL: there are fewer. */
const lw_node *lw_items_match(const lw_items *items, lw_str element, size_t nth);

#endif
