/* SPDX-License-Identifier: Apache-2.0 */
/* watcher_test.c -- what a follower of a resource is told. */
#include "cache/watcher.h"

#include "base/clock.h"
#include "unit/cache/rig.h"

static void state_comes_first_then_synced_then_changes(void **state)
{
    (void)state;
    rig r;
    rig_start(&r);
    fake_put(&r.store, "pods", "b", "y", "1");
    fake_put(&r.store, "pods", "a", "x", "1");
    fake_put(&r.store, "nodes", NULL, "n", "1");
    lw_watcher *w = rig_watch(&r, &rig_all, LW_WATCH_START_STATE, 0);
    assert_int_equal(lw_watcher_revision(w), 0);
    fake_put(&r.store, "pods", "a", "x", "2");
    assert_string_equal(rig_pull(&r, w), "+a/x@2 +b/y@1 =@3 ~a/x@4");
    assert_int_equal(lw_watcher_revision(w), 4);
    fake_delete(&r.store, "pods", "b", "y");
    assert_string_equal(rig_pull(&r, w), "-b/y@5");
    assert_string_equal(rig_pull(&r, w), "");
    lw_watcher_close(w);
    rig_done(&r);
}

static void an_empty_state_is_synced_too(void **state)
{
    (void)state;
    rig r;
    rig_start(&r);
    lw_watcher *w = rig_watch(&r, &rig_all, LW_WATCH_START_STATE, 0);
    assert_string_equal(rig_pull(&r, w), "=@0");
    assert_string_equal(rig_pull(&r, w), "");
    lw_watcher_close(w);
    rig_done(&r);
}

static void now_says_only_what_comes(void **state)
{
    (void)state;
    rig r;
    rig_start(&r);
    fake_put(&r.store, "pods", "a", "x", "1");
    lw_watcher *w = rig_watch(&r, &rig_all, LW_WATCH_START_NOW, 0);
    assert_int_equal(lw_watcher_revision(w), 1);
    assert_string_equal(rig_pull(&r, w), "");
    fake_put(&r.store, "pods", "a", "x", "2");
    fake_put(&r.store, "pods", "a", "z", "2");
    assert_string_equal(rig_pull(&r, w), "~a/x@2 +a/z@3");
    lw_watcher_close(w);
    rig_done(&r);
}

static void after_a_revision_says_what_followed_it(void **state)
{
    (void)state;
    rig r;
    rig_start(&r);
    fake_put(&r.store, "pods", "a", "x", "1");
    fake_put(&r.store, "pods", "a", "x", "2");
    fake_delete(&r.store, "pods", "a", "x");
    fake_put(&r.store, "pods", "a", "x", "3");
    const char *expected[] = { "+a/x@1 ~a/x@2 -a/x@3 +a/x@4", "~a/x@2 -a/x@3 +a/x@4",
                               "-a/x@3 +a/x@4", "+a/x@4", "" };
    for (uint64_t after = 0; after < 5; after++) {
        lw_watcher *w = rig_watch(&r, &rig_all, LW_WATCH_START_AFTER, after);
        assert_int_equal(lw_watcher_revision(w), after == 4 ? 4 : after);
        assert_string_equal(rig_pull(&r, w), expected[after]);
        assert_int_equal(lw_watcher_revision(w), 4);
        lw_watcher_close(w);
    }
    rig_done(&r);
}

static void after_the_future_waits_for_it(void **state)
{
    (void)state;
    rig r;
    rig_start(&r);
    lw_watcher *w = rig_watch(&r, &rig_all, LW_WATCH_START_AFTER, 3);
    for (int i = 0; i < 3; i++)
        fake_put(&r.store, "pods", "a", "x", "1");
    assert_string_equal(rig_pull(&r, w), "");
    assert_int_equal(lw_watcher_revision(w), 3);
    fake_put(&r.store, "pods", "a", "x", "1");
    assert_string_equal(rig_pull(&r, w), "~a/x@4");
    lw_watcher_close(w);
    rig_done(&r);
}

static void a_compacted_revision_is_too_old(void **state)
{
    (void)state;
    rig r;
    rig_start(&r);
    for (int i = 0; i < 9; i++)
        fake_put(&r.store, "pods", "a", "x", "1");
    assert_int_equal(lw_store_compact(&r.store.base, 7, NULL), LW_OK);
    lw_watcher *w = NULL;
    const lw_watcher_options options = { .port = r.port,
                                         .resource = r.pods,
                                         .filter = &rig_all,
                                         .start = LW_WATCH_START_AFTER,
                                         .after = 6,
                                         .on_ready = rig_ready };
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_watcher_open(&w, &options, &err), LW_ERR_EXPIRED);
    assert_string_equal(err.message, "too old resource version: 6 (7)");
    w = rig_watch(&r, &rig_all, LW_WATCH_START_AFTER, 7);
    assert_string_equal(rig_pull(&r, w), "~a/x@8 ~a/x@9");
    lw_watcher_close(w);
    rig_done(&r);
}

static void a_watcher_that_is_overtaken_is_expired(void **state)
{
    (void)state;
    rig r;
    rig_init(&r);
    rig_open_cache(&r, 4);
    assert_int_equal(lw_cache_start(r.cache, NULL), LW_OK);
    lw_watcher *slow = rig_watch(&r, &rig_all, LW_WATCH_START_NOW, 0);
    for (int i = 0; i < 4; i++)
        fake_put(&r.store, "pods", "a", "x", "1");
    lw_watcher *quick = rig_watch(&r, &rig_all, LW_WATCH_START_AFTER, 1);
    fake_put(&r.store, "pods", "a", "x", "1");
    assert_string_equal(rig_pull(&r, slow), "!");
    assert_string_equal(rig_pull(&r, slow), "!");
    assert_string_equal(rig_pull(&r, quick), "~a/x@2 ~a/x@3 ~a/x@4 ~a/x@5");
    lw_watcher_close(slow);
    lw_watcher_close(quick);
    rig_done(&r);
}

static void selectors_turn_changes_into_comings_and_goings(void **state)
{
    (void)state;
    rig r;
    rig_start(&r);
    lw_cache_filter web = { 0 };
    lw_label_selector *labels = NULL;
    assert_int_equal(lw_label_selector_parse(&labels, LW_STR("app=web"), NULL), LW_OK);
    web.labels = labels;
    lw_watcher *w = rig_watch(&r, &web, LW_WATCH_START_STATE, 0);
    fake_put(&r.store, "pods", "a", "x", "db");  /* 1: nothing */
    fake_put(&r.store, "pods", "a", "x", "web"); /* 2: added */
    fake_put(&r.store, "pods", "a", "x", "web"); /* 3: modified */
    fake_put(&r.store, "pods", "a", "x", "db");  /* 4: deleted, the old one */
    fake_delete(&r.store, "pods", "a", "x");     /* 5: nothing */
    fake_put(&r.store, "pods", "a", "x", "web"); /* 6: added */
    fake_delete(&r.store, "pods", "a", "x");     /* 7: deleted */
    assert_string_equal(rig_pull(&r, w), "=@0 +a/x@2 ~a/x@3 -a/x@4 +a/x@6 -a/x@7");
    lw_watcher_close(w);

    w = rig_watch(&r, &web, LW_WATCH_START_AFTER, 3);
    lw_cache_event event;
    assert_int_equal(lw_watcher_next(w, &event), LW_WATCH_STEP_EVENT);
    assert_int_equal(event.type, LW_WATCH_DELETED);
    assert_string_equal(lw_object_label(event.object, "app"), "web");
    assert_string_equal(lw_object_resource_version(event.object), "4");
    lw_object_unref(event.object);
    lw_watcher_close(w);
    lw_label_selector_free(labels);
    rig_done(&r);
}

static void a_namespace_and_a_name_narrow_it(void **state)
{
    (void)state;
    rig r;
    rig_start(&r);
    fake_put(&r.store, "pods", "a", "x", "1");
    fake_put(&r.store, "pods", "a-b", "x", "1");
    fake_put(&r.store, "pods", "a", "y", "1");
    lw_field_selector *fields = NULL;
    assert_int_equal(lw_field_selector_parse(&fields, LW_STR("metadata.name=x"), NULL), LW_OK);
    const lw_cache_filter filters[] = {
        { .ns = LW_STR("a") },   { .ns = LW_STR("a"), .name = LW_STR("x") },
        { .name = LW_STR("x") }, { .fields = fields },
        { .ns = LW_STR("b") },
    };
    const char *first[] = { "+a/x@1 +a/y@3 =@3", "+a/x@1 =@3", "+a-b/x@2 +a/x@1 =@3",
                            "+a-b/x@2 +a/x@1 =@3", "=@3" };
    const char *then[] = { "~a/x@4 -a/y@6", "~a/x@4", "~a/x@4 ~a-b/x@5", "~a/x@4 ~a-b/x@5", "" };
    lw_watcher *w[5];
    for (int i = 0; i < 5; i++) {
        w[i] = rig_watch(&r, &filters[i], LW_WATCH_START_STATE, 0);
        assert_string_equal(rig_pull(&r, w[i]), first[i]);
    }
    fake_put(&r.store, "pods", "a", "x", "2");
    fake_put(&r.store, "pods", "a-b", "x", "2");
    fake_delete(&r.store, "pods", "a", "y");
    for (int i = 0; i < 5; i++) {
        assert_string_equal(rig_pull(&r, w[i]), then[i]);
        assert_int_equal(lw_watcher_revision(w[i]), 6);
        lw_watcher_close(w[i]);
    }
    lw_field_selector_free(fields);
    rig_done(&r);
}

static void a_bookmark_moves_with_other_resources(void **state)
{
    (void)state;
    rig r;
    rig_start(&r);
    lw_watcher *w = rig_watch(&r, &rig_all, LW_WATCH_START_NOW, 0);
    fake_put(&r.store, "nodes", NULL, "n", "1");
    assert_int_equal(lw_watcher_revision(w), 1);
    fake_put(&r.store, "pods", "a", "x", "1");
    fake_put(&r.store, "nodes", NULL, "n", "2");
    assert_int_equal(lw_watcher_revision(w), 1); /* the pod has not been pulled */
    assert_string_equal(rig_pull(&r, w), "+a/x@2");
    assert_int_equal(lw_watcher_revision(w), 3);
    lw_watcher_close(w);
    rig_done(&r);
}

/* What was left to tell is told first; who comes later is over at once. */
static void a_removed_resource_ends_its_watchers(void **state)
{
    (void)state;
    rig r;
    lw_cache_event event;
    rig_start(&r);
    fake_put(&r.store, "pods", "a", "x", "1");
    lw_watcher *w = rig_watch(&r, &rig_all, LW_WATCH_START_NOW, 0);
    fake_delete(&r.store, "pods", "a", "x");
    lw_cache_resource *pods = lw_cache_resource_ref(r.pods);
    lw_cache_remove(pods);
    fake_put(&r.store, "pods", "a", "y", "1");
    assert_int_equal(lw_watcher_next(w, &event), LW_WATCH_STEP_EVENT);
    assert_int_equal(event.type, LW_WATCH_DELETED);
    lw_object_unref(event.object);
    assert_int_equal(lw_watcher_next(w, &event), LW_WATCH_STEP_ENDED);
    lw_watcher *late = rig_watch(&r, &rig_all, LW_WATCH_START_NOW, 0);
    assert_int_equal(lw_watcher_next(late, &event), LW_WATCH_STEP_ENDED);
    assert_null(lw_cache_get_ref(pods, LW_STR("a"), LW_STR("y")));
    lw_cache_resource *again = NULL;
    assert_int_equal(lw_cache_add(r.cache, LW_STR("/registry/pods/"), true, &again, NULL), LW_OK);
    assert_ptr_not_equal(again, pods);
    lw_object *found = lw_cache_get_ref(again, LW_STR("a"), LW_STR("y"));
    assert_non_null(found);
    lw_object_unref(found);
    lw_watcher_close(w);
    lw_watcher_close(late);
    lw_cache_resource_unref(pods);
    rig_done(&r);
}

static void an_event_says_when_it_was_told_unless_it_is_of_the_past(void **state)
{
    (void)state;
    rig r;
    rig_start(&r);
    int64_t before = lw_clock_now(lw_clock_system());
    fake_put(&r.store, "pods", "a", "x", "1");
    int64_t after = lw_clock_now(lw_clock_system());
    lw_cache_event event;
    lw_watcher *w = rig_watch(&r, &rig_all, LW_WATCH_START_AFTER, 0);
    assert_int_equal(lw_watcher_next(w, &event), LW_WATCH_STEP_EVENT);
    assert_true(event.received_ns >= before && event.received_ns <= after);
    lw_object_unref(event.object);
    lw_watcher_close(w);

    rig_close_cache(&r);
    rig_open_cache(&r, 0);
    assert_int_equal(lw_cache_start(r.cache, NULL), LW_OK);
    w = rig_watch(&r, &rig_all, LW_WATCH_START_AFTER, 0);
    assert_int_equal(lw_watcher_next(w, &event), LW_WATCH_STEP_EVENT);
    assert_int_equal(event.received_ns, 0);
    lw_object_unref(event.object);
    lw_watcher_close(w);
    rig_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(state_comes_first_then_synced_then_changes),
        TEST(an_empty_state_is_synced_too),
        TEST(now_says_only_what_comes),
        TEST(after_a_revision_says_what_followed_it),
        TEST(after_the_future_waits_for_it),
        TEST(a_compacted_revision_is_too_old),
        TEST(a_watcher_that_is_overtaken_is_expired),
        TEST(selectors_turn_changes_into_comings_and_goings),
        TEST(a_namespace_and_a_name_narrow_it),
        TEST(a_bookmark_moves_with_other_resources),
        TEST(a_removed_resource_ends_its_watchers),
        TEST(an_event_says_when_it_was_told_unless_it_is_of_the_past),
    };
    return cmocka_run_group_tests_name("cache/watcher", tests, NULL, NULL);
}
