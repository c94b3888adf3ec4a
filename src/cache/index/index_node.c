/* SPDX-License-Identifier: Apache-2.0 */
/* index_node.c -- creates, shares, copies and splits the nodes of the index. */
#include "cache/index/index_node.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"

lw_index_node *lw_index_node_new(unsigned height)
{
    lw_index_node *node = lw_alloc(height == 0 ? sizeof(lw_index_leaf) : sizeof(lw_index_inner));
    if (!node)
        return NULL;
    lw_ref_init(&node->refs);
    node->count = 0;
    node->height = (uint16_t)height;
    return node;
}

/* The recursion is as deep as the tree. */
void lw_index_node_unref(lw_index_node *node)
{
    if (!lw_ref_dec(&node->refs))
        return;
    for (size_t i = 0; i < node->count; i++) {
        if (node->height == 0)
            lw_object_unref(lw_index_as_leaf(node)->objects[i]);
        else
            lw_index_node_unref(lw_index_as_inner(node)->branches[i].child);
    }
    lw_free(node);
}

/* Returns true if only the caller refers to |node|.  What other holders did before they dropped
 * their references is then visible. */
static bool node_is_own(lw_index_node *node)
{
    return atomic_load_explicit(&node->refs.count, memory_order_acquire) == 1;
}

void lw_index_node_append(lw_index_node *to, lw_index_node *from)
{
    for (size_t i = 0; i < from->count; i++) {
        if (to->height == 0) {
            lw_object *obj = lw_index_as_leaf(from)->objects[i];
            lw_index_as_leaf(to)->objects[to->count + i] = lw_object_ref(obj);
        } else {
            lw_index_branch below = lw_index_as_inner(from)->branches[i];
            lw_ref_inc(&below.child->refs);
            lw_index_as_inner(to)->branches[to->count + i] = below;
        }
    }
    to->count = (uint16_t)(to->count + from->count);
}

lw_index_node *lw_index_node_own(lw_index_node **slot)
{
    lw_index_node *node = *slot;
    if (node_is_own(node))
        return node;
    lw_index_node *copy = lw_index_node_new(node->height);
    if (!copy)
        return NULL;
    lw_index_node_append(copy, node);
    lw_index_node_unref(node);
    *slot = copy;
    return copy;
}

const lw_object *lw_index_node_first(const lw_index_node *node)
{
    return node->height == 0 ? lw_index_as_const_leaf(node)->objects[0]
                             : lw_index_as_const_inner(node)->branches[0].first;
}

size_t lw_index_node_total(const lw_index_node *node)
{
    if (node->height == 0)
        return node->count;
    size_t total = 0;
    for (size_t i = 0; i < node->count; i++)
        total += lw_index_as_const_inner(node)->branches[i].total;
    return total;
}

lw_index_branch lw_index_branch_to(lw_index_node *child)
{
    return (lw_index_branch){ .child = child,
                              .first = lw_index_node_first(child),
                              .total = lw_index_node_total(child) };
}

void lw_index_inner_insert(lw_index_inner *node, size_t at, lw_index_branch b)
{
    assert(node->node.count < LW_INDEX_FANOUT && at <= node->node.count);
    memmove(&node->branches[at + 1], &node->branches[at],
            (node->node.count - at) * sizeof(lw_index_branch));
    node->branches[at] = b;
    node->node.count++;
}

void lw_index_inner_remove(lw_index_inner *node, size_t at)
{
    node->node.count--;
    memmove(&node->branches[at], &node->branches[at + 1],
            (node->node.count - at) * sizeof(lw_index_branch));
}

lw_index_node *lw_index_node_split(lw_index_node *child)
{
    lw_index_node *right = lw_index_node_new(child->height);
    if (!right)
        return NULL;
    size_t kept = child->count / 2, moved = child->count - kept;
    if (child->height == 0)
        memcpy(lw_index_as_leaf(right)->objects, lw_index_as_leaf(child)->objects + kept,
               moved * sizeof(lw_object *));
    else
        memcpy(lw_index_as_inner(right)->branches, lw_index_as_inner(child)->branches + kept,
               moved * sizeof(lw_index_branch));
    right->count = (uint16_t)moved;
    child->count = (uint16_t)kept;
    return right;
}

void lw_index_node_prepend(lw_index_node *to, lw_index_node *from)
{
    uint16_t count = to->count;
    if (to->height == 0)
        memmove(lw_index_as_leaf(to)->objects + from->count, lw_index_as_leaf(to)->objects,
                count * sizeof(lw_object *));
    else
        memmove(lw_index_as_inner(to)->branches + from->count, lw_index_as_inner(to)->branches,
                count * sizeof(lw_index_branch));
    to->count = 0;
    lw_index_node_append(to, from);
    to->count = (uint16_t)(to->count + count);
}
