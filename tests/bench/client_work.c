/* SPDX-License-Identifier: Apache-2.0 */
/* client_work.c -- the work that clients are measured by, done by this library. */
#include "bench/client_work.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <listwatch.h>

enum {
    INDEX_READS = 2000,
    LIST_READS = 20,
};

/* What has been used up to now. */
typedef struct moment {
    double wall_ms;
    double cpu_ms;
} moment;

static double milliseconds(struct timeval t)
{
    return (double)t.tv_sec * 1e3 + (double)t.tv_usec / 1e3;
}

static moment now(void)
{
    struct timespec t;
    struct rusage usage;
    clock_gettime(CLOCK_MONOTONIC, &t);
    getrusage(RUSAGE_SELF, &usage);
    return (moment){ (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6,
                     milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime) };
}

static long peak_kb(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static long rss_kb(void)
{
    long total = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file)
        return 0;
    if (fscanf(file, "%ld %ld", &total, &resident) != 2)
        resident = 0;
    fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* An informer of pods in our own loop. */
typedef struct work {
    lw_client *client;
    lw_factory *factory;
    lw_informer *pods;
    uint64_t told; /* events that handlers were told of */
} work;

static void on_event(const lw_event *event, void *arg)
{
    work *w = arg;
    (void)event;
    w->told++;
}

static lw_status make_client(work *w, const char *url, lw_error *err)
{
    lw_config *config = NULL;
    lw_config_options options = LW_CONFIG_OPTIONS_INIT;
    options.server = url;
    lw_status st = lw_config_load(&config, &options, err);
    if (st == LW_OK)
        st = lw_client_new(&w->client, config, NULL, err);
    lw_config_unref(config);
    return st;
}

/* How an informer gets its pods. */
typedef struct way {
    bool lists_only, is_projected, is_json_only;
    const char *compact;
} way;

static lw_status make_informer(work *w, way how, lw_error *err)
{
    static const char *const six[] = { "/spec/nodeName",
                                       "/spec/containers/*/name",
                                       "/spec/containers/*/image",
                                       "/status/phase",
                                       "/status/podIP",
                                       "/status/conditions",
                                       NULL };
    const lw_handler handler = { .on_event = on_event, .arg = w };
    lw_factory_options options = { .size = sizeof(lw_factory_options),
                                   .client = w->client,
                                   .lists_only = how.lists_only,
                                   .encoding = how.is_json_only ? "json" : NULL,
                                   .compact = how.compact };
    if (how.is_projected)
        options.read.keep = six;
    lw_status st = lw_factory_new(&w->factory, &options, err);
    if (st == LW_OK)
        st = lw_factory_informer(w->factory, "pods", &w->pods, err);
    if (st == LW_OK)
        st = lw_informer_add_index_path(w->pods, "node", "/spec/nodeName", err);
    if (st == LW_OK)
        st = lw_informer_add_handler(w->pods, &handler, NULL, err);
    return st;
}

static void work_done(work *w)
{
    lw_factory_free(w->factory);
    lw_client_unref(w->client);
}

static lw_status turn(work *w, lw_error *err)
{
    struct pollfd fd = { .fd = lw_factory_fd(w->factory), .events = POLLIN };
    (void)poll(&fd, 1, lw_factory_timeout_ms(w->factory));
    return lw_factory_dispatch(w->factory, err);
}

/* Drives the informer until its handler was told of |count| events. */
static lw_status run_until(work *w, uint64_t count, lw_error *err)
{
    lw_status st = LW_OK;
    while (st == LW_OK && (!lw_informer_is_synced(w->pods) || w->told < count))
        st = turn(w, err);
    return st;
}

/* Objects by name, in the order of a list: no better for a cache than any other. */
static void measure_reads(const work *w)
{
    const lw_lister *lister = lw_informer_lister(w->pods);
    lw_object_list *all = lw_lister_list(lister, NULL, NULL);
    size_t count = lw_object_list_count(all), found = 0;
    moment start = now();
    for (size_t i = 0; i < count; i++) {
        const lw_object *obj = lw_object_list_at(all, i);
        lw_object *got = lw_lister_get(lister, lw_object_namespace(obj), lw_object_name(obj));
        found += got != NULL;
        lw_object_unref(got);
    }
    moment end = now();
    if (count > 0)
        printf(" get_ns=%.0f", (end.cpu_ms - start.cpu_ms) * 1e6 / (double)count);

    size_t hits = 0;
    start = now();
    for (size_t i = 0; i < INDEX_READS && i < count; i++) {
        lw_object_list *there = NULL;
        const char *node = lw_object_string(lw_object_list_at(all, i), "/spec/nodeName", "");
        if (lw_lister_by_index(lister, "node", node, &there, NULL) == LW_OK)
            hits += lw_object_list_count(there);
        lw_object_list_free(there);
    }
    end = now();
    if (hits > 0)
        printf(" index_ns=%.1f", (end.cpu_ms - start.cpu_ms) * 1e6 / (double)hits);

    start = now();
    for (int i = 0; i < LIST_READS; i++)
        lw_object_list_free(lw_lister_list(lister, NULL, NULL));
    end = now();
    printf(" list_ms=%.2f found=%zu", (end.cpu_ms - start.cpu_ms) / LIST_READS, found);
    lw_object_list_free(all);
}

/* A handler that joins late is told of every object: nothing but notifications. */
static lw_status measure_notifications(work *w, lw_error *err)
{
    const lw_handler handler = { .on_event = on_event, .arg = w };
    lw_registration *late = NULL;
    uint64_t before = w->told;
    moment start = now();
    lw_status st = lw_informer_add_handler(w->pods, &handler, &late, err);
    while (st == LW_OK && !lw_registration_is_synced(late))
        st = turn(w, err);
    moment end = now();
    if (st == LW_OK && w->told > before)
        printf(" notify_ns=%.0f", (end.cpu_ms - start.cpu_ms) * 1e6 / (double)(w->told - before));
    return st;
}

static lw_status work_sync(const char *url, uint64_t pods, way how, lw_error *err)
{
    work w = { NULL, NULL, NULL, 0 };
    moment start = now();
    lw_status st = make_client(&w, url, err);
    if (st == LW_OK)
        st = make_informer(&w, how, err);
    if (st == LW_OK)
        st = run_until(&w, pods, err);
    moment end = now();
    if (st == LW_OK) {
        printf("objects=%zu wall_ms=%.1f cpu_ms=%.1f peak_kb=%ld rss_kb=%ld",
               lw_lister_count(lw_informer_lister(w.pods)), end.wall_ms - start.wall_ms, end.cpu_ms,
               peak_kb(), rss_kb());
        measure_reads(&w);
        st = measure_notifications(&w, err);
        printf("\n");
    }
    work_done(&w);
    return st;
}

static lw_status work_watch(const char *url, uint64_t pods, uint64_t events, way how, lw_error *err)
{
    work w = { NULL, NULL, NULL, 0 };
    moment start = now(), end = start;
    lw_status st = make_client(&w, url, err);
    if (st == LW_OK)
        st = make_informer(&w, how, err);
    if (st == LW_OK)
        st = run_until(&w, pods, err);
    uint64_t early = w.told > pods ? w.told - pods : 0; /* came with the last pods */
    start = now();
    if (st == LW_OK)
        st = run_until(&w, pods + events, err);
    end = now();
    if (st == LW_OK)
        printf("events=%llu wall_ms=%.1f cpu_ms=%.1f peak_kb=%ld rss_kb=%ld\n",
               (unsigned long long)(events - early), end.wall_ms - start.wall_ms,
               end.cpu_ms - start.cpu_ms, peak_kb(), rss_kb());
    work_done(&w);
    return st;
}

/* Informers one after the other, each until it is synced.  The first hundred warm things up. */
static lw_status work_restarts(const char *url, uint64_t pods, uint64_t count, lw_error *err)
{
    lw_status st = LW_OK;
    long before = 0;
    moment start = now();
    for (uint64_t i = 0; st == LW_OK && i < count + 100; i++) {
        work w = { NULL, NULL, NULL, 0 };
        if (i == 100) {
            before = rss_kb();
            start = now();
        }
        st = make_client(&w, url, err);
        if (st == LW_OK)
            st = make_informer(&w, (way){ .lists_only = i % 2 != 0 }, err);
        if (st == LW_OK)
            st = lw_factory_start(w.factory, err);
        if (st == LW_OK)
            st = lw_factory_wait_for_sync(w.factory, 30, err);
        work_done(&w);
    }
    moment end = now();
    if (st == LW_OK)
        printf("objects=%llu restarts=%llu cpu_ms=%.1f growth_kb=%ld rss_kb=%ld\n",
               (unsigned long long)pods, (unsigned long long)count, end.cpu_ms - start.cpu_ms,
               rss_kb() - before, rss_kb());
    return st;
}

int client_work(const char *name, const char *url, uint64_t pods, uint64_t events)
{
    lw_error err = LW_ERROR_INIT;
    lw_status st = LW_ERR_INVALID;
    way how = { .lists_only = strcmp(name, "stream") != 0,
                .is_projected = strcmp(name, "projected") == 0,
                .is_json_only = strstr(name, "json") != NULL };
    if (strstr(name, "compact"))
        how.compact = "on";
    else if (strstr(name, "plain"))
        how.compact = "off";
    if (strncmp(name, "list", 4) == 0 || !how.lists_only || how.is_projected)
        st = work_sync(url, pods, how, &err);
    else if (strncmp(name, "watch", 5) == 0)
        st = work_watch(url, pods, events, how, &err);
    else if (strcmp(name, "restarts") == 0)
        st = work_restarts(url, pods, events, &err);
    if (st < 0)
        fprintf(stderr, "bench-client: %s: %s\n", name,
                err.message[0] ? err.message : lw_status_name(st));
    return st == LW_OK ? 0 : 1;
}
