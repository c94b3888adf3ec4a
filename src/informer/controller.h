/* SPDX-License-Identifier: Apache-2.0 */
/* controller.h -- takes changes out of the queue, makes them in the cache, and has them told.
 * One thread at a time. */
#ifndef LW_INFORMER_CONTROLLER_H
#define LW_INFORMER_CONTROLLER_H

#include "informer/delta_fifo.h"
#include "informer/indexer.h"
#include "informer/processor.h"

typedef struct lw_controller {
    lw_delta_fifo *fifo;
    lw_indexer *indexer;
    lw_processor *processor;
    bool is_by_key;  /* as the queue */
    bool has_synced; /* the first list is in the indexer */
    uint64_t newest; /* by key: the latest revision that left the queue */
    /* A change could not be made for lack of memory: what follows it is left out as well, up to the
     * next list, which says everything. */
    bool is_broken;
    bool wants_relist; /* tell the reflector (lw_reflector_recover), then lower it */
} lw_controller;

/* Makes the changes that are queued, |max| of them at most: what is left waits in the queue until
 * handlers in dispatch have been told of these. */
void lw_controller_run(lw_controller *controller, size_t max);

#endif
