/* SPDX-License-Identifier: Apache-2.0 */
/* indexer.h -- the cache: objects by key and by named indexes.
 *
 * One writer (the controller), any number of readers.  Readers get references; the lock is held for
 * the time of the lookup only. */
#ifndef LW_INFORMER_INDEXER_H
#define LW_INFORMER_INDEXER_H

#include <listwatch/informer.h>
#include <listwatch/lister.h>

typedef struct lw_indexer lw_indexer;

/* With the index "namespace" built in. */
lw_status lw_indexer_new(lw_indexer **out);
void lw_indexer_free(lw_indexer *indexer);

/* Puts |obj| (takes its own reference) and sets |*old| to what was there, which is the caller's to
 * unref, or NULL.  LW_ERR_NOMEM: nothing changed. */
lw_status lw_indexer_put(lw_indexer *indexer, const lw_object *obj, lw_object **old);

/* Takes out the object of |key|; |*old| as above, NULL: there was none.  Never fails. */
void lw_indexer_remove(lw_indexer *indexer, lw_key key, lw_object **old);

/* Everything changed in one step, seen by readers at once: what |objects| has is there, what is
 * not in it is gone.  |on_change| is called for each object after the step, without a lock: old
 * NULL: new; obj NULL: gone; the same pointer twice: unchanged.  The deletions come first, then the
 * objects in their order; all is borrowed.  It may be NULL, and must not change the indexer.
 * LW_ERR_NOMEM, LW_ERR_LIMIT: nothing changed. */
typedef void (*lw_indexer_change_fn)(lw_object *old, const lw_object *obj, void *arg);
lw_status lw_indexer_replace(lw_indexer *indexer, const lw_object *const *objects, size_t count,
                             lw_indexer_change_fn on_change, void *arg);

lw_object *lw_indexer_get_ref(const lw_indexer *indexer, lw_key key); /* NULL: there is none */

/* The same without a reference, for the writer itself: it lives until the writer's next change. */
const lw_object *lw_indexer_borrow(const lw_indexer *indexer, lw_key key);

size_t lw_indexer_count(const lw_indexer *indexer);
size_t lw_indexer_bytes(const lw_indexer *indexer);

/* The revision up to which the cache has seen everything: of the last object, list or bookmark, as
 * its writer says after each.  The last one counts, not the largest: a server restored from a
 * backup goes back.  "" and NULL say nothing; what is no number counts as 0. */
void lw_indexer_set_revision(lw_indexer *indexer, const char *rv);
uint64_t lw_indexer_revision(const lw_indexer *indexer);

/* Adds the index |name| over all objects.  LW_ERR_EXISTS, LW_ERR_LIMIT (LW_INDEXES_MAX),
 * LW_ERR_NOMEM. */
lw_status lw_indexer_add_index(lw_indexer *indexer, const char *name, lw_index_fn fn, void *arg,
                               lw_error *err);

/* Objects with |value| under the index |name|; or of the namespace |ns| (empty: all) with labels
 * that satisfy |selector|.  As of one moment; free the list.  LW_ERR_NOT_FOUND: no such index.
 * LW_ERR_NOMEM. */
lw_status lw_indexer_by_index(const lw_indexer *indexer, const char *name, lw_str value,
                              lw_object_list **out, lw_error *err);

lw_status lw_indexer_select(const lw_indexer *indexer, lw_str ns, const lw_label_selector *selector,
                            lw_object_list **out, lw_error *err);

/* True when everything in it agrees; O(n), for tests. */
bool lw_indexer_check(const lw_indexer *indexer);

/* The lister over it, embedded. */
const lw_lister *lw_indexer_lister(const lw_indexer *indexer);

#endif
