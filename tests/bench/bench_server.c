/* SPDX-License-Identifier: Apache-2.0 */
/* bench_server.c -- the server's part of `make bench`: start, list, fan-out, writes, each plain and
 * over TLS, printed as a table.  Nothing is asserted: a figure is a figure of its machine. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/server_load.h"
#include "bench/size.h"

typedef struct bench {
    const char *program;
    const char *folder;
    uint64_t pods;
    bool is_quick;           /* a tenth of everything: to see that it works */
    const char *only;        /* one part; NULL: all */
    server_process attached; /* somebody else's server, by TLS only; pid 0: none */
} bench;

static const char *kind_of(bool is_tls)
{
    return is_tls ? "TLS" : "plain";
}

static bool bench_ready(const bench *b)
{
    double best = 0;
    uint64_t rss = 0;
    for (int i = 0; i < 5; i++) {
        server_process server;
        if (!server_start(&server, b->program, b->folder))
            return false;
        if (i == 0 || server.ready_ms < best)
            best = server.ready_ms;
        rss = server_rss_kib(&server);
        server_stop(&server);
    }
    printf("%-44s %8.1f ms   (aim < 25)\n", "start to ready, empty, first start (best of 5)", best);
    printf("%-44s %8.1f MB   (aim < 14)\n", "RSS when empty", (double)rss / 1024);
    return true;
}

static bool bench_creates(const bench *b, const server_process *server)
{
    static const unsigned in_flight[] = { 1, 16, 64 };
    for (int tls = b->attached.pid ? 1 : 0; tls <= 1; tls++) {
        for (size_t i = 0; i < sizeof(in_flight) / sizeof(in_flight[0]); i++) {
            uint64_t count = in_flight[i] * (in_flight[i] == 1 ? 2000 : 300);
            write_result result;
            if (!load_create(server, tls, in_flight[i], b->is_quick ? count / 10 : count,
                             1000 + i + 10 * (uint64_t)tls, &result))
                return false;
            printf("durable creates, %2u in flight, %-5s %17.0f /s   p50 %.2f ms, p99 %.2f ms, "
                   "%.0f us CPU each\n",
                   in_flight[i], kind_of(tls), (double)result.written / result.seconds,
                   result.p50_ms, result.p99_ms, result.server_cpu * 1e6 / (double)result.written);
            fflush(stdout);
        }
    }
    return true;
}

/* The same pods created, updated, patched and applied: what each way of writing costs. */
static bool bench_writes(const bench *b, const server_process *server)
{
    static const char *const names[WRITE_VERBS] = {
        [WRITE_CREATE] = "create",
        [WRITE_UPDATE] = "update",
        [WRITE_STATUS] = "status patch",
        [WRITE_APPLY] = "apply",
    };
    write_result results[WRITE_VERBS];
    if (!load_writes(server, b->attached.pid != 0, 16, b->is_quick ? 400 : 4000, 2000, results))
        return false;
    for (int i = 0; i < WRITE_VERBS; i++)
        printf("pods, 16 in flight: %-12s %25.0f /s   p50 %.2f ms, p99 %.2f ms, %.0f us CPU each\n",
               names[i], (double)results[i].written / results[i].seconds, results[i].p50_ms,
               results[i].p99_ms, results[i].server_cpu * 1e6 / (double)results[i].written);
    return true;
}

/* One way to read all pods. */
typedef struct reading {
    const char *name;
    bool (*load)(const server_process *server, bool is_tls, const char *accept, unsigned rounds,
                 list_result *out);
    const char *accept; /* NULL: JSON */
    const char *form;
    unsigned rounds;
} reading;

static bool read_pods(const server_process *server, bool is_tls, const reading *r)
{
    list_result result;
    if (!r->load(server, is_tls, r->accept, r->rounds, &result))
        return false;
    printf("%s of all pods (%.0f MB), %-5s %-14s %12.0f MB/s  (aim > 1000) %.0f ms CPU, RSS %+.1f "
           "MB\n",
           r->name, (double)result.bytes / 1e6, kind_of(is_tls), r->form,
           (double)result.bytes / 1e6 / result.seconds, result.server_cpu * 1e3,
           (double)(int64_t)(result.rss_after_kib - result.rss_before_kib) / 1024);
    fflush(stdout);
    return true;
}

/* The first list in protobuf is encoded, the next ones are sent. */
static bool bench_lists(const bench *b, const server_process *server)
{
    static const reading readings[] = {
        { "list", load_list, NULL, "JSON", 5 },
        { "list", load_list, BENCH_PROTOBUF, "protobuf, cold", 1 },
        { "list", load_list, BENCH_PROTOBUF, "protobuf, warm", 5 },
        { "initial state", load_initial, NULL, "JSON", 5 },
        { "initial state", load_initial, BENCH_PROTOBUF, "protobuf", 5 },
    };
    write_result filled;
    bool is_tls_only = b->attached.pid != 0;
    if (!load_create(server, is_tls_only, 64, b->pods, 1, &filled))
        return false;
    printf("%-44s %8.0f /s   64 in flight; RSS then %.0f MB\n", "filling with pods",
           (double)filled.written / filled.seconds, (double)server_rss_kib(server) / 1024);
    for (int tls = is_tls_only ? 1 : 0; tls <= 1; tls++) {
        for (size_t i = 0; i < sizeof(readings) / sizeof(readings[0]); i++) {
            bool is_cold = readings[i].rounds == 1; /* only once: the next is not */
            if ((!is_cold || is_tls_only || !tls) && !read_pods(server, tls, &readings[i]))
                return false;
        }
    }
    return true;
}

/* How many of the watchers are in protobuf. */
static const char *share_of(unsigned every)
{
    return every == 0 ? "JSON" : every == 1 ? "protobuf" : "half protobuf";
}

static bool fan_out(const bench *b, const server_process *server, fanout_options load)
{
    if (b->is_quick) {
        load.watchers /= 10;
        load.writes /= 10;
    }
    fanout_result result;
    if (!load_fanout(server, &load, &result))
        return false;
    char rate[32] = "as fast as it goes";
    if (load.rate > 0)
        snprintf(rate, sizeof(rate), "%.0f writes/s", load.rate);
    printf("fan-out, %4u watchers, %-18s %-5s %s %8.2f us CPU/delivery (aim < 6)  p50 %.1f ms, "
           "p99 %.1f ms, %.0f/s, %.1f KB/watcher, %llu lost\n",
           load.watchers, rate, kind_of(load.is_tls), share_of(load.protobuf_every),
           result.server_cpu * 1e6 / (double)result.deliveries, result.p50_ms, result.p99_ms,
           (double)result.deliveries / result.seconds, result.rss_per_watcher_kib,
           (unsigned long long)result.lost);
    fflush(stdout);
    return true;
}

static bool bench_fanout(const bench *b, const server_process *server, bool is_tls)
{
    static const fanout_options loads[] = {
        { false, 100, 2000, 0, 0, 0 }, { false, 1000, 1000, 100, 0, 0 },
        { false, 1000, 500, 0, 0, 0 }, { false, 5000, 100, 10, 0, 0 },
        { false, 5000, 100, 0, 0, 0 },
    };
    for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
        fanout_options load = loads[i];
        load.is_tls = is_tls;
        if (!fan_out(b, server, load))
            return false;
    }
    return true;
}

/* The same load with nobody, every second and everybody in protobuf. */
static bool fanout_protobuf(const bench *b, const server_process *server)
{
    for (unsigned i = 0; i < 2; i++) {
        static const unsigned every[] = { 0, 2, 1 };
        for (size_t j = 0; j < sizeof(every) / sizeof(every[0]); j++) {
            fanout_options load = { b->attached.pid != 0, 1000,     i ? 500 : 1000,
                                    i ? 0 : 100,          every[j], 0 };
            if (!fan_out(b, server, load))
                return false;
        }
    }
    return true;
}

/* The same few writes a second to more and more watchers: how long one takes to reach them. */
static bool bench_watchers(const bench *b, const server_process *server)
{
    static const unsigned watchers[] = { 10, 100, 1000, 5000 };
    for (size_t i = 0; i < sizeof(watchers) / sizeof(watchers[0]); i++) {
        fanout_options load = { true, watchers[i], 30, 5, 0, 0 };
        if (!fan_out(b, server, load))
            return false;
    }
    return true;
}

static bool idle(const bench *b, const server_process *server, bool is_tls)
{
    fanout_options load = { is_tls, b->is_quick ? 1000 : 10000, 1, 0, 0, 0 };
    fanout_result result;
    if (!load_fanout(server, &load, &result))
        return false;
    printf("%u idle watchers, %-5s %32.3f KB RSS each (aim < %d); one write reaches all in p99 "
           "%.0f ms, %llu lost\n",
           load.watchers, kind_of(is_tls), result.rss_per_watcher_kib, is_tls ? 4 : 2,
           result.p99_ms, (unsigned long long)result.lost);
    return true;
}

static bool bench_idle(const bench *b, const server_process *server)
{
    return idle(b, server, b->attached.pid != 0);
}

static bool bench_idle_tls(const bench *b, const server_process *server)
{
    return idle(b, server, true);
}

/* Writes that concern one watcher, without and with 10,000 watchers of other namespaces. */
static bool bench_elsewhere(const bench *b, const server_process *server)
{
    const unsigned writes = b->is_quick ? 200 : 2000;
    for (int i = 0; i < 2; i++) {
        fanout_options load = {
            b->attached.pid != 0, 1, writes, 0, 0, i == 0 ? 0 : b->is_quick ? 1000 : 10000
        };
        fanout_result result;
        if (!load_fanout(server, &load, &result))
            return false;
        printf("writes for one watcher, %5u watchers elsewhere %13.1f us CPU each   p50 %.2f ms, "
               "p99 %.2f ms, %llu lost\n",
               load.elsewhere, result.server_cpu * 1e6 / writes, result.p50_ms, result.p99_ms,
               (unsigned long long)result.lost);
        fflush(stdout);
    }
    return true;
}

static bool bench_namespace(const bench *b, const server_process *server)
{
    unsigned objects = b->is_quick ? 1000 : 10000;
    namespace_result result;
    if (!load_namespace(server, objects, &result))
        return false;
    printf("namespace of %5u objects deleted in %15.2f s    %.0f /s, %.0f us CPU each\n", objects,
           result.seconds, objects / result.seconds, result.server_cpu * 1e6 / objects);
    printf("another client's writes: before p50 %.2f ms, p99 %.2f ms; meanwhile p50 %.2f ms, p99 "
           "%.2f ms, max %.2f ms (%llu writes)\n",
           result.before_p50_ms, result.before_p99_ms, result.p50_ms, result.p99_ms, result.max_ms,
           (unsigned long long)result.writes);
    return true;
}

/* Many small objects.  The server is ended and started again in between. */
static bool bench_scale(const bench *b, server_process *server)
{
    scale_result r;
    if (!load_scale(server, b->program, b->pods, &r))
        return false;
    double objects = (double)b->pods;
    printf("%.0f config maps of 3 KB created: %19.0f /s, %.0f us CPU each; RSS %.0f MB, of its own "
           "%.0f MB\n",
           objects, objects / r.create_seconds, r.create_cpu * 1e6 / objects,
           (double)r.filled_rss_kib / 1024, (double)r.filled_own_kib / 1024);
    printf("started again on them after a kill: %17.2f s, %.2f s CPU; RSS %.0f MB, of its own %.0f "
           "MB\n",
           r.ready_ms / 1e3, r.start_cpu, (double)r.ready_rss_kib / 1024,
           (double)r.ready_own_kib / 1024);
    printf("list of one namespace (%.0f KB): %20s p50 %.2f ms, p99 %.2f ms\n",
           (double)r.list_bytes / 1e3, "", r.list_p50_ms, r.list_p99_ms);
    return true;
}

static bool fanout_plain(const bench *b, const server_process *server)
{
    return bench_fanout(b, server, false);
}

static bool fanout_tls(const bench *b, const server_process *server)
{
    return bench_fanout(b, server, true);
}

typedef struct part {
    const char *name;
    bool (*run)(const bench *b, const server_process *server);
} part;

static const part parts[] = {
    { "creates", bench_creates },     { "writes", bench_writes },
    { "lists", bench_lists },         { "fanout", fanout_plain },
    { "fanout-tls", fanout_tls },     { "fanout-protobuf", fanout_protobuf },
    { "watchers", bench_watchers },   { "idle", bench_idle },
    { "idle-tls", bench_idle_tls },   { "elsewhere", bench_elsewhere },
    { "namespace", bench_namespace },
};

static bool is_wanted(const bench *b, const char *name)
{
    return !b->only || strcmp(b->only, name) == 0;
}

/* Runs |p| on a server of its own, or on the one that is attached. */
static bool run_part(const bench *b, const part *p)
{
    server_process server;
    if (!is_wanted(b, p->name))
        return true;
    if (b->attached.pid)
        return p->run(b, &b->attached);
    if (!server_start(&server, b->program, b->folder))
        return false;
    bool is_good = p->run(b, &server);
    server_stop(&server);
    return is_good;
}

static bool run_scale(const bench *b)
{
    server_process server;
    if (b->attached.pid) {
        fputs("scale ends its server: it is for one of its own\n", stderr);
        return false;
    }
    if (!server_start(&server, b->program, b->folder))
        return false;
    bool is_good = bench_scale(b, &server);
    server_stop(&server);
    return is_good;
}

static bool run_all(const bench *b)
{
    if (is_wanted(b, "ready") && !bench_ready(b))
        return false;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (!run_part(b, &parts[i]))
            return false;
    }
    return !is_wanted(b, "scale") || run_scale(b);
}

/* "PID:PORT:TOKEN" */
static bool parse_attached(const char *text, server_process *out)
{
    int pid = 0, port = 0;
    if (sscanf(text, "%d:%d:%127s", &pid, &port, out->token) != 3 || port <= 0 || port > 65535)
        return false;
    out->pid = pid;
    out->tls_port = (uint16_t)port;
    return true;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        { "folder", required_argument, NULL, 'd' }, { "pods", required_argument, NULL, 'p' },
        { "quick", no_argument, NULL, 'q' },        { "only", required_argument, NULL, 'o' },
        { "attach", required_argument, NULL, 'a' }, { NULL, 0, NULL, 0 },
    };
    bench b = { .folder = ".", .pods = 50000 };
    int option;
    bool is_good = true;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (option) {
        case 'd': b.folder = optarg; break;
        case 'p': is_good = is_good && parse_size(optarg, &b.pods); break;
        case 'q': b.is_quick = true; break;
        case 'o': b.only = optarg; break;
        case 'a': is_good = is_good && parse_attached(optarg, &b.attached); break;
        default: is_good = false;
        }
    }
    if (!is_good || (b.attached.pid ? !b.only || optind != argc : optind != argc - 1)) {
        fputs("usage: bench-server [--folder DIR] [--pods N] [--quick] [--only PART] LISTWATCH\n"
              "       bench-server [--pods N] [--quick] --only PART --attach PID:PORT:TOKEN\n"
              "parts: ready creates writes lists fanout fanout-tls fanout-protobuf watchers idle "
              "idle-tls\n"
              "       elsewhere namespace scale\n",
              stderr);
        return 2;
    }
    b.program = argv[optind];
    if (b.is_quick)
        b.pods /= 10;
    return run_all(&b) ? 0 : 1;
}
