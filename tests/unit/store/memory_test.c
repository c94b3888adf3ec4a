/* SPDX-License-Identifier: Apache-2.0 */
/* memory_test.c -- the memory store on its own: real time, and where its bounds come from.
 * What it does as a store is in tests/suite/. */
#include "store/memory.h"

#include "base/clock.h"
#include "base/str.h"
#include "base/sync.h"
#include "unit/test.h"

typedef struct waiter {
    lw_mutex mu;
    lw_cond changed;
    uint64_t compacted;
} waiter;

static void ignore_events(const lw_store_event *events, size_t count, uint64_t revision, void *arg)
{
    (void)events;
    (void)count;
    (void)revision;
    (void)arg;
}

static void on_compacted(uint64_t revision, void *arg)
{
    waiter *w = arg;
    lw_mutex_lock(&w->mu);
    w->compacted = revision;
    lw_cond_signal(&w->changed);
    lw_mutex_unlock(&w->mu);
}

static void an_idle_store_forgets_by_itself(void **state)
{
    (void)state;
    waiter w = { .compacted = 0 };
    lw_mutex_init(&w.mu);
    lw_cond_init(&w.changed);
    lw_memory_store_options options = { .history = { .max_age_ns = 20 * LW_NS_PER_MS } };
    lw_store *store = NULL;
    assert_int_equal(lw_memory_store_new(&store, &options, NULL), LW_OK);
    lw_store_sink sink = { ignore_events, on_compacted, NULL, &w };
    lw_store_watch *watch = NULL;
    assert_int_equal(lw_store_watch_open(store, LW_STR(""), 0, &sink, &watch, NULL), LW_OK);
    int64_t before = lw_clock_now(lw_clock_system());
    lw_store_txn txn = { .op = LW_STORE_PUT, .key = LW_STR("/a") };
    assert_int_equal(lw_store_commit(store, &txn), LW_OK);
    lw_mutex_lock(&w.mu);
    while (w.compacted < 1)
        lw_cond_wait(&w.changed, &w.mu);
    lw_mutex_unlock(&w.mu);
    assert_true(lw_clock_now(lw_clock_system()) - before >= 20 * LW_NS_PER_MS);
    lw_store_watch_close(store, watch);
    lw_store_free(store);
    lw_cond_done(&w.changed);
    lw_mutex_done(&w.mu);
}

static void without_options_it_has_the_defaults(void **state)
{
    (void)state;
    lw_store *store = NULL;
    assert_int_equal(lw_memory_store_new(&store, NULL, NULL), LW_OK);
    lw_store_txn txn = { .op = LW_STORE_PUT, .key = LW_STR("/a") };
    assert_int_equal(lw_store_commit(store, &txn), LW_OK);
    assert_int_equal(txn.revision, 1);
    lw_store_free(store);
    lw_store_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_idle_store_forgets_by_itself),
        TEST(without_options_it_has_the_defaults),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
