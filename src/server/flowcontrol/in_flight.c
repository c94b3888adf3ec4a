/* SPDX-License-Identifier: Apache-2.0 */
/* in_flight.c -- the plain limits of requests in progress. */
#include "server/flowcontrol/in_flight.h"

#include "api/http/request_info.h"
#include "base/container_of.h"
#include "base/str.h"
#include "server/flowcontrol/flow.h"

static void on_closed(lw_http_stream *stream, lw_http_admission *admission)
{
    lw_in_flight_class *class = LW_CONTAINER_OF(admission, lw_in_flight_class, admission);
    (void)stream;
    atomic_fetch_sub_explicit(&class->count, 1, memory_order_relaxed);
}

static void class_init(lw_in_flight_class *class, uint32_t limit)
{
    *class = (lw_in_flight_class){ .admission = { .closed = on_closed }, .limit = limit };
    atomic_init(&class->count, 0);
}

void lw_in_flight_init(lw_in_flight *in_flight, uint32_t read_only, uint32_t mutating)
{
    class_init(&in_flight->read_only, read_only);
    class_init(&in_flight->mutating, mutating);
}

static bool is_master(const lw_user *user)
{
    for (size_t i = 0; i < user->group_count; i++) {
        if (lw_str_equal(user->groups[i], LW_STR(LW_GROUP_MASTERS)))
            return true;
    }
    return false;
}

static bool take_place(lw_in_flight_class *class)
{
    if (atomic_fetch_add_explicit(&class->count, 1, memory_order_relaxed) < class->limit)
        return true;
    atomic_fetch_sub_explicit(&class->count, 1, memory_order_relaxed);
    return false;
}

bool lw_in_flight_admit(lw_in_flight *in_flight, lw_http_stream *stream,
                        const lw_request_info *info, const lw_user *user)
{
    lw_in_flight_class *class =
        lw_request_info_is_read_only(info) ? &in_flight->read_only : &in_flight->mutating;
    if (class->limit == 0 || lw_str_equal(info->verb, LW_STR("watch")) ||
        lw_request_info_is_long_running(info))
        return true;
    if (take_place(class)) {
        stream->admission = &class->admission;
        return true;
    }
    if (is_master(user))
        return true;
    lw_flow_reply_too_many(stream, 1);
    return false;
}
