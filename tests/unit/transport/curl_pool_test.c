/* SPDX-License-Identifier: Apache-2.0 */
/* curl_pool_test.c -- TLS and HTTP/2 with the real server: trust, credentials, shared
 * connections. */
#include "transport/curl_internal.h"

#include <stdio.h>
#include <stdlib.h>

#include <curl/curl.h>

#include "base/clock.h"
#include "base/random.h"
#include "base/str.h"
#include "support/script_server.h"
#include "support/tls_server.h"
#include "support/transport_pump.h"
#include "unit/test.h"

enum {
    WATCHES = 50,
};

static tls_server server;
static lw_transport *transport;

static int start_server(void **state)
{
    (void)state;
    tls_server_open(&server);
    return 0;
}

static int stop_server(void **state)
{
    (void)state;
    tls_server_close(&server);
    return 0;
}

static int set_up(void **state)
{
    (void)state;
    lw_transport_options options = { .max_connections = 2 };
    assert_int_equal(lw_transport_new(&transport, &options, NULL), LW_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    lw_transport_free(transport);
    return 0;
}

static void go_to(lw_transport_endpoint endpoint)
{
    lw_error err = LW_ERROR_INIT;
    if (lw_transport_set_endpoint(transport, &endpoint, &err) < 0)
        fail_msg("%s", err.message);
}

static uint64_t connections(void)
{
    lw_transport_stats stats;
    lw_transport_read_stats(transport, &stats);
    return stats.connections;
}

static void start(talk *t, const char *method, const char *target, const char *body)
{
    const char *headers[] = { "Content-Type: application/json", NULL };
    lw_transfer_options options = {
        .method = method, .target = target, .headers = headers, .body = lw_str_of(body)
    };
    talk_start(t, transport, &options);
}

static void expect(const char *method, const char *target, const char *body, int status)
{
    talk t;
    start(&t, method, target, body);
    pump_until(transport, &t.dones, 1);
    if (t.result.st < 0 || t.result.status != status)
        fail_msg("%d %s %.*s", t.result.status, t.result.err.message,
                 LW_STR_ARG(lw_buf_view(&t.body)));
    talk_done(&t);
}

static void a_certificate_gets_one_in(void **state)
{
    (void)state;
    go_to(tls_server_admin_endpoint(&server));
    expect("GET", "/api/v1/namespaces", NULL, 200);
}

static void a_token_gets_one_in(void **state)
{
    (void)state;
    talk t;
    const char *headers[] = { server.authorization, NULL };
    lw_transfer_options options = { .method = "GET",
                                    .target = "/api/v1/namespaces",
                                    .headers = headers };
    go_to(tls_server_endpoint(&server));
    talk_start(&t, transport, &options);
    pump_until(transport, &t.dones, 1);
    assert_int_equal(t.result.status, 200);
    assert_false(lw_dlist_is_empty(&transport->pools));
    assert_false(transport->current->is_http1);
    talk_done(&t);
}

static void an_unknown_authority_is_not_trusted(void **state)
{
    (void)state;
    talk t;
    lw_transport_endpoint endpoint = tls_server_endpoint(&server);
    endpoint.ca_pem = LW_STR("");
    go_to(endpoint);
    talk_get(&t, transport, "/healthz");
    talk_expect_failure(&t, LW_ERR_INVALID, "cannot verify the certificate of https://127.0.0.1:");
    assert_non_null(strstr(t.result.err.message, "certificate-authority"));
    assert_false(t.result.is_refused);
    talk_done(&t);
}

static void insecure_trusts_anybody(void **state)
{
    (void)state;
    lw_transport_endpoint endpoint = tls_server_endpoint(&server);
    endpoint.ca_pem = LW_STR("");
    endpoint.is_insecure = true;
    go_to(endpoint);
    expect("GET", "/livez", NULL, 200);
}

static void the_tls_server_name_is_what_is_checked(void **state)
{
    (void)state;
    talk t;
    lw_transport_endpoint endpoint = tls_server_endpoint(&server);
    endpoint.tls_server_name = "localhost";
    go_to(endpoint);
    expect("GET", "/livez", NULL, 200);
    endpoint.tls_server_name = "somebody.else";
    go_to(endpoint);
    talk_get(&t, transport, "/livez");
    talk_expect_failure(&t, LW_ERR_INVALID, "tls-server-name");
    talk_done(&t);
}

static void fifty_watches_share_connections(void **state)
{
    (void)state;
    talk watches[WATCHES];
    go_to(tls_server_admin_endpoint(&server));
    for (int i = 0; i < WATCHES; i++)
        talk_get(&watches[i], transport,
                 "/api/v1/namespaces/default/configmaps?watch=true&resourceVersion=0");
    for (int i = 0; i < WATCHES; i++)
        pump_until(transport, &watches[i].heads, 1);
    assert_in_range(connections(), 1, 2);
    expect("POST", "/api/v1/namespaces/default/configmaps", "{\"metadata\":{\"name\":\"shared\"}}",
           201);
    for (int i = 0; i < WATCHES; i++) {
        pump_until_body(&watches[i], 10);
        assert_int_equal(watches[i].status, 200);
        assert_true(
            lw_str_starts_with(lw_buf_view(&watches[i].body), LW_STR("{\"type\":\"ADDED\"")));
    }
    assert_in_range(connections(), 1, 2);
    for (int i = 0; i < WATCHES; i++)
        talk_done(&watches[i]);
    expect("DELETE", "/api/v1/namespaces/default/configmaps/shared", NULL, 200);
}

static void fill_with_configmaps(int count)
{
    lw_random random;
    lw_random_init(&random, 1);
    lw_buf body;
    lw_buf_init(&body, 4 * 1024 * 1024);
    for (int i = 0; i < count; i++) {
        lw_buf_reset(&body);
        lw_buf_printf(&body, "{\"metadata\":{\"name\":\"big-%d\"},\"data\":{\"x\":\"", i);
        for (int k = 0; k < 300 * 1024; k++)
            lw_buf_append_char(&body, (char)('a' + (int)lw_random_below(&random, 26)));
        lw_buf_append_text(&body, "\"}}");
        lw_buf_append_char(&body, '\0');
        expect("POST", "/api/v1/namespaces/default/configmaps", body.data, 201);
    }
    lw_buf_done(&body);
}

/* Turns for a while; how often something was to be done. */
static unsigned turns_within(int ms)
{
    unsigned turns = 0;
    int64_t end = lw_clock_now(lw_clock_system()) + ms * LW_NS_PER_MS;
    for (int64_t now; (now = lw_clock_now(lw_clock_system())) < end; turns++)
        pump_turn(transport, (int)((end - now) / LW_NS_PER_MS) + 1);
    return turns;
}

static void a_paused_transfer_holds_up_nobody(void **state)
{
    (void)state;
    talk slow;
    go_to(tls_server_admin_endpoint(&server));
    fill_with_configmaps(6);
    transport->options.max_connections = 1;
    talk_get(&slow, transport, "/api/v1/namespaces/default/configmaps");
    slow.pauses = true;
    pump_until_body(&slow, 1);
    (void)turns_within(100);
    size_t held = slow.body.len;
    assert_in_range(turns_within(300), 1, 15);
    expect("GET", "/livez", NULL, 200);
    assert_int_equal(connections(), 1);
    assert_int_equal(slow.body.len, held);
    assert_int_equal(slow.dones, 0);
    lw_transfer_set_paused(slow.transfer, false);
    pump_until(transport, &slow.dones, 1);
    assert_int_equal(slow.result.st, LW_OK);
    assert_true(slow.body.len > 6 * 300 * 1024);
    talk_done(&slow);
}

/* Readers that stop and go as they please must each get all of it. */
static void lists_paused_at_random_come_whole(void **state)
{
    (void)state;
    enum {
        LISTS = 8,
    };
    talk lists[LISTS];
    lw_random random;
    lw_random_init(&random, 7);
    go_to(tls_server_admin_endpoint(&server));
    transport->options.max_connections = 1;
    for (int i = 0; i < LISTS; i++)
        talk_get(&lists[i], transport, "/api/v1/namespaces/default/configmaps");
    unsigned done = 0;
    while (done < LISTS) {
        pump_turn(transport, 1);
        done = 0;
        for (int i = 0; i < LISTS; i++) {
            done += lists[i].dones;
            if (lists[i].transfer && lw_random_below(&random, 3) == 0)
                lw_transfer_set_paused(lists[i].transfer, lw_random_below(&random, 2) == 0);
        }
    }
    assert_int_equal(connections(), 1);
    for (int i = 0; i < LISTS; i++) {
        assert_int_equal(lists[i].result.st, LW_OK);
        assert_int_equal(lists[i].body.len, lists[0].body.len);
        assert_memory_equal(lists[i].body.data, lists[0].body.data, lists[0].body.len);
    }
    for (int i = 0; i < LISTS; i++)
        talk_done(&lists[i]);
}

/* A server that does not offer HTTP/2: this one, asked without ALPN. */
static void watches_starve_nobody_without_http2(void **state)
{
    (void)state;
    talk watches[WATCHES];
    go_to(tls_server_admin_endpoint(&server));
    for (int i = 0; i < WATCHES; i++) {
        talk_get(&watches[i], transport, "/api/v1/namespaces?watch=true");
        assert_int_equal(curl_easy_setopt((CURL *)watches[i].transfer->easy,
                                          CURLOPT_SSL_ENABLE_ALPN, 0L),
                         CURLE_OK);
    }
    for (int i = 0; i < WATCHES; i++)
        pump_until(transport, &watches[i].heads, 1);
    assert_true(transport->current->is_http1);
    assert_int_equal(connections(), WATCHES);
    for (int i = 0; i < WATCHES; i++)
        talk_done(&watches[i]);
}

/* More than curl's own limit of streams on a connection, and than the server would take on one. */
static void many_watches_get_more_connections(void **state)
{
    (void)state;
    enum {
        MANY = 1200,
    };
    static talk watches[MANY];
    go_to(tls_server_admin_endpoint(&server));
    for (int i = 0; i < MANY; i++)
        talk_get(&watches[i], transport, "/api/v1/namespaces?watch=true");
    for (int i = 0; i < MANY; i++)
        pump_until(transport, &watches[i].heads, 1);
    assert_in_range(connections(), 2, 20);
    for (int i = 0; i < MANY; i++)
        talk_done(&watches[i]);
}

static unsigned port_of(const tls_server *of)
{
    return (unsigned)strtoul(strrchr(lw_server_url(of->server), ':') + 1, NULL, 10);
}

/* Behind a tunnel that can be cut, as a machine that is switched off cuts it. */
static void a_cut_connection_cuts_its_watches_and_is_replaced(void **state)
{
    (void)state;
    talk watches[3];
    script_server *proxy = script_server_open();
    const script_step tunnel[] = { { SCRIPT_TUNNEL, "HTTP/1.1 200 OK\r\n\r\n", port_of(&server) },
                                   { 0 } };
    lw_transport_endpoint endpoint = tls_server_admin_endpoint(&server);
    char url[64];
    (void)snprintf(url, sizeof(url), "%s", script_server_url(proxy));
    endpoint.proxy_url = url;
    script_server_play_always(proxy, "CONNECT", tunnel);
    go_to(endpoint);
    for (int i = 0; i < 3; i++)
        talk_get(&watches[i], transport, "/api/v1/namespaces?watch=true&resourceVersion=0");
    for (int i = 0; i < 3; i++)
        pump_until_body(&watches[i], 1);
    script_server_cut(proxy);
    for (int i = 0; i < 3; i++) {
        talk_expect_failure(&watches[i], LW_ERR_UNAVAILABLE,
                            "closed the connection before the end");
        assert_true(watches[i].result.is_truncated);
        assert_int_equal(watches[i].result.status, 200);
        talk_done(&watches[i]);
    }
    expect("GET", "/livez", NULL, 200);
    script_server_cut(proxy);
    assert_true(script_server_await_open(proxy, 0));
    expect("GET", "/livez", NULL, 200);
    assert_int_equal(script_server_counts(proxy).accepted, 3);
    lw_transport_free(transport);
    transport = NULL;
    script_server_close(proxy);
}

static void after_a_timeout_the_connection_is_used_no_more(void **state)
{
    (void)state;
    talk watch, silent, after;
    lw_transfer_options options = { .method = "GET",
                                    .target = "/api/v1/configmaps?watch=true",
                                    .idle_timeout_s = 1 };
    go_to(tls_server_admin_endpoint(&server));
    talk_get(&watch, transport, "/api/v1/configmaps?watch=true");
    pump_until(transport, &watch.heads, 1);
    talk_start(&silent, transport, &options);
    uint32_t before = transport->current->id;
    talk_expect_failure(&silent, LW_ERR_TIMEOUT, "sent no data for 1 s");
    assert_int_equal(connections(), 1);
    talk_get(&after, transport, "/version");
    pump_until(transport, &after.dones, 1);
    assert_int_equal(after.status, 200);
    assert_true(transport->current->id != before);
    assert_int_equal(connections(), 2);
    assert_int_equal(watch.dones, 0); /* its requests notice by themselves */
    talk_done(&after);
    talk_done(&silent);
    talk_done(&watch);
}

static void a_server_that_stops_ends_its_watches(void **state)
{
    (void)state;
    talk watch, after;
    tls_server brief;
    tls_server_open(&brief);
    go_to(tls_server_admin_endpoint(&brief));
    talk_get(&watch, transport, "/api/v1/namespaces?watch=true&resourceVersion=0");
    pump_until_body(&watch, 1);
    tls_server_close(&brief);
    pump_until(transport, &watch.dones, 1);
    assert_int_equal(watch.result.status, 200);
    talk_done(&watch);
    talk_get(&after, transport, "/livez");
    talk_expect_failure(&after, LW_ERR_UNAVAILABLE, "Connection refused");
    assert_true(after.result.is_refused);
    talk_done(&after);
}

static void a_key_that_does_not_fit_is_named(void **state)
{
    (void)state;
    talk t;
    tls_server other;
    tls_server_open(&other);
    lw_transport_endpoint endpoint = tls_server_admin_endpoint(&server);
    endpoint.key_pem = lw_str_of(other.key);
    go_to(endpoint);
    talk_get(&t, transport, "/livez");
    talk_expect_failure(&t, LW_ERR_INVALID, "cannot use the client certificate or its key");
    talk_done(&t);
    tls_server_close(&other);
}

/* Connections with the old certificate are not used for requests with a new one. */
static void a_rotated_certificate_takes_effect_at_once(void **state)
{
    (void)state;
    talk watch;
    lw_transport_endpoint endpoint = tls_server_endpoint(&server);
    go_to(tls_server_admin_endpoint(&server));
    talk_get(&watch, transport, "/api/v1/namespaces?watch=true&resourceVersion=0");
    pump_until_body(&watch, 1);
    go_to(endpoint);
    expect("GET", "/api/v1/namespaces", NULL, 403); /* anonymous */
    assert_int_equal(watch.dones, 0);
    go_to(tls_server_admin_endpoint(&server));
    expect("GET", "/api/v1/namespaces", NULL, 200);
    assert_int_equal(watch.dones, 0);
    talk_done(&watch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define WITH_TRANSPORT(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
        WITH_TRANSPORT(a_certificate_gets_one_in),
        WITH_TRANSPORT(a_token_gets_one_in),
        WITH_TRANSPORT(an_unknown_authority_is_not_trusted),
        WITH_TRANSPORT(insecure_trusts_anybody),
        WITH_TRANSPORT(the_tls_server_name_is_what_is_checked),
        WITH_TRANSPORT(a_paused_transfer_holds_up_nobody),
        WITH_TRANSPORT(lists_paused_at_random_come_whole),
        WITH_TRANSPORT(fifty_watches_share_connections),
        WITH_TRANSPORT(watches_starve_nobody_without_http2),
        WITH_TRANSPORT(many_watches_get_more_connections),
        WITH_TRANSPORT(a_cut_connection_cuts_its_watches_and_is_replaced),
        WITH_TRANSPORT(after_a_timeout_the_connection_is_used_no_more),
        WITH_TRANSPORT(a_server_that_stops_ends_its_watches),
        WITH_TRANSPORT(a_key_that_does_not_fit_is_named),
        WITH_TRANSPORT(a_rotated_certificate_takes_effect_at_once),
    };
    return cmocka_run_group_tests(tests, start_server, stop_server);
}
