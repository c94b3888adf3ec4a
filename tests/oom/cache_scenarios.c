/* SPDX-License-Identifier: Apache-2.0 */
/* cache_scenarios.c -- the watch cache on a store of its own, with every allocation failing in
 * turn.  A change that finds no memory is not reported at once; but later results of the cache must
 * be correct, or LW_ERR_NOMEM. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "cache/cache.h"
#include "cache/feed.h"
#include "cache/load_pipe.h"
#include "cache/packing.h"
#include "cache/saving.h"
#include "cache/watcher.h"
#include "oom/oom.h"
#include "unit/cache/fake_store.h"

static const lw_cache_filter all = { 0 };

/* A cache with one resource on a store with some history. */
typedef struct scene {
    fake_store store;
    lw_cache *cache;
    lw_cache_resource *pods;
    lw_cache_port *port;
    lw_watcher *watcher;
} scene;

static lw_status wrong(lw_error *err, const char *what)
{
    return lw_error_set(err, LW_ERR_INTERNAL, "wrong: %s", what);
}

static void on_wake(void *arg)
{
    (void)arg;
}

static void on_ready(lw_watcher *watcher, void *arg)
{
    (void)watcher;
    (void)arg;
}

/* Revisions 1 to 4, the first two compacted; at 4: a/x@3 b/z@4. */
static void write_history(scene *s)
{
    fake_init(&s->store);
    fake_put(&s->store, "pods", "a", "x", "web");
    fake_put(&s->store, "pods", "a", "y", "web");
    fake_put(&s->store, "pods", "a", "x", "db");
    fake_delete(&s->store, "pods", "a", "y");
    fake_put(&s->store, "pods", "b", "z", "web");
    s->store.compacted = 2;
}

static lw_status begin(scene *s, lw_error *err)
{
    *s = (scene){ .cache = NULL };
    write_history(s);
    const lw_cache_options options = { .store = &s->store.base };
    lw_status st = lw_cache_new(&s->cache, &options, err);
    if (st == LW_OK)
        st = lw_cache_add(s->cache, LW_STR("/registry/pods/"), true, &s->pods, err);
    if (st == LW_OK)
        st = lw_cache_start(s->cache, err);
    if (st == LW_OK)
        st = lw_cache_port_new(&s->port, s->cache, on_wake, NULL);
    return st;
}

static void end(scene *s)
{
    lw_watcher_close(s->watcher);
    lw_cache_port_free(s->port);
    lw_cache_free(s->cache);
    fake_done(&s->store);
}

static lw_status check_list(scene *s, const lw_cache_filter *filter, uint64_t revision,
                            size_t expected, lw_error *err)
{
    lw_cache_list list = { 0 };
    lw_status st = revision ? lw_cache_list_at(s->pods, filter, LW_STR(""), 0, revision, &list, err)
                            : lw_cache_list_now(s->pods, filter, LW_STR(""), 0, &list, err);
    if (st == LW_OK && list.count != expected)
        st = wrong(err, "the list");
    lw_cache_list_done(&list);
    return st;
}

static lw_status lists_of_current_and_old_revisions(lw_error *err)
{
    scene s;
    lw_label_selector *labels = NULL;
    lw_status st = begin(&s, err);
    if (st == LW_OK)
        st = lw_label_selector_parse(&labels, LW_STR("app=web"), err);
    const lw_cache_filter web = { .labels = labels };
    if (st == LW_OK)
        st = check_list(&s, &all, 0, 2, err);
    if (st == LW_OK)
        st = check_list(&s, &web, 0, 1, err);
    if (st == LW_OK)
        st = check_list(&s, &all, 3, 2, err);
    if (st == LW_OK)
        st = check_list(&s, &web, 2, 2, err);
    end(&s);
    lw_label_selector_free(labels);
    return st;
}

/* Pulls all events; counts them in |*added| and |*deleted|.  LW_ERR_EXPIRED: the watcher has
 * expired. */
static lw_status pull(lw_watcher *watcher, unsigned *added, unsigned *deleted)
{
    lw_cache_event event;
    for (;;) {
        switch (lw_watcher_next(watcher, &event)) {
        case LW_WATCH_STEP_IDLE:
        case LW_WATCH_STEP_ENDED: return LW_OK;
        case LW_WATCH_STEP_SYNCED: break;
        case LW_WATCH_STEP_EXPIRED: return LW_ERR_EXPIRED;
        case LW_WATCH_STEP_FAILED: return LW_ERR_NOMEM;
        case LW_WATCH_STEP_EVENT:
            *added += event.type == LW_WATCH_ADDED;
            *deleted += event.type == LW_WATCH_DELETED;
            lw_object_unref(event.object);
            break;
        }
    }
}

static lw_status watch_and_write(scene *s, const lw_cache_filter *filter, lw_error *err)
{
    unsigned added = 0, deleted = 0;
    const lw_watcher_options options = { .port = s->port,
                                         .resource = s->pods,
                                         .filter = filter,
                                         .start = LW_WATCH_START_STATE,
                                         .on_ready = on_ready };
    lw_status st = lw_watcher_open(&s->watcher, &options, err);
    if (st < 0)
        return st;
    fake_put(&s->store, "pods", "b", "z", "db"); /* no longer matches the selector */
    fake_put(&s->store, "pods", "c", "w", "web");
    fake_delete(&s->store, "pods", "c", "w");
    fake_put(&s->store, "pods", "c", "v", "web");
    lw_cache_port_dispatch(s->port);
    st = pull(s->watcher, &added, &deleted);
    if (st == LW_OK && (added != 3 || deleted != 2))
        return wrong(err, "the events of the watcher");
    if (st == LW_ERR_NOMEM)
        return lw_error_nomem(err);
    st = check_list(s, &all, 0, 3, err);
    return st == LW_OK ? check_list(s, filter, 0, 1, err) : st;
}

static lw_status a_watcher_gets_all_events_or_expires(lw_error *err)
{
    scene s;
    lw_label_selector *labels = NULL;
    lw_status st = begin(&s, err);
    if (st == LW_OK)
        st = lw_label_selector_parse(&labels, LW_STR("app=web"), err);
    const lw_cache_filter web = { .labels = labels };
    if (st == LW_OK)
        st = watch_and_write(&s, &web, err);
    end(&s);
    lw_label_selector_free(labels);
    return st;
}

static lw_status many_objects_are_added_and_removed(lw_error *err)
{
    scene s;
    char name[16];
    lw_status st = begin(&s, err);
    lw_cache_list held = { 0 };
    for (int i = 0; st == LW_OK && i < 80; i++) {
        (void)snprintf(name, sizeof(name), "n%d", i);
        fake_put(&s.store, "pods", "m", name, "web");
        if (i == 40) /* from here on nodes are shared and must be copied */
            st = lw_cache_list_now(s.pods, &all, LW_STR(""), 0, &held, err);
    }
    for (int i = 0; st == LW_OK && i < 70; i++) {
        (void)snprintf(name, sizeof(name), "n%d", i);
        fake_delete(&s.store, "pods", "m", name);
    }
    if (st == LW_OK)
        st = check_list(&s, &all, 0, 12, err);
    lw_cache_list_done(&held);
    end(&s);
    return st;
}

static lw_status a_resource_is_added_late(lw_error *err)
{
    scene s;
    lw_status st = begin(&s, err);
    if (st == LW_OK) {
        fake_put(&s.store, "things", "a", "x", "web");
        fake_put(&s.store, "things", "a", "x", "db");
        fake_put(&s.store, "things", "a", "y", "db");
        st = lw_cache_add(s.cache, LW_STR("/registry/things/"), true, &s.pods, err);
    }
    if (st == LW_OK)
        st = check_list(&s, &all, 0, 2, err);
    end(&s);
    return st;
}

/* More than fit into one batch: a second thread puts them. */
static lw_status many_objects_are_loaded(lw_error *err)
{
    enum {
        MANY = LW_LOAD_BATCH + 20
    };
    scene s;
    char name[16];
    lw_status st = begin(&s, err);
    for (unsigned i = 0; st == LW_OK && i < MANY; i++) {
        (void)snprintf(name, sizeof(name), "t-%u", i);
        fake_put(&s.store, "things", "a", name, "web");
    }
    if (st == LW_OK)
        st = lw_store_compact(&s.store.base, MANY, err);
    if (st == LW_OK)
        st = lw_cache_add(s.cache, LW_STR("/registry/things/"), true, &s.pods, err);
    if (st == LW_OK)
        st = check_list(&s, &all, 0, MANY, err);
    end(&s);
    return st;
}

/* A cache on |store| that may use copies in |folder|. */
static lw_status start_with_copies(scene *s, const char *folder, lw_error *err)
{
    const lw_cache_options options = { .store = &s->store.base,
                                       .compact = LW_COMPACT_ON,
                                       .saved_folder = folder,
                                       .saved_min_bytes = 1 };
    lw_status st = lw_cache_new(&s->cache, &options, err);
    if (st == LW_OK)
        st = lw_cache_add(s->cache, LW_STR("/registry/pods/"), true, &s->pods, err);
    return st == LW_OK ? lw_cache_start(s->cache, err) : st;
}

/* Whether a copy can be written or read: the objects are there. */
static lw_status objects_come_from_a_copy_or_the_store(lw_error *err)
{
    char folder[] = "/tmp/lw-oom-copies-XXXXXX";
    scene s = { .cache = NULL };
    if (!mkdtemp(folder))
        return lw_error_set(err, LW_ERR_INTERNAL, "no temporary folder");
    fake_init_checked(&s.store);
    fake_put(&s.store, "pods", "a", "x", "web");
    fake_put(&s.store, "pods", "a", "y", "web");
    fake_put(&s.store, "pods", "b", "z", "web");
    s.store.compacted = 3;
    lw_status st = start_with_copies(&s, folder, err);
    if (st == LW_OK)
        (void)!lw_cache_saving_write(s.pods, NULL);
    lw_cache_free(s.cache);
    s.cache = NULL;
    if (st == LW_OK)
        st = start_with_copies(&s, folder, err);
    if (st == LW_OK)
        st = check_list(&s, &all, 0, 3, err);
    lw_cache_free(s.cache);
    lw_state_dir_remove(folder);
    fake_done(&s.store);
    return st;
}

/* Objects that are packed: those of |from| to |to| (exclusive), at |revision|. */
static lw_status feed_large(lw_cache_resource *pods, unsigned from, unsigned to, unsigned revision,
                            lw_error *err)
{
    char text[1024];
    lw_status st = LW_OK;
    lw_feed_begin(pods);
    for (unsigned i = from; i < to && st == LW_OK; i++) {
        lw_object *obj = NULL;
        int len = snprintf(text, sizeof(text),
                           "{\"metadata\":{\"namespace\":\"a\",\"name\":\"x-%u\","
                           "\"resourceVersion\":\"%u\",\"labels\":{\"app\":\"web\"}},\"spec\":"
                           "{\"nodeName\":\"n%u\",\"text\":\"%0400d\"}}",
                           i, revision + i, i, 0);
        st = lw_object_from_json(&obj, text, (size_t)len, err);
        if (st == LW_OK)
            st = lw_feed_put(pods, obj);
        lw_object_unref(obj);
    }
    lw_feed_end(pods, 0, 0);
    return st;
}

static lw_status read_packed(scene *s, lw_error *err)
{
    lw_field_selector *fields = NULL;
    unsigned added = 0, deleted = 0;
    lw_object *got = lw_cache_get_ref(s->pods, LW_STR("a"), LW_STR("x-1"));
    lw_status st = got ? LW_OK : lw_error_nomem(err);
    if (st == LW_OK && strcmp(lw_object_resource_version(got), "21") != 0)
        st = wrong(err, "the object");
    lw_object_unref(got);
    if (st == LW_OK)
        st = check_list(s, &all, 0, 4, err);
    if (st == LW_OK)
        st = lw_field_selector_parse(&fields, LW_STR("spec.nodeName=n2"), err);
    const lw_cache_filter second = { .fields = fields };
    if (st == LW_OK)
        st = check_list(s, &second, 0, 1, err);
    const lw_watcher_options options = { .port = s->port,
                                         .resource = s->pods,
                                         .filter = &second,
                                         .start = LW_WATCH_START_AFTER,
                                         .after = 1,
                                         .on_ready = on_ready };
    if (st == LW_OK)
        st = lw_watcher_open(&s->watcher, &options, err);
    if (st == LW_OK)
        st = pull(s->watcher, &added, &deleted);
    if (st == LW_OK && (added != 1 || deleted != 0))
        st = wrong(err, "the events");
    lw_watcher_close(s->watcher);
    s->watcher = NULL;
    lw_field_selector_free(fields);
    return st;
}

static lw_status packed_objects_are_read_or_there_is_no_memory(lw_error *err)
{
    scene s = { .cache = NULL };
    const lw_cache_options options = { .compact = LW_COMPACT_ON };
    lw_status st = lw_cache_new(&s.cache, &options, err);
    if (st == LW_OK)
        st = lw_cache_add(s.cache, LW_STR("/registry/pods/"), true, &s.pods, err);
    if (st == LW_OK) {
        lw_feed_init(s.pods);
        st = lw_feed_replace(s.pods, NULL, 0, 1);
    }
    if (st == LW_OK)
        st = lw_cache_port_new(&s.port, s.cache, on_wake, NULL);
    if (st == LW_OK)
        st = feed_large(s.pods, 0, 4, 10, err);
    if (st == LW_OK) {
        lw_cache_packing_sweep(s.pods);
        st = feed_large(s.pods, 0, 4, 20, err);
    }
    if (st == LW_OK) {
        lw_cache_packing_sweep(s.pods);
        st = read_packed(&s, err);
    }
    lw_cache_port_free(s.port);
    lw_cache_free(s.cache);
    return st;
}

const oom_scenario cache_scenarios[] = {
    { "lists of current and old revisions", lists_of_current_and_old_revisions },
    { "a watcher gets all events or expires", a_watcher_gets_all_events_or_expires },
    { "many objects are added and removed", many_objects_are_added_and_removed },
    { "a resource is added late", a_resource_is_added_late },
    { "many objects are loaded", many_objects_are_loaded },
    { "objects come from a copy or the store", objects_come_from_a_copy_or_the_store },
    { "packed objects are read or there is no memory",
      packed_objects_are_read_or_there_is_no_memory },
};
const size_t cache_scenario_count = sizeof(cache_scenarios) / sizeof(cache_scenarios[0]);
