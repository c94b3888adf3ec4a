/* SPDX-License-Identifier: Apache-2.0 */
/* curl_socket_test.c -- the options of the sockets of curl. */
#include "transport/curl_internal.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "support/script_server.h"
#include "support/transport_pump.h"
#include "unit/test.h"

enum {
    FDS_MAX = 1024,
};

/* Our end of a connection to |port|; -1: there is none. */
static int find_socket(unsigned port)
{
    for (int fd = 3; fd < FDS_MAX; fd++) {
        struct sockaddr_in peer = { 0 };
        socklen_t len = sizeof(peer);
        if (getpeername(fd, (struct sockaddr *)&peer, &len) == 0 && peer.sin_family == AF_INET &&
            ntohs(peer.sin_port) == port)
            return fd;
    }
    return -1;
}

static int option(int fd, int level, int name)
{
    int value = -1;
    socklen_t len = sizeof(value);
    assert_int_equal(getsockopt(fd, level, name, &value, &len), 0);
    return value;
}

/* 30 s of silence, then three probes in 15 s; the same for bytes that are not acknowledged. */
static void a_peer_that_vanished_is_noticed(void **state)
{
    (void)state;
    talk t;
    const script_step silent[] = { { SCRIPT_WAIT, NULL, 0 }, { 0 } };
    script_server *server = script_server_open();
    lw_transport *transport = pump_open(script_server_url(server), NULL);
    script_server_play(server, NULL, silent);
    talk_get(&t, transport, "/");
    while (script_server_counts(server).waiting == 0)
        pump_turn(transport, 10);
    int fd = find_socket(script_server_port(server));
    assert_true(fd >= 0);
    assert_int_equal(option(fd, SOL_SOCKET, SO_KEEPALIVE), 1);
    assert_int_equal(option(fd, IPPROTO_TCP, TCP_KEEPIDLE), 30);
    assert_int_equal(option(fd, IPPROTO_TCP, TCP_KEEPINTVL), 5);
    assert_int_equal(option(fd, IPPROTO_TCP, TCP_KEEPCNT), 3);
    assert_int_equal(option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT), 45000);
    assert_int_equal(option(fd, IPPROTO_TCP, TCP_NODELAY), 1);
    talk_done(&t);
    lw_transport_free(transport);
    assert_true(script_server_await_open(server, 0));
    script_server_close(server);
}

static void connections_are_counted_until_they_are_closed(void **state)
{
    (void)state;
    lw_transport_stats stats;
    script_server *server = script_server_open();
    lw_transport *transport = pump_open(script_server_url(server), NULL);
    const script_step closing[] = {
        { SCRIPT_SEND, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", 0 },
        { SCRIPT_CLOSE, NULL, 0 },
        { 0 },
    };
    script_server_play_always(server, NULL, closing);
    for (int i = 0; i < 3; i++) {
        talk t;
        talk_get(&t, transport, "/");
        talk_expect(&t, 200, "");
        talk_done(&t);
    }
    lw_transport_read_stats(transport, &stats);
    assert_int_equal(stats.connections, 0);
    lw_transport_free(transport);
    script_server_close(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_peer_that_vanished_is_noticed),
        TEST(connections_are_counted_until_they_are_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
