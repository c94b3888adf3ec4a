/* SPDX-License-Identifier: Apache-2.0 */
/* node_read.h -- the layout of a node and its readers, which are inline: a walk of a document
 * consists of them.  Included by tree.h only; only the files that implement the tree may use the
 * members of the structs, except for those of a slot that lw_node_slots returns.
 *
 * An object may be closed: its text is kept as it was, and is read, one level of objects at a time,
 * when somebody asks for a member (lw_tree_parse_closed); deep ones as a whole after some levels.
 * It is copied, compared with an equal text, and written without that.
 *
 *     closed ──lw_node_set_reader──▶ unread ──member asked for──▶ open: what the reader made of it
 *        └───────────member asked for, lw_node_open──▶ open */
#ifndef LW_JSON_NODE_READ_H
#define LW_JSON_NODE_READ_H

#include <stddef.h>
#include <stdint.h>

#include <listwatch/str.h>

#include "json/cursor.h"

enum {
    LW_NODE_INLINE = 8, /* texts up to this length are in the node itself */
};

/* Only 16 bytes: a document of 3 MiB may have a million nodes. */
struct lw_node {
    uint8_t type;   /* lw_json_type */
    bool boolean;   /* for a string: its text was escaped when it was parsed; for an object: it is
                       closed */
    bool is_plain;  /* for a string: a writer is known to escape nothing in it */
    uint32_t count; /* bytes of text, elements, or members; of a closed object 0 */
    union {
        char inline_text[LW_NODE_INLINE]; /* of a string or number, if it fits (see count) */
        const char *text;                 /* otherwise */
        struct lw_elements *elements;     /* of an array; NULL: none yet */
        struct lw_members *members;       /* of an object; NULL: none yet */
        struct lw_closed *closed;         /* of a closed object */
    };
};

struct lw_elements {
    size_t cap;
    struct lw_node *at[];
};

/* A member of an object. */
typedef struct lw_slot {
    struct lw_node *value; /* NULL: dead */
    const char *key;
    uint32_t key_len;
    bool is_plain; /* a writer is known to escape nothing in the key */
} lw_slot;

/* The keys that an object may have: one bit for all keys with equal properties. */
typedef uint64_t lw_key_marks;

struct lw_members {
    uint32_t cap;           /* allocated slots */
    uint32_t used;          /* slots in use, including removed ones */
    lw_key_marks marks;     /* of each key that is or was there, and maybe of others */
    struct lw_index *index; /* NULL: not indexed */
    lw_slot slots[];
};

/* Reads a closed object.  Returns false if its tree fails: then it stays closed and has no members.
 */
bool lw_node__open_closed(const struct lw_node *object);

/* What is to be known of a closed object (tree.h). */
bool lw_node__is_known(const struct lw_node *object);
bool lw_node__is_unread(const struct lw_node *object);

void lw_node__close_gaps(const struct lw_node *object);

/* Returns false for an object that cannot be opened. */
static inline bool lw_node__open(const struct lw_node *object)
{
    return !object->boolean || lw_node__open_closed(object);
}

/* Returns the members of |object| in order; NULL: there are none. */
static inline lw_slot *lw_node__slots(const struct lw_node *object)
{
    if (!lw_node__open(object))
        return NULL;
    struct lw_members *m = object->members;
    if (m && m->used != object->count)
        lw_node__close_gaps(object);
    return m ? m->slots : NULL;
}

static inline lw_str lw_slot_key(const lw_slot *slot)
{
    return lw_str_make(slot->key, slot->key_len);
}

/* Inline, so that nothing of it is left for a key that is a constant. */
static inline lw_key_marks lw_key_mark(lw_str key)
{
    uint32_t sum = (uint32_t)key.len;
    if (key.len > 0)
        sum += (unsigned char)key.ptr[0] * 5u + (unsigned char)key.ptr[key.len - 1] * 17u;
    return (lw_key_marks)1 << sum % 64;
}

/* Returns LW_JSON_NULL also for NULL. */
static inline lw_json_type lw_node_type(const struct lw_node *node)
{
    return node ? (lw_json_type)node->type : LW_JSON_NULL;
}

/* Returns false for NULL. */
static inline bool lw_node_is(const struct lw_node *node, lw_json_type type)
{
    return node && node->type == type;
}

/* Returns true for a closed object whose text lw_tree_parse_known was given, as long as it is
 * closed. */
static inline bool lw_node_is_known(const struct lw_node *node)
{
    return node && node->type == LW_JSON_OBJECT && node->boolean && lw_node__is_known(node);
}

/* Returns true for a closed object that lw_node_set_reader has given a reader, as long as it is
 * closed. */
static inline bool lw_node_is_unread(const struct lw_node *node)
{
    return node && node->type == LW_JSON_OBJECT && node->boolean && lw_node__is_unread(node);
}

/* Returns the text of a string or number; empty for others. */
static inline lw_str lw_node_text(const struct lw_node *node)
{
    if (!node || (node->type != LW_JSON_STRING && node->type != LW_JSON_NUMBER))
        return lw_str_make(NULL, 0);
    return lw_str_make(node->count <= LW_NODE_INLINE ? node->inline_text : node->text, node->count);
}

/* The part of lw_node_get for a key that |object| may have. */
struct lw_node *lw_node__find(const struct lw_node *object, lw_str key);

/* Returns a member value, or NULL.  Most keys that are asked for are absent. */
static inline struct lw_node *lw_node_get(const struct lw_node *node, lw_str key)
{
    if (!lw_node_is(node, LW_JSON_OBJECT))
        return NULL;
    bool is_absent =
        !node->boolean && (!node->members || !(node->members->marks & lw_key_mark(key)));
    return is_absent ? NULL : lw_node__find(node, key);
}

/* Returns the number of elements or members; 0 for others. */
static inline size_t lw_node_count(const struct lw_node *node)
{
    if (!node || node->type < LW_JSON_ARRAY)
        return 0;
    if (node->type == LW_JSON_OBJECT)
        (void)lw_node__open(node);
    return node->count;
}

/* Returns an element or member value; NULL: there are fewer. */
static inline struct lw_node *lw_node_at(const struct lw_node *node, size_t index)
{
    if (index >= lw_node_count(node))
        return NULL;
    return node->type == LW_JSON_OBJECT ? lw_node__slots(node)[index].value
                                        : node->elements->at[index];
}

/* Returns a member name. */
static inline lw_str lw_node_key_at(const struct lw_node *node, size_t index)
{
    if (!lw_node_is(node, LW_JSON_OBJECT) || index >= lw_node_count(node))
        return lw_str_make(NULL, 0);
    return lw_slot_key(&lw_node__slots(node)[index]);
}

/* Returns the members of |object|, lw_node_count of them, for a loop that does not change it. */
static inline const lw_slot *lw_node_slots(const struct lw_node *object)
{
    return lw_node_is(object, LW_JSON_OBJECT) ? lw_node__slots(object) : NULL;
}

/* Returns the member |index| of an object, which has more, and its name: as lw_node_at and
 * lw_node_key_at. */
static inline struct lw_node *lw_node_member_at(const struct lw_node *object, size_t index,
                                                lw_str *key)
{
    const lw_slot *slot = &lw_node__slots(object)[index];
    *key = lw_slot_key(slot);
    return slot->value;
}

#endif
