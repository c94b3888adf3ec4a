/* SPDX-License-Identifier: Apache-2.0 */
/* conn_test.c -- the life of connections: time limits, slow readers, the cap, draining. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/str.h"
#include "net/conn.h"
#include "support/http_site.h"
#include "unit/failing_alloc.h"
#include "unit/test.h"

#define OK_HEAD   "HTTP/1.1 200 OK\r\n" SITE_DATE
#define HELLO     OK_HEAD "Content-Length: 6\r\n\r\nhello\n"
#define HOST      "Host: a\r\n"
#define GET(path) "GET " path " HTTP/1.1\r\n" HOST "\r\n"
#define CHUNKED   OK_HEAD "Transfer-Encoding: chunked\r\n\r\n"

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

#define TIMEOUT(date)                                                                              \
    "HTTP/1.1 408 Request Timeout\r\nContent-Type: text/plain; charset=utf-8\r\n"                  \
    "Date: Thu, 01 Jan 1970 00:00:" date " GMT\r\n"

static void a_head_that_takes_too_long_is_answered_408(void **state)
{
    (void)state;
    int fd = site_connect(&site);
    site_send(&site, fd, LW_STR("GET / HTTP/1.1\r\nHost:"));
    site_wait_connections(&site, 1);
    site_expect_silence(&site, fd);
    site_pass(&site, LW_HTTP_HEAD_TIMEOUT_S - 1);
    site_send(&site, fd, LW_STR(" a")); /* a byte now and then buys no time */
    site_expect_silence(&site, fd);
    site_pass(&site, 1);
    site_expect(&site, fd,
                TIMEOUT("32") "Content-Length: 38\r\nConnection: close\r\n\r\n"
                              "timed out reading the request headers\n");
    site_expect_end(&site, fd);
    close(fd);
    assert_int_equal(site_stats(&site).timeouts, 1);
}

static void a_body_that_takes_too_long_is_answered_408(void **state)
{
    (void)state;
    int fd = site_connect(&site);
    site_send(&site, fd, LW_STR("POST /echo HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\nab"));
    site_wait(&site, &site.heads, 1);
    site_pass(&site, LW_HTTP_BODY_TIMEOUT_S - 1);
    site_expect_silence(&site, fd);
    site_pass(&site, 1);
    site_expect(&site, fd,
                TIMEOUT("34") "Content-Length: 35\r\nConnection: close\r\n\r\n"
                              "timed out reading the request body\n");
    site_expect_end(&site, fd);
    close(fd);
    assert_int_equal(site.requests, 0);
    assert_int_equal(site.closed, 1);
}

static void an_idle_connection_is_closed_after_a_while(void **state)
{
    (void)state;
    int fd = site_connect(&site);
    site_send(&site, fd, LW_STR(GET("/hello")));
    site_expect(&site, fd, HELLO);
    site_pass(&site, LW_HTTP_IDLE_TIMEOUT_S - 1);
    site_expect_silence(&site, fd);
    site_pass(&site, 1);
    site_expect_end(&site, fd);
    close(fd);
    site_wait_connections(&site, 0);
}

static void a_stream_without_events_is_not_idle(void **state)
{
    (void)state;
    int fd = site_connect(&site);
    site_send(&site, fd, LW_STR(GET("/later")));
    site_wait(&site, &site.requests, 1);
    site_begin(&site, 0);
    site_expect(&site, fd, CHUNKED);
    for (int i = 0; i < 10; i++)
        site_pass(&site, 1000);
    assert_int_equal(site_write(&site, 0, "x"), LW_OK);
    site_expect(&site, fd, "1\r\nx\r\n");
    close(fd);
}

static void a_preface_that_never_ends_is_closed(void **state)
{
    (void)state;
    int fd = site_connect(&site);
    site_send(&site, fd, LW_STR("PRI * HT"));
    site_wait_connections(&site, 1);
    site_expect_silence(&site, fd);
    site_pass(&site, LW_HTTP_HEAD_TIMEOUT_S);
    site_expect_end(&site, fd);
    close(fd);
}

static char filling[64 * 1024];

static lw_status write_filling(size_t index)
{
    lw_bytes bytes = { filling, sizeof(filling), NULL, NULL };
    return lw_http_write(site.kept[index], &bytes, 1);
}

/* A stream whose client does not read, filled until its producer has to wait. */
static int open_stuffed_stream(void)
{
    int fd = site_connect(&site);
    site_send(&site, fd, LW_STR(GET("/later")));
    site_wait(&site, &site.requests, 1);
    site_begin(&site, 0);
    int rounds = 0;
    while (lw_http_pending(site.kept[0]) <= LW_HTTP_QUEUE_HIGH) {
        assert_int_equal(write_filling(0), LW_OK);
        site_turn(&site);
        assert_true(++rounds < 1000);
    }
    return fd;
}

static void a_slow_reader_disturbs_nobody_and_is_told_to_go_on(void **state)
{
    (void)state;
    int slow = open_stuffed_stream();
    int other = site_connect(&site);
    for (int i = 0; i < 10; i++) {
        site_send(&site, other, LW_STR(GET("/hello")));
        site_expect(&site, other, HELLO);
    }
    assert_int_equal(site.drained, 0);
    assert_in_range(lw_http_pending(site.kept[0]), LW_HTTP_QUEUE_HIGH, LW_HTTP_QUEUE_HIGH * 2);
    while (site.drained == 0) {
        char piece[16384];
        while (recv(slow, piece, sizeof(piece), MSG_DONTWAIT) > 0)
            ;
        site_turn(&site);
    }
    assert_in_range(lw_http_pending(site.kept[0]), 0, LW_HTTP_QUEUE_LOW);
    assert_int_equal(site.drained, 1);
    close(slow);
    close(other);
}

static void a_reader_that_stalls_is_cut_off(void **state)
{
    (void)state;
    int fd = open_stuffed_stream();
    site_pass(&site, LW_HTTP_STALL_TIMEOUT_S - 1);
    assert_int_equal(site.closed, 0);
    site_pass(&site, 1);
    site_wait(&site, &site.closed, 1);
    assert_int_equal(site_stats(&site).timeouts, 1);
    close(fd);
}

static void a_producer_that_does_not_wait_meets_a_wall(void **state)
{
    (void)state;
    int fd = open_stuffed_stream();
    size_t most = 0;
    lw_status st;
    while ((st = write_filling(0)) == LW_OK)
        most = lw_http_pending(site.kept[0]);
    assert_int_equal(st, LW_ERR_LIMIT);
    assert_in_range(most, LW_CONN_QUEUE_MAX - sizeof(filling),
                    LW_CONN_QUEUE_MAX + 2 * sizeof(filling));
    site_turn(&site);
    assert_int_equal(site.closed, 1);
    assert_int_equal(write_filling(0), LW_ERR_STOPPED);
    close(fd);
}

static void a_reply_larger_than_the_wall_is_sent_whole(void **state)
{
    (void)state;
    size_t len = LW_CONN_QUEUE_MAX * 2;
    char *large = calloc(1, len);
    int fd = site_connect(&site);
    assert_non_null(large);
    site_send(&site, fd, LW_STR(GET("/later")));
    site_wait(&site, &site.requests, 1);
    lw_http_reply reply = { .status = 200 };
    lw_bytes body = { large, len, free, large };
    assert_int_equal(lw_http_reply_whole(site.kept[0], &reply, body), LW_OK);
    site_expect(&site, fd, OK_HEAD "Content-Length: 33554432\r\n\r\n");
    for (size_t got = 0; got < len; got += sizeof(filling))
        site_receive(&site, fd, filling, sizeof(filling));
    site_wait(&site, &site.closed, 1);
    close(fd);
}

static void draining_closes_idle_connections_and_lets_streams_end(void **state)
{
    (void)state;
    int idle = site_connect(&site), fresh = site_connect(&site);
    int busy = site_connect(&site), streaming = site_connect(&site);
    site_send(&site, idle, LW_STR(GET("/hello")));
    site_expect(&site, idle, HELLO);
    site_send(&site, busy, LW_STR(GET("/later")));
    site_wait(&site, &site.requests, 2);
    site_send(&site, streaming, LW_STR(GET("/later")));
    site_wait(&site, &site.requests, 3);
    site_begin(&site, 1);
    site_expect(&site, streaming, CHUNKED);
    site_drain(&site);
    site_expect_end(&site, idle);
    site_expect_end(&site, fresh);
    close(idle);
    close(fresh);
    site_wait_connections(&site, 2);
    assert_false(site.is_drained);
    site_answer(&site, 0, "x");
    site_expect(&site, busy, OK_HEAD "Content-Length: 1\r\nConnection: close\r\n\r\nx");
    site_expect_end(&site, busy);
    close(busy);
    site_wait_connections(&site, 1);
    assert_int_equal(site_write(&site, 1, "y"), LW_OK);
    lw_http_end(site.kept[1]);
    site_expect(&site, streaming, "1\r\ny\r\n0\r\n\r\n");
    assert_false(site.is_drained);
    site_expect_end(&site, streaming);
    close(streaming);
    site_wait_connections(&site, 0);
    site_turn(&site);
    assert_true(site.is_drained);
}

static void a_server_without_connections_is_drained_at_once(void **state)
{
    (void)state;
    site_drain(&site);
    site_turn(&site);
    assert_true(site.is_drained);
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(site.port) };
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), -1);
    close(fd);
}

static void further_connections_wait_when_there_are_too_many(void **state)
{
    (void)state;
    static const lw_http_limits two = { .connections = 2 };
    site_close(&site);
    site_open(&site, &two, NULL);
    int first = site_connect(&site), second = site_connect(&site);
    /* Clients that have not authenticated would be closed. */
    site_send(&site, first, LW_STR(GET("/known")));
    site_send(&site, second, LW_STR(GET("/known")));
    site_wait(&site, &site.requests, 2);
    int third = site_connect(&site); /* the system takes it; the server does not yet */
    site_send(&site, third, LW_STR(GET("/hello")));
    site_expect_silence(&site, third);
    assert_int_equal(site_stats(&site).connections_open, 2);
    close(first);
    site_expect(&site, third, HELLO);
    assert_int_equal(site_stats(&site).connections_open, 2);
    assert_int_equal(site_stats(&site).connections_accepted, 3);
    close(second);
    close(third);
}

static void running_out_of_descriptors_does_not_spin(void **state)
{
    (void)state;
    struct rlimit before, none;
    int fd = site_connect(&site);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = 0; /* those that are open stay so */
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    for (int i = 0; i < 20; i++)
        site_turn(&site);
    lw_http_stats stats = site_stats(&site);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(stats.connections_accepted, 0);
    assert_int_equal(stats.connections_refused, 1);
    site_send(&site, fd, LW_STR(GET("/hello")));
    site_expect_silence(&site, fd);
    site_pass(&site, 1);
    site_expect(&site, fd, "HTTP/1.1 200 OK\r\nDate: Thu, 01 Jan 1970 00:00:01 GMT\r\n");
    close(fd);
}

static void an_idle_connection_is_small(void **state)
{
    (void)state;
    failing_alloc f;
    int fd = site_connect(&site);
    site_send(&site, fd, LW_STR(GET("/hello")));
    site_expect(&site, fd, HELLO);
    failing_alloc_begin(&f, SIZE_MAX);
    int other = site_connect(&site);
    site_wait_connections(&site, 2);
    site_send(&site, other, LW_STR(GET("/hello")));
    site_expect(&site, other, HELLO);
    site_expect_silence(&site, other);
    /* The connection, its protocol, its queue; the queue keeps its first eight slots. */
    assert_in_range(f.live, 2, 3);
    assert_in_range(f.largest, 1, 1024);
    failing_alloc_end();
    close(fd);
    close(other);
    site_wait_connections(&site, 0);
}

static void a_connection_that_finds_no_memory_is_closed(void **state)
{
    (void)state;
    for (size_t allowed = 0; allowed < 6; allowed++) {
        failing_alloc f;
        int fd = site_connect(&site);
        failing_alloc_begin(&f, allowed);
        (void)!send(fd, GET("/hello"), sizeof(GET("/hello")) - 1, MSG_NOSIGNAL);
        for (int i = 0; i < 5; i++)
            site_turn(&site);
        char piece[256];
        ssize_t got = recv(fd, piece, sizeof(piece), MSG_DONTWAIT);
        failing_alloc_end();
        /* Answered, or closed: never left hanging. */
        assert_true(got >= 0 || errno == ECONNRESET);
        close(fd);
        site_wait_connections(&site, 0);
    }
}

static void counts_what_it_did(void **state)
{
    (void)state;
    int fd = site_connect(&site);
    site_send(&site, fd, LW_STR(GET("/hello")));
    site_expect(&site, fd, HELLO);
    site_expect_silence(&site, fd);
    lw_http_stats stats = site_stats(&site);
    assert_int_equal(stats.connections_open, 1);
    assert_int_equal(stats.connections_accepted, 1);
    assert_int_equal(stats.requests, 1);
    assert_int_equal(stats.streams_open, 0);
    assert_int_equal(stats.bytes_in, sizeof(GET("/hello")) - 1);
    assert_int_equal(stats.bytes_out, sizeof(HELLO) - 1);
    close(fd);
}

static void refuses_addresses_it_cannot_listen_on(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    char taken[32];
    uint16_t port;
    (void)snprintf(taken, sizeof(taken), "127.0.0.1:%u", site.port);
    assert_int_equal(lw_http_server_listen(site.server, lw_str_of(taken), NULL, &port, &err),
                     LW_ERR_IO);
    assert_non_null(strstr(err.message, taken));
    assert_int_equal(lw_http_server_listen(site.server, LW_STR("nonsense"), NULL, &port, &err),
                     LW_ERR_INVALID);
    assert_int_equal(lw_http_server_listen(site.server, LW_STR("[::1]:0"), NULL, &port, &err),
                     LW_OK);
}

static void what_is_left_is_cut_when_the_server_is_freed(void **state)
{
    (void)state;
    int fd = site_connect(&site);
    site_send(&site, fd, LW_STR(GET("/later")));
    site_wait(&site, &site.requests, 1);
    site_begin(&site, 0);
    lw_http_server_free(site.server);
    site.server = NULL;
    assert_int_equal(site.closed, 1);
    assert_int_equal(site_write(&site, 0, "x"), LW_ERR_STOPPED);
    close(fd);
}

#define CONN_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONN_TEST(a_head_that_takes_too_long_is_answered_408),
        CONN_TEST(a_body_that_takes_too_long_is_answered_408),
        CONN_TEST(an_idle_connection_is_closed_after_a_while),
        CONN_TEST(a_stream_without_events_is_not_idle),
        CONN_TEST(a_preface_that_never_ends_is_closed),
        CONN_TEST(a_slow_reader_disturbs_nobody_and_is_told_to_go_on),
        CONN_TEST(a_reader_that_stalls_is_cut_off),
        CONN_TEST(a_producer_that_does_not_wait_meets_a_wall),
        CONN_TEST(a_reply_larger_than_the_wall_is_sent_whole),
        CONN_TEST(draining_closes_idle_connections_and_lets_streams_end),
        CONN_TEST(a_server_without_connections_is_drained_at_once),
        CONN_TEST(further_connections_wait_when_there_are_too_many),
        CONN_TEST(running_out_of_descriptors_does_not_spin),
        CONN_TEST(an_idle_connection_is_small),
        CONN_TEST(a_connection_that_finds_no_memory_is_closed),
        CONN_TEST(counts_what_it_did),
        CONN_TEST(refuses_addresses_it_cannot_listen_on),
        CONN_TEST(what_is_left_is_cut_when_the_server_is_freed),
    };
    return cmocka_run_group_tests_name("conn", tests, NULL, NULL);
}
