/* SPDX-License-Identifier: Apache-2.0 */
/* http_client_world.h -- an HTTP client and a server that the test plays byte by byte, on one loop.
 */
#ifndef LW_TESTS_UNIT_NET_CLIENT_HTTP_CLIENT_WORLD_H
#define LW_TESTS_UNIT_NET_CLIENT_HTTP_CLIENT_WORLD_H

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include <listwatch/sys/clock.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/str.h"
#include "net/client/http_client.h"
#include "unit/test.h"

#define OK_HELLO "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

enum {
    WORLD_TURNS_MAX = 2000,
    WORLD_WAIT_MS = 5,
    WORLD_TEXT_MAX = 128 * 1024 * 1024,
};

typedef struct world {
    lw_manual_clock *clock;
    lw_loop *loop;
    lw_http_client *client;
    int listener;
    uint16_t port;
} world;

/* What a call was told. */
typedef struct answer {
    world *world;
    lw_http_call *call; /* NULL: over */
    int status;
    lw_buf headers, body; /* "name: value\n" */
    unsigned closes, drains, pieces;
    lw_error err; /* of on_close; code LW_OK: none */
    bool frees_on_head, frees_on_data, frees_on_close, cancels_on_head, cancels_on_data,
        cancels_on_close, asks_on_close;
    struct answer *next; /* of asks_on_close */
} answer;

static inline void world_open(world *w)
{
    struct sockaddr_in address = { .sin_family = AF_INET };
    socklen_t len = sizeof(address);
    memset(w, 0, sizeof(*w));
    assert_int_equal(lw_manual_clock_new(&w->clock, LW_NS_PER_S), LW_OK);
    assert_int_equal(lw_loop_new(&w->loop, lw_manual_clock_as_clock(w->clock), NULL), LW_OK);
    assert_int_equal(lw_http_client_new(&w->client, w->loop, NULL), LW_OK);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    w->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    assert_true(w->listener >= 0);
    assert_int_equal(bind(w->listener, (struct sockaddr *)&address, len), 0);
    assert_int_equal(listen(w->listener, 128), 0);
    assert_int_equal(getsockname(w->listener, (struct sockaddr *)&address, &len), 0);
    w->port = ntohs(address.sin_port);
}

static inline void world_free_client(world *w)
{
    lw_http_client_free(w->client);
    w->client = NULL;
}

static inline void world_close(world *w)
{
    world_free_client(w);
    if (w->listener >= 0)
        close(w->listener);
    lw_loop_free(w->loop);
    lw_manual_clock_free(w->clock);
}

static inline void world_turn(world *w)
{
    assert_int_equal(lw_loop_turn(w->loop, WORLD_WAIT_MS, NULL), LW_OK);
}

/* Turns the loop as long as anything could happen. */
static inline void world_settle(world *w)
{
    for (int i = 0; i < 10; i++)
        assert_int_equal(lw_loop_turn(w->loop, 1, NULL), LW_OK);
}

static inline void world_pass(world *w, int64_t ms)
{
    lw_manual_clock_advance(w->clock, ms * LW_NS_PER_MS);
    assert_int_equal(lw_loop_turn(w->loop, 0, NULL), LW_OK);
}

static inline int64_t world_in(world *w, int64_t ms)
{
    return lw_clock_now(lw_loop_clock(w->loop)) + ms * LW_NS_PER_MS;
}

static inline void world_until_at(world *w, const unsigned *number, unsigned wanted,
                                  const char *file, int line)
{
    for (int i = 0; *number < wanted; i++) {
        if (i == WORLD_TURNS_MAX) {
            print_error("%u, not %u\n", *number, wanted);
            _fail(file, line);
        }
        world_turn(w);
    }
}
#define world_until(w, number, wanted) world_until_at((w), (number), (wanted), __FILE__, __LINE__)

/* Accepts the next connection of the client; the test closes it. */
static inline int world_accept(world *w)
{
    for (int i = 0; i < WORLD_TURNS_MAX; i++) {
        int fd = accept4(w->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0)
            return fd;
        world_turn(w);
    }
    fail_msg("the client does not connect");
    return -1;
}

static inline bool world_has_connection(world *w)
{
    world_settle(w);
    int fd = accept4(w->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* Fails unless exactly |text| arrives at the server next. */
static inline void world_expect_at(world *w, int fd, const char *text, const char *file, int line)
{
    lw_buf got;
    size_t wanted = strlen(text);
    lw_buf_init(&got, WORLD_TEXT_MAX);
    for (int i = 0; i < WORLD_TURNS_MAX && got.len < wanted; i++) {
        char bytes[4096];
        size_t left = wanted - got.len;
        ssize_t len = recv(fd, bytes, left < sizeof(bytes) ? left : sizeof(bytes), 0);
        if (len == 0)
            break;
        if (len > 0)
            lw_buf_append(&got, bytes, (size_t)len);
        else
            world_turn(w);
    }
    assert_str_equal_at(lw_buf_view(&got), text, file, line);
    lw_buf_done(&got);
}
#define world_expect(w, fd, text) world_expect_at((w), (fd), (text), __FILE__, __LINE__)

/* Reads the head of a request, whatever it is. */
static inline void world_skip_head(world *w, int fd)
{
    char last[4] = "";
    for (int i = 0; i < WORLD_TURNS_MAX && memcmp(last, "\r\n\r\n", 4) != 0;) {
        char c;
        if (recv(fd, &c, 1, 0) == 1) {
            memmove(last, last + 1, 3);
            last[3] = c;
        } else {
            world_turn(w);
            i++;
        }
    }
    assert_memory_equal(last, "\r\n\r\n", 4);
}

/* Fails unless the client closes next. */
static inline void world_expect_end(world *w, int fd)
{
    char c;
    for (int i = 0; i < WORLD_TURNS_MAX; i++) {
        ssize_t len = recv(fd, &c, 1, 0);
        if (len == 0 || (len < 0 && errno == ECONNRESET))
            return;
        assert_true(len < 0);
        world_turn(w);
    }
    fail_msg("the client does not close");
}

static inline void world_reply(world *w, int fd, const char *text)
{
    assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
    world_turn(w);
}

static inline void answer_on_head(lw_http_call *call, int status, const lw_http_header *headers,
                                  size_t count, void *arg)
{
    answer *a = arg;
    assert_ptr_equal(call, a->call);
    assert_int_equal(a->status, 0);
    a->status = status;
    for (size_t i = 0; i < count; i++)
        lw_buf_printf(&a->headers, "%.*s: %.*s\n", LW_STR_ARG(headers[i].name),
                      LW_STR_ARG(headers[i].value));
    if (a->cancels_on_head) {
        lw_http_call_cancel(call);
        a->call = NULL;
    }
    if (a->frees_on_head)
        world_free_client(a->world);
}

static inline void answer_on_data(lw_http_call *call, const char *bytes, size_t len, void *arg)
{
    answer *a = arg;
    assert_ptr_equal(call, a->call);
    assert_true(len > 0);
    a->pieces++;
    lw_buf_append(&a->body, bytes, len);
    if (a->cancels_on_data) {
        lw_http_call_cancel(call);
        a->call = NULL;
    }
    if (a->frees_on_data)
        world_free_client(a->world);
}

static inline void answer_on_drained(lw_http_call *call, void *arg)
{
    answer *a = arg;
    assert_ptr_equal(call, a->call);
    a->drains++;
}

static inline lw_status answer_call(answer *a, world *w, lw_http_call_options *options);

static inline void answer_on_close(lw_http_call *call, const lw_error *err, void *arg)
{
    answer *a = arg;
    assert_ptr_equal(call, a->call);
    a->call = NULL;
    a->closes++;
    if (err)
        a->err = *err;
    if (a->cancels_on_close)
        lw_http_call_cancel(call);
    if (a->asks_on_close) {
        lw_http_call_options options = { .method = LW_STR("GET"), .path = LW_STR("/next") };
        assert_int_equal(answer_call(a->next, a->world, &options), LW_OK);
    }
    if (a->frees_on_close)
        world_free_client(a->world);
}

/* Starts a call of |a|, which is zeroed but for what the test has set.  The target is the test's
 * server unless it is set. */
static inline lw_status answer_call(answer *a, world *w, lw_http_call_options *options)
{
    const lw_http_call_sink sink = { answer_on_head, answer_on_data, answer_on_drained,
                                     answer_on_close, a };
    a->world = w;
    lw_buf_init(&a->headers, WORLD_TEXT_MAX);
    lw_buf_init(&a->body, WORLD_TEXT_MAX);
    if (!options->target.host)
        options->target.host = "127.0.0.1";
    if (options->target.port == 0)
        options->target.port = w->port;
    if (options->method.len == 0)
        options->method = LW_STR("GET");
    return lw_http_client_call(&a->call, w->client, options, &sink, &a->err);
}

static inline void answer_get(answer *a, world *w, const char *path)
{
    lw_http_call_options options = { .path = lw_str_of(path) };
    if (answer_call(a, w, &options) < 0)
        fail_msg("%s", a->err.message);
}

static inline void answer_done(answer *a)
{
    lw_buf_done(&a->headers);
    lw_buf_done(&a->body);
}

/* The call has ended well, with this reply. */
static inline void assert_answer_at(const answer *a, int status, const char *body, const char *file,
                                    int line)
{
    if (a->closes != 1 || a->err.code != LW_OK) {
        print_error("%u ends, %s\n", a->closes, a->err.message);
        _fail(file, line);
    }
    _assert_int_equal((uintmax_t)a->status, (uintmax_t)status, file, line);
    assert_str_equal_at(lw_buf_view(&a->body), body, file, line);
}
#define assert_answer(a, status, body) assert_answer_at((a), (status), (body), __FILE__, __LINE__)

#endif
