/* SPDX-License-Identifier: Apache-2.0 */
/* queued_event.c -- an event in a queue for handlers. */
#include "informer/delivery/queued_event.h"

#include <string.h>

#include <listwatch/event.h>

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
