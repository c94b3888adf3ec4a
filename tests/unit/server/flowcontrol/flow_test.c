/* SPDX-License-Identifier: Apache-2.0 */
/* flow_test.c -- requests on their way through flow control: on an API without sockets, with a
 * clock that the tests move. */
#include "server/flowcontrol/flow.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "server/flowcontrol/in_flight.h"
#include "support/api_world.h"
#include "unit/test.h"

/* One level with one seat and one queue of length one, for alice. */
static const char one_seat_level[] =
    "{\"metadata\":{\"name\":\"l\",\"uid\":\"level-uid\"},\"spec\":{\"type\":\"Limited\","
    "\"limited\":{\"nominalConcurrencyShares\":1,\"borrowingLimitPercent\":0,\"limitResponse\":{"
    "\"type\":\"Queue\",\"queuing\":{\"queues\":1,\"handSize\":1,\"queueLengthLimit\":1}}}}}";
static const char alices_schema[] =
    "{\"metadata\":{\"name\":\"s\",\"uid\":\"schema-uid\"},\"spec\":{"
    "\"priorityLevelConfiguration\":{\"name\":\"l\"},\"matchingPrecedence\":10,\"rules\":[{"
    "\"subjects\":[{\"kind\":\"User\",\"user\":{\"name\":\"alice\"}}],\"resourceRules\":[{"
    "\"verbs\":[\"*\"],\"apiGroups\":[\"*\"],\"resources\":[\"*\"],\"clusterScope\":true,"
    "\"namespaces\":[\"*\"]}]}]}}";

typedef struct flow_world {
    api_world api;
    lw_flow *flow;
    int served;
    lw_http_stream *last; /* served after it had waited */
} flow_world;

static void serve_later(lw_http_stream *stream, void *arg)
{
    flow_world *w = arg;
    w->served++;
    w->last = stream;
}

static void begin(flow_world *w)
{
    lw_error err = LW_ERROR_INIT;
    lw_dlist dispatched;
    lw_dlist_init(&dispatched);
    *w = (flow_world){ .served = 0 };
    assert_int_equal(api_world_open(&w->api, &err), LW_OK);
    const lw_flow_options options = {
        .loops = &w->api.loop,
        .loop_count = 1,
        .clock = lw_manual_clock_as_clock(w->api.clock),
        .total_seats = 2,
        .serve = serve_later,
        .arg = w,
    };
    assert_int_equal(lw_flow_new(&w->flow, &options, &err), LW_OK);
    const lw_str level = lw_str_of(one_seat_level), schema = lw_str_of(alices_schema);
    assert_int_equal(lw_flow_control_apply(lw_flow_control_of(w->flow), &level, 1, &schema, 1,
                                           &dispatched),
                     LW_OK);
}

static void end(flow_world *w)
{
    api_world_close(&w->api);
    lw_flow_free(w->flow);
}

static const lw_str alices_groups[] = { LW_STR_INIT("system:authenticated") };
static const lw_user alice = { .name = LW_STR_INIT("alice"),
                               .groups = alices_groups,
                               .group_count = 1 };
static const lw_str roots_groups[] = { LW_STR_INIT("system:masters") };
static const lw_user root = { .name = LW_STR_INIT("root"),
                              .groups = roots_groups,
                              .group_count = 1 };

static fake_http *request_of(flow_world *w, const char *method, const char *target)
{
    const fake_http_request request = { .method = method, .target = target };
    fake_http *http = fake_http_new(w->api.loop, &request);
    assert_non_null(http);
    return http;
}

static bool admit(flow_world *w, fake_http *http, const lw_user *user)
{
    lw_request_info info;
    lw_request_info_read(&info, &http->stream.request);
    return lw_flow_admit(w->flow, &http->stream, &info, user);
}

static bool admit_in_flight(lw_in_flight *in_flight, fake_http *http, const lw_user *user)
{
    lw_request_info info;
    lw_request_info_read(&info, &http->stream.request);
    return lw_in_flight_admit(in_flight, &http->stream, &info, user);
}

/* Replies as a handler would, and the client receives it. */
static void reply(fake_http *http)
{
    const lw_http_reply head = { .status = 200 };
    assert_int_equal(lw_http_reply_whole(&http->stream, &head, lw_bytes_static(LW_STR("done"))),
                     LW_OK);
    fake_http_close(http);
}

static void assert_header(const fake_http *http, const char *name, const char *wanted)
{
    lw_str value;
    assert_true(fake_http_header(http, name, 0, &value));
    assert_true(lw_str_equal(value, lw_str_of(wanted)));
}

static void the_second_request_waits_and_the_third_gets_429(void **state)
{
    (void)state;
    flow_world w;
    begin(&w);
    fake_http *first = request_of(&w, "GET", "/api/v1/namespaces/n/pods/p");
    fake_http *second = request_of(&w, "GET", "/api/v1/namespaces/n/pods/p");
    fake_http *third = request_of(&w, "GET", "/api/v1/namespaces/n/pods/p");
    assert_true(admit(&w, first, &alice));
    assert_false(admit(&w, second, &alice));
    assert_int_equal(second->status, 0);
    assert_false(admit(&w, third, &alice));
    assert_int_equal(third->status, 429);
    assert_header(third, "retry-after", "1");
    assert_header(third, "x-kubernetes-pf-flowschema-uid", "schema-uid");
    assert_header(third, "x-kubernetes-pf-prioritylevel-uid", "level-uid");
    assert_true(lw_str_equal(lw_buf_view(&third->body),
                             LW_STR("Too many requests, please try again later.\n")));
    reply(first);
    assert_int_equal(w.served, 0); /* not on this stack: by a task of its loop */
    api_world_turns(&w.api, 1);
    assert_int_equal(w.served, 1);
    assert_ptr_equal(w.last, &second->stream);
    reply(second);
    fake_http_free(first);
    fake_http_free(second);
    fake_http_free(third);
    end(&w);
}

static void replies_carry_the_uids_of_schema_and_level(void **state)
{
    (void)state;
    flow_world w;
    begin(&w);
    fake_http *http = request_of(&w, "GET", "/api/v1/namespaces/n/pods/p");
    assert_true(admit(&w, http, &alice));
    reply(http);
    assert_header(http, "x-kubernetes-pf-flowschema-uid", "schema-uid");
    assert_header(http, "x-kubernetes-pf-prioritylevel-uid", "level-uid");
    fake_http_free(http);
    end(&w);
}

static void the_group_of_administrators_is_exempt(void **state)
{
    (void)state;
    flow_world w;
    fake_http *many[20];
    begin(&w);
    for (size_t i = 0; i < 20; i++) {
        many[i] = request_of(&w, "GET", "/api/v1/pods");
        assert_true(admit(&w, many[i], &root));
    }
    for (size_t i = 0; i < 20; i++)
        fake_http_free(many[i]);
    end(&w);
}

static void a_client_that_goes_away_frees_its_seat_and_its_place(void **state)
{
    (void)state;
    flow_world w;
    begin(&w);
    fake_http *first = request_of(&w, "GET", "/api/v1/namespaces/n/pods/p");
    fake_http *second = request_of(&w, "GET", "/api/v1/namespaces/n/pods/p");
    fake_http *third = request_of(&w, "GET", "/api/v1/namespaces/n/pods/p");
    assert_true(admit(&w, first, &alice));
    assert_false(admit(&w, second, &alice));
    fake_http_close(second);
    assert_false(admit(&w, third, &alice)); /* waits in the place of the second */
    assert_int_equal(third->status, 0);
    fake_http_close(first);
    api_world_turns(&w.api, 1);
    assert_int_equal(w.served, 1);
    assert_ptr_equal(w.last, &third->stream);
    fake_http_free(first);
    fake_http_free(second);
    fake_http_free(third);
    end(&w);
}

static void a_client_that_goes_away_after_its_dispatch_gives_the_seat_on(void **state)
{
    (void)state;
    flow_world w;
    begin(&w);
    fake_http *first = request_of(&w, "GET", "/api/v1/namespaces/n/pods/p");
    fake_http *second = request_of(&w, "GET", "/api/v1/namespaces/n/pods/p");
    fake_http *third = request_of(&w, "GET", "/api/v1/namespaces/n/pods/p");
    assert_true(admit(&w, first, &alice));
    assert_false(admit(&w, second, &alice));
    reply(first);            /* dispatches the second */
    fake_http_close(second); /* before its task has run */
    api_world_turns(&w.api, 1);
    assert_int_equal(w.served, 0);
    assert_true(admit(&w, third, &alice));
    fake_http_free(first);
    fake_http_free(second);
    fake_http_free(third);
    end(&w);
}

static void a_request_that_waits_too_long_gets_429(void **state)
{
    (void)state;
    flow_world w;
    begin(&w);
    fake_http *first = request_of(&w, "GET", "/api/v1/namespaces/n/pods/p");
    fake_http *second = request_of(&w, "GET", "/api/v1/namespaces/n/pods/p");
    assert_true(admit(&w, first, &alice));
    assert_false(admit(&w, second, &alice));
    api_world_pass(&w.api, 15 * LW_NS_PER_S - 1);
    assert_int_equal(second->status, 0);
    api_world_pass(&w.api, 1);
    assert_int_equal(second->status, 429);
    reply(first);
    api_world_turns(&w.api, 1);
    assert_int_equal(w.served, 0);
    fake_http_free(first);
    fake_http_free(second);
    end(&w);
}

static void a_request_waits_for_a_quarter_of_its_own_timeout(void **state)
{
    (void)state;
    flow_world w;
    begin(&w);
    fake_http *first = request_of(&w, "GET", "/api/v1/namespaces/n/pods/p");
    fake_http *second = request_of(&w, "GET", "/api/v1/namespaces/n/pods/p?timeout=4s");
    assert_true(admit(&w, first, &alice));
    assert_false(admit(&w, second, &alice));
    api_world_pass(&w.api, LW_NS_PER_S);
    assert_int_equal(second->status, 429);
    fake_http_free(first);
    fake_http_free(second);
    end(&w);
}

static void a_watch_frees_its_seat_after_its_initial_events(void **state)
{
    (void)state;
    flow_world w;
    begin(&w);
    fake_http *watch = request_of(&w, "GET", "/api/v1/pods?watch=1");
    fake_http *next = request_of(&w, "GET", "/api/v1/namespaces/n/pods/p");
    assert_true(admit(&w, watch, &alice));
    assert_true(lw_api_serve(w.api.api, &watch->stream, &alice));
    api_world_turns(&w.api, 2);
    assert_int_equal(watch->status, 200);
    assert_false(watch->is_ended);
    assert_header(watch, "x-kubernetes-pf-flowschema-uid", "schema-uid");
    assert_true(admit(&w, next, &alice));
    fake_http_free(watch);
    fake_http_free(next);
    end(&w);
}

static void a_watch_after_a_revision_frees_its_seat_when_it_starts(void **state)
{
    (void)state;
    flow_world w;
    begin(&w);
    assert_int_equal(api_world_put_config(&w.api, "n", "c", NULL, NULL), 1);
    fake_http *watch = request_of(&w, "GET", "/api/v1/configmaps?watch=1&resourceVersion=1");
    fake_http *next = request_of(&w, "GET", "/api/v1/namespaces/n/pods/p");
    assert_true(admit(&w, watch, &alice));
    assert_true(lw_api_serve(w.api.api, &watch->stream, &alice));
    api_world_turns(&w.api, 2);
    assert_int_equal(watch->status, 200);
    assert_true(admit(&w, next, &alice));
    fake_http_free(watch);
    fake_http_free(next);
    end(&w);
}

static void a_change_with_many_watches_keeps_its_seat_for_a_moment(void **state)
{
    (void)state;
    enum {
        WATCHES = 20,
    };
    flow_world w;
    fake_http *watches[WATCHES];
    begin(&w);
    for (size_t i = 0; i < WATCHES; i++) {
        watches[i] = request_of(&w, "GET", "/api/v1/pods?watch=1");
        assert_true(admit(&w, watches[i], &root));
        assert_true(lw_api_serve(w.api.api, &watches[i]->stream, &root));
        api_world_turns(&w.api, 1);
    }
    fake_http *change = request_of(&w, "DELETE", "/api/v1/namespaces/n/pods/p");
    fake_http *next = request_of(&w, "GET", "/api/v1/namespaces/n/pods/p");
    assert_true(admit(&w, change, &alice));
    reply(change);
    assert_false(admit(&w, next, &alice));
    api_world_turns(&w.api, 1);
    assert_int_equal(w.served, 0);
    api_world_pass(&w.api, 10 * LW_NS_PER_MS); /* two seats of 5 ms, on one seat */
    api_world_turns(&w.api, 1);
    assert_int_equal(w.served, 1);
    for (size_t i = 0; i < WATCHES; i++)
        fake_http_free(watches[i]);
    fake_http_free(change);
    fake_http_free(next);
    end(&w);
}

static void a_new_configuration_applies_to_the_next_request(void **state)
{
    (void)state;
    flow_world w;
    lw_dlist dispatched;
    begin(&w);
    lw_dlist_init(&dispatched);
    fake_http *first = request_of(&w, "GET", "/api/v1/pods");
    fake_http *second = request_of(&w, "GET", "/api/v1/pods");
    assert_true(admit(&w, first, &alice));
    assert_int_equal(lw_flow_control_apply(lw_flow_control_of(w.flow), NULL, 0, NULL, 0,
                                           &dispatched),
                     LW_OK);
    assert_true(admit(&w, second, &alice)); /* catch-all has a seat */
    reply(second);
    assert_header(second, "x-kubernetes-pf-flowschema-uid", "");
    reply(first);
    fake_http_free(first);
    fake_http_free(second);
    end(&w);
}

static void plain_limits_reject_what_exceeds_them(void **state)
{
    (void)state;
    flow_world w;
    lw_in_flight in_flight;
    begin(&w);
    lw_in_flight_init(&in_flight, 1, 1);
    fake_http *read = request_of(&w, "GET", "/api/v1/pods");
    fake_http *other = request_of(&w, "GET", "/api/v1/pods");
    fake_http *change = request_of(&w, "POST", "/api/v1/namespaces/n/pods");
    fake_http *watch = request_of(&w, "GET", "/api/v1/pods?watch=1");
    fake_http *admin = request_of(&w, "GET", "/api/v1/pods");
    assert_true(admit_in_flight(&in_flight, read, &alice));
    assert_false(admit_in_flight(&in_flight, other, &alice));
    assert_int_equal(other->status, 429);
    assert_true(admit_in_flight(&in_flight, change, &alice));
    assert_true(admit_in_flight(&in_flight, watch, &alice));
    assert_true(admit_in_flight(&in_flight, admin, &root));
    reply(read);
    fake_http_free(other);
    other = request_of(&w, "GET", "/api/v1/pods");
    assert_true(admit_in_flight(&in_flight, other, &alice));
    fake_http *all[] = { read, other, change, watch, admin };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        fake_http_free(all[i]);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_second_request_waits_and_the_third_gets_429),
        TEST(replies_carry_the_uids_of_schema_and_level),
        TEST(the_group_of_administrators_is_exempt),
        TEST(a_client_that_goes_away_frees_its_seat_and_its_place),
        TEST(a_client_that_goes_away_after_its_dispatch_gives_the_seat_on),
        TEST(a_request_that_waits_too_long_gets_429),
        TEST(a_request_waits_for_a_quarter_of_its_own_timeout),
        TEST(a_watch_frees_its_seat_after_its_initial_events),
        TEST(a_watch_after_a_revision_frees_its_seat_when_it_starts),
        TEST(a_change_with_many_watches_keeps_its_seat_for_a_moment),
        TEST(a_new_configuration_applies_to_the_next_request),
        TEST(plain_limits_reject_what_exceeds_them),
    };
    return cmocka_run_group_tests_name("flow", tests, NULL, NULL);
}
