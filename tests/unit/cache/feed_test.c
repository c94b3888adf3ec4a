/* SPDX-License-Identifier: Apache-2.0 */
/* feed_test.c -- a resource that is fed with the objects of another server. */
#include "cache/feed.h"

#include <stdio.h>

#include "unit/cache/rig.h"

enum {
    HISTORY = 1 << 20, /* bytes; more than these tests need */
};

static lw_object *made(const char *name, const char *uid, const char *label, unsigned revision)
{
    char text[256];
    lw_object *obj = NULL;
    int len = snprintf(text, sizeof(text),
                       "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\","
                       "\"namespace\":\"a\",\"uid\":\"%s\",\"resourceVersion\":\"%u\","
                       "\"labels\":{\"l\":\"%s\"}}}",
                       name, uid, revision, label);
    assert_int_equal(lw_object_from_json(&obj, text, (size_t)len, NULL), LW_OK);
    return obj;
}

/* A cache whose pods are fed. */
static void start(rig *r)
{
    rig_init(r);
    rig_open_cache(r, 0);
    lw_feed_init(r->pods);
    assert_int_equal(lw_cache_start(r->cache, NULL), LW_OK);
}

static void put(rig *r, const char *name, const char *uid, const char *label, unsigned revision)
{
    lw_object *obj = made(name, uid, label, revision);
    lw_feed_begin(r->pods);
    assert_int_equal(lw_feed_put(r->pods, obj), LW_OK);
    lw_feed_end(r->pods, 0, HISTORY);
    lw_object_unref(obj);
}

static void removed(rig *r, const char *name, unsigned revision)
{
    lw_object *obj = made(name, "u", "x", revision);
    lw_feed_begin(r->pods);
    assert_int_equal(lw_feed_remove(r->pods, obj), LW_OK);
    lw_feed_end(r->pods, 0, HISTORY);
    lw_object_unref(obj);
}

static void replace(rig *r, lw_object **objects, size_t count, uint64_t revision)
{
    assert_int_equal(lw_feed_replace(r->pods, objects, count, revision), LW_OK);
    for (size_t i = 0; i < count; i++)
        lw_object_unref(objects[i]);
}

static lw_status open_after(rig *r, uint64_t after)
{
    lw_watcher *watcher = NULL;
    const lw_watcher_options options = { .port = r->port,
                                         .resource = r->pods,
                                         .filter = &rig_all,
                                         .start = LW_WATCH_START_AFTER,
                                         .after = after,
                                         .on_ready = rig_ready,
                                         .arg = r };
    lw_status st = lw_watcher_open(&watcher, &options, NULL);
    lw_watcher_close(watcher);
    return st;
}

static void nothing_can_be_read_before_the_first_list(void **state)
{
    (void)state;
    rig r;
    lw_cache_list list;
    start(&r);
    assert_int_equal(lw_cache_list_now(r.pods, &rig_all, LW_STR(""), 0, &list, NULL),
                     LW_ERR_UNAVAILABLE);
    replace(&r, NULL, 0, 7);
    assert_int_equal(lw_cache_list_now(r.pods, &rig_all, LW_STR(""), 0, &list, NULL), LW_OK);
    assert_int_equal(list.revision, 7);
    assert_string_equal(rig_print_list(&r, &list), "");
    rig_done(&r);
}

static void objects_keep_the_revisions_of_the_upstream(void **state)
{
    (void)state;
    rig r;
    start(&r);
    replace(&r, (lw_object *[]){ made("x", "1", "a", 40), made("y", "2", "a", 30) }, 2, 90);
    lw_watcher *w = rig_watch(&r, &rig_all, LW_WATCH_START_STATE, 0);
    put(&r, "x", "1", "b", 95);
    put(&r, "z", "3", "b", 97);
    removed(&r, "y", 99);
    assert_string_equal(rig_pull(&r, w), "+a/x@40 +a/y@30 =@90 ~a/x@95 +a/z@97 -a/y@99");
    assert_int_equal(lw_watcher_revision(w), 99);
    assert_int_equal(lw_cache_resource_revision(r.pods), 99);
    /* Other resources have the revision of the store. */
    assert_int_equal(lw_cache_resource_revision(r.nodes), 0);
    lw_watcher_close(w);
    rig_done(&r);
}

static void a_bookmark_moves_only_the_revision(void **state)
{
    (void)state;
    rig r;
    start(&r);
    replace(&r, NULL, 0, 90);
    lw_watcher *w = rig_watch(&r, &rig_all, LW_WATCH_START_NOW, 0);
    lw_feed_begin(r.pods);
    lw_feed_end(r.pods, 120, HISTORY);
    assert_string_equal(rig_pull(&r, w), "");
    assert_int_equal(lw_watcher_revision(w), 120);
    assert_int_equal(open_after(&r, 90), LW_OK);
    assert_int_equal(open_after(&r, 89), LW_ERR_EXPIRED);
    lw_watcher_close(w);
    rig_done(&r);
}

static void a_wait_ends_when_its_resource_gets_there(void **state)
{
    (void)state;
    rig r;
    start(&r);
    replace(&r, NULL, 0, 90);
    lw_cache_wait wait = { .revision = 91, .resource = r.pods };
    assert_false(lw_cache_wait_begin(r.port, &wait));
    r.wakes = 0;
    put(&r, "x", "1", "a", 91);
    assert_int_equal(r.wakes, 1);
    lw_cache_wait_cancel(r.port, &wait);
    wait = (lw_cache_wait){ .revision = 91, .resource = r.pods };
    assert_true(lw_cache_wait_begin(r.port, &wait));
    rig_done(&r);
}

static void a_relist_is_told_as_the_difference(void **state)
{
    (void)state;
    rig r;
    start(&r);
    replace(&r,
            (lw_object *[]){ made("gone", "1", "a", 10), made("same", "2", "a", 11),
                             made("new", "3", "a", 12), made("old", "4", "a", 13) },
            4, 20);
    lw_watcher *w = rig_watch(&r, &rig_all, LW_WATCH_START_NOW, 0);
    /* "old" was deleted and made again; "born" is new. */
    replace(&r,
            (lw_object *[]){ made("same", "2", "a", 11), made("new", "3", "b", 45),
                             made("old", "9", "a", 41), made("born", "5", "a", 43) },
            4, 50);
    assert_string_equal(rig_pull(&r, w), "-a/gone@20 -a/old@20 +a/old@41 +a/born@43 ~a/new@45");
    assert_int_equal(lw_watcher_revision(w), 50);
    lw_watcher_close(w);
    rig_done(&r);
}

/* The revision from which a client goes on that has seen |count| events of |watcher|. */
static uint64_t seen_after(lw_watcher *watcher, size_t count)
{
    lw_cache_event event;
    uint64_t revision = 0;
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(lw_watcher_next(watcher, &event), LW_WATCH_STEP_EVENT);
        revision = lw_object_revision(event.object);
        lw_object_unref(event.object);
    }
    return revision;
}

/* At the upstream a was deleted at 21, b at 22, and c changed at 23; the mirror only knows that a
 * and b are gone. */
static void a_client_cut_off_in_a_relist_resumes_before_what_it_has_not_seen(void **state)
{
    (void)state;
    rig r;
    start(&r);
    replace(&r,
            (lw_object *[]){ made("a", "1", "x", 10), made("b", "2", "x", 11),
                             made("c", "3", "x", 12) },
            3, 20);
    lw_watcher *w = rig_watch(&r, &rig_all, LW_WATCH_START_NOW, 0);
    replace(&r, (lw_object *[]){ made("c", "3", "y", 23) }, 1, 30);
    /* One deletion has been seen: the upstream must still tell the one at 21. */
    assert_int_equal(seen_after(w, 1), 20);
    assert_int_equal(lw_watcher_revision(w), 20);
    assert_int_equal(seen_after(w, 1), 20);
    assert_in_range(lw_watcher_revision(w), 20, 22);
    assert_int_equal(seen_after(w, 1), 23);
    assert_string_equal(rig_pull(&r, w), "");
    assert_int_equal(lw_watcher_revision(w), 30);
    lw_watcher_close(w);
    /* This mirror tells everything again. */
    assert_int_equal(open_after(&r, 20), LW_OK);
    w = rig_watch(&r, &rig_all, LW_WATCH_START_AFTER, 20);
    assert_string_equal(rig_pull(&r, w), "-a/a@20 -a/b@20 ~a/c@23");
    lw_watcher_close(w);
    rig_done(&r);
}

/* What a mirror that has listed again tells its own mirrors. */
static void a_change_that_is_not_later_than_the_state_asks_for_a_relist(void **state)
{
    (void)state;
    rig r;
    start(&r);
    replace(&r, (lw_object *[]){ made("x", "1", "a", 10) }, 1, 20);
    lw_watcher *w = rig_watch(&r, &rig_all, LW_WATCH_START_NOW, 0);
    lw_object *last = made("x", "1", "a", 20);
    lw_feed_begin(r.pods);
    assert_int_equal(lw_feed_remove(r.pods, last), LW_ERR_EXPIRED);
    assert_int_equal(lw_feed_put(r.pods, last), LW_ERR_EXPIRED);
    lw_feed_end(r.pods, 0, HISTORY);
    lw_object_unref(last);
    assert_string_equal(rig_pull(&r, w), "");
    replace(&r, NULL, 0, 25);
    assert_string_equal(rig_pull(&r, w), "-a/x@20");
    lw_watcher_close(w);
    rig_done(&r);
}

static void changes_of_one_revision_are_all_told(void **state)
{
    (void)state;
    rig r;
    start(&r);
    replace(&r, NULL, 0, 20);
    lw_watcher *w = rig_watch(&r, &rig_all, LW_WATCH_START_NOW, 0);
    lw_object *x = made("x", "1", "a", 21), *y = made("y", "2", "a", 21);
    lw_feed_begin(r.pods);
    assert_int_equal(lw_feed_put(r.pods, x), LW_OK);
    assert_int_equal(lw_feed_put(r.pods, y), LW_OK);
    lw_feed_end(r.pods, 0, HISTORY);
    assert_string_equal(rig_pull(&r, w), "+a/x@21 +a/y@21");
    lw_object_unref(x);
    lw_object_unref(y);
    lw_watcher_close(w);
    rig_done(&r);
}

static void a_watch_cannot_start_where_changes_are_known_as_a_sum(void **state)
{
    (void)state;
    rig r;
    start(&r);
    replace(&r, (lw_object *[]){ made("x", "1", "a", 10) }, 1, 20);
    replace(&r, (lw_object *[]){ made("x", "1", "b", 30) }, 1, 40);
    assert_int_equal(open_after(&r, 20), LW_OK);
    assert_int_equal(open_after(&r, 21), LW_ERR_EXPIRED);
    assert_int_equal(open_after(&r, 39), LW_ERR_EXPIRED);
    assert_int_equal(open_after(&r, 40), LW_OK);
    rig_done(&r);
}

static void a_watch_with_selectors_does_not_continue_over_a_relist(void **state)
{
    (void)state;
    rig r;
    lw_label_selector *labels = NULL;
    start(&r);
    assert_int_equal(lw_label_selector_parse(&labels, LW_STR("l=b"), NULL), LW_OK);
    const lw_cache_filter filter = { .labels = labels };
    replace(&r, (lw_object *[]){ made("x", "1", "a", 10) }, 1, 20);
    lw_watcher *w = rig_watch(&r, &filter, LW_WATCH_START_NOW, 0);
    put(&r, "x", "1", "b", 25);
    assert_string_equal(rig_pull(&r, w), "+a/x@25");
    replace(&r, (lw_object *[]){ made("x", "1", "c", 30) }, 1, 40);
    assert_string_equal(rig_pull(&r, w), "!");
    lw_watcher_close(w);
    lw_label_selector_free(labels);
    rig_done(&r);
}

static void an_upstream_that_was_restored_expires_watches(void **state)
{
    (void)state;
    rig r;
    lw_cache_list list;
    start(&r);
    replace(&r, (lw_object *[]){ made("x", "1", "a", 80) }, 1, 90);
    lw_watcher *w = rig_watch(&r, &rig_all, LW_WATCH_START_NOW, 0);
    replace(&r, (lw_object *[]){ made("y", "2", "a", 40) }, 1, 50);
    assert_string_equal(rig_pull(&r, w), "!");
    assert_int_equal(lw_cache_list_now(r.pods, &rig_all, LW_STR(""), 0, &list, NULL), LW_OK);
    assert_int_equal(list.revision, 50);
    assert_string_equal(rig_print_list(&r, &list), "a/y@40");
    /* A revision of the history that was lost is not waited for. */
    assert_int_equal(open_after(&r, 90), LW_ERR_EXPIRED);
    assert_int_equal(open_after(&r, 50), LW_OK);
    lw_watcher_close(w);
    rig_done(&r);
}

static void an_abandoned_resource_expires_watches_and_waits_for_a_list(void **state)
{
    (void)state;
    rig r;
    lw_cache_list list;
    start(&r);
    replace(&r, (lw_object *[]){ made("x", "1", "a", 80) }, 1, 90);
    lw_watcher *w = rig_watch(&r, &rig_all, LW_WATCH_START_NOW, 0);
    lw_feed_abandon(r.pods);
    assert_string_equal(rig_pull(&r, w), "!");
    assert_int_equal(lw_cache_list_now(r.pods, &rig_all, LW_STR(""), 0, &list, NULL),
                     LW_ERR_UNAVAILABLE);
    replace(&r, (lw_object *[]){ made("y", "2", "a", 110) }, 1, 120);
    assert_int_equal(lw_cache_list_now(r.pods, &rig_all, LW_STR(""), 0, &list, NULL), LW_OK);
    assert_string_equal(rig_print_list(&r, &list), "a/y@110");
    /* There is no history that leads from there to here. */
    assert_int_equal(open_after(&r, 90), LW_ERR_EXPIRED);
    assert_int_equal(open_after(&r, 120), LW_OK);
    lw_watcher_close(w);
    rig_done(&r);
}

static void the_history_has_a_limit(void **state)
{
    (void)state;
    rig r;
    start(&r);
    replace(&r, NULL, 0, 1);
    for (unsigned i = 2; i < 1000; i++) {
        lw_object *obj = made("x", "1", "a", i);
        lw_feed_begin(r.pods);
        assert_int_equal(lw_feed_put(r.pods, obj), LW_OK);
        lw_feed_end(r.pods, 0, 64 * 1024);
        lw_object_unref(obj);
    }
    lw_cache_stats stats;
    lw_cache_resource_stats(r.pods, &stats);
    assert_in_range(stats.ring_events, 10, 900);
    assert_int_equal(open_after(&r, 1), LW_ERR_EXPIRED);
    assert_int_equal(open_after(&r, stats.oldest_revision - 1), LW_OK);
    rig_done(&r);
}

static void objects_without_a_number_are_refused(void **state)
{
    (void)state;
    rig r;
    start(&r);
    replace(&r, NULL, 0, 1);
    lw_object *obj = NULL;
    static const char text[] =
        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"x\","
        "\"namespace\":\"a\",\"resourceVersion\":\"opaque\"}}";
    assert_int_equal(lw_object_from_json(&obj, text, sizeof(text) - 1, NULL), LW_OK);
    lw_feed_begin(r.pods);
    assert_int_equal(lw_feed_put(r.pods, obj), LW_ERR_INVALID);
    lw_feed_end(r.pods, 0, HISTORY);
    assert_int_equal(lw_feed_replace(r.pods, &obj, 1, 5), LW_ERR_INVALID);
    lw_object_unref(obj);
    rig_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_can_be_read_before_the_first_list),
        cmocka_unit_test(objects_keep_the_revisions_of_the_upstream),
        cmocka_unit_test(a_bookmark_moves_only_the_revision),
        cmocka_unit_test(a_wait_ends_when_its_resource_gets_there),
        cmocka_unit_test(a_relist_is_told_as_the_difference),
        cmocka_unit_test(a_client_cut_off_in_a_relist_resumes_before_what_it_has_not_seen),
        cmocka_unit_test(a_change_that_is_not_later_than_the_state_asks_for_a_relist),
        cmocka_unit_test(changes_of_one_revision_are_all_told),
        cmocka_unit_test(a_watch_cannot_start_where_changes_are_known_as_a_sum),
        cmocka_unit_test(a_watch_with_selectors_does_not_continue_over_a_relist),
        cmocka_unit_test(an_upstream_that_was_restored_expires_watches),
        cmocka_unit_test(an_abandoned_resource_expires_watches_and_waits_for_a_list),
        cmocka_unit_test(the_history_has_a_limit),
        cmocka_unit_test(objects_without_a_number_are_refused),
    };
    return cmocka_run_group_tests_name("feed", tests, NULL, NULL);
}
