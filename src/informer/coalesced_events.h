/* SPDX-License-Identifier: Apache-2.0 */
/* coalesced_events.h -- what a slow listener has yet to be told, merged by object.
 *
 * For each object one record: the state the listener was told last, and the state now.  What it is
 * told later is the difference: nothing of what came and went between, nothing lost of what is.
 *
 *     ADD    then UPDATE  ADD(latest)              UPDATE then DELETE  DELETE(last)
 *     ADD    then DELETE  nothing                  DELETE then ADD     UPDATE(first, latest)
 *     UPDATE then UPDATE  UPDATE(first, latest)
 *
 * Records leave in the order in which their first event came.  One thread at a time. */
#ifndef LW_INFORMER_COALESCED_EVENTS_H
#define LW_INFORMER_COALESCED_EVENTS_H

#include "base/dlist.h"
#include "base/map.h"
#include "informer/queued_event.h"

typedef struct lw_coalesced_events {
    lw_map by_key;
    lw_dlist order;
} lw_coalesced_events;

void lw_coalesced_events_init(lw_coalesced_events *pending);
void lw_coalesced_events_done(lw_coalesced_events *pending);

/* Takes in |notice|, with references of its own.  |*is_merged|: into what was there.
 * LW_ERR_NOMEM: nothing changed. */
lw_status lw_coalesced_events_add(lw_coalesced_events *pending, const lw_queued_event *notice,
                                  bool *is_merged);

/* Takes out what came first; its references are the caller's.  False: there is nothing. */
bool lw_coalesced_events_pop(lw_coalesced_events *pending, lw_queued_event *out);

static inline size_t lw_coalesced_events_count(const lw_coalesced_events *pending)
{
    return lw_map_count(&pending->by_key);
}

#endif
