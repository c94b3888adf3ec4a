/* SPDX-License-Identifier: Apache-2.0 */
/* field_normal.c -- omits what Go omits. */
#include "schema/managedfields/field_normal.h"

#include "base/str.h"

/* Returns true if Go omits |value| at |place|. */
static bool is_omitted(lw_place place, const lw_node *value)
{
    return lw_place_leaves_out(place, value) && !lw_place_is_always_there(place);
}

static lw_node *normal(lw_tree *tree, lw_place place, const lw_node *value, unsigned depth);

static lw_node *normal_object(lw_tree *tree, lw_place place, const lw_node *object, unsigned depth)
{
    lw_node *out = lw_tree_object(tree);
    for (size_t i = 0; i < lw_node_count(object); i++) {
        lw_str name = lw_node_key_at(object, i);
        const lw_node *value = lw_node_at(object, i);
        lw_place at;
        if (!lw_place_member(place, name, &at)) {
            lw_node_put(tree, out, name, lw_tree_copy(tree, value));
            continue;
        }
        if (!is_omitted(at, value))
            lw_node_put(tree, out, name, normal(tree, at, value, depth - 1));
    }
    return out;
}

static lw_node *normal_list(lw_tree *tree, lw_place place, const lw_node *list, unsigned depth)
{
    lw_node *out = lw_tree_array(tree);
    for (size_t i = 0; i < lw_node_count(list); i++)
        lw_node_append(tree, out,
                       normal(tree, lw_place_item(place), lw_node_at(list, i), depth - 1));
    return out;
}

static lw_node *normal(lw_tree *tree, lw_place place, const lw_node *value, unsigned depth)
{
    bool is_known = depth > 0 && place.type;
    if (is_known && place.type->form == LW_TYPE_LIST && lw_node_is(value, LW_JSON_ARRAY))
        return normal_list(tree, place, value, depth);
    if (is_known && (place.type->form == LW_TYPE_STRUCT || place.type->form == LW_TYPE_MAP) &&
        lw_node_is(value, LW_JSON_OBJECT))
        return normal_object(tree, place, value, depth);
    return lw_tree_copy(tree, value);
}

static bool is_container(const lw_node *value)
{
    return lw_node_type(value) >= LW_JSON_ARRAY;
}

static bool is_normal(lw_place place, const lw_node *value, unsigned depth);

static bool is_normal_list(lw_place place, const lw_node *list, unsigned depth)
{
    const lw_place item = lw_place_item(place);
    for (size_t i = 0, count = lw_node_count(list); i < count; i++) {
        if (!is_normal(item, lw_node_at(list, i), depth))
            return false;
    }
    return true;
}

static bool is_normal_object(lw_place place, const lw_node *object, unsigned depth)
{
    lw_place at;
    lw_str name;
    for (size_t i = 0, count = lw_node_count(object); i < count; i++) {
        const lw_node *member = lw_node_member_at(object, i, &name);
        if (lw_place_member(place, name, &at) &&
            (is_omitted(at, member) || (is_container(member) && !is_normal(at, member, depth))))
            return false;
    }
    return true;
}

static bool is_normal(lw_place place, const lw_node *value, unsigned depth)
{
    if (depth == 0 || !place.type)
        return true;
    if (lw_node_is(value, LW_JSON_ARRAY) && place.type->form == LW_TYPE_LIST)
        return is_normal_list(place, value, depth - 1);
    if (lw_node_is(value, LW_JSON_OBJECT) &&
        (place.type->form == LW_TYPE_STRUCT || place.type->form == LW_TYPE_MAP))
        return is_normal_object(place, value, depth - 1);
    return true;
}

bool lw_field_is_normal(const lw_type *type, const lw_node *document)
{
    return is_normal((lw_place){ type, NULL }, document, LW_FIELD_DEPTH);
}

lw_node *lw_field_normalize_at(lw_tree *tree, lw_place place, const lw_node *value)
{
    return normal(tree, place, value, LW_FIELD_DEPTH);
}

lw_status lw_field_normalize(lw_tree *tree, const lw_type *type, const lw_node *document,
                             lw_node **out)
{
    *out = lw_field_normalize_at(tree, (lw_place){ type, NULL }, document);
    return lw_tree_status(tree);
}
