/* SPDX-License-Identifier: Apache-2.0 */
/* http_client_stream_test.c -- streamed bodies, upgraded connections and pauses with HTTP/1.1. */
#include "unit/net/client/http_client_world.h"

#include "base/alloc.h"
#include "net/client/http_internal.h"

enum {
    BIG = 8 * 1024 * 1024,
};

static void sends_pieces_as_chunks(void **state)
{
    (void)state;
    world w;
    answer a = { 0 };
    world_open(&w);
    lw_http_call_options options = { .method = LW_STR("POST"),
                                     .path = LW_STR("/"),
                                     .target.authority = "a",
                                     .is_body_streamed = true };
    assert_int_equal(answer_call(&a, &w, &options), LW_OK);
    /* Before there is a connection. */
    assert_int_equal(lw_http_call_send(a.call, lw_bytes_static(LW_STR("early")), false), LW_OK);
    assert_int_equal(lw_http_call_pending(a.call), 5);
    int fd = world_accept(&w);
    world_expect(&w, fd,
                 "POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n"
                 "5\r\nearly\r\n");
    world_until(&w, &a.drains, 1);
    assert_int_equal(lw_http_call_pending(a.call), 0);
    assert_int_equal(lw_http_call_send(a.call, lw_bytes_static(LW_STR("0123456789abcdefg")), false),
                     LW_OK);
    world_expect(&w, fd, "11\r\n0123456789abcdefg\r\n");
    assert_int_equal(lw_http_call_send(a.call, lw_bytes_static(LW_STR("")), true), LW_OK);
    world_expect(&w, fd, "0\r\n\r\n");
    assert_int_equal(lw_http_call_send(a.call, lw_bytes_static(LW_STR("x")), false),
                     LW_ERR_STOPPED);
    world_reply(&w, fd, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    world_until(&w, &a.closes, 1);
    assert_answer(&a, 200, "ok");
    answer_done(&a);
    close(fd);
    world_close(&w);
}

static void a_reply_before_the_end_of_the_body_ends_the_call(void **state)
{
    (void)state;
    world w;
    answer a = { 0 };
    world_open(&w);
    lw_http_call_options options = { .method = LW_STR("POST"),
                                     .path = LW_STR("/"),
                                     .is_body_streamed = true };
    assert_int_equal(answer_call(&a, &w, &options), LW_OK);
    int fd = world_accept(&w);
    world_skip_head(&w, fd);
    world_reply(&w, fd, "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n");
    world_until(&w, &a.closes, 1);
    assert_answer(&a, 413, "");
    /* The rest of the body would be read as the next request. */
    world_expect_end(&w, fd);
    answer_done(&a);
    close(fd);
    world_close(&w);
}

static void a_server_that_refuses_a_large_body_is_heard(void **state)
{
    (void)state;
    world w;
    answer a = { 0 };
    char *big = lw_alloc_zero(1, BIG);
    assert_non_null(big);
    world_open(&w);
    lw_http_call_options options = { .method = LW_STR("POST"),
                                     .path = LW_STR("/"),
                                     .body = { big, BIG, lw_free, big } };
    assert_int_equal(answer_call(&a, &w, &options), LW_OK);
    int fd = world_accept(&w);
    world_skip_head(&w, fd);
    world_reply(&w, fd, "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno");
    world_until(&w, &a.closes, 1);
    assert_answer(&a, 413, "no");
    answer_done(&a);
    close(fd);
    world_close(&w);
}

/* The server has closed, and that is noticed when the request is written, before its reply is
 * read. */
static void a_reply_is_read_after_the_request_could_not_be_written(void **state)
{
    (void)state;
    world w;
    answer a = { 0 };
    char *big = lw_alloc_zero(1, BIG);
    assert_non_null(big);
    world_open(&w);
    lw_http_call_options options = { .method = LW_STR("POST"),
                                     .path = LW_STR("/"),
                                     .body = { big, BIG, lw_free, big } };
    assert_int_equal(answer_call(&a, &w, &options), LW_OK);
    int fd = world_accept(&w);
    world_skip_head(&w, fd);
    assert_int_equal(shutdown(a.call->conn->io.fd, SHUT_WR), 0); /* as if it had been reset */
    world_settle(&w);
    assert_int_equal(a.closes, 0);
    world_reply(&w, fd, "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno");
    world_until(&w, &a.closes, 1);
    assert_answer(&a, 413, "no");
    answer_done(&a);
    close(fd);
    world_close(&w);
}

static const lw_http_header upgrade[] = {
    { LW_STR_INIT("Connection"), LW_STR_INIT("Upgrade") },
    { LW_STR_INIT("Upgrade"), LW_STR_INIT("SPDY/3.1") },
};

static int open_upgrade(world *w, answer *a)
{
    lw_http_call_options options = { .method = LW_STR("POST"),
                                     .path = LW_STR("/exec"),
                                     .target.authority = "a",
                                     .headers = upgrade,
                                     .header_count = 2,
                                     .is_upgrade = true };
    assert_int_equal(answer_call(a, w, &options), LW_OK);
    assert_int_equal(lw_http_call_send(a->call, lw_bytes_static(LW_STR("x")), false),
                     LW_ERR_STOPPED);
    int fd = world_accept(w);
    world_expect(w, fd,
                 "POST /exec HTTP/1.1\r\nhost: a\r\nconnection: Upgrade\r\nupgrade: SPDY/3.1\r\n"
                 "content-length: 0\r\n\r\n");
    return fd;
}

static void an_upgraded_connection_carries_bytes_both_ways(void **state)
{
    (void)state;
    world w;
    answer a = { 0 };
    char c;
    world_open(&w);
    int fd = open_upgrade(&w, &a);
    world_reply(&w, fd,
                "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                "Upgrade: SPDY/3.1\r\n\r\nHTTP/1.1 is over");
    world_until(&w, &a.pieces, 1);
    assert_int_equal(a.status, 101);
    assert_str_equal(lw_buf_view(&a.body), "HTTP/1.1 is over");
    assert_int_equal(lw_http_call_send(a.call, lw_bytes_static(LW_STR("ping")), false), LW_OK);
    world_expect(&w, fd, "ping");
    world_until(&w, &a.drains, 1);
    world_reply(&w, fd, ", pong");
    world_until(&w, &a.pieces, 2);
    /* Our side ends, the server's goes on. */
    assert_int_equal(lw_http_call_send(a.call, lw_bytes_static(LW_STR("!")), true), LW_OK);
    world_expect(&w, fd, "!");
    world_settle(&w);
    assert_int_equal(recv(fd, &c, 1, 0), 0);
    assert_int_equal(a.closes, 0);
    world_reply(&w, fd, ", bye");
    close(fd);
    world_until(&w, &a.closes, 1);
    assert_answer(&a, 101, "HTTP/1.1 is over, pong, bye");
    answer_done(&a);
    world_close(&w);
}

static void a_refused_upgrade_is_an_ordinary_reply(void **state)
{
    (void)state;
    world w;
    answer a = { 0 };
    world_open(&w);
    int fd = open_upgrade(&w, &a);
    world_reply(&w, fd, "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno");
    world_until(&w, &a.closes, 1);
    assert_answer(&a, 403, "no");
    answer_done(&a);
    close(fd);
    world_close(&w);
}

/* Sends until the socket accepts nothing more, or everything. */
static size_t send_some(world *w, int fd, const char *bytes, size_t len)
{
    size_t total = 0;
    for (int silent = 0; total < len && silent < 20;) {
        ssize_t sent = send(fd, bytes + total, len - total, MSG_NOSIGNAL);
        if (sent > 0)
            total += (size_t)sent;
        silent = sent > 0 ? 0 : silent + 1;
        world_turn(w);
    }
    return total;
}

static void a_paused_call_receives_no_more_than_a_buffer(void **state)
{
    (void)state;
    world w;
    answer a = { 0 };
    char head[64];
    char *big = lw_alloc_zero(1, BIG);
    assert_non_null(big);
    world_open(&w);
    answer_get(&a, &w, "/");
    int fd = world_accept(&w);
    world_skip_head(&w, fd);
    lw_http_call_set_paused(a.call, true);
    world_settle(&w);
    int len = snprintf(head, sizeof(head), "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", BIG);
    assert_int_equal(send(fd, head, (size_t)len, MSG_NOSIGNAL), len);
    size_t sent = send_some(&w, fd, big, BIG);
    assert_true(sent < BIG);
    assert_true(a.body.len <= 64 * 1024);
    lw_http_call_set_paused(a.call, false);
    while (sent < BIG)
        sent += send_some(&w, fd, big + sent, BIG - sent);
    world_until(&w, &a.closes, 1);
    assert_int_equal(a.err.code, LW_OK);
    assert_int_equal(a.body.len, BIG);
    lw_free(big);
    answer_done(&a);
    close(fd);
    world_close(&w);
}

static void a_paused_call_hears_that_the_connection_is_lost(void **state)
{
    (void)state;
    world w;
    answer a = { 0 };
    const struct linger reset = { .l_onoff = 1 };
    world_open(&w);
    answer_get(&a, &w, "/");
    int fd = world_accept(&w);
    world_skip_head(&w, fd);
    lw_http_call_set_paused(a.call, true);
    world_settle(&w);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)), 0);
    close(fd);
    world_until(&w, &a.closes, 1);
    assert_int_equal(a.err.code, LW_ERR_UNAVAILABLE);
    answer_done(&a);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sends_pieces_as_chunks),
        TEST(a_reply_before_the_end_of_the_body_ends_the_call),
        TEST(a_server_that_refuses_a_large_body_is_heard),
        TEST(a_reply_is_read_after_the_request_could_not_be_written),
        TEST(an_upgraded_connection_carries_bytes_both_ways),
        TEST(a_refused_upgrade_is_an_ordinary_reply),
        TEST(a_paused_call_receives_no_more_than_a_buffer),
        TEST(a_paused_call_hears_that_the_connection_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
