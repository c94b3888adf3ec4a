/* SPDX-License-Identifier: Apache-2.0 */
/* load_scale.c -- many objects: how fast they are written, what they take in memory, how long a
 * server needs for them when it starts after a kill, and what the list of one namespace costs then.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/server_load.h"

enum {
    WRITERS = 64, /* requests at once */
    PER_NAMESPACE = 100,
    LINES = 48, /* of a config map: 3 KB of settings */
    BODY_MAX = 8 * 1024,
    LISTS = 1000,
};

static void ignore(const char *bytes, size_t len, void *arg)
{
    (void)bytes;
    (void)arg;
    (void)len;
}

/* The same for the same number; no two alike. */
static uint64_t mix(uint64_t number)
{
    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
    number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
    return number ^ (number >> 31);
}

/* A config map as programs have them: lines of settings.  Every fourth value is its own, the others
 * are one of a few. */
static int write_body(uint64_t number, char *out)
{
    static const char *const common[] = { "enabled",
                                          "disabled",
                                          "30s",
                                          "5m",
                                          "info",
                                          "/var/lib/data",
                                          "postgres.database.svc.cluster.local:5432",
                                          "1024" };
    int len =
        snprintf(out, BODY_MAX,
                 "{\"metadata\":{\"name\":\"settings-%llu\",\"labels\":{\"app\":\"app-%llu\"}},"
                 "\"data\":{\"application.properties\":\"",
                 (unsigned long long)number, (unsigned long long)(number % 1000));
    for (unsigned i = 0; i < LINES; i++) {
        uint64_t drawn = mix(number * LINES + i);
        len += i % 4 == 0 ? snprintf(out + len, BODY_MAX - (size_t)len,
                                     "application.component-%u.setting-of-its-own=%016llx\\n", i,
                                     (unsigned long long)drawn)
                          : snprintf(out + len, BODY_MAX - (size_t)len,
                                     "application.component-%u.option.of.this.name=%s\\n", i,
                                     common[drawn % (sizeof(common) / sizeof(common[0]))]);
    }
    return len + snprintf(out + len, BODY_MAX - (size_t)len, "\"}}");
}

static int write_path(char *out, size_t cap, uint64_t number)
{
    return snprintf(out, cap, "/api/v1/namespaces/space-%llu/configmaps",
                    (unsigned long long)(number / PER_NAMESPACE));
}

static bool send_object(http_client *client, uint64_t number)
{
    char body[BODY_MAX], path[128];
    int len = write_body(number, body);
    (void)write_path(path, sizeof(path), number);
    return http_client_send(client, "POST", path, body, (size_t)len);
}

static bool send_namespace(http_client *client, uint64_t number)
{
    char body[128];
    int len = snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"space-%llu\"}}",
                       (unsigned long long)number);
    return http_client_send(client, "POST", "/api/v1/namespaces", body, (size_t)len);
}

static bool fill(const server_process *server, uint64_t objects, scale_result *out)
{
    static http_client clients[WRITERS];
    unsigned open = 0;
    bool is_good = true;
    while (is_good && open < WRITERS) {
        is_good = http_client_open(&clients[open], server, false);
        open += is_good;
    }
    is_good = is_good && load_many(clients, WRITERS, (objects + PER_NAMESPACE - 1) / PER_NAMESPACE,
                                   send_namespace);
    double cpu = server_cpu_seconds(server), start = bench_now();
    is_good = is_good && load_many(clients, WRITERS, objects, send_object);
    out->create_seconds = bench_now() - start;
    out->create_cpu = server_cpu_seconds(server) - cpu;
    while (open > 0)
        http_client_close(&clients[--open]);
    return is_good;
}

static bool list_some(const server_process *server, uint64_t objects, scale_result *out)
{
    static double samples[LISTS];
    http_client client;
    char path[128];
    if (!http_client_open(&client, server, false))
        return false;
    bool is_good = true;
    for (uint64_t i = 0; is_good && i < LISTS; i++) {
        (void)write_path(path, sizeof(path), mix(i) % objects);
        double start = bench_now();
        is_good = http_client_call(&client, "GET", path, NULL, 0, ignore, NULL) == 200;
        samples[i] = (bench_now() - start) * 1e3;
    }
    out->list_bytes = client.body_bytes;
    out->list_p50_ms = bench_percentile(samples, LISTS, 0.5);
    out->list_p99_ms = bench_percentile(samples, LISTS, 0.99);
    http_client_close(&client);
    return is_good;
}

bool load_scale(server_process *server, const char *program, uint64_t objects, scale_result *out)
{
    memset(out, 0, sizeof(*out));
    if (!fill(server, objects, out))
        return false;
    out->filled_rss_kib = server_rss_kib(server);
    out->filled_own_kib = server_own_kib(server);
    if (!server_kill_and_start(server, program))
        return false;
    out->ready_ms = server->ready_ms;
    out->start_cpu = server_cpu_seconds(server);
    out->ready_rss_kib = server_rss_kib(server);
    out->ready_own_kib = server_own_kib(server);
    return list_some(server, objects, out);
}
