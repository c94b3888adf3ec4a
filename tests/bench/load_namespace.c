/* SPDX-License-Identifier: Apache-2.0 */
/* load_namespace.c -- how long a full namespace takes to go, and what others feel of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/server_load.h"

enum {
    FILLERS = 32, /* requests at once while it is filled */
    SAMPLES_MAX = 200000,
    BEFORE = 1000,  /* writes that are timed before the deletion */
    LOOK_EVERY = 8, /* writes between two looks at the namespace */
};

#define SPACE "/api/v1/namespaces/doomed"

static void ignore(const char *bytes, size_t len, void *arg)
{
    (void)bytes;
    (void)len;
    (void)arg;
}

static bool send_object(http_client *client, uint64_t number)
{
    char body[256];
    int len = snprintf(body, sizeof(body),
                       "{\"metadata\":{\"name\":\"c-%llu\"},\"data\":{\"key\":\"value %llu\"}}",
                       (unsigned long long)number, (unsigned long long)number);
    return http_client_send(client, "POST", SPACE "/configmaps", body, (size_t)len);
}

/* One write of somebody else; its milliseconds, or below 0 when it failed. */
static double write_one(http_client *client, unsigned number)
{
    char body[128];
    int len = snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"other-%u\"}}", number);
    double start = bench_now();
    int status = http_client_call(client, "POST", "/api/v1/namespaces/default/configmaps", body,
                                  (size_t)len, ignore, NULL);
    return status == 201 ? (bench_now() - start) * 1e3 : -1;
}

static bool write_before(http_client *client, double *samples, namespace_result *out)
{
    for (unsigned i = 0; i < BEFORE; i++) {
        samples[i] = write_one(client, i);
        if (samples[i] < 0)
            return false;
    }
    out->before_p50_ms = bench_percentile(samples, BEFORE, 0.5);
    out->before_p99_ms = bench_percentile(samples, BEFORE, 0.99);
    return true;
}

static bool write_meanwhile(http_client *client, http_client *looker, double *samples,
                            namespace_result *out)
{
    size_t count = 0;
    int status = 200;
    double start = bench_now();
    while (status == 200 && count < SAMPLES_MAX) {
        samples[count] = write_one(client, BEFORE + (unsigned)count);
        if (samples[count++] < 0)
            return false;
        if (count % LOOK_EVERY == 0)
            status = http_client_call(looker, "GET", SPACE, NULL, 0, ignore, NULL);
    }
    out->seconds = bench_now() - start;
    out->writes = count;
    out->p50_ms = bench_percentile(samples, count, 0.5);
    out->p99_ms = bench_percentile(samples, count, 0.99);
    out->max_ms = samples[count - 1];
    return status == 404;
}

static bool measure(http_client *clients, const server_process *server, unsigned objects,
                    double *samples, namespace_result *out)
{
    static const char space[] = "{\"metadata\":{\"name\":\"doomed\"}}";
    if (http_client_call(&clients[0], "POST", "/api/v1/namespaces", space, sizeof(space) - 1,
                         ignore, NULL) != 201 ||
        !load_many(clients, FILLERS, objects, send_object) ||
        !write_before(&clients[0], samples, out))
        return false;
    double cpu = server_cpu_seconds(server);
    bool is_good = http_client_call(&clients[1], "DELETE", SPACE, NULL, 0, ignore, NULL) == 200 &&
                   write_meanwhile(&clients[0], &clients[1], samples, out);
    out->server_cpu = server_cpu_seconds(server) - cpu;
    return is_good;
}

bool load_namespace(const server_process *server, unsigned objects, namespace_result *out)
{
    static http_client clients[FILLERS];
    unsigned open = 0;
    memset(out, 0, sizeof(*out));
    double *samples = calloc(SAMPLES_MAX, sizeof(*samples));
    bool is_good = samples != NULL;
    while (is_good && open < FILLERS) {
        is_good = http_client_open(&clients[open], server, false);
        open += is_good;
    }
    is_good = is_good && measure(clients, server, objects, samples, out);
    while (open > 0)
        http_client_close(&clients[--open]);
    free(samples);
    return is_good;
}
