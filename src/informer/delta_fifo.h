/* SPDX-License-Identifier: Apache-2.0 */
/* delta_fifo.h -- the queue of changes between the reflector and the controller.
 *
 * It contains one list of all deltas in the order of arrival, and a map from key to the deltas of
 * that key.  It is drained in the order of arrival (one delta at a time), or by key (all deltas of
 * the key that has waited longest, so that a slow consumer sees the latest state).  Replace, resync
 * and bookmark are single items that keep their place: they do not overtake earlier items.
 * Invariant: the deltas of one key leave in the order of arrival.  One thread at a time. */
#ifndef LW_INFORMER_DELTA_FIFO_H
#define LW_INFORMER_DELTA_FIFO_H

#include <listwatch/object.h>

#include "base/dlist.h"
#include "informer/index/replacement.h"

typedef enum lw_delta_type {
    LW_DELTA_ADDED = 1,
    LW_DELTA_UPDATED,
    LW_DELTA_DELETED,
    LW_DELTA_REPLACED, /* the whole state: |replacement| */
    LW_DELTA_SYNC,     /* report every object to the handlers again */
    LW_DELTA_BOOKMARK, /* only |rv| */
} lw_delta_type;

typedef struct lw_delta {
    lw_dlist_node arrival; /* in the queue */
    lw_dlist_node of_key;  /* in the list of its key */
    lw_delta_type type;
    lw_object *object;           /* for the first three types */
    lw_replacement *replacement; /* for REPLACED */
    char *rv;                    /* resourceVersion, for REPLACED and BOOKMARK */
    uint64_t era;                /* number of REPLACED, SYNC and BOOKMARK deltas queued before it */
} lw_delta;

typedef struct lw_delta_fifo lw_delta_fifo;

typedef struct lw_delta_fifo_options {
    bool is_by_key;
    size_t max_deltas; /* 0: LW_DELTA_FIFO_MAX */
} lw_delta_fifo_options;

enum {
    LW_DELTA_FIFO_MAX = 1 << 20,
};

lw_status lw_delta_fifo_new(lw_delta_fifo **out, const lw_delta_fifo_options *options);
void lw_delta_fifo_free(lw_delta_fifo *fifo);

/* Queue a change and take a reference to |obj|.  LW_ERR_NOMEM, LW_ERR_LIMIT: nothing was queued.
 * By key, a second delete of a deleted object is dropped. */
lw_status lw_delta_fifo_add(lw_delta_fifo *fifo, const lw_object *obj);
lw_status lw_delta_fifo_update(lw_delta_fifo *fifo, const lw_object *obj);
lw_status lw_delta_fifo_delete(lw_delta_fifo *fifo, const lw_object *obj);

/* Queue a bookmark, which replaces a bookmark directly before it, and a resync, which is merged
 * with a resync directly before it. */
lw_status lw_delta_fifo_bookmark(lw_delta_fifo *fifo, const char *rv);
lw_status lw_delta_fifo_resync(lw_delta_fifo *fifo);

/* Queues a whole state.  Takes |replacement|, which is finished, also on error. */
lw_status lw_delta_fifo_replace_take(lw_delta_fifo *fifo, lw_replacement *replacement,
                                     const char *rv);

/* Moves the next deltas into |deltas|, a list of lw_delta.arrival that is initialised here: one
 * delta, or by key all deltas of one object, oldest first.  The caller owns them and frees each
 * with lw_delta_free, which removes it from |deltas|.  Returns false and an empty list if the queue
 * is empty.  By key, a popped object may be newer than others that are still queued: the popped
 * changes are complete up to a revision only when the queue is empty, or after a REPLACED or
 * BOOKMARK. */
bool lw_delta_fifo_pop(lw_delta_fifo *fifo, lw_dlist *deltas);
void lw_delta_free(lw_delta *delta);

size_t lw_delta_fifo_count(const lw_delta_fifo *fifo);

/* Returns true if the first Replace was popped and applied (lw_delta_fifo_processed). */
bool lw_delta_fifo_has_synced(const lw_delta_fifo *fifo);
void lw_delta_fifo_processed(lw_delta_fifo *fifo); /* the deltas popped last have been applied */

#endif
