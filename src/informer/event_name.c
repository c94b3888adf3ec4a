/* SPDX-License-Identifier: Apache-2.0 */
/* event_name.c -- names of event types and causes. */
#include <listwatch/event.h>

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
