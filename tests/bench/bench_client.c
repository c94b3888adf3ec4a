/* SPDX-License-Identifier: Apache-2.0 */
/* bench_client.c -- the informer's part of `make bench`: a cold start on many pods, a stream of
 * events, reading the cache, notifying; and the same work by client-go, where it was built.
 *
 * Everybody works in a process of their own on the same bytes of a static source.  Nothing is
 * asserted: a figure is a figure of its machine, and the aims stand beside them. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/client_work.h"
#include "bench/size.h"
#include "bench/static_source.h"

enum {
    FIGURES_SIZE = 1024,
    WATCHED_PODS = 10000,
    RESTARTS = 1000,
    RESTARTED_PODS = 100,
};

typedef struct bench {
    const char *self;
    const char *client_go; /* the program; NULL: there is none */
    uint64_t pods;
    uint64_t events;
    uint64_t restarts;
    uint64_t rounds; /* of all contestants; the best counts for each */
} bench;

/* A line of name=value, as a worker prints it. */
typedef struct figures {
    char line[FIGURES_SIZE];
} figures;

static double figure(const figures *f, const char *name)
{
    char wanted[64];
    snprintf(wanted, sizeof(wanted), "%s=", name);
    for (const char *at = f->line; (at = strstr(at, wanted)) != NULL; at++) {
        if (at == f->line || at[-1] == ' ')
            return strtod(at + strlen(wanted), NULL);
    }
    return 0;
}

/* Runs a program and keeps its last line. */
static bool run(const char *const *words, figures *out)
{
    int ends[2];
    size_t len = 0;
    int code = 0;
    out->line[0] = '\0';
    if (pipe(ends) < 0)
        return false;
    (void)fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        union {
            const char *const *from;
            char *const *to;
        } argv = { .from = words };
        (void)dup2(ends[1], STDOUT_FILENO);
        (void)close(ends[0]);
        (void)close(ends[1]);
        (void)execv(words[0], argv.to);
        fprintf(stderr, "bench-client: %s: %s\n", words[0], strerror(errno));
        _exit(127);
    }
    (void)close(ends[1]);
    while (len < sizeof(out->line) - 1) {
        ssize_t got = read(ends[0], out->line + len, sizeof(out->line) - 1 - len);
        if (got <= 0)
            break;
        len += (size_t)got;
    }
    out->line[len] = '\0';
    (void)close(ends[0]);
    return pid > 0 && waitpid(pid, &code, 0) == pid && code == 0 && len > 0;
}

/* A worker on |source|: "list" by ourselves, "typed-json" and so on by client-go. */
static bool run_work(const bench *b, bool is_ours, const char *work, const char *mode,
                     const static_source *source, uint64_t pods, uint64_t events, figures *out)
{
    char pods_text[32], events_text[32];
    snprintf(pods_text, sizeof(pods_text), "%llu", (unsigned long long)pods);
    snprintf(events_text, sizeof(events_text), "%llu", (unsigned long long)events);
    const char *const ours[] = {
        b->self, "--work", mode, source->url, pods_text, events_text, NULL
    };
    const char *const theirs[] = { b->client_go, work,        mode, source->url,
                                   pods_text,    events_text, NULL };
    return run(is_ours ? ours : theirs, out);
}

/* Somebody who does the work, and what came of it. */
typedef struct contestant {
    const char *name;
    const char *mode;
    bool is_ours;
    const char *watch_mode; /* ours: for events; NULL: not measured */
    figures sync;           /* empty: none */
    figures watch;          /* likewise */
} contestant;

static contestant contestants[] = {
    { .name = "listwatch, list", .mode = "list", .is_ours = true, .watch_mode = "watch" },
    { .name = "listwatch, streamed list", .mode = "stream", .is_ours = true },
    { .name = "listwatch, compact on", .mode = "list-compact", .is_ours = true },
    { .name = "listwatch, compact off",
      .mode = "list-plain",
      .is_ours = true,
      .watch_mode = "watch-plain" },
    { .name = "listwatch, JSON", .mode = "list-json", .is_ours = true, .watch_mode = "watch-json" },
    { .name = "listwatch, JSON, compact on", .mode = "list-json-compact", .is_ours = true },
    { .name = "listwatch, 6 paths kept", .mode = "projected", .is_ours = true },
    { .name = "client-go typed, protobuf", .mode = "typed-protobuf" },
    { .name = "client-go typed, JSON", .mode = "typed-json" },
    { .name = "client-go dynamic, JSON", .mode = "dynamic-json" },
};

enum {
    CONTESTANTS = sizeof(contestants) / sizeof(contestants[0]),
};

static bool is_present(const bench *b, const contestant *c)
{
    return c->is_ours || b->client_go;
}

static void print_sync(const contestant *c)
{
    const figures *f = &c->sync;
    double peak = figure(f, "peak_kb"), rss = figure(f, "rss_kb");
    printf("  %-28s %8.0f %8.0f %9.0f %9.0f %6.2f %8.0f %8.1f %8.2f %8.0f\n", c->name,
           figure(f, "wall_ms"), figure(f, "cpu_ms"), peak / 1024, rss / 1024,
           rss > 0 ? peak / rss : 0, figure(f, "get_ns"), figure(f, "index_ns"),
           figure(f, "list_ms"), figure(f, "notify_ns"));
    (void)fflush(stdout);
}

/* Does the work once more and keeps the better figures. */
static bool run_again(const bench *b, const contestant *c, const char *work, const char *mode,
                      const static_source *source, uint64_t pods, uint64_t events, figures *best)
{
    figures once;
    if (!run_work(b, c->is_ours, work, mode, source, pods, events, &once))
        return false;
    if (best->line[0] == '\0' || figure(&once, "cpu_ms") < figure(best, "cpu_ms"))
        *best = once;
    return true;
}

static bool bench_sync(bench *b)
{
    static_source source;
    bool is_good = true;
    const static_source_options options = { .pods = b->pods };
    if (!static_source_start(&source, &options))
        return false;
    printf("cold start of an informer, %llu pods, managedFields dropped; then its cache\n"
           "  %-28s %8s %8s %9s %9s %6s %8s %8s %8s %8s\n",
           (unsigned long long)b->pods, "", "wall ms", "CPU ms", "peak MB", "then MB", "ratio",
           "get ns", "index ns", "list ms", "tell ns");
    for (uint64_t i = 0; i < b->rounds * CONTESTANTS; i++) {
        contestant *c = &contestants[i % CONTESTANTS];
        if (is_present(b, c))
            is_good &= run_again(b, c, "sync", c->mode, &source, b->pods, 0, &c->sync);
    }
    for (size_t i = 0; i < CONTESTANTS; i++) {
        if (contestants[i].sync.line[0])
            print_sync(&contestants[i]);
    }
    static_source_stop(&source);
    return is_good;
}

static bool bench_watch(bench *b)
{
    static_source source;
    bool is_good = true;
    uint64_t pods = b->pods < WATCHED_PODS ? b->pods : WATCHED_PODS;
    const static_source_options options = { .pods = pods, .events = b->events };
    if (!static_source_start(&source, &options))
        return false;
    printf("\n%llu events on %llu pods, as fast as they go, one handler\n"
           "  %-28s %10s %14s %9s\n",
           (unsigned long long)b->events, (unsigned long long)pods, "", "events/s", "us CPU/event",
           "peak MB");
    for (uint64_t i = 0; i < b->rounds * CONTESTANTS; i++) {
        contestant *c = &contestants[i % CONTESTANTS];
        const char *mode = c->is_ours ? c->watch_mode : c->mode;
        if (is_present(b, c) && mode)
            is_good &= run_again(b, c, "watch", mode, &source, pods, b->events, &c->watch);
    }
    for (size_t i = 0; i < CONTESTANTS; i++) {
        const contestant *c = &contestants[i];
        if (c->watch.line[0])
            printf("  %-28s %10.0f %14.2f %9.0f\n", c->name,
                   figure(&c->watch, "events") / figure(&c->watch, "wall_ms") * 1e3,
                   figure(&c->watch, "cpu_ms") * 1e3 / figure(&c->watch, "events"),
                   figure(&c->watch, "peak_kb") / 1024);
        (void)fflush(stdout);
    }
    static_source_stop(&source);
    return is_good;
}

static bool bench_restarts(bench *b)
{
    static_source source;
    figures f;
    static_source_options options = { .pods = RESTARTED_PODS };
    if (!static_source_start(&source, &options))
        return false;
    bool is_good = run_work(b, true, "", "restarts", &source, RESTARTED_PODS, b->restarts, &f);
    static_source_stop(&source);
    if (is_good)
        printf("\n%.0f informers started and stopped: RSS %+.0f KB, %.2f ms CPU each (aim: no "
               "leak)\n",
               figure(&f, "restarts"), figure(&f, "growth_kb"),
               figure(&f, "cpu_ms") / figure(&f, "restarts"));
    return is_good;
}

/* "1/23" of what |other| takes. */
static void print_share(const char *what, const figures *ours, const figures *other,
                        const char *name, double aim)
{
    double mine = figure(ours, name), theirs = figure(other, name);
    if (mine > 0 && theirs > 0)
        printf("  %-58s 1/%-6.1f (aim 1/%.0f: %s)\n", what, theirs / mine, aim,
               theirs / mine >= aim ? "met" : "missed");
}

static const contestant *contestant_of(const char *mode)
{
    for (size_t i = 0; i < CONTESTANTS; i++) {
        if (strcmp(contestants[i].mode, mode) == 0)
            return &contestants[i];
    }
    return NULL;
}

static void print_shares(void)
{
    const figures *ours = &contestant_of("list")->sync;
    const figures *compact = &contestant_of("list-compact")->sync;
    const figures *json = &contestant_of("list-json")->sync;
    const figures *protobuf = &contestant_of("typed-protobuf")->sync;
    const figures *dynamic = &contestant_of("dynamic-json")->sync;
    print_share("cold start: CPU, of client-go's with protobuf", ours, protobuf, "cpu_ms", 10);
    print_share("cold start: memory that stays", ours, protobuf, "rss_kb", 8);
    print_share("cold start: memory that stays, compact on", compact, protobuf, "rss_kb", 12);
    print_share("cold start: peak of the memory", ours, protobuf, "peak_kb", 12);
    print_share("cold start from JSON: CPU, of client-go's dynamic", json, dynamic, "cpu_ms", 50);
    print_share("cold start from JSON: memory that stays", json, dynamic, "rss_kb", 25);
    print_share("events: CPU, of client-go's with protobuf", &contestant_of("list")->watch,
                &contestant_of("typed-protobuf")->watch, "cpu_ms", 10);
}

static void print_aims(const bench *b)
{
    const contestant *ours = contestant_of("list");
    printf("\naims\n");
    if (b->client_go)
        print_shares();
    double event = figure(&ours->watch, "cpu_ms") * 1e3 / figure(&ours->watch, "events");
    double ratio = figure(&ours->sync, "peak_kb") / figure(&ours->sync, "rss_kb");
    printf("  %-58s %-8.2f (aim 5: %s)\n", "us CPU an event", event, event <= 5 ? "met" : "missed");
    printf("  %-58s %-8.2f (aim 1.3: %s)\n", "peak of the cold start to what stays", ratio,
           ratio <= 1.3 ? "met" : "missed");
}

static int run_bench(bench *b)
{
    if (!b->client_go)
        printf("client-go: not measured, as --client-go names no program\n\n");
    bool is_good = bench_sync(b) && bench_watch(b) && bench_restarts(b);
    if (is_good)
        print_aims(b);
    return is_good ? 0 : 1;
}

static int usage(void)
{
    fputs("usage: bench-client [--pods N] [--events N] [--restarts N] [--rounds N] "
          "[--client-go PROGRAM]\n",
          stderr);
    return 2;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        { "pods", required_argument, NULL, 'p' },
        { "events", required_argument, NULL, 'e' },
        { "restarts", required_argument, NULL, 'r' },
        { "client-go", required_argument, NULL, 'g' },
        { "rounds", required_argument, NULL, 'n' },
        { "work", required_argument, NULL, 'w' },
        { NULL, 0, NULL, 0 },
    };
    bench b = { .self = "/proc/self/exe",
                .pods = 100000,
                .events = 100000,
                .restarts = RESTARTS,
                .rounds = 1 };
    const char *work = NULL;
    bool is_good = true;
    int option;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (option) {
        case 'p': is_good = is_good && parse_size(optarg, &b.pods); break;
        case 'e': is_good = is_good && parse_size(optarg, &b.events); break;
        case 'r': is_good = is_good && parse_size(optarg, &b.restarts); break;
        case 'n': is_good = is_good && parse_size(optarg, &b.rounds) && b.rounds > 0; break;
        case 'g': b.client_go = optarg[0] ? optarg : NULL; break;
        case 'w': work = optarg; break;
        default: is_good = false;
        }
    }
    if (is_good && work && argc - optind == 3) {
        uint64_t pods = strtoull(argv[optind + 1], NULL, 10);
        return client_work(work, argv[optind], pods, strtoull(argv[optind + 2], NULL, 10));
    }
    return is_good && !work && optind == argc ? run_bench(&b) : usage();
}
