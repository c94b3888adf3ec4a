/* SPDX-License-Identifier: Apache-2.0 */
/* heavy_test.c -- the queue of heavy requests: its bounds, the shares of users, shutting down.  The
 * loops of the connections and of the worker run in this thread, when the test says so. */
#include "server/core/heavy.h"

#include <stdlib.h>

#include "base/str.h"
#include "support/api_world.h"
#include "unit/test.h"

enum {
    STREAMS_MAX = LW_HEAVY_REQUESTS_MAX + 1,
};

typedef struct site {
    api_world world; /* its loop is that of the connections */
    lw_loop *worker;
    lw_heavy *heavy;
    lw_offload offload;
    fake_http *streams[STREAMS_MAX];
    size_t count;
} site;

static const lw_user jane = { .name = LW_STR_INIT("jane") }, bob = { .name = LW_STR_INIT("bob") };

static int set_up(void **state)
{
    site *t = calloc(1, sizeof(*t));
    lw_error err = LW_ERROR_INIT;
    if (!t || api_world_open(&t->world, &err) < 0 || lw_loop_new(&t->worker, NULL, NULL) < 0 ||
        lw_api_bind_worker(t->world.api, t->worker, &err) < 0 || lw_heavy_new(&t->heavy) < 0) {
        print_error("no site: %s\n", err.message);
        return -1;
    }
    lw_heavy_serve(t->heavy, t->world.api, &t->worker, 1);
    t->offload = lw_heavy_offload(t->heavy);
    *state = t;
    return 0;
}

static int tear_down(void **state)
{
    site *t = *state;
    for (size_t i = 0; i < t->count; i++)
        fake_http_free(t->streams[i]);
    lw_heavy_close(t->heavy);
    (void)lw_loop_turn(t->worker, 0, NULL);
    lw_api_unbind(t->world.api, t->worker);
    lw_loop_free(t->worker);
    api_world_close(&t->world);
    lw_heavy_free(t->heavy);
    free(t);
    return 0;
}

/* Offers a request of |user|; its stream is the last one. */
static lw_status offer(site *t, const lw_user *user, const char *target, size_t body_size)
{
    char *body = calloc(1, body_size + 1);
    fake_http_request request = { .method = body_size > 0 ? "POST" : "GET",
                                  .target = target,
                                  .body = lw_str_make(body, body_size) };
    fake_http *http = fake_http_new(t->world.loop, &request);
    assert_non_null(http);
    free(body);
    lw_status st = t->offload.take(t->offload.arg, &http->stream, user);
    if (st == LW_OK)
        t->streams[t->count++] = http;
    else
        fake_http_free(http);
    return st;
}

static lw_heavy_stats stats_of(site *t)
{
    lw_heavy_stats stats;
    lw_heavy_read_stats(t->heavy, &stats);
    return stats;
}

static void a_worker_serves_what_is_queued(void **state)
{
    site *t = *state;
    assert_int_equal(offer(t, &jane, "/api/v1/pods", 0), LW_OK);
    assert_int_equal(stats_of(t).queued, 1);
    (void)lw_loop_turn(t->worker, 0, NULL);
    assert_int_equal(stats_of(t).queued, 0);
    assert_int_equal(stats_of(t).running, 1);
    api_world_turns(&t->world, 1);
    assert_int_equal(t->streams[0]->status, 200);
    (void)lw_loop_turn(t->worker, 0, NULL);
    assert_int_equal(stats_of(t).running, 0);
    assert_int_equal(stats_of(t).taken, 1);
}

static void one_user_fills_half_of_the_queue_and_another_finds_room(void **state)
{
    site *t = *state;
    size_t janes = 0, bobs = 0;
    while (offer(t, &jane, "/api/v1/pods", 0) == LW_OK)
        janes++;
    assert_int_equal(janes, LW_HEAVY_REQUESTS_MAX / 2);
    while (offer(t, &bob, "/api/v1/pods", 0) == LW_OK)
        bobs++;
    assert_int_equal(bobs, LW_HEAVY_REQUESTS_MAX / 4);
    assert_int_equal(stats_of(t).refused, 2);
}

static void bodies_are_bounded_until_their_requests_end(void **state)
{
    site *t = *state;
    size_t size = 3 << 20, taken = 0;
    while (offer(t, &jane, "/api/v1/namespaces/default/configmaps", size) == LW_OK)
        taken++;
    assert_in_range(taken * size, LW_HEAVY_BODY_BYTES_MAX / 2 - size, LW_HEAVY_BODY_BYTES_MAX / 2);
    assert_int_equal(offer(t, &bob, "/api/v1/namespaces/default/configmaps", size), LW_OK);
    assert_int_equal(stats_of(t).body_bytes, (taken + 1) * size);
    for (size_t i = 0; i < t->count; i++)
        fake_http_close(t->streams[i]);
    for (size_t i = 0; i < t->count; i++)
        (void)lw_loop_turn(t->worker, 0, NULL);
    assert_int_equal(stats_of(t).body_bytes, 0);
}

static void users_take_turns(void **state)
{
    site *t = *state;
    for (int i = 0; i < 5; i++)
        assert_int_equal(offer(t, &jane, "/api/v1/pods", 0), LW_OK);
    assert_int_equal(offer(t, &bob, "/api/v1/pods", 0), LW_OK);
    (void)lw_loop_turn(t->worker, 0, NULL);
    (void)lw_loop_turn(t->worker, 0, NULL);
    api_world_turns(&t->world, 1);
    assert_int_equal(t->streams[0]->status, 200);
    assert_int_equal(t->streams[5]->status, 200); /* not after all of jane's */
    assert_int_equal(t->streams[1]->status, 0);
}

static void a_client_that_leaves_costs_the_worker_nothing(void **state)
{
    site *t = *state;
    assert_int_equal(offer(t, &jane, "/api/v1/pods", 0), LW_OK);
    fake_http_close(t->streams[0]);
    (void)lw_loop_turn(t->worker, 0, NULL);
    assert_int_equal(stats_of(t).queued + stats_of(t).running, 0);
    assert_int_equal(t->streams[0]->status, 0);
}

static void a_server_that_stops_refuses_what_waits(void **state)
{
    site *t = *state;
    assert_int_equal(offer(t, &jane, "/api/v1/pods", 0), LW_OK);
    lw_heavy_drain(t->heavy);
    assert_int_equal(offer(t, &jane, "/api/v1/pods", 0), LW_ERR_TOO_MANY);
    (void)lw_loop_turn(t->worker, 0, NULL);
    api_world_turns(&t->world, 1);
    assert_int_equal(t->streams[0]->status, 429);
}

static void requests_that_nobody_took_are_freed_with_the_queue(void **state)
{
    site *t = *state; /* tear_down asserts it */
    assert_int_equal(offer(t, &jane, "/api/v1/pods", 0), LW_OK);
    assert_int_equal(offer(t, &bob, "/api/v1/pods", 0), LW_OK);
}

#define SITE_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SITE_TEST(a_worker_serves_what_is_queued),
        SITE_TEST(one_user_fills_half_of_the_queue_and_another_finds_room),
        SITE_TEST(bodies_are_bounded_until_their_requests_end),
        SITE_TEST(users_take_turns),
        SITE_TEST(a_client_that_leaves_costs_the_worker_nothing),
        SITE_TEST(a_server_that_stops_refuses_what_waits),
        SITE_TEST(requests_that_nobody_took_are_freed_with_the_queue),
    };
    return cmocka_run_group_tests_name("heavy", tests, NULL, NULL);
}
