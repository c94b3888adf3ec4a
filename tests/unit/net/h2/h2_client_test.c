/* SPDX-License-Identifier: Apache-2.0 */
/* h2_client_test.c -- our side of HTTP/2 against nghttp2's server: calls and what becomes of them.
 */
#include "net/h2/h2_client.h"

#include <stdlib.h>

#include "unit/net/h2_client_world.h"

enum {
    MANY = 1000,
    BIG = 20 * 1000 * 1000,
};

static void a_call_is_answered(void **state)
{
    (void)state;
    world w;
    answer a = { .call = NULL };
    world_open(&w);
    world_dial(&w);
    answer_ask(&a, &w, "/echo", "hello");
    world_until(&w, &a.closes, 1);
    assert_int_equal(a.err.code, LW_OK);
    assert_false(a.is_unseen);
    assert_int_equal(a.status, 200);
    assert_str_equal(lw_buf_view(&a.headers), "content-type: application/grpc\n");
    assert_str_equal(lw_buf_view(&a.body), "hello");
    assert_str_equal(lw_buf_view(&a.trailers), "grpc-status: 0\n");
    assert_int_equal(w.ups, 1);
    answer_done(&a);
    world_close(&w);
}

/* The server takes 10 at once. */
static void many_calls_share_a_connection(void **state)
{
    (void)state;
    world w;
    answer *a = calloc(MANY, sizeof(*a));
    assert_non_null(a);
    world_open(&w);
    w.peer.streams_max = 10;
    world_dial(&w);
    for (size_t i = 0; i < MANY; i++)
        answer_ask(&a[i], &w, "/echo", i % 2 ? "odd" : "even");
    for (size_t i = 0; i < MANY; i++) {
        world_until(&w, &a[i].closes, 1);
        assert_int_equal(a[i].err.code, LW_OK);
        assert_str_equal(lw_buf_view(&a[i].body), i % 2 ? "odd" : "even");
        answer_done(&a[i]);
    }
    assert_int_equal(w.peer.requests, MANY);
    assert_int_equal(w.peer.accepted, 1);
    free(a);
    world_close(&w);
}

static void until_body(world *w, const answer *a, const char *text)
{
    for (int i = 0; i < WORLD_TURNS_MAX && !lw_str_equal(lw_buf_view(&a->body), lw_str_of(text));
         i++)
        world_turn(w, WORLD_WAIT_MS);
    assert_str_equal(lw_buf_view(&a->body), text);
}

static void both_sides_speak_at_once(void **state)
{
    (void)state;
    world w;
    answer a = { .call = NULL };
    world_open(&w);
    world_dial(&w);
    assert_int_equal(answer_open(&a, &w, "/stream"), LW_OK);
    answer_send(&a, LW_STR("one "), false);
    until_body(&w, &a, "one ");
    answer_send(&a, LW_STR("two "), false);
    until_body(&w, &a, "one two ");
    assert_int_equal(a.closes, 0);
    answer_send(&a, LW_STR(""), true);
    world_until(&w, &a.closes, 1);
    assert_int_equal(a.err.code, LW_OK);
    assert_str_equal(lw_buf_view(&a.trailers), "grpc-status: 0\n");
    answer_done(&a);
    world_close(&w);
}

static void a_head_can_be_all_of_a_reply(void **state)
{
    (void)state;
    world w;
    answer a = { .call = NULL };
    world_open(&w);
    world_dial(&w);
    answer_ask(&a, &w, "/head", "x");
    world_until(&w, &a.closes, 1);
    assert_int_equal(a.err.code, LW_OK);
    assert_str_equal(lw_buf_view(&a.headers), "grpc-status: 12\n");
    assert_int_equal(a.body.len + a.trailers.len, 0);
    answer_done(&a);
    world_close(&w);
}

/* What the server has ended is over, although we could still send; it is told that we don't. */
static void a_reply_may_come_before_the_request_is_whole(void **state)
{
    (void)state;
    world w;
    answer a = { .call = NULL };
    world_open(&w);
    world_dial(&w);
    assert_int_equal(answer_open(&a, &w, "/early"), LW_OK);
    world_until(&w, &a.closes, 1);
    assert_int_equal(a.err.code, LW_OK);
    assert_str_equal(lw_buf_view(&a.body), "early");
    world_settle(&w);
    assert_int_equal(h2_peer_find(&w.peer, 1)->reset, NGHTTP2_NO_ERROR);
    answer_done(&a);
    world_close(&w);
}

static void a_reset_of_the_servers_is_an_error(void **state)
{
    (void)state;
    world w;
    answer a = { .call = NULL }, b = { .call = NULL }, c = { .call = NULL };
    world_open(&w);
    world_dial(&w);
    answer_ask(&a, &w, "/reset", "x");
    answer_ask(&b, &w, "/refuse", "x");
    answer_ask(&c, &w, "/echo", "x");
    world_until(&w, &a.closes, 1);
    world_until(&w, &b.closes, 1);
    world_until(&w, &c.closes, 1);
    assert_int_equal(a.err.code, LW_ERR_INTERNAL);
    assert_false(a.is_unseen);
    assert_int_equal(b.err.code, LW_ERR_UNAVAILABLE);
    assert_true(b.is_unseen);
    assert_int_equal(c.err.code, LW_OK);
    assert_int_equal(w.downs, 0);
    answer_done(&a);
    answer_done(&b);
    answer_done(&c);
    world_close(&w);
}

static void a_call_that_is_reset_is_silent(void **state)
{
    (void)state;
    world w;
    answer a = { .call = NULL }, waiting = { .call = NULL }, b = { .call = NULL };
    world_open(&w);
    world_dial(&w);
    assert_int_equal(answer_open(&waiting, &w, "/echo"), LW_OK);
    lw_h2_call_reset(waiting.call);
    lw_h2_call_reset(NULL);
    assert_int_equal(answer_open(&a, &w, "/stream"), LW_OK);
    answer_send(&a, LW_STR("x"), false);
    until_body(&w, &a, "x");
    lw_h2_call_reset(a.call);
    answer_ask(&b, &w, "/echo", "b");
    world_until(&w, &b.closes, 1);
    assert_int_equal(h2_peer_find(&w.peer, 1)->reset, NGHTTP2_CANCEL);
    assert_int_equal(a.closes + waiting.closes, 0);
    assert_int_equal(w.peer.requests, 2);
    answer_done(&a);
    answer_done(&b);
    answer_done(&waiting);
    world_close(&w);
}

/* The reply is on its way, head, body and trailers, when its call is reset. */
static void a_reply_to_a_call_that_is_reset_harms_nobody(void **state)
{
    (void)state;
    world w;
    answer a = { .call = NULL }, b = { .call = NULL };
    world_open(&w);
    world_dial(&w);
    answer_ask(&a, &w, "/hold", "x");
    world_until(&w, &w.peer.requests, 1);
    h2_peer_reply(&w.peer, 1);
    h2_peer_write(&w.peer, 1, LW_STR("too late"));
    h2_peer_end(&w.peer, 1);
    h2_peer_flush(&w.peer);
    lw_h2_call_reset(a.call);
    answer_ask(&b, &w, "/echo", "b");
    world_until(&w, &b.closes, 1);
    assert_int_equal(b.err.code, LW_OK);
    assert_int_equal(a.status + (int)a.body.len + (int)a.closes, 0);
    assert_int_equal(w.downs, 0);
    answer_done(&a);
    answer_done(&b);
    world_close(&w);
}

static void a_call_may_be_reset_from_its_own_callbacks(void **state)
{
    (void)state;
    world w;
    answer a = { .resets_on_data = true }, b = { .resets_on_close = true };
    world_open(&w);
    world_dial(&w);
    answer_ask(&a, &w, "/echo", "x");
    answer_ask(&b, &w, "/echo", "x");
    world_until(&w, &b.closes, 1);
    world_settle(&w);
    assert_int_equal(a.body.len, 1);
    assert_int_equal(a.closes, 0);
    answer_done(&a);
    answer_done(&b);
    world_close(&w);
}

static unsigned released;

static void note_release(void *owner)
{
    (void)owner;
    released++;
}

/* Beyond every window, both ways, and each byte's owner gets it back once. */
static void big_bodies_go_both_ways(void **state)
{
    (void)state;
    world w;
    answer a = { .call = NULL };
    char *big = malloc(BIG);
    assert_non_null(big);
    for (size_t i = 0; i < BIG; i++)
        big[i] = (char)(i * 7 + i / 4099);
    world_open(&w);
    world_dial(&w);
    assert_int_equal(answer_open(&a, &w, "/echo"), LW_OK);
    released = 0;
    assert_int_equal(lw_h2_call_send(a.call, (lw_bytes){ big, BIG / 2, note_release, NULL }, false),
                     LW_OK);
    assert_int_equal(lw_h2_call_send(a.call,
                                     (lw_bytes){ big + BIG / 2, BIG / 2, note_release, NULL },
                                     true),
                     LW_OK);
    world_until(&w, &a.closes, 1);
    assert_int_equal(a.err.code, LW_OK);
    assert_int_equal(a.body.len, BIG);
    assert_memory_equal(a.body.data, big, BIG);
    assert_int_equal(released, 2);
    answer_done(&a);
    free(big);
    world_close(&w);
}

static void what_is_queued_is_bounded(void **state)
{
    (void)state;
    static char block[1024 * 1024];
    world w;
    answer a = { .call = NULL };
    lw_status st = LW_OK;
    unsigned sent = 0;
    world_open(&w);
    world_dial(&w);
    assert_int_equal(answer_open(&a, &w, "/echo"), LW_OK);
    released = 0;
    for (; st == LW_OK && sent < 1000; sent++)
        st = lw_h2_call_send(a.call, (lw_bytes){ block, sizeof(block), note_release, NULL }, false);
    assert_int_equal(st, LW_ERR_LIMIT);
    assert_int_equal(sent - 1, LW_H2_CLIENT_QUEUE_MAX / sizeof(block));
    assert_int_equal(released, 1);
    lw_h2_call_reset(a.call);
    assert_int_equal(released, sent);
    answer_done(&a);
    world_close(&w);
}

static void calls_are_bounded(void **state)
{
    (void)state;
    world w;
    answer a = { .call = NULL };
    lw_status st = LW_OK;
    size_t opened = 0;
    world_open(&w);
    world_dial(&w);
    while ((st = answer_open(&a, &w, "/hold")) == LW_OK && opened <= LW_H2_CLIENT_STREAMS_MAX)
        opened++;
    assert_int_equal(st, LW_ERR_TOO_MANY);
    assert_int_equal(opened, LW_H2_CLIENT_STREAMS_MAX);
    answer_done(&a);
    world_close(&w);
}

static void turn_until_still(world *w, const size_t *number)
{
    size_t before;
    do {
        before = *number;
        for (int i = 0; i < 200; i++)
            world_turn(w, 1);
    } while (*number != before);
}

static void a_pause_holds_the_server_back_and_nobody_else(void **state)
{
    (void)state;
    world w;
    answer a = { .call = NULL }, b = { .call = NULL };
    world_open(&w);
    w.peer.big_len = 3 * (size_t)LW_H2_CLIENT_WINDOW;
    world_dial(&w);
    answer_ask(&a, &w, "/big", "x");
    lw_h2_call_set_paused(a.call, true);
    turn_until_still(&w, &a.body.len);
    assert_int_equal(a.body.len, LW_H2_CLIENT_WINDOW);
    assert_int_equal(a.closes, 0);
    answer_ask(&b, &w, "/echo", "b");
    world_until(&w, &b.closes, 1);
    assert_int_equal(a.body.len, LW_H2_CLIENT_WINDOW);
    lw_h2_call_set_paused(a.call, false);
    world_until(&w, &a.closes, 1);
    assert_int_equal(a.err.code, LW_OK);
    assert_int_equal(a.body.len, w.peer.big_len);
    answer_done(&a);
    answer_done(&b);
    world_close(&w);
}

static void a_head_that_is_too_large_costs_its_call_only(void **state)
{
    (void)state;
    world w;
    answer a = { .call = NULL }, b = { .call = NULL };
    world_open(&w);
    w.peer.field_count = 200;
    world_dial(&w);
    answer_ask(&a, &w, "/fields", "x");
    answer_ask(&b, &w, "/echo", "b");
    world_until(&w, &a.closes, 1);
    world_until(&w, &b.closes, 1);
    assert_int_equal(a.err.code, LW_ERR_LIMIT);
    assert_int_equal(a.status, 0);
    assert_int_equal(b.err.code, LW_OK);
    answer_done(&a);
    answer_done(&b);
    world_close(&w);
}

static void a_request_whose_head_is_too_large_is_not_sent(void **state)
{
    (void)state;
    static char path[100 * 1000];
    world w;
    answer a = { .call = NULL }, b = { .call = NULL };
    memset(path, 'a', sizeof(path) - 1);
    path[0] = '/';
    world_open(&w);
    world_dial(&w);
    answer_ask(&a, &w, path, "x");
    answer_ask(&b, &w, "/echo", "b");
    world_until(&w, &a.closes, 1);
    world_until(&w, &b.closes, 1);
    assert_int_equal(a.err.code, LW_ERR_INVALID);
    assert_true(a.is_unseen);
    assert_int_equal(b.err.code, LW_OK);
    answer_done(&a);
    answer_done(&b);
    world_close(&w);
}

static void the_client_may_be_freed_from_any_callback(void **state)
{
    (void)state;
    for (int where = 0; where < 4; where++) {
        world w;
        answer a = { .frees_on_head = where == 0,
                     .frees_on_data = where == 1,
                     .frees_on_close = where == 2 };
        answer other = { .call = NULL };
        world_open(&w);
        w.frees_on_down = where == 3;
        world_dial(&w);
        assert_int_equal(answer_open(&a, &w, "/stream"), LW_OK);
        answer_ask(&other, &w, "/hold", "x");
        answer_send(&a, LW_STR("x"), where == 2);
        for (int i = 0; w.client && i < WORLD_TURNS_MAX; i++) {
            world_turn(&w, WORLD_WAIT_MS);
            if (where == 3 && a.body.len > 0)
                h2_peer_hang_up(&w.peer);
        }
        assert_null(w.client);
        world_settle(&w);
        assert_int_equal(a.closes, where >= 2);
        assert_int_equal(other.closes, where == 3);
        answer_done(&a);
        answer_done(&other);
        world_close(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_call_is_answered),
        TEST(many_calls_share_a_connection),
        TEST(both_sides_speak_at_once),
        TEST(a_head_can_be_all_of_a_reply),
        TEST(a_reply_may_come_before_the_request_is_whole),
        TEST(a_reset_of_the_servers_is_an_error),
        TEST(a_call_that_is_reset_is_silent),
        TEST(a_reply_to_a_call_that_is_reset_harms_nobody),
        TEST(a_call_may_be_reset_from_its_own_callbacks),
        TEST(big_bodies_go_both_ways),
        TEST(what_is_queued_is_bounded),
        TEST(calls_are_bounded),
        TEST(a_pause_holds_the_server_back_and_nobody_else),
        TEST(a_head_that_is_too_large_costs_its_call_only),
        TEST(a_request_whose_head_is_too_large_is_not_sent),
        TEST(the_client_may_be_freed_from_any_callback),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
