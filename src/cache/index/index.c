/* SPDX-License-Identifier: Apache-2.0 */
/* index.c -- the B+-tree of objects.
 *
 * Invariants: all leaves have the same height; no node is empty; a parent stores the first object
 * of each child and the number of objects below it; a node is changed only while it has one
 * reference, otherwise it is copied first (lw_index_node_own).
 *
 * A change descends once from the root.  On the way it copies shared nodes and splits full ones.
 * Each of these steps leaves a valid tree with the same objects, so memory may run out at any of
 * them.  The change itself and the update of the counts on the path come last and cannot fail.  A
 * node that has become small is merged into a neighbour if both fit; that needs no memory. */
#include "cache/index/index.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "cache/index/index_node.h"
#include "object/object.h"

enum {
    SMALL = LW_INDEX_FANOUT / 4, /* a node with fewer entries is merged into a neighbour */
    HEIGHT_MAX = 24,             /* more than any memory can hold */
};

/* The path from the root to a leaf. */
typedef struct path {
    struct path_step {
        lw_index_inner *node;
        size_t at; /* position of the branch taken */
    } steps[HEIGHT_MAX];
    size_t count;
    lw_index_leaf *leaf;
    bool is_last; /* the key is greater than all in the index, as when a list is loaded */
} path;

/* Without writing the key out. */
int lw_index_compare(const lw_index *index, const lw_object *obj, lw_str key)
{
    lw_str name = lw_object__field(obj, LW_OBJECT_NAME);
    if (!index->is_namespaced)
        return lw_str_compare(name, key);
    lw_str ns = lw_object__field(obj, LW_OBJECT_NAMESPACE);
    int order = lw_str_compare(ns, lw_str_make(key.ptr, key.len < ns.len ? key.len : ns.len));
    if (order != 0)
        return order;
    if (key.len == ns.len)
        return 1; /* the key of |obj| continues with '/' */
    if (key.ptr[ns.len] != '/')
        return '/' < (unsigned char)key.ptr[ns.len] ? -1 : 1;
    return lw_str_compare(name, lw_str_skip(key, ns.len + 1));
}

/* Returns the position of the first object whose key is not less than |key|. */
static size_t leaf_lower_bound(const lw_index *index, const lw_index_leaf *l, lw_str key)
{
    size_t low = 0, high = l->node.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (lw_index_compare(index, l->objects[middle], key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the branch that contains |key| if the index has it: the last one that begins at or before
 * |key|. */
static size_t inner_find(const lw_index *index, const lw_index_inner *node, lw_str key)
{
    size_t low = 0, high = node->node.count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (lw_index_compare(index, node->branches[middle].first, key) <= 0)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Returns true if |key| is greater than the key of each object. */
static bool is_after_all(const lw_index *index, lw_str key)
{
    const lw_index_node *node = index->root;
    while (node->height > 0)
        node = lw_index_as_const_inner(node)->branches[node->count - 1].child;
    return node->count > 0 &&
           lw_index_compare(index, lw_index_as_const_leaf(node)->objects[node->count - 1], key) < 0;
}

/* As inner_find; |way| may know it. */
static size_t branch_to(const lw_index *index, const lw_index_inner *node, lw_str key,
                        const path *way)
{
    return way->is_last ? node->node.count - 1U : inner_find(index, node, key);
}

/* Splits the full child at |at|; |parent| has a free slot. */
static lw_status split_child(lw_index_inner *parent, size_t at)
{
    lw_index_node *child = parent->branches[at].child;
    lw_index_node *right = lw_index_node_split(child);
    if (!right)
        return LW_ERR_NOMEM;
    parent->branches[at] = lw_index_branch_to(child);
    lw_index_inner_insert(parent, at + 1, lw_index_branch_to(right));
    return LW_OK;
}

/* Adds a new root above the old one, which is full, and splits the old one. */
static lw_status grow_root(lw_index *index)
{
    lw_index_node *old = index->root;
    if (old->height + 1 >= HEIGHT_MAX)
        return LW_ERR_LIMIT;
    lw_index_node *root = lw_index_node_new(old->height + 1U);
    if (!root)
        return LW_ERR_NOMEM;
    lw_index_inner_insert(lw_index_as_inner(root), 0, lw_index_branch_to(old));
    lw_status st = split_child(lw_index_as_inner(root), 0);
    if (st < 0)
        lw_free(root);
    else
        index->root = root;
    return st;
}

/* Descends to the leaf of |key| and makes all nodes on the path writable.  If |has_room|, it also
 * splits full nodes so that the leaf can take one more object. */
static lw_status descend(lw_index *index, lw_str key, bool has_room, path *way)
{
    lw_index_node *node = lw_index_node_own(&index->root);
    if (!node)
        return LW_ERR_NOMEM;
    if (has_room && node->count == LW_INDEX_FANOUT) {
        lw_status st = grow_root(index);
        if (st < 0)
            return st;
        node = index->root;
    }
    way->count = 0;
    while (node->height > 0) {
        lw_index_inner *parent = lw_index_as_inner(node);
        size_t at = branch_to(index, parent, key, way);
        node = lw_index_node_own(&parent->branches[at].child);
        if (!node)
            return LW_ERR_NOMEM;
        if (has_room && node->count == LW_INDEX_FANOUT) {
            lw_status st = split_child(parent, at);
            if (st < 0)
                return st;
            at = branch_to(index, parent, key, way);
            node = parent->branches[at].child;
        }
        way->steps[way->count++] = (struct path_step){ parent, at };
    }
    way->leaf = lw_index_as_leaf(node);
    return LW_OK;
}

/* Updates the counts and first objects on the path. */
static void update_path(path *way, ptrdiff_t grown)
{
    for (size_t i = way->count; i > 0; i--) {
        lw_index_branch *b = &way->steps[i - 1].node->branches[way->steps[i - 1].at];
        b->total = (size_t)((ptrdiff_t)b->total + grown);
        b->first = lw_index_node_first(b->child);
    }
}

void lw_index_init(lw_index *index, bool is_namespaced)
{
    *index = (lw_index){ .is_namespaced = is_namespaced };
}

void lw_index_done(lw_index *index)
{
    if (index->root)
        lw_index_node_unref(index->root);
    index->root = NULL;
}

lw_index lw_index_snapshot(const lw_index *index)
{
    if (index->root)
        lw_ref_inc(&index->root->refs);
    return *index;
}

size_t lw_index_count(const lw_index *index)
{
    return index->root ? lw_index_node_total(index->root) : 0;
}

lw_status lw_index_put(lw_index *index, lw_str key, const lw_object *obj, lw_object **replaced)
{
    assert(lw_index_has_key(index, obj, key));
    path way;
    if (!index->root && !(index->root = lw_index_node_new(0)))
        return LW_ERR_NOMEM;
    way.is_last = is_after_all(index, key);
    lw_status st = descend(index, key, true, &way);
    if (st < 0)
        return st;
    lw_index_leaf *l = way.leaf;
    size_t at = way.is_last ? l->node.count : leaf_lower_bound(index, l, key);
    bool is_new = at == l->node.count || lw_index_compare(index, l->objects[at], key) != 0;
    *replaced = NULL;
    if (is_new) {
        memmove(&l->objects[at + 1], &l->objects[at], (l->node.count - at) * sizeof(lw_object *));
        l->node.count++;
    } else {
        *replaced = l->objects[at];
    }
    l->objects[at] = lw_object_ref(obj);
    update_path(&way, is_new);
    return LW_OK;
}

/* Merges a neighbour into the small child at |at| if both fit into one node. */
static void merge_neighbour(lw_index_inner *parent, size_t at)
{
    lw_index_node *child = parent->branches[at].child;
    if (at + 1 < parent->node.count) {
        lw_index_node *right = parent->branches[at + 1].child;
        if (child->count + right->count <= LW_INDEX_FANOUT) {
            lw_index_node_append(child, right);
            lw_index_inner_remove(parent, at + 1);
            parent->branches[at] = lw_index_branch_to(child);
            lw_index_node_unref(right);
            return;
        }
    }
    if (at > 0) {
        lw_index_node *left = parent->branches[at - 1].child;
        if (child->count + left->count <= LW_INDEX_FANOUT) {
            lw_index_node_prepend(child, left);
            lw_index_inner_remove(parent, at - 1);
            parent->branches[at - 1] = lw_index_branch_to(child);
            lw_index_node_unref(left);
        }
    }
}

/* After a removal: updates the counts, removes an empty node and merges small ones. */
static void rebalance_path(lw_index *index, path *way)
{
    for (size_t i = way->count; i > 0; i--) {
        lw_index_inner *parent = way->steps[i - 1].node;
        size_t at = way->steps[i - 1].at;
        lw_index_node *child = parent->branches[at].child;
        if (child->count == 0) {
            lw_index_inner_remove(parent, at);
            lw_index_node_unref(child);
            continue;
        }
        parent->branches[at].total--;
        parent->branches[at].first = lw_index_node_first(child);
        if (child->count < SMALL)
            merge_neighbour(parent, at);
    }
    if (index->root->count == 0)
        lw_index_done(index);
    while (index->root && index->root->height > 0 && index->root->count == 1) {
        lw_index_node *root = index->root;
        index->root = lw_index_as_inner(root)->branches[0].child;
        lw_ref_inc(&index->root->refs);
        lw_index_node_unref(root);
    }
}

lw_status lw_index_remove(lw_index *index, lw_str key, lw_object **removed)
{
    path way = { .is_last = false };
    if (!lw_index_find(index, key))
        return LW_ERR_NOT_FOUND; /* nothing was copied */
    lw_status st = descend(index, key, false, &way);
    if (st < 0)
        return st;
    lw_index_leaf *l = way.leaf;
    size_t at = leaf_lower_bound(index, l, key);
    *removed = l->objects[at];
    l->node.count--;
    memmove(&l->objects[at], &l->objects[at + 1], (l->node.count - at) * sizeof(lw_object *));
    rebalance_path(index, &way);
    return LW_OK;
}

/* Returns the leaf of |key| and sets |*before| to the number of objects before it; NULL if the
 * index is empty. */
static const lw_index_leaf *find_leaf(const lw_index *index, lw_str key, size_t *before)
{
    const lw_index_node *node = index->root;
    *before = 0;
    while (node && node->height > 0) {
        const lw_index_inner *parent = lw_index_as_const_inner(node);
        size_t at = inner_find(index, parent, key);
        for (size_t i = 0; i < at; i++)
            *before += parent->branches[i].total;
        node = parent->branches[at].child;
    }
    return node ? lw_index_as_const_leaf(node) : NULL;
}

const lw_object *lw_index_find(const lw_index *index, lw_str key)
{
    size_t before;
    const lw_index_leaf *l = find_leaf(index, key, &before);
    if (!l)
        return NULL;
    size_t at = leaf_lower_bound(index, l, key);
    bool is_found = at < l->node.count && lw_index_compare(index, l->objects[at], key) == 0;
    return is_found ? l->objects[at] : NULL;
}

size_t lw_index_rank(const lw_index *index, lw_str key)
{
    size_t before;
    const lw_index_leaf *l = find_leaf(index, key, &before);
    return l ? before + leaf_lower_bound(index, l, key) : 0;
}

lw_index_cursor lw_index_seek(const lw_index *index, size_t rank)
{
    lw_index_cursor cursor = { .rank = rank };
    const lw_index_node *node = index->root;
    size_t left = rank;
    while (node && node->height > 0) {
        const lw_index_inner *parent = lw_index_as_const_inner(node);
        size_t at = 0;
        while (at + 1U < node->count && left >= parent->branches[at].total)
            left -= parent->branches[at++].total;
        node = parent->branches[at].child;
    }
    cursor.leaf = node;
    cursor.at = left;
    return cursor;
}

const lw_object *lw_index_next(const lw_index *index, lw_index_cursor *cursor)
{
    if (cursor->leaf && cursor->at >= cursor->leaf->count)
        *cursor = lw_index_seek(index, cursor->rank);
    if (!cursor->leaf || cursor->at >= cursor->leaf->count)
        return NULL;
    cursor->rank++;
    return lw_index_as_const_leaf(cursor->leaf)->objects[cursor->at++];
}

bool lw_index_has_key(const lw_index *index, const lw_object *obj, lw_str key)
{
    return lw_index_compare(index, obj, key) == 0;
}

static bool node_check(const lw_index *index, const lw_index_node *node, bool is_root)
{
    if (node->count == 0 || node->count > LW_INDEX_FANOUT ||
        (is_root && node->height && node->count < 2))
        return false;
    if (node->height == 0)
        return true;
    const lw_index_inner *parent = lw_index_as_const_inner(node);
    for (size_t i = 0; i < node->count; i++) {
        const lw_index_branch *b = &parent->branches[i];
        if (b->child->height + 1 != node->height || b->first != lw_index_node_first(b->child) ||
            b->total != lw_index_node_total(b->child) || !node_check(index, b->child, false))
            return false;
    }
    return true;
}

bool lw_index_check(const lw_index *index)
{
    return !index->root || node_check(index, index->root, true);
}
