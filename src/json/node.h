/* SPDX-License-Identifier: Apache-2.0 */
/* node.h -- what a node of a tree is made of; for the files that implement tree.h only.
 * Everything here lives in the memory of the tree and is never freed one by one. */
#ifndef LW_JSON_NODE_H
#define LW_JSON_NODE_H

#include "json/tree.h"

struct lw_elements;
struct lw_members;

enum {
    LW_NODE_INLINE = 8, /* texts up to this long stand in the node itself */
};

/* Kept to 16 bytes: a document of 3 MiB may hold a million of them. */
struct lw_node {
    uint8_t type; /* lw_json_type */
    bool boolean;
    uint32_t count; /* bytes of text, elements, or members */
    union {
        char inline_text[LW_NODE_INLINE]; /* of a string or number, if count says that it fits */
        const char *text;                 /* else */
        struct lw_elements *elements;     /* of an array; NULL: none yet */
        struct lw_members *members;       /* of an object; NULL: none yet */
    };
};

/* |size| bytes of the tree's memory, aligned to |align| (a power of two), or NULL: the tree has
 * failed. */
void *lw_tree__alloc(lw_tree *tree, size_t size, size_t align);

/* Records |st| as the tree's failure unless it has one. */
void lw_tree__fail(lw_tree *tree, lw_status st);

/* Appends |value| under |key|, or replaces.  |key| is of the tree's memory already. */
void lw_node__put_owned(lw_tree *tree, lw_node *object, lw_str key, lw_node *value);

lw_node *lw_node__member(const lw_node *object, size_t index);
lw_str lw_node__member_key(const lw_node *object, size_t index);

/* Orders the members of this object alone. */
void lw_node__sort_members(lw_node *object);

/* True when |node| nests deeper than |depth| containers. */
bool lw_node__is_deeper(const lw_node *node, unsigned depth);

#endif
