/* SPDX-License-Identifier: Apache-2.0 */
/* fault_watches.c -- breaks the open watches of a loop. */
#include "api/context/port.h"
#include "api/read/watch_stream.h"
#include "base/str.h"
#include "object/api_errors.h"
#include "server/faults/faults.h"

enum {
    ENDS_CLEANLY = 1, /* instead of a status */
};

static bool is_of(const lw_watch_stream *watch, const char *resource)
{
    lw_api_watch about;
    lw_watch_stream_describe(watch, &about);
    if (lw_faults_is_exempt(about.request))
        return false;
    if (!resource)
        return true;
    lw_str name = about.kind->plural, text = lw_str_of(resource);
    if (!lw_str_starts_with(text, name))
        return false;
    lw_str group = lw_str_make(text.ptr + name.len, text.len - name.len);
    if (group.len == 0)
        return about.kind->group.len == 0;
    return group.ptr[0] == '.' &&
           lw_str_equal(lw_str_make(group.ptr + 1, group.len - 1), about.kind->group);
}

static void break_watch(lw_watch_stream *watch, int status)
{
    lw_api_status error;
    if (status == 0) {
        lw_watch_stream_abort(watch);
    } else if (status == ENDS_CLEANLY) {
        lw_watch_stream_end(watch);
    } else {
        lw_request_info info;
        lw_request_info_read(&info, &lw_watch_stream_http(watch)->request);
        lw_faults_status(&error, &(lw_fault_effect){ .status = status }, &info);
        lw_watch_stream_end_with(watch, &error);
    }
}

size_t lw_faults_break_watches(lw_loop *loop, const char *resource, int status)
{
    lw_api_port *port = lw_loop_data(loop);
    size_t count = 0;
    if (!port)
        return 0;
    lw_dlist_node *next = NULL;
    for (lw_dlist_node *node = lw_dlist_first(&port->watches); node; node = next) {
        next = lw_dlist_next(&port->watches, node);
        lw_watch_stream *watch = lw_watch_stream_of(node);
        if (!is_of(watch, resource))
            continue;
        break_watch(watch, status);
        count++;
    }
    return count;
}
