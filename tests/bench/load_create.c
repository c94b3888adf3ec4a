/* SPDX-License-Identifier: Apache-2.0 */
/* load_create.c -- how fast objects are written down: each answer means that the object is on disk.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/pod_gen.h"
#include "bench/server_load.h"

enum {
    IN_FLIGHT_MAX = 256,
    PODS_MAX = 64, /* different bodies, used in turn */
};

/* Bodies of pods, cut out of a generated list. */
typedef struct bodies {
    char *bytes;
    size_t len, cap;
    size_t at[PODS_MAX], size[PODS_MAX];
    size_t count;
} bodies;

static bool keep(const char *bytes, size_t len, void *arg)
{
    bodies *all = arg;
    if (all->len + len > all->cap) {
        size_t cap = (all->cap + len) * 2;
        char *moved = realloc(all->bytes, cap);
        if (!moved)
            return false;
        all->bytes = moved;
        all->cap = cap;
    }
    memcpy(all->bytes + all->len, bytes, len);
    all->len += len;
    return true;
}

/* Where a pod's own name stands, so that each create gets another. */
static const char spec_mark[] = "\"spec\":";

/* Cuts the specs out of the list: metadata are written anew for each create. */
static void find_specs(bodies *all)
{
    const char *at = all->bytes, *end = all->bytes + all->len;
    while (all->count < PODS_MAX) {
        const char *spec = memmem(at, (size_t)(end - at), spec_mark, sizeof(spec_mark) - 1);
        const char *status =
            spec ? memmem(spec, (size_t)(end - spec), ",\"status\":{\"", 12) : NULL;
        if (!status)
            break;
        all->at[all->count] = (size_t)(spec - all->bytes);
        all->size[all->count++] = (size_t)(status - spec);
        at = status;
    }
}

typedef struct flight {
    http_client client;
    double sent_at;
} flight;

typedef struct run {
    const bodies *all;
    flight flights[IN_FLIGHT_MAX];
    struct pollfd polls[IN_FLIGHT_MAX];
    unsigned in_flight;
    uint64_t wanted, sent, created, seed;
    double *latencies;
} run;

static bool send_next(run *r, flight *f)
{
    static char body[64 * 1024];
    size_t pick = r->sent % r->all->count;
    int len =
        snprintf(body, sizeof(body),
                 "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"p-%llu-%llu\","
                 "\"labels\":{\"app\":\"bench\",\"n\":\"%llu\"}},%.*s}",
                 (unsigned long long)r->seed, (unsigned long long)r->sent,
                 (unsigned long long)r->sent % 100, (int)r->all->size[pick],
                 r->all->bytes + r->all->at[pick]);
    r->sent++;
    f->sent_at = bench_now();
    return http_client_send(&f->client, "POST", "/api/v1/namespaces/default/pods", body,
                            (size_t)len);
}

static void ignore(const char *bytes, size_t len, void *arg)
{
    (void)bytes;
    (void)len;
    (void)arg;
}

/* A reply may have come on |f|: counts it and sends the next request. */
static bool step(run *r, flight *f)
{
    do {
        if (http_client_read(&f->client, ignore, NULL) < 0) {
            fprintf(stderr, "create: the connection is lost\n");
            return false;
        }
    } while (!f->client.is_complete && http_client_has_more(&f->client));
    if (!f->client.is_complete)
        return true;
    if (f->client.status != 201) {
        fprintf(stderr, "create: HTTP %d\n", f->client.status);
        return false;
    }
    r->latencies[r->created++] = (bench_now() - f->sent_at) * 1e3;
    return r->sent == r->wanted || send_next(r, f);
}

static bool run_all(run *r)
{
    for (unsigned i = 0; i < r->in_flight; i++) {
        if (r->sent < r->wanted && !send_next(r, &r->flights[i]))
            return false;
    }
    while (r->created < r->wanted) {
        if (poll(r->polls, r->in_flight, -1) < 0)
            return false;
        for (unsigned i = 0; i < r->in_flight; i++) {
            if (r->polls[i].revents && !step(r, &r->flights[i]))
                return false;
        }
    }
    return true;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_percentile(double *values, size_t count, double share)
{
    if (count == 0)
        return 0;
    qsort(values, count, sizeof(*values), compare_doubles);
    size_t at = (size_t)(share * (double)count);
    return values[at < count ? at : count - 1];
}

bool load_create(const server_process *server, bool is_tls, unsigned in_flight, uint64_t count,
                 uint64_t seed, create_result *out)
{
    bodies all = { 0 };
    static run r;
    memset(&r, 0, sizeof(r));
    r.all = &all;
    r.in_flight = in_flight;
    r.wanted = count;
    r.seed = seed;
    r.latencies = calloc(count, sizeof(*r.latencies));
    pod_gen_options pods = { .pods = PODS_MAX, .seed = 1, .drops_managed_fields = true };
    bool is_good = r.latencies && pod_gen_list(&pods, keep, &all, NULL);
    find_specs(&all);
    for (unsigned i = 0; is_good && i < in_flight; i++) {
        is_good = http_client_open(&r.flights[i].client, server, is_tls);
        r.polls[i] = (struct pollfd){ .fd = r.flights[i].client.fd, .events = POLLIN };
    }
    double start = bench_now(), cpu = server_cpu_seconds(server);
    is_good = is_good && all.count > 0 && run_all(&r);
    out->seconds = bench_now() - start;
    out->server_cpu = server_cpu_seconds(server) - cpu;
    out->created = r.created;
    out->p50_ms = bench_percentile(r.latencies, r.created, 0.5);
    out->p99_ms = bench_percentile(r.latencies, r.created, 0.99);
    for (unsigned i = 0; i < in_flight; i++)
        http_client_close(&r.flights[i].client);
    free(r.latencies);
    free(all.bytes);
    return is_good;
}
