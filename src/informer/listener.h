/* SPDX-License-Identifier: Apache-2.0 */
/* listener.h -- one handler on its way through the events, and the processor it belongs to.
 *
 * What a listener has yet to be told lies in three places, told in this order:
 *
 *     snapshot   objects of one moment: the initial ones, or those of a resync
 *     pending    events merged by object, because there were too many
 *     the log    from |cursor| on
 *
 * Locks, in this order:
 *     join       an indexer and log that agree: held from begin to end of a change, and to join
 *     mu         everything else; never while a handler runs */
#ifndef LW_INFORMER_LISTENER_H
#define LW_INFORMER_LISTENER_H

#include <stdatomic.h>
#include <sys/types.h>

#include "base/dlist.h"
#include "base/sync.h"
#include "informer/coalesced_events.h"
#include "informer/event_log.h"
#include "informer/processor.h"
#include "informer/snapshot.h"

struct lw_processor {
    lw_processor_options options;
    lw_mutex join;

    lw_mutex mu;  /* guards the rest, and the listeners */
    lw_cond idle; /* a listener does not run any more */
    lw_event_log log;
    lw_dlist listeners; /* of lw_registration.link */
    lw_dlist ready;     /* of lw_registration.ready: in dispatch, with something to do */
    lw_dlist turn;      /* the same, of the dispatch under way */
    lw_dlist leaving;   /* of lw_registration.link: removed from within their handler */
    lw_snapshot *first; /* gets the first list; NULL once it is there */
    uint64_t merged;
    bool has_listeners; /* when the change under way began; nobody can have joined since */
    bool is_synced;
    atomic_bool is_closed; /* written under mu */
};

struct lw_registration {
    lw_processor *processor;
    lw_handler handler;
    lw_dlist_node link;
    lw_dlist_node ready;

    lw_snapshot *snapshot;
    size_t snapshot_at; /* the next of it */
    lw_event_cause snapshot_cause;
    lw_coalesced_events pending;
    uint64_t cursor;

    int64_t resync_ns;    /* the period; 0: never */
    int64_t resync_at_ns; /* when the next one is due; LW_NEVER_NS */
    bool is_resync_due;

    bool is_running;
    size_t in_hand;         /* events taken that it is being told */
    pid_t runner;           /* while it runs */
    bool is_doomed;         /* removed from within: the runner frees it */
    atomic_bool is_removed; /* written under mu */
    atomic_bool is_synced;  /* written under mu */

    lw_thread thread; /* LW_HANDLER_OWN_THREAD, while |has_thread| */
    lw_cond work;     /* ... which waits here */
    bool has_thread;
    bool has_left; /* the thread is about to end */
    int fd;        /* LW_HANDLER_DRAINED; else -1 */
    bool is_fd_set;
};

lw_status lw_registration__new(lw_registration **out, lw_processor *processor,
                               const lw_handler *handler, lw_error *err);
void lw_registration__free(lw_registration *listener);

/* Starts the thread of LW_HANDLER_OWN_THREAD; nothing for the others. */
lw_status lw_registration__start_locked(lw_registration *listener, lw_error *err);

bool lw_registration__has_work_locked(const lw_registration *listener);

/* Events it has yet to be told. */
uint64_t lw_registration__depth_locked(const lw_registration *listener);

/* Merges its events by object when there are more than it wants in the log. */
void lw_registration__merge_locked(lw_registration *listener);

/* Gives it the objects to be told first; counted as synced where there are none. */
void lw_registration__set_snapshot_locked(lw_registration *listener, lw_snapshot *snapshot,
                                          lw_event_cause cause);

/* Lets its thread, the dispatching one or the program know that there is something to do. */
void lw_registration__notify_locked(lw_registration *listener);

/* Tells it at most |max| events, with the lock given up meanwhile; returns how many.  It is not
 * running, and |is_doomed| says afterwards whether it must be freed. */
size_t lw_registration__run_locked(lw_registration *listener, size_t max);

/* Forgets events of the log that everybody was told. */
void lw_processor_trim_locked(lw_processor *processor);

#endif
