/* SPDX-License-Identifier: Apache-2.0 */
/* curl_pool_test.c -- TLS and HTTP/2 with the real server: trust, credentials, shared
 * connections. */
#include "transport/curl_state.h"

#include <stdio.h>

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
    assert_false(lw_list_is_empty(&transport->pools));
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
    talk_expect_failure(&t, LW_ERR_INVALID, "cannot trust https://127.0.0.1:");
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
        for (int k = 0; k < 900 * 1024; k++)
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
    fill_with_configmaps(10);
    transport->options.max_connections = 1;
    talk_get(&slow, transport, "/api/v1/namespaces/default/configmaps");
    pump_until_body(&slow, 1);
    lw_transfer_set_paused(slow.transfer, true);
    unsigned a = turns_within(300);
    size_t held = slow.body.len;
    unsigned b = turns_within(300);
    print_message("turns %u %u held %zu %zu\n", a, b, held, slow.body.len);
    expect("GET", "/livez", NULL, 200);
    print_message("conns %u\n", (unsigned)connections());
    unsigned c = turns_within(300);
    print_message("turns %u\n", c);
    assert_int_equal(slow.body.len, held);
    lw_transfer_set_paused(slow.transfer, false);
    pump_until(transport, &slow.dones, 1);
    print_message("body %zu %s\n", slow.body.len, slow.result.err.message);
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
    unsigned done = 0, turns = 0;
    while (done < LISTS) {
        pump_turn(transport, 1);
        turns++;
        done = 0;
        for (int i = 0; i < LISTS; i++) {
            done += lists[i].dones;
            if (lists[i].transfer && lw_random_below(&random, 3) == 0)
                lw_transfer_set_paused(lists[i].transfer, lw_random_below(&random, 2) == 0);
        }
    }
    print_message("turns %u conns %u\n", turns, (unsigned)connections());
    for (int i = 0; i < LISTS; i++) {
        assert_int_equal(lists[i].result.st, LW_OK);
        assert_int_equal(lists[i].body.len, lists[0].body.len);
        assert_memory_equal(lists[i].body.data, lists[0].body.data, lists[0].body.len);
    }
    for (int i = 0; i < LISTS; i++)
        talk_done(&lists[i]);
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
    };
    return cmocka_run_group_tests(tests, start_server, stop_server);
}
