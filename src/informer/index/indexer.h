/* SPDX-License-Identifier: Apache-2.0 */
/* indexer.h -- the cache: objects by key and by named indexes; and lw_lister, a view of it for
 * programs.
 *
 * There is one writer (the controller) and any number of readers.  Readers get references; the lock
 * is held only for the lookup. */
#ifndef LW_INFORMER_INDEX_INDEXER_H
#define LW_INFORMER_INDEX_INDEXER_H

#include <listwatch/informer.h>
#include <listwatch/lister.h>

#include "informer/index/replacement.h"
#include "object/compact/compact.h"

typedef struct lw_indexer lw_indexer;

/* Makes an empty cache with the built-in index "namespace". */
lw_status lw_indexer_new(lw_indexer **out);
void lw_indexer_free(lw_indexer *indexer);

/* Stores |obj| and takes a reference.  |*old| is the previous object, which the caller unrefs, or
 * NULL.  LW_ERR_NOMEM: nothing changed. */
lw_status lw_indexer_put(lw_indexer *indexer, const lw_object *obj, lw_object **old);

/* Packs some of the objects from |*place| on, which is 0 at first; readers may have unpacked ones
 * longer.  Returns false when it has reached the end.  Only the thread that changes the cache. */
bool lw_indexer_pack(lw_indexer *indexer, lw_compact *compact, size_t *place);

/* Removes the object of |key|; |*old| as in lw_indexer_put.  Never fails. */
void lw_indexer_remove(lw_indexer *indexer, lw_key key, lw_object **old);

/* Replaces all objects in one step: afterwards the cache contains exactly |objects|, and readers
 * see the old or the new state.  |on_change| is called for each object after the step, without a
 * lock: old NULL means added, obj NULL means deleted, equal pointers mean unchanged.  Deletions
 * come first, then the objects in their order; all is borrowed.  |on_change| may be NULL, and must
 * not change the indexer.  LW_ERR_NOMEM, LW_ERR_LIMIT: nothing changed. */
typedef void (*lw_indexer_change_fn)(lw_object *old, const lw_object *obj, void *arg);
lw_status lw_indexer_replace(lw_indexer *indexer, const lw_object *const *objects, size_t count,
                             lw_indexer_change_fn on_change, void *arg);

/* The same with all objects of |state|, which is finished. */
lw_status lw_indexer_replace_with(lw_indexer *indexer, lw_replacement *state,
                                  lw_indexer_change_fn on_change, void *arg);

/* Puts |kept|, another form of |obj|, into |state|, and its values into an index of |state|, which
 * lw_indexer_replace_with then takes: the values of an object are found while it is open.  Errors
 * as lw_replacement_put. */
LW_MUST_CHECK lw_status lw_indexer_collect(lw_indexer *indexer, lw_replacement *state,
                                           const lw_object *obj, const lw_object *kept);

lw_object *lw_indexer_get_ref(const lw_indexer *indexer, lw_key key); /* NULL: not found */

/* As lw_indexer_get_ref, without a reference, for the writer only: valid until its next change. */
const lw_object *lw_indexer_borrow(const lw_indexer *indexer, lw_key key);

size_t lw_indexer_count(const lw_indexer *indexer);
size_t lw_indexer_bytes(const lw_indexer *indexer);

/* The revision up to which the cache is complete: that of the last object, list or bookmark, which
 * the writer sets after each change.  The last one counts, not the largest: a server that was
 * restored from a backup goes back.  "" and NULL are ignored; a text that is not a number counts as
 * 0. */
void lw_indexer_set_revision(lw_indexer *indexer, const char *rv);
uint64_t lw_indexer_revision(const lw_indexer *indexer);

/* Adds the index |name| over all objects.  LW_ERR_EXISTS, LW_ERR_LIMIT (LW_INDEXES_MAX),
 * LW_ERR_NOMEM. */
lw_status lw_indexer_add_index(lw_indexer *indexer, const char *name, lw_index_fn fn, void *arg,
                               lw_error *err);

/* Get the objects with |value| in the index |name|, or the objects of the namespace |ns| (empty:
 * all) whose labels match |selector|.  The result is a consistent snapshot; the caller frees the
 * list.  LW_ERR_NOT_FOUND: there is no such index.  LW_ERR_NOMEM. */
lw_status lw_indexer_by_index(const lw_indexer *indexer, const char *name, lw_str value,
                              lw_object_list **out, lw_error *err);

lw_status lw_indexer_select(const lw_indexer *indexer, lw_str ns, const lw_label_selector *selector,
                            lw_object_list **out, lw_error *err);

/* Returns true if all parts of the indexer are consistent; O(n), for tests. */
bool lw_indexer_check(const lw_indexer *indexer);

/* Returns the lister of the cache, which is embedded in it. */
const lw_lister *lw_indexer_lister(const lw_indexer *indexer);

struct lw_lister {
    const lw_indexer *indexer;
};

#endif
