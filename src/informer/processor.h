/* SPDX-License-Identifier: Apache-2.0 */
/* processor.h -- from the cache to the handlers: one bounded log of events, a cursor a handler.
 *
 * The controller appends; each listener follows at its own pace, in dispatch, in a thread of its
 * own, or drained by the program.  A listener that falls behind more than its bound no longer holds
 * the log: its events wait merged by key (the first old state, the latest new one), so memory is
 * bounded by the number of objects and nothing is lost. */
#ifndef LW_INFORMER_PROCESSOR_H
#define LW_INFORMER_PROCESSOR_H

#include <listwatch/informer.h>
#include <listwatch/sys/clock.h>

#include "informer/indexer.h"

typedef struct lw_processor lw_processor;

typedef struct lw_processor_options {
    lw_indexer *indexer; /* what late joiners are told of */
    const lw_clock *clock;
    int resync_s; /* what -1 of a handler means */
    /* A listener in dispatch has something to do: wake the dispatching thread.  Any thread. */
    void (*wake)(void *arg);
    void *arg;
} lw_processor_options;

lw_status lw_processor_new(lw_processor **out, const lw_processor_options *options, lw_error *err);
void lw_processor_free(lw_processor *processor);

/* Adds and removes as informer.h says; |is_synced| tells whether the informer is. */
lw_status lw_processor_add(lw_processor *processor, const lw_handler *handler,
                           lw_registration **out, lw_error *err);
void lw_processor_remove(lw_processor *processor, lw_registration *registration);

/* One event for all listeners; |event|'s objects get references of the log's own.  The controller's
 * thread, after the indexer shows the change.  LW_ERR_NOMEM: nobody was told; the
 * caller relists, which tells everybody of what differs. */
lw_status lw_processor_distribute(lw_processor *processor, const lw_event *event);

/* Brackets changes to the indexer and their events, so that a handler that joins sees each change
 * once: it joins before or after, never between. */
void lw_processor_begin(lw_processor *processor);
void lw_processor_end(lw_processor *processor);

/* The informer's first list is in the cache and distributed. */
void lw_processor_set_synced(lw_processor *processor);

/* Runs the listeners in dispatch; and resyncs that are due.  The dispatching thread. */
void lw_processor_dispatch(lw_processor *processor);
int64_t lw_processor_deadline_ns(const lw_processor *processor);

/* True when every listener was told of its initial events. */
bool lw_processor_is_synced(const lw_processor *processor);

/* No handler runs any more when this returns (the caller's own apart). */
void lw_processor_stop(lw_processor *processor);

void lw_processor_stats(const lw_processor *processor, lw_informer_statistics *stats);

#endif
