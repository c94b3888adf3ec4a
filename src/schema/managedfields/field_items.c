/* SPDX-License-Identifier: Apache-2.0 */
/* field_items.c -- indexes list items by their path elements. */
#include "schema/managedfields/field_items.h"

#include "base/str.h"

lw_status lw_items_read(lw_items *items, lw_tree *tree, lw_place place, const lw_node *list,
                        lw_buf *scratch)
{
    bool is_list = lw_node_is(list, LW_JSON_ARRAY);
    *items = (lw_items){ is_list ? list : NULL, lw_tree_array(tree), lw_tree_object(tree) };
    for (size_t i = 0; i < lw_node_count(items->list); i++) {
        lw_buf_truncate(scratch, 0);
        if (lw_place_append_element(place, lw_node_at(list, i), scratch))
            lw_buf_printf(scratch, "i:%zu", i);
        lw_str element = lw_buf_view(scratch);
        lw_node *positions = lw_node_get(items->positions, element);
        if (!positions) {
            positions = lw_tree_array(tree);
            lw_node_put(tree, items->positions, element, positions);
        }
        lw_node_append(tree, positions, lw_tree_int(tree, (int64_t)i));
        lw_node_append(tree, items->elements, lw_tree_string(tree, element));
    }
    return scratch->st;
}

size_t lw_items_count(const lw_items *items)
{
    return lw_node_count(items->elements);
}

lw_str lw_items_element(const lw_items *items, size_t at)
{
    return lw_node_text(lw_node_at(items->elements, at));
}

size_t lw_items_matches(const lw_items *items, lw_str element)
{
    return lw_node_count(lw_node_get(items->positions, element));
}

const lw_node *lw_items_match(const lw_items *items, lw_str element, size_t nth)
{
    int64_t at;
    const lw_node *positions = lw_node_get(items->positions, element);
    if (!lw_node_int64(lw_node_at(positions, nth), &at))
        return NULL;
    return lw_node_at(items->list, (size_t)at);
}
