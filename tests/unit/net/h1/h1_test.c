/* SPDX-License-Identifier: Apache-2.0 */
/* h1_test.c -- HTTP/1.1 on the wire: replies, pipelines, keep-alive, refusals. */
#include <sys/socket.h>
#include <unistd.h>

#include "base/str.h"
#include "net/conn.h"
#include "support/http_site.h"
#include "unit/test.h"

#define OK_HEAD   "HTTP/1.1 200 OK\r\n" SITE_DATE
#define HELLO     OK_HEAD "Content-Length: 6\r\n\r\nhello\n"
#define HOST      "Host: a\r\n"
#define GET(path) "GET " path " HTTP/1.1\r\n" HOST "\r\n"
#define THREE     "4\r\none\n\r\n4\r\ntwo\n\r\n6\r\nthree\n\r\n0\r\n\r\n"

static http_site site;

static int set_up(void **state)
{
    (void)state;
    site_open(&site, NULL, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    site_close(&site);
    return 0;
}

/* Sends |request| on a connection of its own; the answer is |reply| and nothing more until
 * something else is sent. */
static void assert_reply(const char *request, const char *reply)
{
    int fd = site_connect(&site);
    site_send(&site, fd, lw_str_of(request));
    site_expect(&site, fd, reply);
    close(fd);
}

/* ... and then the server closes. */
static void assert_last_reply(const char *request, const char *reply)
{
    int fd = site_connect(&site);
    site_send(&site, fd, lw_str_of(request));
    site_expect(&site, fd, reply);
    site_expect_end(&site, fd);
    close(fd);
}

static void a_whole_reply_has_its_length(void **state)
{
    (void)state;
    assert_reply(GET("/hello"), HELLO);
    assert_reply("POST /echo HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\nabc",
                 OK_HEAD "Content-Length: 3\r\n\r\nabc");
    assert_reply("POST /echo HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"
                 "2\r\nab\r\n1;x\r\nc\r\n0\r\nt: u\r\n\r\n",
                 OK_HEAD "Content-Length: 3\r\n\r\nabc");
}

static void a_reply_in_pieces_comes_in_chunks(void **state)
{
    (void)state;
    assert_reply(GET("/stream"), OK_HEAD "Transfer-Encoding: chunked\r\n\r\n" THREE);
}

static void head_gets_no_body(void **state)
{
    (void)state;
    assert_reply("HEAD /hello HTTP/1.1\r\n" HOST "\r\n" GET("/hello"),
                 OK_HEAD "Content-Length: 6\r\n\r\n" HELLO);
    assert_reply("HEAD /stream HTTP/1.1\r\n" HOST "\r\n" GET("/hello"),
                 OK_HEAD "Transfer-Encoding: chunked\r\n\r\n" HELLO);
}

static void the_connection_goes_on_unless_somebody_closes_it(void **state)
{
    (void)state;
    int fd = site_connect(&site);
    for (int i = 0; i < 3; i++) {
        site_send(&site, fd, LW_STR(GET("/hello")));
        site_expect(&site, fd, HELLO);
    }
    site_send(&site, fd, LW_STR("GET /hello HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n"));
    site_expect(&site, fd, OK_HEAD "Content-Length: 6\r\nConnection: close\r\n\r\nhello\n");
    site_expect_end(&site, fd);
    close(fd);
    site_wait_connections(&site, 0);
    assert_int_equal(site.closed, 4);
    assert_int_equal(site_stats(&site).streams_open, 0);
}

static void http_1_0_is_served_without_chunks(void **state)
{
    (void)state;
    assert_last_reply("GET /hello HTTP/1.0\r\n\r\n",
                      OK_HEAD "Content-Length: 6\r\nConnection: close\r\n\r\nhello\n");
    assert_last_reply("GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
                      OK_HEAD "Connection: close\r\n\r\none\ntwo\nthree\n");
    assert_reply("GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" GET("/hello"),
                 OK_HEAD "Content-Length: 6\r\nConnection: keep-alive\r\n\r\nhello\n" HELLO);
}

static void pipelined_replies_come_in_order(void **state)
{
    (void)state;
    int fd = site_connect(&site);
    site_send(&site, fd,
              LW_STR(GET("/hello") GET("/later1") "POST /echo HTTP/1.1\r\n" HOST
                                                  "Content-Length: 1\r\n\r\nx" GET("/stream")
                                                      GET("/later2") GET("/hello")));
    site_wait(&site, &site.requests, 2);
    site_expect(&site, fd, HELLO);
    site_expect_silence(&site, fd);
    assert_int_equal(site.requests, 2); /* the third waits for the second's reply */
    site_answer(&site, 0, "first");
    site_expect(&site, fd,
                OK_HEAD "Content-Length: 5\r\n\r\nfirst" OK_HEAD
                        "Content-Length: 1\r\n\r\nx" OK_HEAD
                        "Transfer-Encoding: chunked\r\n\r\n" THREE);
    site_wait(&site, &site.requests, 5);
    site_answer(&site, 1, "second");
    site_expect(&site, fd, OK_HEAD "Content-Length: 6\r\n\r\nsecond" HELLO);
    close(fd);
}

static void a_long_pipeline_is_answered_in_full(void **state)
{
    (void)state;
    enum {
        COUNT = 500
    };
    int fd = site_connect(&site);
    for (int i = 0; i < COUNT; i++)
        site_send(&site, fd, LW_STR(GET("/hello")));
    for (int i = 0; i < COUNT; i++)
        site_expect(&site, fd, HELLO);
    assert_int_equal(site.requests, COUNT);
    close(fd);
}

static void a_few_requests_of_a_pipeline_are_served_in_one_batch(void **state)
{
    (void)state;
    enum {
        COUNT = 100
    };
    lw_buf all;
    lw_buf_init(&all, 1 << 20);
    for (int i = 0; i < COUNT; i++)
        lw_buf_append_text(&all, GET("/hello"));
    int fd = site_connect(&site);
    assert_int_equal(send(fd, all.data, all.len, MSG_NOSIGNAL), all.len);
    lw_buf_done(&all);
    unsigned most = 0;
    for (unsigned before = 0; site.requests < COUNT; before = site.requests) {
        site_turn(&site);
        if (site.requests - before > most)
            most = site.requests - before;
    }
    assert_int_equal(most, LW_CONN_TURN_REQUESTS);
    for (int i = 0; i < COUNT; i++)
        site_expect(&site, fd, HELLO);
    close(fd);
}

static void a_pipeline_is_answered_in_full_after_the_client_has_shut_down_its_side(void **state)
{
    (void)state;
    enum {
        COUNT = 100
    };
    int fd = site_connect(&site);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(send(fd, GET("/hello"), strlen(GET("/hello")), MSG_NOSIGNAL),
                         strlen(GET("/hello")));
    assert_int_equal(shutdown(fd, SHUT_WR), 0);
    for (int i = 0; i < COUNT; i++)
        site_expect(&site, fd, HELLO);
    close(fd);
}

static void what_is_read_ahead_of_a_reply_is_bounded(void **state)
{
    (void)state;
    int fd = site_connect(&site);
    site_send(&site, fd, LW_STR(GET("/later")));
    site_wait(&site, &site.requests, 1);
    static const char filling[4096] = "GET /hello HTTP/1.1\r\nHost: a\r\nx: ";
    uint64_t before;
    do {
        before = site_stats(&site).bytes_in;
        for (int i = 0; i < 64; i++)
            (void)send(fd, filling, sizeof(filling), MSG_DONTWAIT | MSG_NOSIGNAL);
        for (int i = 0; i < 4; i++)
            site_turn(&site);
    } while (site_stats(&site).bytes_in > before);
    assert_in_range(before, LW_HTTP_AHEAD_MAX, LW_HTTP_AHEAD_MAX + 2 * 64 * 1024);
    close(fd);
}

static void one_hundred_continue_comes_only_when_the_head_was_accepted(void **state)
{
    (void)state;
    int fd = site_connect(&site);
    site_send(&site, fd,
              LW_STR("POST /echo HTTP/1.1\r\n" HOST
                     "Content-Length: 3\r\nExpect: 100-continue\r\n\r\n"));
    site_expect(&site, fd, "HTTP/1.1 100 Continue\r\n\r\n");
    site_send(&site, fd, LW_STR("abc"));
    site_expect(&site, fd, OK_HEAD "Content-Length: 3\r\n\r\nabc");
    close(fd);
    assert_last_reply("POST /denied HTTP/1.1\r\n" HOST
                      "Content-Length: 3\r\nExpect: 100-continue\r\n\r\n",
                      "HTTP/1.1 401 Unauthorized\r\n" SITE_DATE
                      "Content-Length: 7\r\nConnection: close\r\n\r\ndenied\n");
    assert_last_reply("POST /echo HTTP/1.1\r\n" HOST "Content-Length: 3\r\nExpect: magic\r\n\r\n",
                      "HTTP/1.1 417 Expectation Failed\r\n"
                      "Content-Type: text/plain; charset=utf-8\r\n" SITE_DATE
                      "Content-Length: 58\r\nConnection: close\r\n\r\n"
                      "unsupported Expect header: only 100-continue is supported\n");
}

static void a_reply_to_the_head_alone_spares_the_body(void **state)
{
    (void)state;
    assert_reply(GET("/denied") GET("/hello"),
                 "HTTP/1.1 401 Unauthorized\r\n" SITE_DATE "Content-Length: 7\r\n\r\n"
                 "denied\n" HELLO);
    assert_int_equal(site.requests, 1);
    assert_last_reply("POST /denied HTTP/1.1\r\n" HOST "Content-Length: 9\r\n\r\nGET / HTT",
                      "HTTP/1.1 401 Unauthorized\r\n" SITE_DATE
                      "Content-Length: 7\r\nConnection: close\r\n\r\ndenied\n");
    assert_int_equal(site.requests, 1);
}

#define TOO_LARGE                                                                                  \
    "HTTP/1.1 413 Request Entity Too Large\r\nContent-Type: text/plain; "                          \
    "charset=utf-8\r\n" SITE_DATE                                                                  \
    "Content-Length: 22\r\nConnection: close\r\n\r\nthe body is too large\n"

static void too_large_a_body_is_refused(void **state)
{
    (void)state;
    assert_reply("POST /small HTTP/1.1\r\n" HOST "Content-Length: 10\r\n\r\n0123456789", HELLO);
    assert_last_reply("POST /small HTTP/1.1\r\n" HOST "Content-Length: 11\r\n\r\n", TOO_LARGE);
    assert_last_reply("POST /small HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"
                      "5\r\n01234\r\n6\r\n012345\r\n0\r\n\r\n",
                      TOO_LARGE);
    assert_last_reply("POST /refusing HTTP/1.1\r\n" HOST "Content-Length: 11\r\n\r\n",
                      "HTTP/1.1 413 Request Entity Too Large\r\n" SITE_DATE
                      "Content-Length: 9\r\nConnection: close\r\n\r\ntoo much\n");
    assert_int_equal(site.requests, 1);
}

static void a_client_that_sends_too_much_gets_to_read_why(void **state)
{
    (void)state;
    static char filling[256 * 1024];
    int fd = site_connect(&site);
    site_send(&site, fd, LW_STR("POST /small HTTP/1.1\r\n" HOST "Content-Length: 1000000\r\n\r\n"));
    for (int i = 0; i < 3; i++)
        site_send(&site, fd, lw_str_make(filling, sizeof(filling)));
    site_expect(&site, fd, TOO_LARGE);
    close(fd);
}

static void what_is_malformed_is_answered_and_the_connection_closed(void **state)
{
    (void)state;
    assert_last_reply(GET("/hello") "GET / HTTP/1.1\nHost: a\r\n\r\n" GET("/hello"),
                      HELLO "HTTP/1.1 400 Bad Request\r\n"
                            "Content-Type: text/plain; charset=utf-8\r\n" SITE_DATE
                            "Content-Length: 40\r\nConnection: close\r\n\r\n"
                            "a line feed without its carriage return\n");
    assert_last_reply("POST /echo HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\nx\r\n",
                      "HTTP/1.1 400 Bad Request\r\n"
                      "Content-Type: text/plain; charset=utf-8\r\n" SITE_DATE
                      "Content-Length: 16\r\nConnection: close\r\n\r\nmalformed chunk\n");
    assert_int_equal(site.requests, 1);
    assert_int_equal(site_stats(&site).protocol_errors, 2);
}

static void nobody_waits_for_a_reply_that_cannot_come(void **state)
{
    (void)state;
    assert_last_reply(
        GET("/forget"),
        "HTTP/1.1 500 Internal Server Error\r\n"
        "Content-Type: text/plain; charset=utf-8\r\n" SITE_DATE
        "Content-Length: 28\r\nConnection: close\r\n\r\nthe request was not handled\n");
}

static void a_stream_that_is_aborted_looks_incomplete(void **state)
{
    (void)state;
    int fd = site_connect(&site);
    site_send(&site, fd, LW_STR(GET("/later")));
    site_wait(&site, &site.requests, 1);
    site_begin(&site, 0);
    assert_int_equal(site_write(&site, 0, "part"), LW_OK);
    lw_http_abort(site.kept[0]);
    site_expect(&site, fd, OK_HEAD "Transfer-Encoding: chunked\r\n\r\n4\r\npart\r\n");
    site_expect_end(&site, fd);
    close(fd);
    site_wait(&site, &site.closed, 1);
    assert_int_equal(site_write(&site, 0, "more"), LW_ERR_STOPPED);
}

static void a_client_that_leaves_closes_its_stream(void **state)
{
    (void)state;
    int fd = site_connect(&site);
    site_send(&site, fd, LW_STR(GET("/later")));
    site_wait(&site, &site.requests, 1);
    site_begin(&site, 0);
    site_turn(&site);
    close(fd);
    site_wait(&site, &site.closed, 1);
    assert_true(site.kept[0]->is_closed);
    assert_int_equal(site_write(&site, 0, "more"), LW_ERR_STOPPED);
    assert_int_equal(lw_http_pending(site.kept[0]), 0);
    lw_http_end(site.kept[0]);
    assert_str_equal(site.kept[0]->request.path, "/later");
    assert_false(site.kept[0]->request.peer->is_verified);
}

static void a_client_that_shuts_its_side_still_gets_whole_replies(void **state)
{
    (void)state;
    int fd = site_connect(&site);
    site_send(&site, fd, LW_STR(GET("/later") GET("/hello")));
    assert_int_equal(shutdown(fd, SHUT_WR), 0);
    site_wait(&site, &site.requests, 1);
    site_expect_silence(&site, fd);
    site_answer(&site, 0, "x");
    site_expect(&site, fd, OK_HEAD "Content-Length: 1\r\n\r\nx" HELLO);
    site_expect_end(&site, fd);
    close(fd);
}

static void headers_of_a_reply_cannot_be_broken_by_their_values(void **state)
{
    (void)state;
    static const lw_http_header header = { LW_STR_INIT("X"), LW_STR_INIT("a\r\nSet-Cookie: b") };
    lw_http_reply reply = { 204, &header, 1 };
    int fd = site_connect(&site);
    site_send(&site, fd, LW_STR(GET("/later") GET("/hello")));
    site_wait(&site, &site.requests, 1);
    assert_int_equal(lw_http_reply_whole(site.kept[0], &reply, lw_bytes_static(LW_STR(""))), LW_OK);
    site_expect(&site, fd,
                "HTTP/1.1 204 No Content\r\nX: a  Set-Cookie: b\r\n" SITE_DATE "\r\n" HELLO);
    close(fd);
}

#define H1_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        H1_TEST(a_whole_reply_has_its_length),
        H1_TEST(a_reply_in_pieces_comes_in_chunks),
        H1_TEST(head_gets_no_body),
        H1_TEST(the_connection_goes_on_unless_somebody_closes_it),
        H1_TEST(http_1_0_is_served_without_chunks),
        H1_TEST(pipelined_replies_come_in_order),
        H1_TEST(a_long_pipeline_is_answered_in_full),
        H1_TEST(a_few_requests_of_a_pipeline_are_served_in_one_batch),
        H1_TEST(a_pipeline_is_answered_in_full_after_the_client_has_shut_down_its_side),
        H1_TEST(what_is_read_ahead_of_a_reply_is_bounded),
        H1_TEST(one_hundred_continue_comes_only_when_the_head_was_accepted),
        H1_TEST(a_reply_to_the_head_alone_spares_the_body),
        H1_TEST(too_large_a_body_is_refused),
        H1_TEST(a_client_that_sends_too_much_gets_to_read_why),
        H1_TEST(what_is_malformed_is_answered_and_the_connection_closed),
        H1_TEST(nobody_waits_for_a_reply_that_cannot_come),
        H1_TEST(a_stream_that_is_aborted_looks_incomplete),
        H1_TEST(a_client_that_leaves_closes_its_stream),
        H1_TEST(a_client_that_shuts_its_side_still_gets_whole_replies),
        H1_TEST(headers_of_a_reply_cannot_be_broken_by_their_values),
    };
    return cmocka_run_group_tests_name("h1", tests, NULL, NULL);
}
