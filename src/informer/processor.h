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

#include "base/cancel.h"
#include "informer/indexer.h"
#include "informer/replacement.h"

typedef struct lw_processor lw_processor;

typedef struct lw_processor_options {
    lw_indexer *indexer; /* what late joiners are told of */
    const lw_clock *clock;
    int resync_s;            /* what -1 of a handler means; 0: never */
    const lw_cancel *cancel; /* ends what handlers wait for; may be NULL */
    /* A listener in dispatch has something to do, or one that was closed is not running any more:
     * wake the dispatching thread.  Any thread; must not call back. */
    void (*wake)(void *arg);
    /* A listener was told of its initial events.  Any thread, no lock held. */
    void (*on_synced)(void *arg);
    void *arg;
} lw_processor_options;

enum {
    LW_PROCESSOR_PORTION = 1024, /* events one listener is told in one dispatch */
};

lw_status lw_processor_new(lw_processor **out, const lw_processor_options *options, lw_error *err);

/* Stops, and frees all registrations. */
void lw_processor_free(lw_processor *processor);

/* Adds and removes as informer.h says. */
lw_status lw_processor_add(lw_processor *processor, const lw_handler *handler,
                           lw_registration **out, lw_error *err);
void lw_processor_remove(lw_processor *processor, lw_registration *registration);

/* Brackets a change of the indexer and its events, so that a handler that joins sees each change
 * once: it joins before or after, never between.  Room for |max_events| is made before anything
 * changes; LW_ERR_NOMEM: there is none, nothing is begun.  The dispatching thread. */
lw_status lw_processor_begin(lw_processor *processor, size_t max_events);
void lw_processor_end(lw_processor *processor);

/* Between the two, after the indexer shows the change: one event for all listeners, with references
 * of the log's own.  A DELETE may carry the old state as well; handlers are not shown it. */
void lw_processor_distribute(lw_processor *processor, const lw_event *event);

/* Between the two, once: the first list, which is in the indexer and taken here.  Everybody is told
 * of it, object by object, without an event having been made for each. */
void lw_processor_set_synced_take(lw_processor *processor, lw_replacement *first);

/* Every listener is told of every object again. */
void lw_processor_resync(lw_processor *processor);

/* Runs the listeners in dispatch, each for a portion, and begins resyncs that are due.  The
 * dispatching thread. */
void lw_processor_dispatch(lw_processor *processor);

/* When lw_processor_dispatch wants to be called; 0: there is something to do now. */
int64_t lw_processor_deadline_ns(lw_processor *processor);

/* Whether a listener in dispatch has so many events waiting that no more should be read. */
bool lw_processor_is_behind(lw_processor *processor);

/* True when every listener was told of its initial events.  Those that are drained do not count:
 * who waits may be who drains. */
bool lw_processor_is_synced(lw_processor *processor);

/* Whether the calling thread is inside one of the handlers; whether any thread is. */
bool lw_processor_is_caller_inside(lw_processor *processor);
bool lw_processor_is_running(lw_processor *processor);

/* No handler is called any more, except those that are running.  Returns at once.  Any thread. */
void lw_processor_close(lw_processor *processor);

/* Closes, and waits until no handler runs (the caller's own apart). */
void lw_processor_stop(lw_processor *processor);

/* Fills in handler_depth and handler_merged. */
void lw_processor_stats(lw_processor *processor, lw_informer_statistics *stats);

#endif
