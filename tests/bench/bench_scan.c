/* SPDX-License-Identifier: Apache-2.0 */
/* bench_scan.c -- the scanner against yajl on one list, and its memory on two.
 *
 * CPU time, the best of some rounds in which all contestants take turns, so that a noisy machine is
 * noisy for all.  Before that one round in which all that was found is hashed; it fails when the
 * answers differ: a parser that is fast and wrong is not fast. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/contest.h"
#include "bench/pod_gen.h"
#include "bench/size.h"
#include "bench/stream.h"

bool contest_is_hashing;

typedef struct contestant {
    const char *name;
    contest_run run;
    contest_run rival;   /* whose time its own is compared with */
    bool finds_metadata; /* false: only checks */
    double seconds;      /* best so far */
} contestant;

static contestant contestants[] = {
    { "listwatch: split, metadata, drop managedFields, validate", contest_listwatch_split,
      contest_yajl_split, true, 0 },
    { "listwatch: the same, input trusted", contest_listwatch_trusting, contest_yajl_split, true,
      0 },
    { "yajl: split, metadata (callbacks)", contest_yajl_split, contest_yajl_split, true, 0 },
    { "listwatch: validate only", contest_listwatch_validate, contest_yajl_validate, false, 0 },
    { "yajl: validate only (no callbacks)", contest_yajl_validate, contest_yajl_validate, false,
      0 },
#ifdef BENCH_SIMDJSON
    { "simdjson: metadata, whole list in memory (C++)", contest_simdjson_split, contest_yajl_split,
      true, 0 },
#endif
};
enum {
    CONTESTANT_COUNT = sizeof(contestants) / sizeof(contestants[0]),
    CHUNK = 64 * 1024,
    SCALE = 4, /* how much longer the second list of the memory test is */
};

typedef struct bench {
    uint64_t bytes;
    uint64_t seed;
    uint64_t rounds;
    uint64_t stream; /* not 0: this process is the child of the memory test */
} bench;

/* A list that grows in memory. */
typedef struct growing {
    char *bytes;
    size_t len, cap;
} growing;

static bool grow(const char *bytes, size_t len, void *arg)
{
    growing *list = arg;
    if (len + CONTEST_PADDING > list->cap - list->len) {
        size_t cap = list->cap * 2 + len + CONTEST_PADDING;
        char *moved = realloc(list->bytes, cap);
        if (!moved)
            return false;
        list->bytes = moved;
        list->cap = cap;
    }
    memcpy(list->bytes + list->len, bytes, len);
    list->len += len;
    memset(list->bytes + list->len, 0, CONTEST_PADDING);
    return true;
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool is_same(const contest_answer *a, const contest_answer *b)
{
    return a->items == b->items && a->labels == b->labels && a->hash == b->hash;
}

/* Lets one contestant run, timed or with its answer looked at in full; false when it refuses the
 * list or answers otherwise than |*right|, which the first one sets. */
static bool take_turn(contestant *who, const contest_list *list, contest_answer *right)
{
    contest_answer answer = { 0, 0, 0 };
    double begun = cpu_seconds();
    bool is_good = who->run(list, &answer);
    double seconds = cpu_seconds() - begun;
    if (!contest_is_hashing && (who->seconds == 0 || seconds < who->seconds))
        who->seconds = seconds;
    if (!is_good) {
        printf("%s: refused the list\n", who->name);
        return false;
    }
    if (who->finds_metadata && right->items == 0)
        *right = answer;
    if (who->finds_metadata && !is_same(&answer, right)) {
        printf("%s: answered %llu items, %llu labels, hash %016llx, others %llu, %llu, %016llx\n",
               who->name, (unsigned long long)answer.items, (unsigned long long)answer.labels,
               (unsigned long long)answer.hash, (unsigned long long)right->items,
               (unsigned long long)right->labels, (unsigned long long)right->hash);
        return false;
    }
    return true;
}

/* One round: everybody takes a turn. */
static bool run_round(const contest_list *list, contest_answer *right)
{
    for (size_t i = 0; i < CONTESTANT_COUNT; i++) {
        if (!take_turn(&contestants[i], list, right))
            return false;
    }
    return true;
}

static double seconds_of(contest_run run)
{
    for (size_t i = 0; i < CONTESTANT_COUNT; i++) {
        if (contestants[i].run == run)
            return contestants[i].seconds;
    }
    return 0;
}

static void print_times(const contest_list *list)
{
    printf("| parser and job | CPU s | MB/s | times yajl |\n|---|---|---|---|\n");
    for (size_t i = 0; i < CONTESTANT_COUNT; i++) {
        const contestant *who = &contestants[i];
        printf("| %-56s | %6.3f | %5.0f | %5.2f |\n", who->name, who->seconds,
               (double)list->len / 1e6 / who->seconds, seconds_of(who->rival) / who->seconds);
    }
    double checked = seconds_of(contest_listwatch_split);
    double trusted = seconds_of(contest_listwatch_trusting);
    printf("\nValidation costs %.0f %% of the time it takes to split without it.\n",
           (checked / trusted - 1) * 100);
}

static const char *const simds[] = { "avx512", "avx2", "sse2", "neon", "scalar" };
enum {
    SIMD_COUNT = sizeof(simds) / sizeof(simds[0]),
};

/* One turn of the scanner's first job by one kind of code; keeps the best time. */
static bool take_machine_turn(const char *simd, const contest_list *list,
                              const contest_answer *right, double *best)
{
    contest_answer answer = { 0, 0, 0 };
    double begun = cpu_seconds();
    bool is_good = contest_listwatch_split_by(list, &answer, simd);
    double seconds = cpu_seconds() - begun;
    if (*best == 0 || seconds < *best)
        *best = seconds;
    return is_good && is_same(&answer, right);
}

/* The same job by each kind of code that this machine can run, in turns. */
static bool run_machines(const bench *b, const contest_list *list, const contest_answer *right)
{
    double best[SIMD_COUNT] = { 0 };
    for (uint64_t round = 0; round < b->rounds; round++) {
        for (size_t i = 0; i < SIMD_COUNT; i++) {
            if (contest_listwatch_has(simds[i]) &&
                !take_machine_turn(simds[i], list, right, &best[i]))
                return false;
        }
    }
    printf("\n| split, metadata, validate by | MB/s | times yajl |\n|---|---|---|\n");
    for (size_t i = 0; i < SIMD_COUNT; i++) {
        if (best[i] > 0)
            printf("| %s | %.0f | %.2f |\n", simds[i], (double)list->len / 1e6 / best[i],
                   seconds_of(contest_yajl_split) / best[i]);
    }
    return true;
}

static bool run_contest(const bench *b)
{
    growing grown = { NULL, 0, 0 };
    pod_gen_totals totals = { 0, 0 };
    const pod_gen_options options = { .bytes = b->bytes, .seed = b->seed };
    contest_answer right = { 0, 0, 0 };
    bool is_good = pod_gen_list(&options, grow, &grown, &totals);
    const contest_list list = { grown.bytes, grown.len, CHUNK };
    if (is_good)
        printf("PodList of %.1f MB, %llu pods, fed in chunks of %d KiB; CPU time, best of %llu\n\n",
               (double)list.len / 1e6, (unsigned long long)totals.pods, CHUNK / 1024,
               (unsigned long long)b->rounds);
    contest_is_hashing = true;
    is_good = is_good && run_round(&list, &right);
    contest_is_hashing = false;
    right = (contest_answer){ 0, 0, 0 };
    for (uint64_t round = 0; is_good && round < b->rounds; round++)
        is_good = run_round(&list, &right);
    if (is_good && right.items != totals.pods) {
        printf("%llu items found\n", (unsigned long long)right.items);
        is_good = false;
    }
    if (is_good) {
        print_times(&list);
        is_good = run_machines(b, &list, &right);
    }
    free(grown.bytes);
    return is_good;
}

static bool run_memory(const bench *b)
{
    printf("\n| streamed | pods | peak memory of the process |\n|---|---|---|\n");
    for (uint64_t scale = 1; scale <= SCALE; scale *= SCALE) {
        stream_result result;
        if (!stream_measure(b->bytes * scale, b->seed, &result)) {
            printf("the child that streams %llu bytes failed\n",
                   (unsigned long long)(b->bytes * scale));
            return false;
        }
        printf("| %.1f MB | %llu | %.2f MiB |\n", (double)result.bytes / 1e6,
               (unsigned long long)result.items, (double)result.peak_kib / 1024);
    }
    return true;
}

static bool read_arguments(bench *b, int argc, char **argv)
{
    static const struct option options[] = {
        { "bytes", required_argument, NULL, 'b' },
        { "rounds", required_argument, NULL, 'r' },
        { "seed", required_argument, NULL, 's' },
        { "stream", required_argument, NULL, 'm' },
        { NULL, 0, NULL, 0 },
    };
    int option;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        uint64_t *field = option == 'b'   ? &b->bytes
                          : option == 'r' ? &b->rounds
                          : option == 's' ? &b->seed
                          : option == 'm' ? &b->stream
                                          : NULL;
        if (!field || !parse_size(optarg, field))
            return false;
    }
    return optind == argc && b->bytes > 0 && b->rounds > 0;
}

int main(int argc, char **argv)
{
    bench b = { .bytes = 256 << 20, .seed = 1, .rounds = 7 };
    if (!read_arguments(&b, argc, argv)) {
        fputs("usage: bench-scan [--bytes SIZE] [--rounds N] [--seed N]\n", stderr);
        return 2;
    }
    if (b.stream > 0)
        return stream_child(b.stream, b.seed);
    return run_contest(&b) && run_memory(&b) ? 0 : 1;
}
