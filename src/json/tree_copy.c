/* SPDX-License-Identifier: Apache-2.0 */
/* tree_copy.c -- copies nodes: containers are allocated with their final size, and no key is
 * searched. */
#include "json/node.h"

/* How a copy is made. */
typedef struct copying {
    lw_tree *tree;
    bool shares;      /* texts stay where they are */
    bool drops_nulls; /* members that are null are left out */
} copying;

static bool copy_text(const copying *c, lw_str *text)
{
    if (c->shares)
        return true;
    char *room = lw_tree__text_room(c->tree, text->len);
    if (!room)
        return false;
    if (text->len > 0)
        memcpy(room, text->ptr, text->len);
    text->ptr = room;
    return true;
}

static lw_node *copy_scalar(const copying *c, const lw_node *node)
{
    lw_node *copy = lw_tree__node(c->tree, (lw_json_type)node->type);
    bool has_text = node->type == LW_JSON_STRING || node->type == LW_JSON_NUMBER;
    if (!copy)
        return NULL;
    *copy = *node;
    if (has_text && node->count > LW_NODE_INLINE) {
        lw_str text = lw_node_text(node);
        if (!copy_text(c, &text))
            return NULL;
        copy->text = text.ptr;
    }
    return copy;
}

static lw_node *copy_within(const copying *c, const lw_node *node, unsigned depth);

static void copy_members(const copying *c, lw_node *copy, const lw_node *object, unsigned depth)
{
    const lw_slot *slots = lw_node__slots(object);
    if (!lw_node__reserve_members(c->tree, copy, object->count))
        return;
    lw_slot *to = lw_node__slots(copy);
    uint32_t count = 0;
    for (size_t i = 0; i < object->count; i++) {
        lw_str key = lw_slot__key(&slots[i]);
        if (c->drops_nulls && slots[i].value->type == LW_JSON_NULL)
            continue;
        lw_node *value = copy_text(c, &key) ? copy_within(c, slots[i].value, depth) : NULL;
        if (!value)
            return;
        to[count++] = (lw_slot){ .value = value, .key = key.ptr, .key_len = slots[i].key_len };
    }
    lw_node__set_filled(copy, count);
}

static void copy_elements(const copying *c, lw_node *copy, const lw_node *array, unsigned depth)
{
    if (!lw_node__reserve_elements(c->tree, copy, array->count))
        return;
    for (; copy->count < array->count && c->tree->st == LW_OK; copy->count++)
        copy->elements->at[copy->count] = copy_within(c, array->elements->at[copy->count], depth);
}

static lw_node *copy_within(const copying *c, const lw_node *node, unsigned depth)
{
    if (node->type != LW_JSON_ARRAY && node->type != LW_JSON_OBJECT)
        return copy_scalar(c, node);
    if (depth == 0) {
        lw_tree__fail(c->tree, LW_ERR_LIMIT);
        return NULL;
    }
    lw_node *copy = lw_tree__node(c->tree, (lw_json_type)node->type);
    if (!copy)
        return NULL;
    if (node->type == LW_JSON_OBJECT)
        copy_members(c, copy, node, depth - 1);
    else
        copy_elements(c, copy, node, depth - 1);
    return c->tree->st == LW_OK ? copy : NULL;
}

static lw_node *copy(copying c, const lw_node *node)
{
    return node && c.tree->st == LW_OK ? copy_within(&c, node, LW_TREE_DEPTH) : NULL;
}

lw_node *lw_tree_copy(lw_tree *tree, const lw_node *node)
{
    return copy((copying){ .tree = tree }, node);
}

lw_node *lw_tree_share(lw_tree *tree, const lw_node *node)
{
    return copy((copying){ .tree = tree, .shares = true }, node);
}

lw_node *lw_tree_share_without_nulls(lw_tree *tree, const lw_node *node)
{
    return copy((copying){ .tree = tree, .shares = true, .drops_nulls = true }, node);
}
