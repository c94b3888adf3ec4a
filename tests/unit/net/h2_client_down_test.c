/* SPDX-License-Identifier: Apache-2.0 */
/* h2_client_down_test.c -- connections that do not come about, end, or are broken by the server. */
#include <netinet/in.h>
#include <sys/socket.h>

#include "net/h2/h2_client.h"
#include "unit/net/h2_client_world.h"

static void options_that_cannot_work_are_refused(void **state)
{
    (void)state;
    world w;
    lw_error err = LW_ERROR_INIT;
    lw_h2_client *client = NULL;
    const lw_h2_client_options bad[] = {
        { .host = "", .port = 1, WORLD_TIMEOUTS },
        { .host = "127.0.0.1", .port = 0, WORLD_TIMEOUTS },
        { .host = "127.0.0.1", .port = 1, .authority = ":1", WORLD_TIMEOUTS },
        { .host = "127.0.0.1", .port = 1 },
    };
    world_open(&w);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(lw_h2_client_open(&client, w.loop, &bad[i], &err), LW_ERR_INVALID);
        assert_true(err.message[0] != '\0');
    }
    assert_null(client);
    lw_h2_client_free(NULL);
    world_close(&w);
}

static void a_refused_connection_is_told_to_all(void **state)
{
    (void)state;
    world w;
    answer a = { .call = NULL };
    world_open(&w);
    h2_peer_stop_listening(&w.peer);
    world_dial(&w);
    answer_ask(&a, &w, "/echo", "x");
    world_until(&w, &w.downs, 1);
    assert_int_equal(w.ups, 0);
    assert_int_equal(w.down.code, LW_ERR_UNAVAILABLE);
    assert_non_null(strstr(w.down.message, "refused"));
    assert_int_equal(a.closes, 1);
    assert_int_equal(a.err.code, LW_ERR_UNAVAILABLE);
    assert_true(a.is_unseen);
    assert_int_equal(answer_open(&a, &w, "/echo"), LW_ERR_STOPPED);
    assert_true(lw_h2_client_is_closing(w.client));
    answer_done(&a);
    world_close(&w);
}

static void a_name_is_looked_up(void **state)
{
    (void)state;
    world w;
    answer a = { .call = NULL };
    world_open(&w);
    world_dial_with(&w, (lw_h2_client_options){ .host = "localhost", WORLD_TIMEOUTS });
    answer_ask(&a, &w, "/echo", "x");
    world_until(&w, &a.closes, 1);
    assert_int_equal(a.err.code, LW_OK);
    answer_done(&a);
    world_close(&w);
}

static void a_client_may_be_freed_while_it_dials(void **state)
{
    (void)state;
    world w;
    world_open(&w);
    world_dial(&w);
    world_free_client(&w);
    world_dial_with(&w, (lw_h2_client_options){ .host = "localhost", WORLD_TIMEOUTS });
    world_free_client(&w);
    world_dial(&w);
    world_turn(&w, 0);
    world_free_client(&w);
    world_close(&w);
    assert_int_equal(w.downs, 0);
}

/* It takes connections and says nothing: neither its TLS nor its HTTP/2 begins. */
static void a_server_that_says_nothing_is_given_up(void **state)
{
    (void)state;
    world w;
    answer a = { .call = NULL };
    world_open(&w);
    w.peer.is_mute = true;
    world_dial_with(&w, (lw_h2_client_options){ .connect_timeout_ms = 300 });
    answer_ask(&a, &w, "/echo", "x");
    world_until(&w, &w.peer.accepted, 1);
    world_pass(&w, 299);
    assert_int_equal(w.downs, 0);
    world_pass(&w, 1);
    assert_int_equal(w.downs, 1);
    assert_int_equal(w.down.code, LW_ERR_TIMEOUT);
    assert_true(a.is_unseen);
    answer_done(&a);
    world_close(&w);
}

static void a_lost_connection_is_told(void **state)
{
    (void)state;
    world w;
    answer sent = { .call = NULL }, waiting = { .call = NULL };
    world_open(&w);
    w.peer.streams_max = 1;
    world_dial(&w);
    answer_ask(&sent, &w, "/hold", "x");
    answer_ask(&waiting, &w, "/hold", "x");
    world_until(&w, &w.peer.requests, 1);
    h2_peer_hang_up(&w.peer);
    world_until(&w, &w.downs, 1);
    assert_int_equal(w.down.code, LW_ERR_UNAVAILABLE);
    assert_int_equal(sent.err.code, LW_ERR_UNAVAILABLE);
    assert_false(sent.is_unseen);
    assert_int_equal(waiting.err.code, LW_ERR_UNAVAILABLE);
    assert_true(waiting.is_unseen);
    world_pass(&w, 60000);
    assert_int_equal(w.downs, 1);
    answer_done(&sent);
    answer_done(&waiting);
    world_close(&w);
}

/* Below the last stream: goes on.  Above: never begun.  And nothing new. */
static void a_goaway_tells_which_calls_were_seen(void **state)
{
    (void)state;
    world w;
    answer below = { .call = NULL }, above = { .call = NULL }, waiting = { .call = NULL };
    world_open(&w);
    w.peer.streams_max = 2;
    world_dial(&w);
    answer_ask(&below, &w, "/hold", "x");
    answer_ask(&above, &w, "/hold", "x");
    answer_ask(&waiting, &w, "/hold", "x");
    world_until(&w, &w.peer.requests, 2);
    h2_peer_goaway(&w.peer, 1, NGHTTP2_NO_ERROR);
    world_until(&w, &above.closes, 1);
    world_until(&w, &waiting.closes, 1);
    assert_true(above.is_unseen);
    assert_int_equal(above.err.code, LW_ERR_UNAVAILABLE);
    assert_true(waiting.is_unseen);
    assert_true(lw_h2_client_is_closing(w.client));
    answer late = { .call = NULL };
    assert_int_equal(answer_open(&late, &w, "/echo"), LW_ERR_STOPPED);
    assert_int_equal(below.closes + w.downs, 0);
    h2_peer_reply(&w.peer, 1);
    h2_peer_write(&w.peer, 1, LW_STR("still here"));
    h2_peer_end(&w.peer, 1);
    world_until(&w, &below.closes, 1);
    assert_int_equal(below.err.code, LW_OK);
    assert_str_equal(lw_buf_view(&below.body), "still here");
    world_until(&w, &w.downs, 1);
    assert_int_equal(w.down.code, LW_ERR_UNAVAILABLE);
    assert_non_null(strstr(w.down.message, "bye"));
    answer_done(&below);
    answer_done(&above);
    answer_done(&waiting);
    world_close(&w);
}

static void silence_is_asked_and_answered(void **state)
{
    (void)state;
    world w;
    answer a = { .call = NULL };
    world_open(&w);
    world_dial(&w);
    world_until(&w, &w.ups, 1);
    world_pass(&w, 5000);
    world_settle(&w);
    assert_int_equal(w.peer.pings, 0); /* nobody waits for anything */
    answer_ask(&a, &w, "/hold", "x");
    world_until(&w, &w.peer.requests, 1);
    for (unsigned i = 1; i <= 3; i++) {
        world_settle(&w);
        world_pass(&w, 1000);
        world_until(&w, &w.peer.pings, i);
        world_settle(&w);
    }
    world_pass(&w, 999);
    assert_int_equal(w.downs, 0);
    answer_done(&a);
    world_close(&w);
}

static void a_server_that_is_gone_without_a_word_is_noticed(void **state)
{
    (void)state;
    world w;
    answer a = { .call = NULL };
    world_open(&w);
    world_dial(&w);
    answer_ask(&a, &w, "/hold", "x");
    world_until(&w, &w.peer.requests, 1);
    world_settle(&w);
    h2_peer_set_deaf(&w.peer, true);
    world_pass(&w, 1000);
    world_settle(&w);
    world_pass(&w, 499);
    assert_int_equal(w.downs, 0);
    world_pass(&w, 1);
    assert_int_equal(w.downs, 1);
    assert_int_equal(w.down.code, LW_ERR_TIMEOUT);
    assert_int_equal(a.err.code, LW_ERR_TIMEOUT);
    assert_false(a.is_unseen);
    answer_done(&a);
    world_close(&w);
}

/* A server that is none, or that does not keep to the rules. */
static void what_is_no_http2_costs_the_connection(void **state)
{
    (void)state;
    static const lw_str garbage[] = {
        LW_STR_INIT("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"),
        LW_STR_INIT("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
        LW_STR_INIT("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
        /* SETTINGS, then a PING of 7 bytes */
        LW_STR_INIT("\0\0\0\4\0\0\0\0\0\0\0\7\6\0\0\0\0\0abcdefg"),
    };
    for (size_t i = 0; i < sizeof(garbage) / sizeof(garbage[0]); i++) {
        world w;
        answer a = { .call = NULL };
        world_open(&w);
        w.peer.raw = garbage[i];
        world_dial(&w);
        answer_ask(&a, &w, "/echo", "x");
        world_until(&w, &w.downs, 1);
        assert_int_equal(w.down.code, LW_ERR_INTERNAL);
        assert_int_equal(a.closes, 1);
        answer_done(&a);
        world_close(&w);
    }
}

static void frames_out_of_place_cost_the_connection(void **state)
{
    (void)state;
    static const lw_str frames[] = {
        LW_STR_INIT("\0\0\3\0\0\0\0\0\x63xyz"),     /* DATA on an idle stream */
        LW_STR_INIT("\0\0\1\1\4\0\0\0\2\x88"),      /* HEADERS of a stream of the server's */
        LW_STR_INIT("\0\0\1\1\4\0\0\0\1\xff"),      /* HEADERS that cannot be decompressed */
        LW_STR_INIT("\0\0\4\x8\0\0\0\0\0\0\0\0\0"), /* WINDOW_UPDATE by nothing */
        LW_STR_INIT("\0\0\4\x8\0\0\0\0\0\x7f\xff\xff\xff"), /* and beyond all bounds */
    };
    for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
        world w;
        answer a = { .call = NULL };
        world_open(&w);
        world_dial(&w);
        answer_ask(&a, &w, "/hold", "x");
        world_until(&w, &w.peer.requests, 1);
        h2_peer_send_raw(&w.peer, frames[i].ptr, frames[i].len);
        world_until(&w, &w.downs, 1);
        assert_int_equal(w.down.code, LW_ERR_INTERNAL);
        assert_int_equal(a.closes, 1);
        assert_false(a.is_unseen);
        answer_done(&a);
        world_close(&w);
    }
}

/* It asks and asks, and does not read the answers. */
static void a_flood_of_pings_costs_the_connection(void **state)
{
    (void)state;
    static const char ping[] = "\0\0\x8\6\0\0\0\0\0abcdefgh";
    world w;
    answer a = { .call = NULL };
    lw_buf flood;
    world_open(&w);
    world_dial(&w);
    answer_ask(&a, &w, "/hold", "x");
    world_until(&w, &w.peer.requests, 1);
    lw_buf_init(&flood, 1 << 20);
    for (int i = 0; i < 1000; i++)
        lw_buf_append(&flood, ping, sizeof(ping) - 1);
    h2_peer_send_raw(&w.peer, flood.data, flood.len);
    world_until(&w, &w.downs, 1);
    assert_int_equal(w.down.code, LW_ERR_INTERNAL);
    lw_buf_done(&flood);
    answer_done(&a);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(options_that_cannot_work_are_refused),
        TEST(a_refused_connection_is_told_to_all),
        TEST(a_name_is_looked_up),
        TEST(a_client_may_be_freed_while_it_dials),
        TEST(a_server_that_says_nothing_is_given_up),
        TEST(a_lost_connection_is_told),
        TEST(a_goaway_tells_which_calls_were_seen),
        TEST(silence_is_asked_and_answered),
        TEST(a_server_that_is_gone_without_a_word_is_noticed),
        TEST(what_is_no_http2_costs_the_connection),
        TEST(frames_out_of_place_cost_the_connection),
        TEST(a_flood_of_pings_costs_the_connection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
