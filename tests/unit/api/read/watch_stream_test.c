/* SPDX-License-Identifier: Apache-2.0 */
/* watch_stream_test.c -- how a watch goes on: bookmarks, its end, slow clients, long pasts, other
 * forms. */
#include "base/clock.h"
#include "unit/api/asked.h"

#define WATCH     "/api/v1/namespaces/default/configmaps?watch=1"
#define BOOKMARKS "&allowWatchBookmarks=true"
#define TABLE     "application/json;as=Table;v=v1;g=meta.k8s.io"
#define PARTIAL   "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"

enum {
    MANY = 1000,
    LARGE = 16 * 1024,
};

static void fill(api_world *world, int count, size_t size)
{
    char *data = malloc(size + 1);
    assert_non_null(data);
    memset(data, 'x', size);
    data[size] = '\0';
    for (int i = 0; i < count; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "c%04d", i);
        assert_true(api_world_put_config(world, "default", name, NULL, data) > 0);
    }
    free(data);
}

static size_t count_lines(const fake_http *http)
{
    size_t count = 0;
    for (size_t i = 0; i < http->body.len; i++)
        count += http->body.data[i] == '\n';
    return count;
}

static lw_api_stats stats_of(const api_world *world)
{
    lw_api_stats stats;
    lw_api_read_stats(world->api, &stats);
    return stats;
}

#define BOOKMARK(rv)                                                                               \
    "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\","             \
    "\"metadata\":{"                                                                               \
    "\"resourceVersion\":\"" rv "\"}}}\n"

static void bookmarks_come_each_minute_and_before_the_end(void **state)
{
    api_world *world = *state;
    (void)api_world_put_config(world, "other", "a", NULL, NULL);
    fake_http *http = ask(world, WATCH BOOKMARKS "&resourceVersion=1&timeoutSeconds=150", 200);
    api_world_pass(world, 59 * LW_NS_PER_S);
    assert_came(http, "");
    api_world_pass(world, 1 * LW_NS_PER_S);
    assert_came(http, BOOKMARK("1"));
    (void)api_world_put_config(world, "other", "b", NULL, NULL);
    api_world_pass(world, 60 * LW_NS_PER_S);
    assert_came(http, BOOKMARK("2"));
    api_world_pass(world, 27 * LW_NS_PER_S);
    assert_came(http, "");
    api_world_pass(world, 1 * LW_NS_PER_S);
    assert_came(http, BOOKMARK("2"));
    api_world_pass(world, 2 * LW_NS_PER_S);
    assert_came(http, "");
    assert_true(http->is_ended);
    assert_int_equal(stats_of(world).bookmarks_sent, 3);
    fake_http_free(http);
}

static void nobody_gets_bookmarks_unasked(void **state)
{
    api_world *world = *state;
    fake_http *http = ask(world, WATCH "&timeoutSeconds=100", 200);
    api_world_pass(world, 99 * LW_NS_PER_S);
    assert_came(http, "");
    assert_false(http->is_ended);
    fake_http_free(http);
}

static void a_watch_from_the_future_gets_no_bookmark_before(void **state)
{
    api_world *world = *state;
    (void)api_world_put_config(world, "other", "a", NULL, NULL);
    fake_http *http = ask(world, WATCH BOOKMARKS "&resourceVersion=3&timeoutSeconds=1000", 200);
    api_world_pass(world, 60 * LW_NS_PER_S);
    assert_came(http, "");
    (void)api_world_put_config(world, "other", "b", NULL, NULL);
    (void)api_world_put_config(world, "other", "c", NULL, NULL);
    api_world_pass(world, 60 * LW_NS_PER_S);
    assert_came(http, BOOKMARK("3"));
    fake_http_free(http);
}

static void the_end_comes_in_time(void **state)
{
    api_world *world = *state;
    fake_http *five = ask(world, WATCH "&timeoutSeconds=5", 200);
    fake_http *chosen = ask(world, WATCH, 200);
    fake_http *past = ask(world, WATCH "&timeoutSeconds=-1", 200);
    api_world_turns(world, 2);
    assert_true(past->is_ended);
    api_world_pass(world, 5 * LW_NS_PER_S - 1);
    assert_false(five->is_ended);
    api_world_pass(world, 1);
    assert_true(five->is_ended);
    assert_false(five->is_aborted);
    assert_came(five, "");
    api_world_pass(world, 1794 * LW_NS_PER_S);
    assert_false(chosen->is_ended);
    api_world_pass(world, 1801 * LW_NS_PER_S);
    assert_true(chosen->is_ended);
    assert_int_equal(stats_of(world).watches_open, 0);
    assert_int_equal(stats_of(world).watches_total, 3);
    fake_http_free(five);
    fake_http_free(chosen);
    fake_http_free(past);
}

static void a_slow_client_is_sent_no_more_than_its_queue_holds(void **state)
{
    api_world *world = *state;
    fill(world, 200, LARGE);
    fake_http_request request = { .method = "GET", .target = WATCH };
    fake_http *http = fake_http_new(world->loop, &request);
    http->is_slow = true;
    assert_true(lw_api_serve(world->api, &http->stream, NULL));
    size_t seen = 0;
    for (int i = 0; i < 100 && seen < 200; i++) {
        api_world_turns(world, 3);
        assert_true(http->pending <= LW_HTTP_QUEUE_HIGH + 160 * 1024);
        seen += count_lines(http);
        fake_http_forget_body(http);
        fake_http_drain(http);
    }
    assert_int_equal(seen, 200);
    (void)api_world_put_config(world, "default", "last", NULL, "v");
    api_world_turns(world, 2);
    assert_body_has(http, "\"name\":\"last\"");
    fake_http_free(http);
}

static void a_slow_client_delays_nobody(void **state)
{
    api_world *world = *state;
    fake_http_request request = { .method = "GET", .target = WATCH };
    fake_http *slow = fake_http_new(world->loop, &request);
    slow->is_slow = true;
    assert_true(lw_api_serve(world->api, &slow->stream, NULL));
    fake_http *quick = ask(world, WATCH, 200);
    fill(world, 100, LARGE);
    api_world_turns(world, 4);
    assert_int_equal(count_lines(quick), 100);
    assert_true(count_lines(slow) < 100);
    fake_http_free(slow);
    fake_http_free(quick);
}

static void a_long_past_is_sent_in_turns(void **state)
{
    api_world *world = *state;
    fill(world, MANY, 10);
    fake_http *http = ask(world, WATCH "&resourceVersion=1", 200);
    size_t at_once = count_lines(http);
    assert_true(at_once > 0 && at_once <= 128);
    api_world_turns(world, 1);
    size_t after_a_turn = count_lines(http);
    assert_true(after_a_turn > at_once && after_a_turn <= 256);
    api_world_turns(world, MANY / 100 + 2);
    assert_int_equal(count_lines(http), MANY - 1);
    assert_true(http->messages < MANY / 10); /* many events a chunk */
    assert_int_equal(stats_of(world).events_sent, MANY - 1);
    fake_http_free(http);
}

static void a_client_that_leaves_in_the_middle_leaves_nothing(void **state)
{
    api_world *world = *state;
    fill(world, MANY, 10);
    fake_http *http = ask(world, WATCH, 200);
    fake_http_close(http);
    api_world_turns(world, 2);
    assert_int_equal(lw_ref_count(&http->stream.refs), 1);
    assert_int_equal(stats_of(world).watches_open, 0);
    fake_http_free(http);
}

static void an_overtaken_client_is_told_410(void **state)
{
    api_world *world = *state;
    fill(world, 2, 10);
    fake_http_request request = { .method = "GET", .target = WATCH "&resourceVersion=2" };
    fake_http *http = fake_http_new(world->loop, &request);
    http->is_slow = true;
    assert_true(lw_api_serve(world->api, &http->stream, NULL));
    fill(world, 40, LARGE);
    api_world_turns(world, 4);
    assert_true(http->pending > LW_HTTP_QUEUE_HIGH);
    fill(world, 40, 10);
    assert_int_equal(lw_store_compact(world->store, lw_cache_revision(world->cache), NULL), LW_OK);
    api_world_turns(world, 2);
    fake_http_forget_body(http);
    fake_http_drain(http);
    api_world_turns(world, 4);
    fake_http_drain(http);
    assert_true(http->is_ended);
    assert_body_has(http, "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\"");
    assert_body_has(http, "\"message\":\"too old resource version: ");
    assert_body_has(http, "(82)\",\"reason\":\"Expired\",\"code\":410}}\n");
    fake_http_free(http);
}

static void a_websocket_gets_one_event_a_message(void **state)
{
    api_world *world = *state;
    fill(world, 10, 10);
    fake_http_request request = { .method = "GET",
                                  .target = WATCH BOOKMARKS,
                                  .is_websocket = true };
    fake_http *http = api_world_ask(world, &request);
    assert_int_equal(http->status, 200);
    assert_int_equal(http->messages, 11);
    assert_int_equal(count_lines(http), 11);
    fake_http_free(http);
}

static void tables_tell_their_columns_once(void **state)
{
    api_world *world = *state;
    fill(world, 1, 1);
    fake_http *http = ask_as(world, WATCH BOOKMARKS, TABLE, 200);
    assert_body_has(http, "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Table\",\"apiVersion\":"
                          "\"meta.k8s.io/v1\",\"metadata\":{\"resourceVersion\":\"1\"},"
                          "\"columnDefinitions\":[{\"name\":\"Name\"");
    assert_body_has(http, "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Table\",\"apiVersion\":"
                          "\"meta.k8s.io/v1\",\"metadata\":{\"resourceVersion\":\"1\"},"
                          "\"columnDefinitions\":null,\"rows\":[{");
    assert_body_has(http, "\"metadata\":{\"resourceVersion\":\"1\",\"annotations\":"
                          "{\"k8s.io/initial-events-end\":\"true\"}}");
    fake_http_forget_body(http);
    (void)api_world_put_config(world, "default", "b", NULL, "v");
    api_world_turns(world, 2);
    assert_body_has(http, "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Table\",\"apiVersion\":"
                          "\"meta.k8s.io/v1\",\"metadata\":{\"resourceVersion\":\"2\"},"
                          "\"columnDefinitions\":null,\"rows\":[{\"cells\":[\"b\",");
    fake_http_free(http);
}

static void partial_events_are_metadata(void **state)
{
    api_world *world = *state;
    fill(world, 1, 1);
    fake_http *http = ask_as(world, WATCH BOOKMARKS, PARTIAL, 200);
    assert_came(http, "{\"type\":\"ADDED\",\"object\":{\"kind\":\"PartialObjectMetadata\","
                      "\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{\"name\":\"c0000\","
                      "\"namespace\":\"default\",\"uid\":\"u-c0000\",\"resourceVersion\":\"1\","
                      "\"creationTimestamp\":\"2026-11-15T01:49:24Z\"}}}\n"
                      "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"PartialObjectMetadata\","
                      "\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{\"resourceVersion\":\"1\","
                      "\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}\n");
    fake_http_free(http);
}

static void errors_stay_a_status_in_every_form(void **state)
{
    api_world *world = *state;
    fill(world, 5, 1);
    assert_int_equal(lw_store_compact(world->store, 4, NULL), LW_OK);
    api_world_turns(world, 1);
    fake_http *http = ask_as(world, WATCH "&resourceVersion=1", TABLE, 200);
    assert_body_has(http, "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\"");
    fake_http_free(http);
}

static void draining_ends_watches_and_refuses_new_ones(void **state)
{
    api_world *world = *state;
    fake_http *http[3];
    for (size_t i = 0; i < 3; i++)
        http[i] = ask(world, WATCH, 200);
    fill(world, MANY, 10);
    fake_http *busy = ask(world, WATCH, 200);
    lw_api_drain(world->api, world->loop);
    for (size_t i = 0; i < 3; i++) {
        assert_true(http[i]->is_ended);
        assert_false(http[i]->is_aborted);
        fake_http_free(http[i]);
    }
    assert_true(busy->is_ended);
    api_world_turns(world, 2);
    fake_http_free(busy);
    fake_http *refused = ask(world, WATCH, 503);
    assert_header(refused, "retry-after", "1");
    fake_http_free(refused);
    fake_http *list = ask(world, "/api/v1/configmaps?limit=1", 200);
    fake_http_free(list);
}

static void a_stream_without_memory_is_cut_visibly(void **state)
{
    api_world *world = *state;
    fake_http *http = ask(world, WATCH, 200);
    http->is_out_of_memory = true;
    (void)api_world_put_config(world, "default", "a", NULL, NULL);
    api_world_turns(world, 2);
    assert_true(http->is_aborted);
    assert_false(http->is_ended);
    fake_http_free(http);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(bookmarks_come_each_minute_and_before_the_end),
        WORLD_TEST(nobody_gets_bookmarks_unasked),
        WORLD_TEST(a_watch_from_the_future_gets_no_bookmark_before),
        WORLD_TEST(the_end_comes_in_time),
        WORLD_TEST(a_slow_client_is_sent_no_more_than_its_queue_holds),
        WORLD_TEST(a_slow_client_delays_nobody),
        WORLD_TEST(a_long_past_is_sent_in_turns),
        WORLD_TEST(a_client_that_leaves_in_the_middle_leaves_nothing),
        WORLD_TEST(an_overtaken_client_is_told_410),
        WORLD_TEST(a_websocket_gets_one_event_a_message),
        WORLD_TEST(tables_tell_their_columns_once),
        WORLD_TEST(partial_events_are_metadata),
        WORLD_TEST(errors_stay_a_status_in_every_form),
        WORLD_TEST(draining_ends_watches_and_refuses_new_ones),
        WORLD_TEST(a_stream_without_memory_is_cut_visibly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
