/* SPDX-License-Identifier: Apache-2.0 */
/* controller.h -- takes changes from the queue, applies them to the cache, and distributes them as
 * events.  One thread at a time. */
#ifndef LW_INFORMER_CONTROLLER_H
#define LW_INFORMER_CONTROLLER_H

#include "informer/delivery/processor.h"
#include "informer/delta_fifo.h"
#include "informer/index/indexer.h"

typedef struct lw_controller {
    lw_delta_fifo *fifo;
    lw_indexer *indexer;
    lw_processor *processor;
    bool is_by_key;  /* the mode of the queue */
    bool has_synced; /* the first list is in the indexer */
    /* The indexer has saved objects that the handlers know: they get only the differences between
     * these and the first list. */
    bool tells_changes;
    uint64_t changes; /* objects that were added or changed one by one, so far */
    uint64_t newest;  /* by key: the newest revision that left the queue */
    /* A change could not be applied because memory ran out: all following changes are skipped until
     * the next list, which contains the whole state. */
    bool is_broken;
    bool wants_relist; /* the caller calls lw_reflector_recover, then resets it */
} lw_controller;

/* Applies the queued changes, at most |max|.  The rest stays in the queue until the handlers in
 * dispatch have processed these. */
void lw_controller_run(lw_controller *controller, size_t max);

#endif
