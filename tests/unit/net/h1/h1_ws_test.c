/* SPDX-License-Identifier: Apache-2.0 */
/* h1_ws_test.c -- the upgrade of an HTTP/1.1 connection to a WebSocket, on the wire. */
#include <sys/socket.h>
#include <unistd.h>

#include "base/str.h"
#include "support/http_site.h"
#include "unit/test.h"

/* The key and the answer of RFC 6455, 1.3. */
#define UPGRADE(more)                                                                              \
    "GET /later HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"              \
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n" more "\r\n"
#define UPGRADED(more)                                                                             \
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"            \
    "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n" more "\r\n"

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

/* A client whose upgrade the handler has in its hands. */
static int ask(const char *request)
{
    unsigned before = site.requests;
    int fd = site_connect(&site);
    site_send(&site, fd, lw_str_of(request));
    site_wait(&site, &site.requests, before + 1);
    return fd;
}

static void messages_are_text_frames_and_the_end_is_a_close(void **state)
{
    (void)state;
    int fd = ask(UPGRADE(""));
    assert_true(site.kept[0]->request.is_websocket);
    site_begin(&site, 0);
    site_expect(&site, fd, UPGRADED(""));
    assert_int_equal(site_write(&site, 0, "{\"type\":\"ADDED\"}"), LW_OK);
    site_expect(&site, fd, "\x81\x10{\"type\":\"ADDED\"}");
    lw_bytes pieces[] = { lw_bytes_static(LW_STR("a")), lw_bytes_static(LW_STR("b")) };
    assert_int_equal(lw_http_write(site.kept[0], pieces, 2), LW_OK);
    site_expect(&site, fd,
                "\x81\x02"
                "ab");
    lw_http_end(site.kept[0]);
    site_expect(&site, fd, "\x88\x02\x03\xe8");
    site_expect_end(&site, fd);
    close(fd);
    site_wait(&site, &site.closed, 1);
}

static void messages_of_protobuf_are_binary_frames(void **state)
{
    (void)state;
    int fd = ask(UPGRADE(""));
    lw_http_header type = { LW_STR("Content-Type"),
                            LW_STR("application/vnd.kubernetes.protobuf;stream=watch") };
    lw_http_reply reply = { 200, &type, 1 };
    assert_int_equal(lw_http_reply_begin(site.kept[0], &reply), LW_OK);
    site_expect(&site, fd,
                UPGRADED("Content-Type: application/vnd.kubernetes.protobuf;stream=watch\r\n"));
    assert_int_equal(site_write(&site, 0, "x"), LW_OK);
    site_expect(&site, fd, "\x82\x01x");
    close(fd);
}

static void the_last_protocol_that_is_no_token_is_chosen(void **state)
{
    (void)state;
    static const struct {
        const char *request, *reply;
    } rows[] = {
        { UPGRADE("Sec-WebSocket-Protocol: a, b\r\n"), UPGRADED("Sec-WebSocket-Protocol: b\r\n") },
        { UPGRADE("Sec-WebSocket-Protocol: a\r\nSec-WebSocket-Protocol: c\r\n"),
          UPGRADED("Sec-WebSocket-Protocol: c\r\n") },
        { UPGRADE("Sec-WebSocket-Protocol: a,base64url.bearer.authorization.k8s.io.c2VjcmV0\r\n"),
          UPGRADED("Sec-WebSocket-Protocol: a\r\n") },
        { UPGRADE("Sec-WebSocket-Protocol: base64url.bearer.authorization.k8s.io.c2VjcmV0\r\n"),
          UPGRADED("") },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int fd = ask(rows[i].request);
        site_begin(&site, i);
        site_expect(&site, fd, rows[i].reply);
        close(fd);
    }
}

/* Masked with zeros, which changes nothing. */
#define PING  "\x89\x82\0\0\0\0hi"
#define CLOSE "\x88\x82\0\0\0\0\x03\xe8"

static void pings_are_answered_and_a_close_is_a_close(void **state)
{
    (void)state;
    int fd = ask(UPGRADE(""));
    site_begin(&site, 0);
    site_expect(&site, fd, UPGRADED(""));
    site_send(&site, fd, lw_str_make(PING, sizeof(PING) - 1));
    site_expect(&site, fd, "\x8a\x02hi");
    site_send(&site, fd, lw_str_make(CLOSE, sizeof(CLOSE) - 1));
    site_expect(&site, fd, "\x88\x02\x03\xe8");
    site_expect_end(&site, fd);
    site_wait(&site, &site.closed, 1);
    close(fd);
}

static void frames_that_came_before_the_upgrade_are_not_lost(void **state)
{
    (void)state;
    static const char early[] = UPGRADE("") PING;
    int fd = site_connect(&site);
    site_send(&site, fd, lw_str_make(early, sizeof(early) - 1));
    site_wait(&site, &site.requests, 1);
    site_expect_silence(&site, fd);
    site_begin(&site, 0);
    site_expect(&site, fd, UPGRADED(""));
    site_expect(&site, fd, "\x8a\x02hi");
    close(fd);
}

static void a_refused_upgrade_is_an_ordinary_reply(void **state)
{
    (void)state;
    int fd = ask(UPGRADE(""));
    lw_http_reply reply = { .status = 403 };
    assert_int_equal(lw_http_reply_whole(site.kept[0], &reply, lw_bytes_static(LW_STR("no\n"))),
                     LW_OK);
    site_expect(&site, fd, "HTTP/1.1 403 Forbidden\r\n" SITE_DATE "Content-Length: 3\r\n\r\nno\n");
    site_send(&site, fd, LW_STR("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n"));
    site_expect(&site, fd, "HTTP/1.1 200 OK\r\n" SITE_DATE "Content-Length: 6\r\n\r\nhello\n");
    close(fd);
}

static void a_bad_handshake_is_refused(void **state)
{
    (void)state;
    int fd = site_connect(&site);
    site_send(&site, fd,
              LW_STR("GET /later HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n"
                     "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\r\n"));
    site_expect(&site, fd, "HTTP/1.1 400 Bad Request\r\n");
    close(fd);
    fd = site_connect(&site);
    site_send(&site, fd,
              LW_STR("GET /later HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n"
                     "Connection: Upgrade\r\nSec-WebSocket-Version: 12\r\n"
                     "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"));
    site_expect(&site, fd,
                "HTTP/1.1 426 Upgrade Required\r\nContent-Type: text/plain; charset=utf-8\r\n"
                "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n");
    close(fd);
    assert_int_equal(site.requests, 0);
}

static void who_pings_and_never_reads_is_not_listened_to(void **state)
{
    (void)state;
    int fd = ask(UPGRADE(""));
    int small = 4096;
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
    site_begin(&site, 0);
    site_expect(&site, fd, UPGRADED(""));
    static char pings[128 * 1000];
    for (size_t i = 0; i + 131 <= sizeof(pings); i += 131)
        memcpy(pings + i, "\x89\xfd\0\0\0\0", 6); /* 125 bytes follow */
    size_t len = sizeof(pings) / 131 * 131, at = 0;
    uint64_t before;
    do {
        before = site_stats(&site).bytes_in;
        ssize_t sent = send(fd, pings + at, len - at, MSG_DONTWAIT | MSG_NOSIGNAL);
        at = sent > 0 ? (at + (size_t)sent) % len : at;
        for (int i = 0; i < 4; i++)
            site_turn(&site);
        assert_true(site_stats(&site).bytes_in < 64 << 20);
    } while (site_stats(&site).bytes_in > before);
    assert_false(site.kept[0]->is_closed);
    assert_in_range(lw_http_pending(site.kept[0]), LW_HTTP_QUEUE_LOW, 2 * LW_HTTP_QUEUE_HIGH);
    close(fd);
}

#define WS_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WS_TEST(messages_are_text_frames_and_the_end_is_a_close),
        WS_TEST(messages_of_protobuf_are_binary_frames),
        WS_TEST(the_last_protocol_that_is_no_token_is_chosen),
        WS_TEST(pings_are_answered_and_a_close_is_a_close),
        WS_TEST(frames_that_came_before_the_upgrade_are_not_lost),
        WS_TEST(a_refused_upgrade_is_an_ordinary_reply),
        WS_TEST(a_bad_handshake_is_refused),
        WS_TEST(who_pings_and_never_reads_is_not_listened_to),
    };
    return cmocka_run_group_tests_name("h1_ws", tests, NULL, NULL);
}
