/* SPDX-License-Identifier: Apache-2.0 */
/* dlist.h -- intrusive doubly linked list: the node lives in the item, so linking never allocates
 * and any item leaves in O(1).
 *
 * A node is in one list at most.  Nodes start zeroed (LW_LIST_NODE_INIT, lw_alloc_zero) and are
 * zeroed again when they leave; adding a linked node or removing an unlinked one is asserted.
 * The list owns nothing.  It must not be moved in memory while it has nodes. */
#ifndef LW_BASE_DLIST_H
#define LW_BASE_DLIST_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct lw_list_node {
    struct lw_list_node *next; /* NULL = in no list */
    struct lw_list_node *prev;
} lw_list_node;

typedef struct lw_list {
    lw_list_node root; /* its neighbours are the first and the last node, or itself */
} lw_list;

#define LW_LIST_NODE_INIT                                                                          \
    {                                                                                              \
        NULL, NULL                                                                                 \
    }

/* The item of |type| whose |member| is |node|; NULL for NULL. */
#define LW_LIST_ITEM(node, type, member) ((type *)lw_list__item((node), offsetof(type, member)))

/* Runs the body for each |item| (declared here, a |type| *), first to last.  In the body items may
 * be added anywhere; the current one must stay (see _SAFE). */
#define LW_LIST_FOR_EACH(type, item, list, member)                                                 \
    for (type *item = LW_LIST_ITEM(lw_list_first(list), type, member); item;                       \
         item = LW_LIST_ITEM(lw_list_next((list), &item->member), type, member))

/* The same, and the body may remove and free the current item.  The one after it must stay. */
#define LW_LIST_FOR_EACH_SAFE(type, item, list, member)                                            \
    for (type *item = LW_LIST_ITEM(lw_list_first(list), type, member),                             \
              *item##_next = LW_LIST_AFTER(type, item, list, member);                              \
         item; item = item##_next, item##_next = LW_LIST_AFTER(type, item, list, member))

/* The item after |item|; NULL after the last, and after NULL. */
#define LW_LIST_AFTER(type, item, list, member)                                                    \
    (item ? LW_LIST_ITEM(lw_list_next((list), &item->member), type, member) : NULL)

static inline void *lw_list__item(lw_list_node *node, size_t offset)
{
    return node ? (char *)node - offset : NULL;
}

static inline void lw_list_init(lw_list *list)
{
    list->root.next = &list->root;
    list->root.prev = &list->root;
}

static inline bool lw_list_is_empty(const lw_list *list)
{
    return list->root.next == &list->root;
}

/* True while |node| is in some list. */
static inline bool lw_list_node_is_linked(const lw_list_node *node)
{
    return node->next != NULL;
}

/* The node at that end, or NULL. */
static inline lw_list_node *lw_list_first(const lw_list *list)
{
    return lw_list_is_empty(list) ? NULL : list->root.next;
}

static inline lw_list_node *lw_list_last(const lw_list *list)
{
    return lw_list_is_empty(list) ? NULL : list->root.prev;
}

/* The neighbour of |node|, which is in |list|; NULL at the end. */
static inline lw_list_node *lw_list_next(const lw_list *list, const lw_list_node *node)
{
    assert(lw_list_node_is_linked(node));
    return node->next == &list->root ? NULL : node->next;
}

static inline lw_list_node *lw_list_prev(const lw_list *list, const lw_list_node *node)
{
    assert(lw_list_node_is_linked(node));
    return node->prev == &list->root ? NULL : node->prev;
}

static inline void lw_list__insert_between(lw_list_node *prev, lw_list_node *node,
                                           lw_list_node *next)
{
    assert(!lw_list_node_is_linked(node));
    node->prev = prev;
    node->next = next;
    prev->next = node;
    next->prev = node;
}

static inline void lw_list_push_front(lw_list *list, lw_list_node *node)
{
    lw_list__insert_between(&list->root, node, list->root.next);
}

static inline void lw_list_push_back(lw_list *list, lw_list_node *node)
{
    lw_list__insert_between(list->root.prev, node, &list->root);
}

/* Puts |node| in front of |place|, which is in a list. */
static inline void lw_list_insert_before(lw_list_node *place, lw_list_node *node)
{
    assert(lw_list_node_is_linked(place));
    lw_list__insert_between(place->prev, node, place);
}

/* Takes |node| out of the list it is in. */
static inline void lw_list_remove(lw_list_node *node)
{
    assert(lw_list_node_is_linked(node));
    node->prev->next = node->next;
    node->next->prev = node->prev;
    node->next = NULL;
    node->prev = NULL;
}

/* Takes the first node out; NULL when there is none. */
static inline lw_list_node *lw_list_pop_front(lw_list *list)
{
    lw_list_node *node = lw_list_first(list);
    if (node)
        lw_list_remove(node);
    return node;
}

/* Moves all nodes of |from|, in order, behind those of |list|; |from| is empty then.  O(1). */
static inline void lw_list_append_all(lw_list *list, lw_list *from)
{
    assert(list != from);
    if (lw_list_is_empty(from))
        return;
    list->root.prev->next = from->root.next;
    from->root.next->prev = list->root.prev;
    list->root.prev = from->root.prev;
    from->root.prev->next = &list->root;
    lw_list_init(from);
}

#endif
