/* SPDX-License-Identifier: Apache-2.0 */
/* stream_test.c -- streams against a server in the same thread, which sends what each test wants.
 */
#include <listwatch/stream.h>

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/str.h"
#include "unit/test.h"
#include "websocket/accept.h"

enum {
    TEXT_MAX = 1024 * 1024,
    PATIENCE = 2000, /* turns of at most 10 ms */
};

#define SUCCESS "\x82\x15\x03{\"status\":\"Success\"}"
#define CLOSE   "\x88\x02\x03\xE8"

/* What has happened. */
typedef struct scene {
    int listener, peer; /* the server's */
    lw_client *client;
    lw_async *async;
    lw_stream *stream;
    char request[8192]; /* its head */
    char output[TEXT_MAX];
    size_t output_len;
    bool is_open, has_ended, cancels, pauses;
    size_t rooms;
    lw_status st;
    int exit_code;
    lw_error err;
} scene;

static scene *s;

static int set_up(void **state)
{
    struct sockaddr_in at = { .sin_family = AF_INET,
                              .sin_addr = { .s_addr = htonl(INADDR_LOOPBACK) } };
    socklen_t len = sizeof(at);
    lw_error err = LW_ERROR_INIT;
    lw_config *config = NULL;
    lw_config_options where = LW_CONFIG_OPTIONS_INIT;
    char url[64];
    (void)state;
    s = lw_alloc_zero(1, sizeof(*s));
    assert_non_null(s);
    s->peer = -1;
    s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(s->listener, (struct sockaddr *)&at, len), 0);
    assert_int_equal(listen(s->listener, 8), 0);
    assert_int_equal(getsockname(s->listener, (struct sockaddr *)&at, &len), 0);
    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%u", ntohs(at.sin_port));
    where.server = url;
    if (lw_config_load(&config, &where, &err) < 0 ||
        lw_client_new(&s->client, config, NULL, &err) < 0 ||
        lw_async_new(&s->async, s->client, &err) < 0)
        fail_msg("%s", err.message);
    lw_config_unref(config);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    lw_async_free(s->async);
    lw_client_unref(s->client);
    if (s->peer >= 0)
        (void)close(s->peer);
    (void)close(s->listener);
    lw_free(s);
    return 0;
}

static void on_open(lw_stream *stream, void *arg)
{
    (void)arg;
    assert_ptr_equal(stream, s->stream);
    s->is_open = true;
}

static lw_status on_bytes(lw_stream_source source, const char *bytes, size_t len, void *arg)
{
    (void)arg;
    assert_in_range(s->output_len + len + 1, 1, TEXT_MAX);
    if (source == LW_STREAM_STDERR)
        s->output[s->output_len++] = '!';
    memcpy(s->output + s->output_len, bytes, len);
    s->output_len += len;
    if (s->cancels)
        lw_stream_cancel(s->stream);
    if (s->pauses)
        lw_stream_set_paused(s->stream, true);
    return LW_OK;
}

static void on_room(lw_stream *stream, void *arg)
{
    (void)arg;
    assert_ptr_equal(stream, s->stream);
    s->rooms++;
}

static void on_end(const lw_stream_result *result, void *arg)
{
    (void)arg;
    assert_false(s->has_ended);
    s->has_ended = true;
    s->st = result->st;
    s->exit_code = result->exit_code;
    if (result->err)
        s->err = *result->err;
}

static lw_stream_options options_of_scene(void)
{
    lw_stream_options options = LW_STREAM_OPTIONS_INIT;
    options.has_stdin = true;
    options.on_open = on_open;
    options.on_bytes = on_bytes;
    options.on_room = on_room;
    options.on_end = on_end;
    return options;
}

static bool is_readable(int fd)
{
    struct pollfd one = { .fd = fd, .events = POLLIN };
    return poll(&one, 1, 0) > 0;
}

/* Runs the client until |is_done| or the server has something to read on |fd| (-1: nothing). */
static void turn(const bool *is_done, int fd)
{
    for (int i = 0; i < PATIENCE && !(is_done && *is_done); i++) {
        if (fd >= 0 && is_readable(fd))
            return;
        lw_async_wait(s->async, 10);
    }
    assert_true(is_done && *is_done);
}

static void say(const char *bytes, size_t len)
{
    assert_int_equal(send(s->peer, bytes, len, MSG_NOSIGNAL), len);
}
#define SAY(literal) say((literal), sizeof(literal) - 1)

/* Accepts the connection and reads the request. */
static void take_request(void)
{
    size_t len = 0;
    turn(NULL, s->listener);
    s->peer = accept(s->listener, NULL, NULL);
    assert_true(s->peer >= 0);
    while (!strstr(s->request, "\r\n\r\n")) {
        turn(NULL, s->peer);
        ssize_t got = recv(s->peer, s->request + len, sizeof(s->request) - len - 1, 0);
        assert_true(got > 0);
        len += (size_t)got;
    }
}

static void open_with(const char *protocol)
{
    char accept[LW_WEBSOCKET_ACCEPT_SIZE], text[512];
    take_request();
    const char *key = strstr(s->request, "Sec-WebSocket-Key: ");
    assert_non_null(key);
    lw_websocket_accept_of(lw_str_make(key + 19, LW_WEBSOCKET_KEY_SIZE - 1), accept);
    int len = snprintf(text, sizeof(text),
                       "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                       "Connection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n"
                       "Sec-WebSocket-Protocol: %s\r\n\r\n",
                       accept, protocol);
    say(text, (size_t)len);
    turn(&s->is_open, -1);
}

static void start(const lw_stream_options *options)
{
    static const char *const command[] = { "sh", "-c", "a b", NULL };
    lw_error err = LW_ERROR_INIT;
    if (lw_async_exec(s->async, "ns", "web", command, options, &s->stream, &err) < 0)
        fail_msg("%s", err.message);
    assert_int_equal(lw_async_pending(s->async), 1);
}

static void start_open(const char *protocol)
{
    lw_stream_options options = options_of_scene();
    start(&options);
    open_with(protocol);
}

static void await_end(lw_status st, const char *words)
{
    turn(&s->has_ended, -1);
    assert_int_equal(s->st, st);
    assert_int_equal(lw_async_pending(s->async), 0);
    if (!strstr(s->err.message, words))
        fail_msg("\"%s\" is not in \"%s\"", words, s->err.message);
}

/* Tests. */

static void output_and_exit_code_arrive(void **state)
{
    (void)state;
    start_open("v5.channel.k8s.io");
    assert_non_null(strstr(s->request,
                           "GET /api/v1/namespaces/ns/pods/web/exec?command=sh&"
                           "command=-c&command=a%20b&stderr=true&stdin=true&stdout=true "
                           "HTTP/1.1\r\n"));
    assert_non_null(strstr(s->request, "\r\nSec-WebSocket-Protocol: v5.channel.k8s.io, "
                                       "v4.channel.k8s.io\r\n"));
    SAY("\x82\x01\x01\x82\x06\x01hello\x82\x04\x02"
        "bad");
    SAY(SUCCESS CLOSE);
    await_end(LW_OK, "");
    assert_int_equal(s->exit_code, 0);
    assert_memory_equal(s->output, "hello!bad", 9);
}

static void status_may_come_before_the_last_output(void **state)
{
    (void)state;
    start_open("v4.channel.k8s.io");
    assert_false(lw_stream_can_end_input(s->stream));
    SAY(SUCCESS "\x82\x05\x01late" CLOSE);
    await_end(LW_OK, "");
    assert_memory_equal(s->output, "late", 4);
}

static void a_refusal_is_an_error_with_its_reason(void **state)
{
    (void)state;
    lw_stream_options options = options_of_scene();
    start(&options);
    take_request();
    SAY("HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n"
        "6B\r\n{\"apiVersion\":\"v1\",\"kind\":\"Status\",\"status\":\"Failure\",\"reason\":"
        "\"NotFound\",\"code\":404,\"message\":\"pods not fo\r\n6\r\nund\"} \r\n0\r\n\r\n");
    await_end(LW_ERR_NOT_FOUND, "exec in pod ns/web: pods not found");
    assert_int_equal(s->err.http_status, 404);
    assert_string_equal(s->err.reason, "NotFound");
}

static void a_server_without_websocket_is_unsupported(void **state)
{
    (void)state;
    lw_stream_options options = options_of_scene();
    start(&options);
    take_request();
    SAY("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    await_end(LW_ERR_UNSUPPORTED, "a proxy on the way may not support WebSocket");
}

static void an_unknown_protocol_is_unsupported(void **state)
{
    (void)state;
    lw_stream_options options = options_of_scene();
    start(&options);
    take_request();
    SAY("HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Accept: bm9wZQ==\r\n\r\n");
    await_end(LW_ERR_UNSUPPORTED, "is not one of WebSocket");
}

static void a_lost_connection_is_not_a_success(void **state)
{
    (void)state;
    start_open("v5.channel.k8s.io");
    SAY("\x82\x02\x01x");
    (void)close(s->peer);
    s->peer = -1;
    await_end(LW_ERR_UNAVAILABLE, "before the end of the command");
}

static void a_stream_may_be_cancelled_by_its_output(void **state)
{
    (void)state;
    start_open("v5.channel.k8s.io");
    s->cancels = true;
    SAY("\x82\x02\x01x\x82\x02\x01y");
    for (int i = 0; i < PATIENCE && lw_async_pending(s->async) > 0; i++)
        lw_async_wait(s->async, 10);
    assert_int_equal(lw_async_pending(s->async), 0);
    assert_int_equal(s->output_len, 1);
    assert_false(s->has_ended);
}

static void cancel_all_ends_streams(void **state)
{
    (void)state;
    start_open("v5.channel.k8s.io");
    lw_async_cancel_all(s->async);
    await_end(LW_ERR_STOPPED, "lw_async_cancel_all");
}

static void a_timeout_ends_the_stream(void **state)
{
    (void)state;
    lw_stream_options options = options_of_scene();
    options.timeout_ms = 2000; /* a busy machine opens the stream in that time */
    start(&options);
    open_with("v5.channel.k8s.io");
    await_end(LW_ERR_TIMEOUT, "did not end within 2000 ms");
}

static void a_silent_server_times_out(void **state)
{
    (void)state;
    lw_stream_options options = options_of_scene();
    options.timeout_ms = 1000;
    start(&options);
    take_request();
    await_end(LW_ERR_TIMEOUT, "exec in pod ns/web: ");
}

static void nothing_is_delivered_during_a_pause(void **state)
{
    (void)state;
    start_open("v5.channel.k8s.io");
    s->pauses = true;
    SAY("\x82\x02\x01x\x82\x02\x01y" SUCCESS CLOSE);
    for (int i = 0; i < PATIENCE && s->output_len == 0; i++)
        lw_async_wait(s->async, 10);
    for (int i = 0; i < 5; i++)
        lw_async_wait(s->async, 1);
    assert_int_equal(s->output_len, 1);
    assert_false(s->has_ended);
    s->pauses = false;
    lw_stream_set_paused(s->stream, false);
    await_end(LW_OK, "");
    assert_memory_equal(s->output, "xy", 2);
}

static void input_is_bounded_and_asks_for_more(void **state)
{
    (void)state;
    static char bytes[TEXT_MAX];
    start_open("v5.channel.k8s.io");
    size_t taken = lw_stream_write(s->stream, bytes, sizeof(bytes));
    assert_in_range(taken, 1, LW_STREAM_INPUT_MAX);
    assert_int_equal(lw_stream_write(s->stream, bytes, 1), 0);
    for (int i = 0; i < PATIENCE && s->rooms == 0; i++) {
        lw_async_wait(s->async, 10);
        while (is_readable(s->peer))
            (void)recv(s->peer, bytes, sizeof(bytes), 0);
    }
    assert_int_equal(s->rooms, 1);
    assert_int_equal(lw_stream_write(s->stream, bytes, 100), 100);
    lw_stream_cancel(s->stream);
}

/* Reads a masked frame of less than 126 bytes. */
static size_t take_frame(char *out)
{
    unsigned char frame[256];
    size_t len = 0;
    while (len < 6 || len < 6U + (frame[1] & 0x7F)) {
        turn(NULL, s->peer);
        ssize_t got =
            recv(s->peer, frame + len, len < 6 ? 6 - len : 6U + (frame[1] & 0x7F) - len, 0);
        assert_true(got > 0);
        len += (size_t)got;
    }
    assert_true(frame[1] & 0x80);
    for (size_t i = 6; i < len; i++)
        out[i - 6] = (char)(frame[i] ^ frame[2 + (i - 6) % 4]);
    return len - 6;
}

static void pings_sizes_and_the_end_of_input_are_sent(void **state)
{
    (void)state;
    char got[256];
    lw_stream_options options = options_of_scene();
    options.is_tty = true;
    options.columns = 80;
    options.rows = 24;
    start(&options);
    assert_int_equal(lw_stream_write(s->stream, "early", 5), 5);
    open_with("v5.channel.k8s.io");
    assert_null(strstr(s->request, "stderr="));
    assert_int_equal(take_frame(got), 6);
    assert_memory_equal(got, "\0early", 6);
    size_t len = take_frame(got);
    assert_memory_equal(got, "\4{\"Width\":80,\"Height\":24}", len);
    lw_stream_resize(s->stream, 100, 30);
    len = take_frame(got);
    assert_memory_equal(got, "\4{\"Width\":100,\"Height\":30}", len);
    SAY("\x89\x02hi");
    assert_int_equal(take_frame(got), 2);
    assert_memory_equal(got, "hi", 2);
    lw_stream_end_input(s->stream);
    assert_int_equal(lw_stream_write(s->stream, "x", 1), 0);
    assert_int_equal(take_frame(got), 2);
    assert_memory_equal(got, "\xFF\0", 2);
    lw_stream_cancel(s->stream);
}

static void wrong_arguments_start_nothing(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    static const char *const none[] = { NULL };
    assert_int_equal(lw_async_exec(s->async, "ns", "web", none, NULL, NULL, &err), LW_ERR_INVALID);
    assert_int_equal(lw_async_forward(s->async, "ns", "web", 0, NULL, NULL, &err), LW_ERR_INVALID);
    assert_int_equal(lw_async_forward(s->async, "ns", "web", 65536, NULL, NULL, &err),
                     LW_ERR_INVALID);
    assert_int_equal(lw_async_forward_fd(s->async, "ns", "web", 80, -1, NULL, NULL, &err),
                     LW_ERR_INVALID);
    assert_int_equal(lw_client_forward_fd(s->client, "ns", "web", 80, -1, NULL, &err),
                     LW_ERR_INVALID);
    assert_int_equal(lw_async_pending(s->async), 0);
}

static void a_forwarded_port_ends_with_its_error(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    lw_stream_options options = options_of_scene();
    if (lw_async_forward(s->async, "ns", "web", 81, &options, &s->stream, &err) < 0)
        fail_msg("%s", err.message);
    open_with("v4.channel.k8s.io");
    assert_non_null(strstr(s->request, "/pods/web/portforward?ports=81 "));
    SAY("\x82\x03\0Q\0\x82\x03\x01Q\0\x82\x03\0ok\x82\x03\x01no" CLOSE);
    await_end(LW_ERR_UNAVAILABLE,
              "port 81 of pod ns/web: no (does a container listen on port 81?)");
    assert_int_equal(s->output_len, 2);
    assert_memory_equal(s->output, "ok", 2);
}

#define SCENE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCENE(output_and_exit_code_arrive),
        SCENE(status_may_come_before_the_last_output),
        SCENE(a_refusal_is_an_error_with_its_reason),
        SCENE(a_server_without_websocket_is_unsupported),
        SCENE(an_unknown_protocol_is_unsupported),
        SCENE(a_lost_connection_is_not_a_success),
        SCENE(a_stream_may_be_cancelled_by_its_output),
        SCENE(cancel_all_ends_streams),
        SCENE(a_timeout_ends_the_stream),
        SCENE(a_silent_server_times_out),
        SCENE(nothing_is_delivered_during_a_pause),
        SCENE(input_is_bounded_and_asks_for_more),
        SCENE(pings_sizes_and_the_end_of_input_are_sent),
        SCENE(wrong_arguments_start_nothing),
        SCENE(a_forwarded_port_ends_with_its_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
