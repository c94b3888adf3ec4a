/* SPDX-License-Identifier: Apache-2.0 */
/* index.c -- the B+-tree of objects.
 *
 * Invariants: all leaves at one height; no node empty; of each child its parent knows the first
 * object and how many there are below; a node is changed only while nobody else refers to it, else
 * it is copied first (node_own).
 *
 * A change descends once, top-down.  On its way it copies what is shared and splits what is full;
 * each of these steps leaves a whole tree with the same objects, so memory may run out at any of
 * them.  The change itself, and the numbers on the path, come last and cannot fail.  Nodes that
 * have become small melt into a neighbour where both fit; that needs no memory. */
#include "cache/index.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/ref.h"
#include "base/str.h"
#include "object/object.h"

enum {
    FANOUT = 32,        /* a copy takes a reference to so many objects */
    SMALL = FANOUT / 4, /* below this a node looks for a neighbour to melt into */
    HEIGHT_MAX = 24,    /* far more than fits any memory */
};

struct lw_index_node {
    lw_ref refs;
    uint16_t count;  /* of objects or branches */
    uint16_t height; /* 0: a leaf */
};

typedef struct leaf {
    lw_index_node node;
    lw_object *objects[FANOUT];
} leaf;

typedef struct branch {
    lw_index_node *child;
    const lw_object *first; /* of the child; lives as long as that */
    size_t total;           /* objects below */
} branch;

typedef struct inner {
    lw_index_node node;
    branch branches[FANOUT];
} inner;

/* The way from the root to a leaf. */
typedef struct path {
    struct path_step {
        inner *node;
        size_t at; /* of the branch taken */
    } steps[HEIGHT_MAX];
    size_t count;
    leaf *leaf;
} path;

static leaf *as_leaf(lw_index_node *node)
{
    assert(node->height == 0);
    return (leaf *)(void *)node;
}

static inner *as_inner(lw_index_node *node)
{
    assert(node->height > 0);
    return (inner *)(void *)node;
}

static const leaf *as_const_leaf(const lw_index_node *node)
{
    assert(node->height == 0);
    return (const leaf *)(const void *)node;
}

static const inner *as_const_inner(const lw_index_node *node)
{
    assert(node->height > 0);
    return (const inner *)(const void *)node;
}

/* Compares the key of |obj| with |key| as if it were written out: <0, 0, >0. */
static int compare_key(const lw_index *index, const lw_object *obj, lw_str key)
{
    lw_str name = lw_object__field(obj, LW_OBJECT_NAME);
    if (!index->is_namespaced)
        return lw_str_compare(name, key);
    lw_str ns = lw_object__field(obj, LW_OBJECT_NAMESPACE);
    int order = lw_str_compare(ns, lw_str_make(key.ptr, key.len < ns.len ? key.len : ns.len));
    if (order != 0)
        return order;
    if (key.len == ns.len)
        return 1; /* the '/' is more */
    if (key.ptr[ns.len] != '/')
        return '/' < (unsigned char)key.ptr[ns.len] ? -1 : 1;
    return lw_str_compare(name, lw_str_skip(key, ns.len + 1));
}

/* The position of the first object whose key is not below |key|. */
static size_t leaf_lower_bound(const lw_index *index, const leaf *l, lw_str key)
{
    size_t low = 0, high = l->node.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (compare_key(index, l->objects[middle], key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The branch below which |key| is, if it is anywhere: the last that begins at or before it. */
static size_t inner_find(const lw_index *index, const inner *node, lw_str key)
{
    size_t low = 0, high = node->node.count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (compare_key(index, node->branches[middle].first, key) <= 0)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static lw_index_node *node_new(unsigned height)
{
    lw_index_node *node = lw_alloc(height == 0 ? sizeof(leaf) : sizeof(inner));
    if (!node)
        return NULL;
    lw_ref_init(&node->refs);
    node->count = 0;
    node->height = (uint16_t)height;
    return node;
}

/* Gives a reference back.  Recursion is as deep as the tree. */
static void node_unref(lw_index_node *node)
{
    if (!lw_ref_dec(&node->refs))
        return;
    for (size_t i = 0; i < node->count; i++) {
        if (node->height == 0)
            lw_object_unref(as_leaf(node)->objects[i]);
        else
            node_unref(as_inner(node)->branches[i].child);
    }
    lw_free(node);
}

/* True when only the caller refers to |node|.  What others did before they let go has happened. */
static bool node_is_own(lw_index_node *node)
{
    return atomic_load_explicit(&node->refs.count, memory_order_acquire) == 1;
}

/* Copies |count| entries of |from|, from |at| on, behind those of |to|, which has room and the same
 * height.  Both refer to them then. */
static void node_append(lw_index_node *to, lw_index_node *from, size_t at, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (to->height == 0) {
            lw_object *obj = as_leaf(from)->objects[at + i];
            as_leaf(to)->objects[to->count + i] = lw_object_ref(obj);
        } else {
            branch below = as_inner(from)->branches[at + i];
            lw_ref_inc(&below.child->refs);
            as_inner(to)->branches[to->count + i] = below;
        }
    }
    to->count = (uint16_t)(to->count + count);
}

/* Makes the node at |*slot| one that may be changed; NULL: no memory. */
static lw_index_node *node_own(lw_index_node **slot)
{
    lw_index_node *node = *slot;
    if (node_is_own(node))
        return node;
    lw_index_node *copy = node_new(node->height);
    if (!copy)
        return NULL;
    node_append(copy, node, 0, node->count);
    node_unref(node);
    *slot = copy;
    return copy;
}

static const lw_object *node_first(const lw_index_node *node)
{
    return node->height == 0 ? as_const_leaf(node)->objects[0]
                             : as_const_inner(node)->branches[0].first;
}

static size_t node_total(const lw_index_node *node)
{
    if (node->height == 0)
        return node->count;
    size_t total = 0;
    for (size_t i = 0; i < node->count; i++)
        total += as_const_inner(node)->branches[i].total;
    return total;
}

static branch branch_to(lw_index_node *child)
{
    return (branch){ .child = child, .first = node_first(child), .total = node_total(child) };
}

static void inner_insert(inner *node, size_t at, branch b)
{
    assert(node->node.count < FANOUT && at <= node->node.count);
    memmove(&node->branches[at + 1], &node->branches[at], (node->node.count - at) * sizeof(branch));
    node->branches[at] = b;
    node->node.count++;
}

static void inner_remove(inner *node, size_t at)
{
    node->node.count--;
    memmove(&node->branches[at], &node->branches[at + 1], (node->node.count - at) * sizeof(branch));
}

/* Moves the upper half of |child|, which is its owner's alone, to a new node. */
static lw_index_node *node_split(lw_index_node *child)
{
    lw_index_node *right = node_new(child->height);
    if (!right)
        return NULL;
    size_t kept = child->count / 2, moved = child->count - kept;
    if (child->height == 0)
        memcpy(as_leaf(right)->objects, as_leaf(child)->objects + kept,
               moved * sizeof(lw_object *));
    else
        memcpy(as_inner(right)->branches, as_inner(child)->branches + kept, moved * sizeof(branch));
    right->count = (uint16_t)moved;
    child->count = (uint16_t)kept;
    return right;
}

/* Splits the full child at |at|; |parent| has room. */
static lw_status split_child(inner *parent, size_t at)
{
    lw_index_node *child = parent->branches[at].child;
    lw_index_node *right = node_split(child);
    if (!right)
        return LW_ERR_NOMEM;
    parent->branches[at] = branch_to(child);
    inner_insert(parent, at + 1, branch_to(right));
    return LW_OK;
}

/* Puts a new root above the old one, which is full, and splits that. */
static lw_status grow_root(lw_index *index)
{
    lw_index_node *old = index->root;
    if (old->height + 1 >= HEIGHT_MAX)
        return LW_ERR_LIMIT;
    lw_index_node *root = node_new(old->height + 1U);
    if (!root)
        return LW_ERR_NOMEM;
    inner_insert(as_inner(root), 0, branch_to(old));
    lw_status st = split_child(as_inner(root), 0);
    if (st < 0)
        lw_free(root);
    else
        index->root = root;
    return st;
}

/* Goes down to the leaf of |key| and makes all nodes on the way changeable; where |has_room|, also
 * such that the leaf can take one more object. */
static lw_status descend(lw_index *index, lw_str key, bool has_room, path *way)
{
    lw_index_node *node = node_own(&index->root);
    if (!node)
        return LW_ERR_NOMEM;
    if (has_room && node->count == FANOUT) {
        lw_status st = grow_root(index);
        if (st < 0)
            return st;
        node = index->root;
    }
    way->count = 0;
    while (node->height > 0) {
        inner *parent = as_inner(node);
        size_t at = inner_find(index, parent, key);
        node = node_own(&parent->branches[at].child);
        if (!node)
            return LW_ERR_NOMEM;
        if (has_room && node->count == FANOUT) {
            lw_status st = split_child(parent, at);
            if (st < 0)
                return st;
            at = inner_find(index, parent, key);
            node = parent->branches[at].child;
        }
        way->steps[way->count++] = (struct path_step){ parent, at };
    }
    way->leaf = as_leaf(node);
    return LW_OK;
}

/* Brings the numbers and first objects on the way up to date. */
static void update_way(path *way, ptrdiff_t grown)
{
    for (size_t i = way->count; i > 0; i--) {
        branch *b = &way->steps[i - 1].node->branches[way->steps[i - 1].at];
        b->total = (size_t)((ptrdiff_t)b->total + grown);
        b->first = node_first(b->child);
    }
}

void lw_index_init(lw_index *index, bool is_namespaced)
{
    *index = (lw_index){ .is_namespaced = is_namespaced };
}

void lw_index_done(lw_index *index)
{
    if (index->root)
        node_unref(index->root);
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
    return index->root ? node_total(index->root) : 0;
}

lw_status lw_index_put(lw_index *index, lw_str key, const lw_object *obj, lw_object **replaced)
{
    assert(lw_index_has_key(index, obj, key));
    path way;
    if (!index->root && !(index->root = node_new(0)))
        return LW_ERR_NOMEM;
    lw_status st = descend(index, key, true, &way);
    if (st < 0)
        return st;
    leaf *l = way.leaf;
    size_t at = leaf_lower_bound(index, l, key);
    bool is_new = at == l->node.count || compare_key(index, l->objects[at], key) != 0;
    *replaced = NULL;
    if (is_new) {
        memmove(&l->objects[at + 1], &l->objects[at], (l->node.count - at) * sizeof(lw_object *));
        l->node.count++;
    } else {
        *replaced = l->objects[at];
    }
    l->objects[at] = lw_object_ref(obj);
    update_way(&way, is_new);
    return LW_OK;
}

/* Puts the entries of |left| before those of |node|, which is the caller's alone and has room. */
static void node_prepend(lw_index_node *node, lw_index_node *left)
{
    uint16_t count = node->count;
    if (node->height == 0)
        memmove(as_leaf(node)->objects + left->count, as_leaf(node)->objects,
                count * sizeof(lw_object *));
    else
        memmove(as_inner(node)->branches + left->count, as_inner(node)->branches,
                count * sizeof(branch));
    node->count = 0;
    node_append(node, left, 0, left->count);
    node->count = (uint16_t)(node->count + count);
}

/* Melts a neighbour of the small child at |at| into it, if both fit one node. */
static void melt_neighbour(inner *parent, size_t at)
{
    lw_index_node *child = parent->branches[at].child;
    if (at + 1 < parent->node.count) {
        lw_index_node *right = parent->branches[at + 1].child;
        if (child->count + right->count <= FANOUT) {
            node_append(child, right, 0, right->count);
            inner_remove(parent, at + 1);
            parent->branches[at] = branch_to(child);
            node_unref(right);
            return;
        }
    }
    if (at > 0) {
        lw_index_node *left = parent->branches[at - 1].child;
        if (child->count + left->count <= FANOUT) {
            node_prepend(child, left);
            inner_remove(parent, at - 1);
            parent->branches[at - 1] = branch_to(child);
            node_unref(left);
        }
    }
}

/* After a removal: numbers right, no node empty, small ones melted. */
static void tidy_way(lw_index *index, path *way)
{
    for (size_t i = way->count; i > 0; i--) {
        inner *parent = way->steps[i - 1].node;
        size_t at = way->steps[i - 1].at;
        lw_index_node *child = parent->branches[at].child;
        if (child->count == 0) {
            inner_remove(parent, at);
            node_unref(child);
            continue;
        }
        parent->branches[at].total--;
        parent->branches[at].first = node_first(child);
        if (child->count < SMALL)
            melt_neighbour(parent, at);
    }
    if (index->root->count == 0)
        lw_index_done(index);
    while (index->root && index->root->height > 0 && index->root->count == 1) {
        lw_index_node *root = index->root;
        index->root = as_inner(root)->branches[0].child;
        lw_ref_inc(&index->root->refs);
        node_unref(root);
    }
}

lw_status lw_index_remove(lw_index *index, lw_str key, lw_object **removed)
{
    path way;
    if (!lw_index_find(index, key))
        return LW_ERR_NOT_FOUND; /* and nothing is copied for it */
    lw_status st = descend(index, key, false, &way);
    if (st < 0)
        return st;
    leaf *l = way.leaf;
    size_t at = leaf_lower_bound(index, l, key);
    *removed = l->objects[at];
    l->node.count--;
    memmove(&l->objects[at], &l->objects[at + 1], (l->node.count - at) * sizeof(lw_object *));
    tidy_way(index, &way);
    return LW_OK;
}

/* The leaf of |key|, and how many objects come before it; NULL when the index is empty. */
static const leaf *find_leaf(const lw_index *index, lw_str key, size_t *before)
{
    const lw_index_node *node = index->root;
    *before = 0;
    while (node && node->height > 0) {
        const inner *parent = as_const_inner(node);
        size_t at = inner_find(index, parent, key);
        for (size_t i = 0; i < at; i++)
            *before += parent->branches[i].total;
        node = parent->branches[at].child;
    }
    return node ? as_const_leaf(node) : NULL;
}

const lw_object *lw_index_find(const lw_index *index, lw_str key)
{
    size_t before;
    const leaf *l = find_leaf(index, key, &before);
    if (!l)
        return NULL;
    size_t at = leaf_lower_bound(index, l, key);
    bool is_found = at < l->node.count && compare_key(index, l->objects[at], key) == 0;
    return is_found ? l->objects[at] : NULL;
}

size_t lw_index_rank(const lw_index *index, lw_str key)
{
    size_t before;
    const leaf *l = find_leaf(index, key, &before);
    return l ? before + leaf_lower_bound(index, l, key) : 0;
}

lw_index_cursor lw_index_seek(const lw_index *index, size_t rank)
{
    lw_index_cursor cursor = { .rank = rank };
    const lw_index_node *node = index->root;
    size_t left = rank;
    while (node && node->height > 0) {
        const inner *parent = as_const_inner(node);
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
    return as_const_leaf(cursor->leaf)->objects[cursor->at++];
}

bool lw_index_has_key(const lw_index *index, const lw_object *obj, lw_str key)
{
    return compare_key(index, obj, key) == 0;
}

static bool node_check(const lw_index *index, const lw_index_node *node, bool is_root)
{
    if (node->count == 0 || node->count > FANOUT || (is_root && node->height && node->count < 2))
        return false;
    if (node->height == 0)
        return true;
    const inner *parent = as_const_inner(node);
    for (size_t i = 0; i < node->count; i++) {
        const branch *b = &parent->branches[i];
        if (b->child->height + 1 != node->height || b->first != node_first(b->child) ||
            b->total != node_total(b->child) || !node_check(index, b->child, false))
            return false;
    }
    return true;
}

bool lw_index_check(const lw_index *index)
{
    return !index->root || node_check(index, index->root, true);
}
