/* SPDX-License-Identifier: Apache-2.0 */
/* watcher_index_test.c -- which watchers a change visits, and that the others miss nothing. */
#include "cache/watcher_index.h"

#include "unit/cache/rig.h"

enum {
    MANY = 1000,
};

/* Opens a watcher that has pulled everything. */
static lw_watcher *watch_idle(rig *r, const lw_cache_filter *filter)
{
    lw_watcher *watcher = rig_watch(r, filter, LW_WATCH_START_NOW, 0);
    assert_string_equal(rig_pull(r, watcher), "");
    return watcher;
}

/* Dispatches; returns how many watchers were called. */
static unsigned visits(rig *r)
{
    unsigned before = r->readies;
    lw_cache_port_dispatch(r->port);
    return r->readies - before;
}

static void a_change_visits_the_watchers_of_its_namespace_only(void **state)
{
    (void)state;
    rig r;
    static char names[MANY][8];
    static lw_cache_filter filters[MANY];
    static lw_watcher *watchers[MANY];
    rig_start(&r);
    for (int i = 0; i < MANY; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "n%d", i);
        filters[i] = (lw_cache_filter){ .ns = lw_str_of(names[i]) };
        watchers[i] = watch_idle(&r, &filters[i]);
    }
    lw_watcher *all = watch_idle(&r, &rig_all);
    fake_put(&r.store, "pods", "n7", "x", "1");
    assert_int_equal(visits(&r), 2);
    assert_string_equal(rig_pull(&r, watchers[7]), "+n7/x@1");
    assert_string_equal(rig_pull(&r, watchers[8]), "");
    assert_string_equal(rig_pull(&r, all), "+n7/x@1");
    lw_watcher_close(watchers[7]);
    fake_put(&r.store, "pods", "n7", "x", "2");
    fake_put(&r.store, "pods", "n8", "x", "2");
    assert_int_equal(visits(&r), 2);
    assert_string_equal(rig_pull(&r, watchers[8]), "+n8/x@3");
    for (int i = 0; i < MANY; i++) {
        if (i != 7)
            lw_watcher_close(watchers[i]);
    }
    lw_watcher_close(all);
    rig_done(&r);
}

static void names_are_keys_with_and_without_a_namespace(void **state)
{
    (void)state;
    rig r;
    rig_start(&r);
    lw_field_selector *fields = NULL;
    assert_int_equal(lw_field_selector_parse(&fields, LW_STR("metadata.name=x"), NULL), LW_OK);
    const lw_cache_filter x = { .fields = fields };
    const lw_cache_filter ax = { .ns = LW_STR("a"), .name = LW_STR("x") };
    const lw_cache_filter ay = { .ns = LW_STR("a"), .name = LW_STR("y") };
    const lw_cache_filter bx = { .ns = LW_STR("b"), .fields = fields };
    lw_watcher *watchers[] = { watch_idle(&r, &x), watch_idle(&r, &ax), watch_idle(&r, &ay),
                               watch_idle(&r, &bx) };
    fake_put(&r.store, "pods", "a", "x", "1");
    assert_int_equal(visits(&r), 2);
    assert_string_equal(rig_pull(&r, watchers[0]), "+a/x@1");
    assert_string_equal(rig_pull(&r, watchers[1]), "+a/x@1");
    fake_delete(&r.store, "pods", "a", "x");
    fake_put(&r.store, "pods", "c", "z", "1");
    assert_int_equal(visits(&r), 2);
    assert_string_equal(rig_pull(&r, watchers[0]), "-a/x@2");
    assert_string_equal(rig_pull(&r, watchers[1]), "-a/x@2");
    for (size_t i = 0; i < 4; i++)
        lw_watcher_close(watchers[i]);
    lw_field_selector_free(fields);
    rig_done(&r);
}

static void put_on_node(rig *r, const char *node_json)
{
    char value[256];
    (void)snprintf(value, sizeof(value),
                   "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"a\"},"
                   "\"spec\":{\"nodeName\":%s}}",
                   node_json);
    (void)fake_commit(&r->store, "/registry/pods/a/p", value, NULL);
}

static void a_pod_that_changes_its_node_visits_both_nodes(void **state)
{
    (void)state;
    rig r;
    rig_start(&r);
    lw_field_selector *fields[3] = { NULL };
    lw_cache_filter filters[3];
    lw_watcher *watchers[3];
    static const char *const texts[] = { "spec.nodeName=n1", "spec.nodeName=n2",
                                         "spec.nodeName=5" };
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(lw_field_selector_parse(&fields[i], lw_str_of(texts[i]), NULL), LW_OK);
        filters[i] = (lw_cache_filter){ .fields = fields[i] };
        watchers[i] = watch_idle(&r, &filters[i]);
    }
    fake_put(&r.store, "pods", "a", "p", "no node");
    assert_int_equal(visits(&r), 0);
    put_on_node(&r, "\"n1\"");
    assert_int_equal(visits(&r), 1);
    assert_string_equal(rig_pull(&r, watchers[0]), "+a/p@2");
    put_on_node(&r, "\"n2\"");
    assert_int_equal(visits(&r), 2);
    assert_string_equal(rig_pull(&r, watchers[0]), "-a/p@3");
    assert_string_equal(rig_pull(&r, watchers[1]), "+a/p@3");
    put_on_node(&r, "5");
    assert_int_equal(visits(&r), 2);
    assert_string_equal(rig_pull(&r, watchers[1]), "-a/p@4");
    assert_string_equal(rig_pull(&r, watchers[2]), "+a/p@4");
    put_on_node(&r, "\"\\u006e1\""); /* n1: a string with escapes visits all */
    assert_int_equal(visits(&r), 3);
    assert_string_equal(rig_pull(&r, watchers[0]), "+a/p@5");
    assert_string_equal(rig_pull(&r, watchers[1]), "");
    assert_string_equal(rig_pull(&r, watchers[2]), "-a/p@5");
    for (size_t i = 0; i < 3; i++) {
        lw_watcher_close(watchers[i]);
        lw_field_selector_free(fields[i]);
    }
    rig_done(&r);
}

static void an_unvisited_watcher_keeps_up_with_the_ring(void **state)
{
    (void)state;
    rig r;
    rig_init(&r);
    rig_open_cache(&r, 4);
    assert_int_equal(lw_cache_start(r.cache, NULL), LW_OK);
    const lw_cache_filter a = { .ns = LW_STR("a") };
    lw_watcher *w = watch_idle(&r, &a);
    for (unsigned i = 1; i <= 20; i++) {
        fake_put(&r.store, "pods", "b", "x", "1");
        assert_int_equal(lw_watcher_revision(w), i - 1); /* the change may be one of it */
        assert_int_equal(visits(&r), 0);
        assert_int_equal(lw_watcher_revision(w), i);
    }
    assert_string_equal(rig_pull(&r, w), "");
    fake_put(&r.store, "pods", "a", "x", "1");
    assert_int_equal(visits(&r), 1);
    assert_string_equal(rig_pull(&r, w), "+a/x@21");
    lw_watcher_close(w);
    rig_close_cache(&r);
    fake_done(&r.store);
    lw_buf_done(&r.text);
}

static void a_watcher_expires_when_changes_are_evicted_before_they_are_seen(void **state)
{
    (void)state;
    rig r;
    rig_init(&r);
    rig_open_cache(&r, 4);
    assert_int_equal(lw_cache_start(r.cache, NULL), LW_OK);
    const lw_cache_filter a = { .ns = LW_STR("a") };
    lw_watcher *w = watch_idle(&r, &a);
    for (unsigned i = 0; i < 20; i++)
        fake_put(&r.store, "pods", i == 0 ? "a" : "b", "x", "1");
    assert_int_equal(visits(&r), 1);
    assert_string_equal(rig_pull(&r, w), "!");
    lw_watcher_close(w);
    rig_close_cache(&r);
    fake_done(&r.store);
    lw_buf_done(&r.text);
}

static void a_watcher_that_is_behind_reads_everything(void **state)
{
    (void)state;
    rig r;
    lw_cache_event event;
    rig_start(&r);
    const lw_cache_filter a = { .ns = LW_STR("a") };
    lw_watcher *w = watch_idle(&r, &a);
    fake_put(&r.store, "pods", "a", "x", "1");
    fake_put(&r.store, "pods", "a", "y", "1");
    assert_int_equal(visits(&r), 1);
    assert_int_equal(lw_watcher_next(w, &event), LW_WATCH_STEP_EVENT);
    lw_object_unref(event.object);
    for (unsigned i = 0; i < 50; i++) {
        fake_put(&r.store, "pods", "b", "x", "1");
        assert_int_equal(visits(&r), 0);
    }
    fake_put(&r.store, "pods", "a", "z", "1");
    assert_int_equal(visits(&r), 1);
    assert_string_equal(rig_pull(&r, w), "+a/y@2 +a/z@53");
    lw_watcher_close(w);
    rig_done(&r);
}

static void a_watcher_that_has_pulled_a_change_is_not_visited_for_it(void **state)
{
    (void)state;
    rig r;
    rig_start(&r);
    const lw_cache_filter a = { .ns = LW_STR("a") };
    lw_watcher *w = watch_idle(&r, &a);
    fake_put(&r.store, "pods", "a", "x", "1");
    assert_string_equal(rig_pull(&r, w), "+a/x@1");
    assert_int_equal(visits(&r), 0);
    lw_watcher_close(w);
    rig_done(&r);
}

static void the_end_of_a_resource_visits_all(void **state)
{
    (void)state;
    rig r;
    lw_cache_event event;
    rig_start(&r);
    const lw_cache_filter a = { .ns = LW_STR("a") };
    lw_watcher *w = watch_idle(&r, &a);
    fake_put(&r.store, "pods", "b", "x", "1");
    lw_cache_remove(r.pods);
    assert_int_equal(visits(&r), 1);
    assert_int_equal(lw_watcher_next(w, &event), LW_WATCH_STEP_ENDED);
    lw_watcher_close(w);
    rig_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_change_visits_the_watchers_of_its_namespace_only),
        TEST(names_are_keys_with_and_without_a_namespace),
        TEST(a_pod_that_changes_its_node_visits_both_nodes),
        TEST(an_unvisited_watcher_keeps_up_with_the_ring),
        TEST(a_watcher_expires_when_changes_are_evicted_before_they_are_seen),
        TEST(a_watcher_that_is_behind_reads_everything),
        TEST(a_watcher_that_has_pulled_a_change_is_not_visited_for_it),
        TEST(the_end_of_a_resource_visits_all),
    };
    return cmocka_run_group_tests_name("cache/watcher_index", tests, NULL, NULL);
}
