/* SPDX-License-Identifier: Apache-2.0 */
/* cache_test.c -- writers, watchers on several ports, lists, and resources added meanwhile, all at
 * once on one cache. */
#include "cache/cache.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/random.h"
#include "base/str.h"
#include "cache/packing.h"
#include "cache/watcher.h"
#include "store/memory.h"
#include "thread/crew.h"

enum {
    NAMES = 40,    /* of each writer */
    WRITES = 3000, /* of each writer */
    RESOURCES = 4, /* the first is there from the start, the others are added */
    WATCHERS = 12, /* of each port */
    WRITERS = 2,
    PORTS = 3,
};

typedef struct arena {
    lw_store *store;
    lw_cache *cache;
    lw_cache_resource *resources[RESOURCES];
    bool is_compact;
    _Atomic uint64_t last; /* revision of the last write, once all are made */
    atomic_int writer_number;
    atomic_int faults;
    atomic_int first_fault; /* its line */
} arena;

static void expect_at(arena *a, bool is_so, int line)
{
    int none = 0;
    if (is_so)
        return;
    atomic_fetch_add(&a->faults, 1);
    (void)atomic_compare_exchange_strong(&a->first_fault, &none, line);
}
#define expect(a, is_so) expect_at((a), (is_so), __LINE__)

static void write_object(arena *a, size_t resource, int writer, int name, uint64_t *revision,
                         bool is_delete)
{
    char key[64], value[600];
    (void)snprintf(key, sizeof(key), "/registry/r%zu/w%d/n%d", resource, writer, name);
    /* Small objects are not packed. */
    (void)snprintf(value, sizeof(value),
                   "{\"metadata\":{\"namespace\":\"w%d\",\"name\":\"n%d\"},\"text\":\"%0*d\"}",
                   writer, name, a->is_compact ? 400 : 1, 0);
    lw_object *obj = NULL;
    expect(a, lw_object_from_json(&obj, value, strlen(value), NULL) == LW_OK);
    lw_store_txn txn = { .op = is_delete ? LW_STORE_DELETE : LW_STORE_PUT,
                         .key = lw_str_of(key),
                         .value = lw_str_of(is_delete ? "" : value),
                         .expected = *revision,
                         .attachment = obj };
    expect(a, lw_store_commit(a->store, &txn) == LW_OK);
    lw_object_unref(obj);
    /* Whoever learns that it was written finds it in the cache. */
    expect(a, lw_cache_revision(a->cache) >= txn.revision);
    *revision = is_delete ? 0 : txn.revision;
}

static void writer_run(void *arg)
{
    arena *a = arg;
    int writer = atomic_fetch_add(&a->writer_number, 1);
    uint64_t revisions[RESOURCES][NAMES] = { { 0 } };
    lw_random random;
    lw_random_init(&random, (uint64_t)writer);
    for (int i = 0; i < WRITES; i++) {
        size_t resource = (size_t)lw_random_below(&random, RESOURCES);
        int name = (int)lw_random_below(&random, NAMES);
        uint64_t *revision = &revisions[resource][name];
        bool is_delete = *revision && lw_random_below(&random, 3) == 0;
        write_object(a, resource, writer, name, revision, is_delete);
    }
}

/* One follower's view: the revision of each object. */
typedef struct view {
    struct port_run *run;
    lw_watcher *watcher;
    uint64_t revisions[WRITERS][NAMES];
    uint64_t last;
    bool is_synced;
} view;

typedef struct port_run {
    lw_cache_wait wait; /* first */
    arena *arena;
    lw_cache_port *port;
    lw_mutex mu;
    lw_cond woken;
    bool is_woken; /* mu */
    view views[WATCHERS];
    bool has_reached;
} port_run;

static const lw_cache_filter all = { 0 };

static void port_wake(void *arg)
{
    port_run *run = arg;
    lw_mutex_lock(&run->mu);
    run->is_woken = true;
    lw_cond_signal(&run->woken);
    lw_mutex_unlock(&run->mu);
}

static void view_take(view *v, const lw_cache_event *event)
{
    int64_t writer = 0, name = 0;
    arena *a = v->run->arena;
    (void)lw_str_to_int64(lw_str_of(lw_object_namespace(event->object) + 1), &writer);
    (void)lw_str_to_int64(lw_str_of(lw_object_name(event->object) + 1), &name);
    uint64_t *known = &v->revisions[writer][name];
    expect(a, (event->type == LW_WATCH_ADDED) == (*known == 0));
    expect(a, !v->is_synced || event->revision > v->last);
    if (v->is_synced)
        v->last = event->revision;
    *known = event->type == LW_WATCH_DELETED ? 0 : event->revision;
}

static void view_ready(lw_watcher *watcher, void *arg)
{
    view *v = arg;
    lw_cache_event event;
    for (lw_watch_step step; (step = lw_watcher_next(watcher, &event)) != LW_WATCH_STEP_IDLE;) {
        if (step == LW_WATCH_STEP_EVENT) {
            view_take(v, &event);
            lw_object_unref(event.object);
        } else if (step == LW_WATCH_STEP_SYNCED) {
            v->is_synced = true;
            v->last = event.revision;
        } else {
            expect(v->run->arena, false);
            return;
        }
    }
}

static void view_open(view *v, port_run *run)
{
    *v = (view){ .run = run };
    const lw_watcher_options options = { .port = run->port,
                                         .resource = run->arena->resources[0],
                                         .filter = &all,
                                         .start = LW_WATCH_START_STATE,
                                         .on_ready = view_ready,
                                         .arg = v };
    expect(run->arena, lw_watcher_open(&v->watcher, &options, NULL) == LW_OK);
    view_ready(v->watcher, v);
}

static void port_sleep(port_run *run)
{
    lw_mutex_lock(&run->mu);
    while (!run->is_woken)
        lw_cond_wait(&run->woken, &run->mu);
    run->is_woken = false;
    lw_mutex_unlock(&run->mu);
}

/* The view is what a list says. */
static void view_check(const view *v, const lw_cache_list *list)
{
    size_t count = 0;
    for (size_t w = 0; w < WRITERS; w++) {
        for (size_t n = 0; n < NAMES; n++)
            count += v->revisions[w][n] != 0;
    }
    expect(v->run->arena, count == list->count);
    for (size_t i = 0; i < list->count; i++) {
        int64_t writer = 0, name = 0;
        (void)lw_str_to_int64(lw_str_of(lw_object_namespace(list->objects[i]) + 1), &writer);
        (void)lw_str_to_int64(lw_str_of(lw_object_name(list->objects[i]) + 1), &name);
        expect(v->run->arena, v->revisions[writer][name] == lw_object_revision(list->objects[i]));
    }
}

static void port_reached(lw_cache_wait *wait)
{
    ((port_run *)(void *)wait)->has_reached = true;
}

static void port_run_views(port_run *run)
{
    arena *a = run->arena;
    size_t reopened = 0;
    uint64_t last = 0;
    while (!last || lw_watcher_revision(run->views[0].watcher) < last || !run->has_reached) {
        port_sleep(run);
        lw_cache_port_dispatch(run->port);
        view *v = &run->views[1 + reopened++ % (WATCHERS - 1)];
        lw_watcher_close(v->watcher);
        view_open(v, run);
        last = atomic_load(&a->last);
    }
    lw_cache_list list;
    expect(a, lw_cache_list_at(a->resources[0], &all, LW_STR(""), 0, last, &list, NULL) == LW_OK);
    for (size_t i = 0; i < WATCHERS; i++) {
        view_ready(run->views[i].watcher, &run->views[i]);
        view_check(&run->views[i], &list);
    }
    lw_cache_list_done(&list);
}

static void port_thread(void *arg)
{
    port_run *run = arg;
    arena *a = run->arena;
    for (size_t i = 0; i < WATCHERS; i++)
        view_open(&run->views[i], run);
    run->wait = (lw_cache_wait){ .revision = WRITES, .reached = port_reached };
    if (lw_cache_wait_begin(run->port, &run->wait))
        run->has_reached = true;
    port_run_views(run);
    expect(a, lw_cache_revision(a->cache) >= WRITES);
    for (size_t i = 0; i < WATCHERS; i++)
        lw_watcher_close(run->views[i].watcher);
}

static void lister_run(void *arg)
{
    arena *a = arg;
    lw_cache_list list, again;
    uint64_t before = 0;
    while (!atomic_load(&a->last)) {
        expect(a, lw_cache_list_now(a->resources[0], &all, LW_STR(""), 0, &list, NULL) == LW_OK);
        expect(a, list.revision >= before);
        before = list.revision;
        for (size_t i = 0; i < list.count; i++)
            expect(a, lw_object_revision(list.objects[i]) <= list.revision);
        /* The same state again, by now perhaps from the store. */
        if (list.revision > 0) {
            expect(a, lw_cache_list_at(a->resources[0], &all, LW_STR(""), 0, list.revision, &again,
                                       NULL) == LW_OK);
            expect(a, again.count == list.count);
            for (size_t i = 0; i < list.count && i < again.count; i++)
                expect(a,
                       lw_object_revision(list.objects[i]) == lw_object_revision(again.objects[i]));
            lw_cache_list_done(&again);
        }
        lw_cache_list_done(&list);
    }
}

/* Packs what is there, again and again. */
static void sweeper_run(void *arg)
{
    arena *a = arg;
    while (!atomic_load(&a->last))
        lw_cache_packing_sweep(a->resources[0]);
}

/* Each look at this clock is an hour later, so that every change has rested. */
static int64_t hourly_ns(void *arg)
{
    static atomic_int_least64_t hours = 1;
    (void)arg;
    return atomic_fetch_add(&hours, 1) * 3600 * LW_NS_PER_S;
}

static lw_cache_resource *add_resource(arena *a, int number)
{
    char prefix[32];
    lw_cache_resource *resource = NULL;
    (void)snprintf(prefix, sizeof(prefix), "/registry/r%d/", number);
    expect(a, lw_cache_add(a->cache, lw_str_of(prefix), true, &resource, NULL) == LW_OK);
    return resource;
}

static void check_resource(arena *a, int number, lw_cache_resource *resource)
{
    /* What a second cache, made in peace, says of it. */
    lw_cache *other = NULL;
    lw_cache_resource *same = NULL;
    lw_cache_list list, expected;
    char prefix[32];
    const lw_cache_options options = { .store = a->store };
    (void)snprintf(prefix, sizeof(prefix), "/registry/r%d/", number);
    assert_int_equal(lw_cache_new(&other, &options, NULL), LW_OK);
    assert_int_equal(lw_cache_add(other, lw_str_of(prefix), true, &same, NULL), LW_OK);
    assert_int_equal(lw_cache_start(other, NULL), LW_OK);
    assert_int_equal(lw_cache_list_now(resource, &all, LW_STR(""), 0, &list, NULL), LW_OK);
    assert_int_equal(lw_cache_list_now(same, &all, LW_STR(""), 0, &expected, NULL), LW_OK);
    assert_int_equal(list.count, expected.count);
    assert_int_equal(list.revision, expected.revision);
    for (size_t i = 0; i < list.count; i++)
        assert_string_equal(lw_object_json(list.objects[i]).ptr,
                            lw_object_json(expected.objects[i]).ptr);
    lw_cache_stats stats, expected_stats;
    lw_cache_resource_stats(resource, &stats);
    lw_cache_resource_stats(same, &expected_stats);
    assert_int_equal(stats.ring_events, expected_stats.ring_events);
    if (!a->is_compact) {
        assert_int_equal(stats.object_bytes, expected_stats.object_bytes);
        assert_int_equal(stats.ring_bytes, expected_stats.ring_bytes);
    }
    lw_cache_list_done(&list);
    lw_cache_list_done(&expected);
    lw_cache_free(other);
}

static void start(lw_thread *thread, void (*run)(void *arg), void *arg)
{
    assert_int_equal(lw_thread_start(thread, "cache-test", run, arg, NULL), LW_OK);
}

static void check_history(lw_compact_mode mode)
{
    static const lw_clock hourly = { hourly_ns, hourly_ns, NULL };
    arena a = { .is_compact = mode == LW_COMPACT_ON };
    port_run *runs = calloc(PORTS, sizeof(*runs));
    lw_thread writers[WRITERS], ports[PORTS], lister, sweeper;
    assert_non_null(runs);
    assert_int_equal(lw_memory_store_new(&a.store, NULL, NULL), LW_OK);
    const lw_cache_options options = { .store = a.store,
                                       .compact = mode,
                                       .clock = a.is_compact ? &hourly : NULL };
    assert_int_equal(lw_cache_new(&a.cache, &options, NULL), LW_OK);
    a.resources[0] = add_resource(&a, 0);
    assert_int_equal(lw_cache_start(a.cache, NULL), LW_OK);

    for (size_t i = 0; i < PORTS; i++) {
        runs[i].arena = &a;
        lw_mutex_init(&runs[i].mu);
        lw_cond_init(&runs[i].woken);
        assert_int_equal(lw_cache_port_new(&runs[i].port, a.cache, port_wake, &runs[i]), LW_OK);
        start(&ports[i], port_thread, &runs[i]);
    }
    start(&lister, lister_run, &a);
    if (a.is_compact)
        start(&sweeper, sweeper_run, &a);
    for (size_t i = 0; i < WRITERS; i++)
        start(&writers[i], writer_run, &a);
    for (int i = 1; i < RESOURCES; i++)
        a.resources[i] = add_resource(&a, i);

    for (size_t i = 0; i < WRITERS; i++)
        lw_thread_join(&writers[i]);
    atomic_store(&a.last, lw_cache_revision(a.cache));
    for (size_t i = 0; i < PORTS; i++) {
        port_wake(&runs[i]);
        lw_thread_join(&ports[i]);
        lw_cache_port_free(runs[i].port);
        lw_cond_done(&runs[i].woken);
        lw_mutex_done(&runs[i].mu);
    }
    lw_thread_join(&lister);
    if (a.is_compact)
        lw_thread_join(&sweeper);
    assert_int_equal(atomic_load(&a.first_fault), 0);
    assert_int_equal(atomic_load(&a.faults), 0);
    assert_int_equal(atomic_load(&a.last), WRITERS * WRITES);
    for (int i = 0; i < RESOURCES; i++)
        check_resource(&a, i, a.resources[i]);
    lw_cache_stop(a.cache);
    lw_cache_free(a.cache);
    lw_store_free(a.store);
    free(runs);
}

static void everybody_sees_one_history(void **state)
{
    (void)state;
    check_history(LW_COMPACT_OFF);
}

static void everybody_sees_one_history_of_packed_objects(void **state)
{
    (void)state;
    check_history(LW_COMPACT_ON);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(everybody_sees_one_history),
        TEST(everybody_sees_one_history_of_packed_objects),
    };
    return cmocka_run_group_tests_name("thread/cache", tests, NULL, NULL);
}
