/* SPDX-License-Identifier: Apache-2.0 */
/* watch_event.c -- names of event types. */
#include <listwatch/watch_event.h>

static const char *const type_names[] = {
    [LW_WATCH_ADDED] = "ADDED",     [LW_WATCH_MODIFIED] = "MODIFIED",
    [LW_WATCH_DELETED] = "DELETED", [LW_WATCH_BOOKMARK] = "BOOKMARK",
    [LW_WATCH_ERROR] = "ERROR",
};

const char *lw_watch_event_type_name(lw_watch_event_type type)
{
    return type >= LW_WATCH_ADDED && type <= LW_WATCH_ERROR ? type_names[type] : "";
}

bool lw_watch_event_type_parse(lw_str name, lw_watch_event_type *type)
{
    for (int i = LW_WATCH_ADDED; i <= LW_WATCH_ERROR; i++) {
        if (lw_str_equal(name, lw_str_of(type_names[i]))) {
            *type = (lw_watch_event_type)i;
            return true;
        }
    }
    return false;
}
