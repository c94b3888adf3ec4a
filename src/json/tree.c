/* SPDX-License-Identifier: Apache-2.0 */
/* tree.c -- the tree's memory, its makers and its parser.
 * Memory is taken in chunks that grow with the tree and are freed together; the sum of the chunks
 * never exceeds the limit. */
#include "json/tree.h"

#include <assert.h>
#include <stdalign.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/error.h"
#include "json/node.h"
#include "json/scan.h"
#include "json/text.h"

enum {
    FIRST_CHUNK = 1024,
    LARGEST_CHUNK = 64 * 1024, /* of those for small things; a large thing has its own */
};

typedef struct chunk {
    struct chunk *next;
    max_align_t bytes[];
} chunk;

struct lw_tree {
    lw_node *root;
    chunk *chunks; /* all of them */
    char *free;    /* where the next thing goes in the chunk at hand */
    size_t left;   /* bytes there */
    size_t taken;  /* bytes of all chunks */
    size_t limit;  /* |taken| never exceeds this */
    lw_status st;
};

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
}

/* A new chunk with room for |size| bytes, or NULL: the tree has failed. */
static chunk *tree_add_chunk(lw_tree *tree, size_t size)
{
    if (size > tree->limit || sizeof(chunk) + size > tree->limit - tree->taken) {
        lw_tree__fail(tree, LW_ERR_LIMIT);
        return NULL;
    }
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

/* How large the next chunk for small things is: as much again as there is, within bounds. */
static size_t tree_chunk_size(const lw_tree *tree, size_t need)
{
    size_t size = tree->taken < FIRST_CHUNK ? FIRST_CHUNK : tree->taken;
    if (size > LARGEST_CHUNK)
        size = LARGEST_CHUNK;
    size_t room = tree->limit - tree->taken;
    room = room > sizeof(chunk) ? room - sizeof(chunk) : 0;
    if (size > room)
        size = room;
    return size > need ? size : need;
}

void *lw_tree__alloc(lw_tree *tree, size_t size, size_t align)
{
    if (tree->st < 0)
        return NULL;
    if (size == 0)
        size = 1; /* the place of an empty text is not NULL */
    size_t pad = (align - ((uintptr_t)tree->free & (align - 1))) & (align - 1);
    if (pad <= tree->left && size <= tree->left - pad) {
        char *thing = tree->free + pad;
        tree->free = thing + size;
        tree->left -= pad + size;
        return thing;
    }
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

static lw_node *tree_node(lw_tree *tree, lw_json_type type)
{
    lw_node *node = lw_tree__alloc(tree, sizeof(*node), alignof(lw_node));
    if (node)
        *node = (lw_node){ .type = (uint8_t)type };
    return node;
}

/* Room for the text of |len| bytes of a node or a key, or NULL: the tree has failed. */
static char *tree_text_room(lw_tree *tree, size_t len)
{
    if (len > UINT32_MAX) {
        lw_tree__fail(tree, LW_ERR_LIMIT);
        return NULL;
    }
    return lw_tree__alloc(tree, len, 1);
}

/* A node with |text|, which is of the tree's memory already unless it fits into the node. */
static lw_node *tree_text_node_owned(lw_tree *tree, lw_json_type type, lw_str text)
{
    lw_node *node = tree_node(tree, type);
    if (!node)
        return NULL;
    node->count = (uint32_t)text.len;
    if (text.len > LW_NODE_INLINE)
        node->text = text.ptr;
    else if (text.len > 0)
        memcpy(node->inline_text, text.ptr, text.len);
    return node;
}

static lw_node *tree_text_node(lw_tree *tree, lw_json_type type, lw_str text)
{
    if (text.len > LW_NODE_INLINE) {
        char *copy = tree_text_room(tree, text.len);
        if (!copy)
            return NULL;
        memcpy(copy, text.ptr, text.len);
        text.ptr = copy;
    }
    return tree_text_node_owned(tree, type, text);
}

lw_node *lw_tree_null(lw_tree *tree)
{
    return tree_node(tree, LW_JSON_NULL);
}

lw_node *lw_tree_bool(lw_tree *tree, bool value)
{
    lw_node *node = tree_node(tree, LW_JSON_BOOL);
    if (node)
        node->boolean = value;
    return node;
}

lw_node *lw_tree_int(lw_tree *tree, int64_t value)
{
    char text[24];
    int len = snprintf(text, sizeof(text), "%lld", (long long)value);
    return tree_text_node(tree, LW_JSON_NUMBER, lw_str_make(text, (size_t)len));
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

lw_node *lw_tree_array(lw_tree *tree)
{
    return tree_node(tree, LW_JSON_ARRAY);
}

lw_node *lw_tree_object(lw_tree *tree)
{
    return tree_node(tree, LW_JSON_OBJECT);
}

/* The decoded |raw| in the tree's memory.  False when the tree has failed. */
static bool tree_unescape(lw_tree *tree, lw_str raw, lw_str *text)
{
    char *room = tree_text_room(tree, raw.len);
    if (!room)
        return false;
    *text = lw_str_make(room, lw_json_unescape(room, raw));
    return true;
}

static lw_node *build_string(lw_tree *tree, lw_json_cursor *c)
{
    char small[LW_NODE_INLINE];
    lw_str raw = lw_json_cursor_string(c);
    lw_str text;
    if (raw.len <= sizeof(small))
        text = lw_str_make(small, lw_json_unescape(small, raw));
    else if (!tree_unescape(tree, raw, &text))
        return NULL;
    return tree_text_node_owned(tree, LW_JSON_STRING, text);
}

static lw_node *build_scalar(lw_tree *tree, lw_json_cursor *c)
{
    lw_json_type type = lw_json_cursor_type(c);
    if (type == LW_JSON_STRING)
        return build_string(tree, c);
    lw_str text = lw_json_cursor_skip(c);
    switch (type) {
    case LW_JSON_BOOL: return lw_tree_bool(tree, text.ptr[0] == 't');
    case LW_JSON_NUMBER: return lw_tree_number(tree, text);
    default: return lw_tree_null(tree);
    }
}

/* Builds the value under the cursor.  Recursion is bounded: the text was checked to be no deeper
 * than LW_TREE_DEPTH. */
static lw_node *build_value(lw_tree *tree, lw_json_cursor *c)
{
    lw_json_type type = lw_json_cursor_type(c);
    if (type != LW_JSON_OBJECT && type != LW_JSON_ARRAY)
        return build_scalar(tree, c);
    lw_node *node = tree_node(tree, type);
    lw_json_cursor_enter(c);
    if (type == LW_JSON_ARRAY) {
        while (tree->st == LW_OK && lw_json_cursor_next_element(c))
            lw_node_append(tree, node, build_value(tree, c));
        return node;
    }
    lw_str raw, key;
    while (tree->st == LW_OK && lw_json_cursor_next_member(c, &raw)) {
        if (tree_unescape(tree, raw, &key))
            lw_node__put_owned(tree, node, key, build_value(tree, c));
    }
    return node;
}

static lw_status tree_report(const lw_tree *tree, lw_error *err)
{
    if (tree->st == LW_ERR_LIMIT)
        return lw_error_set(err, LW_ERR_LIMIT, "the document takes more than %zu bytes of memory",
                            tree->limit);
    return tree->st == LW_ERR_NOMEM ? lw_error_nomem(err) : tree->st;
}

lw_status lw_tree_parse_node(lw_tree *tree, lw_str json, lw_node **out, lw_error *err)
{
    if (tree->st < 0)
        return tree_report(tree, err);
    lw_status st = lw_json_validate(json, LW_TREE_DEPTH, err);
    if (st < 0)
        return st;
    lw_json_cursor c = lw_json_cursor_on(json);
    lw_node *node = build_value(tree, &c);
    if (tree->st < 0)
        return tree_report(tree, err);
    *out = node;
    return LW_OK;
}

lw_status lw_tree_parse(lw_tree **out, lw_str json, size_t limit, lw_error *err)
{
    lw_tree *tree;
    if (lw_tree_new(&tree, limit) < 0)
        return lw_error_nomem(err);
    lw_status st = lw_tree_parse_node(tree, json, &tree->root, err);
    if (st < 0) {
        lw_tree_free(tree);
        return st;
    }
    *out = tree;
    return LW_OK;
}

static lw_node *copy_within(lw_tree *tree, const lw_node *node, unsigned depth)
{
    lw_str text = lw_node_text(node);
    switch (lw_node_type(node)) {
    case LW_JSON_NULL: return lw_tree_null(tree);
    case LW_JSON_BOOL: return lw_tree_bool(tree, node->boolean);
    case LW_JSON_NUMBER:
    case LW_JSON_STRING: return tree_text_node(tree, lw_node_type(node), text);
    case LW_JSON_ARRAY:
    case LW_JSON_OBJECT: break;
    }
    if (depth == 0) {
        lw_tree__fail(tree, LW_ERR_LIMIT);
        return NULL;
    }
    lw_node *copy = tree_node(tree, lw_node_type(node));
    for (size_t i = 0; i < node->count && tree->st == LW_OK; i++) {
        lw_node *value = copy_within(tree, lw_node_at(node, i), depth - 1);
        if (node->type == LW_JSON_ARRAY)
            lw_node_append(tree, copy, value);
        else
            lw_node_put(tree, copy, lw_node_key_at(node, i), value);
    }
    return tree->st == LW_OK ? copy : NULL;
}

lw_node *lw_tree_copy(lw_tree *tree, const lw_node *node)
{
    return node ? copy_within(tree, node, LW_TREE_DEPTH) : NULL;
}
