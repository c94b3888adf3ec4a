/* SPDX-License-Identifier: Apache-2.0 */
/* store_suite_compact.c -- compaction: on demand, by size and by age. */
#include <stdio.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "suite/store_suite_parts.h"

static void compact(store_fixture *f, uint64_t revision)
{
    lw_error err = LW_ERROR_INIT;
    if (lw_store_compact(f->store, revision, &err) < 0)
        fail_msg("cannot compact: %s", err.message);
    assert_int_equal(compacted_revision(f), revision);
}

/* The store's thread sweeps a short history between two transactions. */
static void compact_and_sweep(store_fixture *f, uint64_t revision)
{
    compact(f, revision);
    compact(f, revision);
}

static void ignore_events(const lw_store_event *events, size_t count, uint64_t revision, void *arg)
{
    (void)events;
    (void)count;
    (void)revision;
    (void)arg;
}

static lw_status watch_status(store_fixture *f, uint64_t after)
{
    lw_store_sink sink = { .on_events = ignore_events };
    lw_store_watch *watch = NULL;
    lw_error err = LW_ERROR_INIT;
    lw_status st = lw_store_watch_open(f->store, LW_STR("/"), after, &sink, &watch, &err);
    assert_int_equal(err.code, st);
    lw_store_watch_close(f->store, watch);
    return st;
}

static void write_a_little(store_fixture *f)
{
    put(f, "/a", "1");
    put(f, "/b", "1");
    put(f, "/a", "2");
    del(f, "/b");
    put(f, "/c", "1");
    put(f, "/a", "3");
    put(f, "/b", "2");
    del(f, "/c");
}

static const char *const states[] = {
    NULL,
    "/a=1@1/1",
    "/a=1@1/1 /b=1@2/2",
    "/a=2@1/3 /b=1@2/2",
    "/a=2@1/3",
    "/a=2@1/3 /c=1@5/5",
    "/a=3@1/6 /c=1@5/5",
    "/a=3@1/6 /b=2@7/7 /c=1@5/5",
    "/a=3@1/6 /b=2@7/7",
};

static void assert_states_from(store_fixture *f, uint64_t oldest)
{
    for (uint64_t revision = 1; revision < oldest; revision++)
        assert_int_equal(read_status(f, revision), LW_ERR_EXPIRED);
    for (uint64_t revision = oldest; revision <= 8; revision++)
        assert_state(f, revision, states[revision]);
}

static void compaction_removes_only_older_states(void **state)
{
    store_fixture *f = *state;
    write_a_little(f);
    for (uint64_t to = 1; to <= 8; to++) {
        compact(f, to);
        assert_states_from(f, to);
        compact_and_sweep(f, to);
        assert_states_from(f, to);
    }
    assert_state(f, 0, states[8]);
}

static void compaction_may_skip_revisions(void **state)
{
    store_fixture *f = *state;
    for (uint64_t to = 1; to <= 8; to++) {
        store_fixture_restart(f, f->history);
        write_a_little(f);
        compact_and_sweep(f, to);
        assert_states_from(f, to);
    }
}

static void a_deleted_key_can_be_created_again(void **state)
{
    store_fixture *f = *state;
    write_a_little(f);
    compact_and_sweep(f, 8);
    assert_int_equal(try_put(f, "/c", "2", 8).st, LW_ERR_CONFLICT);
    assert_int_equal(try_put(f, "/c", "2", 0).revision, 9);
    assert_int_equal(try_put(f, "/a", "4", 6).revision, 10);
    assert_state(f, 0, "/a=4@1/10 /b=2@7/7 /c=2@9/9");
    assert_state(f, 8, "/a=3@1/6 /b=2@7/7");
    compact_and_sweep(f, 10);
    assert_state(f, 10, "/a=4@1/10 /b=2@7/7 /c=2@9/9");
}

static void sweeping_a_delete_keeps_newer_versions(void **state)
{
    store_fixture *f = *state;
    put(f, "/a", "1");
    del(f, "/a");
    put(f, "/a", "2");
    put(f, "/a", "3");
    compact_and_sweep(f, 2);
    assert_state(f, 2, "");
    assert_state(f, 3, "/a=2@3/3");
    compact_and_sweep(f, 3);
    assert_state(f, 3, "/a=2@3/3");
    compact_and_sweep(f, 4);
    assert_state(f, 4, "/a=3@3/4");
    del(f, "/a");
    compact_and_sweep(f, 5);
    assert_state(f, 0, "");
    assert_int_equal(put(f, "/a", "4"), 6);
}

static void a_compacted_revision_cannot_be_watched(void **state)
{
    store_fixture *f = *state;
    write_a_little(f);
    compact(f, 5);
    assert_int_equal(watch_status(f, 4), LW_ERR_EXPIRED);
    assert_int_equal(watch_status(f, 0), LW_ERR_EXPIRED);
    assert_int_equal(watch_status(f, 5), LW_OK);
    compact_and_sweep(f, 5);
    recorder r;
    recorder_open(&r, f, "/", 5);
    assert_told(&r, 8, "6 /a=3\n7 /b=2\n8 /c!\n");
    recorder_close(&r, f);
}

static void a_future_revision_cannot_be_compacted(void **state)
{
    store_fixture *f = *state;
    write_a_little(f);
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_store_compact(f->store, 9, &err), LW_ERR_TOO_LARGE_RV);
    assert_int_equal(err.code, LW_ERR_TOO_LARGE_RV);
    assert_int_equal(compacted_revision(f), 0);
}

static void compacting_a_compacted_revision_does_nothing(void **state)
{
    store_fixture *f = *state;
    write_a_little(f);
    compact(f, 5);
    assert_int_equal(lw_store_compact(f->store, 3, NULL), LW_OK);
    assert_int_equal(lw_store_compact(f->store, 0, NULL), LW_OK);
    assert_int_equal(compacted_revision(f), 5);
}

static void watches_are_notified_of_compaction(void **state)
{
    store_fixture *f = *state;
    write_a_little(f);
    recorder r;
    recorder_open(&r, f, "/", 8);
    compact(f, 5);
    recorder_wait_compacted(&r, 5);
    assert_int_equal(r.compacted, 5);
    compact(f, 7);
    assert_int_equal(r.compacted, 7); /* before the call returned */
    recorder_close(&r, f);
}

static void history_is_bounded_in_bytes(void **state)
{
    store_fixture *f = *state;
    store_fixture_restart(f, (lw_history_options){ .max_bytes = 40000 });
    char value[1000];
    memset(value, 'x', sizeof(value));
    value[sizeof(value) - 1] = '\0';
    recorder r;
    recorder_open_quiet(&r, f, "/", 0);
    uint64_t revision = 0;
    for (int i = 0; i < 200; i++)
        revision = put(f, "/a", value);
    /* Each change counts 2000 bytes: a new value and a superseded one. */
    recorder_wait_compacted(&r, revision - 21);
    assert_true(compacted_revision(f) >= revision - 21);
    assert_true(compacted_revision(f) <= revision - 10);
    assert_int_equal(read_status(f, compacted_revision(f)), LW_OK);
    recorder_close(&r, f);
}

static void history_within_its_limits_is_kept(void **state)
{
    store_fixture *f = *state;
    write_a_little(f);
    lw_manual_clock_advance(f->clock, LW_HISTORY_AGE_NS - 1);
    compact(f, 1);
    put(f, "/z", "1");
    put(f, "/z", "2");
    assert_int_equal(compacted_revision(f), 1);
}

static void history_is_bounded_in_age(void **state)
{
    store_fixture *f = *state;
    recorder r;
    recorder_open_quiet(&r, f, "/", 0);
    put(f, "/a", "1");
    put(f, "/a", "2");
    lw_manual_clock_advance(f->clock, LW_HISTORY_AGE_NS / 2);
    put(f, "/a", "3");
    lw_manual_clock_advance(f->clock, LW_HISTORY_AGE_NS / 2 + LW_NS_PER_S);
    put(f, "/a", "4");
    recorder_wait_compacted(&r, 2);
    assert_int_equal(compacted_revision(f), 2);
    lw_manual_clock_advance(f->clock, LW_HISTORY_AGE_NS);
    put(f, "/a", "5");
    recorder_wait_compacted(&r, 4);
    assert_int_equal(compacted_revision(f), 4);
    recorder_close(&r, f);
}

static void space_is_used_again(void **state)
{
    store_fixture *f = *state;
    store_fixture_restart(f, (lw_history_options){ .max_bytes = 100000 });
    char value[5000];
    memset(value, 'x', sizeof(value));
    value[sizeof(value) - 1] = '\0';
    for (int i = 0; i < 400; i++) {
        char key[16];
        (void)snprintf(key, sizeof(key), "/%d", i % 7);
        put(f, key, value);
    }
    assert_in_range(lw_store_bytes(f->store), 7 * 5000, 1000000);
}

void store_suite_compact(store_tests *table)
{
    const struct CMUnitTest own[] = {
        STORE_TEST(compaction_removes_only_older_states),
        STORE_TEST(compaction_may_skip_revisions),
        STORE_TEST(a_deleted_key_can_be_created_again),
        STORE_TEST(sweeping_a_delete_keeps_newer_versions),
        STORE_TEST(a_compacted_revision_cannot_be_watched),
        STORE_TEST(a_future_revision_cannot_be_compacted),
        STORE_TEST(compacting_a_compacted_revision_does_nothing),
        STORE_TEST(watches_are_notified_of_compaction),
        STORE_TEST(history_is_bounded_in_bytes),
        STORE_TEST(history_within_its_limits_is_kept),
        STORE_TEST(history_is_bounded_in_age),
        STORE_TEST(space_is_used_again),
    };
    STORE_TESTS_ADD(table, own);
}
