/* SPDX-License-Identifier: Apache-2.0 */
/* index_node.h -- the nodes of the index.  A node with several references is shared and immutable;
 * only the holder of the single reference may change it. */
#ifndef LW_CACHE_INDEX_NODE_H
#define LW_CACHE_INDEX_NODE_H

#include <assert.h>
#include <stdint.h>

#include "base/ref.h"
#include "cache/index/index.h"

enum {
    LW_INDEX_FANOUT = 32, /* a copy of a node takes this many references */
};

struct lw_index_node {
    lw_ref refs;
    uint16_t count;  /* number of objects or branches */
    uint16_t height; /* 0: a leaf */
};

typedef struct lw_index_leaf {
    lw_index_node node;
    lw_object *objects[LW_INDEX_FANOUT];
} lw_index_leaf;

typedef struct lw_index_branch {
    lw_index_node *child;
    const lw_object *first; /* first object below |child|; valid as long as |child| */
    size_t total;           /* number of objects below |child| */
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

/* Returns an empty node with one reference; NULL: out of memory. */
lw_index_node *lw_index_node_new(unsigned height);

/* Drops a reference. */
void lw_index_node_unref(lw_index_node *node);

/* Makes the node at |*slot| writable: keeps it, or replaces it by a copy.  NULL: out of memory, and
 * nothing has changed. */
lw_index_node *lw_index_node_own(lw_index_node **slot);

/* Return the first object below |node|, borrowed, and the number of objects below it. */
const lw_object *lw_index_node_first(const lw_index_node *node);
size_t lw_index_node_total(const lw_index_node *node);

/* The functions below change a node that has one reference, the caller's, and enough free slots.
 *
 * Add the entries of |from|, which has the same height, after or before those of |to|; both nodes
 * then refer to them. */
void lw_index_node_append(lw_index_node *to, lw_index_node *from);
void lw_index_node_prepend(lw_index_node *to, lw_index_node *from);

/* Moves the upper half of |node| to a new node; NULL: out of memory. */
lw_index_node *lw_index_node_split(lw_index_node *node);

/* Returns the branch that a parent stores for |child|. */
lw_index_branch lw_index_branch_to(lw_index_node *child);
void lw_index_inner_insert(lw_index_inner *node, size_t at, lw_index_branch b);
void lw_index_inner_remove(lw_index_inner *node, size_t at);

#endif
