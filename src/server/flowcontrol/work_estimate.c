/* SPDX-License-Identifier: Apache-2.0 */
/* work_estimate.c -- how many seats a request takes. */
#include "server/flowcontrol/work_estimate.h"

#include "base/clock.h"
#include "base/str.h"

enum {
    BYTES_PER_SEAT = 100000,
    LIST_BYTES_MAX = 1000000, /* at once: lists are written piece by piece */
    LIST_SEATS_MAX = 100,
    WATCHES_PER_SEAT = 10,
    CHANGE_SEATS_MAX = 10,
};

#define EVENT_NS (5 * LW_NS_PER_MS) /* that a seat is taken for the events of a change */

static bool is_change(lw_str verb)
{
    return lw_str_equal(verb, LW_STR("create")) || lw_str_equal(verb, LW_STR("update")) ||
           lw_str_equal(verb, LW_STR("patch")) || lw_str_equal(verb, LW_STR("delete"));
}

/* A watch after a known state sends no initial events. */
static bool begins_with_list(lw_str query)
{
    lw_str revision;
    return lw_query_raw_bool(query, LW_STR("sendInitialEvents")) ||
           !lw_query_raw(query, LW_STR("resourceVersion"), &revision) || revision.len == 0 ||
           lw_str_equal(revision, LW_STR("0"));
}

lw_work_class lw_work_class_of(const lw_request_info *info, lw_str query)
{
    if (!info->is_resource)
        return LW_WORK_PLAIN;
    if (lw_str_equal(info->verb, LW_STR("list")))
        return LW_WORK_LIST;
    if (lw_str_equal(info->verb, LW_STR("watch")))
        return begins_with_list(query) ? LW_WORK_LIST : LW_WORK_PLAIN;
    bool makes_token = lw_str_equal(info->resource, LW_STR("serviceaccounts")) &&
                       lw_str_equal(info->subresource, LW_STR("token"));
    return is_change(info->verb) && !makes_token ? LW_WORK_CHANGE : LW_WORK_PLAIN;
}

static uint32_t limit_seats(uint64_t seats, uint32_t level_max, uint32_t max)
{
    if (level_max > 0 && level_max < max)
        max = level_max;
    return seats > max ? max : seats < 1 ? 1 : (uint32_t)seats;
}

static uint64_t list_seats(const lw_request_info *info, lw_str query, const lw_work_facts *facts)
{
    uint64_t objects = facts->objects, limit = 0;
    lw_str text;
    if (facts->objects == 0)
        return 1;
    if (lw_query_raw(query, LW_STR("limit"), &text) && lw_str_to_uint64(text, &limit) &&
        limit > 0 && limit < objects)
        objects = limit;
    if (info->name.len > 0)
        objects = 1;
    uint64_t bytes = objects * (facts->object_bytes / facts->objects);
    if (bytes > LIST_BYTES_MAX)
        bytes = LIST_BYTES_MAX;
    return (bytes + BYTES_PER_SEAT - 1) / BYTES_PER_SEAT;
}

static void estimate_change(lw_flow_work *work, size_t watches, uint32_t max_seats)
{
    if (watches < WATCHES_PER_SEAT)
        return;
    uint64_t seats = (watches + WATCHES_PER_SEAT - 1) / WATCHES_PER_SEAT;
    work->final_seats = limit_seats(seats, max_seats, CHANGE_SEATS_MAX);
    /* The same work on fewer seats takes longer. */
    work->additional_ns = (int64_t)(seats * (uint64_t)EVENT_NS / work->final_seats);
}

void lw_work_estimate(lw_flow_work *work, lw_work_class class, const lw_request_info *info,
                      lw_str query, const lw_work_facts *facts, uint32_t max_seats)
{
    *work = (lw_flow_work){ .initial_seats = 1 };
    if (!facts->is_known)
        return;
    if (class == LW_WORK_LIST)
        work->initial_seats =
            limit_seats(list_seats(info, query, facts), max_seats, LIST_SEATS_MAX);
    else if (class == LW_WORK_CHANGE)
        estimate_change(work, facts->watches, max_seats);
}
