/* SPDX-License-Identifier: Apache-2.0 */
/* index.h -- the objects of one resource in key order, with snapshots that cost O(1).
 *
 * A B+-tree whose nodes are shared between versions: a snapshot is one more reference to the root,
 * and a later change copies only the nodes on its path.  So a list, or a watcher that sends its
 * initial objects, can read for any length of time without blocking the writer.
 *
 * The order is that of the store: the bytes of "ns/name" as one string ("a-b/x" before "a/x"), or
 * of "name" if the resource is not namespaced.
 *
 * Threads: one writer or many readers per lw_index.  A snapshot is a separate lw_index: its owner
 * needs no lock to read or to free it. */
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

/* Initialises an empty index; allocates nothing. */
void lw_index_init(lw_index *index, bool is_namespaced);

/* Drops all objects; the index is empty afterwards. */
void lw_index_done(lw_index *index);

/* Returns an immutable copy in O(1); free it with lw_index_done. */
lw_index lw_index_snapshot(const lw_index *index);

size_t lw_index_count(const lw_index *index);

/* Stores |obj| under |key|, which must be its key, and takes its own reference.  |*replaced| is the
 * previous object with this key, for the caller to unref, or NULL.  LW_ERR_NOMEM, LW_ERR_LIMIT (too
 * deep); on error the objects are unchanged. */
lw_status lw_index_put(lw_index *index, lw_str key, const lw_object *obj, lw_object **replaced);

/* Removes the object with |key|; the caller unrefs |*removed|.  LW_ERR_NOT_FOUND, LW_ERR_NOMEM; on
 * error the objects are unchanged. */
lw_status lw_index_remove(lw_index *index, lw_str key, lw_object **removed);

/* Returns the object with |key|, borrowed, or NULL. */
const lw_object *lw_index_find(const lw_index *index, lw_str key);

/* Returns how many keys are less than |key|, which may be any bytes. */
size_t lw_index_rank(const lw_index *index, lw_str key);

/* A position in key order.  The next change of the index invalidates it; changes of the snapshots
 * of this index, or of the index it is a snapshot of, do not. */
typedef struct lw_index_cursor {
    const lw_index_node *leaf;
    size_t at;   /* position in the leaf */
    size_t rank; /* rank of the next object */
} lw_index_cursor;

/* Returns a cursor at the object with |rank|: the number of objects before it. */
lw_index_cursor lw_index_seek(const lw_index *index, size_t rank);

/* Returns the next object, borrowed; NULL at the end. */
const lw_object *lw_index_next(const lw_index *index, lw_index_cursor *cursor);

/* Compares the key of |obj| with |key|: <0, 0, >0. */
int lw_index_compare(const lw_index *index, const lw_object *obj, lw_str key);

/* Returns true if |key| is the key of |obj|. */
bool lw_index_has_key(const lw_index *index, const lw_object *obj, lw_str key);

/* Returns true if the tree satisfies its invariants; O(n), for tests. */
bool lw_index_check(const lw_index *index);

#endif
