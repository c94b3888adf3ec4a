/* SPDX-License-Identifier: Apache-2.0 */
/* load_initial.c -- how fast a watch gets everything there is before the changes: what typed
 * clients of Go start with in place of a list. */
#include <stdio.h>
#include <string.h>

#include "bench/server_load.h"

static const char mark[] = "k8s.io/initial-events-end";

/* The end of what came last, where the mark may have begun. */
typedef struct look {
    char tail[2 * sizeof(mark)];
    size_t len;
    bool is_over;
} look;

static void on_body(const char *bytes, size_t len, void *arg)
{
    look *l = arg;
    size_t head = len < sizeof(mark) ? len : sizeof(mark);
    memcpy(l->tail + l->len, bytes, head);
    if (memmem(l->tail, l->len + head, mark, sizeof(mark) - 1) ||
        memmem(bytes, len, mark, sizeof(mark) - 1))
        l->is_over = true;
    if (len >= sizeof(mark)) {
        memcpy(l->tail, bytes + len - sizeof(mark), sizeof(mark));
        l->len = sizeof(mark);
    } else {
        size_t all = l->len + len, kept = all < sizeof(mark) ? all : sizeof(mark);
        memmove(l->tail, l->tail + all - kept, kept);
        l->len = kept;
    }
}

static bool read_state(const server_process *server, bool is_tls, const char *accept,
                       uint64_t *bytes)
{
    http_client client;
    look l = { .len = 0 };
    if (!http_client_open(&client, server, is_tls))
        return false;
    client.accept = accept;
    bool is_good = http_client_send(&client, "GET",
                                    "/api/v1/pods?watch=1&sendInitialEvents=true&"
                                    "resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
                                    NULL, 0);
    while (is_good && !l.is_over)
        is_good = http_client_read(&client, on_body, &l) > 0 && !client.is_complete;
    if (!l.is_over)
        fprintf(stderr, "initial state: HTTP %d\n", client.status);
    *bytes = client.body_bytes;
    http_client_close(&client);
    return l.is_over;
}

bool load_initial(const server_process *server, bool is_tls, const char *accept, unsigned rounds,
                  list_result *out)
{
    out->rss_before_kib = server_rss_kib(server);
    out->seconds = 0;
    double cpu = server_cpu_seconds(server);
    for (unsigned i = 0; i < rounds; i++) {
        double start = bench_now();
        if (!read_state(server, is_tls, accept, &out->bytes))
            return false;
        double seconds = bench_now() - start;
        if (i == 0 || seconds < out->seconds)
            out->seconds = seconds;
    }
    out->server_cpu = (server_cpu_seconds(server) - cpu) / rounds;
    out->rss_after_kib = server_rss_kib(server);
    return true;
}
