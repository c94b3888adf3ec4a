/* SPDX-License-Identifier: Apache-2.0 */
/* informer_faults_test.c -- whatever faults the network between a server and an informer has, the
 * cache converges to the server's state, and handlers receive each change once and in order.
 *
 * Everything except the time is real: sockets, curl, client, reflector, queue, cache, handlers, in
 * one thread.  Each seed is one trial.  LW_FAULTS_SEED=N runs one seed and prints its log;
 * LW_FAULTS_SEEDS=N runs that many seeds. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/clock.h"
#include "suite/faults_trace.h"
#include "suite/faults_trial.h"
#include "support/sanitized.h"
#include "unit/test.h"

#if IS_SANITIZED
#define SEEDS 150
#else
#define SEEDS 1000
#endif

enum {
    REPLAYED = 10, /* seeds that are run twice */
    ENOUGH = 500,  /* number of seeds in which every fault occurs */
};

static uint64_t current_seed;

/* Returns the number in the environment variable |name|, or |otherwise|. */
static uint64_t asked(const char *name, uint64_t otherwise)
{
    const char *value = getenv(name);
    return value && value[0] ? strtoull(value, NULL, 10) : otherwise;
}

typedef struct totals {
    unsigned tally[FAULTS_KINDS];
    uint64_t requests, lists, watches, relists, events, relisted_deletes;
    uint64_t seeds, within_10_s, within_20_s;
    int64_t recovery_ns; /* of all seeds */
} totals;

static void sum_up(totals *sum, const faults_trial *t)
{
    lw_informer_statistics stats;
    lw_informer_stats(t->informer, &stats);
    for (size_t i = 0; i < FAULTS_KINDS; i++)
        sum->tally[i] += t->server.tally[i];
    sum->requests += t->server.requests;
    sum->lists += t->server.lists;
    sum->watches += t->server.watches;
    sum->relists += stats.relists;
    sum->events += t->prompt.adds + t->prompt.updates + t->prompt.deletes;
    sum->relisted_deletes += t->prompt.relisted;
    sum->seeds++;
    sum->within_10_s += t->recovery_ns <= 10 * LW_NS_PER_S;
    sum->within_20_s += t->recovery_ns <= 20 * LW_NS_PER_S;
    sum->recovery_ns += t->recovery_ns;
}

static void play_seed(uint64_t seed, bool is_shown, totals *sum)
{
    static faults_trial t;
    current_seed = seed;
    faults_trace_begin(is_shown);
    faults_trial_open(&t, seed);
    faults_trial_play(&t);
    faults_trial_come_to_rest(&t);
    faults_trial_check(&t);
    faults_trial_check_health(&t);
    sum_up(sum, &t);
    faults_trial_close(&t);
}

static void print_totals(const totals *sum, uint64_t seeds)
{
    print_message("# %" PRIu64 " seeds: %" PRIu64 " requests (%" PRIu64 " lists, %" PRIu64
                  " watches), %" PRIu64 " relists, %" PRIu64 " events, %" PRIu64
                  " deletions found by a relist\n",
                  seeds, sum->requests, sum->lists, sum->watches, sum->relists, sum->events,
                  sum->relisted_deletes);
    print_message("# current after the last fault: in %" PRId64
                  " ms on average, within 10 s for %" PRIu64 " seeds, within 20 s for %" PRIu64
                  "\n",
                  sum->recovery_ns / LW_NS_PER_MS / (int64_t)seeds, sum->within_10_s,
                  sum->within_20_s);
    for (size_t i = FAULTS_NONE + 1; i < FAULTS_KINDS; i++)
        print_message("# %6u %s\n", sum->tally[i], faults_kind_name((faults_kind)i));
}

static void the_cache_converges_after_any_network_fault(void **state)
{
    (void)state;
    totals sum = { .seeds = 0 };
    bool is_one = getenv("LW_FAULTS_SEED") != NULL;
    uint64_t first = asked("LW_FAULTS_SEED", 0);
    uint64_t count = is_one ? 1 : asked("LW_FAULTS_SEEDS", SEEDS);
    for (uint64_t seed = first; seed < first + count; seed++)
        play_seed(seed, is_one, &sum);
    print_totals(&sum, count);
    if (count < ENOUGH)
        return;
    /* Every fault has occurred. */
    for (size_t i = FAULTS_NONE + 1; i < FAULTS_KINDS; i++)
        assert_true(sum.tally[i] > count / 20);
    assert_true(sum.relists > count);
    assert_true(sum.events > 5 * count);
    assert_true(sum.relisted_deletes > count / 4);
    /* The others are connections that hang: a client cannot distinguish them from idle ones
     * sooner. */
    assert_true(100 * sum.within_10_s > 97 * count);
    assert_true(sum.recovery_ns < (int64_t)count * 2 * LW_NS_PER_S);
}

static void a_seed_is_reproducible(void **state)
{
    (void)state;
    totals sum = { .seeds = 0 };
    for (uint64_t seed = 0; seed < REPLAYED; seed++) {
        play_seed(seed, false, &sum);
        uint64_t digest = faults_trace_digest();
        play_seed(seed, false, &sum);
        assert_int_equal(faults_trace_digest(), digest);
    }
}

static int name_the_seed(void **state)
{
    (void)state;
    print_message("# the last seed was %" PRIu64 ": LW_FAULTS_SEED=%" PRIu64 " runs it again\n",
                  current_seed, current_seed);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_cache_converges_after_any_network_fault, name_the_seed),
        TEST(a_seed_is_reproducible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
