/* SPDX-License-Identifier: Apache-2.0 */
/* event_log.c -- the log of events that some listener has not received yet.
 * Invariant: first <= cursors <= end <= filled <= next place of the ring. */
#include "informer/delivery/event_log.h"

#include <assert.h>
#include <string.h>

#include <listwatch/event.h>

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

static lw_object *ref_or_null(const lw_object *obj)
{
    return obj ? lw_object_ref(obj) : NULL;
}

lw_queued_event lw_queued_event_of_event(const lw_event *event)
{
    return (lw_queued_event){ .object = ref_or_null(event->object),
                              .old_object = ref_or_null(event->old_object),
                              .revision = event->revision,
                              .type = (uint8_t)event->type,
                              .cause = (uint8_t)event->cause,
                              .is_final_state_unknown = event->is_final_state_unknown };
}

lw_queued_event lw_queued_event_copy(const lw_queued_event *queued)
{
    lw_queued_event copy = *queued;
    copy.object = ref_or_null(queued->object);
    copy.old_object = ref_or_null(queued->old_object);
    return copy;
}

void lw_queued_event_done(lw_queued_event *queued)
{
    lw_object_unref(queued->object);
    lw_object_unref(queued->old_object);
    *queued = (lw_queued_event){ 0 };
}

lw_event lw_queued_event_event(const lw_queued_event *queued)
{
    lw_event event = { .type = (lw_event_type)queued->type,
                       .cause = (lw_event_cause)queued->cause,
                       .object = queued->object,
                       .revision = queued->revision,
                       .is_final_state_unknown = queued->is_final_state_unknown };
    if (event.type == LW_EVENT_UPDATE) {
        event.old_object = queued->old_object;
        event.is_uid_changed =
            event.old_object != event.object &&
            strcmp(lw_object_uid(event.old_object), lw_object_uid(event.object)) != 0;
    }
    return event;
}

bool lw_object_is_same_version(const lw_object *a, const lw_object *b)
{
    if (a == b)
        return true;
    const char *rv = lw_object_resource_version(a);
    return rv[0] != '\0' && strcmp(rv, lw_object_resource_version(b)) == 0 &&
           strcmp(lw_object_uid(a), lw_object_uid(b)) == 0;
}

const char *lw_event_type_name(lw_event_type type)
{
    switch (type) {
    case LW_EVENT_ADD: return "ADD";
    case LW_EVENT_UPDATE: return "UPDATE";
    case LW_EVENT_DELETE: return "DELETE";
    }
    return "unknown";
}

const char *lw_event_cause_name(lw_event_cause cause)
{
    switch (cause) {
    case LW_CAUSE_INITIAL: return "initial";
    case LW_CAUSE_WATCH: return "watch";
    case LW_CAUSE_RELIST: return "relist";
    case LW_CAUSE_RESYNC: return "resync";
    }
    return "unknown";
}
