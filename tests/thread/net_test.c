/* SPDX-License-Identifier: Apache-2.0 */
/* net_test.c -- loops and a server that several threads use: posts, connections dealt out, streams
 * that end, draining. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/str.h"
#include "net/http_server.h"
#include "thread/crew.h"

enum {
    POSTS = 2000,
    LOOPS = 2,
    CLIENTS_EACH = 10,
    REQUESTS_EACH = 10,
};

static void run_loop(void *arg)
{
    (void)lw_loop_run(arg, NULL);
}

/* Posts from several threads: none is lost, and those of one thread stay in order. */
typedef struct post_test {
    lw_loop *loop;
    atomic_int seats;
    int next[CREW_SIZE]; /* the loop's thread alone */
    int faults;
    int total;
} post_test;

typedef struct note {
    lw_task task;
    post_test *test;
    int seat, number;
} note;

static void read_note(lw_task *task)
{
    note *n = LW_DLIST_ITEM(&task->link, note, task.link);
    post_test *test = n->test;
    if (n->number != test->next[n->seat]++)
        test->faults++;
    if (++test->total == CREW_SIZE * POSTS)
        lw_loop_stop(test->loop);
    lw_free(n);
}

static void post_notes(void *arg)
{
    post_test *test = arg;
    int seat = atomic_fetch_add(&test->seats, 1);
    for (int i = 0; i < POSTS; i++) {
        note *n = lw_alloc_zero(1, sizeof(*n));
        if (!n)
            abort();
        *n = (note){ .task = { .run = read_note }, .test = test, .seat = seat, .number = i };
        lw_loop_post(test->loop, &n->task);
    }
}

static void posts_of_many_threads_arrive_once_and_in_order(void **state)
{
    (void)state;
    post_test test = { .faults = 0 };
    lw_thread thread;
    assert_int_equal(lw_loop_new(&test.loop, NULL, NULL), LW_OK);
    assert_int_equal(lw_thread_start(&thread, "loop", run_loop, test.loop, NULL), LW_OK);
    crew_run(post_notes, &test);
    lw_thread_join(&thread);
    assert_int_equal(test.total, CREW_SIZE * POSTS);
    assert_int_equal(test.faults, 0);
    lw_loop_free(test.loop);
}

/* A server on two loops, and clients on threads of their own. */
typedef struct site {
    lw_loop *loops[LOOPS];
    lw_http_server *server;
    uint16_t port;
    atomic_int on_loop[LOOPS];
    atomic_int answered;
} site;

static void on_request(lw_http_stream *stream, void *arg)
{
    site *s = arg;
    lw_http_reply reply = { .status = 200 };
    atomic_fetch_add(&s->on_loop[stream->loop == s->loops[1]], 1);
    if (lw_str_equal(stream->request.path, LW_STR("/stream"))) {
        lw_bytes piece = lw_bytes_static(LW_STR("x"));
        (void)lw_http_reply_begin(stream, &reply);
        (void)lw_http_write(stream, &piece, 1);
        lw_http_end(stream);
    } else {
        (void)lw_http_reply_whole(stream, &reply, lw_bytes_static(LW_STR("x")));
    }
}

static int connect_to(uint16_t port)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port) };
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* One request on |fd|; true when the reply ends as it should. */
static bool ask(int fd, const char *path)
{
    char text[512];
    int len = snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: a\r\n\r\n", path);
    if (send(fd, text, (size_t)len, MSG_NOSIGNAL) != len)
        return false;
    size_t got = 0;
    const char *end = strcmp(path, "/stream") == 0 ? "\r\n\r\n1\r\nx\r\n0\r\n\r\n" : "\r\n\r\nx";
    while (got < sizeof(text) - 1) {
        ssize_t more = recv(fd, text + got, sizeof(text) - 1 - got, 0);
        if (more <= 0)
            return false;
        got += (size_t)more;
        text[got] = '\0';
        if (lw_str_ends_with(lw_str_make(text, got), lw_str_of(end)))
            return true;
    }
    return false;
}

static void visit(void *arg)
{
    site *s = arg;
    for (int i = 0; i < CLIENTS_EACH; i++) {
        int fd = connect_to(s->port);
        for (int j = 0; j < REQUESTS_EACH && fd >= 0; j++)
            atomic_fetch_add(&s->answered, ask(fd, j % 2 ? "/stream" : "/") ? 1 : 0);
        if (fd >= 0)
            close(fd);
        lw_http_stats stats;
        lw_http_server_stats(s->server, &stats);
    }
}

static void drained(void *arg)
{
    site *s = arg;
    for (int i = 0; i < LOOPS; i++)
        lw_loop_stop(s->loops[i]);
}

/* All clients are known: none is closed to make room for another. */
static size_t on_head(lw_http_stream *stream, void *arg)
{
    (void)arg;
    stream->is_authenticated = true;
    return LW_HTTP_BODY_MAX;
}

static void connections_are_dealt_out_to_all_loops(void **state)
{
    (void)state;
    site s = { .port = 0 };
    lw_thread threads[LOOPS];
    for (int i = 0; i < LOOPS; i++)
        assert_int_equal(lw_loop_new(&s.loops[i], NULL, NULL), LW_OK);
    lw_http_server_options options = { .loops = s.loops, .loop_count = LOOPS };
    options.handler.on_request = on_request;
    options.handler.arg = &s;
    options.handler.on_head = on_head;
    options.limits.connections = 3; /* fewer than clients: accepting pauses and goes on */
    assert_int_equal(lw_http_server_new(&s.server, &options, NULL), LW_OK);
    assert_int_equal(lw_http_server_listen(s.server, LW_STR("127.0.0.1:0"), NULL, &s.port, NULL),
                     LW_OK);
    for (int i = 0; i < LOOPS; i++)
        assert_int_equal(lw_thread_start(&threads[i], "loop", run_loop, s.loops[i], NULL), LW_OK);
    crew_run(visit, &s);
    int idle = connect_to(s.port);
    assert_true(idle >= 0);
    lw_http_server_drain(s.server, drained, &s);
    for (int i = 0; i < LOOPS; i++)
        lw_thread_join(&threads[i]);
    close(idle);
    int all = CREW_SIZE * CLIENTS_EACH * REQUESTS_EACH;
    assert_int_equal(s.answered, all);
    assert_int_equal(s.on_loop[0] + s.on_loop[1], all);
    assert_true(s.on_loop[0] > 0 && s.on_loop[1] > 0);
    lw_http_stats stats;
    lw_http_server_stats(s.server, &stats);
    assert_int_equal(stats.connections_open, 0);
    assert_int_equal(stats.streams_open, 0);
    assert_int_equal(stats.requests, all);
    lw_http_server_free(s.server);
    for (int i = 0; i < LOOPS; i++)
        lw_loop_free(s.loops[i]);
}

static void a_server_is_freed_with_connections_on_their_way(void **state)
{
    (void)state;
    site s = { .port = 0 };
    for (int i = 0; i < LOOPS; i++)
        assert_int_equal(lw_loop_new(&s.loops[i], NULL, NULL), LW_OK);
    lw_http_server_options options = { .loops = s.loops, .loop_count = LOOPS };
    options.handler.on_request = on_request;
    options.handler.arg = &s;
    assert_int_equal(lw_http_server_new(&s.server, &options, NULL), LW_OK);
    assert_int_equal(lw_http_server_listen(s.server, LW_STR("127.0.0.1:0"), NULL, &s.port, NULL),
                     LW_OK);
    int fds[4];
    for (int i = 0; i < 4; i++)
        fds[i] = connect_to(s.port);
    /* The first loop hands half of them to the second, which never turns. */
    assert_int_equal(lw_loop_turn(s.loops[0], 1000, NULL), LW_OK);
    lw_http_stats stats;
    lw_http_server_stats(s.server, &stats);
    assert_true(stats.connections_accepted > 1);
    lw_http_server_drain(s.server, drained, &s);
    lw_http_server_free(s.server);
    for (int i = 0; i < LOOPS; i++)
        lw_loop_free(s.loops[i]);
    for (int i = 0; i < 4; i++)
        close(fds[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(posts_of_many_threads_arrive_once_and_in_order),
        TEST(connections_are_dealt_out_to_all_loops),
        TEST(a_server_is_freed_with_connections_on_their_way),
    };
    return cmocka_run_group_tests_name("thread-net", tests, NULL, NULL);
}
