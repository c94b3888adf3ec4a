/* SPDX-License-Identifier: Apache-2.0 */
/* http_site.c -- a small site on the server's HTTP, for real clients to try.
 *
 *     GET  /hello       a line
 *     GET  /big?N       N bytes, all of one piece shared by everyone who asks
 *     GET  /events?N    N lines, one message each, written as fast as the client takes them
 *     POST /echo        the body
 *
 * usage: http_site [tls]   Prints its port; ends, after the last reply, when stdin does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/str.h"
#include "net/http_server.h"
#include "net/tls_make.h"

enum {
    BIG_MAX = 64 * 1024 * 1024,
};

static char *big;

typedef struct events {
    uint64_t next, count;
} events;

static void free_text(void *owner)
{
    lw_free(owner);
}

static void reply_copy(lw_http_stream *stream, int status, lw_str body)
{
    static const lw_http_header type = { LW_STR_INIT("Content-Type"), LW_STR_INIT("text/plain") };
    const lw_http_reply reply = { status, &type, 1 };
    char *copy = lw_str_dup(body);
    if (!copy)
        abort();
    (void)lw_http_reply_whole(stream, &reply, (lw_bytes){ copy, body.len, free_text, copy });
}

static void write_events(lw_http_stream *stream, void *arg)
{
    events *e = arg;
    while (e->next < e->count && lw_http_pending(stream) <= LW_HTTP_QUEUE_HIGH) {
        lw_buf line;
        lw_buf_init(&line, 64);
        lw_buf_printf(&line, "event %llu\n", (unsigned long long)e->next++);
        size_t len = line.len;
        char *text = lw_buf_take_text(&line);
        const lw_bytes piece = { text, len, free_text, text };
        if (!text || lw_http_write(stream, &piece, 1) < 0)
            return;
    }
    if (e->next == e->count)
        lw_http_end(stream);
}

static void events_closed(lw_http_stream *stream, void *arg)
{
    lw_free(arg);
    lw_http_stream_unref(stream);
}

static void begin_events(lw_http_stream *stream, uint64_t count)
{
    const lw_http_reply reply = { .status = 200 };
    events *e = lw_alloc_zero(1, sizeof(*e));
    if (!e)
        abort();
    e->count = count;
    (void)lw_http_stream_ref(stream);
    stream->arg = e;
    stream->on_drained = write_events;
    stream->on_closed = events_closed;
    if (lw_http_reply_begin(stream, &reply) == LW_OK)
        write_events(stream, e);
}

static void on_request(lw_http_stream *stream, void *arg)
{
    (void)arg;
    const lw_http_request *request = &stream->request;
    const lw_http_reply found = { .status = 200 };
    uint64_t number = 0;
    (void)lw_str_to_uint64(request->query, &number);
    if (lw_str_equal(request->path, LW_STR("/hello")))
        (void)lw_http_reply_whole(stream, &found, lw_bytes_static(LW_STR("hello\n")));
    else if (lw_str_equal(request->path, LW_STR("/big")) && number <= BIG_MAX)
        (void)lw_http_reply_whole(stream, &found, lw_bytes_static(lw_str_make(big, number)));
    else if (lw_str_equal(request->path, LW_STR("/events")))
        begin_events(stream, number);
    else if (lw_str_equal(request->path, LW_STR("/echo")))
        reply_copy(stream, 200, request->body);
    else
        reply_copy(stream, 404, LW_STR("not found\n"));
}

static void on_too_large(lw_http_stream *stream, void *arg)
{
    (void)arg;
    reply_copy(stream, 413, LW_STR("too large\n"));
}

static void drained(void *arg)
{
    lw_loop_stop(arg);
}

typedef struct input {
    lw_io io;
    lw_loop *loop;
    lw_http_server *server;
} input;

static void input_ready(lw_io *io, unsigned ready)
{
    (void)ready;
    input *in = (input *)(void *)io;
    char bytes[64];
    if (read(io->fd, bytes, sizeof(bytes)) > 0)
        return;
    lw_loop_remove(in->loop, io);
    lw_http_server_drain(in->server, drained, in->loop);
}

static void write_file(const char *name, const lw_buf *bytes)
{
    FILE *file = fopen(name, "wb");
    if (!file || fwrite(bytes->data, 1, bytes->len, file) != bytes->len || fclose(file) != 0)
        abort();
}

static lw_tls_context *make_tls(lw_error *err)
{
    static const char *const hosts[] = { "localhost", "127.0.0.1", NULL };
    const lw_tls_subject subject = { .common_name = "site", .hosts = hosts, .days = 1 };
    const lw_tls_options options = { .cert_file = "site.crt", .key_file = "site.key" };
    lw_tls_context *context = NULL;
    lw_buf cert;
    lw_buf key;
    lw_buf_init(&cert, 1 << 16);
    lw_buf_init(&key, 1 << 16);
    if (lw_tls_make(&subject, LW_STR(""), LW_STR(""), &cert, &key, err) == LW_OK) {
        write_file(options.cert_file, &cert);
        write_file(options.key_file, &key);
        (void)lw_tls_context_new(&context, &options, err);
    }
    lw_buf_done(&cert);
    lw_buf_done(&key);
    return context;
}

int main(int argc, char **argv)
{
    lw_error err = LW_ERROR_INIT;
    lw_loop *loop = NULL;
    lw_http_server *server = NULL;
    lw_tls_context *tls = NULL;
    uint16_t port = 0;
    lw_status st = lw_loop_new(&loop, NULL, &err);
    const lw_http_server_options options = {
        .loops = &loop,
        .loop_count = 1,
        .handler = { .on_request = on_request, .on_too_large = on_too_large },
    };
    big = malloc(BIG_MAX);
    if (!big)
        return 1;
    for (size_t i = 0; i < BIG_MAX; i++)
        big[i] = (char)(i % 251);
    if (argc > 1 && strcmp(argv[1], "tls") == 0 && !(tls = make_tls(&err)))
        st = err.code;
    if (st == LW_OK)
        st = lw_http_server_new(&server, &options, &err);
    if (st == LW_OK)
        st = lw_http_server_listen(server, LW_STR("127.0.0.1:0"), tls, &port, &err);
    input in = { { STDIN_FILENO, LW_IO_READ, input_ready }, loop, server };
    if (st == LW_OK)
        st = lw_loop_add(loop, &in.io, &err);
    if (st == LW_OK) {
        printf("%u\n", (unsigned)port);
        fflush(stdout);
        st = lw_loop_run(loop, &err);
    }
    if (st < 0)
        fprintf(stderr, "http_site: %s\n", err.message);
    lw_http_server_free(server);
    lw_tls_context_free(tls);
    lw_loop_free(loop);
    free(big);
    return st < 0 ? 1 : 0;
}
