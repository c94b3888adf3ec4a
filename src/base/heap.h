/* SPDX-License-Identifier: Apache-2.0 */
/* heap.h -- intrusive priority queue: the node is in the item and knows its place, so any item is
 * removed or re-ordered in O(log n).
 *
 * Equal items leave in any order; if that matters, |less| must break ties (e.g. with a sequence
 * number).  The heap owns only its array of pointers.  Threads: one at a time. */
#ifndef LW_BASE_HEAP_H
#define LW_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>

#include <listwatch/error.h>

/* Starts zeroed. */
typedef struct lw_heap_node {
    size_t place; /* index in the heap + 1; 0: not in a heap */
} lw_heap_node;

/* Returns true if |a| leaves before |b|.  Must be a strict order and not use the heap. */
typedef bool (*lw_heap_less)(const lw_heap_node *a, const lw_heap_node *b, void *arg);

typedef struct lw_heap {
    lw_heap_node **nodes;
    size_t count;
    size_t slots;
    size_t limit;
    lw_heap_less less;
    void *arg;
} lw_heap;

/* Returns the item of |type| whose |member| is |node| (not NULL). */
#define LW_HEAP_ITEM(node, type, member) ((type *)lw_heap__item((node), offsetof(type, member)))
#define LW_HEAP_CONST_ITEM(node, type, member)                                                     \
    ((const type *)lw_heap__const_item((node), offsetof(type, member)))

static inline void *lw_heap__item(lw_heap_node *node, size_t offset)
{
    return (char *)node - offset;
}

static inline const void *lw_heap__const_item(const lw_heap_node *node, size_t offset)
{
    return (const char *)node - offset;
}

/* Initialises an empty heap of at most |limit| nodes, ordered by |less|, which gets |arg|; does not
 * allocate. */
void lw_heap_init(lw_heap *heap, size_t limit, lw_heap_less less, void *arg);

/* Frees the array.  Nodes in the heap are not touched.  Initialise it before the next use. */
void lw_heap_done(lw_heap *heap);

/* Adds |node|, which must not be in a heap.  LW_ERR_LIMIT if the heap is full, LW_ERR_NOMEM; then
 * nothing changes. */
LW_MUST_CHECK lw_status lw_heap_push(lw_heap *heap, lw_heap_node *node);

/* Returns the first node without removing it, or NULL. */
static inline lw_heap_node *lw_heap_top(const lw_heap *heap)
{
    return heap->count > 0 ? heap->nodes[0] : NULL;
}

/* Removes and returns the first node; NULL if the heap is empty. */
lw_heap_node *lw_heap_pop(lw_heap *heap);

/* Removes |node|, which is in |heap|. */
void lw_heap_remove(lw_heap *heap, lw_heap_node *node);

/* Restores the order after the key of |node|, which is in |heap|, has changed.  Only one node at a
 * time: change, update, then change the next. */
void lw_heap_update(lw_heap *heap, lw_heap_node *node);

static inline size_t lw_heap_count(const lw_heap *heap)
{
    return heap->count;
}

/* Returns true if |node| is in a heap. */
static inline bool lw_heap_node_is_in(const lw_heap_node *node)
{
    return node->place != 0;
}

/* Returns true if the heap is consistent; O(n), for tests. */
bool lw_heap_check(const lw_heap *heap);

#endif
