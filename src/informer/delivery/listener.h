/* SPDX-License-Identifier: Apache-2.0 */
/* listener.h -- the position of one handler in the events, and the processor that it belongs to.
 *
 * The events that a listener has not received yet are in three places.  It gets them in this order:
 *
 *     snapshot   objects of one moment: the initial ones, or those of a resync
 *     coalesced  events coalesced by object, because there were too many
 *     the log    from |cursor| on
 *
 * Order of locks:
 *     join       keeps indexer and log consistent: held during a change, and to add a listener
 *     mu         everything else; never held while a handler runs */
#ifndef LW_INFORMER_DELIVERY_LISTENER_H
#define LW_INFORMER_DELIVERY_LISTENER_H

#include <stdatomic.h>
#include <sys/types.h>

#include "base/dlist.h"
#include "base/sync.h"
#include "informer/delivery/coalesced_events.h"
#include "informer/delivery/event_log.h"
#include "informer/delivery/processor.h"
#include "informer/delivery/snapshot.h"

struct lw_processor {
    lw_processor_options options;
    lw_mutex join;

    lw_mutex mu;  /* guards the rest, and the listeners */
    lw_cond idle; /* a listener has stopped running */
    lw_event_log log;
    lw_dlist listeners; /* of lw_registration.link */
    lw_dlist ready;     /* of lw_registration.ready: in dispatch, with events */
    lw_dlist turn;      /* the same, for the current dispatch */
    lw_dlist leaving;   /* of lw_registration.link: removed by their own handler */
    lw_snapshot *first; /* gets the first list; NULL afterwards */
    uint64_t merged;
    bool has_listeners; /* at the beginning of the current change; no listener can have been added
                           since */
    bool is_synced;
    atomic_bool is_closed; /* written under mu */
};

/* Where lw_registration_take puts events. */
typedef struct lw_taken_events {
    lw_event *events;
    size_t event_size; /* of the program, which may be older than the library */
    size_t count;
} lw_taken_events;

struct lw_registration {
    lw_processor *processor;
    lw_handler handler;
    lw_dlist_node link;
    lw_dlist_node ready;

    lw_snapshot *snapshot;
    size_t snapshot_at; /* index of the next object */
    lw_event_cause snapshot_cause;
    lw_coalesced_events coalesced;
    uint64_t cursor;

    int64_t resync_ns;    /* the period; 0: never */
    int64_t resync_at_ns; /* time of the next resync; LW_NEVER_NS */
    bool is_resync_due;

    bool is_running;
    lw_taken_events *taken; /* while the program takes events; NULL: the handler is called */
    size_t in_hand;         /* events that are being passed to the handler */
    pid_t runner;           /* the thread that runs the handler */
    bool is_doomed;         /* removed by its own handler: the running thread frees it */
    atomic_bool is_removed; /* written under mu */
    atomic_bool is_synced;  /* written under mu */

    lw_thread thread; /* LW_HANDLER_OWN_THREAD, while |has_thread| */
    lw_cond work;     /* the thread waits here */
    bool has_thread;
    bool has_left; /* the thread is about to end */
    int fd;        /* for LW_HANDLER_DRAINED, otherwise -1 */
    bool is_fd_set;
};

lw_status lw_registration__new(lw_registration **out, lw_processor *processor,
                               const lw_handler *handler, lw_error *err);
void lw_registration__free(lw_registration *listener);

/* Starts the thread of LW_HANDLER_OWN_THREAD; does nothing for other modes. */
lw_status lw_registration__start_locked(lw_registration *listener, lw_error *err);

bool lw_registration__has_work_locked(const lw_registration *listener);

/* Returns the number of events that the listener has not received yet. */
uint64_t lw_registration__depth_locked(const lw_registration *listener);

/* Coalesces its events by object if more than its limit are in the log. */
void lw_registration__merge_locked(lw_registration *listener);

/* Sets the objects that the listener gets first; if there are none, the listener is synced. */
void lw_registration__set_snapshot_locked(lw_registration *listener, lw_snapshot *snapshot,
                                          lw_event_cause cause);

/* Notifies its thread, the dispatching thread or the program that there is work. */
void lw_registration__notify_locked(lw_registration *listener);

/* Passes at most |max| events to the handler and returns their number; releases the lock meanwhile.
 * The listener must not be running.  Afterwards the caller must free it if |is_doomed| is set. */
size_t lw_registration__run_locked(lw_registration *listener, size_t max);

/* Removes events from the log that all listeners have received. */
void lw_processor_trim_locked(lw_processor *processor);

#endif
