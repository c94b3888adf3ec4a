/* SPDX-License-Identifier: Apache-2.0 */
/* queued_event.h -- an event in a queue for handlers, with its own references. */
#ifndef LW_INFORMER_DELIVERY_QUEUED_EVENT_H
#define LW_INFORMER_DELIVERY_QUEUED_EVENT_H

#include <listwatch/event.h>

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

#endif
