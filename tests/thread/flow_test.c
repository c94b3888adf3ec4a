/* SPDX-License-Identifier: Apache-2.0 */
/* flow_test.c -- flow control with several loops: requests of one loop free the seats that those of
 * another wait for, while the configuration changes and is shown. */
#include "server/flowcontrol/flow.h"

#include <stdatomic.h>

#include "base/clock.h"
#include "base/str.h"
#include "server/flowcontrol/flow_report.h"
#include "support/fake_http.h"
#include "thread/crew.h"

enum {
    LOOPS = CREW_SIZE,
    REQUESTS = 3000, /* per loop */
    OPEN_MAX = 8,    /* streams of a loop at the same time */
};

static const char few_seats[] =
    "{\"metadata\":{\"name\":\"few\"},\"spec\":{\"type\":\"Limited\",\"limited\":{"
    "\"nominalConcurrencyShares\":30,\"limitResponse\":{\"type\":\"Queue\",\"queuing\":{"
    "\"queues\":2,\"handSize\":1,\"queueLengthLimit\":1}}}}}";
static const char schema[] =
    "{\"metadata\":{\"name\":\"all\"},\"spec\":{\"priorityLevelConfiguration\":{\"name\":\"few\"},"
    "\"matchingPrecedence\":5,\"distinguisherMethod\":{\"type\":\"ByNamespace\"},\"rules\":[{"
    "\"subjects\":[{\"kind\":\"User\",\"user\":{\"name\":\"*\"}}],\"resourceRules\":[{\"verbs\":["
    "\"*\"],\"apiGroups\":[\"*\"],\"resources\":[\"*\"],\"namespaces\":[\"*\"]}]}]}}";

typedef struct loops_world {
    lw_loop *loops[LOOPS];
    lw_flow *flow;
    atomic_int next; /* loop to be taken by a thread */
    atomic_int served, rejected, abandoned, running;
} loops_world;

static const lw_http_reply done = { .status = 200 };

static void reply(lw_http_stream *stream, void *arg)
{
    loops_world *w = arg;
    atomic_fetch_add(&w->served, 1);
    (void)lw_http_reply_whole(stream, &done, lw_bytes_static(LW_STR("")));
    lw_http_stream_closed(stream);
}

static fake_http *send_request(loops_world *w, lw_loop *loop, int number)
{
    static const lw_user user = { .name = LW_STR_INIT("u") };
    static const char *const targets[] = { "/api/v1/namespaces/a/pods/p",
                                           "/api/v1/namespaces/b/pods?watch=1",
                                           "/api/v1/namespaces/c/pods" };
    const fake_http_request request = { .method = "GET", .target = targets[number % 3] };
    fake_http *http = fake_http_new(loop, &request);
    lw_request_info info;
    if (http)
        lw_request_info_read(&info, &http->stream.request);
    if (http && lw_flow_admit(w->flow, &http->stream, &info, &user) && number % 2 == 0)
        reply(&http->stream, w); /* the others stay open until their client closes them */
    return http;
}

/* The client closes its stream. */
static void end_request(loops_world *w, fake_http *http)
{
    if (http->status == 429)
        atomic_fetch_add(&w->rejected, 1);
    else if (http->status == 0)
        atomic_fetch_add(&w->abandoned, 1);
    fake_http_free(http);
}

static void run_loop(void *arg)
{
    loops_world *w = arg;
    lw_loop *loop = w->loops[atomic_fetch_add(&w->next, 1)];
    fake_http *open[OPEN_MAX] = { NULL };
    for (int i = 0; i < REQUESTS; i++) {
        fake_http **place = &open[i % OPEN_MAX];
        if (*place)
            end_request(w, *place);
        *place = send_request(w, loop, i);
        (void)lw_loop_turn(loop, 0, NULL);
    }
    for (int i = 0; i < OPEN_MAX; i++)
        end_request(w, open[i]);
    /* Requests of this loop that others dispatch must still be able to finish. */
    atomic_fetch_sub(&w->running, 1);
    while (atomic_load(&w->running) > 0)
        (void)lw_loop_turn(loop, 1, NULL);
}

/* Changes the configuration and shows the state as long as the loops run. */
static void configure(void *arg)
{
    loops_world *w = arg;
    lw_flow_control *control = lw_flow_control_of(w->flow);
    const lw_str level = lw_str_of(few_seats), all = lw_str_of(schema);
    for (int i = 0; atomic_load(&w->running) > 0; i++) {
        lw_dlist dispatched;
        lw_buf out;
        lw_dlist_init(&dispatched);
        lw_buf_init(&out, 16 << 20);
        (void)lw_flow_control_apply(control, &level, i % 4 == 3 ? 0 : 1, &all, 1, &dispatched);
        lw_flow_control_adjust(control, &dispatched);
        lw_flow_start_dispatched(&dispatched);
        lw_flow_write_metrics(control, &out);
        lw_flow_write_dump(control, LW_STR("/debug/api_priority_and_fairness/dump_requests"),
                           LW_STR("includeRequestDetails=1"), &out);
        lw_flow_write_dump(control, LW_STR("/debug/api_priority_and_fairness/dump_queues"),
                           LW_STR(""), &out);
        lw_buf_done(&out);
    }
}

static void every_request_is_served_rejected_or_abandoned_and_no_seat_is_lost(void **state)
{
    (void)state;
    loops_world w = { .flow = NULL };
    lw_error err = LW_ERROR_INIT;
    lw_thread configurer;
    for (int i = 0; i < LOOPS; i++)
        assert_int_equal(lw_loop_new(&w.loops[i], NULL, &err), LW_OK);
    const lw_flow_options options = {
        .loops = w.loops,
        .loop_count = LOOPS,
        .clock = lw_clock_system(),
        .total_seats = 2,
        .serve = reply,
        .arg = &w,
    };
    assert_int_equal(lw_flow_new(&w.flow, &options, &err), LW_OK);
    atomic_store(&w.running, LOOPS);
    assert_int_equal(lw_thread_start(&configurer, "configurer", configure, &w, &err), LW_OK);
    crew_run(run_loop, &w);
    lw_thread_join(&configurer);
    for (int i = 0; i < LOOPS; i++)
        lw_loop_free(w.loops[i]);
    size_t count;
    lw_flow_level **levels = lw_flow_control_levels(lw_flow_control_of(w.flow), &count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(levels[i]->set.seats_in_use, 0);
        assert_int_equal(levels[i]->set.seats_waiting, 0);
        assert_true(lw_queue_set_is_idle(&levels[i]->set));
    }
    lw_flow_levels_free(levels, count);
    assert_true(atomic_load(&w.served) > 0);
    assert_true(atomic_load(&w.rejected) > 0);
    lw_flow_free(w.flow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_request_is_served_rejected_or_abandoned_and_no_seat_is_lost),
    };
    return cmocka_run_group_tests_name("flow", tests, NULL, NULL);
}
