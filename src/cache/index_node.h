/* SPDX-License-Identifier: Apache-2.0 */
/* index_node.h -- the nodes of the index: shared while several refer to them, changed only by the
 * one who alone does. */
#ifndef LW_CACHE_INDEX_NODE_H
#define LW_CACHE_INDEX_NODE_H

#include <assert.h>
#include <stdint.h>

#include "base/ref.h"
#include "cache/index.h"

enum {
    LW_INDEX_FANOUT = 32, /* a copy takes a reference to so many objects */
};

struct lw_index_node {
    lw_ref refs;
    uint16_t count;  /* of objects or branches */
    uint16_t height; /* 0: a leaf */
};

typedef struct lw_index_leaf {
    lw_index_node node;
    lw_object *objects[LW_INDEX_FANOUT];
} lw_index_leaf;

typedef struct lw_index_branch {
    lw_index_node *child;
    const lw_object *first; /* of the child; lives as long as that */
    size_t total;           /* objects below */
} lw_index_branch;

typedef struct lw_index_inner {
    lw_index_node node;
    lw_index_branch branches[LW_INDEX_FANOUT];
} lw_index_inner;

static inline lw_index_leaf *lw_index_as_leaf(lw_index_node *node)
{
    assert(node->height == 0);
    return (lw_index_leaf *)(void *)node;
}

static inline lw_index_inner *lw_index_as_inner(lw_index_node *node)
{
    assert(node->height > 0);
    return (lw_index_inner *)(void *)node;
}

static inline const lw_index_leaf *lw_index_as_const_leaf(const lw_index_node *node)
{
    assert(node->height == 0);
    return (const lw_index_leaf *)(const void *)node;
}

static inline const lw_index_inner *lw_index_as_const_inner(const lw_index_node *node)
{
    assert(node->height > 0);
    return (const lw_index_inner *)(const void *)node;
}

/* A node with nothing in it, and one reference; NULL: no memory. */
lw_index_node *lw_index_node_new(unsigned height);

/* Gives a reference back. */
void lw_index_node_unref(lw_index_node *node);

/* Makes the node at |*slot| one that may be changed: itself, or a copy that takes its place.  NULL:
 * no memory, and nothing has changed. */
lw_index_node *lw_index_node_own(lw_index_node **slot);

/* Its first object, borrowed, and how many there are below it. */
const lw_object *lw_index_node_first(const lw_index_node *node);
size_t lw_index_node_total(const lw_index_node *node);

/* Those below change a node, which is the caller's alone and has room.
 *
 * Puts the entries of |from|, of the same height, behind or before its own; both refer to them. */
void lw_index_node_append(lw_index_node *to, lw_index_node *from);
void lw_index_node_prepend(lw_index_node *to, lw_index_node *from);

/* Moves the upper half of |node| to a new one; NULL: no memory. */
lw_index_node *lw_index_node_split(lw_index_node *node);

/* What a parent knows of |child|. */
lw_index_branch lw_index_branch_to(lw_index_node *child);
void lw_index_inner_insert(lw_index_inner *node, size_t at, lw_index_branch b);
void lw_index_inner_remove(lw_index_inner *node, size_t at);

#endif
