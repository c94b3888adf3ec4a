/* SPDX-License-Identifier: Apache-2.0 */
/* heap.c -- a heap with four children per node: half the levels of a binary heap, and siblings
 * share a cache line. Invariant: no node leaves before its parent, and nodes[i]->place == i + 1. */
#include "base/heap.h"

#include <assert.h>

#include "base/alloc.h"

enum {
    CHILDREN = 4,
    FEWEST_SLOTS = 8,
};

void lw_heap_init(lw_heap *heap, size_t limit, lw_heap_less less, void *arg)
{
    *heap = (lw_heap){ .limit = limit, .less = less, .arg = arg };
}

void lw_heap_done(lw_heap *heap)
{
    lw_free(heap->nodes);
    heap->nodes = NULL;
    heap->count = 0;
    heap->slots = 0;
}

static void heap_set(lw_heap *heap, size_t at, lw_heap_node *node)
{
    heap->nodes[at] = node;
    node->place = at + 1;
}

/* Puts |node| at |at| or higher, moving down the parents that leave after it. */
static void heap_sift_up(lw_heap *heap, size_t at, lw_heap_node *node)
{
    while (at > 0) {
        size_t parent = (at - 1) / CHILDREN;
        if (!heap->less(node, heap->nodes[parent], heap->arg))
            break;
        heap_set(heap, at, heap->nodes[parent]);
        at = parent;
    }
    heap_set(heap, at, node);
}

/* Returns the child of |at| that is popped first; count if it has none. */
static size_t first_child(const lw_heap *heap, size_t at)
{
    size_t child = at * CHILDREN + 1;
    if (child >= heap->count)
        return heap->count;
    size_t end = child + CHILDREN < heap->count ? child + CHILDREN : heap->count;
    size_t best = child;
    for (child++; child < end; child++) {
        if (heap->less(heap->nodes[child], heap->nodes[best], heap->arg))
            best = child;
    }
    return best;
}

/* Puts |node| at |at| or lower, moving up the children that leave before it. */
static void heap_sift_down(lw_heap *heap, size_t at, lw_heap_node *node)
{
    size_t child;
    while ((child = first_child(heap, at)) < heap->count) {
        if (!heap->less(heap->nodes[child], node, heap->arg))
            break;
        heap_set(heap, at, heap->nodes[child]);
        at = child;
    }
    heap_set(heap, at, node);
}

static void heap_restore(lw_heap *heap, size_t at, lw_heap_node *node)
{
    if (at > 0 && heap->less(node, heap->nodes[(at - 1) / CHILDREN], heap->arg))
        heap_sift_up(heap, at, node);
    else
        heap_sift_down(heap, at, node);
}

static lw_status heap_resize(lw_heap *heap, size_t slots)
{
    lw_heap_node **nodes = lw_realloc_array(heap->nodes, slots, sizeof(*nodes));
    if (!nodes)
        return LW_ERR_NOMEM;
    heap->nodes = nodes;
    heap->slots = slots;
    return LW_OK;
}

static lw_status heap_grow(lw_heap *heap)
{
    size_t slots = FEWEST_SLOTS;
    if (heap->slots > 0)
        slots = heap->slots > heap->limit / 2 ? heap->limit : heap->slots * 2;
    return heap_resize(heap, slots < heap->limit ? slots : heap->limit);
}

lw_status lw_heap_push(lw_heap *heap, lw_heap_node *node)
{
    assert(!lw_heap_node_is_in(node));
    if (heap->count >= heap->limit)
        return LW_ERR_LIMIT;
    if (heap->count == heap->slots) {
        lw_status st = heap_grow(heap);
        if (st < 0)
            return st;
    }
    heap->count++;
    heap_sift_up(heap, heap->count - 1, node);
    return LW_OK;
}

lw_heap_node *lw_heap_pop(lw_heap *heap)
{
    lw_heap_node *node = lw_heap_top(heap);
    if (node)
        lw_heap_remove(heap, node);
    return node;
}

void lw_heap_remove(lw_heap *heap, lw_heap_node *node)
{
    assert(lw_heap_node_is_in(node) && node->place <= heap->count);
    size_t at = node->place - 1;
    assert(heap->nodes[at] == node);
    node->place = 0;
    lw_heap_node *last = heap->nodes[--heap->count];
    if (last != node)
        heap_restore(heap, at, last);
    /* If memory for shrinking runs out, that is not a failure. */
    if (heap->slots / 2 >= FEWEST_SLOTS && heap->count <= heap->slots / 8)
        (void)heap_resize(heap, heap->slots / 2);
}

void lw_heap_update(lw_heap *heap, lw_heap_node *node)
{
    assert(lw_heap_node_is_in(node) && node->place <= heap->count);
    assert(heap->nodes[node->place - 1] == node);
    heap_restore(heap, node->place - 1, node);
}

bool lw_heap_check(const lw_heap *heap)
{
    if (heap->count > heap->slots || heap->slots > heap->limit)
        return false;
    for (size_t at = 0; at < heap->count; at++) {
        const lw_heap_node *node = heap->nodes[at];
        if (node->place != at + 1)
            return false;
        if (at > 0 && heap->less(node, heap->nodes[(at - 1) / CHILDREN], heap->arg))
            return false;
    }
    return true;
}
