/* SPDX-License-Identifier: Apache-2.0 */
/* session_test.c -- lists, watches and single requests, and how they end. */
#include "client/session_internal.h"

#include <stdio.h>

#include "base/str.h"
#include "support/session_world.h"
#include "unit/test.h"

#define JSON   "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
#define CLOSES JSON "Connection: close\r\n\r\n" /* the body ends with the connection */
#define CHUNKS JSON "Transfer-Encoding: chunked\r\n\r\n"

#define LIST_OF_TWO                                                                                \
    "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"7\","         \
    "\"continue\":\"next\"},\"items\":[{\"metadata\":{\"name\":\"a\"}},"                           \
    "{\"metadata\":{\"name\":\"b\"}}]}"

#define EVENT_A "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\"}}}\n"
#define EVENT_B "{\"type\":\"MODIFIED\",\"object\":{\"metadata\":{\"name\":\"b\"}}}\n"

static session_world world;

static int set_up(void **state)
{
    (void)state;
    session_world_open(&world);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    session_world_close(&world);
    return 0;
}

/* Answers with |bytes| and closes. */
static void say_and_close(const char *bytes)
{
    const script_step steps[] = { { SCRIPT_SEND, bytes, 0 }, { SCRIPT_CLOSE, NULL, 0 }, { 0 } };
    script_server_play(world.server, NULL, steps);
}

/* Requests. */

static void says_who_asks_and_what_for(void **state)
{
    (void)state;
    say_and_close(CLOSES "{}");
    session_world_get(&world, "/api/v1/pods/a");
    session_world_expect(&world, "body {}; ");
    session_world_expect_request(&world, 0, "GET /api/v1/pods/a HTTP/1.1\r\n");
    session_world_expect_request(&world, 0, "\r\nAccept: application/json\r\n");
    session_world_expect_request(&world, 0, "\r\nUser-Agent: listwatch/");
}

static void metadata_only_is_asked_for_by_accept(void **state)
{
    (void)state;
    const lw_list_options options = { .size = sizeof(lw_list_options), .is_metadata_only = true };
    say_and_close(CLOSES LIST_OF_TWO);
    session_world_list(&world, &options);
    session_world_expect_request(&world, 0,
                                 "Accept: application/json;as=PartialObjectMetadataList;"
                                 "g=meta.k8s.io;v=v1,application/json\r\n");
    say_and_close(CLOSES EVENT_A);
    session_world_watch(&world, &options);
    session_world_expect_request(&world, 1,
                                 "Accept: application/json;as=PartialObjectMetadata;"
                                 "g=meta.k8s.io;v=v1,application/json\r\n");
}

static void sends_a_body_with_its_type(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    say_and_close(CLOSES "{}");
    const lw_session_request request = {
        .kind = LW_SESSION_PLAIN,
        .method = "PATCH",
        .target = "/x",
        .accept = "application/json",
        .content_type = "application/merge-patch+json",
        .body = LW_STR("{\"a\":1}"),
        .on_body = session_world_on_body,
    };
    assert_int_equal(lw_session__start(world.session, &request, &world.sink, &world.call, &err),
                     LW_OK);
    session_world_await(&world, &world.ends, 1);
    session_world_expect_request(&world, 0, "PATCH /x HTTP/1.1\r\n");
    session_world_expect_request(&world, 0, "\r\nContent-Type: application/merge-patch+json\r\n");
    session_world_expect_request(&world, 0, "\r\nContent-Length: 7\r\n");
}

/* Lists. */

static void hands_over_the_objects_of_a_list_and_then_its_metadata(void **state)
{
    (void)state;
    say_and_close(CLOSES LIST_OF_TWO);
    session_world_list(&world, NULL);
    session_world_expect(&world, "object a; object b; list 7 next; ");
}

static void reads_a_list_in_bytes(void **state)
{
    (void)state;
    const script_step steps[] = { { SCRIPT_PIECES, CLOSES LIST_OF_TWO, 0 },
                                  { SCRIPT_CLOSE, NULL, 0 },
                                  { 0 } };
    script_server_play(world.server, NULL, steps);
    session_world_list(&world, NULL);
    session_world_expect(&world, "object a; object b; list 7 next; ");
}

static void reads_a_compressed_list(void **state)
{
    (void)state;
    /* A PodList of one, "a". */
    static const char zipped[] =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n"
        "Content-Length: 103\r\n\r\n"
        "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x55\xca\x21\x0e\x80\x30\x0c\x05\xd0\xbb\x7c"
        "\x8d\x41\x91\xec\x0c\x08\x14\x86\x20\x1a\x56\xd1\x90\x6d\x64\x2d\x98\xa5\x77\x67\x8e"
        "\x60\x5f\x5e\xc3\x29\x39\x22\x60\x29\x71\x16\x35\x0c\xa0\x4b\x56\xae\x2a\x25\x77\x7e"
        "\xc6\x2e\x89\x8d\x22\x19\x21\x34\x54\xd6\x72\xd7\x83\xbf\x32\xc1\x07\x88\x71\x52\x84"
        "\xad\xfd\x72\xa6\xc4\x7d\x10\xdc\x77\x7f\x01\x5d\x11\xb6\x20\x6b\x00\x00\x00";
    const script_step steps[] = { { SCRIPT_SEND, zipped, sizeof(zipped) - 1 }, { 0 } };
    script_server_play(world.server, NULL, steps);
    session_world_list(&world, NULL);
    session_world_expect(&world, "object a; list 7 ; ");
    session_world_expect_request(&world, 0, "\r\nAccept-Encoding: gzip\r\n");
}

static void a_list_that_is_no_list_is_told_by_its_kind(void **state)
{
    (void)state;
    say_and_close(CLOSES "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"}}");
    session_world_list(&world, NULL);
    session_world_expect(
        &world, "fail invalid: expected a list, but the document of kind \"Pod\" has no items; ");
    say_and_close(CLOSES "{\"kind\":\"Status\",\"status\":\"Success\"}");
    session_world_list(&world, NULL);
    session_world_expect(
        &world,
        "fail invalid: expected a list, but the document of kind \"Status\" has no items; ");
    say_and_close(CLOSES "{\"kind\":\"Table\",\"rows\":[]}");
    session_world_list(&world, NULL);
    session_world_expect(
        &world, "fail invalid: expected a list, but the document of kind \"Table\" has no items; ");
    say_and_close(CLOSES "{\"kind\":\"Table\",\"items\":[]}");
    session_world_list(&world, NULL);
    session_world_expect(&world,
                         "fail invalid: the server responded with a Table instead of a list; ");
}

static void a_page_of_a_portal_is_no_list(void **state)
{
    (void)state;
    say_and_close("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<html>");
    session_world_list(&world, NULL);
    assert_int_equal(world.err.code, LW_ERR_INVALID);
    assert_non_null(strstr(world.err.message, "text/html"));
}

static void a_list_cut_short_fails(void **state)
{
    (void)state;
    say_and_close(JSON "Content-Length: 1000\r\n\r\n{\"kind\":\"PodList\",\"items\":["
                       "{\"metadata\":{\"name\":\"a\"}}");
    session_world_list(&world, NULL);
    assert_int_equal(world.err.code, LW_ERR_UNAVAILABLE);
    assert_int_equal(world.err.http_status, 0);
    assert_int_equal(world.objects, 1);
    /* HTTP/1.0 cannot tell; the document can. */
    say_and_close(CLOSES "{\"kind\":\"PodList\",\"items\":[{\"metadata\":{\"name\":\"a\"}}");
    session_world_list(&world, NULL);
    assert_int_equal(world.err.code, LW_ERR_SYNTAX);
}

static void a_malformed_list_fails_at_once(void **state)
{
    (void)state;
    const script_step steps[] = { { SCRIPT_SEND, CHUNKS "10\r\n{\"items\":[1,2,3}\r\n", 0 },
                                  { SCRIPT_WAIT, NULL, 0 },
                                  { 0 } };
    script_server_play(world.server, NULL, steps);
    session_world_list(&world, NULL); /* although the server has not ended it */
    assert_int_not_equal(world.err.code, LW_OK);
    script_server_go(world.server);
}

/* Watches. */

static void tells_that_a_watch_is_open_its_events_and_its_end(void **state)
{
    (void)state;
    say_and_close(CLOSES EVENT_A EVENT_B
                  "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\","
                  "\"status\":\"Failure\","
                  "\"reason\":\"Expired\",\"code\":410}}\n");
    session_world_watch(&world, NULL);
    session_world_expect(&world, "open; ADDED a; MODIFIED b; ERROR Expired; end; ");
}

static void asks_for_no_compressed_watch(void **state)
{
    (void)state;
    char head[8192];
    say_and_close(CLOSES EVENT_A);
    session_world_watch(&world, NULL);
    assert_true(script_server_request(world.server, 0, head, sizeof(head)));
    assert_null(strstr(head, "Accept-Encoding"));
}

static void reads_events_however_they_are_cut(void **state)
{
    (void)state;
    const script_step steps[] = { { SCRIPT_PIECES, CLOSES EVENT_A EVENT_B, 0 },
                                  { SCRIPT_CLOSE, NULL, 0 },
                                  { 0 } };
    script_server_play(world.server, NULL, steps);
    session_world_watch(&world, NULL);
    session_world_expect(&world, "open; ADDED a; MODIFIED b; end; ");
}

static void tells_each_event_when_it_comes(void **state)
{
    (void)state;
    const lw_list_options all = { .size = sizeof(lw_list_options) };
    const script_step steps[] = { { SCRIPT_SEND, CLOSES EVENT_A, 0 },
                                  { SCRIPT_WAIT, NULL, 0 },
                                  { SCRIPT_SEND, EVENT_B, 0 },
                                  { SCRIPT_CLOSE, NULL, 0 },
                                  { 0 } };
    script_server_play(world.server, NULL, steps);
    assert_int_equal(lw_session_watch(world.session, lw_gvr_make("", "v1", "pods"), &all,
                                      &world.sink, &world.call, NULL),
                     LW_OK);
    session_world_await(&world, &world.objects, 1);
    session_world_expect(&world, "open; ADDED a; ");
    script_server_go(world.server);
    session_world_await(&world, &world.ends, 1);
    session_world_expect(&world, "MODIFIED b; end; ");
}

static void a_watch_cut_in_an_event_is_no_clean_end(void **state)
{
    (void)state;
    say_and_close(CLOSES EVENT_A "{\"type\":\"MODI");
    session_world_watch(&world, NULL);
    session_world_expect(&world, "open; ADDED a; fail unavailable: the connection was closed in "
                                 "the middle of a watch event; ");
    assert_true(world.err.retriable);
}

static void a_connection_lost_between_events_is_no_clean_end(void **state)
{
    (void)state;
    say_and_close(CHUNKS "34\r\n" EVENT_A "\r\n");
    session_world_watch(&world, NULL);
    assert_int_equal(world.err.code, LW_ERR_UNAVAILABLE);
    assert_int_equal(world.err.http_status, 0);
}

static void an_event_of_no_known_type_fails(void **state)
{
    (void)state;
    say_and_close(CLOSES EVENT_A "{\"type\":\"MOVED\",\"object\":{}}\n" EVENT_B);
    session_world_watch(&world, NULL);
    assert_int_equal(world.err.code, LW_ERR_INVALID);
    assert_int_equal(world.objects, 1);
}

/* Refusals. */

static void a_refusal_says_all_the_server_said(void **state)
{
    (void)state;
    say_and_close("HTTP/1.1 410 Gone\r\nContent-Type: application/json\r\nConnection: close\r\n"
                  "\r\n{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\","
                  "\"message\":\"too old resource version: 1 (5)\",\"reason\":\"Expired\","
                  "\"code\":410}");
    session_world_watch(&world, NULL);
    session_world_expect(&world, "fail expired: too old resource version: 1 (5); ");
    assert_int_equal(world.err.http_status, 410);
    assert_string_equal(world.err.reason, "Expired");
}

static void retry_after_is_read_in_seconds_and_as_a_date(void **state)
{
    (void)state;
    say_and_close("HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\nConnection: close\r\n"
                  "\r\nslow down");
    session_world_list(&world, NULL);
    assert_int_equal(world.err.code, LW_ERR_TOO_MANY);
    assert_int_equal(world.err.retry_after_s, 7);
    assert_true(world.err.retriable);
    /* client-go does not read dates; ours is far off, and cut to a day. */
    say_and_close("HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n"
                  "Retry-After: Fri, 31 Dec 2199 23:59:59 GMT\r\n\r\n");
    session_world_list(&world, NULL);
    assert_int_equal(world.err.code, LW_ERR_UNAVAILABLE);
    assert_int_equal(world.err.retry_after_s, 24 * 3600);
}

static void a_refusal_without_words_counts_by_its_code(void **state)
{
    (void)state;
    say_and_close("HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n<html>no</html>");
    session_world_get(&world, "/");
    session_world_expect(&world, "fail forbidden: <html>no</html>; ");
}

static void without_other_credentials_a_refused_request_is_not_sent_again(void **state)
{
    (void)state;
    script_server_say_always(world.server, NULL,
                             "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n");
    session_world_get(&world, "/");
    assert_int_equal(world.err.code, LW_ERR_UNAUTHORIZED);
    assert_int_equal(script_server_counts(world.server).requests, 1);
}

static void refusal_of_anonymous_requests_names_the_server(void **state)
{
    (void)state;
    script_server_say_always(world.server, NULL,
                             "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n");
    session_world_get(&world, "/");
    assert_non_null(strstr(world.err.message, script_server_url(world.server)));
    assert_non_null(strstr(world.err.message, "requires authentication, and no credentials"));
    assert_string_equal(world.err.reason, "Unauthorized");
    assert_int_equal(world.err.http_status, 401);
}

static void nobody_there_is_told_with_the_address(void **state)
{
    (void)state;
    char url[64];
    lw_config *config = NULL;
    lw_client *client = NULL;
    lw_error err = LW_ERROR_INIT;
    lw_object *obj = NULL;
    script_server *gone = script_server_open();
    (void)snprintf(url, sizeof(url), "%s", script_server_url(gone));
    script_server_close(gone);
    lw_config_options options = LW_CONFIG_OPTIONS_INIT;
    options.server = url;
    assert_int_equal(lw_config_load(&config, &options, NULL), LW_OK);
    assert_int_equal(lw_client_new(&client, config, NULL, NULL), LW_OK);
    assert_int_equal(lw_client_get(client, lw_gvr_make("", "v1", "pods"), "a", "b", NULL, &obj,
                                   &err),
                     LW_ERR_UNAVAILABLE);
    assert_non_null(strstr(err.message, strstr(url, "127.")));
    lw_client_unref(client);
    lw_config_unref(config);
}

/* Cancelling. */

static void a_cancelled_call_says_nothing_more(void **state)
{
    (void)state;
    world.cancel_at = 1;
    say_and_close(CLOSES LIST_OF_TWO);
    session_world_list(&world, NULL);
    say_and_close(CLOSES "{}");
    session_world_get(&world, "/");
    session_world_expect(&world, "object a; body {}; ");
}

static void a_watch_is_cancelled_in_the_middle(void **state)
{
    (void)state;
    world.cancel_at = 1;
    const script_step steps[] = { { SCRIPT_SEND, CLOSES EVENT_A EVENT_B, 0 },
                                  { SCRIPT_WAIT, NULL, 0 },
                                  { 0 } };
    script_server_play(world.server, NULL, steps);
    session_world_watch(&world, NULL);
    session_world_expect(&world, "open; ADDED a; ");
    script_server_go(world.server);
    assert_true(script_server_await_open(world.server, 0));
}

static void a_session_is_freed_with_calls_under_way(void **state)
{
    (void)state;
    const lw_list_options all = { .size = sizeof(lw_list_options) };
    const script_step steps[] = { { SCRIPT_SEND, CLOSES EVENT_A, 0 },
                                  { SCRIPT_WAIT, NULL, 0 },
                                  { 0 } };
    script_server_play_always(world.server, NULL, steps);
    lw_session_call *calls[2];
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(lw_session_watch(world.session, lw_gvr_make("", "v1", "pods"), &all,
                                          &world.sink, &calls[i], NULL),
                         LW_OK);
    session_world_await(&world, &world.objects, 2);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(says_who_asks_and_what_for),
        CASE(metadata_only_is_asked_for_by_accept),
        CASE(sends_a_body_with_its_type),
        CASE(hands_over_the_objects_of_a_list_and_then_its_metadata),
        CASE(reads_a_list_in_bytes),
        CASE(reads_a_compressed_list),
        CASE(a_list_that_is_no_list_is_told_by_its_kind),
        CASE(a_page_of_a_portal_is_no_list),
        CASE(a_list_cut_short_fails),
        CASE(a_malformed_list_fails_at_once),
        CASE(tells_that_a_watch_is_open_its_events_and_its_end),
        CASE(asks_for_no_compressed_watch),
        CASE(reads_events_however_they_are_cut),
        CASE(tells_each_event_when_it_comes),
        CASE(a_watch_cut_in_an_event_is_no_clean_end),
        CASE(a_connection_lost_between_events_is_no_clean_end),
        CASE(an_event_of_no_known_type_fails),
        CASE(a_refusal_says_all_the_server_said),
        CASE(retry_after_is_read_in_seconds_and_as_a_date),
        CASE(a_refusal_without_words_counts_by_its_code),
        CASE(without_other_credentials_a_refused_request_is_not_sent_again),
        CASE(refusal_of_anonymous_requests_names_the_server),
        TEST(nobody_there_is_told_with_the_address),
        CASE(a_cancelled_call_says_nothing_more),
        CASE(a_watch_is_cancelled_in_the_middle),
        CASE(a_session_is_freed_with_calls_under_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
