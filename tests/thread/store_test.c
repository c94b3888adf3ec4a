/* SPDX-License-Identifier: Apache-2.0 */
/* store_test.c -- submitters, readers, watches that come and go, and compaction, all at once. */
#include "store/store.h"

#include <stdatomic.h>
#include <stdio.h>

#include "base/random.h"
#include "base/str.h"
#include "store/lmdb/lmdb.h"
#include "store/memory.h"
#include "suite/store_place.h"
#include "thread/crew.h"

enum {
    SUBMITTERS = 4,
    CHANGES = 300, /* of each */
    READERS = 2,
    KEPT = 100, /* revisions that the compactor leaves */
};

typedef struct scene {
    lw_store *store;
    atomic_int numbers; /* given out to threads */
    atomic_int writing; /* submitters still at work */
    atomic_int wrong;
} scene;

static void expect(scene *s, bool is_right)
{
    if (!is_right)
        atomic_fetch_add(&s->wrong, 1);
}

static uint64_t current_of(scene *s, uint64_t *compacted)
{
    uint64_t current = 0;
    uint64_t before = 0;
    lw_store_revisions(s->store, &current, &before);
    expect(s, before <= current);
    if (compacted)
        *compacted = before;
    return current;
}

static void submit(void *arg)
{
    scene *s = arg;
    char key[32];
    (void)snprintf(key, sizeof(key), "/s/%d", atomic_fetch_add(&s->numbers, 1));
    uint64_t expected = 0;
    for (int i = 0; i < CHANGES; i++) {
        lw_store_txn txn = { .op = i % 7 == 6 ? LW_STORE_DELETE : LW_STORE_PUT,
                             .key = lw_str_of(key),
                             .value = lw_str_of(key),
                             .expected = expected };
        lw_status st = lw_store_commit(s->store, &txn);
        expect(s, st == LW_OK && current_of(s, NULL) >= txn.revision);
        expected = txn.op == LW_STORE_DELETE ? 0 : txn.revision;
    }
    atomic_fetch_sub(&s->writing, 1);
}

typedef struct look {
    scene *s;
    uint64_t newest;
} look;

static lw_status look_at(const lw_store_record *record, void *arg, lw_error *err)
{
    (void)err;
    look *l = arg;
    expect(l->s, lw_str_equal(record->key, record->value));
    if (record->mod_revision > l->newest)
        l->newest = record->mod_revision;
    return LW_OK;
}

static void read_on(void *arg)
{
    scene *s = arg;
    lw_random random;
    lw_random_init(&random, (uint64_t)atomic_fetch_add(&s->numbers, 1));
    while (atomic_load(&s->writing) > 0) {
        uint64_t compacted = 0;
        uint64_t current = current_of(s, &compacted);
        uint64_t back = lw_random_below(&random, current - compacted + 1);
        lw_store_range range = { .revision = back % 2 == 0 ? 0 : current - back };
        lw_store_range_result result = { .revision = 0 };
        look l = { .s = s };
        lw_status st = lw_store_read(s->store, &range, look_at, &l, &result, NULL);
        expect(s, st == LW_OK || (st == LW_ERR_EXPIRED && range.revision > 0));
        expect(s, st < 0 || l.newest <= result.revision);
        expect(s, st < 0 || range.revision > 0 || result.revision >= current);
        (void)lw_store_bytes(s->store);
    }
}

/* One thread tells it everything, so it needs no lock. */
typedef struct follower {
    scene *s;
    uint64_t last;
    uint64_t revision;
    uint64_t events;
    atomic_int calls;
    atomic_bool is_over;
} follower;

static void on_events(const lw_store_event *events, size_t count, uint64_t revision, void *arg)
{
    follower *f = arg;
    expect(f->s, revision > f->revision);
    for (size_t i = 0; i < count; i++) {
        expect(f->s, events[i].revision == f->last + 1);
        f->last = events[i].revision;
    }
    f->events += count;
    f->revision = revision;
    atomic_fetch_add(&f->calls, 1);
}

static void on_end(const lw_error *err, void *arg)
{
    follower *f = arg;
    expect(f->s, err->code == LW_ERR_EXPIRED);
    atomic_store(&f->is_over, true);
}

/* Opens a watch somewhere in history, hears a little, closes it. */
static void come_and_go(void *arg)
{
    scene *s = arg;
    while (atomic_load(&s->writing) > 0) {
        uint64_t compacted = 0;
        uint64_t current = current_of(s, &compacted);
        follower f = { .s = s,
                       .last = (current + compacted) / 2,
                       .revision = (current + compacted) / 2 };
        lw_store_sink sink = { .on_events = on_events, .on_end = on_end, .arg = &f };
        lw_store_watch *watch = NULL;
        lw_status st = lw_store_watch_open(s->store, LW_STR(""), f.last, &sink, &watch, NULL);
        expect(s, st == LW_OK || st == LW_ERR_EXPIRED);
        while (st == LW_OK && atomic_load(&f.calls) == 0 && !atomic_load(&f.is_over) &&
               atomic_load(&s->writing) > 0)
            (void)lw_store_bytes(s->store);
        lw_store_watch_close(s->store, watch);
    }
}

static void compact_on(void *arg)
{
    scene *s = arg;
    while (atomic_load(&s->writing) > 0) {
        uint64_t current = current_of(s, NULL);
        expect(s, lw_store_compact(s->store, current > KEPT ? current - KEPT : 0, NULL) == LW_OK);
    }
}

static void run_scene(lw_store *store)
{
    static scene s;
    s = (scene){ .store = store };
    atomic_init(&s.writing, SUBMITTERS);
    follower all = { .s = &s };
    lw_store_sink sink = { .on_events = on_events, .on_end = on_end, .arg = &all };
    lw_store_watch *watch = NULL;
    assert_int_equal(lw_store_watch_open(store, LW_STR(""), 0, &sink, &watch, NULL), LW_OK);
    void (*const roles[])(void *) = { submit,  submit,  submit,      submit,
                                      read_on, read_on, come_and_go, compact_on };
    enum {
        ROLES = sizeof(roles) / sizeof(roles[0]),
    };
    lw_thread threads[ROLES];
    for (size_t i = 0; i < ROLES; i++)
        assert_int_equal(lw_thread_start(&threads[i], "role", roles[i], &s, NULL), LW_OK);
    for (size_t i = 0; i < ROLES; i++)
        lw_thread_join(&threads[i]);
    lw_store_watch_close(store, watch);
    assert_int_equal(atomic_load(&s.wrong), 0);
    assert_int_equal(all.events, SUBMITTERS * CHANGES);
    lw_store_free(store);
}

static void everybody_uses_the_memory_store_at_once(void **state)
{
    (void)state;
    lw_store *store = NULL;
    assert_int_equal(lw_memory_store_new(&store, NULL, NULL), LW_OK);
    run_scene(store);
}

static void everybody_uses_the_durable_store_at_once(void **state)
{
    (void)state;
    store_place place;
    store_place_make(&place);
    lw_store *store = NULL;
    /* A small map: it grows meanwhile. */
    lw_lmdb_store_options options = { .folder = place.folder, .map_bytes = 1 << 18 };
    assert_int_equal(lw_lmdb_store_open(&store, &options, NULL), LW_OK);
    run_scene(store);
    store_place_remove(&place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(everybody_uses_the_memory_store_at_once),
        TEST(everybody_uses_the_durable_store_at_once),
    };
    return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
