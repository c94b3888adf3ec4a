/* SPDX-License-Identifier: Apache-2.0 */
/* rig.h -- a cache with pods and nodes on a fake store, a port, and what a watcher says as text. */
#ifndef LW_TESTS_UNIT_CACHE_RIG_H
#define LW_TESTS_UNIT_CACHE_RIG_H

#include "base/buf.h"
#include "cache/cache.h"
#include "cache/watcher.h"
#include "unit/cache/fake_store.h"
#include "unit/test.h"

typedef struct rig {
    fake_store store;
    lw_cache *cache;
    lw_cache_resource *pods;  /* with namespaces */
    lw_cache_resource *nodes; /* without */
    lw_cache_port *port;
    unsigned wakes;
    unsigned readies;
    lw_buf text;
} rig;

static inline void rig_wake(void *arg)
{
    ((rig *)arg)->wakes++;
}

static inline void rig_ready(lw_watcher *watcher, void *arg)
{
    (void)watcher;
    ((rig *)arg)->readies++;
}

/* A cache on the store that is there; not started. */
static inline void rig_open_cache(rig *r, size_t max_ring_events)
{
    lw_cache_options options = { .store = &r->store.base, .max_ring_events = max_ring_events };
    assert_int_equal(lw_cache_new(&r->cache, &options, NULL), LW_OK);
    assert_int_equal(lw_cache_add(r->cache, LW_STR("/registry/pods/"), true, &r->pods, NULL),
                     LW_OK);
    assert_int_equal(lw_cache_add(r->cache, LW_STR("/registry/nodes/"), false, &r->nodes, NULL),
                     LW_OK);
    assert_int_equal(lw_cache_port_new(&r->port, r->cache, rig_wake, r), LW_OK);
}

static inline void rig_close_cache(rig *r)
{
    lw_cache_port_free(r->port);
    lw_cache_stop(r->cache);
    lw_cache_free(r->cache);
}

static inline void rig_init(rig *r)
{
    memset(r, 0, sizeof(*r));
    fake_init(&r->store);
    lw_buf_init(&r->text, 1 << 20);
}

/* An empty store and a started cache on it. */
static inline void rig_start(rig *r)
{
    rig_init(r);
    rig_open_cache(r, 0);
    assert_int_equal(lw_cache_start(r->cache, NULL), LW_OK);
}

static inline void rig_done(rig *r)
{
    rig_close_cache(r);
    fake_done(&r->store);
    lw_buf_done(&r->text);
}

static const lw_cache_filter rig_all = { 0 };

static inline lw_watcher *rig_watch(rig *r, const lw_cache_filter *filter, lw_watch_start start,
                                    uint64_t after)
{
    lw_watcher *watcher = NULL;
    const lw_watcher_options options = { .port = r->port,
                                         .resource = r->pods,
                                         .filter = filter,
                                         .start = start,
                                         .after = after,
                                         .on_ready = rig_ready,
                                         .arg = r };
    lw_error err = LW_ERROR_INIT;
    if (lw_watcher_open(&watcher, &options, &err) < 0)
        fail_msg("%s", err.message);
    return watcher;
}

/* Everything |watcher| has to say, as "+a/x@1 ~a/x@2 -a/x@3 =@3 !": added, modified, deleted,
 * synced, expired.  An object's own resourceVersion stands behind its name. */
static inline const char *rig_pull(rig *r, lw_watcher *watcher)
{
    lw_cache_event event;
    lw_buf_reset(&r->text);
    for (;;) {
        lw_watch_step step = lw_watcher_next(watcher, &event);
        if (step == LW_WATCH_STEP_IDLE)
            break;
        if (r->text.len)
            lw_buf_append_char(&r->text, ' ');
        if (step == LW_WATCH_STEP_EXPIRED || step == LW_WATCH_STEP_FAILED) {
            lw_buf_append_char(&r->text, step == LW_WATCH_STEP_EXPIRED ? '!' : '?');
            break;
        }
        if (step == LW_WATCH_STEP_SYNCED) {
            lw_buf_printf(&r->text, "=@%llu", (unsigned long long)event.revision);
            continue;
        }
        /* A deletion that a relist has found has its place after the object's revision (feed.c). */
        uint64_t later = event.revision - lw_object_revision(event.object);
        assert_in_range(later, 0, event.type == LW_WATCH_DELETED ? 1 : 0);
        lw_buf_printf(&r->text, "%c%s/%s@%s", " +~-"[event.type], lw_object_namespace(event.object),
                      lw_object_name(event.object), lw_object_resource_version(event.object));
        lw_object_unref(event.object);
    }
    lw_buf_append_char(&r->text, '\0');
    return r->text.data;
}

/* The objects of |list| as "a/x@1 a/y@2", with "+n" behind them when more remain; frees it. */
static inline const char *rig_print_list(rig *r, lw_cache_list *list)
{
    lw_buf_reset(&r->text);
    for (size_t i = 0; i < list->count; i++)
        lw_buf_printf(&r->text, "%s%s/%s@%s", i ? " " : "", lw_object_namespace(list->objects[i]),
                      lw_object_name(list->objects[i]),
                      lw_object_resource_version(list->objects[i]));
    if (list->has_more)
        lw_buf_printf(&r->text, " +%zu", list->remaining);
    lw_buf_append_char(&r->text, '\0');
    lw_cache_list_done(list);
    return r->text.data;
}

static inline const char *rig_list(rig *r, const lw_cache_filter *filter, const char *start,
                                   size_t limit)
{
    lw_cache_list list;
    assert_int_equal(lw_cache_list_now(r->pods, filter, lw_str_of(start), limit, &list, NULL),
                     LW_OK);
    assert_int_equal(list.revision, lw_cache_revision(r->cache));
    return rig_print_list(r, &list);
}

static inline const char *rig_list_at(rig *r, const lw_cache_filter *filter, const char *start,
                                      size_t limit, uint64_t revision)
{
    lw_cache_list list;
    lw_error err = LW_ERROR_INIT;
    if (lw_cache_list_at(r->pods, filter, lw_str_of(start), limit, revision, &list, &err) < 0) {
        (void)snprintf(r->text.data, r->text.cap, "%s", err.message);
        return r->text.data;
    }
    assert_int_equal(list.revision, revision);
    return rig_print_list(r, &list);
}

#endif
