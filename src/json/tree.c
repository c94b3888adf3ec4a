/* SPDX-License-Identifier: Apache-2.0 */
/* tree.c -- the memory of a tree, and creating and copying nodes.
 *
 * Memory is allocated in chunks that grow with the tree and are freed together; their sum never
 * exceeds the limit. */
#include "json/tree.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>

#include "base/alloc.h"
#include "json/node.h"
#include "json/text.h"

enum {
    FIRST_CHUNK = 1024,
    LARGEST_CHUNK = 64 * 1024, /* for small items; a large one has a chunk of its own */
    DOUBLED_CHUNK = 8 * 1024,  /* from here on a tree grows by half, so that little stays unused */
};

typedef struct lw_chunk {
    struct lw_chunk *next;
    max_align_t bytes[];
} chunk;

lw_status lw_tree_new(lw_tree **out, size_t limit)
{
    lw_tree *tree = lw_alloc_zero(1, sizeof(*tree));
    if (!tree)
        return LW_ERR_NOMEM;
    tree->limit = limit ? limit : LW_TREE_LIMIT;
    *out = tree;
    return LW_OK;
}

void lw_tree_free(lw_tree *tree)
{
    if (!tree)
        return;
    while (tree->chunks) {
        chunk *next = tree->chunks->next;
        lw_free(tree->chunks);
        tree->chunks = next;
    }
    lw_free(tree);
}

void lw_tree_set_budget(lw_tree *tree, lw_budget *budget)
{
    tree->budget = budget;
}

lw_budget *lw_tree_budget(const lw_tree *tree)
{
    return tree->budget;
}

bool lw_tree_charge(lw_tree *tree, uint64_t steps)
{
    if (lw_budget_charge(tree->budget, steps))
        return true;
    lw_tree__fail(tree, LW_ERR_LIMIT);
    return false;
}

bool lw_tree_charge_pass(lw_tree *tree)
{
    return lw_tree_charge(tree, tree->taken / LW_BUDGET_PASS_BYTES);
}

bool lw_tree_charge_nodes(lw_tree *tree)
{
    return lw_tree_charge(tree, (tree->taken - tree->source.text.len) / LW_BUDGET_PASS_BYTES);
}

bool lw_tree_had_repeats(const lw_tree *tree)
{
    return tree->had_repeats;
}

bool lw_tree_had_nulls(const lw_tree *tree)
{
    return tree->had_nulls;
}

lw_status lw_tree_status(const lw_tree *tree)
{
    return tree->st;
}

void lw_tree__fail(lw_tree *tree, lw_status st)
{
    if (tree->st == LW_OK)
        tree->st = st;
}

lw_node *lw_tree_root(const lw_tree *tree)
{
    return tree->root;
}

void lw_tree_set_root(lw_tree *tree, lw_node *root)
{
    tree->root = root;
    tree->source.text.ptr = NULL; /* there is nothing to read again */
}

/* Returns a new chunk with room for |size| bytes, or NULL: the tree has failed. */
static chunk *tree_add_chunk(lw_tree *tree, size_t size)
{
    if (size > tree->limit || sizeof(chunk) + size > tree->limit - tree->taken) {
        lw_tree__fail(tree, LW_ERR_LIMIT);
        return NULL;
    }
    if (!lw_tree_charge(tree, (sizeof(chunk) + size) / LW_BUDGET_TREE_BYTES))
        return NULL;
    chunk *added = lw_alloc(sizeof(chunk) + size);
    if (!added) {
        lw_tree__fail(tree, LW_ERR_NOMEM);
        return NULL;
    }
    tree->taken += sizeof(chunk) + size;
    added->next = tree->chunks;
    tree->chunks = added;
    return added;
}

/* Returns the size of the next chunk for small items: the memory used so far or half of it, within
 * limits. */
static size_t tree_chunk_size(const lw_tree *tree, size_t need)
{
    size_t size = tree->taken < FIRST_CHUNK ? FIRST_CHUNK : tree->taken;
    if (size > DOUBLED_CHUNK)
        size = size < 2 * DOUBLED_CHUNK ? DOUBLED_CHUNK : size / 2;
    if (size > LARGEST_CHUNK)
        size = LARGEST_CHUNK;
    size_t room = tree->limit - tree->taken;
    room = room > sizeof(chunk) ? room - sizeof(chunk) : 0;
    if (size > room)
        size = room;
    return size > need ? size : need;
}

void *lw_tree__alloc_chunk(lw_tree *tree, size_t size)
{
    if (tree->st < 0)
        return NULL;
    if (size > LARGEST_CHUNK / 4) {
        chunk *own = tree_add_chunk(tree, size);
        return own ? own->bytes : NULL;
    }
    size_t room = tree_chunk_size(tree, size);
    chunk *added = tree_add_chunk(tree, room);
    if (!added)
        return NULL;
    tree->free = (char *)added->bytes + size;
    tree->left = room - size;
    return added->bytes;
}

char *lw_tree__text_room(lw_tree *tree, size_t len)
{
    if (len > UINT32_MAX) {
        lw_tree__fail(tree, LW_ERR_LIMIT);
        return NULL;
    }
    return lw_tree__alloc(tree, len, 1);
}

static lw_node *tree_text_node(lw_tree *tree, lw_json_type type, lw_str text)
{
    if (text.len > LW_NODE_INLINE) {
        char *copy = lw_tree__text_room(tree, text.len);
        if (!copy)
            return NULL;
        memcpy(copy, text.ptr, text.len);
        text.ptr = copy;
    }
    return lw_tree__text_node(tree, type, text);
}

lw_node *lw_tree_null(lw_tree *tree)
{
    return lw_tree__node(tree, LW_JSON_NULL);
}

lw_node *lw_tree_bool(lw_tree *tree, bool value)
{
    lw_node *node = lw_tree__node(tree, LW_JSON_BOOL);
    if (node)
        node->boolean = value;
    return node;
}

lw_node *lw_tree_int(lw_tree *tree, int64_t value)
{
    char text[24];
    size_t at = sizeof(text);
    uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        text[--at] = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (value < 0)
        text[--at] = '-';
    return tree_text_node(tree, LW_JSON_NUMBER, lw_str_make(text + at, sizeof(text) - at));
}

lw_node *lw_tree_number(lw_tree *tree, lw_str text)
{
    assert(lw_json_is_number(text));
    return tree_text_node(tree, LW_JSON_NUMBER, text);
}

lw_node *lw_tree_string(lw_tree *tree, lw_str text)
{
    return tree_text_node(tree, LW_JSON_STRING, text);
}

lw_node *lw_tree__closed(lw_tree *tree, lw_str text, bool is_compact)
{
    lw_node *node = lw_tree__node(tree, LW_JSON_OBJECT);
    struct lw_closed *closed =
        node ? lw_tree__alloc(tree, sizeof(*closed), _Alignof(struct lw_closed)) : NULL;
    if (!closed)
        return NULL;
    *closed = (struct lw_closed){ .tree = tree, .text = text, .is_compact = is_compact };
    node->boolean = true;
    node->closed = closed;
    return node;
}

lw_node *lw_tree_closed(lw_tree *tree, lw_str json)
{
    char *room = lw_tree__text_room(tree, json.len);
    if (!room)
        return NULL;
    if (json.len > 0)
        memcpy(room, json.ptr, json.len);
    return lw_tree__closed(tree, lw_str_make(room, json.len), true);
}

bool lw_node_is_closed(const lw_node *node, lw_str *text)
{
    if (!lw_node_is(node, LW_JSON_OBJECT) || !node->boolean)
        return false;
    *text = node->closed->text;
    return true;
}

bool lw_node_has_same_text(const lw_node *a, const lw_node *b)
{
    lw_str in_a, in_b;
    return lw_node_is_closed(a, &in_a) && lw_node_is_closed(b, &in_b) && lw_str_equal(in_a, in_b);
}

bool lw_node__is_known(const lw_node *object)
{
    return object->closed->is_known;
}

bool lw_node__is_unread(const lw_node *object)
{
    return object->closed->reader != NULL;
}

void lw_node_set_reader(lw_node *node, lw_node_reader reader, const void *arg)
{
    lw_str text;
    if (!lw_node_is_closed(node, &text))
        return;
    node->closed->reader = reader;
    node->closed->arg = arg;
}

lw_node *lw_tree_share_closed(lw_tree *tree, lw_node *node)
{
    lw_str text;
    return lw_node_is_closed(node, &text) ? lw_tree__closed(tree, text, node->closed->is_compact)
                                          : node;
}

lw_node *lw_tree_array(lw_tree *tree)
{
    return lw_tree__node(tree, LW_JSON_ARRAY);
}

lw_node *lw_tree_object(lw_tree *tree)
{
    return lw_tree__node(tree, LW_JSON_OBJECT);
}

/* How nodes are copied.  Containers are allocated with their final size, and no key is looked up.
 */
typedef struct copying {
    lw_tree *tree;
    bool shares;        /* the copy refers to the texts of the original */
    bool drops_nulls;   /* null members are omitted */
    bool is_definition; /* except inside the values of schemas */
    bool is_properties; /* the members of the object are named by the definition's author */
} copying;

static bool copy_text(const copying *c, lw_str *text)
{
    if (c->shares)
        return true;
    char *room = lw_tree__text_room(c->tree, text->len);
    if (!room)
        return false;
    if (text->len > 0)
        memcpy(room, text->ptr, text->len);
    text->ptr = room;
    return true;
}

static lw_node *copy_scalar(const copying *c, const lw_node *node)
{
    lw_node *copy = lw_tree__node(c->tree, (lw_json_type)node->type);
    bool has_text = node->type == LW_JSON_STRING || node->type == LW_JSON_NUMBER;
    if (!copy)
        return NULL;
    *copy = *node;
    if (has_text && node->count > LW_NODE_INLINE) {
        lw_str text = lw_node_text(node);
        if (!copy_text(c, &text))
            return NULL;
        copy->text = text.ptr;
    }
    return copy;
}

/* Stays closed. */
static lw_node *copy_closed(const copying *c, const struct lw_closed *closed)
{
    lw_str text = closed->text;
    lw_node *copy = copy_text(c, &text) ? lw_tree__closed(c->tree, text, closed->is_compact) : NULL;
    if (copy) {
        copy->closed->is_known = closed->is_known;
        lw_node_set_reader(copy, closed->reader, closed->arg);
    }
    return copy;
}

static lw_node *copy_within(const copying *c, const lw_node *node, unsigned depth);

/* In a schema, defaults, examples and allowed values are JSON of any form, which may have null. */
static lw_node *copy_member(const copying *c, lw_str key, const lw_node *value, unsigned depth)
{
    copying below = *c;
    if (!c->is_definition)
        return copy_within(c, value, depth);
    below.is_properties = lw_str_equal(key, LW_STR("properties"));
    if (!c->is_properties &&
        (lw_str_equal(key, LW_STR("default")) || lw_str_equal(key, LW_STR("example")) ||
         lw_str_equal(key, LW_STR("enum"))))
        below.drops_nulls = false;
    return copy_within(&below, value, depth);
}

static void copy_members(const copying *c, lw_node *copy, const lw_node *object, unsigned depth)
{
    const lw_slot *slots = lw_node__slots(object);
    if (!lw_node__reserve_members(c->tree, copy, object->count))
        return;
    lw_slot *to = lw_node__slots(copy);
    uint32_t count = 0;
    for (size_t i = 0; i < object->count; i++) {
        lw_str key = lw_slot_key(&slots[i]);
        if (c->drops_nulls && slots[i].value->type == LW_JSON_NULL)
            continue;
        lw_node *value = copy_text(c, &key) ? copy_member(c, key, slots[i].value, depth) : NULL;
        if (!value)
            return;
        to[count++] = (lw_slot){ .value = value, .key = key.ptr, .key_len = slots[i].key_len };
    }
    lw_node__set_filled(copy, count, object);
}

static void copy_elements(const copying *c, lw_node *copy, const lw_node *array, unsigned depth)
{
    if (!lw_node__reserve_elements(c->tree, copy, array->count))
        return;
    for (; copy->count < array->count && c->tree->st == LW_OK; copy->count++)
        copy->elements->at[copy->count] = copy_within(c, array->elements->at[copy->count], depth);
}

static lw_node *copy_within(const copying *c, const lw_node *node, unsigned depth)
{
    if (node->type != LW_JSON_ARRAY && node->type != LW_JSON_OBJECT)
        return copy_scalar(c, node);
    if (depth == 0) {
        lw_tree__fail(c->tree, LW_ERR_LIMIT);
        return NULL;
    }
    if (node->type == LW_JSON_OBJECT && node->boolean)
        return copy_closed(c, node->closed);
    lw_node *copy = lw_tree__node(c->tree, (lw_json_type)node->type);
    if (!copy)
        return NULL;
    if (node->type == LW_JSON_OBJECT)
        copy_members(c, copy, node, depth - 1);
    else
        copy_elements(c, copy, node, depth - 1);
    return c->tree->st == LW_OK ? copy : NULL;
}

static lw_node *copy(copying c, const lw_node *node)
{
    return node && c.tree->st == LW_OK ? copy_within(&c, node, LW_TREE_DEPTH) : NULL;
}

lw_node *lw_tree_copy(lw_tree *tree, const lw_node *node)
{
    return copy((copying){ .tree = tree }, node);
}

lw_node *lw_tree_share(lw_tree *tree, const lw_node *node)
{
    return copy((copying){ .tree = tree, .shares = true }, node);
}

lw_node *lw_tree_share_without_nulls(lw_tree *tree, const lw_node *node)
{
    return copy((copying){ .tree = tree, .shares = true, .drops_nulls = true }, node);
}

static void drop_nulls(lw_node *node, unsigned depth);

static bool drop_null(void *arg, lw_str key, lw_node *value)
{
    const unsigned *depth = arg;
    (void)key;
    drop_nulls(value, *depth);
    return value->type == LW_JSON_NULL;
}

/* A tree that was parsed is not deeper than |depth|. */
static void drop_nulls(lw_node *node, unsigned depth)
{
    lw_str text;
    if (depth == 0 || lw_node_is_closed(node, &text))
        return;
    depth--;
    if (node->type == LW_JSON_OBJECT)
        lw_node_remove_if(node, drop_null, &depth);
    for (size_t i = 0; node->type == LW_JSON_ARRAY && i < node->count; i++)
        drop_nulls(node->elements->at[i], depth);
}

void lw_tree_drop_nulls(lw_tree *tree, lw_node *node)
{
    if (node && lw_tree_charge_pass(tree))
        drop_nulls(node, LW_TREE_DEPTH);
}

lw_node *lw_tree_share_definition(lw_tree *tree, const lw_node *node)
{
    return copy(
        (copying){ .tree = tree, .shares = true, .drops_nulls = true, .is_definition = true },
        node);
}
