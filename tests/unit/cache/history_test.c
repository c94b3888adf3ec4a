/* SPDX-License-Identifier: Apache-2.0 */
/* history_test.c -- random writes through a store; whoever follows them, from wherever and however
 * slowly, ends with what the lists say. */
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "base/str.h"
#include "cache/cache.h"
#include "cache/watcher.h"
#include "store/memory.h"
#include "unit/test.h"

enum {
    NAMESPACES = 4,
    NAMES = 12,
    OBJECTS = NAMESPACES * NAMES,
    FILTERS = 7,
    WATCHERS = 24,
    STEPS = 3000,
    NOWHERE = -1,
};

/* The state of one object: its label and revision; revision 0: it is not there. */
typedef struct thing {
    uint64_t revision;
    int app;
} thing;

typedef struct world {
    thing things[OBJECTS];
} world;

typedef struct history {
    lw_store *store;
    lw_cache *cache;
    lw_cache_resource *pods;
    lw_cache_port *port;
    lw_random random;
    lw_cache_filter filters[FILTERS];
    lw_label_selector *labels[2];
    lw_field_selector *field;
    world now;
    world *past; /* at each revision */
    uint64_t revision;
} history;

/* A follower: what it has been told adds up to a world. */
typedef struct follower {
    lw_watcher *watcher;
    size_t filter;
    world seen;
    uint64_t last; /* revision told */
    bool is_synced;
} follower;

static const char *const namespaces[NAMESPACES] = { "a", "a-b", "a0", "b" };

static void on_wake(void *arg)
{
    (void)arg;
}

static void on_ready(lw_watcher *watcher, void *arg)
{
    (void)watcher;
    (void)arg;
}

static void open_cache(history *h)
{
    const lw_cache_options options = { .store = h->store };
    assert_int_equal(lw_cache_new(&h->cache, &options, NULL), LW_OK);
    assert_int_equal(lw_cache_add(h->cache, LW_STR("/registry/pods/"), true, &h->pods, NULL),
                     LW_OK);
    assert_int_equal(lw_cache_start(h->cache, NULL), LW_OK);
    assert_int_equal(lw_cache_port_new(&h->port, h->cache, on_wake, NULL), LW_OK);
}

static void close_cache(history *h)
{
    lw_cache_port_free(h->port);
    lw_cache_stop(h->cache);
    lw_cache_free(h->cache);
}

static void history_init(history *h, uint64_t seed)
{
    *h = (history){ .revision = 0 };
    h->past = calloc(STEPS + 1, sizeof(world));
    assert_non_null(h->past);
    lw_random_init(&h->random, seed);
    assert_int_equal(lw_memory_store_new(&h->store, NULL, NULL), LW_OK);
    assert_int_equal(lw_label_selector_parse(&h->labels[0], LW_STR("app=1"), NULL), LW_OK);
    assert_int_equal(lw_label_selector_parse(&h->labels[1], LW_STR("app notin (0,2)"), NULL),
                     LW_OK);
    assert_int_equal(lw_field_selector_parse(&h->field, LW_STR("spec.app!=2"), NULL), LW_OK);
    const lw_cache_filter filters[FILTERS] = {
        { 0 },
        { .ns = LW_STR("a") },
        { .name = LW_STR("p03") },
        { .ns = LW_STR("a-b"), .name = LW_STR("p05") },
        { .labels = h->labels[0] },
        { .ns = LW_STR("b"), .labels = h->labels[1] },
        { .fields = h->field },
    };
    memcpy(h->filters, filters, sizeof(filters));
    open_cache(h);
}

static void history_done(history *h)
{
    close_cache(h);
    lw_store_free(h->store);
    lw_label_selector_free(h->labels[0]);
    lw_label_selector_free(h->labels[1]);
    lw_field_selector_free(h->field);
    free(h->past);
}

/* What filter |f| means, said once more. */
static bool means(size_t f, size_t i, int app)
{
    size_t ns = i / NAMES, name = i % NAMES;
    switch (f) {
    case 1: return ns == 0;
    case 2: return name == 3;
    case 3: return ns == 1 && name == 5;
    case 4: return app == 1;
    case 5: return ns == 3 && app != 0 && app != 2;
    case 6: return app != 2;
    default: return true;
    }
}

static size_t thing_of(const lw_object *obj)
{
    size_t ns = 0;
    int64_t name = NOWHERE;
    while (ns < NAMESPACES && strcmp(namespaces[ns], lw_object_namespace(obj)) != 0)
        ns++;
    assert_true(ns < NAMESPACES);
    assert_true(lw_str_to_int64(lw_str_of(lw_object_name(obj) + 1), &name));
    return ns * NAMES + (size_t)name;
}

static thing state_of(const lw_object *obj)
{
    return (thing){ lw_object_revision(obj), (int)lw_object_int(obj, "/spec/app", NOWHERE) };
}

/* One random change, committed. */
static void write_one(history *h)
{
    size_t i = (size_t)lw_random_below(&h->random, OBJECTS);
    thing *t = &h->now.things[i];
    int app = (int)lw_random_below(&h->random, 4);
    bool is_delete = t->revision && lw_random_below(&h->random, 3) == 0;
    char key[64], value[256];
    (void)snprintf(key, sizeof(key), "/registry/pods/%s/p%02zu", namespaces[i / NAMES], i % NAMES);
    (void)snprintf(value, sizeof(value),
                   "{\"metadata\":{\"name\":\"p%02zu\",\"namespace\":\"%s\","
                   "\"labels\":{\"app\":\"%d\"}},\"spec\":{\"app\":%d}}",
                   i % NAMES, namespaces[i / NAMES], app, app);
    lw_object *attached = NULL;
    if (lw_random_below(&h->random, 2) == 0)
        assert_int_equal(lw_object_from_json(&attached, value, strlen(value), NULL), LW_OK);
    lw_store_txn txn = { .op = is_delete ? LW_STORE_DELETE : LW_STORE_PUT,
                         .key = lw_str_of(key),
                         .value = lw_str_of(is_delete ? "" : value),
                         .expected = t->revision,
                         .attachment = is_delete ? NULL : attached };
    assert_int_equal(lw_store_commit(h->store, &txn), LW_OK);
    lw_object_unref(attached);
    *t = is_delete ? (thing){ 0 } : (thing){ txn.revision, app };
    assert_int_equal(txn.revision, h->revision + 1);
    h->revision = txn.revision;
    h->past[h->revision] = h->now;
}

static void follower_open(follower *f, history *h, size_t filter, lw_watch_start start,
                          uint64_t after)
{
    *f = (follower){ .filter = filter, .last = after, .is_synced = start != LW_WATCH_START_STATE };
    const lw_watcher_options options = { .port = h->port,
                                         .resource = h->pods,
                                         .filter = &h->filters[filter],
                                         .start = start,
                                         .after = after,
                                         .on_ready = on_ready };
    assert_int_equal(lw_watcher_open(&f->watcher, &options, NULL), LW_OK);
    if (start == LW_WATCH_START_STATE)
        return;
    for (size_t i = 0; i < OBJECTS; i++) {
        const thing *t = &h->past[after].things[i];
        if (t->revision && means(filter, i, t->app))
            f->seen.things[i] = *t;
    }
}

static void follower_take(follower *f, const lw_cache_event *event)
{
    size_t i = thing_of(event->object);
    thing *known = &f->seen.things[i], told = state_of(event->object);
    assert_true(means(f->filter, i, told.app));
    if (f->is_synced) {
        assert_true(event->revision > f->last);
        f->last = event->revision;
    }
    assert_int_equal(told.revision, event->revision);
    assert_int_equal(event->type != LW_WATCH_ADDED, known->revision != 0);
    if (event->type == LW_WATCH_DELETED) {
        assert_int_equal(told.app, known->app); /* the last content it was shown with */
        *known = (thing){ 0 };
    } else {
        assert_true(told.revision > known->revision);
        *known = told;
    }
}

/* Pulls at most |max| times. */
static void follower_pull(follower *f, size_t max)
{
    lw_cache_event event;
    for (size_t i = 0; i < max; i++) {
        lw_watch_step step = lw_watcher_next(f->watcher, &event);
        if (step == LW_WATCH_STEP_IDLE)
            return;
        if (step == LW_WATCH_STEP_SYNCED) {
            assert_false(f->is_synced);
            f->is_synced = true;
            f->last = event.revision;
            continue;
        }
        assert_int_equal(step, LW_WATCH_STEP_EVENT);
        follower_take(f, &event);
        lw_object_unref(event.object);
    }
}

static void assert_world(const history *h, const follower *f)
{
    for (size_t i = 0; i < OBJECTS; i++) {
        thing expected = h->now.things[i];
        if (!expected.revision || !means(f->filter, i, expected.app))
            expected = (thing){ 0 };
        assert_int_equal(f->seen.things[i].revision, expected.revision);
        assert_int_equal(f->seen.things[i].app, expected.app);
    }
}

/* The list of |filter| is what |expected| holds, in the order of keys. */
static void assert_list(const lw_cache_list *list, size_t filter, const world *expected)
{
    /* As the store orders them: '-' is below '/', which is below '0'. */
    static const size_t order[NAMESPACES] = { 1, 0, 2, 3 };
    size_t at = 0;
    for (size_t n = 0; n < NAMESPACES; n++) {
        for (size_t name = 0; name < NAMES; name++) {
            size_t i = order[n] * NAMES + name;
            const thing *t = &expected->things[i];
            if (!t->revision || !means(filter, i, t->app))
                continue;
            assert_true(at < list->count);
            assert_int_equal(thing_of(list->objects[at]), i);
            assert_int_equal(lw_object_revision(list->objects[at]), t->revision);
            at++;
        }
    }
    assert_int_equal(at, list->count);
}

static void assert_list_now(history *h, size_t filter)
{
    lw_cache_list list;
    assert_int_equal(lw_cache_list_now(h->pods, &h->filters[filter], LW_STR(""), 0, &list, NULL),
                     LW_OK);
    assert_int_equal(list.revision, h->revision);
    assert_list(&list, filter, &h->now);
    lw_cache_list_done(&list);
}

/* The whole list at |revision|, page by page. */
static void assert_pages_at(history *h, size_t filter, uint64_t revision, size_t limit)
{
    lw_cache_list whole = { .objects = calloc(OBJECTS, sizeof(lw_object *)) }, page;
    char start[64] = "";
    size_t start_len = 0, remaining = 0;
    do {
        assert_int_equal(lw_cache_list_at(h->pods, &h->filters[filter],
                                          lw_str_make(start, start_len), limit, revision, &page,
                                          NULL),
                         LW_OK);
        assert_int_equal(page.revision, revision);
        if (whole.count && filter < 4)
            assert_int_equal(remaining, page.count + page.remaining);
        remaining = page.remaining;
        for (size_t i = 0; i < page.count; i++)
            whole.objects[whole.count++] = lw_object_ref(page.objects[i]);
        bool has_more = page.has_more;
        if (has_more) {
            assert_int_equal(page.count, limit);
            const lw_object *last = page.objects[page.count - 1];
            start_len = 1 + (size_t)snprintf(start, sizeof(start), "%s/%s",
                                             lw_object_namespace(last), lw_object_name(last));
        }
        lw_cache_list_done(&page);
        if (!has_more)
            break;
    } while (true);
    assert_list(&whole, filter, &h->past[revision]);
    for (size_t i = 0; i < whole.count; i++)
        lw_object_unref(whole.objects[i]);
    free(whole.objects);
}

static void every_follower_ends_with_what_is_there(void **state)
{
    (void)state;
    history h;
    follower followers[WATCHERS];
    history_init(&h, 11);
    for (size_t i = 0; i < WATCHERS; i++)
        follower_open(&followers[i], &h, i % FILTERS, LW_WATCH_START_STATE, 0);
    for (int step = 0; step < STEPS; step++) {
        write_one(&h);
        follower *f = &followers[lw_random_below(&h.random, WATCHERS)];
        follower_pull(f, (size_t)lw_random_below(&h.random, 100));
        if (lw_random_below(&h.random, 20) == 0) {
            lw_watcher_close(f->watcher);
            bool is_state = lw_random_below(&h.random, 2) == 0;
            follower_open(f, &h, (size_t)lw_random_below(&h.random, FILTERS),
                          is_state ? LW_WATCH_START_STATE : LW_WATCH_START_AFTER,
                          is_state ? 0 : lw_random_below(&h.random, h.revision + 1));
        }
    }
    for (size_t i = 0; i < WATCHERS; i++) {
        follower_pull(&followers[i], SIZE_MAX);
        assert_int_equal(lw_watcher_revision(followers[i].watcher), h.revision);
        assert_world(&h, &followers[i]);
        lw_watcher_close(followers[i].watcher);
    }
    for (size_t f = 0; f < FILTERS; f++)
        assert_list_now(&h, f);
    history_done(&h);
}

static void the_past_can_be_listed_at_every_revision(void **state)
{
    (void)state;
    history h;
    history_init(&h, 12);
    for (int i = 0; i < 400; i++)
        write_one(&h);
    for (uint64_t revision = 1; revision <= h.revision; revision++)
        assert_pages_at(&h, (size_t)(revision % FILTERS), revision, revision % 3 ? 5 : 0);
    history_done(&h);
}

static void after_a_restart_every_old_revision_can_be_followed(void **state)
{
    (void)state;
    history h;
    history_init(&h, 13);
    for (int i = 0; i < 400; i++)
        write_one(&h);
    assert_int_equal(lw_store_compact(h.store, 100, NULL), LW_OK);
    close_cache(&h);
    open_cache(&h);
    assert_int_equal(lw_cache_revision(h.cache), h.revision);
    for (uint64_t after = 100; after <= h.revision; after++) {
        follower f;
        follower_open(&f, &h, (size_t)(after % FILTERS), LW_WATCH_START_AFTER, after);
        follower_pull(&f, SIZE_MAX);
        assert_world(&h, &f);
        lw_watcher_close(f.watcher);
    }
    for (size_t f = 0; f < FILTERS; f++)
        assert_list_now(&h, f);
    lw_watcher *w = NULL;
    const lw_watcher_options options = { .port = h.port,
                                         .resource = h.pods,
                                         .filter = &h.filters[0],
                                         .start = LW_WATCH_START_AFTER,
                                         .after = 99,
                                         .on_ready = on_ready };
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_watcher_open(&w, &options, &err), LW_ERR_EXPIRED);
    assert_string_equal(err.message, "too old resource version: 99 (100)");
    history_done(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_follower_ends_with_what_is_there),
        TEST(the_past_can_be_listed_at_every_revision),
        TEST(after_a_restart_every_old_revision_can_be_followed),
    };
    return cmocka_run_group_tests_name("cache/history", tests, NULL, NULL);
}
