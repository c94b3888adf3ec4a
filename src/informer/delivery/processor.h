/* SPDX-License-Identifier: Apache-2.0 */
/* processor.h -- distributes events from the cache to the handlers: one bounded log of events, and
 * one cursor per handler.
 *
 * The controller appends events.  Each listener reads at its own pace: in dispatch, in its own
 * thread, or drained by the program.  A listener that falls behind its limit no longer keeps events
 * in the log: its events are coalesced by key (the first old state, the latest new one).  So memory
 * is limited by the number of objects, and no final state is lost. */
#ifndef LW_INFORMER_DELIVERY_PROCESSOR_H
#define LW_INFORMER_DELIVERY_PROCESSOR_H

#include <listwatch/informer.h>
#include <listwatch/sys/clock.h>

#include "base/thread/cancel.h"
#include "informer/index/indexer.h"
#include "informer/index/replacement.h"

typedef struct lw_processor lw_processor;

typedef struct lw_processor_options {
    lw_indexer *indexer; /* objects for handlers that are added later */
    const lw_clock *clock;
    int resync_s;            /* resync period if a handler has 0; 0: never */
    const lw_cancel *cancel; /* cancels the requests of handlers; may be NULL */
    /* A listener in dispatch has events, or a closed listener has stopped running: wakes the
     * dispatching thread.  Any thread; must not call back. */
    void (*wake)(void *arg);
    /* A listener has received its initial events.  Any thread, no lock held. */
    void (*on_synced)(void *arg);
    void *arg;
} lw_processor_options;

enum {
    LW_PROCESSOR_PORTION = 1024, /* events that one listener gets per dispatch */
};

lw_status lw_processor_new(lw_processor **out, const lw_processor_options *options, lw_error *err);

/* Stops the processor and frees all registrations. */
void lw_processor_free(lw_processor *processor);

/* Add and remove a handler, see informer.h. */
lw_status lw_processor_add(lw_processor *processor, const lw_handler *handler,
                           lw_registration **out, lw_error *err);
void lw_processor_remove(lw_processor *processor, lw_registration *registration);

/* Begin and end a change of the indexer with its events: a handler that is added sees each change
 * once, because it joins before or after the change.  Space for |max_events| is reserved first;
 * LW_ERR_NOMEM: the change has not begun.  The dispatching thread. */
lw_status lw_processor_begin(lw_processor *processor, size_t max_events);
void lw_processor_end(lw_processor *processor);

/* Appends one event for all listeners, with references of the log; between begin and end, after the
 * indexer has changed.  A DELETE may carry the old state, which handlers do not see. */
void lw_processor_distribute(lw_processor *processor, const lw_event *event);

/* Distributes the first list, which is in the indexer, and takes |first|; between begin and end,
 * once.  All listeners get it object by object; no event is stored per object. */
void lw_processor_set_synced_take(lw_processor *processor, lw_replacement *first);

/* Reports every object to every listener again. */
void lw_processor_resync(lw_processor *processor);

/* Runs the listeners in dispatch, each for a limited number of events, and starts resyncs that are
 * due.  The dispatching thread. */
void lw_processor_dispatch(lw_processor *processor);

/* Returns the time of the next lw_processor_dispatch; 0: now. */
int64_t lw_processor_deadline_ns(lw_processor *processor);

/* Returns true if a listener in dispatch has so many queued events that no more should be read. */
bool lw_processor_is_behind(lw_processor *processor);

/* Returns true if every listener has received its initial events.  Drained listeners do not count:
 * the waiting thread may be the one that drains. */
bool lw_processor_is_synced(lw_processor *processor);

/* Return true if the calling thread, or any thread, is inside a handler. */
bool lw_processor_is_caller_inside(lw_processor *processor);
bool lw_processor_is_running(lw_processor *processor);

/* No handler is called any more, except those that are running.  Does not wait.  Any thread. */
void lw_processor_close(lw_processor *processor);

/* Closes the processor and waits until no handler is running (except the handler of the caller). */
void lw_processor_stop(lw_processor *processor);

/* Sets handler_depth and handler_merged. */
void lw_processor_stats(lw_processor *processor, lw_informer_statistics *stats);

#endif
