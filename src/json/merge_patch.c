/* SPDX-License-Identifier: Apache-2.0 */
/* merge_patch.c -- JSON Merge Patch: RFC 7386 §2, MergePatch(Target, Patch). */
#include "json/merge_patch.h"

#include "json/node.h"

/* |depth| is how deep the patch may still nest. */
static lw_node *merge(lw_tree *tree, lw_node *target, const lw_node *patch, unsigned depth)
{
    if (!lw_node_is(patch, LW_JSON_OBJECT))
        return lw_tree_copy(tree, patch);
    if (depth == 0) {
        lw_tree__fail(tree, LW_ERR_LIMIT);
        return NULL;
    }
    if (!lw_node_is(target, LW_JSON_OBJECT))
        target = lw_tree_object(tree);
    size_t count = lw_node_count(patch);
    for (size_t i = 0; i < count && lw_tree_status(tree) == LW_OK; i++) {
        lw_str key = lw_node_key_at(patch, i);
        const lw_node *value = lw_node_at(patch, i);
        if (lw_node_is(value, LW_JSON_NULL))
            (void)lw_node_remove(target, key);
        else
            lw_node_put(tree, target, key, merge(tree, lw_node_get(target, key), value, depth - 1));
    }
    return target;
}

lw_node *lw_json_merge_patch(lw_tree *tree, lw_node *target, const lw_node *patch)
{
    return merge(tree, target, patch, LW_TREE_DEPTH);
}
