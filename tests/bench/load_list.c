/* SPDX-License-Identifier: Apache-2.0 */
/* load_list.c -- how fast everything there is can be read. */
#include <stdio.h>

#include "bench/server_load.h"

bool load_list(const server_process *server, bool is_tls, const char *accept, unsigned rounds,
               list_result *out)
{
    http_client client;
    if (!http_client_open(&client, server, is_tls))
        return false;
    client.accept = accept;
    out->rss_before_kib = server_rss_kib(server);
    out->rss_after_kib = 0;
    out->seconds = 0;
    double cpu = server_cpu_seconds(server);
    bool is_good = true;
    for (unsigned i = 0; i < rounds && is_good; i++) {
        double start = bench_now();
        int status =
            http_client_call(&client, "GET", "/api/v1/pods?pretty=false", NULL, 0, NULL, NULL);
        double seconds = bench_now() - start;
        is_good = status == 200;
        if (!is_good)
            fprintf(stderr, "list: HTTP %d\n", status);
        out->bytes = client.body_bytes;
        if (i == 0 || seconds < out->seconds)
            out->seconds = seconds;
        uint64_t rss = server_rss_kib(server);
        if (rss > out->rss_after_kib)
            out->rss_after_kib = rss;
    }
    out->server_cpu = (server_cpu_seconds(server) - cpu) / rounds;
    http_client_close(&client);
    return is_good;
}
