/* SPDX-License-Identifier: Apache-2.0 */
/* packing_test.c -- a cache that packs its objects says the same as one that does not.
 *
 * Each test feeds two caches with the same objects: "on" packs and is swept, "off" does not. */
#include "cache/packing.h"

#include <stdio.h>

#include "base/clock.h"
#include "cache/feed.h"
#include "object/object.h"
#include "unit/cache/rig.h"

enum {
    HISTORY = 1 << 20, /* bytes; more than these tests need */
    PODS = 40,
    TEXT = 4096,
};

typedef struct pods {
    lw_cache *cache;
    lw_cache_resource *resource;
    lw_cache_port *port;
    lw_manual_clock *clock;
} pods;

static void wake(void *arg)
{
    (void)arg;
}

static void pods_open(pods *p, lw_compact_mode mode)
{
    assert_int_equal(lw_manual_clock_new(&p->clock, 0), LW_OK);
    const lw_cache_options options = { .compact = mode,
                                       .clock = lw_manual_clock_as_clock(p->clock) };
    assert_int_equal(lw_cache_new(&p->cache, &options, NULL), LW_OK);
    assert_int_equal(lw_cache_add(p->cache, LW_STR("/registry/pods/"), true, &p->resource, NULL),
                     LW_OK);
    lw_feed_init(p->resource);
    assert_int_equal(lw_cache_port_new(&p->port, p->cache, wake, NULL), LW_OK);
}

static void pods_close(pods *p)
{
    lw_cache_port_free(p->port);
    lw_cache_free(p->cache);
    lw_manual_clock_free(p->clock);
}

/* A pod of more than LW_COMPACT_BODY_MIN bytes, most of which all pods have. */
static lw_object *made(unsigned number, const char *node, unsigned revision)
{
    char text[TEXT];
    lw_object *obj = NULL;
    int len = snprintf(
        text, sizeof(text),
        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"web-%04u\","
        "\"namespace\":\"a\",\"uid\":\"00000000-0000-0000-0000-%012u\",\"resourceVersion\":\"%u\","
        "\"labels\":{\"app\":\"web\",\"track\":\"%s\"},\"annotations\":{\"quoted\":\"a \\\"b\\\" "
        "c\"}},\"spec\":{\"nodeName\":\"%s\",\"containers\":[{\"name\":\"web\",\"image\":"
        "\"registry.example.com/web:1.2.3\",\"env\":[{\"name\":\"MODE\",\"value\":\"production\"},{"
        "\"name\":\"ZONE\",\"value\":\"europe-west\"}],\"resources\":{\"limits\":{\"cpu\":\"500m\","
        "\"memory\":\"256Mi\"},\"requests\":{\"cpu\":\"100m\",\"memory\":\"128Mi\"}}}],"
        "\"restartPolicy\":\"Always\",\"terminationGracePeriodSeconds\":30},\"status\":{\"phase\":"
        "\"Running\"}}",
        number, number, revision, number % 2 ? "stable" : "canary", node);
    assert_in_range(len, LW_COMPACT_BODY_MIN, TEXT - 1);
    assert_int_equal(lw_object_from_json(&obj, text, (size_t)len, NULL), LW_OK);
    return obj;
}

static void put(pods *p, unsigned number, const char *node, unsigned revision)
{
    lw_object *obj = made(number, node, revision);
    lw_feed_begin(p->resource);
    assert_int_equal(lw_feed_put(p->resource, obj), LW_OK);
    lw_feed_end(p->resource, 0, HISTORY);
    lw_object_unref(obj);
}

static void removed(pods *p, unsigned number, unsigned revision)
{
    lw_object *obj = made(number, "gone", revision);
    lw_feed_begin(p->resource);
    assert_int_equal(lw_feed_remove(p->resource, obj), LW_OK);
    lw_feed_end(p->resource, 0, HISTORY);
    lw_object_unref(obj);
}

/* PODS pods, with the revisions 1, 2, ... */
static void fill(pods *p)
{
    lw_object *objects[PODS];
    for (unsigned i = 0; i < PODS; i++)
        objects[i] = made(i, i % 3 ? "n1" : "n2", i + 1);
    assert_int_equal(lw_feed_replace(p->resource, objects, PODS, PODS), LW_OK);
    for (unsigned i = 0; i < PODS; i++)
        lw_object_unref(objects[i]);
}

/* Time passes, so that everything is old enough to be packed. */
static void sweep(pods *p)
{
    lw_manual_clock_advance(p->clock, 60 * LW_NS_PER_S);
    lw_cache_packing_sweep(p->resource);
}

static void pods_start(pods *on, pods *off)
{
    pods_open(on, LW_COMPACT_ON);
    pods_open(off, LW_COMPACT_OFF);
    fill(on);
    fill(off);
}

static size_t packed_of(const pods *p)
{
    lw_cache_stats stats;
    lw_cache_resource_stats(p->resource, &stats);
    return stats.packed_objects;
}

static void assert_same_object(const lw_object *a, const lw_object *b)
{
    lw_str x = lw_object_json(a), y = lw_object_json(b);
    assert_false(lw_compact_is_packed(a));
    assert_int_equal(x.len, y.len);
    assert_memory_equal(x.ptr, y.ptr, x.len);
    assert_string_equal(lw_object_resource_version(a), lw_object_resource_version(b));
    assert_string_equal(lw_object_label(a, "track"), lw_object_label(b, "track"));
    assert_int_equal(lw_object_label_count(a), lw_object_label_count(b));
    assert_string_equal(lw_object_annotation(a, "quoted"), lw_object_annotation(b, "quoted"));
    assert_string_equal(lw_object_string(a, "/spec/nodeName", NULL),
                        lw_object_string(b, "/spec/nodeName", NULL));
}

static void assert_same_list(const pods *on, const pods *off, const lw_cache_filter *filter)
{
    lw_cache_list a, b;
    assert_int_equal(lw_cache_list_now(on->resource, filter, LW_STR(""), 0, &a, NULL), LW_OK);
    assert_int_equal(lw_cache_list_now(off->resource, filter, LW_STR(""), 0, &b, NULL), LW_OK);
    assert_int_equal(a.count, b.count);
    assert_int_equal(a.revision, b.revision);
    for (size_t i = 0; i < a.count; i++)
        assert_same_object(a.objects[i], b.objects[i]);
    lw_cache_list_done(&a);
    lw_cache_list_done(&b);
}

static lw_watcher *watch(const pods *p, const lw_cache_filter *filter, uint64_t after)
{
    lw_watcher *watcher = NULL;
    const lw_watcher_options options = { .port = p->port,
                                         .resource = p->resource,
                                         .filter = filter,
                                         .start =
                                             after ? LW_WATCH_START_AFTER : LW_WATCH_START_STATE,
                                         .after = after };
    assert_int_equal(lw_watcher_open(&watcher, &options, NULL), LW_OK);
    return watcher;
}

/* Both watchers say the same; returns how many events. */
static size_t assert_same_events(lw_watcher *on, lw_watcher *off)
{
    lw_cache_event a, b;
    for (size_t count = 0;;) {
        lw_watch_step step = lw_watcher_next(on, &a);
        assert_int_equal(lw_watcher_next(off, &b), step);
        if (step == LW_WATCH_STEP_SYNCED)
            continue;
        if (step != LW_WATCH_STEP_EVENT)
            return count;
        count++;
        assert_int_equal(a.type, b.type);
        assert_int_equal(a.revision, b.revision);
        assert_same_object(a.object, b.object);
        lw_object_unref(a.object);
        lw_object_unref(b.object);
    }
}

static void loaded_objects_are_packed_at_once_and_read_the_same(void **state)
{
    (void)state;
    pods on, off;
    pods_start(&on, &off);
    assert_int_equal(packed_of(&on), PODS);
    assert_int_equal(packed_of(&off), 0);
    assert_same_list(&on, &off, &rig_all);
    lw_object *a = lw_cache_get_ref(on.resource, LW_STR("a"), LW_STR("web-0007"));
    lw_object *b = lw_cache_get_ref(off.resource, LW_STR("a"), LW_STR("web-0007"));
    assert_same_object(a, b);
    lw_object_unref(a);
    lw_object_unref(b);
    pods_close(&on);
    pods_close(&off);
}

static void selectors_see_the_same(void **state)
{
    (void)state;
    pods on, off;
    lw_label_selector *labels = NULL;
    lw_field_selector *fields = NULL;
    assert_int_equal(lw_label_selector_parse(&labels, LW_STR("track=canary"), NULL), LW_OK);
    assert_int_equal(lw_field_selector_parse(&fields, LW_STR("spec.nodeName=n2"), NULL), LW_OK);
    const lw_cache_filter by_label = { .labels = labels }, by_field = { .fields = fields };
    const lw_cache_filter by_both = { .labels = labels, .fields = fields, .takes_packed = true };
    pods_start(&on, &off);
    assert_same_list(&on, &off, &by_label);
    assert_same_list(&on, &off, &by_field);
    assert_same_list(&on, &off, &by_both);
    lw_watcher *a = watch(&on, &by_both, 0), *b = watch(&off, &by_both, 0);
    assert_int_equal(assert_same_events(a, b), PODS / 6 + 1);
    put(&on, 6, "n1", 100); /* leaves the selection; its previous state was packed */
    put(&off, 6, "n1", 100);
    assert_int_equal(assert_same_events(a, b), 1);
    lw_watcher_close(a);
    lw_watcher_close(b);
    pods_close(&on);
    pods_close(&off);
    lw_label_selector_free(labels);
    lw_field_selector_free(fields);
}

static void a_changed_object_stays_open_until_it_has_rested(void **state)
{
    (void)state;
    pods on, off;
    pods_start(&on, &off);
    put(&on, 3, "n3", 100);
    put(&off, 3, "n3", 100);
    assert_int_equal(packed_of(&on), PODS - 1);
    assert_same_list(&on, &off, &rig_all);
    sweep(&on);
    assert_int_equal(packed_of(&on), PODS);
    assert_same_list(&on, &off, &rig_all);
    pods_close(&on);
    pods_close(&off);
}

static void past_changes_are_packed_and_told_the_same(void **state)
{
    (void)state;
    pods on, off, *both[] = { &on, &off };
    pods_start(&on, &off);
    for (size_t i = 0; i < 2; i++) {
        for (unsigned n = 0; n < PODS; n++)
            put(both[i], n, "n4", 100 + n);
        for (unsigned n = 0; n < PODS; n += 4)
            removed(both[i], n, 200 + n);
        put(both[i], 0, "n5", 300);
    }
    lw_cache_stats before, after;
    lw_cache_resource_stats(on.resource, &before);
    sweep(&on);
    lw_cache_resource_stats(on.resource, &after);
    assert_in_range(after.ring_bytes, 1, before.ring_bytes * 3 / 4);
    lw_watcher *a = watch(&on, &rig_all, PODS), *b = watch(&off, &rig_all, PODS);
    assert_int_equal(assert_same_events(a, b), PODS + PODS / 4 + 1);
    put(&on, 1, "n6", 301);
    put(&off, 1, "n6", 301);
    assert_int_equal(assert_same_events(a, b), 1);
    lw_watcher_close(a);
    lw_watcher_close(b);
    assert_same_list(&on, &off, &rig_all);
    pods_close(&on);
    pods_close(&off);
}

/* The memory of a change and of the index is the same: packing a change again costs nothing. */
static void a_change_shares_the_packed_copy_of_the_index(void **state)
{
    (void)state;
    pods on, off;
    pods_start(&on, &off);
    put(&on, 3, "n3", 100);
    sweep(&on);
    const lw_cache_filter one = { .name = LW_STR_INIT("web-0003"), .takes_packed = true };
    lw_cache_list list;
    assert_int_equal(lw_cache_list_now(on.resource, &one, LW_STR(""), 0, &list, NULL), LW_OK);
    assert_int_equal(list.count, 1);
    assert_true(lw_compact_is_packed(list.objects[0]));
    /* The index, the list, and the change. */
    assert_int_equal(atomic_load(&list.objects[0]->refs.count), 3);
    lw_cache_list_done(&list);
    pods_close(&on);
    pods_close(&off);
}

static void small_resources_are_not_packed_by_default(void **state)
{
    (void)state;
    pods p;
    pods_open(&p, LW_COMPACT_AUTO);
    fill(&p);
    assert_int_equal(packed_of(&p), 0);
    pods_close(&p);
}

static void the_form_of_an_open_copy_stays_with_the_packed_object(void **state)
{
    (void)state;
    pods on, off;
    lw_str form = LW_STR("");
    pods_start(&on, &off);
    lw_object *first = lw_cache_get_ref(on.resource, LW_STR("a"), LW_STR("web-0007"));
    assert_false(lw_object__kept_form(first, &form));
    assert_int_equal(lw_object__keep_form(first, LW_STR("he"), LW_STR("llo"), NULL, &form), LW_OK);
    lw_object_unref(first);
    lw_object *second = lw_cache_get_ref(on.resource, LW_STR("a"), LW_STR("web-0007"));
    assert_true(lw_object__kept_form(second, &form));
    assert_int_equal(form.len, 5);
    assert_memory_equal(form.ptr, "hello", form.len);
    lw_object_unref(second);
    pods_close(&on);
    pods_close(&off);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loaded_objects_are_packed_at_once_and_read_the_same),
        cmocka_unit_test(selectors_see_the_same),
        cmocka_unit_test(a_changed_object_stays_open_until_it_has_rested),
        cmocka_unit_test(past_changes_are_packed_and_told_the_same),
        cmocka_unit_test(a_change_shares_the_packed_copy_of_the_index),
        cmocka_unit_test(small_resources_are_not_packed_by_default),
        cmocka_unit_test(the_form_of_an_open_copy_stays_with_the_packed_object),
    };
    return cmocka_run_group_tests_name("cache packing", tests, NULL, NULL);
}
