/* SPDX-License-Identifier: Apache-2.0 */
/* event.h -- the events of an informer: an object was added, updated or deleted, and how the
 * informer learned of it. */
#ifndef LISTWATCH_EVENT_H
#define LISTWATCH_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/api.h>
#include <listwatch/error.h>
#include <listwatch/object.h>

LW_BEGIN_DECLS

typedef enum lw_event_type {
    LW_EVENT_ADD = 1,
    LW_EVENT_UPDATE,
    LW_EVENT_DELETE,
} lw_event_type;

/* How the informer learned of the change. */
typedef enum lw_event_cause {
    LW_CAUSE_INITIAL = 1, /* it existed when the informer started, or when the handler was added */
    LW_CAUSE_WATCH,
    LW_CAUSE_RELIST, /* found by comparing a new list with the cache: changes in between are not
                        reported one by one */
    LW_CAUSE_RESYNC, /* nothing has changed; the resync period is over */
} lw_event_cause;

/* One event.  Objects are borrowed: take a reference to keep one. */
typedef struct lw_event {
    lw_event_type type;
    lw_event_cause cause;
    const lw_object *object;     /* the current state; for a DELETE, the last known state */
    const lw_object *old_object; /* the previous state for an UPDATE, otherwise NULL */
    uint64_t revision;           /* revision of the event; 0: unknown */
    bool is_uid_changed;         /* an UPDATE that was a delete and a create with the same name */
    bool is_final_state_unknown; /* a DELETE that was found by a relist: |object| may be stale */
} lw_event;

/* Return the name of a type ("ADD", "UPDATE", "DELETE") and of a cause ("initial", "watch",
 * "relist", "resync"). */
LW_API const char *lw_event_type_name(lw_event_type type);
LW_API const char *lw_event_cause_name(lw_event_cause cause);

/* The thread that calls a handler. */
typedef enum lw_handler_mode {
    LW_HANDLER_IN_DISPATCH, /* the thread that dispatches (with lw_factory_start, the thread of the
                               factory) */
    LW_HANDLER_OWN_THREAD,  /* a thread of its own; a slow handler does not delay others */
    LW_HANDLER_DRAINED,     /* the thread that calls lw_registration_drain; with
                               lw_registration_take, none */
} lw_handler_mode;

/* A handler of events.  A handler is called for one event at a time, in the order of the changes of
 * each object, and after the cache contains the change. */
typedef struct lw_handler {
    void (*on_event)(const lw_event *event, void *arg); /* may be NULL for LW_HANDLER_DRAINED */
    void *arg;
    lw_handler_mode mode;
    int resync_s; /* resync period in seconds: every object is reported again, after all earlier
                     events; 0: the period of the informer, which inherits that of the factory;
                     -1: never */
    size_t max_pending; /* number of queued events above which the events of one object are
                           coalesced into one; 0: LW_HANDLER_PENDING */
} lw_handler;

enum {
    LW_HANDLER_PENDING = 65536,
};

LW_END_DECLS

#endif
