/* SPDX-License-Identifier: Apache-2.0 */
/* health_server_test.c -- requests byte by byte, and the bounds of the server of health checks. */
#include "operator/health_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/str.h"
#include "unit/test.h"

static lw_health_server *server;

static void answer(const lw_health_server_request *request, lw_health_server_reply *reply,
                   void *arg)
{
    (void)arg;
    if (lw_str_equal(request->path, LW_STR("/large"))) {
        for (int i = 0; i < 1 << 20; i++)
            lw_buf_append_text(&reply->body, "12345678");
        return;
    }
    lw_buf_printf(&reply->body, "%.*s?%.*s", LW_STR_ARG(request->path), LW_STR_ARG(request->query));
}

static int set_up(void **state)
{
    (void)state;
    return lw_health_server_new(&server, "127.0.0.1:0", answer, NULL, NULL);
}

static int tear_down(void **state)
{
    (void)state;
    lw_health_server_free(server);
    return 0;
}

static int dial(void)
{
    struct sockaddr_in at = { .sin_family = AF_INET };
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    at.sin_port = htons((uint16_t)lw_health_server_port(server));
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    return fd;
}

/* Dispatches until the response of |fd| is complete; returns its length. */
static size_t read_all(int fd, char *body, size_t size)
{
    size_t len = 0;
    char dump[65536];
    for (int i = 0; i < 100000; i++) {
        lw_health_server_dispatch(server);
        ssize_t got = recv(fd, dump, sizeof(dump), MSG_DONTWAIT);
        if (got == 0)
            break;
        for (ssize_t at = 0; at < got && len + (size_t)at + 1 < size; at++)
            body[len + (size_t)at] = dump[at];
        len += got > 0 ? (size_t)got : 0;
        struct pollfd both[] = { { .fd = fd, .events = POLLIN },
                                 { .fd = lw_health_server_fd(server), .events = POLLIN } };
        (void)poll(both, 2, 1000);
    }
    body[len < size ? len : size - 1] = '\0';
    return len;
}

static void assert_reply(const char *request, const char *begins, const char *ends)
{
    char text[1024];
    int fd = dial();
    for (const char *c = request; *c; c++) {
        assert_int_equal(send(fd, c, 1, 0), 1);
        lw_health_server_dispatch(server);
    }
    size_t len = read_all(fd, text, sizeof(text));
    if (strncmp(text, begins, strlen(begins)) != 0 || len < strlen(ends) ||
        strcmp(text + len - strlen(ends), ends) != 0)
        fail_msg("%s", text);
    (void)close(fd);
}

static void requests_are_answered_and_malformed_ones_refused(void **state)
{
    (void)state;
    assert_reply("GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 200 OK\r\n", "\r\n\r\n/a?b=c");
    assert_reply("GET / HTTP/1.0\r\n\r\n", "HTTP/1.1 200 OK\r\n", "\r\n\r\n/?");
    assert_reply("HEAD /a HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\n", "\r\n\r\n");
    assert_reply("POST /a HTTP/1.1\r\n\r\n", "HTTP/1.1 405 ", "Method Not Allowed\n");
    assert_reply("GET /a HTTP/2\r\n\r\n", "HTTP/1.1 505 ", "\n");
    assert_reply("GET a HTTP/1.1\r\n\r\n", "HTTP/1.1 400 ", "\n");
    assert_reply("GET /a\r\n\r\n", "HTTP/1.1 400 ", "\n");
    assert_reply("GET  /a HTTP/1.1\r\n\r\n", "HTTP/1.1 400 ", "\n");
    assert_reply("\r\n\r\n", "HTTP/1.1 400 ", "\n");
}

static void a_head_that_is_too_long_is_refused(void **state)
{
    (void)state;
    static char request[LW_HEALTH_SERVER_HEAD_SIZE + 1];
    memset(request, 'x', sizeof(request) - 1);
    memcpy(request, "GET /", 5);
    assert_reply(request, "HTTP/1.1 431 ", "\n");
}

static void a_response_larger_than_the_buffers_arrives(void **state)
{
    (void)state;
    char text[64];
    int fd = dial();
    static const char request[] = "GET /large HTTP/1.1\r\n\r\n";
    assert_int_equal(send(fd, request, sizeof(request) - 1, 0), sizeof(request) - 1);
    assert_true(read_all(fd, text, sizeof(text)) > 8 << 20);
    (void)close(fd);
}

static void further_connections_wait_for_a_free_place(void **state)
{
    (void)state;
    int idle[LW_HEALTH_SERVER_CONNECTIONS];
    for (size_t i = 0; i < LW_HEALTH_SERVER_CONNECTIONS; i++)
        idle[i] = dial();
    lw_health_server_dispatch(server);
    int fd = dial();
    static const char request[] = "GET /a HTTP/1.1\r\n\r\n";
    assert_int_equal(send(fd, request, sizeof(request) - 1, 0), sizeof(request) - 1);
    lw_health_server_dispatch(server);
    struct pollfd quiet = { .fd = lw_health_server_fd(server), .events = POLLIN };
    assert_int_equal(poll(&quiet, 1, 0), 0); /* a full server does not spin */
    assert_in_range(lw_health_server_timeout_ms(server), 1, LW_HEALTH_SERVER_TIMEOUT_S * 1000);
    (void)close(idle[0]);
    char text[256];
    (void)read_all(fd, text, sizeof(text));
    assert_non_null(strstr(text, "200 OK"));
    (void)close(fd);
    for (size_t i = 1; i < LW_HEALTH_SERVER_CONNECTIONS; i++)
        (void)close(idle[i]);
}

static void addresses_are_numeric_and_complete(void **state)
{
    (void)state;
    lw_health_server *other = NULL;
    static const char *const wrong[] = {
        "", "8081", "localhost:8081", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "1.2.3.4.5:1"
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(lw_health_server_new(&other, wrong[i], answer, NULL, NULL),
                         LW_ERR_INVALID);
    char taken[32];
    (void)snprintf(taken, sizeof(taken), "127.0.0.1:%u", lw_health_server_port(server));
    assert_int_equal(lw_health_server_new(&other, taken, answer, NULL, NULL), LW_ERR_IO);
    assert_int_equal(lw_health_server_new(&other, ":0", answer, NULL, NULL), LW_OK);
    lw_health_server_free(other);
}

#define SERVED(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(requests_are_answered_and_malformed_ones_refused),
        SERVED(a_head_that_is_too_long_is_refused),
        SERVED(a_response_larger_than_the_buffers_arrives),
        SERVED(further_connections_wait_for_a_free_place),
        SERVED(addresses_are_numeric_and_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
