/* SPDX-License-Identifier: Apache-2.0 */
/* watch_test.c -- how a watch begins: the matrix of resourceVersion and sendInitialEvents, and
 * what is refused before or after it is one. */
#include "base/clock.h"
#include "base/str.h"
#include "unit/api/asked.h"

#define WATCH      "/api/v1/namespaces/default/configmaps?watch=1"
#define INITIAL    "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
#define NO_INITIAL "&sendInitialEvents=false&resourceVersionMatch=NotOlderThan"
#define BOOKMARKS  "&allowWatchBookmarks=true"

/* Writes the body as "+a1 *b3 -a4 .5! .6 E410" for ADDED a at revision 1, MODIFIED, DELETED,
 * bookmarks (marked: !) and errors. */
static void shorten(const fake_http *http, char *out, size_t size)
{
    lw_str rest = lw_buf_view(&http->body), line;
    size_t len = 0;
    out[0] = '\0';
    while (lw_str_cut(rest, '\n', &line, &rest)) {
        char text[2048], name[64] = "", rv[32] = "", code[16] = "";
        (void)snprintf(text, sizeof(text), "%.*s", (int)line.len, line.ptr);
        const char *at = strstr(text, "\"name\":\"");
        if (at)
            (void)sscanf(at, "\"name\":\"%60[^\"]", name);
        at = strstr(text, "\"resourceVersion\":\"");
        if (at)
            (void)sscanf(at, "\"resourceVersion\":\"%30[^\"]", rv);
        at = strstr(text, "\"code\":");
        if (at)
            (void)sscanf(at, "\"code\":%10[0-9]", code);
        const char *sign = strstr(text, "\"ADDED\"")      ? "+"
                           : strstr(text, "\"MODIFIED\"") ? "*"
                           : strstr(text, "\"DELETED\"")  ? "-"
                           : strstr(text, "\"BOOKMARK\"") ? "."
                                                          : "E";
        len += (size_t)snprintf(out + len, size - len, "%s%s%s%s%s%s", len ? " " : "", sign, name,
                                rv, code,
                                strstr(text, "\"k8s.io/initial-events-end\":\"true\"") ? "!" : "");
    }
}

static void assert_events_at(fake_http *http, const char *expected, const char *what, int line)
{
    char got[1000];
    shorten(http, got, sizeof(got));
    if (strcmp(got, expected) != 0) {
        print_error("%s: \"%s\" instead of \"%s\"\n", what, got, expected);
        _fail(__FILE__, line);
    }
    fake_http_forget_body(http);
}
#define assert_events(http, expected) assert_events_at((http), (expected), "", __LINE__)

static void put(api_world *world, const char *name, const char *data)
{
    assert_true(api_world_put_config(world, "default", name, NULL, data) > 0);
}

/* a at 1, b at 2, b again at 3, c in another namespace at 4, d at 5 and gone at 6. */
static void make_history(api_world *world)
{
    put(world, "a", "1");
    put(world, "b", "2");
    put(world, "b", "3");
    assert_true(api_world_put_config(world, "other", "c", NULL, "4") == 4);
    put(world, "d", "5");
    assert_true(api_world_delete(world, "configmaps/default/d") == 6);
}

static void a_watch_begins_as_the_matrix_says(void **state)
{
    api_world *world = *state;
    static const struct {
        const char *options, *events;
    } rows[] = {
        { "", "+a1 +b3" },
        { BOOKMARKS, "+a1 +b3 .6!" },
        { "&resourceVersion=0", "+a1 +b3" },
        { "&resourceVersion=0" BOOKMARKS, "+a1 +b3 .6!" },
        { INITIAL, "+a1 +b3" },
        { INITIAL BOOKMARKS, "+a1 +b3 .6!" },
        { INITIAL BOOKMARKS "&resourceVersion=0", "+a1 +b3 .6!" },
        { INITIAL BOOKMARKS "&resourceVersion=3", "+a1 +b3 .6!" },
        { INITIAL "&resourceVersion=6", "+a1 +b3" },
        { NO_INITIAL BOOKMARKS, "" },
        { NO_INITIAL "&resourceVersion=0" BOOKMARKS, "" },
        { NO_INITIAL "&resourceVersion=2", "*b3 +d5 -d6" },
        { "&resourceVersion=2", "*b3 +d5 -d6" },
        { "&resourceVersion=2" BOOKMARKS, "*b3 +d5 -d6" },
        { "&resourceVersion=6", "" },
        { "&resourceVersion=1000", "" },
    };
    make_history(world);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char target[300];
        (void)snprintf(target, sizeof(target), WATCH "%s", rows[i].options);
        fake_http *http = ask(world, target, 200);
        assert_events_at(http, rows[i].events, target, __LINE__);
        assert_false(http->is_ended);
        assert_true(http->is_streamed);
        fake_http_free(http);
    }
}

static void every_start_goes_on_with_what_comes(void **state)
{
    api_world *world = *state;
    static const char *const options[] = { "", NO_INITIAL, NO_INITIAL "&resourceVersion=0",
                                           "&resourceVersion=6", INITIAL "&resourceVersion=6" };
    fake_http *http[5];
    make_history(world);
    for (size_t i = 0; i < 5; i++) {
        char target[300];
        (void)snprintf(target, sizeof(target), WATCH "%s", options[i]);
        http[i] = ask(world, target, 200);
        fake_http_forget_body(http[i]);
    }
    put(world, "a", "7");
    put(world, "e", "8");
    assert_true(api_world_delete(world, "configmaps/default/b") == 9);
    api_world_turns(world, 2);
    for (size_t i = 0; i < 5; i++) {
        assert_events_at(http[i], "*a7 +e8 -b9", options[i], __LINE__);
        fake_http_free(http[i]);
    }
}

static void events_look_as_a_real_server_sends_them(void **state)
{
    api_world *world = *state;
    put(world, "a", "v");
    fake_http *http = ask(world, WATCH BOOKMARKS, 200);
    assert_header(http, "content-type", "application/json");
    assert_header(http, "cache-control", "no-cache, private");
    assert_came(http,
                "{\"type\":\"ADDED\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\","
                "\"metadata\":{\"name\":\"a\",\"namespace\":\"default\",\"uid\":\"u-a\","
                "\"resourceVersion\":\"1\",\"creationTimestamp\":\"2026-11-15T01:49:24Z\"},"
                "\"data\":{\"k\":\"v\"}}}\n"
                "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\","
                "\"metadata\":{\"resourceVersion\":\"1\",\"annotations\":"
                "{\"k8s.io/initial-events-end\":\"true\"}}}}\n");
    fake_http_free(http);
}

static void a_revision_that_is_forgotten_is_an_error_event(void **state)
{
    api_world *world = *state;
    make_history(world);
    assert_int_equal(lw_store_compact(world->store, 5, NULL), LW_OK);
    api_world_turns(world, 2);
    fake_http *http = ask(world, WATCH "&resourceVersion=1", 200);
    assert_true(http->is_ended);
    assert_came(http, "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\","
                      "\"metadata\":{},\"status\":\"Failure\",\"message\":\"too old resource "
                      "version: 1 (5)\",\"reason\":\"Expired\",\"code\":410}}\n");
    fake_http_free(http);
}

static void initial_events_of_a_state_to_come_are_waited_for(void **state)
{
    api_world *world = *state;
    put(world, "a", "1");
    fake_http *in_time = api_world_get(world, WATCH INITIAL "&resourceVersion=2", NULL);
    fake_http *late = api_world_get(world, WATCH INITIAL "&resourceVersion=9", NULL);
    assert_int_equal(in_time->status, 0);
    put(world, "b", "2");
    api_world_turns(world, 2);
    assert_int_equal(in_time->status, 200);
    assert_events(in_time, "+a1 +b2");
    api_world_pass(world, 3 * LW_NS_PER_S);
    assert_int_equal(late->status, 200);
    assert_true(late->is_ended);
    assert_body_has(late, "\"message\":\"Timeout: Too large resource version: 9, current: 2\"");
    assert_events(late, "E504");
    fake_http_free(in_time);
    fake_http_free(late);
}

static void a_revision_in_the_future_waits_silently(void **state)
{
    api_world *world = *state;
    put(world, "a", "1");
    fake_http *http = ask(world, WATCH "&resourceVersion=3", 200);
    put(world, "b", "2");
    put(world, "c", "3");
    api_world_turns(world, 2);
    assert_events(http, "");
    put(world, "d", "4");
    api_world_turns(world, 2);
    assert_events(http, "+d4");
    fake_http_free(http);
}

static void what_makes_no_sense_is_refused_before(void **state)
{
    api_world *world = *state;
    static const struct {
        const char *options;
        int code;
        const char *message;
    } rows[] = {
        { "&resourceVersion=abc", 500,
          "resourceVersion: Invalid value: \\\"abc\\\": strconv.ParseUint: parsing \\\"abc\\\": "
          "invalid syntax" },
        { "&sendInitialEvents=true", 422, "sendInitialEvents requires setting" },
        { "&resourceVersionMatch=NotOlderThan", 422, "unless sendInitialEvents is provided" },
        { "&labelSelector=a+in", 400, "unable to parse requirement" },
        { "&fieldSelector=foo%3D1", 400, "is not a known field selector" },
        { "&timeoutSeconds=x", 400, "strconv.ParseInt" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char target[300];
        (void)snprintf(target, sizeof(target), WATCH "%s", rows[i].options);
        fake_http *http = ask(world, target, rows[i].code);
        assert_body_has(http, rows[i].message);
        assert_true(http->is_ended);
        fake_http_free(http);
    }
}

static void yaml_cannot_be_watched(void **state)
{
    fake_http *http = ask_as(*state, WATCH, "application/yaml", 406);
    fake_http_free(http);
}

static void one_object_can_be_watched(void **state)
{
    api_world *world = *state;
    put(world, "a", "1");
    put(world, "b", "2");
    fake_http *by_field = ask(world, WATCH "&fieldSelector=metadata.name%3Db", 200);
    fake_http *by_path = ask(world, "/api/v1/watch/namespaces/default/configmaps/b", 200);
    fake_http *wrong = ask(world,
                           "/api/v1/watch/namespaces/default/configmaps/b"
                           "?fieldSelector=metadata.name%3Da",
                           400);
    assert_events(by_field, "+b2");
    assert_events(by_path, "+b2");
    put(world, "a", "3");
    put(world, "b", "4");
    api_world_turns(world, 2);
    assert_events(by_field, "*b4");
    assert_events(by_path, "*b4");
    fake_http_free(by_field);
    fake_http_free(by_path);
    fake_http_free(wrong);
}

/* The selector watch of the golden record: x goes 0,1,1,0,1, then the object is deleted. */
static void selectors_turn_changes_into_additions_and_deletions(void **state)
{
    api_world *world = *state;
    static const char *const labels[] = { "0", "1", "1", "0", "1" };
    static const char *const data[] = { "1", "2", "3", "4", "5" };
    fake_http *all = ask(world, WATCH, 200);
    fake_http *chosen = ask(world, WATCH "&labelSelector=x%3D1", 200);
    for (size_t i = 0; i < 5; i++)
        assert_true(api_world_put_config(world, "default", "s", labels[i], data[i]) > 0);
    assert_true(api_world_delete(world, "configmaps/default/s") > 0);
    api_world_turns(world, 2);
    assert_events(all, "+s1 *s2 *s3 *s4 *s5 -s6");
    assert_body_has(chosen,
                    "{\"type\":\"DELETED\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":"
                    "\"v1\",\"metadata\":{\"name\":\"s\",\"namespace\":\"default\",\"uid\":"
                    "\"u-s\",\"resourceVersion\":\"4\",\"creationTimestamp\":"
                    "\"2026-11-15T01:49:24Z\",\"labels\":{\"x\":\"1\"}},\"data\":{\"k\":"
                    "\"3\"}}}\n");
    assert_events(chosen, "+s2 *s3 -s4 +s5 -s6");
    fake_http_free(all);
    fake_http_free(chosen);
}

static void a_client_that_leaves_while_waiting_leaves_nothing(void **state)
{
    api_world *world = *state;
    fake_http *http = api_world_get(world, WATCH INITIAL "&resourceVersion=9", NULL);
    fake_http_close(http);
    assert_int_equal(lw_ref_count(&http->stream.refs), 1);
    fake_http_free(http);
    api_world_pass(world, 4 * LW_NS_PER_S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(a_watch_begins_as_the_matrix_says),
        WORLD_TEST(every_start_goes_on_with_what_comes),
        WORLD_TEST(events_look_as_a_real_server_sends_them),
        WORLD_TEST(a_revision_that_is_forgotten_is_an_error_event),
        WORLD_TEST(initial_events_of_a_state_to_come_are_waited_for),
        WORLD_TEST(a_revision_in_the_future_waits_silently),
        WORLD_TEST(what_makes_no_sense_is_refused_before),
        WORLD_TEST(yaml_cannot_be_watched),
        WORLD_TEST(one_object_can_be_watched),
        WORLD_TEST(selectors_turn_changes_into_additions_and_deletions),
        WORLD_TEST(a_client_that_leaves_while_waiting_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
