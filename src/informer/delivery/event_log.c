/* SPDX-License-Identifier: Apache-2.0 */
/* event_log.c -- the log of events that some listener has not received yet.
 * Invariant: first <= cursors <= end <= filled <= next place of the ring. */
#include "informer/delivery/event_log.h"

#include <assert.h>

void lw_event_log_init(lw_event_log *log)
{
    lw_ring_init(&log->ring, sizeof(lw_queued_event), LW_EVENT_LOG_MAX, 0);
    log->filled = 0;
    log->end = 0;
}

void lw_event_log_done(lw_event_log *log)
{
    lw_event_log_publish(log);
    lw_event_log_trim(log, log->end);
    lw_ring_done(&log->ring);
}

lw_status lw_event_log_reserve(lw_event_log *log, size_t count)
{
    const lw_queued_event nothing = { 0 };
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && i < count; i++)
        st = lw_ring_push(&log->ring, &nothing, NULL);
    return st;
}

void lw_event_log_append(lw_event_log *log, const lw_event *event)
{
    lw_queued_event *place = lw_ring_at(&log->ring, log->filled);
    assert(place && "more events than were reserved");
    *place = lw_queued_event_of_event(event);
    log->filled++;
}

void lw_event_log_publish(lw_event_log *log)
{
    log->end = lw_ring_next_seq(&log->ring);
    log->filled = log->end;
}

const lw_queued_event *lw_event_log_at(const lw_event_log *log, uint64_t seq)
{
    assert(seq < log->end);
    return lw_ring_at(&log->ring, seq);
}

void lw_event_log_trim(lw_event_log *log, uint64_t seq)
{
    lw_queued_event queued;
    assert(seq <= log->end);
    while (lw_ring_first_seq(&log->ring) < seq && lw_ring_pop(&log->ring, &queued))
        lw_queued_event_done(&queued);
}
