/* SPDX-License-Identifier: Apache-2.0 */
/* curl_result_test.c -- how transfers fail, and what is said about it. */
#include "transport/curl_internal.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "support/script_server.h"
#include "support/tls_server.h"
#include "support/transport_pump.h"
#include "unit/test.h"

static script_server *server;
static lw_transport *transport;

static int set_up(void **state)
{
    (void)state;
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

/* Plays |steps| and expects the failure of a GET; its result. */
static lw_transfer_result failure(const script_step *steps, lw_status st, const char *words)
{
    talk t;
    script_server_play(server, NULL, steps);
    talk_get(&t, transport, "/");
    talk_expect_failure(&t, st, words);
    assert_non_null(strstr(t.result.err.message, script_server_url(server)));
    assert_int_equal(t.result.err.code, st);
    talk_done(&t);
    return t.result;
}

static void nobody_listens(void **state)
{
    (void)state;
    talk t;
    char message[128];
    script_server *gone = script_server_open();
    lw_transport *lost = pump_open(script_server_url(gone), NULL);
    (void)snprintf(message, sizeof(message), "cannot connect to %s: Connection refused",
                   script_server_url(gone));
    script_server_close(gone);
    talk_get(&t, lost, "/");
    talk_expect_failure(&t, LW_ERR_UNAVAILABLE, "cannot");
    assert_string_equal(t.result.err.message, message);
    assert_true(t.result.is_refused);
    assert_true(t.result.err.retriable);
    assert_int_equal(t.result.status, 0);
    talk_done(&t);
    lw_transport_free(lost);
}

static void no_such_host(void **state)
{
    (void)state;
    talk t;
    lw_transport *lost = pump_open("http://no-such-host.invalid:1", NULL);
    talk_get(&t, lost, "/");
    talk_expect_failure(&t, LW_ERR_UNAVAILABLE, "cannot connect to http://no-such-host.invalid:1");
    assert_false(t.result.is_refused);
    talk_done(&t);
    lw_transport_free(lost);
}

static void a_counted_body_is_cut(void **state)
{
    (void)state;
    const script_step steps[] = {
        { SCRIPT_SEND, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", 0 },
        { SCRIPT_CLOSE, NULL, 0 },
        { 0 },
    };
    lw_transfer_result result =
        failure(steps, LW_ERR_UNAVAILABLE, "closed the connection before the end");
    assert_true(result.is_truncated);
    assert_int_equal(result.status, 200);
}

static void a_chunked_body_is_cut(void **state)
{
    (void)state;
    const script_step steps[] = {
        { SCRIPT_SEND, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", 0 },
        { SCRIPT_CLOSE, NULL, 0 },
        { 0 },
    };
    assert_true(
        failure(steps, LW_ERR_UNAVAILABLE, "closed the connection before the end").is_truncated);
}

static void a_body_is_reset(void **state)
{
    (void)state;
    talk t;
    const script_step steps[] = {
        { SCRIPT_SEND, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", 0 },
        { SCRIPT_WAIT, NULL, 0 },
        { SCRIPT_RESET, NULL, 0 },
        { 0 },
    };
    script_server_play(server, NULL, steps);
    talk_get(&t, transport, "/");
    pump_until_body(&t, 3);
    script_server_go(server);
    talk_expect_failure(&t, LW_ERR_UNAVAILABLE, "closed the connection before the end");
    assert_true(t.result.is_truncated);
    talk_done(&t);
}

static void the_end_of_the_connection_may_be_that_of_the_body(void **state)
{
    (void)state;
    talk t;
    const script_step steps[] = {
        { SCRIPT_SEND, "HTTP/1.0 200 OK\r\n\r\nabc", 0 },
        { SCRIPT_CLOSE, NULL, 0 },
        { 0 },
    };
    script_server_play(server, NULL, steps);
    talk_get(&t, transport, "/");
    talk_expect(&t, 200, "abc");
    talk_done(&t);
}

static void no_reply_at_all(void **state)
{
    (void)state;
    const script_step closes[] = { { SCRIPT_CLOSE, NULL, 0 }, { 0 } };
    const script_step resets[] = { { SCRIPT_RESET, NULL, 0 }, { 0 } };
    const script_step half[] = {
        { SCRIPT_SEND, "HTTP/1.1 200 OK\r\nContent-", 0 },
        { SCRIPT_CLOSE, NULL, 0 },
        { 0 },
    };
    lw_transfer_result result = failure(closes, LW_ERR_UNAVAILABLE, "without a response");
    assert_false(result.is_truncated);
    assert_false(result.is_refused);
    assert_int_equal(result.status, 0);
    (void)failure(resets, LW_ERR_UNAVAILABLE, "without a response");
    result = failure(half, LW_ERR_UNAVAILABLE, "without a response");
    assert_int_equal(result.status, 0);
}

static void something_else_than_http(void **state)
{
    (void)state;
    const script_step steps[] = {
        { SCRIPT_SEND, "SSH-2.0-OpenSSH_9.2\r\n\r\n", 0 },
        { SCRIPT_CLOSE, NULL, 0 },
        { 0 },
    };
    (void)failure(steps, LW_ERR_INVALID, "did not send a valid HTTP response");
}

static void a_head_without_end(void **state)
{
    (void)state;
    static char head[LW_REPLY_HEAD_MAX + 4096];
    size_t len = 0;
    len += (size_t)snprintf(head, sizeof(head), "HTTP/1.1 200 OK\r\n");
    while (len < sizeof(head) - 1024)
        len += (size_t)snprintf(head + len, sizeof(head) - len, "X-Line: %0900d\r\n", 1);
    const script_step steps[] = { { SCRIPT_SEND, head, len }, { 0 } };
    (void)failure(steps, LW_ERR_INVALID, "head");
}

static void redirects_are_not_followed(void **state)
{
    (void)state;
    talk t;
    script_server_say(server, NULL,
                      "HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n");
    talk_get(&t, transport, "/");
    talk_expect(&t, 302, "");
    assert_int_equal(script_server_counts(server).requests, 1);
    talk_done(&t);
}

static void a_silent_handshake_is_a_connect_timeout(void **state)
{
    (void)state;
    talk t;
    char url[64];
    lw_transport_options options = { .connect_timeout_s = 1 };
    (void)snprintf(url, sizeof(url), "https://127.0.0.1:%u", script_server_port(server));
    lw_transport *lost = pump_open(url, &options);
    talk_get(&t, lost, "/");
    talk_expect_failure(&t, LW_ERR_TIMEOUT, "within 1 s");
    assert_non_null(strstr(t.result.err.message, url));
    talk_done(&t);
    lw_transport_free(lost);
}

static void a_plain_server_is_asked_for_tls(void **state)
{
    (void)state;
    talk t;
    char url[64];
    tls_server real;
    tls_server_open(&real);
    (void)snprintf(url, sizeof(url), "https%s", lw_server_insecure_url(real.server) + 4);
    lw_transport *lost = pump_open(url, NULL);
    talk_get(&t, lost, "/");
    talk_expect_failure(&t, LW_ERR_INVALID, "does the server use plain HTTP?");
    talk_done(&t);
    lw_transport_free(lost);
    tls_server_close(&real);
}

static void a_handshake_that_is_cut_may_be_tried_again(void **state)
{
    (void)state;
    talk t;
    char url[64];
    script_server *gone = script_server_open();
    (void)snprintf(url, sizeof(url), "https://127.0.0.1:%u", script_server_port(gone));
    lw_transport *lost = pump_open(url, NULL);
    talk_get(&t, lost, "/");
    while (script_server_counts(gone).accepted == 0)
        pump_turn(lost, 10);
    script_server_close(gone);
    talk_expect_failure(&t, LW_ERR_UNAVAILABLE, "the TLS handshake with https://127.0.0.1:");
    talk_done(&t);
    lw_transport_free(lost);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define WITH_SERVER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
        WITH_SERVER(nobody_listens),
        WITH_SERVER(no_such_host),
        WITH_SERVER(a_counted_body_is_cut),
        WITH_SERVER(a_chunked_body_is_cut),
        WITH_SERVER(a_body_is_reset),
        WITH_SERVER(the_end_of_the_connection_may_be_that_of_the_body),
        WITH_SERVER(no_reply_at_all),
        WITH_SERVER(something_else_than_http),
        WITH_SERVER(a_head_without_end),
        WITH_SERVER(redirects_are_not_followed),
        WITH_SERVER(a_silent_handshake_is_a_connect_timeout),
        WITH_SERVER(a_plain_server_is_asked_for_tls),
        WITH_SERVER(a_handshake_that_is_cut_may_be_tried_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
