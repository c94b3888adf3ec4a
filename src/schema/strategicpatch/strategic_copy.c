/* SPDX-License-Identifier: Apache-2.0 */
/* strategic_copy.c -- copies without directives.  The recursion is as deep as the patch: at most
 * LW_TREE_DEPTH. */
#include "schema/strategicpatch/strategic_copy.h"

#include "base/str.h"
#include "schema/strategicpatch/strategic_run.h"

bool lw_strategic__is_directive(lw_str name)
{
    if (name.len == 0 || name.ptr[0] != '$')
        return false;
    return lw_str_equal(name, LW_PATCH_DIRECTIVE) || lw_str_equal(name, LW_RETAIN_KEYS) ||
           lw_str_starts_with(name, LW_DELETE_FROM_LIST) ||
           lw_str_starts_with(name, LW_SET_ELEMENT_ORDER);
}

/* True if the whole map is a directive.  Where null members are omitted, "$patch": null is not
 * one. */
static bool is_marked(const lw_node *node, lw_strategic_copy how)
{
    const lw_node *mark = lw_node_get(node, LW_PATCH_DIRECTIVE);
    return mark && how != LW_COPY_PLAIN &&
           !(how == LW_COPY_NEW_VALUE && lw_node_is(mark, LW_JSON_NULL));
}

static lw_node *copy_map(lw_tree *tree, const lw_node *node, lw_strategic_copy how)
{
    if (is_marked(node, how))
        return NULL;
    lw_node *copy = lw_tree_object(tree);
    for (size_t i = 0; i < lw_node_count(node) && lw_tree_status(tree) == LW_OK; i++) {
        lw_str name = lw_node_key_at(node, i);
        const lw_node *value = lw_node_at(node, i);
        bool is_dropped = how == LW_COPY_NEW_VALUE && lw_node_is(value, LW_JSON_NULL);
        if (!is_dropped && !lw_strategic__is_directive(name))
            lw_node_put(tree, copy, name, lw_strategic__copy(tree, value, how));
    }
    return copy;
}

static lw_node *copy_list(lw_tree *tree, const lw_node *node, lw_strategic_copy how)
{
    lw_node *copy = lw_tree_array(tree);
    for (size_t i = 0; i < lw_node_count(node) && lw_tree_status(tree) == LW_OK; i++)
        lw_node_append(tree, copy, lw_strategic__copy(tree, lw_node_at(node, i), how));
    return copy;
}

lw_node *lw_strategic__copy(lw_tree *tree, const lw_node *node, lw_strategic_copy how)
{
    switch (lw_node_type(node)) {
    case LW_JSON_OBJECT: return copy_map(tree, node, how);
    case LW_JSON_ARRAY: return copy_list(tree, node, how);
    default: return lw_tree_copy(tree, node);
    }
}
