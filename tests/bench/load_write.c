/* SPDX-License-Identifier: Apache-2.0 */
/* load_write.c -- how fast objects are written down: each answer means that the object is on disk.
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
    BODY_MAX = 64 * 1024,
    TARGET_MAX = 256,
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

/* An answer that is kept, to be sent again. */
typedef struct answer {
    char *bytes;
    size_t len;
} answer;

typedef struct flight {
    http_client client;
    double sent_at;
    uint64_t pod;
} flight;

typedef struct run {
    const bodies *all;
    write_verb verb;
    flight flights[IN_FLIGHT_MAX];
    struct pollfd polls[IN_FLIGHT_MAX];
    unsigned in_flight;
    uint64_t wanted, sent, written, seed;
    double *latencies;
    answer *answers; /* of creates, for updates; NULL: not wanted */
} run;

static int write_manifest(const run *r, uint64_t pod, char turn, char *out)
{
    size_t pick = pod % r->all->count;
    return snprintf(
        out, BODY_MAX,
        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"p-%llu-%llu\","
        "\"labels\":{\"app\":\"bench\",\"n\":\"%llu\",\"turn\":\"%c\"}},%.*s}",
        (unsigned long long)r->seed, (unsigned long long)pod, (unsigned long long)pod % 100, turn,
        (int)r->all->size[pick], r->all->bytes + r->all->at[pick]);
}

static int write_create(const run *r, uint64_t pod, char *out)
{
    return write_manifest(r, pod, '0', out);
}

/* The answer to the create, with another label. */
static int write_update(const run *r, uint64_t pod, char *out)
{
    static const char mark[] = "\"turn\":\"0";
    const answer *kept = &r->answers[pod];
    char *label;
    if (kept->len > BODY_MAX)
        return -1;
    memcpy(out, kept->bytes, kept->len);
    label = memmem(out, kept->len, mark, sizeof(mark) - 1);
    if (label)
        label[sizeof(mark) - 2] = '1';
    return label ? (int)kept->len : -1;
}

static int write_status(const run *r, uint64_t pod, char *out)
{
    (void)r;
    return snprintf(
        out, BODY_MAX,
        "{\"status\":{\"phase\":\"Running\",\"podIP\":\"10.0.%llu.%llu\","
        "\"startTime\":\"2026-01-01T00:00:00Z\",\"conditions\":["
        "{\"type\":\"Initialized\",\"status\":\"True\",\"lastTransitionTime\":"
        "\"2026-01-01T00:00:00Z\"},{\"type\":\"Ready\",\"status\":\"True\","
        "\"lastTransitionTime\":\"2026-01-01T00:00:01Z\"}],\"containerStatuses\":[{\"name\":"
        "\"app\",\"image\":\"app:1\",\"imageID\":\"app@1\",\"ready\":true,\"restartCount\":0,"
        "\"state\":{\"running\":{\"startedAt\":\"2026-01-01T00:00:01Z\"}}}]}}",
        (unsigned long long)(pod / 250) % 250, (unsigned long long)pod % 250);
}

static int write_apply(const run *r, uint64_t pod, char *out)
{
    return write_manifest(r, pod, '2', out);
}

/* How each is asked for; |after| follows the pod's name. */
static const struct {
    const char *method;
    const char *content_type;
    const char *after;
    int status;
    int (*write_body)(const run *r, uint64_t pod, char *out); /* its length; < 0: cannot */
} verbs[WRITE_VERBS] = {
    [WRITE_CREATE] = { "POST", NULL, NULL, 201, write_create },
    [WRITE_UPDATE] = { "PUT", NULL, "?fieldManager=controller", 200, write_update },
    [WRITE_STATUS] = { "PATCH", "application/strategic-merge-patch+json",
                       "/status?fieldManager=kubelet", 200, write_status },
    [WRITE_APPLY] = { "PATCH", "application/apply-patch+yaml", "?fieldManager=applier&force=true",
                      200, write_apply },
};

static bool send_next(run *r, flight *f)
{
    static char body[BODY_MAX];
    char target[TARGET_MAX] = "/api/v1/namespaces/default/pods?fieldManager=creator";
    f->pod = r->sent++;
    if (verbs[r->verb].after)
        snprintf(target, sizeof(target), "/api/v1/namespaces/default/pods/p-%llu-%llu%s",
                 (unsigned long long)r->seed, (unsigned long long)f->pod, verbs[r->verb].after);
    int len = verbs[r->verb].write_body(r, f->pod, body);
    f->client.content_type = verbs[r->verb].content_type;
    f->sent_at = bench_now();
    return len >= 0 &&
           http_client_send(&f->client, verbs[r->verb].method, target, body, (size_t)len);
}

static void ignore(const char *bytes, size_t len, void *arg)
{
    (void)bytes;
    (void)len;
    (void)arg;
}

static void keep_answer(const char *bytes, size_t len, void *arg)
{
    answer *kept = arg;
    char *grown = realloc(kept->bytes, kept->len + len);
    if (!grown)
        return;
    memcpy(grown + kept->len, bytes, len);
    kept->bytes = grown;
    kept->len += len;
}

/* A reply may have come on |f|: counts it and sends the next request. */
static bool step(run *r, flight *f)
{
    bool keeps = r->verb == WRITE_CREATE && r->answers;
    do {
        if (http_client_read(&f->client, keeps ? keep_answer : ignore,
                             keeps ? &r->answers[f->pod] : NULL) < 0) {
            fprintf(stderr, "%s: the connection is lost\n", verbs[r->verb].method);
            return false;
        }
    } while (!f->client.is_complete && http_client_has_more(&f->client));
    if (!f->client.is_complete)
        return true;
    if (f->client.status != verbs[r->verb].status) {
        fprintf(stderr, "%s: HTTP %d\n", verbs[r->verb].method, f->client.status);
        return false;
    }
    r->latencies[r->written++] = (bench_now() - f->sent_at) * 1e3;
    return r->sent == r->wanted || send_next(r, f);
}

static bool run_all(run *r)
{
    for (unsigned i = 0; i < r->in_flight; i++) {
        if (r->sent < r->wanted && !send_next(r, &r->flights[i]))
            return false;
    }
    while (r->written < r->wanted) {
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

/* All pods once, with |verb|. */
static bool run_verb(run *r, const server_process *server, write_verb verb, write_result *out)
{
    r->verb = verb;
    r->sent = r->written = 0;
    double start = bench_now(), cpu = server_cpu_seconds(server);
    bool is_good = run_all(r);
    *out = (write_result){
        .written = r->written,
        .seconds = bench_now() - start,
        .server_cpu = server_cpu_seconds(server) - cpu,
        .p50_ms = bench_percentile(r->latencies, r->written, 0.5),
        .p99_ms = bench_percentile(r->latencies, r->written, 0.99),
    };
    return is_good;
}

static bool run_begin(run *r, const server_process *server, bool is_tls, bodies *all)
{
    pod_gen_options pods = { .pods = PODS_MAX, .seed = 1, .drops_managed_fields = true };
    r->all = all;
    r->latencies = calloc(r->wanted, sizeof(*r->latencies));
    bool is_good = r->latencies && pod_gen_list(&pods, keep, all, NULL);
    find_specs(all);
    for (unsigned i = 0; is_good && i < r->in_flight; i++) {
        is_good = http_client_open(&r->flights[i].client, server, is_tls);
        r->polls[i] = (struct pollfd){ .fd = r->flights[i].client.fd, .events = POLLIN };
    }
    return is_good && all->count > 0;
}

static void run_end(run *r, bodies *all)
{
    for (unsigned i = 0; i < r->in_flight; i++)
        http_client_close(&r->flights[i].client);
    for (uint64_t i = 0; r->answers && i < r->wanted; i++)
        free(r->answers[i].bytes);
    free(r->answers);
    free(r->latencies);
    free(all->bytes);
}

bool load_create(const server_process *server, bool is_tls, unsigned in_flight, uint64_t count,
                 uint64_t seed, write_result *out)
{
    static run r;
    bodies all = { 0 };
    r = (run){ .in_flight = in_flight, .wanted = count, .seed = seed };
    bool is_good = run_begin(&r, server, is_tls, &all) && run_verb(&r, server, WRITE_CREATE, out);
    run_end(&r, &all);
    return is_good;
}

bool load_writes(const server_process *server, bool is_tls, unsigned in_flight, uint64_t count,
                 uint64_t seed, write_result out[WRITE_VERBS])
{
    static run r;
    bodies all = { 0 };
    r = (run){ .in_flight = in_flight, .wanted = count, .seed = seed };
    bool is_good = run_begin(&r, server, is_tls, &all);
    r.answers = calloc(count, sizeof(*r.answers));
    for (int verb = 0; is_good && r.answers && verb < WRITE_VERBS; verb++)
        is_good = run_verb(&r, server, (write_verb)verb, &out[verb]);
    is_good = is_good && r.answers;
    run_end(&r, &all);
    return is_good;
}
