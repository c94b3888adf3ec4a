/* SPDX-License-Identifier: Apache-2.0 */
/* account_test.c -- what a request costs, in the log and in the metrics. */
#include "api/http/account.h"

#include "base/clock.h"
#include "base/str.h"
#include "unit/api/asked.h"

#define LIST "/api/v1/namespaces/default/configmaps"

enum {
    LARGE = 100 * 1024, /* bytes; a list of it is streamed */
};

static char last_line[1024]; /* of the log */

static void keep_line(lw_log_level level, const char *component, const char *text, void *arg)
{
    (void)level;
    (void)arg;
    assert_string_equal(component, "http");
    (void)snprintf(last_line, sizeof(last_line), "%s", text);
}

static const lw_logger logger = { .fn = keep_line, .level = LW_LOG_DEBUG };

static void assert_logged(const char *expected)
{
    if (!strstr(last_line, expected))
        fail_msg("\"%s\" does not say \"%s\"", last_line, expected);
}

/* The series of |verb| of config maps; NULL: nothing was counted. */
static const lw_request_series *series_of(api_world *world, lw_request_verb verb)
{
    const lw_api_port *port = lw_loop_data(world->loop);
    for (const lw_resource_metrics *r = atomic_load(&port->metrics.resources); r; r = r->next) {
        for (const lw_request_series *s = atomic_load(&r->series); s; s = s->next) {
            if (lw_str_equal(r->plural, LW_STR("configmaps")) && s->way.verb == verb)
                return s;
        }
    }
    return NULL;
}

static uint64_t in_flight(api_world *world)
{
    const lw_api_port *port = lw_loop_data(world->loop);
    return lw_counter_read(&port->metrics.in_flight[0]);
}

static void a_request_is_logged_with_its_cost(void **state)
{
    api_world *world = *state;
    world->api->logger = &logger;
    const fake_http_request request = { .method = "GET",
                                        .target = LIST "/a",
                                        .headers = { "audit-id", "my-id" } };
    fake_http *http = api_world_ask(world, &request);
    assert_int_equal(http->status, 404);
    char expected[200];
    (void)snprintf(expected, sizeof(expected),
                   "GET " LIST "/a by tester: 404, 0 bytes in, %zu bytes out, 0 us (0 us "
                   "running, 0 us waiting), audit-id my-id",
                   http->body.len);
    assert_logged(expected);
    fake_http_free(http);
    world->api->logger = NULL;
}

static void waiting_is_told_from_running(void **state)
{
    api_world *world = *state;
    world->api->logger = &logger;
    uint64_t now = api_world_put_config(world, "default", "a", NULL, NULL);
    char target[100];
    (void)snprintf(target, sizeof(target), LIST "?resourceVersion=%llu",
                   (unsigned long long)now + 1);
    fake_http *http = api_world_get(world, target, NULL);
    assert_int_equal(http->status, 0);
    assert_int_equal(in_flight(world), 1);
    api_world_pass(world, LW_NS_PER_S);
    (void)api_world_put_config(world, "default", "b", NULL, NULL);
    api_world_turns(world, 2);
    assert_int_equal(http->status, 200);
    assert_logged("1000000 us (0 us running, 1000000 us waiting)");
    assert_int_equal(in_flight(world), 0);
    fake_http_free(http);
    world->api->logger = NULL;
}

static void a_streamed_list_is_counted_when_it_has_been_sent(void **state)
{
    api_world *world = *state;
    static char data[LARGE + 1];
    memset(data, 'x', LARGE);
    for (int i = 0; i < 8; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "c%d", i);
        (void)api_world_put_config(world, "default", name, NULL, data);
    }
    const fake_http_request request = { .method = "GET", .target = LIST };
    fake_http *http = fake_http_new(world->loop, &request);
    http->is_slow = true;
    assert_true(lw_api_serve(world->api, &http->stream, NULL));
    assert_false(http->is_ended);
    assert_int_equal(in_flight(world), 1);
    api_world_pass(world, LW_NS_PER_S);
    for (int i = 0; i < 100 && !http->is_ended; i++) {
        fake_http_drain(http);
        api_world_turns(world, 1);
    }
    assert_true(http->is_ended);
    fake_http_close(http);
    const lw_request_series *series = series_of(world, LW_REQUEST_LIST);
    assert_int_equal(lw_histogram_count(&series->durations), 1);
    assert_true(lw_counter_read(&series->durations.sum) >= LW_NS_PER_S);
    assert_int_equal(lw_counter_read(&series->sizes.sum), http->bytes);
    assert_int_equal(in_flight(world), 0);
    fake_http_free(http);
}

static void a_watch_is_long_running(void **state)
{
    api_world *world = *state;
    fake_http *http = ask(world, LIST "?watch=1", 200);
    const lw_request_series *series = series_of(world, LW_REQUEST_WATCH);
    assert_int_equal(in_flight(world), 0);
    assert_int_equal(lw_counter_read(&series->long_running), 1);
    assert_int_equal(lw_histogram_count(&series->durations), 0);
    (void)api_world_put_config(world, "default", "a", NULL, NULL);
    api_world_turns(world, 2);
    assert_int_equal(lw_counter_read(&series->resource->watch_events), 1);
    assert_int_equal(lw_counter_read(&series->resource->watch_event_sizes.sum), http->bytes);
    api_world_pass(world, 10 * LW_NS_PER_S);
    fake_http_free(http);
    assert_int_equal(lw_counter_read(&series->long_running), 0);
    assert_int_equal(lw_counter_read(&series->durations.sum), 10 * LW_NS_PER_S);
}

/* Objects at the start of a watch are counted as such too. */
static void initial_events_are_counted(void **state)
{
    api_world *world = *state;
    (void)api_world_put_config(world, "default", "a", NULL, NULL);
    fake_http *http = ask(world, LIST "?watch=1", 200);
    api_world_turns(world, 2);
    (void)api_world_put_config(world, "default", "b", NULL, NULL);
    api_world_turns(world, 2);
    const lw_request_series *series = series_of(world, LW_REQUEST_WATCH);
    assert_int_equal(lw_counter_read(&series->resource->init_events), 1);
    assert_int_equal(lw_counter_read(&series->resource->watch_events), 2);
    fake_http_free(http);
}

static void a_client_that_leaves_is_not_counted_as_answered(void **state)
{
    api_world *world = *state;
    uint64_t now = api_world_put_config(world, "default", "a", NULL, NULL);
    char target[100];
    (void)snprintf(target, sizeof(target), LIST "?resourceVersion=%llu",
                   (unsigned long long)now + 1);
    fake_http *http = api_world_get(world, target, NULL);
    assert_int_equal(in_flight(world), 1);
    fake_http_free(http);
    assert_int_equal(in_flight(world), 0);
    assert_null(series_of(world, LW_REQUEST_LIST));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(a_request_is_logged_with_its_cost),
        WORLD_TEST(waiting_is_told_from_running),
        WORLD_TEST(a_streamed_list_is_counted_when_it_has_been_sent),
        WORLD_TEST(a_watch_is_long_running),
        WORLD_TEST(initial_events_are_counted),
        WORLD_TEST(a_client_that_leaves_is_not_counted_as_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
