/* SPDX-License-Identifier: Apache-2.0 */
/* queued_event.h -- an event on its way to handlers, with references of its own. */
#ifndef LW_INFORMER_QUEUED_EVENT_H
#define LW_INFORMER_QUEUED_EVENT_H

#include <listwatch/event.h>

typedef struct lw_queued_event {
    lw_object *object;
    lw_object *old_object; /* as it was told before, of a DELETE too; may be NULL */
    uint64_t revision;
    uint8_t type;  /* lw_event_type; 0: nothing to tell */
    uint8_t cause; /* lw_event_cause */
    bool is_final_state_unknown;
} lw_queued_event;

/* |event| with further references to its objects; never fails. */
lw_queued_event lw_queued_event_of_event(const lw_event *event);
lw_queued_event lw_queued_event_copy(const lw_queued_event *notice);

/* Gives the references back. */
void lw_queued_event_done(lw_queued_event *notice);

/* What a handler is shown; borrowed from |notice|. */
lw_event lw_queued_event_event(const lw_queued_event *notice);

/* Whether both are the same version of the same object: there is nothing to tell. */
bool lw_object_is_same_version(const lw_object *a, const lw_object *b);

#endif
