/* SPDX-License-Identifier: Apache-2.0 */
/* curl_exchange_test.c -- short requests without TLS: what is sent, what is read, and when a
 * connection is used again. */
#include "transport/curl_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "support/script_server.h"
#include "support/transport_pump.h"
#include "unit/test.h"

#define OK_HI "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\nhi"

enum {
    MANY = 50,
    LARGE = 1024 * 1024,
};

static script_server *server;
static lw_transport *transport;

static int set_up(void **state)
{
    (void)state;
    static const char *const names[] = { "http_proxy", "all_proxy", "ALL_PROXY" };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        unsetenv(names[i]);
    server = script_server_open();
    transport = pump_open(script_server_url(server), NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    lw_transport_free(transport);
    script_server_close(server);
    return 0;
}

static void post(talk *t, const char *target, lw_str body)
{
    lw_transfer_options options = {
        .method = "POST", .target = target, .body = body, .is_short = true
    };
    talk_start(t, transport, &options);
}

static void post_and_expect(const char *target, int status, const char *body)
{
    talk t;
    post(&t, target, LW_STR("{}"));
    talk_expect(&t, status, body);
    talk_done(&t);
}

static void post_and_fail(const char *target, lw_status st, const char *words)
{
    talk t;
    post(&t, target, LW_STR("{}"));
    talk_expect_failure(&t, st, words);
    talk_done(&t);
}

static void expect_accepted(unsigned count)
{
    assert_int_equal(script_server_counts(server).accepted, count);
}

static void requests_share_a_connection(void **state)
{
    (void)state;
    script_server_say_always(server, NULL, OK_HI);
    for (int i = 0; i < 5; i++)
        post_and_expect("/", 200, "hi");
    expect_accepted(1);
    assert_int_equal(transport->transfers, 0);
}

static void head_and_type_are_told(void **state)
{
    (void)state;
    talk t;
    script_server_say(server, "POST /",
                      "HTTP/1.1 429 Too Many\r\nContent-Type: text/plain\r\n"
                      "Retry-After: 7\r\nContent-Length: 0\r\n\r\n");
    post(&t, "/", LW_STR("{}"));
    talk_expect(&t, 429, "");
    assert_string_equal(t.content_type, "text/plain");
    assert_string_equal(t.retry_after, "7");
    assert_int_equal(t.heads, 1);
    talk_done(&t);
}

/* The same request, once by curl. */
static void the_same_is_sent_as_by_curl(void **state)
{
    (void)state;
    static const char *const headers[] = { "Accept: application/json", "User-Agent: t", NULL };
    static const char *const methods[] = { "POST", "PATCH", "PUT", "DELETE" };
    static char mine[2048], curls[2048];
    unsigned at = 0;
    script_server_say_always(server, NULL, OK_HI);
    for (size_t i = 0; i < 2 * sizeof(methods) / sizeof(methods[0]); i++) {
        lw_transfer_options options = { .method = methods[i / 2],
                                        .target = "/a?b=%20",
                                        .headers = headers,
                                        .body = i % 2 || i == 6 ? LW_STR("") : LW_STR("{\"a\":1}"),
                                        .is_uncompressed = true };
        for (int is_short = 0; is_short < 2; is_short++) {
            talk t;
            options.is_short = is_short;
            talk_start(&t, transport, &options);
            talk_expect(&t, 200, "hi");
            talk_done(&t);
        }
        assert_true(script_server_request(server, at++, curls, sizeof(curls)));
        assert_true(script_server_request(server, at++, mine, sizeof(mine)));
        assert_string_equal(mine, curls);
    }
}

static void a_large_body_arrives(void **state)
{
    (void)state;
    talk t;
    char *body = malloc(LARGE);
    assert_non_null(body);
    memset(body, 'x', LARGE);
    script_server_say_always(server, NULL, OK_HI);
    for (int i = 0; i < 2; i++) {
        post(&t, "/", lw_str_make(body, LARGE));
        talk_expect(&t, 200, "hi");
        talk_done(&t);
    }
    expect_accepted(1);
    free(body);
}

static void chunks_are_joined(void **state)
{
    (void)state;
    const script_step steps[] = {
        { SCRIPT_PIECES,
          "HTTP/1.1 201 Created\r\nTransfer-Encoding: "
          "chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
          0 },
        { SCRIPT_END, NULL, 0 },
    };
    script_server_play_always(server, NULL, steps);
    post_and_expect("/", 201, "abcde");
    post_and_expect("/", 201, "abcde");
    expect_accepted(1);
}

static void interim_responses_are_skipped(void **state)
{
    (void)state;
    script_server_say_always(server, NULL, "HTTP/1.1 103 Early\r\nA: b\r\n\r\n" OK_HI);
    post_and_expect("/", 200, "hi");
    post_and_expect("/", 200, "hi");
    expect_accepted(1);
}

static void a_reply_without_a_length_ends_with_its_connection(void **state)
{
    (void)state;
    const script_step steps[] = {
        { SCRIPT_SEND, "HTTP/1.1 200 OK\r\n\r\nabc", 0 },
        { SCRIPT_CLOSE, NULL, 0 },
        { SCRIPT_END, NULL, 0 },
    };
    script_server_play_always(server, NULL, steps);
    post_and_expect("/", 200, "abc");
    post_and_expect("/", 200, "abc");
    expect_accepted(2);
}

static void a_connection_that_the_server_wants_closed_is_not_kept(void **state)
{
    (void)state;
    script_server_say_always(server, NULL,
                             "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi");
    post_and_expect("/", 200, "hi");
    assert_true(script_server_await_open(server, 0));
    post_and_expect("/", 200, "hi");
    expect_accepted(2);
}

static void bytes_after_a_reply_are_not_taken_for_the_next_one(void **state)
{
    (void)state;
    script_server_say(server, NULL, OK_HI OK_HI);
    script_server_say(server, NULL, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nsmart");
    post_and_expect("/", 200, "hi");
    post_and_expect("/", 200, "smart");
    expect_accepted(2);
}

static void an_idle_connection_that_is_closed_is_replaced(void **state)
{
    (void)state;
    const script_step steps[] = {
        { SCRIPT_SEND, OK_HI, 0 },
        { SCRIPT_CLOSE, NULL, 0 },
        { SCRIPT_END, NULL, 0 },
    };
    script_server_play_always(server, NULL, steps);
    for (int i = 0; i < 3; i++) {
        post_and_expect("/", 200, "hi");
        assert_true(script_server_await_open(server, 0));
        if (i != 1) /* otherwise the next request notices it */
            continue;
        pump_turn(transport, 10000);
        assert_int_equal(transport->stats.connections, 0);
        assert_int_equal(lw_transport_timeout_ms(transport), -1);
    }
    expect_accepted(3);
}

/* As curl does: the server has closed it while the request was on its way. */
static void a_request_that_a_kept_connection_loses_is_sent_once_more(void **state)
{
    (void)state;
    const script_step lost[] = { { SCRIPT_RESET, NULL, 0 }, { SCRIPT_END, NULL, 0 } };
    script_server_say_always(server, "POST /kept", OK_HI);
    script_server_play(server, "POST /lost", lost);
    script_server_say(server, "POST /lost", OK_HI);
    post_and_expect("/kept", 200, "hi");
    post_and_expect("/lost", 200, "hi");
    expect_accepted(2);
    script_server_play_always(server, "POST /always", lost);
    post_and_fail("/always", LW_ERR_UNAVAILABLE, "closed the connection without a response");
    assert_int_equal(script_server_counts(server).requests, 5);
}

static void a_request_that_a_new_connection_loses_is_not_repeated(void **state)
{
    (void)state;
    const script_step lost[] = { { SCRIPT_CLOSE, NULL, 0 }, { SCRIPT_END, NULL, 0 } };
    script_server_play_always(server, NULL, lost);
    post_and_fail("/", LW_ERR_UNAVAILABLE, "closed the connection without a response: Empty reply");
    assert_int_equal(script_server_counts(server).requests, 1);
}

static void a_truncated_reply_is_a_failure(void **state)
{
    (void)state;
    const script_step steps[] = {
        { SCRIPT_SEND, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi", 0 },
        { SCRIPT_CLOSE, NULL, 0 },
        { SCRIPT_END, NULL, 0 },
    };
    talk t;
    script_server_say(server, "POST /kept", OK_HI);
    script_server_play_always(server, NULL, steps);
    post_and_expect("/kept", 200, "hi");
    post(&t, "/", LW_STR("{}"));
    talk_expect_failure(&t, LW_ERR_UNAVAILABLE, "before the end of its response");
    assert_true(t.result.is_truncated);
    assert_int_equal(t.result.status, 200);
    talk_done(&t);
    assert_int_equal(script_server_counts(server).requests, 2);
}

static void what_is_not_http_is_a_failure(void **state)
{
    (void)state;
    script_server_say(server, NULL, "SSH-2.0-OpenSSH\r\n\r\n");
    post_and_fail("/", LW_ERR_INVALID, "did not send a valid HTTP response: malformed status line");
}

static void a_server_that_is_not_there_is_told_as_by_curl(void **state)
{
    (void)state;
    talk t;
    lw_transport *other = pump_open("http://127.0.0.1:1", NULL);
    lw_transfer_options options = { .method = "POST", .target = "/", .is_short = true };
    talk_start(&t, other, &options);
    talk_expect_failure(&t, LW_ERR_UNAVAILABLE,
                        "cannot connect to http://127.0.0.1:1: Connection refused");
    assert_true(t.result.is_refused);
    talk_done(&t);
    lw_transport_free(other);
}

static void a_timeout_ends_the_connection(void **state)
{
    (void)state;
    const script_step wait[] = { { SCRIPT_WAIT, NULL, 0 }, { SCRIPT_END, NULL, 0 } };
    talk t;
    lw_transfer_options options = {
        .method = "POST", .target = "/wait", .timeout_ms = 50, .is_short = true
    };
    script_server_say_always(server, "POST /kept", OK_HI);
    script_server_play(server, "POST /wait", wait);
    post_and_expect("/kept", 200, "hi");
    talk_start(&t, transport, &options);
    talk_expect_failure(&t, LW_ERR_TIMEOUT, "within 50 ms");
    talk_done(&t);
    post_and_expect("/kept", 200, "hi");
    expect_accepted(2);
}

static void a_cancelled_request_ends_its_connection(void **state)
{
    (void)state;
    const script_step wait[] = { { SCRIPT_WAIT, NULL, 0 }, { SCRIPT_END, NULL, 0 } };
    talk t;
    script_server_say_always(server, "POST /kept", OK_HI);
    script_server_play(server, "POST /wait", wait);
    post_and_expect("/kept", 200, "hi");
    post(&t, "/wait", LW_STR("{}"));
    while (script_server_counts(server).waiting == 0)
        pump_turn(transport, 10);
    talk_done(&t);
    post_and_expect("/kept", 200, "hi");
    expect_accepted(2);
    assert_int_equal(transport->transfers, 0);
}

static void cancel_at_head(lw_transfer *transfer, int status, lw_str type, lw_str after, void *arg)
{
    (void)status;
    (void)type;
    (void)after;
    ++*(unsigned *)arg;
    lw_transfer_cancel(transfer);
}

static void a_callback_may_cancel_its_request(void **state)
{
    (void)state;
    unsigned heads = 0;
    lw_transfer *transfer;
    script_server_say_always(server, NULL, OK_HI);
    const lw_transfer_options options = {
        .method = "POST", .target = "/", .is_short = true, .on_head = cancel_at_head, .arg = &heads
    };
    assert_int_equal(lw_transport_start(transport, &options, &transfer, NULL), LW_OK);
    pump_until(transport, &heads, 1);
    pump_turn(transport, 0);
    assert_int_equal(transport->transfers, 0);
    post_and_expect("/", 200, "hi");
    expect_accepted(2);
}

static unsigned chain_left;

static void start_next(lw_transfer *transfer, const lw_transfer_result *result, void *arg)
{
    unsigned *ends = arg;
    (void)transfer;
    assert_int_equal(result->st, LW_OK);
    ++*ends;
    const lw_transfer_options options = {
        .method = "POST", .target = "/", .is_short = true, .on_done = start_next, .arg = arg
    };
    lw_transfer *next;
    if (chain_left > 0) {
        chain_left--;
        assert_int_equal(lw_transport_start(transport, &options, &next, NULL), LW_OK);
    }
}

static void the_next_request_of_a_callback_has_the_connection(void **state)
{
    (void)state;
    unsigned ends = 0;
    const lw_transfer_result fine = { .st = LW_OK };
    script_server_say_always(server, NULL, OK_HI);
    chain_left = 5;
    start_next(NULL, &fine, &ends);
    pump_until(transport, &ends, 6);
    expect_accepted(1);
}

static void many_at_once_come_back_and_few_connections_stay(void **state)
{
    (void)state;
    static talk talks[MANY];
    script_server_say_always(server, NULL, OK_HI);
    for (int i = 0; i < MANY; i++)
        post(&talks[i], "/", LW_STR("{}"));
    for (int i = 0; i < MANY; i++) {
        talk_expect(&talks[i], 200, "hi");
        talk_done(&talks[i]);
    }
    assert_int_equal(transport->transfers, 0);
    assert_in_range(transport->stats.connections, 1, 8);
    assert_true(script_server_await_open(server, (unsigned)transport->stats.connections));
}

static void another_endpoint_does_not_get_its_connections(void **state)
{
    (void)state;
    script_server *second = script_server_open();
    const lw_transport_endpoint endpoint = { .server = script_server_url(second) };
    script_server_say_always(server, NULL, OK_HI);
    script_server_say_always(second, NULL, OK_HI);
    post_and_expect("/", 200, "hi");
    assert_int_equal(lw_transport_set_endpoint(transport, &endpoint, NULL), LW_OK);
    post_and_expect("/", 200, "hi");
    assert_true(script_server_await_open(server, 0));
    assert_int_equal(script_server_counts(second).accepted, 1);
    lw_transport_free(transport);
    transport = pump_open(script_server_url(server), NULL);
    script_server_close(second);
}

static void a_proxy_gets_the_request_from_curl(void **state)
{
    (void)state;
    static char head[2048];
    script_server_say_always(server, NULL, OK_HI);
    lw_transport_free(transport);
    assert_int_equal(setenv("http_proxy", script_server_url(server), 1), 0);
    transport = pump_open("http://192.0.2.1:80", NULL);
    post_and_expect("/", 200, "hi");
    assert_int_equal(unsetenv("http_proxy"), 0);
    assert_true(script_server_request(server, 0, head, sizeof(head)));
    assert_memory_equal(head, "POST http://192.0.2.1", 21);
}

static void a_line_that_could_inject_a_header_is_refused(void **state)
{
    (void)state;
    static const char *const headers[] = { "A: b\r\nC: d", NULL };
    lw_transfer *transfer;
    lw_transfer_options options = { .method = "POST", .target = "/", .is_short = true };
    script_server_say_always(server, NULL, OK_HI);
    post_and_expect("/", 200, "hi");
    options.headers = headers;
    assert_int_equal(lw_transport_start(transport, &options, &transfer, NULL), LW_ERR_INVALID);
    assert_int_equal(transport->transfers, 0);
    post_and_expect("/", 200, "hi");
}

#define WITH_SERVER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_SERVER(requests_share_a_connection),
        WITH_SERVER(the_next_request_of_a_callback_has_the_connection),
        WITH_SERVER(head_and_type_are_told),
        WITH_SERVER(the_same_is_sent_as_by_curl),
        WITH_SERVER(a_large_body_arrives),
        WITH_SERVER(chunks_are_joined),
        WITH_SERVER(interim_responses_are_skipped),
        WITH_SERVER(a_reply_without_a_length_ends_with_its_connection),
        WITH_SERVER(a_connection_that_the_server_wants_closed_is_not_kept),
        WITH_SERVER(bytes_after_a_reply_are_not_taken_for_the_next_one),
        WITH_SERVER(an_idle_connection_that_is_closed_is_replaced),
        WITH_SERVER(a_request_that_a_kept_connection_loses_is_sent_once_more),
        WITH_SERVER(a_request_that_a_new_connection_loses_is_not_repeated),
        WITH_SERVER(a_truncated_reply_is_a_failure),
        WITH_SERVER(what_is_not_http_is_a_failure),
        WITH_SERVER(a_server_that_is_not_there_is_told_as_by_curl),
        WITH_SERVER(a_timeout_ends_the_connection),
        WITH_SERVER(a_cancelled_request_ends_its_connection),
        WITH_SERVER(a_callback_may_cancel_its_request),
        WITH_SERVER(many_at_once_come_back_and_few_connections_stay),
        WITH_SERVER(another_endpoint_does_not_get_its_connections),
        WITH_SERVER(a_proxy_gets_the_request_from_curl),
        WITH_SERVER(a_line_that_could_inject_a_header_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
