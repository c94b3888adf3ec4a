/* SPDX-License-Identifier: Apache-2.0 */
/* load_fanout.c -- one writer, many watchers: what a delivery costs and how long it takes.
 *
 * Each change carries the moment at which it was sent; a watcher that gets it reads that moment
 * out of the bytes, without parsing them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench/server_load.h"

enum {
    FILLER = 800, /* with its metadata an event is about 1.1 KB */
    EVENTS_AT_ONCE = 256,
};

typedef struct watcher {
    http_client client;
    const char *mark; /* what comes before the moment */
    uint64_t events;
    bool is_over;
    char carry[64]; /* the end of the last bytes: a mark may be cut in two */
    size_t carry_len;
} watcher;

typedef struct run {
    const server_process *server;
    const fanout_options *options;
    watcher *watchers;
    int epoll;
    http_client writer;
    bool writer_is_busy;
    unsigned written;
    double *latencies; /* a sample */
    size_t latency_count, latency_max;
    uint64_t deliveries;
    double started;
} run;

enum {
    STAMP = 24, /* bytes of the moment */
};

static const char json_mark[] = "\"sent\":\"";
static const char protobuf_mark[] = "sent\x12\x18"; /* the key of a map, and STAMP bytes of value */

static void note(run *r, watcher *w, const char *stamp)
{
    double sent = strtod(stamp, NULL);
    w->events++;
    r->deliveries++;
    /* Every event of some watchers, rather than some events of all. */
    if (r->latency_count < r->latency_max)
        r->latencies[r->latency_count++] = (bench_now() - sent) * 1e3;
}

typedef struct context {
    run *r;
    watcher *w;
} context;

static void look_for_marks(const char *bytes, size_t len, void *arg)
{
    context *c = arg;
    watcher *w = c->w;
    static char joined[512 * 1024];
    if (w->carry_len + len > sizeof(joined) - 1)
        len = sizeof(joined) - 1 - w->carry_len;
    memcpy(joined, w->carry, w->carry_len);
    memcpy(joined + w->carry_len, bytes, len);
    size_t total = w->carry_len + len;
    joined[total] = '\0';
    const char *at = joined, *end = joined + total;
    const size_t mark_len = strlen(w->mark), whole = mark_len + STAMP;
    for (;;) {
        const char *found = memmem(at, (size_t)(end - at), w->mark, mark_len);
        if (!found || (size_t)(end - found) < whole) {
            if (found)
                at = found;
            break;
        }
        note(c->r, w, found + mark_len);
        at = found + whole;
    }
    size_t keep = (size_t)(end - at);
    if (keep > whole - 1)
        keep = whole - 1;
    memcpy(w->carry, end - keep, keep);
    w->carry_len = keep;
}

static bool write_change(run *r)
{
    static char filler[FILLER + 1];
    if (!filler[0])
        memset(filler, 'x', FILLER);
    char body[2048];
    int len = snprintf(body, sizeof(body),
                       "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":"
                       "\"change\",\"namespace\":\"default\"},\"data\":{\"filler\":\"%s\","
                       "\"sent\":\"%024.9f\"}}",
                       filler, bench_now());
    r->writer_is_busy = true;
    r->written++;
    return http_client_send(&r->writer, "PUT", "/api/v1/namespaces/default/configmaps/change", body,
                            (size_t)len);
}

static bool create_subject(run *r)
{
    static const char body[] =
        "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":"
        "\"change\"},\"data\":{}}";
    int status = http_client_call(&r->writer, "POST", "/api/v1/namespaces/default/configmaps", body,
                                  sizeof(body) - 1, NULL, NULL);
    return status == 201 || status == 409;
}

/* Those that get changes, then those elsewhere. */
static unsigned all_watchers(const run *r)
{
    return r->options->watchers + r->options->elsewhere;
}

static bool open_watchers(run *r)
{
    for (unsigned i = 0; i < all_watchers(r); i++) {
        watcher *w = &r->watchers[i];
        unsigned every = r->options->protobuf_every;
        bool is_protobuf = every > 0 && i % every == 0;
        char path[192], ns[32] = "default";
        if (i >= r->options->watchers)
            (void)snprintf(ns, sizeof(ns), "elsewhere-%u", i);
        (void)snprintf(path, sizeof(path),
                       "/api/v1/namespaces/%s/configmaps?watch=1&resourceVersion=0"
                       "&sendInitialEvents=false&resourceVersionMatch=NotOlderThan",
                       ns);
        if (!http_client_open(&w->client, r->server, r->options->is_tls))
            return false;
        w->client.accept = is_protobuf ? BENCH_PROTOBUF : NULL;
        w->mark = is_protobuf ? protobuf_mark : json_mark;
        if (!http_client_send(&w->client, "GET", path, NULL, 0))
            return false;
        /* The head of the reply says that the watch is there. */
        while (!w->client.in_body) {
            if (http_client_read(&w->client, NULL, NULL) <= 0)
                return false;
        }
        if (w->client.status != 200) {
            fprintf(stderr, "watch: HTTP %d\n", w->client.status);
            return false;
        }
        http_client_set_blocking(&w->client, false);
        struct epoll_event wanted = { .events = EPOLLIN, .data.ptr = w };
        if (epoll_ctl(r->epoll, EPOLL_CTL_ADD, w->client.fd, &wanted) < 0)
            return false;
    }
    return true;
}

/* Reads what is there of one watcher. */
static void drain(run *r, watcher *w)
{
    context c = { r, w };
    int got;
    while ((got = http_client_read(&w->client, look_for_marks, &c)) > 0 && !w->client.is_complete)
        ;
    if (got < 0 || w->client.is_complete) {
        w->is_over = true;
        (void)epoll_ctl(r->epoll, EPOLL_CTL_DEL, w->client.fd, NULL);
    }
}

/* The writer's reply, and the next change when it is due.  False: the writer failed. */
static bool turn_writer(run *r, bool has_reply)
{
    if (has_reply && r->writer_is_busy) {
        if (http_client_read(&r->writer, NULL, NULL) < 0)
            return false;
        if (r->writer.is_complete && r->writer.status != 200) {
            fprintf(stderr, "update: HTTP %d\n", r->writer.status);
            return false;
        }
        r->writer_is_busy = !r->writer.is_complete;
    }
    if (r->writer_is_busy || r->written == r->options->writes)
        return true;
    double due = r->options->rate > 0 ? r->started + r->written / r->options->rate : 0;
    return bench_now() < due || write_change(r);
}

static bool run_all(run *r)
{
    struct epoll_event writer = { .events = EPOLLIN, .data.ptr = NULL };
    if (epoll_ctl(r->epoll, EPOLL_CTL_ADD, r->writer.fd, &writer) < 0)
        return false;
    uint64_t expected = (uint64_t)r->options->watchers * r->options->writes;
    r->started = bench_now();
    double last_news = r->started;
    while (r->deliveries < expected && bench_now() - last_news < 20) {
        struct epoll_event events[EVENTS_AT_ONCE];
        uint64_t before = r->deliveries;
        int count = epoll_wait(r->epoll, events, EVENTS_AT_ONCE, 1);
        bool has_reply = false;
        for (int i = 0; i < count; i++) {
            if (events[i].data.ptr)
                drain(r, events[i].data.ptr);
            else
                has_reply = true;
        }
        if (!turn_writer(r, has_reply))
            return false;
        if (r->deliveries != before)
            last_news = bench_now();
    }
    return true;
}

static void allow_many_files(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
}

static void count_lost(const run *r, fanout_result *out)
{
    out->lost = 0;
    for (unsigned i = 0; i < r->options->watchers; i++) {
        if (r->watchers[i].is_over || r->watchers[i].events != r->options->writes)
            out->lost++;
    }
}

bool load_fanout(const server_process *server, const fanout_options *options, fanout_result *out)
{
    allow_many_files();
    run r = { .server = server, .options = options, .latency_max = 2000000 };
    r.epoll = epoll_create1(EPOLL_CLOEXEC);
    r.watchers = calloc(all_watchers(&r), sizeof(*r.watchers));
    r.latencies = calloc(r.latency_max, sizeof(*r.latencies));
    bool is_good = r.watchers && r.latencies && r.epoll >= 0;
    for (unsigned i = 0; is_good && i < all_watchers(&r); i++)
        r.watchers[i].client.fd = -1;
    is_good = is_good && http_client_open(&r.writer, server, options->is_tls) && create_subject(&r);
    uint64_t rss = server_rss_kib(server);
    is_good = is_good && open_watchers(&r);
    out->rss_per_watcher_kib =
        (double)(int64_t)(server_rss_kib(server) - rss) / (double)all_watchers(&r);
    double start = bench_now(), cpu = server_cpu_seconds(server);
    is_good = is_good && (options->writes == 0 || run_all(&r));
    out->seconds = bench_now() - start;
    out->server_cpu = server_cpu_seconds(server) - cpu;
    out->deliveries = r.deliveries;
    out->p50_ms = bench_percentile(r.latencies, r.latency_count, 0.5);
    out->p99_ms = bench_percentile(r.latencies, r.latency_count, 0.99);
    count_lost(&r, out);
    for (unsigned i = 0; r.watchers && i < all_watchers(&r); i++)
        http_client_close(&r.watchers[i].client);
    http_client_close(&r.writer);
    close(r.epoll);
    free(r.watchers);
    free(r.latencies);
    return is_good;
}
