/* SPDX-License-Identifier: Apache-2.0 */
/* http_echo.c -- the net module as a small server, for clients that others have written.
 *
 * usage: http-echo FOLDER
 * Makes a CA, a server's and two clients' certificates in FOLDER (one client's is of another CA),
 * listens on loopback, plain and with TLS, on two loops, and prints both ports.  When its input
 * ends it drains and exits.
 *
 *     /who      protocol and client, as text          /echo     the request's body
 *     /stream   a thousand lines in pieces            /ws       three messages on a WebSocket
 *     /large    four megabytes in one piece */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/str.h"
#include "base/sync.h"
#include "net/http_server.h"
#include "net/tls/tls_make.h"

enum {
    LINES = 1000,
    LARGE = 4 << 20,
    PEM_MAX = 16384,
};

static void reply_whole(lw_http_stream *stream, lw_bytes body)
{
    static const lw_http_header type = { LW_STR_INIT("Content-Type"), LW_STR_INIT("text/plain") };
    lw_http_reply reply = { 200, &type, 1 };
    (void)lw_http_reply_whole(stream, &reply, body);
}

static void reply_who(lw_http_stream *stream)
{
    const lw_http_request *request = &stream->request;
    lw_buf text;
    lw_buf_init(&text, 4096);
    lw_buf_printf(&text, "HTTP/%u %s", request->version_major,
                  request->peer->is_tls ? "tls" : "plain");
    if (request->peer->is_verified)
        lw_buf_printf(&text, " CN=%.*s", LW_STR_ARG(request->peer->common_name));
    for (size_t i = 0; i < request->peer->organization_count; i++)
        lw_buf_printf(&text, " O=%.*s", LW_STR_ARG(request->peer->organizations[i]));
    lw_buf_append_text(&text, "\n");
    reply_whole(stream, (lw_bytes){ text.data, text.len, lw_free, text.data });
}

static void reply_copy(lw_http_stream *stream, lw_str body)
{
    char *copy = lw_str_dup(body);
    if (copy)
        reply_whole(stream, (lw_bytes){ copy, body.len, lw_free, copy });
}

static void reply_lines(lw_http_stream *stream, int count)
{
    lw_http_reply reply = { .status = 200 };
    (void)lw_http_reply_begin(stream, &reply);
    for (int i = 0; i < count; i++) {
        const lw_bytes pieces[] = { lw_bytes_static(LW_STR("{\"type\":\"ADDED\"}")),
                                    lw_bytes_static(LW_STR("\n")) };
        (void)lw_http_write(stream, pieces, 2);
    }
    lw_http_end(stream);
}

static void on_request(lw_http_stream *stream, void *arg)
{
    static char large[LARGE];
    lw_str path = stream->request.path;
    (void)arg;
    if (lw_str_equal(path, LW_STR("/echo")))
        reply_copy(stream, stream->request.body);
    else if (lw_str_equal(path, LW_STR("/stream")))
        reply_lines(stream, LINES);
    else if (lw_str_equal(path, LW_STR("/ws")))
        reply_lines(stream, 3);
    else if (lw_str_equal(path, LW_STR("/large")))
        reply_whole(stream, lw_bytes_static(lw_str_make(large, sizeof(large))));
    else
        reply_who(stream);
}

static void fail(const char *what)
{
    fprintf(stderr, "http-echo: %s\n", what);
    exit(1);
}

static void write_file(const char *folder, const char *name, const char *suffix, const lw_buf *text)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s.%s", folder, name, suffix);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(text->data, 1, text->len, file) != text->len || fclose(file) != 0)
        fail(path);
}

/* A key pair, in FOLDER/name.pem and FOLDER/name.key, signed by |ca|; NULL: by itself. */
typedef struct identity {
    lw_buf cert, key;
} identity;

static void make_identity(identity *out, const char *folder, const char *name,
                          const lw_tls_subject *subject, const identity *ca)
{
    lw_error err = LW_ERROR_INIT;
    lw_str none = { NULL, 0 };
    lw_buf_init(&out->cert, PEM_MAX);
    lw_buf_init(&out->key, PEM_MAX);
    if (lw_tls_make(subject, ca ? lw_buf_view(&ca->cert) : none, ca ? lw_buf_view(&ca->key) : none,
                    &out->cert, &out->key, &err) < 0)
        fail(err.message);
    write_file(folder, name, "pem", &out->cert);
    write_file(folder, name, "key", &out->key);
}

static void drop_identity(identity *out)
{
    lw_buf_done(&out->cert);
    lw_buf_done(&out->key);
}

static void make_identities(const char *folder)
{
    static const char *const hosts[] = { "localhost", "127.0.0.1", "::1", NULL };
    const lw_tls_subject ca_subject = { .common_name = "test-ca", .is_ca = true, .days = 10 };
    const lw_tls_subject other_subject = { .common_name = "other-ca", .is_ca = true, .days = 10 };
    const lw_tls_subject server_subject = { .common_name = "server", .hosts = hosts, .days = 5 };
    const lw_tls_subject client_subject = {
        .common_name = "admin", .organization = "system:masters", .is_client = true, .days = 5
    };
    identity ca, other, server, client, stranger;
    make_identity(&ca, folder, "ca", &ca_subject, NULL);
    make_identity(&other, folder, "other", &other_subject, NULL);
    make_identity(&server, folder, "server", &server_subject, &ca);
    make_identity(&client, folder, "client", &client_subject, &ca);
    make_identity(&stranger, folder, "stranger", &client_subject, &other);
    drop_identity(&ca);
    drop_identity(&other);
    drop_identity(&server);
    drop_identity(&client);
    drop_identity(&stranger);
}

static lw_tls_context *open_tls(const char *folder)
{
    char cert[4096], key[4096], ca[4096];
    lw_tls_context *context = NULL;
    lw_error err = LW_ERROR_INIT;
    snprintf(cert, sizeof(cert), "%s/server.pem", folder);
    snprintf(key, sizeof(key), "%s/server.key", folder);
    snprintf(ca, sizeof(ca), "%s/ca.pem", folder);
    lw_tls_options options = { cert, key, ca, NULL };
    if (lw_tls_context_new(&context, &options, &err) < 0)
        fail(err.message);
    return context;
}

static lw_loop *loops[2];
static lw_http_server *server;

static void drained(void *arg)
{
    (void)arg;
    lw_loop_stop(loops[0]);
    lw_loop_stop(loops[1]);
}

static void input_ready(lw_io *io, unsigned events)
{
    char unused[64];
    (void)events;
    if (read(io->fd, unused, sizeof(unused)) > 0)
        return;
    lw_loop_remove(loops[0], io);
    lw_http_server_drain(server, drained, NULL);
}

static void run_second(void *arg)
{
    (void)lw_loop_run(arg, NULL);
}

int main(int argc, char **argv)
{
    lw_io input = { .fd = STDIN_FILENO, .wanted = LW_IO_READ, .ready = input_ready };
    lw_error err = LW_ERROR_INIT;
    lw_thread second;
    uint16_t plain = 0, secure = 0;
    if (argc != 2)
        fail("usage: http-echo FOLDER");
    make_identities(argv[1]);
    lw_tls_context *tls = open_tls(argv[1]);
    if (lw_loop_new(&loops[0], NULL, &err) < 0 || lw_loop_new(&loops[1], NULL, &err) < 0)
        fail(err.message);
    lw_http_server_options options = { .loops = loops, .loop_count = 2 };
    options.handler.on_request = on_request;
    if (lw_http_server_new(&server, &options, &err) < 0 ||
        lw_http_server_listen(server, LW_STR("127.0.0.1:0"), NULL, &plain, &err) < 0 ||
        lw_http_server_listen(server, LW_STR("127.0.0.1:0"), tls, &secure, &err) < 0 ||
        lw_loop_add(loops[0], &input, &err) < 0 ||
        lw_thread_start(&second, "second", run_second, loops[1], &err) < 0)
        fail(err.message);
    printf("%u %u\n", plain, secure);
    fflush(stdout);
    if (lw_loop_run(loops[0], &err) < 0)
        fail(err.message);
    lw_thread_join(&second);
    lw_http_server_free(server);
    lw_loop_free(loops[0]);
    lw_loop_free(loops[1]);
    lw_tls_context_free(tls);
    return 0;
}
