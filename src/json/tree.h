/* SPDX-License-Identifier: Apache-2.0 */
/* tree.h -- a small editable JSON document, for patches and YAML.
 *
 * A tree owns its nodes; they live until the tree is freed, detached ones too.  Numbers keep their
 * text, objects the order of their keys.  Memory comes from the tree, which has a cap.  Failures
 * stick: after one, makers return NULL, changes do nothing, and every function takes a NULL node
 * for "absent", so build freely and look at lw_tree_status once.
 *
 * A parsed tree nests no deeper than LW_TREE_DEPTH.  One nested deeper by hand is safe to walk:
 * copying and writing it is LW_ERR_LIMIT, below that depth nothing is equal or sorted.
 * One thread at a time, readers too: reading an object by position tidies it up. */
#ifndef LW_JSON_TREE_H
#define LW_JSON_TREE_H

#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

#include "base/buf.h"
#include "base/hash.h"
#include "json/cursor.h"
#include "json/writer.h"

enum {
    LW_TREE_LIMIT = 64 * 1024 * 1024, /* bytes a tree may take unless told otherwise */
    LW_TREE_DEPTH = 512,              /* nesting a tree may have */
};

typedef struct lw_tree lw_tree;
typedef struct lw_node lw_node;

/* An empty tree that may take |limit| bytes (0: LW_TREE_LIMIT).  Its root is NULL. */
lw_status lw_tree_new(lw_tree **out, size_t limit);

/* Parses one JSON value, checking all of it.  Of members with the same name the last one counts,
 * in the place of the first.  LW_ERR_SYNTAX with the offset, LW_ERR_LIMIT, LW_ERR_NOMEM. */
lw_status lw_tree_parse(lw_tree **out, lw_str json, size_t limit, lw_error *err);

/* True when an object in what was parsed had members with the same name. */
bool lw_tree_had_repeats(const lw_tree *tree);

void lw_tree_free(lw_tree *tree);

/* The first failure: LW_OK, LW_ERR_NOMEM or LW_ERR_LIMIT. */
lw_status lw_tree_status(const lw_tree *tree);

lw_node *lw_tree_root(const lw_tree *tree);
void lw_tree_set_root(lw_tree *tree, lw_node *root);

/* Parses |json| into |tree| as a node that hangs nowhere yet. */
lw_status lw_tree_parse_node(lw_tree *tree, lw_str json, lw_node **out, lw_error *err);

/* Makers.  The node hangs nowhere until it is put somewhere, and then in one place only. */
lw_node *lw_tree_null(lw_tree *tree);
lw_node *lw_tree_bool(lw_tree *tree, bool value);
lw_node *lw_tree_int(lw_tree *tree, int64_t value);
lw_node *lw_tree_number(lw_tree *tree, lw_str text); /* JSON number text, copied */
lw_node *lw_tree_string(lw_tree *tree, lw_str text); /* decoded UTF-8, copied */
lw_node *lw_tree_array(lw_tree *tree);
lw_node *lw_tree_object(lw_tree *tree);
lw_node *lw_tree_copy(lw_tree *tree, const lw_node *node); /* deep; node may be of another tree */

/* A deep copy whose texts and keys stay where they are: the tree of |node| must live as long as
 * |tree|.  The other leaves out members that are null, wherever they are. */
lw_node *lw_tree_share(lw_tree *tree, const lw_node *node);
lw_node *lw_tree_share_without_nulls(lw_tree *tree, const lw_node *node);

/* Readers. */
lw_json_type lw_node_type(const lw_node *node);          /* LW_JSON_NULL for NULL too */
bool lw_node_is(const lw_node *node, lw_json_type type); /* false for NULL */
lw_str lw_node_text(const lw_node *node); /* of a string or number; empty for others */
bool lw_node_bool(const lw_node *node);   /* false unless it is true */
bool lw_node_was_escaped(
    const lw_node *node); /* a string that was parsed from a text with escapes */
bool lw_node_int64(const lw_node *node, int64_t *out);
size_t lw_node_count(const lw_node *node);                /* elements or members; 0 for others */
lw_node *lw_node_at(const lw_node *node, size_t index);   /* element or member value, or NULL */
lw_str lw_node_key_at(const lw_node *node, size_t index); /* member name */
lw_node *lw_node_get(const lw_node *node, lw_str key);    /* member value, or NULL */

/* True when both are the same value: objects whatever their order, numbers by their value (1 and
 * 1.0 and 1e0 are equal). */
bool lw_node_equal(const lw_node *a, const lw_node *b);

/* A hash that is the same for values that are equal; no deeper than LW_TREE_DEPTH. */
uint64_t lw_node_hash(const lw_node *node, lw_hash_seed seed);

/* Changes.  |node| must be of the type the name says, an index within it; a NULL value or node does
 * nothing.  Members that are added come last; one that is replaced keeps its place. */
void lw_node_put(lw_tree *tree, lw_node *object, lw_str key, lw_node *value); /* add or replace */
bool lw_node_remove(lw_node *object, lw_str key);                             /* was it there? */

/* Removes the members of |object| for which |is_removed| returns true, in linear time: it is called
 * once for each member, in order.  It may change what is inside |value|, but not |object|.
 * (A loop that reads members by position and removes some with lw_node_remove is quadratic.) */
typedef bool (*lw_node_predicate)(void *arg, lw_str key, lw_node *value);
void lw_node_remove_if(lw_node *object, lw_node_predicate is_removed, void *arg);

void lw_node_append(lw_tree *tree, lw_node *array, lw_node *value);
void lw_node_insert(lw_tree *tree, lw_node *array, size_t index, lw_node *value);
void lw_node_set_at(lw_node *array, size_t index, lw_node *value);
void lw_node_remove_at(lw_node *array, size_t index);

/* Orders the members of |node| and of all objects in it by key, as Go writes maps. */
void lw_node_sort_keys(lw_node *node);

/* Writes |node| (NULL: null) as the next value of |w|.  Deeper than LW_TREE_DEPTH: LW_ERR_LIMIT. */
void lw_node_write(const lw_node *node, lw_json_writer *w);

#endif
