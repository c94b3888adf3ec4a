/* SPDX-License-Identifier: Apache-2.0 */
/* node.h -- the struct of a node, only for the files that implement tree.h.
 *
 * Everything is in the memory of the tree and is never freed separately. */
#ifndef LW_JSON_NODE_H
#define LW_JSON_NODE_H

#include <string.h>

#include "json/tree.h"

struct lw_chunk;

/* The text of a closed object, valid JSON, which lives as long as the tree. */
struct lw_closed {
    lw_tree *tree; /* in which it is opened */
    lw_str text;
    bool is_compact;       /* it is written like that */
    bool is_known;         /* it is one of the texts that the parser was given */
    unsigned level;        /* of how many objects it was a part when they were opened */
    lw_node_reader reader; /* changes it when it is opened; NULL: none */
    const void *arg;       /* of the reader */
};

/* What a tree was parsed from, in its memory, and how; see lw_tree_parse_closed. */
struct lw_source {
    lw_str text; /* NULL: it was not parsed */
    lw_str closed;
    bool is_compact;
    bool is_whole; /* no part of the root was left closed, so it can be read again */
};

struct lw_tree {
    lw_node *root;
    struct lw_source source;
    struct lw_chunk *chunks; /* all of them */
    char *free;              /* next free byte in the current chunk */
    size_t left;             /* free bytes in it */
    size_t taken;            /* bytes of all chunks */
    size_t limit;            /* |taken| never exceeds this */
    lw_budget *budget;       /* for what it grows; NULL: no limit */
    bool had_repeats;        /* a parsed text had duplicate members */
    bool had_nulls;          /* a parsed text had null */
    bool has_seed;
    lw_hash_seed seed; /* for the indexes of objects */
    lw_status st;
};

/* The part of lw_tree__alloc for a full chunk. */
void *lw_tree__alloc_chunk(lw_tree *tree, size_t size);

/* Returns |size| bytes of the memory of the tree, aligned to |align| (a power of two); NULL: the
 * tree has failed. */
static inline void *lw_tree__alloc(lw_tree *tree, size_t size, size_t align)
{
    if (size == 0)
        size = 1; /* the pointer of an empty text is not NULL */
    size_t pad = (align - ((uintptr_t)tree->free & (align - 1))) & (align - 1);
    if (tree->st < 0 || pad > tree->left || size > tree->left - pad)
        return lw_tree__alloc_chunk(tree, size);
    char *thing = tree->free + pad;
    tree->free = thing + size;
    tree->left -= pad + size;
    return thing;
}

/* Sets the failure of the tree unless it has one. */
void lw_tree__fail(lw_tree *tree, lw_status st);

/* Makes a node that is null, false, or empty; NULL: the tree has failed. */
static inline lw_node *lw_tree__node(lw_tree *tree, lw_json_type type)
{
    lw_node *node = lw_tree__alloc(tree, sizeof(*node), _Alignof(lw_node));
    if (node)
        *node = (lw_node){ .type = (uint8_t)type };
    return node;
}

/* Returns memory for a text of |len| bytes of a node or a key; NULL: the tree has failed. */
char *lw_tree__text_room(lw_tree *tree, size_t len);

/* Makes a node with |text|, which is in the memory of the tree unless it fits into the node. */
static inline lw_node *lw_tree__text_node(lw_tree *tree, lw_json_type type, lw_str text)
{
    lw_node *node = lw_tree__node(tree, type);
    if (!node)
        return NULL;
    node->count = (uint32_t)text.len;
    if (text.len > LW_NODE_INLINE)
        node->text = text.ptr;
    else if (text.len > 0)
        memcpy(node->inline_text, text.ptr, text.len);
    return node;
}

/* Appends or replaces the member |key|, which is in the memory of the tree. */
void lw_node__put_owned(lw_tree *tree, lw_node *object, lw_str key, lw_node *value);

/* As lw_node__put_owned for a key that |object| is known not to have. */
void lw_node__add_owned(lw_tree *tree, lw_node *object, lw_str key, lw_node *value);

/* Appends members with different keys that |object| does not have; |marks| has those of the keys.
 * An object that has no members gets as many slots as it needs. */
void lw_node__add_slots(lw_tree *tree, lw_node *object, const lw_slot *slots, uint32_t count,
                        lw_key_marks marks);

/* Appends the values of |slots| to |array|. */
void lw_node__append_slots(lw_tree *tree, lw_node *array, const lw_slot *slots, uint32_t count);

/* Reserve space in an empty |object| or |array| for |count| members or elements.  Return false if
 * the tree has failed. */
bool lw_node__reserve_members(lw_tree *tree, lw_node *object, size_t count);
bool lw_node__reserve_elements(lw_tree *tree, lw_node *array, size_t count);

/* Sets that the first |count| reserved slots are filled, with different keys of the object |from|.
 */
void lw_node__set_filled(lw_node *object, uint32_t count, const lw_node *from);

/* Makes a closed object of |text|, which must live as long as the tree.  NULL: the tree has failed.
 */
lw_node *lw_tree__closed(lw_tree *tree, lw_str text, bool is_compact);

/* Sorts the members of this object only. */
void lw_node__sort_members(lw_node *object);

/* Returns true if |node| is nested deeper than |depth| containers. */
bool lw_node__is_deeper(const lw_node *node, unsigned depth);

#endif
