/* SPDX-License-Identifier: Apache-2.0 */
/* flow_scenarios.c -- flow control, with every allocation failing in turn: a request that cannot be
 * counted is served, a configuration that cannot be applied changes nothing. */
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "oom/oom.h"
#include "server/flowcontrol/flow.h"
#include "server/flowcontrol/flow_report.h"
#include "support/fake_http.h"

static const char level[] =
    "{\"metadata\":{\"name\":\"l\",\"uid\":\"1\"},\"spec\":{\"type\":\"Limited\",\"limited\":{"
    "\"nominalConcurrencyShares\":1,\"borrowingLimitPercent\":0,\"limitResponse\":{"
    "\"type\":\"Queue\",\"queuing\":{\"queues\":4,\"handSize\":2,\"queueLengthLimit\":5}}}}}";
static const char schema[] =
    "{\"metadata\":{\"name\":\"s\",\"uid\":\"2\"},\"spec\":{\"priorityLevelConfiguration\":{"
    "\"name\":\"l\"},\"matchingPrecedence\":10,\"rules\":[{\"subjects\":[{\"kind\":\"User\","
    "\"user\":{\"name\":\"*\"}}],\"resourceRules\":[{\"verbs\":[\"*\"],\"apiGroups\":[\"*\"],"
    "\"resources\":[\"*\"],\"namespaces\":[\"*\"]}]}]}}";

static void serve(lw_http_stream *stream, void *arg)
{
    (void)arg;
    lw_http_stream_closed(stream);
}

static lw_status shows_itself(lw_flow *flow)
{
    lw_buf out;
    lw_buf_init(&out, 1 << 20);
    lw_flow_write_metrics(lw_flow_control_of(flow), &out);
    lw_flow_write_dump(lw_flow_control_of(flow),
                       LW_STR("/debug/api_priority_and_fairness/dump_requests"), LW_STR(""), &out);
    lw_status st = out.st;
    lw_buf_done(&out);
    return st;
}

/* Two requests for one seat, and a watch. */
static lw_status send_requests(lw_flow *flow, lw_loop *loop)
{
    static const lw_user user = { .name = LW_STR_INIT("u") };
    static const char *const targets[] = { "/api/v1/namespaces/n/pods/a",
                                           "/api/v1/namespaces/n/pods?watch=1",
                                           "/api/v1/namespaces/n/pods/b" };
    enum {
        COUNT = sizeof(targets) / sizeof(targets[0]),
    };
    fake_http *open[COUNT] = { NULL };
    lw_status st = LW_OK;
    for (size_t i = 0; i < COUNT && st == LW_OK; i++) {
        const fake_http_request request = { .method = "GET", .target = targets[i] };
        open[i] = fake_http_new(loop, &request);
        if (open[i]) {
            lw_request_info info;
            lw_request_info_read(&info, &open[i]->stream.request);
            (void)lw_flow_admit(flow, &open[i]->stream, &info, &user);
        } else {
            st = LW_ERR_NOMEM;
        }
    }
    if (st == LW_OK)
        st = shows_itself(flow);
    for (size_t i = 0; i < COUNT; i++) {
        fake_http_free(open[i]);
        (void)lw_loop_turn(loop, 0, NULL);
    }
    return st;
}

static lw_status limits_requests(lw_error *err)
{
    lw_loop *loop = NULL;
    lw_flow *flow = NULL;
    lw_dlist dispatched;
    lw_status st = lw_loop_new(&loop, NULL, err);
    if (st < 0)
        return st;
    const lw_flow_options options = {
        .loops = &loop,
        .loop_count = 1,
        .clock = lw_clock_system(),
        .total_seats = 2,
        .serve = serve,
    };
    lw_dlist_init(&dispatched);
    st = lw_flow_new(&flow, &options, err);
    const lw_str levels[] = { lw_str_of(level) }, schemas[] = { lw_str_of(schema) };
    if (st == LW_OK)
        st = lw_flow_control_apply(lw_flow_control_of(flow), levels, 1, schemas, 1, &dispatched);
    if (st == LW_OK)
        st = send_requests(flow, loop);
    if (flow)
        lw_flow_control_adjust(lw_flow_control_of(flow), &dispatched);
    lw_loop_free(loop);
    lw_flow_free(flow);
    return st;
}

const oom_scenario flow_scenarios[] = {
    { "limits_requests", limits_requests },
};
const size_t flow_scenario_count = sizeof(flow_scenarios) / sizeof(flow_scenarios[0]);
