/* SPDX-License-Identifier: Apache-2.0 */
/* curl_transfer_test.c -- one request from its start to its end, over plain HTTP/1.1. */
#include "transport/curl_internal.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/str.h"
#include "support/script_server.h"
#include "support/transport_pump.h"
#include "unit/test.h"

#define OK_HI "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\nhi"

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

static void get_and_expect(const char *target, int status, const char *body)
{
    talk t;
    talk_get(&t, transport, target);
    talk_expect(&t, status, body);
    talk_done(&t);
}

static void tells_head_body_and_end(void **state)
{
    (void)state;
    talk t;
    script_server_say(server, "GET /hello HTTP/1.1", OK_HI);
    talk_get(&t, transport, "/hello");
    talk_expect(&t, 200, "hi");
    assert_string_equal(t.content_type, "application/json");
    assert_string_equal(t.retry_after, "");
    talk_done(&t);
}

static void uses_a_connection_again(void **state)
{
    (void)state;
    script_server_say_always(server, NULL, OK_HI);
    for (int i = 0; i < 5; i++)
        get_and_expect("/", 200, "hi");
    assert_int_equal(script_server_counts(server).accepted, 1);
    lw_transport_stats stats;
    lw_transport_read_stats(transport, &stats);
    assert_int_equal(stats.connections, 1);
    assert_int_equal(stats.transfers, 5);
    assert_true(stats.bytes_in >= 10);
}

static void a_connection_closed_meanwhile_is_replaced(void **state)
{
    (void)state;
    const script_step closing[] = { { SCRIPT_SEND, OK_HI, 0 }, { SCRIPT_CLOSE, NULL, 0 }, { 0 } };
    script_server_play_always(server, NULL, closing);
    for (int i = 0; i < 3; i++) {
        get_and_expect("/", 200, "hi");
        assert_true(script_server_await_open(server, 0));
    }
    assert_int_equal(script_server_counts(server).accepted, 3);
}

static void joins_chunks(void **state)
{
    (void)state;
    const script_step steps[] = {
        { SCRIPT_PIECES, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", 0 },
        { SCRIPT_PIECES, "4;ext=1\r\ndefg\r\n0\r\nX-Trailer: 1\r\n\r\n", 0 },
        { 0 },
    };
    script_server_play(server, NULL, steps);
    script_server_say(server, NULL, OK_HI);
    get_and_expect("/", 200, "abcdefg");
    get_and_expect("/", 200, "hi");
}

static void hands_over_each_chunk_when_it_comes(void **state)
{
    (void)state;
    talk t;
    const script_step steps[] = {
        { SCRIPT_SEND, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", 0 },
        { SCRIPT_WAIT, NULL, 0 },
        { SCRIPT_SEND, "1\r\nd\r\n0\r\n\r\n", 0 },
        { 0 },
    };
    script_server_play(server, NULL, steps);
    talk_get(&t, transport, "/watch");
    pump_until_body(&t, 3);
    assert_int_equal(t.dones, 0);
    script_server_go(server);
    talk_expect(&t, 200, "abcd");
    talk_done(&t);
}

/* "hello hello hello\n" by gzip -n. */
static const char gzipped[] =
    "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 29\r\n\r\n"
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\x57"
    "\xc8\x40\x90\x5c\x00\x3b\x7c\x8a\xdf\x12\x00\x00\x00";

static void unpacks_gzip(void **state)
{
    (void)state;
    char head[1024];
    const script_step steps[] = { { SCRIPT_PIECES, gzipped, sizeof(gzipped) - 1 }, { 0 } };
    script_server_play(server, NULL, steps);
    get_and_expect("/", 200, "hello hello hello\n");
    assert_true(script_server_request(server, 0, head, sizeof(head)));
    assert_non_null(strstr(head, "Accept-Encoding: gzip\r\n"));
}

static void broken_gzip_is_no_reply(void **state)
{
    (void)state;
    talk t;
    script_server_say(server, NULL,
                      "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd");
    talk_get(&t, transport, "/");
    talk_expect_failure(&t, LW_ERR_INVALID, "did not send a valid HTTP response");
    talk_done(&t);
}

static void interim_replies_are_passed_over(void **state)
{
    (void)state;
    script_server_say(server, NULL,
                      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n"
                      "Content-Type: text/wrong\r\n\r\n" OK_HI);
    talk t;
    talk_get(&t, transport, "/");
    talk_expect(&t, 200, "hi");
    assert_string_equal(t.content_type, "application/json");
    talk_done(&t);
}

static void retry_after_is_handed_over(void **state)
{
    (void)state;
    talk t;
    script_server_say(server, NULL,
                      "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\n"
                      "Content-Length: 0\r\n\r\n");
    talk_get(&t, transport, "/");
    talk_expect(&t, 429, "");
    assert_string_equal(t.retry_after, "7");
    talk_done(&t);
}

static void a_total_timeout_ends_it(void **state)
{
    (void)state;
    talk t;
    const script_step silent[] = { { SCRIPT_WAIT, NULL, 0 }, { 0 } };
    script_server_play(server, NULL, silent);
    lw_transfer_options options = { .method = "GET", .target = "/", .timeout_ms = 1000 };
    talk_start(&t, transport, &options);
    talk_expect_failure(&t, LW_ERR_TIMEOUT, "no response from http://127.0.0.1:");
    assert_int_equal(t.result.status, 0);
    assert_false(t.result.is_truncated);
    talk_done(&t);
}

static void a_stall_is_an_idle_timeout(void **state)
{
    (void)state;
    talk t;
    const script_step stall[] = {
        { SCRIPT_SEND, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", 0 },
        { SCRIPT_WAIT, NULL, 0 },
        { 0 },
    };
    script_server_play(server, NULL, stall);
    lw_transfer_options options = {
        .method = "GET", .target = "/", .timeout_ms = 30000, .idle_timeout_s = 1
    };
    talk_start(&t, transport, &options);
    talk_expect_failure(&t, LW_ERR_TIMEOUT, "sent no data for 1 s");
    assert_int_equal(t.result.status, 200);
    assert_true(t.result.is_truncated);
    talk_done(&t);
}

static void timeouts_go_by_the_clock_of_the_options(void **state)
{
    (void)state;
    talk t;
    lw_manual_clock *clock = NULL;
    const script_step silent[] = { { SCRIPT_WAIT, NULL, 0 }, { 0 } };
    script_server_play(server, NULL, silent);
    assert_int_equal(lw_manual_clock_new(&clock, 0), LW_OK);
    const lw_transport_options mine = { .clock = lw_manual_clock_as_clock(clock) };
    lw_transport *timed = pump_open(script_server_url(server), &mine);
    lw_transfer_options options = { .method = "GET", .target = "/", .idle_timeout_s = 3600 };
    talk_start(&t, timed, &options);
    while (!script_server_counts(server).waiting)
        pump_turn(timed, 1);
    lw_manual_clock_advance(clock, 3599 * LW_NS_PER_S);
    pump_turn(timed, 0);
    assert_int_equal(t.dones, 0);
    assert_in_range(lw_transport_timeout_ms(timed), 1, 1000);
    lw_manual_clock_advance(clock, LW_NS_PER_S);
    assert_int_equal(lw_transport_timeout_ms(timed), 0);
    talk_expect_failure(&t, LW_ERR_TIMEOUT, "sent no data for 3600 s");
    talk_done(&t);
    lw_transport_free(timed);
    lw_manual_clock_free(clock);
}

/* A cancel in each callback, of a transfer itself and of another. */
typedef struct saboteur {
    lw_transfer *self, *victim;
    char when; /* 'h'ead, 'b'ody, 'd'one */
    unsigned heads, bodies, dones, calls_after, strikes;
} saboteur;

static void strike(saboteur *s, char now)
{
    s->calls_after += s->strikes > 0 && !s->victim;
    if (s->when != now)
        return;
    s->strikes++;
    lw_transfer_cancel(s->victim ? s->victim : s->self);
}

static void strike_on_head(lw_transfer *transfer, int status, lw_str type, lw_str retry, void *arg)
{
    saboteur *s = arg;
    (void)status;
    (void)type;
    (void)retry;
    s->heads++;
    s->self = transfer;
    strike(s, 'h');
}

static void strike_on_body(lw_transfer *transfer, const char *bytes, size_t len, void *arg)
{
    saboteur *s = arg;
    (void)transfer;
    (void)bytes;
    (void)len;
    s->bodies++;
    strike(s, 'b');
}

static void strike_on_done(lw_transfer *transfer, const lw_transfer_result *result, void *arg)
{
    saboteur *s = arg;
    (void)transfer;
    (void)result;
    s->dones++;
    strike(s, 'd');
}

static void start_saboteur(saboteur *s)
{
    lw_transfer_options options = { .method = "GET",
                                    .target = "/",
                                    .on_head = strike_on_head,
                                    .on_body = strike_on_body,
                                    .on_done = strike_on_done,
                                    .arg = s };
    assert_int_equal(lw_transport_start(transport, &options, &s->self, NULL), LW_OK);
}

static void a_transfer_cancels_itself_in_any_callback(void **state)
{
    (void)state;
    script_server_say_always(server, NULL, OK_HI);
    for (const char *when = "hbd"; *when; when++) {
        saboteur s = { .when = *when };
        start_saboteur(&s);
        pump_until(transport, &s.strikes, 1);
        for (int i = 0; i < 3; i++)
            pump_turn(transport, 1);
        assert_int_equal(s.calls_after, 0);
        assert_int_equal(s.dones, *when == 'd');
        get_and_expect("/", 200, "hi");
    }
}

static void a_transfer_cancels_another_in_any_callback(void **state)
{
    (void)state;
    const script_step silent[] = { { SCRIPT_SEND, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc",
                                     0 },
                                   { SCRIPT_WAIT, NULL, 0 },
                                   { 0 } };
    script_server_play_always(server, "GET /victim", silent);
    script_server_say_always(server, NULL, OK_HI);
    for (const char *when = "hbd"; *when; when++) {
        talk victim;
        saboteur s = { .when = *when };
        talk_get(&victim, transport, "/victim");
        pump_until_body(&victim, 3);
        s.victim = victim.transfer;
        start_saboteur(&s);
        pump_until(transport, &s.dones, 1);
        assert_int_equal(s.strikes, 1);
        assert_int_equal(victim.dones, 0);
        victim.transfer = NULL;
        talk_done(&victim);
    }
    assert_true(script_server_await_open(server, 1));
}

static void a_cancel_before_the_first_dispatch_sends_nothing(void **state)
{
    (void)state;
    saboteur s = { .when = '-' };
    start_saboteur(&s);
    lw_transfer_cancel(s.self);
    lw_transfer_cancel(NULL);
    pump_turn(transport, 1);
    assert_int_equal(s.heads + s.dones, 0);
    assert_int_equal(script_server_counts(server).accepted, 0);
}

/* Starts the next from inside each callback. */
typedef struct chain {
    unsigned started, dones;
} chain;

static void chain_next(chain *c);

static void chain_head(lw_transfer *transfer, int status, lw_str type, lw_str retry, void *arg)
{
    (void)transfer;
    (void)status;
    (void)type;
    (void)retry;
    chain_next(arg);
}

static void chain_body(lw_transfer *transfer, const char *bytes, size_t len, void *arg)
{
    (void)transfer;
    (void)bytes;
    (void)len;
    chain_next(arg);
}

static void chain_done(lw_transfer *transfer, const lw_transfer_result *result, void *arg)
{
    (void)transfer;
    assert_int_equal(result->st, LW_OK);
    ((chain *)arg)->dones++;
    chain_next(arg);
}

static void chain_next(chain *c)
{
    if (c->started == 10)
        return;
    c->started++;
    lw_transfer *ignored;
    lw_transfer_options options = { .method = "GET",
                                    .target = "/",
                                    .on_head = chain_head,
                                    .on_body = chain_body,
                                    .on_done = chain_done,
                                    .arg = c };
    assert_int_equal(lw_transport_start(transport, &options, &ignored, NULL), LW_OK);
}

static void callbacks_start_transfers(void **state)
{
    (void)state;
    chain c = { 0 };
    script_server_say_always(server, NULL, OK_HI);
    chain_next(&c);
    pump_until(transport, &c.dones, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define WITH_SERVER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
        WITH_SERVER(tells_head_body_and_end),
        WITH_SERVER(uses_a_connection_again),
        WITH_SERVER(a_connection_closed_meanwhile_is_replaced),
        WITH_SERVER(joins_chunks),
        WITH_SERVER(hands_over_each_chunk_when_it_comes),
        WITH_SERVER(unpacks_gzip),
        WITH_SERVER(broken_gzip_is_no_reply),
        WITH_SERVER(interim_replies_are_passed_over),
        WITH_SERVER(retry_after_is_handed_over),
        WITH_SERVER(a_total_timeout_ends_it),
        WITH_SERVER(a_stall_is_an_idle_timeout),
        WITH_SERVER(timeouts_go_by_the_clock_of_the_options),
        WITH_SERVER(a_transfer_cancels_itself_in_any_callback),
        WITH_SERVER(a_transfer_cancels_another_in_any_callback),
        WITH_SERVER(a_cancel_before_the_first_dispatch_sends_nothing),
        WITH_SERVER(callbacks_start_transfers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
