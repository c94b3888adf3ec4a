/* SPDX-License-Identifier: Apache-2.0 */
/* bench_etcd.c -- what our client of etcd costs: CPU of this process for each transaction, one and
 * many at a time, and for each event of a watch.   usage: bench-etcd ENDPOINTS [COUNT] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/str.h"
#include "support/etcd_blocking.h"

enum {
    VALUE_SIZE = 1024,
    KEY_SIZE = 64,
    IN_FLIGHT_MAX = 256,
};

static double cpu_seconds(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

static double now_seconds(void)
{
    return (double)lw_clock_now(lw_clock_system()) / LW_NS_PER_S;
}

/* Puts, as many at once as there is room for. */
typedef struct puts {
    lw_etcd *etcd;
    unsigned long wanted, sent, done, failed;
} puts_run;

static void put_next(puts_run *run);

static void on_put(const lw_etcd_txn_answer *answer, void *arg)
{
    puts_run *run = arg;
    run->done++;
    if (answer->base.err || !answer->is_done)
        run->failed++;
    put_next(run);
}

static void put_next(puts_run *run)
{
    static char value[VALUE_SIZE];
    char key[KEY_SIZE];
    if (run->sent == run->wanted)
        return;
    memset(value, 'x', sizeof(value));
    int len = snprintf(key, sizeof(key), "/bench/%lu", run->sent++ % 1000);
    const lw_etcd_txn_request request = { .op = LW_ETCD_PUT,
                                          .key = lw_str_make(key, (size_t)len),
                                          .value = lw_str_make(value, sizeof(value)),
                                          .is_unguarded = true };
    if (lw_etcd_txn(run->etcd, &request, on_put, run, NULL) < 0) {
        run->done++;
        run->failed++;
    }
}

static bool bench_puts(etcd_blocking *etcd, unsigned in_flight, unsigned long count)
{
    puts_run run = { .etcd = etcd_blocking_client(etcd), .wanted = count };
    double start = now_seconds(), cpu = cpu_seconds();
    for (unsigned i = 0; i < in_flight; i++)
        put_next(&run);
    while (run.done < count) {
        if (lw_loop_turn(etcd_blocking_loop(etcd), -1, NULL) < 0)
            return false;
    }
    printf("etcd: transactions of 1 KB, %3u in flight %10.0f /s  %6.1f us CPU each, %lu failed\n",
           in_flight, (double)count / (now_seconds() - start),
           (cpu_seconds() - cpu) * 1e6 / (double)count, run.failed);
    return run.failed == 0;
}

typedef struct seen {
    unsigned long events;
    bool is_over;
} seen;

static void on_events(const lw_etcd_event *events, size_t count, void *arg)
{
    seen *s = arg;
    (void)events;
    s->events += count;
}

static void on_end(const lw_error *err, uint64_t compacted, void *arg)
{
    seen *s = arg;
    (void)compacted;
    fprintf(stderr, "the watch has ended: %s\n", err->message);
    s->is_over = true;
}

/* A watch is told of all that was put before it began. */
static bool bench_watch(etcd_blocking *etcd, unsigned long count)
{
    seen s = { 0 };
    lw_etcd_watch *watch = NULL;
    const lw_etcd_watch_request request = { .key = LW_STR("/bench/"),
                                            .end = LW_STR("/bench0"),
                                            .start_revision = 1 };
    const lw_etcd_watch_sink sink = { .on_events = on_events, .on_end = on_end, .arg = &s };
    double start = now_seconds(), cpu = cpu_seconds();
    if (lw_etcd_watch_open(&watch, etcd_blocking_client(etcd), &request, &sink) < 0)
        return false;
    while (s.events < count && !s.is_over) {
        if (lw_loop_turn(etcd_blocking_loop(etcd), -1, NULL) < 0)
            return false;
    }
    printf("etcd: events of a watch, 1 KB each        %10.0f /s  %6.2f us CPU each\n",
           (double)s.events / (now_seconds() - start),
           (cpu_seconds() - cpu) * 1e6 / (double)s.events);
    if (!s.is_over)
        lw_etcd_watch_cancel(watch);
    return !s.is_over;
}

int main(int argc, char **argv)
{
    unsigned long count = argc > 2 ? strtoul(argv[2], NULL, 10) : 20000;
    etcd_blocking *etcd = NULL;
    lw_error err = LW_ERROR_INIT;
    if (argc < 2 || argc > 3 || count < IN_FLIGHT_MAX) {
        fputs("usage: bench-etcd ENDPOINTS [COUNT]\n", stderr);
        return 2;
    }
    if (etcd_blocking_new(&etcd, &(lw_etcd_options){ .endpoints = argv[1] }, &err) < 0) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    bool is_good = bench_puts(etcd, 1, count / 10) && bench_puts(etcd, 32, count) &&
                   bench_watch(etcd, count + count / 10);
    etcd_blocking_free(etcd);
    return is_good ? 0 : 1;
}
