/* SPDX-License-Identifier: Apache-2.0 */
/* apply_test.c -- what becomes of a change the store tells: also when it is damaged, when memory
 * runs out, when the store lets go. */
#include "cache/apply.h"

#include "unit/cache/rig.h"
#include "unit/failing_alloc.h"
#include "unit/object/make.h"

static void an_attached_object_is_taken_instead_of_the_value(void **state)
{
    (void)state;
    rig r;
    rig_start(&r);
    lw_object *made = object_of("{\"metadata\":{\"namespace\":\"a\",\"name\":\"x\"},\"made\":1}");
    fake_commit(&r.store, "/registry/pods/a/x", "never parsed", made);
    lw_object_unref(made);
    lw_object *obj = lw_cache_get_ref(r.pods, LW_STR("a"), LW_STR("x"));
    assert_int_equal(lw_object_int(obj, "/made", 0), 1);
    assert_string_equal(lw_object_resource_version(obj), "1");
    lw_object_unref(obj);
    rig_done(&r);
}

static void managed_fields_stay(void **state)
{
    (void)state;
    rig r;
    lw_str raw;
    rig_start(&r);
    fake_put(&r.store, "pods", "a", "x", "1");
    lw_object *obj = lw_cache_get_ref(r.pods, LW_STR("a"), LW_STR("x"));
    assert_int_equal(lw_object_raw(obj, "/metadata/managedFields", &raw), LW_OK);
    lw_object_unref(obj);
    rig_done(&r);
}

static void count_line(lw_log_level level, const char *component, const char *line, void *arg)
{
    (void)level;
    (void)line;
    assert_string_equal(component, "cache");
    ++*(unsigned *)arg;
}

static void a_damaged_change_is_logged_and_skipped(void **state)
{
    (void)state;
    rig r;
    unsigned lines = 0;
    const lw_logger logger = { LW_LOG_INFO, count_line, &lines };
    rig_init(&r);
    lw_cache_options options = { .store = &r.store.base, .logger = &logger };
    assert_int_equal(lw_cache_new(&r.cache, &options, NULL), LW_OK);
    assert_int_equal(lw_cache_add(r.cache, LW_STR("/registry/pods/"), true, &r.pods, NULL), LW_OK);
    assert_int_equal(lw_cache_port_new(&r.port, r.cache, rig_wake, &r), LW_OK);
    assert_int_equal(lw_cache_start(r.cache, NULL), LW_OK);
    fake_put(&r.store, "pods", "a", "x", "1");
    fake_commit(&r.store, "/registry/pods/a/x", "{", NULL);
    fake_commit(&r.store, "/registry/pods/a/x", "{\"metadata\":{\"name\":\"y\"}}", NULL);
    assert_int_equal(lines, 2);
    fake_put(&r.store, "pods", "a", "y", "1");
    assert_string_equal(rig_list(&r, &rig_all, "", 0), "a/x@1 a/y@4");
    rig_done(&r);
}

/* The store deletes two objects in one revision, the third: as the end of a lease does. */
static void delete_two_at_once(rig *r)
{
    const lw_store_event events[] = {
        { .key = LW_STR("/registry/pods/a/x"), .revision = 3, .is_delete = true },
        { .key = LW_STR("/registry/pods/a/y"), .revision = 3, .is_delete = true },
    };
    const lw_store_sink sink = lw_cache_sink(r->cache);
    sink.on_events(events, 2, 3, sink.arg);
}

static void put_two(rig *r)
{
    rig_start(r);
    fake_put(&r->store, "pods", "a", "x", "1");
    fake_put(&r->store, "pods", "a", "y", "1");
}

static void every_change_of_a_revision_is_applied_and_told(void **state)
{
    (void)state;
    rig r;
    put_two(&r);
    lw_watcher *w = rig_watch(&r, &rig_all, LW_WATCH_START_NOW, 0);
    delete_two_at_once(&r);
    assert_string_equal(rig_list(&r, &rig_all, "", 0), "");
    assert_string_equal(rig_pull(&r, w), "-a/x@3 -a/y@3");
    lw_watcher_close(w);
    rig_done(&r);
}

static void a_revision_that_is_told_twice_is_applied_once(void **state)
{
    (void)state;
    rig r;
    put_two(&r);
    lw_watcher *w = rig_watch(&r, &rig_all, LW_WATCH_START_NOW, 0);
    delete_two_at_once(&r);
    delete_two_at_once(&r);
    assert_string_equal(rig_pull(&r, w), "-a/x@3 -a/y@3");
    lw_watcher_close(w);
    rig_done(&r);
}

static void a_revision_is_pulled_when_all_of_it_is(void **state)
{
    (void)state;
    rig r;
    lw_cache_event event;
    put_two(&r);
    lw_watcher *w = rig_watch(&r, &rig_all, LW_WATCH_START_NOW, 0);
    delete_two_at_once(&r);
    assert_int_equal(lw_watcher_next(w, &event), LW_WATCH_STEP_EVENT);
    lw_object_unref(event.object);
    assert_int_equal(lw_watcher_revision(w), 2); /* a resumption from here is told of both */
    assert_int_equal(lw_watcher_next(w, &event), LW_WATCH_STEP_EVENT);
    lw_object_unref(event.object);
    assert_int_equal(lw_watcher_revision(w), 3);
    lw_watcher_close(w);
    rig_done(&r);
}

static void who_resumes_after_a_revision_is_told_none_of_it(void **state)
{
    (void)state;
    rig r;
    put_two(&r);
    delete_two_at_once(&r);
    lw_watcher *after = rig_watch(&r, &rig_all, LW_WATCH_START_AFTER, 3);
    lw_watcher *before = rig_watch(&r, &rig_all, LW_WATCH_START_AFTER, 2);
    assert_string_equal(rig_pull(&r, after), "");
    assert_string_equal(rig_pull(&r, before), "-a/x@3 -a/y@3");
    lw_watcher_close(after);
    lw_watcher_close(before);
    rig_done(&r);
}

/* Deletes or puts with fewer and fewer allocations refused; the cache must never show a state that
 * misses a change. */
static void check_without_memory(bool is_delete)
{
    for (size_t allowed = 0;; allowed++) {
        rig r;
        rig_start(&r);
        fake_put(&r.store, "pods", "a", "x", "1");
        fake_put(&r.store, "pods", "a", "y", "1");
        lw_watcher *w = rig_watch(&r, &rig_all, LW_WATCH_START_STATE, 0);
        lw_watcher *late = rig_watch(&r, &rig_all, LW_WATCH_START_NOW, 0);
        assert_string_equal(rig_pull(&r, w), "+a/x@1 +a/y@2 =@2");
        lw_watcher *holds_snapshot = rig_watch(&r, &rig_all, LW_WATCH_START_STATE, 0);
        failing_alloc f;
        failing_alloc_begin(&f, allowed);
        if (is_delete)
            fake_delete(&r.store, "pods", "a", "x");
        else
            fake_put(&r.store, "pods", "a", "x", "2");
        failing_alloc_end();
        assert_int_equal(r.wakes, 1);
        assert_int_equal(lw_cache_revision(r.cache), 3);
        lw_cache_port_dispatch(r.port);
        assert_int_equal(r.readies, 3);
        const char *said = rig_pull(&r, w);
        bool is_broken = strcmp(said, "!") == 0;
        if (!is_broken)
            assert_string_equal(said, is_delete ? "-a/x@3" : "~a/x@3");
        assert_string_equal(rig_list(&r, &rig_all, "", 0), is_delete ? "a/y@2" : "a/x@3 a/y@2");
        /* The load has brought the ring back, but not for those who were there before. */
        assert_string_equal(rig_pull(&r, late), is_broken ? "!" : is_delete ? "-a/x@3" : "~a/x@3");
        lw_watcher *again = rig_watch(&r, &rig_all, LW_WATCH_START_AFTER, 2);
        assert_string_equal(rig_pull(&r, again), is_delete ? "-a/x@3" : "~a/x@3");
        fake_put(&r.store, "pods", "b", "z", "1");
        assert_string_equal(rig_pull(&r, again), "+b/z@4");
        lw_watcher_close(w);
        lw_watcher_close(late);
        lw_watcher_close(again);
        lw_watcher_close(holds_snapshot);
        rig_done(&r);
        if (!is_broken) {
            assert_true(allowed > 1);
            break;
        }
    }
}

static void without_memory_a_put_expires_the_watchers_and_loads_again(void **state)
{
    (void)state;
    check_without_memory(false);
}

static void without_memory_a_delete_expires_the_watchers_and_loads_again(void **state)
{
    (void)state;
    check_without_memory(true);
}

static void changes_while_broken_are_found_by_the_load(void **state)
{
    (void)state;
    rig r;
    lw_cache_list list;
    rig_start(&r);
    failing_alloc f;
    failing_alloc_begin(&f, 0);
    fake_put(&r.store, "pods", "a", "x", "1");
    fake_put(&r.store, "pods", "a", "y", "1");
    /* Still no memory: a reader is told so, and not that there is nothing. */
    lw_status st = lw_cache_list_now(r.pods, &rig_all, LW_STR(""), 0, &list, NULL);
    failing_alloc_end();
    assert_int_equal(st, LW_ERR_NOMEM);
    fake_put(&r.store, "pods", "a", "z", "1");
    lw_object *obj = lw_cache_get_ref(r.pods, LW_STR("a"), LW_STR("y"));
    assert_int_equal(lw_object_revision(obj), 2);
    lw_object_unref(obj);
    assert_string_equal(rig_list(&r, &rig_all, "", 0), "a/x@1 a/y@2 a/z@3");
    rig_done(&r);
}

static void a_cut_watch_is_taken_up_where_it_was(void **state)
{
    (void)state;
    rig r;
    rig_start(&r);
    fake_put(&r.store, "pods", "a", "x", "1");
    lw_watcher *w = rig_watch(&r, &rig_all, LW_WATCH_START_NOW, 0);
    fake_cut(&r.store);
    assert_int_equal(r.wakes, 1);
    fake_put(&r.store, "pods", "a", "x", "2"); /* told to nobody */
    lw_cache_port_dispatch(r.port);
    assert_string_equal(rig_pull(&r, w), "~a/x@2");
    fake_cut(&r.store);
    fake_put(&r.store, "pods", "a", "x", "3");
    assert_string_equal(rig_list(&r, &rig_all, "", 0), "a/x@3");
    assert_string_equal(rig_pull(&r, w), "~a/x@3");
    lw_watcher_close(w);
    rig_done(&r);
}

static void after_a_cut_beyond_the_history_everything_is_loaded_again(void **state)
{
    (void)state;
    rig r;
    rig_start(&r);
    fake_put(&r.store, "pods", "a", "x", "1");
    lw_watcher *w = rig_watch(&r, &rig_all, LW_WATCH_START_NOW, 0);
    fake_cut(&r.store);
    fake_put(&r.store, "pods", "a", "x", "2");
    fake_put(&r.store, "pods", "a", "y", "2");
    r.store.compacted = 2;
    lw_cache_port_dispatch(r.port);
    assert_string_equal(rig_pull(&r, w), "!");
    assert_int_equal(lw_cache_revision(r.cache), 3);
    assert_string_equal(rig_list(&r, &rig_all, "", 0), "a/x@2 a/y@3");
    fake_put(&r.store, "pods", "a", "y", "3");
    assert_string_equal(rig_list(&r, &rig_all, "", 0), "a/x@2 a/y@4");
    lw_watcher_close(w);
    rig_done(&r);
}

static void a_lost_watch_that_cannot_be_resumed_is_an_error_not_a_stale_answer(void **state)
{
    (void)state;
    rig r;
    lw_cache_list list;
    rig_start(&r);
    fake_put(&r.store, "pods", "a", "x", "1");
    fake_cut(&r.store);
    r.store.watch_fails = LW_ERR_UNAVAILABLE;
    assert_int_equal(lw_cache_list_now(r.pods, &rig_all, LW_STR(""), 0, &list, NULL),
                     LW_ERR_UNAVAILABLE);
    lw_cache_port_dispatch(r.port);
    r.store.watch_fails = LW_OK;
    assert_string_equal(rig_list(&r, &rig_all, "", 0), "a/x@1");
    rig_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_attached_object_is_taken_instead_of_the_value),
        TEST(managed_fields_stay),
        TEST(every_change_of_a_revision_is_applied_and_told),
        TEST(a_revision_that_is_told_twice_is_applied_once),
        TEST(a_revision_is_pulled_when_all_of_it_is),
        TEST(who_resumes_after_a_revision_is_told_none_of_it),
        TEST(a_damaged_change_is_logged_and_skipped),
        TEST(without_memory_a_put_expires_the_watchers_and_loads_again),
        TEST(without_memory_a_delete_expires_the_watchers_and_loads_again),
        TEST(changes_while_broken_are_found_by_the_load),
        TEST(a_cut_watch_is_taken_up_where_it_was),
        TEST(after_a_cut_beyond_the_history_everything_is_loaded_again),
        TEST(a_lost_watch_that_cannot_be_resumed_is_an_error_not_a_stale_answer),
    };
    return cmocka_run_group_tests_name("cache/apply", tests, NULL, NULL);
}
