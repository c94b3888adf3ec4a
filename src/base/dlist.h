/* SPDX-License-Identifier: Apache-2.0 */
/* dlist.h -- intrusive doubly linked list: the node is in the item, so linking never allocates and
 * any item is removed in O(1).
 *
 * A node is in at most one list.  Nodes are zeroed initially (LW_DLIST_NODE_INIT, lw_alloc_zero)
 * and after removal; adding a linked node and removing an unlinked one are asserted.  The list does
 * not own its items, and must not be moved in memory while it has nodes. */
#ifndef LW_BASE_DLIST_H
#define LW_BASE_DLIST_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct lw_dlist_node {
    struct lw_dlist_node *next; /* NULL: not in a list */
    struct lw_dlist_node *prev;
} lw_dlist_node;

typedef struct lw_dlist {
    lw_dlist_node root; /* its neighbours are the first and the last node, or itself */
} lw_dlist;

#define LW_DLIST_NODE_INIT                                                                         \
    {                                                                                              \
        NULL, NULL                                                                                 \
    }

/* Returns the item of |type| whose |member| is |node|; NULL for NULL. */
#define LW_DLIST_ITEM(node, type, member) ((type *)lw_dlist__item((node), offsetof(type, member)))

/* Runs the body for each |item| (declared here, a |type| *) in order.  The body may add items
 * anywhere; it must not remove the current one (see _SAFE). */
#define LW_DLIST_FOR_EACH(type, item, list, member)                                                \
    for (type *item = LW_DLIST_ITEM(lw_dlist_first(list), type, member); item;                     \
         item = LW_DLIST_ITEM(lw_dlist_next((list), &item->member), type, member))

/* As LW_DLIST_FOR_EACH, but the body may remove and free the current item.  It must not remove the
 * next one. */
#define LW_DLIST_FOR_EACH_SAFE(type, item, list, member)                                           \
    for (type *item = LW_DLIST_ITEM(lw_dlist_first(list), type, member),                           \
              *item##_next = LW_DLIST_AFTER(type, item, list, member);                             \
         item; item = item##_next, item##_next = LW_DLIST_AFTER(type, item, list, member))

/* Returns the item after |item|; NULL after the last, and for NULL. */
#define LW_DLIST_AFTER(type, item, list, member)                                                   \
    (item ? LW_DLIST_ITEM(lw_dlist_next((list), &item->member), type, member) : NULL)

static inline void *lw_dlist__item(lw_dlist_node *node, size_t offset)
{
    return node ? (char *)node - offset : NULL;
}

static inline void lw_dlist_init(lw_dlist *list)
{
    list->root.next = &list->root;
    list->root.prev = &list->root;
}

static inline bool lw_dlist_is_empty(const lw_dlist *list)
{
    return list->root.next == &list->root;
}

/* Returns true if |node| is in a list. */
static inline bool lw_dlist_node_is_linked(const lw_dlist_node *node)
{
    return node->next != NULL;
}

/* Return the node at this end, or NULL. */
static inline lw_dlist_node *lw_dlist_first(const lw_dlist *list)
{
    return lw_dlist_is_empty(list) ? NULL : list->root.next;
}

static inline lw_dlist_node *lw_dlist_last(const lw_dlist *list)
{
    return lw_dlist_is_empty(list) ? NULL : list->root.prev;
}

/* Return the neighbour of |node|, which is in |list|; NULL at the end. */
static inline lw_dlist_node *lw_dlist_next(const lw_dlist *list, const lw_dlist_node *node)
{
    assert(lw_dlist_node_is_linked(node));
    return node->next == &list->root ? NULL : node->next;
}

static inline lw_dlist_node *lw_dlist_prev(const lw_dlist *list, const lw_dlist_node *node)
{
    assert(lw_dlist_node_is_linked(node));
    return node->prev == &list->root ? NULL : node->prev;
}

static inline void lw_dlist__insert_between(lw_dlist_node *prev, lw_dlist_node *node,
                                            lw_dlist_node *next)
{
    assert(!lw_dlist_node_is_linked(node));
    node->prev = prev;
    node->next = next;
    prev->next = node;
    next->prev = node;
}

static inline void lw_dlist_push_front(lw_dlist *list, lw_dlist_node *node)
{
    lw_dlist__insert_between(&list->root, node, list->root.next);
}

static inline void lw_dlist_push_back(lw_dlist *list, lw_dlist_node *node)
{
    lw_dlist__insert_between(list->root.prev, node, &list->root);
}

/* Inserts |node| before |place|, which is in a list. */
static inline void lw_dlist_insert_before(lw_dlist_node *place, lw_dlist_node *node)
{
    assert(lw_dlist_node_is_linked(place));
    lw_dlist__insert_between(place->prev, node, place);
}

/* Removes |node| from its list. */
static inline void lw_dlist_remove(lw_dlist_node *node)
{
    assert(lw_dlist_node_is_linked(node));
    node->prev->next = node->next;
    node->next->prev = node->prev;
    node->next = NULL;
    node->prev = NULL;
}

/* Removes and returns the first node; NULL if there is none. */
static inline lw_dlist_node *lw_dlist_pop_front(lw_dlist *list)
{
    lw_dlist_node *node = lw_dlist_first(list);
    if (node)
        lw_dlist_remove(node);
    return node;
}

/* Moves all nodes of |from| to the end of |list|; |from| is empty afterwards.  O(1). */
static inline void lw_dlist_append_all(lw_dlist *list, lw_dlist *from)
{
    assert(list != from);
    if (lw_dlist_is_empty(from))
        return;
    list->root.prev->next = from->root.next;
    from->root.next->prev = list->root.prev;
    list->root.prev = from->root.prev;
    from->root.prev->next = &list->root;
    lw_dlist_init(from);
}

#endif
