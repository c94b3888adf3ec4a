/* SPDX-License-Identifier: Apache-2.0 */
/* store_suite_reopen.c -- the state of a durable store after closing and reopening it. */
#include <stdio.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "suite/store_suite_parts.h"

static void write_a_little(store_fixture *f)
{
    put(f, "/a", "1");
    put(f, "/b", "1");
    put(f, "/a", "2");
    del(f, "/b");
}

static void all_keys_survive_a_reopen(void **state)
{
    store_fixture *f = *state;
    write_a_little(f);
    store_fixture_reopen(f);
    assert_int_equal(current_revision(f), 4);
    assert_int_equal(compacted_revision(f), 0);
    assert_state(f, 0, "/a=2@1/3");
    assert_state(f, 3, "/a=2@1/3 /b=1@2/2");
    assert_state(f, 2, "/a=1@1/1 /b=1@2/2");
    assert_int_equal(read_status(f, 5), LW_ERR_TOO_LARGE_RV);
    assert_int_equal(try_put(f, "/a", "3", 1).st, LW_ERR_CONFLICT);
    assert_int_equal(try_put(f, "/b", "2", 0).revision, 5);
}

static void a_watch_resumes_where_it_was(void **state)
{
    store_fixture *f = *state;
    write_a_little(f);
    store_fixture_reopen(f);
    recorder r;
    recorder_open(&r, f, "/", 1);
    put(f, "/b", "2");
    assert_told(&r, 5, "2 /b=1\n3 /a=2\n4 /b!\n5 /b=2\n");
    recorder_close(&r, f);
}

static void revisions_never_go_back(void **state)
{
    store_fixture *f = *state;
    for (uint64_t i = 1; i <= 20; i++) {
        assert_int_equal(i % 2 == 1 ? put(f, "/a", "x") : del(f, "/a"), i);
        if (i % 4 == 0) /* the last change is a delete, which leaves no record */
            assert_int_equal(lw_store_compact(f->store, i, NULL), LW_OK);
        store_fixture_reopen(f);
        assert_int_equal(current_revision(f), i);
        assert_int_equal(compacted_revision(f), i / 4 * 4);
    }
}

static void compaction_survives_a_reopen(void **state)
{
    store_fixture *f = *state;
    write_a_little(f);
    assert_int_equal(lw_store_compact(f->store, 3, NULL), LW_OK);
    store_fixture_reopen(f);
    assert_int_equal(compacted_revision(f), 3);
    assert_int_equal(read_status(f, 2), LW_ERR_EXPIRED);
    assert_state(f, 3, "/a=2@1/3 /b=1@2/2");
    assert_state(f, 4, "/a=2@1/3");
}

static void sweeping_goes_on_after_a_restart(void **state)
{
    store_fixture *f = *state;
    put(f, "/n", "first");
    put_many(f, 3000);
    uint64_t last = 0;
    for (int i = 0; i < 5; i++)
        last = put(f, "/n", "y");
    assert_int_equal(lw_store_compact(f->store, last, NULL), LW_OK);
    store_fixture_reopen(f); /* probably in the middle of a sweep */
    for (int i = 0; i < 6; i++)
        assert_int_equal(lw_store_compact(f->store, last, NULL), LW_OK);
    store_fixture_reopen(f);
    assert_int_equal(read_status(f, last), LW_OK);
    assert_int_equal(read_status(f, last - 1), LW_ERR_EXPIRED);
    lw_store_range range = { .limit = 1, .is_counting = true };
    lw_store_range_result result;
    char *text = range_text(f, &range, &result);
    assert_string_equal(text, "/n=y@1/3006...+3000");
    lw_free(text);
}

static void old_history_counts_after_a_restart(void **state)
{
    store_fixture *f = *state;
    store_fixture_restart(f, (lw_history_options){ .max_bytes = 40000 });
    char value[1000];
    memset(value, 'x', sizeof(value));
    value[sizeof(value) - 1] = '\0';
    uint64_t revision = 0;
    for (int i = 0; i < 19; i++) /* 2000 bytes each, except the first */
        revision = put(f, "/a", value);
    assert_int_equal(compacted_revision(f), 0);
    store_fixture_reopen(f);
    recorder r;
    recorder_open_quiet(&r, f, "/", revision);
    for (int i = 0; i < 3; i++)
        revision = put(f, "/a", value);
    recorder_wait_compacted(&r, 1);
    /* Only the oldest were removed, not all from before the restart. */
    assert_in_range(compacted_revision(f), 5, 12);
    recorder_close(&r, f);
}

static void history_ages_from_the_restart(void **state)
{
    store_fixture *f = *state;
    write_a_little(f);
    store_fixture_reopen(f);
    recorder r;
    recorder_open_quiet(&r, f, "/", 4);
    lw_manual_clock_advance(f->clock, LW_HISTORY_AGE_NS - 1);
    put(f, "/z", "1");
    put(f, "/z", "2");
    assert_int_equal(compacted_revision(f), 0);
    lw_manual_clock_advance(f->clock, 1);
    put(f, "/z", "3");
    recorder_wait_compacted(&r, 4);
    assert_int_equal(compacted_revision(f), 4);
    recorder_close(&r, f);
}

void store_suite_reopen(store_tests *table)
{
    const struct CMUnitTest own[] = {
        STORE_TEST(all_keys_survive_a_reopen),
        STORE_TEST(a_watch_resumes_where_it_was),
        STORE_TEST(revisions_never_go_back),
        STORE_TEST(compaction_survives_a_reopen),
        STORE_TEST(sweeping_goes_on_after_a_restart),
        STORE_TEST(old_history_counts_after_a_restart),
        STORE_TEST(history_ages_from_the_restart),
    };
    STORE_TESTS_ADD(table, own);
}
