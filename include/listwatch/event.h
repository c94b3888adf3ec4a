/* SPDX-License-Identifier: Apache-2.0 */
/* event.h -- what an informer tells a program: an object came, changed or went, and why we know. */
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

/* How the informer learned of it. */
typedef enum lw_event_cause {
    LW_CAUSE_INITIAL = 1, /* it was there when the informer started, or the handler joined */
    LW_CAUSE_WATCH,
    LW_CAUSE_RELIST, /* found by comparing a new list with the cache: what happened between is lost
                      */
    LW_CAUSE_RESYNC, /* nothing happened; the period is over */
} lw_event_cause;

/* One event.  Objects are borrowed: take a reference to keep one. */
typedef struct lw_event {
    lw_event_type type;
    lw_event_cause cause;
    const lw_object *object;     /* as it is now; of a DELETE the last state that is known */
    const lw_object *old_object; /* of an UPDATE what it was; else NULL */
    uint64_t revision;           /* of the event; 0: not known */
    bool is_uid_changed;         /* an UPDATE that was a delete and a create under the same name */
    bool is_final_state_unknown; /* a DELETE found by a relist: |object| may be stale */
} lw_event;

/* "ADD", "UPDATE", "DELETE" and "initial", "watch", "relist", "resync". */
LW_API const char *lw_event_type_name(lw_event_type type);
LW_API const char *lw_event_cause_name(lw_event_cause cause);

/* How a handler is called. */
typedef enum lw_handler_mode {
    LW_HANDLER_IN_DISPATCH, /* by the thread that dispatches (with lw_factory_start: its own) */
    LW_HANDLER_OWN_THREAD,  /* by a thread made for this handler; a slow one delays nobody */
    LW_HANDLER_DRAINED,     /* by lw_registration_drain, in a thread of the program's choice */
} lw_handler_mode;

/* Who wants to know.  Calls for one handler come one after the other, for one object in the order
 * of its changes, and after the cache shows the change. */
typedef struct lw_handler {
    void (*on_event)(const lw_event *event, void *arg);
    void *arg;
    lw_handler_mode mode;
    int resync_s; /* every object again after this long, once all that happened before has been
                     told; 0: never, -1: the informer's period */
    size_t max_pending; /* events waiting for a slow handler, beyond which those of one object are
                           merged into one; 0: LW_HANDLER_PENDING */
} lw_handler;

enum {
    LW_HANDLER_PENDING = 65536,
};

LW_END_DECLS

#endif
