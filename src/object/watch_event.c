/* SPDX-License-Identifier: Apache-2.0 */
/* watch_event.c -- names of event types, and events onto the wire. */
#include "object/watch_event.h"

#include "object/object.h"

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

void lw_watch_event__write(lw_buf *out, lw_watch_event_type type, const lw_object *obj, uint64_t rv)
{
    lw_buf_append_text(out, "{\"type\":\"");
    lw_buf_append_text(out, lw_watch_event_type_name(type));
    lw_buf_append_text(out, "\",\"object\":");
    lw_object__write(obj, rv, out);
    lw_buf_append_text(out, "}\n");
}
