/* SPDX-License-Identifier: Apache-2.0 */
/* coalesced_events.h -- the events that a slow listener has not received yet, coalesced by object.
 *
 * There is one record per object: the state that the listener received last, and the current state.
 * The listener gets the difference of the two: intermediate states are skipped, no final state is
 * lost.
 *
 *     ADD    then UPDATE  ADD(latest)              UPDATE then DELETE  DELETE(last)
 *     ADD    then DELETE  nothing                  DELETE then ADD     UPDATE(first, latest)
 *     UPDATE then UPDATE  UPDATE(first, latest)
 *
 * Records are popped in the order of their first event.  One thread at a time. */
#ifndef LW_INFORMER_DELIVERY_COALESCED_EVENTS_H
#define LW_INFORMER_DELIVERY_COALESCED_EVENTS_H

#include "base/dlist.h"
#include "base/map.h"
#include "informer/delivery/event_log.h"

typedef struct lw_coalesced_events {
    lw_map by_key;
    lw_dlist order;
} lw_coalesced_events;

void lw_coalesced_events_init(lw_coalesced_events *coalesced);
void lw_coalesced_events_done(lw_coalesced_events *coalesced);

/* Adds the event |queued| and takes references to its objects.  |*is_merged| is true if there was a
 * record of the object.  LW_ERR_NOMEM: nothing changed. */
lw_status lw_coalesced_events_add(lw_coalesced_events *coalesced, const lw_queued_event *queued,
                                  bool *is_merged);

/* Removes the oldest record and returns its event; the caller owns the references.  Returns false
 * if there is none. */
bool lw_coalesced_events_pop(lw_coalesced_events *coalesced, lw_queued_event *out);

static inline size_t lw_coalesced_events_count(const lw_coalesced_events *coalesced)
{
    return lw_map_count(&coalesced->by_key);
}

#endif
