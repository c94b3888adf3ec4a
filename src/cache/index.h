/* SPDX-License-Identifier: Apache-2.0 */
/* index.h -- the objects of one resource in the order of their keys, with snapshots for nothing.
 *
 * A B+-tree whose nodes are shared between versions: a snapshot is one more reference to the root,
 * and a later change copies only the nodes on its way.  So a list, or a watcher with its initial
 * objects, reads for as long as it likes and stands in nobody's way.
 *
 * The order is that of the store: the bytes of "ns/name" as one string ("a-b/x" before "a/x"), or
 * of "name" where the kind has no namespaces.
 *
 * Threads: one writer or many readers of an lw_index.  A snapshot is an lw_index of its own: its
 * owner needs no lock, not to free it either. */
#ifndef LW_CACHE_INDEX_H
#define LW_CACHE_INDEX_H

#include <stdbool.h>
#include <stddef.h>

#include <listwatch/error.h>
#include <listwatch/object.h>
#include <listwatch/str.h>

typedef struct lw_index_node lw_index_node;

typedef struct lw_index {
    lw_index_node *root; /* NULL: empty */
    bool is_namespaced;
} lw_index;

/* An empty index; allocates nothing. */
void lw_index_init(lw_index *index, bool is_namespaced);

/* Lets go of everything; empty then. */
void lw_index_done(lw_index *index);

/* The index as it is now, for good; lw_index_done when it is no longer needed.  O(1). */
lw_index lw_index_snapshot(const lw_index *index);

size_t lw_index_count(const lw_index *index);

/* Puts |obj| in under |key|, which is its own, with a reference of its own.  |*replaced|: the one
 * that had this key, to unref, or NULL.  LW_ERR_NOMEM, LW_ERR_LIMIT (too deep); the objects are as
 * before then. */
lw_status lw_index_put(lw_index *index, lw_str key, const lw_object *obj, lw_object **replaced);

/* Takes the object with |key| out; |*removed| is to unref.  LW_ERR_NOT_FOUND, LW_ERR_NOMEM; the
 * objects are as before then. */
lw_status lw_index_remove(lw_index *index, lw_str key, lw_object **removed);

/* The object with |key|, borrowed; NULL: there is none. */
const lw_object *lw_index_find(const lw_index *index, lw_str key);

/* How many keys come before |key|, any bytes. */
size_t lw_index_rank(const lw_index *index, lw_str key);

/* A place in the order.  Dies with the next change of its index; changes of others, of which this
 * is a snapshot or which are snapshots of this, do not matter. */
typedef struct lw_index_cursor {
    const lw_index_node *leaf;
    size_t at;   /* in the leaf */
    size_t rank; /* of the next object */
} lw_index_cursor;

/* A cursor before the object that has |rank| others before it. */
lw_index_cursor lw_index_seek(const lw_index *index, size_t rank);

/* The next object, borrowed; NULL at the end. */
const lw_object *lw_index_next(const lw_index *index, lw_index_cursor *cursor);

/* True when |obj| would have |key|. */
bool lw_index_has_key(const lw_index *index, const lw_object *obj, lw_str key);

/* True when the tree keeps its invariants; O(n), for tests. */
bool lw_index_check(const lw_index *index);

#endif
