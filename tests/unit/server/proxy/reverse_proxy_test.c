/* SPDX-License-Identifier: Apache-2.0 */
/* reverse_proxy_test.c -- requests that are forwarded to a target, which the test plays byte by
 * byte, and the replies. */
#include "server/proxy/reverse_proxy.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "support/http_site.h"
#include "unit/test.h"

static http_site site;
static lw_reverse_proxy *proxy;
static int listener;
static uint16_t target_port;
static char authority[32];

static int set_up(void **state)
{
    struct sockaddr_in address = { .sin_family = AF_INET };
    socklen_t len = sizeof(address);
    (void)state;
    site_open(&site, NULL, NULL);
    assert_int_equal(lw_reverse_proxy_new(&proxy, &site.loop, 1), LW_OK);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    assert_true(listener >= 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, len), 0);
    assert_int_equal(listen(listener, 16), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
    target_port = ntohs(address.sin_port);
    (void)snprintf(authority, sizeof(authority), "127.0.0.1:%u", target_port);
    return 0;
}

/* As a server does it: connections first, then the proxy, then the loop. */
static int tear_down(void **state)
{
    (void)state;
    lw_http_server_free(site.server);
    site.server = NULL;
    lw_reverse_proxy_free(proxy);
    site_close(&site);
    close(listener);
    return 0;
}

static int accept_call(void)
{
    int64_t until = lw_clock_now(lw_clock_system()) + 10 * LW_NS_PER_S;
    for (;;) {
        int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd >= 0)
            return fd;
        if (lw_clock_now(lw_clock_system()) > until)
            fail_msg("the target was not called");
        site_turn(&site);
    }
}

static lw_proxy_request plain_request(void)
{
    return (lw_proxy_request){ .target = { .host = "127.0.0.1", .port = target_port } };
}

/* Sends |text| to the server, whose handler forwards it; returns the client. */
static int ask(const char *text, const lw_proxy_request *request)
{
    unsigned before = site.requests;
    int fd = site_connect(&site);
    site_send(&site, fd, lw_str_of(text));
    site_wait(&site, &site.requests, before + 1);
    lw_reverse_proxy_forward(proxy, site.kept[site.kept_count - 1], request);
    return fd;
}

static void expect_request(int fd, const char *first, const char *rest)
{
    char text[2048];
    (void)snprintf(text, sizeof(text), "%s\r\nhost: %s\r\n%s", first, authority, rest);
    site_expect(&site, fd, text);
}

static void the_request_is_forwarded_and_a_short_reply_has_its_length(void **state)
{
    (void)state;
    const lw_http_header set = { LW_STR("Authorization"), LW_STR("Bearer mine") };
    lw_proxy_request request = plain_request();
    request.headers = &set;
    request.header_count = 1;
    int client =
        ask("POST /later/a?x=1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer yours\r\n"
            "Keep-Alive: 3\r\nConnection: X-Hop\r\nX-Hop: 1\r\nX-Forwarded-For: 10.0.0.1\r\n"
            "Accept: application/json\r\nContent-Length: 4\r\n\r\nbody",
            &request);
    int target = accept_call();
    expect_request(target, "POST /later/a?x=1 HTTP/1.1",
                   "accept: application/json\r\nauthorization: Bearer mine\r\n"
                   "x-forwarded-for: 10.0.0.1, 127.0.0.1\r\ncontent-length: 4\r\n\r\nbody");
    site_send(&site, target,
              LW_STR("HTTP/1.1 201 Created\r\nContent-Type: text/plain\r\nDate: then\r\n"
                     "Keep-Alive: 5\r\nContent-Length: 3\r\n\r\nyes"));
    site_expect(&site, client,
                "HTTP/1.1 201 Created\r\nContent-Type: text/plain\r\n" SITE_DATE
                "Content-Length: 3\r\n\r\nyes");
    close(target);
    close(client);
}

static void a_reply_of_unknown_length_is_passed_on_as_it_arrives(void **state)
{
    (void)state;
    const lw_proxy_request request = plain_request();
    int client = ask("GET /later HTTP/1.1\r\nHost: a\r\n\r\n", &request);
    int target = accept_call();
    expect_request(target, "GET /later HTTP/1.1", "x-forwarded-for: 127.0.0.1\r\n\r\n");
    site_send(&site, target,
              LW_STR("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\none\n\r\n"));
    site_expect(&site, client,
                "HTTP/1.1 200 OK\r\n" SITE_DATE "Transfer-Encoding: chunked\r\n\r\n4\r\none\n\r\n");
    site_send(&site, target, LW_STR("4\r\ntwo\n\r\n0\r\n\r\n"));
    site_expect(&site, client, "4\r\ntwo\n\r\n0\r\n\r\n");
    close(target);
    close(client);
}

static void a_reply_that_is_cut_does_not_look_complete(void **state)
{
    (void)state;
    const lw_proxy_request request = plain_request();
    int client = ask("GET /later HTTP/1.1\r\nHost: a\r\n\r\n", &request);
    int target = accept_call();
    site_send(&site, target,
              LW_STR("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\none\n\r\n"));
    site_expect(&site, client,
                "HTTP/1.1 200 OK\r\n" SITE_DATE "Transfer-Encoding: chunked\r\n\r\n4\r\none\n\r\n");
    close(target);
    site_expect_end(&site, client);
    close(client);
}

/* Asks with these headers while the target is away; the reply. */
static void ask_nobody(lw_buf *got, const char *headers, const lw_proxy_request *request)
{
    char text[512];
    (void)snprintf(text, sizeof(text), "GET /later HTTP/1.1\r\nHost: a\r\n%s\r\n", headers);
    close(listener);
    int client = ask(text, request);
    lw_buf_init(got, 8192);
    site_receive_all(&site, client, got);
    lw_buf_append_char(got, '\0');
    close(client);
    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static void a_target_that_is_away_is_a_status_503(void **state)
{
    (void)state;
    const lw_proxy_request request = plain_request();
    lw_buf got;
    ask_nobody(&got, "Connection: close\r\n", &request);
    assert_non_null(strstr(got.data, "HTTP/1.1 503 Service Unavailable\r\n"));
    assert_non_null(strstr(got.data, "\"kind\":\"Status\""));
    assert_non_null(strstr(got.data, "\"reason\":\"ServiceUnavailable\""));
    assert_non_null(strstr(got.data, "\"message\":\"error trying to reach service: "));
    assert_null(strstr(got.data, "Retry-After"));
    lw_buf_done(&got);
}

static void the_words_and_the_status_of_an_absence_can_be_chosen(void **state)
{
    (void)state;
    lw_proxy_request request = plain_request();
    request.failure = "the upstream is away";
    request.failure_code = 500;
    request.may_retry = true;
    lw_buf got;
    ask_nobody(&got, "Connection: close\r\n", &request);
    assert_non_null(strstr(got.data, "HTTP/1.1 500 Internal Server Error\r\n"));
    assert_non_null(strstr(got.data, "\"message\":\"the upstream is away: "));
    assert_null(strstr(got.data, "\"reason\""));
    assert_non_null(strstr(got.data, "Retry-After: 1\r\n"));
    lw_buf_done(&got);
}

static void an_upgrade_to_a_target_that_is_away_is_a_status_500(void **state)
{
    (void)state;
    const lw_proxy_request request = plain_request();
    lw_buf got;
    ask_nobody(&got,
               "Upgrade: websocket\r\nConnection: Upgrade, close\r\n"
               "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n",
               &request);
    assert_non_null(strstr(got.data, "HTTP/1.1 500 Internal Server Error\r\n"));
    assert_non_null(strstr(got.data, "\"message\":\"error dialing backend: "));
    assert_null(strstr(got.data, "\"reason\""));
    lw_buf_done(&got);
}

static void a_target_that_does_not_answer_in_time_is_a_status_504(void **state)
{
    (void)state;
    lw_proxy_request request = plain_request();
    request.timeout_ns = 5 * LW_NS_PER_S;
    int client = ask("GET /later HTTP/1.1\r\nHost: a\r\n\r\n", &request);
    int target = accept_call();
    expect_request(target, "GET /later HTTP/1.1", "x-forwarded-for: 127.0.0.1\r\n\r\n");
    site_pass(&site, 6);
    site_expect(&site, client, "HTTP/1.1 504 Gateway Timeout\r\n");
    close(target);
    close(client);
}

static void a_client_that_leaves_ends_the_call(void **state)
{
    (void)state;
    const lw_proxy_request request = plain_request();
    int client = ask("GET /later HTTP/1.1\r\nHost: a\r\n\r\n", &request);
    int target = accept_call();
    expect_request(target, "GET /later HTTP/1.1", "x-forwarded-for: 127.0.0.1\r\n\r\n");
    site_send(&site, target, LW_STR("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"));
    site_expect(&site, client, "HTTP/1.1 200 OK\r\n");
    close(client);
    site_expect_end(&site, target);
    close(target);
}

static void an_upgrade_is_a_tunnel_for_both_sides(void **state)
{
    (void)state;
    const lw_proxy_request request = plain_request();
    int client = ask("POST /later/exec HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\n"
                     "Upgrade: SPDY/3.1\r\nContent-Length: 0\r\n\r\n",
                     &request);
    int target = accept_call();
    expect_request(target, "POST /later/exec HTTP/1.1",
                   "connection: Upgrade\r\nupgrade: SPDY/3.1\r\n"
                   "x-forwarded-for: 127.0.0.1\r\ncontent-length: 0\r\n\r\n");
    site_send(&site, target,
              LW_STR("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                     "Upgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4\r\n\r\nhello"));
    site_expect(&site, client,
                "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                "Upgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4\r\n\r\nhello");
    site_send(&site, client, LW_STR("\x01\x02 to the target"));
    site_expect(&site, target, "\x01\x02 to the target");
    site_send(&site, target, LW_STR("and back"));
    site_expect(&site, client, "and back");
    close(target);
    site_expect_end(&site, client);
    close(client);
}

static void a_client_that_closes_a_tunnel_closes_the_target(void **state)
{
    (void)state;
    const lw_proxy_request request = plain_request();
    int client = ask("GET /later HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n",
                     &request);
    int target = accept_call();
    expect_request(target, "GET /later HTTP/1.1",
                   "connection: Upgrade\r\nupgrade: x\r\nx-forwarded-for: 127.0.0.1\r\n\r\n");
    site_send(&site, target,
              LW_STR(
                  "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"));
    site_expect(&site, client, "HTTP/1.1 101 Switching Protocols\r\n");
    close(client);
    site_expect_end(&site, target);
    close(target);
}

static void a_refused_upgrade_is_an_ordinary_reply(void **state)
{
    (void)state;
    const lw_proxy_request request = plain_request();
    int client =
        ask("GET /later HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
            &request);
    int target = accept_call();
    site_send(&site, target,
              LW_STR("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                     "2\r\nno\r\n0\r\n\r\n"));
    site_expect(&site, client,
                "HTTP/1.1 200 OK\r\n" SITE_DATE
                "Transfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n");
    close(target);
    close(client);
}

/* Sends as much as goes; returns how much that is. */
static size_t pump(int fd, const char *bytes, size_t len)
{
    size_t sent = 0;
    for (int idle = 0; idle < 20;) {
        ssize_t n = send(fd, bytes, len, MSG_DONTWAIT | MSG_NOSIGNAL);
        idle = n > 0 ? 0 : idle + 1;
        sent += n > 0 ? (size_t)n : 0;
        assert_true(sent < 64 << 20);
        site_turn(&site);
    }
    return sent;
}

static void a_client_that_does_not_read_stops_the_target(void **state)
{
    (void)state;
    static char page[32768];
    const lw_proxy_request request = plain_request();
    int client = ask("GET /later HTTP/1.1\r\nHost: a\r\n\r\n", &request);
    int target = accept_call();
    memset(page, 'x', sizeof(page));
    expect_request(target, "GET /later HTTP/1.1", "x-forwarded-for: 127.0.0.1\r\n\r\n");
    site_send(&site, target, LW_STR("HTTP/1.1 200 OK\r\n\r\n"));
    size_t sent = pump(target, page, sizeof(page));
    assert_in_range(lw_http_pending(site.kept[0]), LW_HTTP_QUEUE_LOW, 2 * LW_HTTP_QUEUE_HIGH);
    close(target); /* the end of the body */
    char piece[65536];
    for (size_t len = 0; len < sent;) {
        ssize_t n = recv(client, piece, sizeof(piece), MSG_DONTWAIT);
        assert_true(n > 0 || (n < 0 && errno == EAGAIN));
        for (ssize_t i = 0; i < n; i++)
            len += piece[i] == 'x';
        site_turn(&site);
    }
    close(client);
}

static void a_target_that_does_not_read_stops_the_client_of_a_tunnel(void **state)
{
    (void)state;
    static char page[32768];
    const lw_proxy_request request = plain_request();
    int client = ask("GET /later HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n",
                     &request);
    int target = accept_call();
    expect_request(target, "GET /later HTTP/1.1",
                   "connection: Upgrade\r\nupgrade: x\r\nx-forwarded-for: 127.0.0.1\r\n\r\n");
    site_send(&site, target,
              LW_STR(
                  "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"));
    site_expect(&site, client,
                "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                "Upgrade: x\r\n\r\n");
    size_t sent = pump(client, page, sizeof(page));
    for (size_t len = 0; len < sent;) {
        static char piece[65536];
        ssize_t n = recv(target, piece, sizeof(piece), MSG_DONTWAIT);
        assert_true(n > 0 || (n < 0 && errno == EAGAIN));
        len += n > 0 ? (size_t)n : 0;
        site_turn(&site);
    }
    close(client);
    close(target);
}

static void draining_ends_watches_and_lets_others_finish(void **state)
{
    (void)state;
    lw_proxy_request request = plain_request();
    int list = ask("GET /later/list HTTP/1.1\r\nHost: a\r\n\r\n", &request);
    int list_target = accept_call();
    request.is_long_running = true;
    int watch = ask("GET /later/watch HTTP/1.1\r\nHost: a\r\n\r\n", &request);
    int watch_target = accept_call();
    site_send(&site, watch_target,
              LW_STR("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\none\n\r\n"));
    site_expect(&site, watch,
                "HTTP/1.1 200 OK\r\n" SITE_DATE "Transfer-Encoding: chunked\r\n\r\n4\r\none\n\r\n");
    lw_reverse_proxy_drain(proxy);
    site_expect(&site, watch, "0\r\n\r\n");
    int late = ask("GET /later/watch HTTP/1.1\r\nHost: a\r\n\r\n", &request);
    site_expect(&site, late, "HTTP/1.1 503 Service Unavailable\r\n");
    site_send(&site, list_target, LW_STR("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
    site_expect(&site, list, "HTTP/1.1 200 OK\r\n" SITE_DATE "Content-Length: 2\r\n\r\nok");
    close(list);
    close(list_target);
    close(watch);
    close(watch_target);
    close(late);
}

#define PROXY_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROXY_TEST(the_request_is_forwarded_and_a_short_reply_has_its_length),
        PROXY_TEST(a_reply_of_unknown_length_is_passed_on_as_it_arrives),
        PROXY_TEST(a_reply_that_is_cut_does_not_look_complete),
        PROXY_TEST(a_target_that_is_away_is_a_status_503),
        PROXY_TEST(the_words_and_the_status_of_an_absence_can_be_chosen),
        PROXY_TEST(an_upgrade_to_a_target_that_is_away_is_a_status_500),
        PROXY_TEST(a_target_that_does_not_answer_in_time_is_a_status_504),
        PROXY_TEST(a_client_that_leaves_ends_the_call),
        PROXY_TEST(an_upgrade_is_a_tunnel_for_both_sides),
        PROXY_TEST(a_client_that_closes_a_tunnel_closes_the_target),
        PROXY_TEST(a_refused_upgrade_is_an_ordinary_reply),
        PROXY_TEST(a_client_that_does_not_read_stops_the_target),
        PROXY_TEST(a_target_that_does_not_read_stops_the_client_of_a_tunnel),
        PROXY_TEST(draining_ends_watches_and_lets_others_finish),
    };
    return cmocka_run_group_tests_name("reverse_proxy", tests, NULL, NULL);
}
