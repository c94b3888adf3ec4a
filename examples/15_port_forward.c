/* SPDX-License-Identifier: Apache-2.0 */
/* 15_port_forward.c -- asks a web server in a pod for a path, over a connection that the API server
 * forwards, without a thread and without a local port.
 *
 *     15_port_forward POD PORT PATH */
#include <listwatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    REQUEST_SIZE = 4096,
    TIMEOUT_MS = 60 * 1000,
};

typedef struct download {
    char request[REQUEST_SIZE];
    size_t sent;
    bool is_over;
    int code;
} download;

/* Called again when there is room for the rest, if a request is longer than the queue. */
static void send_request(lw_stream *stream, void *arg)
{
    download *d = arg;
    d->sent += lw_stream_write(stream, d->request + d->sent, strlen(d->request + d->sent));
}

static lw_status print(lw_stream_source source, const char *bytes, size_t len, void *arg)
{
    (void)source;
    (void)arg;
    return fwrite(bytes, 1, len, stdout) == len ? LW_OK : LW_ERR_IO;
}

static void finish(const lw_stream_result *result, void *arg)
{
    download *d = arg;
    d->is_over = true;
    d->code = result->st == LW_OK ? 0 : 1;
    if (result->st < 0)
        fprintf(stderr, "%s\n", result->err->message);
}

static int fetch(lw_client *client, const char *ns, char **argv)
{
    download d = { .code = 1 };
    lw_stream_options options = LW_STREAM_OPTIONS_INIT;
    lw_async *async = NULL;
    lw_error err = LW_ERROR_INIT;
    (void)snprintf(d.request, sizeof(d.request),
                   "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", argv[3], argv[1]);
    options.timeout_ms = TIMEOUT_MS;
    options.on_open = options.on_room = send_request;
    options.on_bytes = print;
    options.on_end = finish;
    options.arg = &d;
    if (lw_async_new(&async, client, &err) < 0 ||
        lw_async_forward(async, ns, argv[1], (unsigned)strtoul(argv[2], NULL, 10), &options, NULL,
                         &err) < 0)
        fprintf(stderr, "%s\n", err.message);
    /* Or in a loop of the program's own: lw_async_fd, lw_async_timeout_ms, lw_async_dispatch. */
    while (async && lw_async_pending(async) > 0)
        lw_async_wait(async, -1);
    lw_async_free(async);
    return d.code;
}

int main(int argc, char **argv)
{
    lw_config *config = NULL;
    lw_client *client = NULL;
    lw_error err = LW_ERROR_INIT;
    int code = 1;
    if (argc != 4) {
        fprintf(stderr, "usage: 15_port_forward POD PORT PATH\n");
        return 2;
    }
    if (lw_config_load(&config, NULL, &err) < 0 || lw_client_new(&client, config, NULL, &err) < 0)
        fprintf(stderr, "%s\n", err.message);
    else
        code = fetch(client, lw_config_namespace(config), argv);
    lw_client_unref(client);
    lw_config_unref(config);
    return code;
}
