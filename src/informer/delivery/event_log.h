/* SPDX-License-Identifier: Apache-2.0 */
/* event_log.h -- queued events, and the log of events that some listener has not received yet.
 *
 * A listener has a cursor, the number of its next event.  Space is reserved before the cache
 * changes, so that appending cannot fail afterwards; reserved places that are not needed become
 * events of type 0, which readers skip.  Readers see only published events.  One thread at a
 * time. */
#ifndef LW_INFORMER_DELIVERY_EVENT_LOG_H
#define LW_INFORMER_DELIVERY_EVENT_LOG_H

#include <listwatch/event.h>

#include "base/ring.h"

/* An event in a queue for handlers, with its own references. */
typedef struct lw_queued_event {
    lw_object *object;
    lw_object *old_object; /* the previous state, also for a DELETE; may be NULL */
    uint64_t revision;
    uint8_t type;  /* lw_event_type; 0: skipped */
    uint8_t cause; /* lw_event_cause */
    bool is_final_state_unknown;
} lw_queued_event;

/* Copy an event and take references to its objects; never fail. */
lw_queued_event lw_queued_event_of_event(const lw_event *event);
lw_queued_event lw_queued_event_copy(const lw_queued_event *queued);

/* Releases the references. */
void lw_queued_event_done(lw_queued_event *queued);

/* Returns the event for a handler; borrowed from |queued|. */
lw_event lw_queued_event_event(const lw_queued_event *queued);

/* Returns true if both are the same version of the same object, so that there is no event. */
bool lw_object_is_same_version(const lw_object *a, const lw_object *b);

enum {
    LW_EVENT_LOG_MAX = 1 << 28, /* events; listeners coalesce theirs long before */
};

typedef struct lw_event_log {
    lw_ring ring;    /* of lw_queued_event */
    uint64_t filled; /* the next reserved place */
    uint64_t end;    /* events before it are published */
} lw_event_log;

void lw_event_log_init(lw_event_log *log);
void lw_event_log_done(lw_event_log *log);

/* Reserves space for |count| more events.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_event_log_reserve(lw_event_log *log, size_t count);

/* Appends |event| in the next reserved place. */
void lw_event_log_append(lw_event_log *log, const lw_event *event);

/* Publishes the appended events and releases unused reserved places. */
void lw_event_log_publish(lw_event_log *log);

/* Returns the event |seq|, which must be published and not trimmed.  Valid until the next reserve
 * or trim. */
const lw_queued_event *lw_event_log_at(const lw_event_log *log, uint64_t seq);

/* Removes the events before |seq|. */
void lw_event_log_trim(lw_event_log *log, uint64_t seq);

#endif
