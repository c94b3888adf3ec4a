/* SPDX-License-Identifier: Apache-2.0 */
/* cache_test.c -- starting on a store that has a past, and adding resources. */
#include "cache/cache.h"

#include "cache/watcher.h"
#include "unit/cache/rig.h"

static void write_history(rig *r)
{
    fake_put(&r->store, "pods", "a", "x", "1");   /* 1 */
    fake_put(&r->store, "pods", "a", "y", "1");   /* 2 */
    fake_put(&r->store, "nodes", NULL, "n", "1"); /* 3 */
    fake_put(&r->store, "pods", "a", "x", "2");   /* 4 */
    fake_delete(&r->store, "pods", "a", "y");     /* 5 */
    fake_put(&r->store, "pods", "b", "z", "1");   /* 6 */
}

static void a_start_replays_all_there_is(void **state)
{
    (void)state;
    rig r;
    rig_init(&r);
    write_history(&r);
    rig_open_cache(&r, 0);
    assert_int_equal(lw_cache_start(r.cache, NULL), LW_OK);
    assert_int_equal(lw_cache_revision(r.cache), 6);
    assert_string_equal(rig_list(&r, &rig_all, "", 0), "a/x@4 b/z@6");
    lw_watcher *w = rig_watch(&r, &rig_all, LW_WATCH_START_AFTER, 0);
    assert_string_equal(rig_pull(&r, w), "+a/x@1 +a/y@2 ~a/x@4 -a/y@5 +b/z@6");
    lw_watcher_close(w);
    rig_done(&r);
}

static void a_start_begins_with_the_compacted_state(void **state)
{
    (void)state;
    rig r;
    rig_init(&r);
    write_history(&r);
    r.store.compacted = 4;
    rig_open_cache(&r, 0);
    assert_int_equal(lw_cache_start(r.cache, NULL), LW_OK);
    assert_string_equal(rig_list(&r, &rig_all, "", 0), "a/x@4 b/z@6");
    lw_watcher *w = rig_watch(&r, &rig_all, LW_WATCH_START_AFTER, 4);
    assert_string_equal(rig_pull(&r, w), "-a/y@5 +b/z@6");
    lw_watcher_close(w);
    lw_cache_stats stats;
    lw_cache_resource_stats(r.pods, &stats);
    assert_int_equal(stats.oldest_revision, 5);
    assert_int_equal(stats.objects, 2);
    assert_int_equal(stats.ring_events, 2);
    rig_done(&r);
}

static void a_start_on_a_wholly_compacted_store_needs_no_event(void **state)
{
    (void)state;
    rig r;
    rig_init(&r);
    write_history(&r);
    r.store.compacted = 6;
    rig_open_cache(&r, 0);
    assert_int_equal(lw_cache_start(r.cache, NULL), LW_OK);
    assert_int_equal(lw_cache_revision(r.cache), 6);
    assert_string_equal(rig_list(&r, &rig_all, "", 0), "a/x@4 b/z@6");
    rig_done(&r);
}

static void a_compaction_during_the_start_is_survived(void **state)
{
    (void)state;
    rig r;
    rig_init(&r);
    write_history(&r);
    r.store.compacted = 2;
    r.store.compacts_under_hands = true;
    rig_open_cache(&r, 0);
    assert_int_equal(lw_cache_start(r.cache, NULL), LW_OK);
    assert_string_equal(rig_list(&r, &rig_all, "", 0), "a/x@4 b/z@6");
    rig_done(&r);
}

static void a_damaged_value_fails_the_start_by_name(void **state)
{
    (void)state;
    const struct {
        const char *value;
        uint64_t compacted;
        const char *message;
    } cases[] = {
        { "{\"metadata\":", 0,
          "the value of key /registry/pods/a/bad in the store is not an object: " },
        { "{\"metadata\":", 1,
          "the value of key /registry/pods/a/bad in the store is not an object: " },
        { "[]", 0, "the value of key /registry/pods/a/bad in the store is not an object: " },
        { "{\"metadata\":{\"name\":\"bad\"}}", 0,
          "the value of key /registry/pods/a/bad in the store is an object with another name " },
        { "{\"metadata\":{\"name\":\"bad\"}}", 1,
          "the value of key /registry/pods/a/bad in the store is an object with another name " },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        rig r;
        lw_error err = LW_ERROR_INIT;
        rig_init(&r);
        fake_commit(&r.store, "/registry/pods/a/bad", cases[i].value, NULL);
        fake_put(&r.store, "nodes", NULL, "n", "1");
        r.store.compacted = cases[i].compacted;
        rig_open_cache(&r, 0);
        assert_int_equal(lw_cache_start(r.cache, &err), LW_ERR_INVALID);
        assert_memory_equal(err.message, cases[i].message, strlen(cases[i].message));
        /* After the repair, it starts. */
        fake_put(&r.store, "pods", "a", "bad", "1");
        r.store.compacted = 3;
        assert_int_equal(lw_cache_start(r.cache, &err), LW_OK);
        assert_string_equal(rig_list(&r, &rig_all, "", 0), "a/bad@3");
        rig_done(&r);
    }
}

static void a_store_that_cannot_be_followed_fails_the_start(void **state)
{
    (void)state;
    rig r;
    lw_error err = LW_ERROR_INIT;
    rig_init(&r);
    rig_open_cache(&r, 0);
    r.store.watch_fails = LW_ERR_UNAVAILABLE;
    assert_int_equal(lw_cache_start(r.cache, &err), LW_ERR_UNAVAILABLE);
    assert_string_equal(err.message, "no watch today");
    r.store.watch_fails = LW_OK;
    assert_int_equal(lw_cache_start(r.cache, &err), LW_OK);
    rig_done(&r);
}

static void a_resource_is_added_once(void **state)
{
    (void)state;
    rig r;
    lw_cache_resource *again = NULL;
    rig_start(&r);
    assert_int_equal(lw_cache_add(r.cache, LW_STR("/registry/pods/"), true, &again, NULL),
                     LW_ERR_EXISTS);
    rig_done(&r);
}

static void unknown_keys_only_move_the_revision(void **state)
{
    (void)state;
    rig r;
    rig_start(&r);
    fake_put(&r.store, "things", "a", "x", "1");
    fake_commit(&r.store, "elsewhere", "?", NULL);
    assert_int_equal(lw_cache_revision(r.cache), 2);
    assert_string_equal(rig_list(&r, &rig_all, "", 0), "");
    rig_done(&r);
}

static void statistics_balance(void **state)
{
    (void)state;
    rig r;
    lw_cache_stats stats;
    rig_start(&r);
    fake_put(&r.store, "pods", "a", "x", "1");
    lw_cache_resource_stats(r.pods, &stats);
    size_t one = stats.object_bytes;
    assert_true(one > 0);
    assert_int_equal(stats.ring_bytes, 0);
    fake_put(&r.store, "pods", "a", "y", "1");
    fake_put(&r.store, "pods", "a", "x", "2");
    fake_delete(&r.store, "pods", "a", "y");
    lw_watcher *w = rig_watch(&r, &rig_all, LW_WATCH_START_NOW, 0);
    lw_cache_resource_stats(r.pods, &stats);
    assert_int_equal(stats.objects, 1);
    assert_int_equal(stats.object_bytes, one);
    assert_int_equal(stats.ring_bytes, 2 * one);
    assert_int_equal(stats.ring_events, 4);
    assert_int_equal(stats.events, 4);
    assert_int_equal(stats.watchers, 1);
    assert_int_equal(stats.oldest_revision, 1);
    lw_watcher_close(w);
    assert_int_equal(lw_store_compact(&r.store.base, 4, NULL), LW_OK);
    lw_cache_resource_stats(r.pods, &stats);
    assert_int_equal(stats.ring_bytes, 0);
    assert_int_equal(stats.ring_events, 0);
    assert_int_equal(stats.events, 4);
    assert_int_equal(stats.watchers, 0);
    assert_int_equal(stats.oldest_revision, 5);
    rig_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_start_replays_all_there_is),
        TEST(a_start_begins_with_the_compacted_state),
        TEST(a_start_on_a_wholly_compacted_store_needs_no_event),
        TEST(a_compaction_during_the_start_is_survived),
        TEST(a_damaged_value_fails_the_start_by_name),
        TEST(a_store_that_cannot_be_followed_fails_the_start),
        TEST(a_resource_is_added_once),
        TEST(unknown_keys_only_move_the_revision),
        TEST(statistics_balance),
    };
    return cmocka_run_group_tests_name("cache/cache", tests, NULL, NULL);
}
