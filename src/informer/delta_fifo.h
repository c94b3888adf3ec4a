/* SPDX-License-Identifier: Apache-2.0 */
/* delta_fifo.h -- the queue of changes between the reflector and the controller.
 *
 * A map from key to the Deltas of that key, and one list of all deltas in the order they came.  It
 * is drained in arrival order (one delta at a time), or by key (all Deltas of the key that waits
 * longest, so that a slow consumer is shown the latest).  Replace, resync and bookmark are single
 * items that keep their place: nothing queued before them is overtaken. Invariant: the deltas of
 * one key leave in the order they came.  One thread at a time. */
#ifndef LW_INFORMER_DELTA_FIFO_H
#define LW_INFORMER_DELTA_FIFO_H

#include <listwatch/object.h>

#include "base/dlist.h"
#include "informer/replacement.h"

typedef enum lw_delta_type {
    LW_DELTA_ADDED = 1,
    LW_DELTA_UPDATED,
    LW_DELTA_DELETED,
    LW_DELTA_REPLACED, /* the whole state: |replacement| */
    LW_DELTA_SYNC,     /* tell handlers of every object again */
    LW_DELTA_BOOKMARK, /* only |rv| */
} lw_delta_type;

typedef struct lw_delta {
    lw_dlist_node arrival; /* in the queue */
    lw_dlist_node of_key;  /* in the Deltas of its key */
    lw_delta_type type;
    lw_object *object;           /* of the first three */
    lw_replacement *replacement; /* of REPLACED */
    char *rv;                    /* resourceVersion of REPLACED and BOOKMARK */
    uint64_t era;                /* how many REPLACED, SYNC and BOOKMARK were queued before it */
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

/* Each takes its own reference.  LW_ERR_NOMEM, LW_ERR_LIMIT: nothing was queued.  By key, a second
 * delete of what is deleted already says nothing new and is dropped. */
lw_status lw_delta_fifo_add(lw_delta_fifo *fifo, const lw_object *obj);
lw_status lw_delta_fifo_update(lw_delta_fifo *fifo, const lw_object *obj);
lw_status lw_delta_fifo_delete(lw_delta_fifo *fifo, const lw_object *obj);

/* A bookmark right behind another takes its place; a resync right behind another is the same. */
lw_status lw_delta_fifo_bookmark(lw_delta_fifo *fifo, const char *rv);
lw_status lw_delta_fifo_resync(lw_delta_fifo *fifo);

/* Queues a whole state, which is finished and taken, on error too. */
lw_status lw_delta_fifo_replace_take(lw_delta_fifo *fifo, lw_replacement *replacement,
                                     const char *rv);

/* Moves what is next into |deltas|, a list of lw_delta.arrival that is initialised here: one delta,
 * or by key all deltas of one object, oldest first.  They are the caller's: free each with
 * lw_delta_free, which takes it out of |deltas|.  False, and an empty list: there is none.
 * By key the object popped may be newer than others that still wait: what has been popped is
 * complete up to a revision only where the queue is empty or after a REPLACED or BOOKMARK. */
bool lw_delta_fifo_pop(lw_delta_fifo *fifo, lw_dlist *deltas);
void lw_delta_free(lw_delta *delta);

size_t lw_delta_fifo_count(const lw_delta_fifo *fifo);

/* True when the first Replace was popped and told to be done (lw_delta_fifo_processed). */
bool lw_delta_fifo_has_synced(const lw_delta_fifo *fifo);
void lw_delta_fifo_processed(lw_delta_fifo *fifo); /* what was popped last has been applied */

#endif
