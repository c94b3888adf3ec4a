/* SPDX-License-Identifier: Apache-2.0 */
/* applied_fields.c -- writes the leaves of a configuration, its empty values, and the items of its
 * lists and maps. */
#include "schema/managedfields/applied_fields.h"

#include "schema/managedfields/field_text.h"

enum {
    TEXT_MAX = 64 * 1024 * 1024, /* bytes of a set */
};

static void push_member(lw_field_text *text, const lw_field_part *parent, lw_str name,
                        const lw_node *value)
{
    lw_field_part *one = lw_field_text_room(text);
    if (!one || !lw_field_part_of(parent->place, name, one))
        return;
    one->value = value;
    one->is_self = lw_node_is(value, LW_JSON_NULL) ||
                   (lw_node_is(value, LW_JSON_OBJECT) && lw_node_count(value) == 0) ||
                   !(one->is_plain || lw_place_names(parent->place, name));
    lw_field_text_push(text);
}

static bool write_part(lw_field_text *text, const lw_field_part *one, unsigned depth)
{
    lw_shape shape = depth > 0 ? lw_place_shape(one->place, one->value) : LW_SHAPE_LEAF;
    bool is_list = shape == LW_SHAPE_KEYED || shape == LW_SHAPE_VALUE_SET;
    bool fits = lw_node_is(one->value, is_list ? LW_JSON_ARRAY : LW_JSON_OBJECT);
    if (shape != LW_SHAPE_LEAF && !one->is_twin)
        return lw_field_text_container(text, one, fits ? one->value : NULL, is_list, depth);
    lw_field_text_leaf(text, one);
    return true;
}

static const lw_field_walker walker = { push_member, NULL, write_part };

bool lw_applied_fields_can_ignore(const lw_node *ignored)
{
    for (size_t i = 0; i < lw_node_count(ignored); i++) {
        if (lw_node_count(lw_node_at(ignored, i)) > 0)
            return false;
    }
    return true;
}

lw_status lw_applied_fields(lw_tree *tree, const lw_type *type, const lw_node *config,
                            const lw_node *ignored, lw_node **set)
{
    lw_field_text text;
    lw_buf out;
    lw_buf_init(&out, TEXT_MAX);
    lw_field_text_init(&text, &walker, &out);
    (void)lw_field_text_write(&text, type, config, ignored);
    lw_status st = lw_field_text_done(&text);
    if (st == LW_OK) {
        (void)lw_tree_charge(tree, out.len / LW_BUDGET_TEXT_BYTES);
        *set = lw_tree_closed(tree, lw_buf_view(&out));
        st = lw_tree_status(tree);
    }
    lw_buf_done(&out);
    return st;
}
