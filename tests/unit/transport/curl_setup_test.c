/* SPDX-License-Identifier: Apache-2.0 */
/* curl_setup_test.c -- requests as they arrive, and the proxies they go by. */
#include "transport/curl_internal.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "support/script_server.h"
#include "support/tls_server.h"
#include "support/transport_pump.h"
#include "unit/test.h"

#define OK_HI "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"

static script_server *server;
static lw_transport *transport;

static int set_up(void **state)
{
    (void)state;
    static const char *const names[] = { "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy",
                                         "ALL_PROXY",  "no_proxy",    "NO_PROXY" };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        unsetenv(names[i]);
    server = script_server_open();
    script_server_say_always(server, "GET", OK_HI);
    script_server_say_always(server, "POST", OK_HI);
    script_server_say_always(server, "PATCH", OK_HI);
    script_server_say_always(server, "DELETE", OK_HI);
    script_server_say_always(server, "HEAD", OK_HI);
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

/* Sends it and expects the request to arrive as |wanted|; %u in there is the server's port. */
static void expect_sent(lw_transfer_options options, const char *wanted)
{
    talk t;
    static char head[2048], text[2048];
    unsigned index = script_server_counts(server).requests;
    talk_start(&t, transport, &options);
    pump_until(transport, &t.dones, 1);
    if (t.result.st < 0)
        fail_msg("%s", t.result.err.message);
    talk_done(&t);
    assert_true(script_server_request(server, index, head, sizeof(head)));
    const char *at = strstr(wanted, "PORT");
    (void)snprintf(text, sizeof(text), "%.*s%u%s", (int)(at - wanted), wanted,
                   script_server_port(server), at + strlen("PORT"));
    assert_string_equal(head, text);
}

static void a_request_has_no_more_than_it_needs(void **state)
{
    (void)state;
    expect_sent((lw_transfer_options){ .method = "GET", .target = "/a/../b?c=%20" },
                "GET /a/../b?c=%20 HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nAccept-Encoding: gzip\r\n"
                "\r\n");
}

static void a_stream_is_not_asked_for_compressed(void **state)
{
    (void)state;
    expect_sent((lw_transfer_options){ .method = "GET", .target = "/", .is_uncompressed = true },
                "GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n");
}

static void headers_are_sent_as_given(void **state)
{
    (void)state;
    const char *const headers[] = { "Accept: application/json", "User-Agent: u", NULL };
    expect_sent((lw_transfer_options){ .method = "GET", .target = "/", .headers = headers },
                "GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nAccept-Encoding: gzip\r\n"
                "Accept: application/json\r\nUser-Agent: u\r\n\r\n");
}

static void bodies_go_with_any_method(void **state)
{
    (void)state;
    const char *const headers[] = { "Content-Type: application/merge-patch+json", NULL };
    expect_sent((lw_transfer_options){ .method = "PATCH",
                                       .target = "/",
                                       .headers = headers,
                                       .body = LW_STR("{}") },
                "PATCH / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nAccept-Encoding: gzip\r\n"
                "Content-Type: application/merge-patch+json\r\nContent-Length: 2\r\n\r\n");
    expect_sent((lw_transfer_options){ .method = "DELETE", .target = "/", .body = LW_STR("{}") },
                "DELETE / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nAccept-Encoding: gzip\r\n"
                "Content-Length: 2\r\n\r\n");
    expect_sent((lw_transfer_options){ .method = "POST", .target = "/" },
                "POST / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nAccept-Encoding: gzip\r\n"
                "Content-Length: 0\r\n\r\n");
    expect_sent((lw_transfer_options){ .method = "DELETE", .target = "/" },
                "DELETE / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nAccept-Encoding: gzip\r\n\r\n");
}

static void a_head_request_has_no_body_to_wait_for(void **state)
{
    (void)state;
    talk t;
    lw_transfer_options options = { .method = "HEAD", .target = "/" };
    script_server *other = script_server_open();
    script_server_say(other, "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n");
    lw_transport *to_other = pump_open(script_server_url(other), NULL);
    talk_start(&t, to_other, &options);
    talk_expect(&t, 200, "");
    talk_done(&t);
    lw_transport_free(to_other);
    script_server_close(other);
}

/* Of more than a megabyte curl would first ask whether it is wanted, and wait a second. */
static void a_large_body_arrives(void **state)
{
    (void)state;
    static char body[3 * 512 * 1024];
    memset(body, 'x', sizeof(body));
    expect_sent((lw_transfer_options){ .method = "POST",
                                       .target = "/",
                                       .body = lw_str_make(body, sizeof(body)) },
                "POST / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nAccept-Encoding: gzip\r\n"
                "Content-Length: 1572864\r\n\r\n");
}

static void refuses_what_would_be_another_request(void **state)
{
    (void)state;
    const char *const smuggled[] = { "A: b\r\nC: d", NULL };
    const char *const nameless[] = { "just words", NULL };
    const lw_transfer_options wrong[] = {
        { .method = "GET", .target = "/ HTTP/1.1\r\nX: y" },
        { .method = "GET", .target = "relative" },
        { .method = "GET", .target = "" },
        { .method = "GET /x", .target = "/" },
        { .method = NULL, .target = "/" },
        { .method = "GET", .target = "/", .headers = smuggled },
        { .method = "GET", .target = "/", .headers = nameless },
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        lw_transfer *transfer = NULL;
        assert_int_equal(lw_transport_start(transport, &wrong[i], &transfer, NULL), LW_ERR_INVALID);
        assert_null(transfer);
    }
}

static void nothing_starts_without_an_endpoint(void **state)
{
    (void)state;
    lw_transport *fresh = NULL;
    lw_transfer *transfer = NULL;
    lw_transfer_options options = { .method = "GET", .target = "/" };
    assert_int_equal(lw_transport_new(&fresh, NULL, NULL), LW_OK);
    assert_int_equal(lw_transport_start(fresh, &options, &transfer, NULL), LW_ERR_INVALID);
    lw_transport_free(fresh);
}

static void change(lw_transport_endpoint endpoint)
{
    lw_error err = LW_ERROR_INIT;
    if (lw_transport_set_endpoint(transport, &endpoint, &err) < 0)
        fail_msg("%s", err.message);
}

static void a_named_proxy_is_asked(void **state)
{
    (void)state;
    /* no_proxy applies to the proxies of the environment only. */
    setenv("no_proxy", "*", 1);
    change((lw_transport_endpoint){ .server = "http://elsewhere.invalid:81",
                                    .proxy_url = script_server_url(server) });
    talk t;
    char head[512];
    talk_get(&t, transport, "/x");
    talk_expect(&t, 200, "hi");
    talk_done(&t);
    assert_true(script_server_request(server, 0, head, sizeof(head)));
    assert_true(
        lw_str_starts_with(lw_str_of(head), LW_STR("GET http://elsewhere.invalid:81/x HTTP/1.1\r\n"
                                                   "Host: elsewhere.invalid:81\r\n")));
}

static void the_environment_names_proxies_and_exceptions(void **state)
{
    (void)state;
    talk t;
    setenv("http_proxy", script_server_url(server), 1);
    change((lw_transport_endpoint){ .server = "http://elsewhere.invalid" });
    talk_get(&t, transport, "/x");
    talk_expect(&t, 200, "hi");
    talk_done(&t);
    setenv("NO_PROXY", "example.com,.invalid", 1);
    change((lw_transport_endpoint){ .server = "http://else.invalid" });
    talk_get(&t, transport, "/x");
    talk_expect_failure(&t, LW_ERR_UNAVAILABLE, "cannot connect to http://else.invalid");
    talk_done(&t);
}

static void tls_goes_through_a_proxys_tunnel(void **state)
{
    (void)state;
    talk t;
    tls_server real;
    tls_server_open(&real);
    unsigned port = (unsigned)strtoul(strrchr(lw_server_url(real.server), ':') + 1, NULL, 10);
    const script_step tunnel[] = {
        { SCRIPT_TUNNEL, "HTTP/1.1 200 Connected\r\nRetry-After: 9\r\n\r\n", port },
        { 0 },
    };
    script_server_play(server, "CONNECT 127.0.0.1:", tunnel);
    lw_transport_endpoint endpoint = tls_server_endpoint(&real);
    endpoint.proxy_url = script_server_url(server);
    change(endpoint);
    talk_get(&t, transport, "/livez");
    pump_until(transport, &t.dones, 1);
    assert_int_equal(t.result.status, 200);
    assert_string_equal(t.retry_after, "");
    assert_false(transport->current->is_http1);
    talk_done(&t);
    assert_int_equal(script_server_counts(server).requests, 1);
    tls_server_close(&real);
}

static void a_proxy_that_refuses_is_named(void **state)
{
    (void)state;
    talk t;
    script_server_say(server, "CONNECT",
                      "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    change((lw_transport_endpoint){ .server = "https://h.invalid:6443",
                                    .proxy_url = script_server_url(server) });
    talk_get(&t, transport, "/");
    pump_until(transport, &t.dones, 1);
    talk_expect_failure(&t, LW_ERR_UNAVAILABLE, "https://h.invalid:6443");
    assert_non_null(strstr(t.result.err.message, "403"));
    assert_int_equal(t.result.status, 0);
    talk_done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define WITH_SERVER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
        WITH_SERVER(a_request_has_no_more_than_it_needs),
        WITH_SERVER(a_stream_is_not_asked_for_compressed),
        WITH_SERVER(headers_are_sent_as_given),
        WITH_SERVER(bodies_go_with_any_method),
        WITH_SERVER(a_head_request_has_no_body_to_wait_for),
        WITH_SERVER(a_large_body_arrives),
        WITH_SERVER(refuses_what_would_be_another_request),
        WITH_SERVER(nothing_starts_without_an_endpoint),
        WITH_SERVER(a_named_proxy_is_asked),
        WITH_SERVER(the_environment_names_proxies_and_exceptions),
        WITH_SERVER(tls_goes_through_a_proxys_tunnel),
        WITH_SERVER(a_proxy_that_refuses_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
