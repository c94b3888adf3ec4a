/* SPDX-License-Identifier: Apache-2.0 */
/* conn_admission_test.c -- which connections are closed when there are too many. */
#include "net/conn_admission.h"

#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "support/http_site.h"
#include "unit/test.h"

#define GET(path) "GET " path " HTTP/1.1\r\nHost: a\r\n\r\n"

enum {
    MANY = 40,
};

/* A connection that only the admission knows, with the client's end of its socket. */
typedef struct guest {
    lw_conn_entry entry;
    int fd, client;
} guest;

static int64_t now_ns; /* when guests enter */
static unsigned lines; /* logged */
static char last_line[512];

static void keep_line(lw_log_level level, const char *component, const char *line, void *arg)
{
    (void)arg, (void)level, (void)component;
    lines++;
    (void)snprintf(last_line, sizeof(last_line), "%s", line);
}

static const lw_logger logger = { .level = LW_LOG_INFO, .fn = keep_line };

static lw_address address_of(const char *text)
{
    lw_address address;
    assert_int_equal(lw_address_parse(&address, lw_str_of(text), NULL), LW_OK);
    return address;
}

static size_t guest_enter(lw_conn_admission *admission, guest *g, const char *from)
{
    int pair[2];
    lw_address peer = address_of(from);
    memset(g, 0, sizeof(*g));
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    g->fd = pair[0];
    g->client = pair[1];
    return lw_conn_admission_add(admission, &g->entry, g->fd, &peer, now_ns);
}

static bool is_shut_down(const guest *g)
{
    char byte;
    return recv(g->client, &byte, 1, 0) == 0;
}

static void guest_leave(lw_conn_admission *admission, guest *g)
{
    lw_conn_admission_remove(admission, &g->entry);
    close(g->fd);
    close(g->client);
}

static void a_source_with_too_many_loses_its_oldest(void **state)
{
    (void)state;
    static lw_conn_admission admission;
    guest other, own[4];
    lw_conn_admission_init(&admission, 3, 1000, NULL);
    assert_int_equal(guest_enter(&admission, &other, "192.0.2.1:1"), 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(guest_enter(&admission, &own[i], "192.0.2.2:1"), 0);
    assert_int_equal(guest_enter(&admission, &own[3], "192.0.2.2:9"), 1);
    assert_true(is_shut_down(&own[0]));
    assert_false(is_shut_down(&own[1]));
    assert_false(is_shut_down(&own[3]));
    assert_false(is_shut_down(&other));
    guest_leave(&admission, &other);
    for (int i = 0; i < 4; i++)
        guest_leave(&admission, &own[i]);
    lw_conn_admission_done(&admission);
}

static void a_network_of_ipv6_is_one_source(void **state)
{
    (void)state;
    static lw_conn_admission admission;
    guest own[3];
    lw_conn_admission_init(&admission, 2, 1000, NULL);
    assert_int_equal(guest_enter(&admission, &own[0], "[2001:db8::1]:1"), 0);
    assert_int_equal(guest_enter(&admission, &own[1], "[2001:db8::2]:1"), 0);
    assert_int_equal(guest_enter(&admission, &own[2], "[2001:db8::3:3]:1"), 1);
    assert_true(is_shut_down(&own[0]));
    for (int i = 0; i < 3; i++)
        guest_leave(&admission, &own[i]);
    lw_conn_admission_done(&admission);
}

static void the_oldest_makes_room_and_authenticated_clients_stay(void **state)
{
    (void)state;
    static lw_conn_admission admission;
    guest own[4];
    lw_conn_admission_init(&admission, 100, 1000, NULL);
    for (int i = 0; i < 4; i++)
        (void)guest_enter(&admission, &own[i], "192.0.2.2:1");
    lw_conn_admission_authenticated(&admission, &own[0].entry);
    assert_int_equal(lw_conn_admission_make_room(&admission, 2, now_ns), 2);
    assert_false(is_shut_down(&own[0]));
    assert_true(is_shut_down(&own[1]));
    assert_true(is_shut_down(&own[2]));
    assert_false(is_shut_down(&own[3]));
    assert_int_equal(lw_conn_admission_make_room(&admission, 5, now_ns), 1);
    assert_int_equal(lw_conn_admission_make_room(&admission, 5, now_ns), 0);
    assert_false(is_shut_down(&own[0]));
    for (int i = 0; i < 4; i++)
        guest_leave(&admission, &own[i]);
    lw_conn_admission_done(&admission);
}

static void those_that_have_just_come_stay(void **state)
{
    (void)state;
    static lw_conn_admission admission;
    guest old, fresh;
    lw_conn_admission_init(&admission, 100, 1000, NULL);
    now_ns = 5;
    (void)guest_enter(&admission, &old, "192.0.2.2:1");
    now_ns = 6;
    (void)guest_enter(&admission, &fresh, "192.0.2.2:1");
    assert_int_equal(lw_conn_admission_make_room(&admission, 2, 4), 0);
    assert_int_equal(lw_conn_admission_leaving(&admission), 0);
    assert_int_equal(lw_conn_admission_make_room(&admission, 2, 5), 1);
    assert_int_equal(lw_conn_admission_leaving(&admission), 1);
    assert_true(is_shut_down(&old));
    assert_false(is_shut_down(&fresh));
    guest_leave(&admission, &old);
    assert_int_equal(lw_conn_admission_leaving(&admission), 0);
    guest_leave(&admission, &fresh);
    lw_conn_admission_done(&admission);
}

static void descriptors_are_kept_for_the_rest(void **state)
{
    (void)state;
    static lw_conn_admission admission;
    lw_conn_admission_init(&admission, 100, 64, NULL);
    assert_int_equal(lw_conn_admission_room(&admission, 47), LW_CONN_ROOM_ENOUGH);
    assert_int_equal(lw_conn_admission_room(&admission, 48), LW_CONN_ROOM_LITTLE);
    assert_int_equal(lw_conn_admission_room(&admission, 55), LW_CONN_ROOM_LITTLE);
    assert_int_equal(lw_conn_admission_room(&admission, 56), LW_CONN_ROOM_NONE);
    assert_int_equal(lw_conn_admission_room(&admission, 70), LW_CONN_ROOM_NONE);
    lw_conn_admission_done(&admission);
}

static void a_line_per_minute_is_logged(void **state)
{
    (void)state;
    static lw_conn_admission admission;
    lines = 0;
    lw_conn_admission_init(&admission, 100, 64, &logger);
    lw_conn_admission_log(&admission, 0, LW_NS_PER_S);
    assert_int_equal(lines, 1);
    for (int i = 0; i < 100; i++)
        lw_conn_admission_log(&admission, 2, LW_NS_PER_S);
    assert_int_equal(lines, 1);
    lw_conn_admission_log(&admission, 1, 62 * LW_NS_PER_S);
    assert_int_equal(lines, 2);
    assert_non_null(strstr(last_line, "closed 201 that had not authenticated"));
    assert_non_null(strstr(last_line, "64 file descriptors (ulimit -n)"));
    lw_conn_admission_done(&admission);
}

static http_site site;

/* Connects a client that has authenticated. */
static int connect_known(void)
{
    int fd = site_connect(&site);
    unsigned before = site.requests;
    char reply[sizeof("HTTP/1.1 200 OK")];
    site_send(&site, fd, LW_STR(GET("/known")));
    site_wait(&site, &site.requests, before + 1);
    site_receive(&site, fd, reply, sizeof(reply) - 1);
    assert_memory_equal(reply, "HTTP/1.1 200 OK", sizeof(reply) - 1);
    return fd;
}

static void a_full_server_closes_the_oldest_unauthenticated_connection(void **state)
{
    (void)state;
    static const lw_http_limits eight = { .connections = 8 };
    int fds[8];
    site_open(&site, &eight, NULL);
    fds[0] = connect_known();
    for (int i = 1; i < 8; i++)
        fds[i] = site_connect(&site);
    site_wait_connections(&site, 8);
    /* One that has just come is not closed: it may be about to authenticate. */
    int late = site_connect(&site);
    site_send(&site, late, LW_STR(GET("/known")));
    site_expect_silence(&site, late);
    assert_int_equal(site_stats(&site).connections_evicted, 0);
    site_pass(&site, 2);
    site_wait(&site, &site.requests, 2);
    site_expect_end(&site, fds[1]);
    site_expect_silence(&site, fds[7]);
    assert_in_range(site_stats(&site).connections_evicted, 1, 4);
    int again = connect_known();
    for (int i = 0; i < 8; i++)
        close(fds[i]);
    close(late);
    close(again);
    site_close(&site);
}

static void scarce_descriptors_close_unauthenticated_connections(void **state)
{
    (void)state;
    /* The lowest free number is that of the next connection, more or less. */
    int next = dup(0);
    assert_true(next >= 0);
    close(next);
    const lw_http_limits few = { .descriptors = (size_t)next + 16 + MANY * 3 / 2 };
    int known, fds[MANY];
    site_open(&site, &few, NULL);
    known = connect_known();
    /* The clients' sockets are descriptors of this process as well. */
    for (int i = 0; i < MANY; i++) {
        fds[i] = site_connect(&site);
        for (int turn = 0; turn < 3; turn++)
            site_turn(&site);
    }
    int late = connect_known();
    assert_in_range(site_stats(&site).connections_evicted, 1, MANY);
    site_expect_end(&site, fds[0]);
    site_send(&site, known, LW_STR(GET("/known")));
    site_wait(&site, &site.requests, 3);
    for (int i = 0; i < MANY; i++)
        close(fds[i]);
    close(known);
    close(late);
    site_close(&site);
}

static void a_connection_that_sends_nothing_is_closed_soon(void **state)
{
    (void)state;
    site_open(&site, NULL, NULL);
    int silent = site_connect(&site), known = connect_known();
    site_wait_connections(&site, 2);
    site_pass(&site, LW_HTTP_HANDSHAKE_TIMEOUT_S - 1);
    site_expect_silence(&site, silent);
    site_pass(&site, 1);
    site_expect_end(&site, silent);
    site_send(&site, known, LW_STR(GET("/known")));
    site_wait(&site, &site.requests, 2);
    close(silent);
    close(known);
    site_close(&site);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_source_with_too_many_loses_its_oldest),
        TEST(a_network_of_ipv6_is_one_source),
        TEST(the_oldest_makes_room_and_authenticated_clients_stay),
        TEST(those_that_have_just_come_stay),
        TEST(descriptors_are_kept_for_the_rest),
        TEST(a_line_per_minute_is_logged),
        TEST(a_full_server_closes_the_oldest_unauthenticated_connection),
        TEST(scarce_descriptors_close_unauthenticated_connections),
        TEST(a_connection_that_sends_nothing_is_closed_soon),
    };
    return cmocka_run_group_tests_name("conn_admission", tests, NULL, NULL);
}
