/* SPDX-License-Identifier: Apache-2.0 */
/* curl_transport_test.c -- dispatch: many at once, none for nothing, and endpoints that change. */
#include "transport/curl_internal.h"

#include <netdb.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/str.h"
#include "base/sync.h"
#include "support/script_server.h"
#include "support/transport_pump.h"
#include "unit/test.h"

#define OK_HI "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
#define WATCH "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n"

enum {
    MANY = 100,
    IDLE_MS = 300,
};

static script_server *server;
static lw_transport *transport;

static int set_up(void **state)
{
    (void)state;
    const script_step watch[] = {
        { SCRIPT_SEND, WATCH, 0 },
        { SCRIPT_WAIT, NULL, 0 },
        { SCRIPT_SEND, "1\r\ny\r\n0\r\n\r\n", 0 },
        { 0 },
    };
    server = script_server_open();
    script_server_play_always(server, "GET /watch", watch);
    script_server_say_always(server, NULL, OK_HI);
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

/* Waits for |ms| as a host does; how often there was something to do. */
static unsigned dispatches_within(int ms)
{
    unsigned dispatches = 0;
    int64_t end = lw_clock_now(lw_clock_system()) + ms * LW_NS_PER_MS;
    for (int64_t now; (now = lw_clock_now(lw_clock_system())) < end; dispatches++)
        pump_turn(transport, (int)((end - now) / LW_NS_PER_MS) + 1);
    return dispatches;
}

static void a_hundred_at_once_all_come_back(void **state)
{
    (void)state;
    static talk talks[MANY];
    for (int i = 0; i < MANY; i++)
        talk_get(&talks[i], transport, "/");
    for (int i = 0; i < MANY; i++) {
        talk_expect(&talks[i], 200, "hi");
        talk_done(&talks[i]);
    }
    assert_int_equal(transport->transfers, 0);
}

/* By HTTP/1.1 each watch has its connection for itself; a list must not wait for them. */
static void watches_starve_nobody_without_http2(void **state)
{
    (void)state;
    static talk watches[MANY];
    talk list;
    for (int i = 0; i < MANY; i++)
        talk_get(&watches[i], transport, "/watch");
    for (int i = 0; i < MANY; i++)
        pump_until_body(&watches[i], 1);
    talk_get(&list, transport, "/list");
    talk_expect(&list, 200, "hi");
    talk_done(&list);
    for (int i = 0; i < MANY; i++)
        talk_done(&watches[i]);
}

static void nothing_is_done_while_nothing_happens(void **state)
{
    (void)state;
    talk watches[10];
    assert_int_equal(lw_transport_timeout_ms(transport), -1);
    for (int i = 0; i < 10; i++)
        talk_get(&watches[i], transport, "/watch");
    assert_int_equal(lw_transport_timeout_ms(transport), 0);
    for (int i = 0; i < 10; i++)
        pump_until_body(&watches[i], 1);
    (void)dispatches_within(50);
    assert_in_range(dispatches_within(IDLE_MS), 1, 15);
    for (int i = 0; i < 10; i++)
        talk_done(&watches[i]);
}

static void nothing_is_done_while_a_transfer_is_paused(void **state)
{
    (void)state;
    talk watch;
    talk_get(&watch, transport, "/watch");
    pump_until_body(&watch, 1);
    lw_transfer_set_paused(watch.transfer, true);
    script_server_go(server);
    assert_true(script_server_await_requests(server, 1));
    (void)dispatches_within(50);
    assert_in_range(dispatches_within(IDLE_MS), 1, 15);
    assert_str_equal(lw_buf_view(&watch.body), "x");
    assert_int_equal(watch.dones, 0);
    lw_transfer_set_paused(watch.transfer, false);
    talk_expect(&watch, 200, "xy");
    talk_done(&watch);
}

static void a_pause_is_no_idleness(void **state)
{
    (void)state;
    talk watch;
    lw_transfer_options options = { .method = "GET", .target = "/watch", .idle_timeout_s = 1 };
    talk_start(&watch, transport, &options);
    pump_until_body(&watch, 1);
    lw_transfer_set_paused(watch.transfer, true);
    (void)dispatches_within(1500);
    assert_int_equal(watch.dones, 0);
    script_server_go(server);
    lw_transfer_set_paused(watch.transfer, false);
    talk_expect(&watch, 200, "xy");
    talk_done(&watch);
}

static void there_is_a_bound_to_what_is_under_way(void **state)
{
    (void)state;
    static lw_transfer *transfers[LW_TRANSPORT_TRANSFERS_MAX];
    lw_transfer *one_more = NULL;
    lw_transfer_options options = { .method = "GET", .target = "/" };
    for (int i = 0; i < LW_TRANSPORT_TRANSFERS_MAX; i++)
        assert_int_equal(lw_transport_start(transport, &options, &transfers[i], NULL), LW_OK);
    assert_int_equal(lw_transport_start(transport, &options, &one_more, NULL), LW_ERR_LIMIT);
    for (int i = 0; i < LW_TRANSPORT_TRANSFERS_MAX; i++)
        lw_transfer_cancel(transfers[i]);
    assert_int_equal(lw_transport_start(transport, &options, &one_more, NULL), LW_OK);
}

static void freeing_cancels_what_is_under_way(void **state)
{
    (void)state;
    talk running, starting;
    lw_transport *short_lived = pump_open(script_server_url(server), NULL);
    talk_get(&running, short_lived, "/watch");
    pump_until_body(&running, 1);
    talk_get(&starting, short_lived, "/watch");
    lw_transport_free(short_lived);
    assert_int_equal(running.dones + starting.dones, 0);
    running.transfer = starting.transfer = NULL;
    talk_done(&running);
    talk_done(&starting);
    lw_transport_free(NULL);
}

static void change(const char *url)
{
    const lw_transport_endpoint endpoint = { .server = url };
    assert_int_equal(lw_transport_set_endpoint(transport, &endpoint, NULL), LW_OK);
}

static void a_new_endpoint_is_for_new_transfers(void **state)
{
    (void)state;
    talk old, new;
    script_server *other = script_server_open();
    script_server_say_always(other, NULL, OK_HI);
    talk_get(&old, transport, "/watch");
    pump_until_body(&old, 1);
    change(script_server_url(other));
    talk_get(&new, transport, "/");
    talk_expect(&new, 200, "hi");
    talk_done(&new);
    assert_int_equal(script_server_counts(other).requests, 1);
    script_server_go(server);
    talk_expect(&old, 200, "xy");
    talk_done(&old);
    assert_ptr_equal(lw_dlist_first(&transport->pools), lw_dlist_last(&transport->pools));
    assert_true(script_server_await_open(server, 0));
    script_server_close(other);
}

static void the_same_endpoint_keeps_its_connections(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        talk t;
        change(script_server_url(server));
        talk_get(&t, transport, "/");
        talk_expect(&t, 200, "hi");
        talk_done(&t);
    }
    assert_int_equal(script_server_counts(server).accepted, 1);
}

static void a_bad_endpoint_leaves_the_old_one(void **state)
{
    (void)state;
    talk t;
    const lw_transport_endpoint bad = { .server = "nonsense" };
    assert_int_equal(lw_transport_set_endpoint(transport, &bad, NULL), LW_ERR_INVALID);
    talk_get(&t, transport, "/");
    talk_expect(&t, 200, "hi");
    talk_done(&t);
}

static void of_too_many_endpoints_the_oldest_end(void **state)
{
    (void)state;
    enum {
        CHANGES = CURL_POOLS_MAX + 2,
    };
    talk watches[CHANGES];
    for (int i = 0; i < CHANGES; i++) {
        char url[64];
        const lw_transport_endpoint endpoint = { .server = url };
        (void)snprintf(url, sizeof(url), "%s/watch-%d", script_server_url(server), i);
        assert_int_equal(lw_transport_set_endpoint(transport, &endpoint, NULL), LW_OK);
        talk_get(&watches[i], transport, "/");
        pump_turn(transport, 1);
    }
    for (int i = 0; i < CHANGES - CURL_POOLS_MAX; i++)
        talk_expect_failure(&watches[i], LW_ERR_UNAVAILABLE,
                            "the server address or the credentials have changed");
    assert_int_equal(watches[CHANGES - CURL_POOLS_MAX].dones, 0);
    for (int i = 0; i < CHANGES; i++)
        talk_done(&watches[i]);
}

/* Name servers can take their time; this one waits until the test lets it go. */
static lw_mutex names_mu = { PTHREAD_MUTEX_INITIALIZER };
static lw_cond names_changed = { PTHREAD_COND_INITIALIZER };
static unsigned names_asked, names_answered;
static bool are_names_open;

__attribute__((visibility("default"))) int getaddrinfo(const char *node, const char *service,
                                                       const struct addrinfo *hints,
                                                       struct addrinfo **out)
{
    (void)node;
    (void)service;
    (void)hints;
    (void)out;
    lw_mutex_lock(&names_mu);
    names_asked++;
    while (!are_names_open)
        lw_cond_wait(&names_changed, &names_mu);
    names_answered++;
    lw_cond_broadcast(&names_changed);
    lw_mutex_unlock(&names_mu);
    return EAI_AGAIN;
}

static bool is_asked(void)
{
    lw_mutex_lock(&names_mu);
    bool is_it = names_asked > 0;
    lw_mutex_unlock(&names_mu);
    return is_it;
}

static void who_cancels_does_not_wait_for_a_name_server(void **state)
{
    (void)state;
    talk slow, quick;
    change("http://slow.example:80");
    talk_get(&slow, transport, "/");
    while (!is_asked())
        pump_turn(transport, 1);
    talk_done(&slow);
    change(script_server_url(server));
    talk_get(&quick, transport, "/");
    talk_expect(&quick, 200, "hi");
    talk_done(&quick);
    lw_mutex_lock(&names_mu);
    assert_int_equal(names_answered, 0);
    are_names_open = true;
    lw_cond_broadcast(&names_changed);
    while (names_answered == 0)
        lw_cond_wait(&names_changed, &names_mu);
    lw_mutex_unlock(&names_mu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define WITH_SERVER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
        WITH_SERVER(a_hundred_at_once_all_come_back),
        WITH_SERVER(watches_starve_nobody_without_http2),
        WITH_SERVER(nothing_is_done_while_nothing_happens),
        WITH_SERVER(nothing_is_done_while_a_transfer_is_paused),
        WITH_SERVER(a_pause_is_no_idleness),
        WITH_SERVER(there_is_a_bound_to_what_is_under_way),
        WITH_SERVER(freeing_cancels_what_is_under_way),
        WITH_SERVER(a_new_endpoint_is_for_new_transfers),
        WITH_SERVER(the_same_endpoint_keeps_its_connections),
        WITH_SERVER(a_bad_endpoint_leaves_the_old_one),
        WITH_SERVER(of_too_many_endpoints_the_oldest_end),
        WITH_SERVER(who_cancels_does_not_wait_for_a_name_server),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
