/* SPDX-License-Identifier: Apache-2.0 */
/* flow_open.c -- from the options to the limits of concurrent requests. */
#include "server/setup/flow_open.h"

#include "server/endpoints/handler.h"
#include "server/flowcontrol/flow.h"
#include "server/flowcontrol/flow_keeper.h"

static uint32_t limit_of(unsigned option, uint32_t fallback)
{
    return option > 0 ? option : fallback;
}

lw_status lw_server_open_flow(lw_server_parts *parts, const lw_server_options *options,
                              lw_error *err)
{
    uint32_t read_only = limit_of(options->max_requests_inflight, LW_FLOW_READ_ONLY_DEFAULT);
    uint32_t mutating = limit_of(options->max_mutating_requests_inflight, LW_FLOW_MUTATING_DEFAULT);
    lw_in_flight_init(&parts->in_flight, read_only, mutating);
    /* The upstream of a mirror shares out what is passed on to it. */
    if (options->disable_priority_and_fairness || parts->mirror)
        return LW_OK;
    const lw_flow_options flow = {
        .loops = parts->loops->list,
        .loop_count = parts->loops->serving,
        .clock = parts->clock,
        .total_seats = read_only + mutating,
        .serve = lw_server_serve,
        .arg = parts,
    };
    lw_status st = lw_flow_new(&parts->flow, &flow, err);
    if (st == LW_OK)
        st = lw_flow_keeper_start(parts->flow, parts->loops->list[parts->loops->serving], err);
    return st;
}
