/* SPDX-License-Identifier: Apache-2.0 */
/* store_suite_watch.c -- watches: from an old revision, from now, and the transition between. */
#include <stdatomic.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/random.h"
#include "store/watches.h"
#include "suite/store_suite_parts.h"

static void reports_changes_as_they_happen(void **state)
{
    store_fixture *f = *state;
    recorder r;
    recorder_open(&r, f, "/", 0);
    put(f, "/a", "1");
    put(f, "/b", "1");
    put(f, "/a", "2");
    del(f, "/b");
    assert_told(&r, 4, "1 /a=1\n2 /b=1\n3 /a=2\n4 /b!\n");
    recorder_close(&r, f);
}

static void reports_only_keys_with_the_prefix(void **state)
{
    store_fixture *f = *state;
    put(f, "/a/1", "old");
    recorder r;
    recorder_open(&r, f, "/a/", 0);
    put(f, "/b/1", "x");
    put(f, "/a", "x");
    put(f, "/a/2", "new");
    put(f, "/ab", "x");
    assert_told(&r, 5, "1 /a/1=old\n4 /a/2=new\n");
    recorder_close(&r, f);
}

static void reports_progress_for_changes_outside_the_prefix(void **state)
{
    store_fixture *f = *state;
    recorder r;
    recorder_open(&r, f, "/a/", 0);
    put(f, "/b", "1");
    recorder_wait(&r, 1);
    put(f, "/b", "2");
    assert_told(&r, 2, "");
    recorder_close(&r, f);
    recorder_open(&r, f, "/a/", 0);
    assert_told(&r, 2, "");
    recorder_close(&r, f);
}

static void reports_history_first(void **state)
{
    store_fixture *f = *state;
    put(f, "/a", "1");
    put(f, "/a", "2");
    del(f, "/a");
    put(f, "/a", "3");
    recorder r;
    recorder_open(&r, f, "/", 1);
    put(f, "/a", "4");
    assert_told(&r, 5, "2 /a=2\n3 /a!\n4 /a=3\n5 /a=4\n");
    recorder_close(&r, f);
}

static void starts_after_the_requested_revision(void **state)
{
    store_fixture *f = *state;
    for (int i = 0; i < 3; i++)
        put(f, "/a", "x");
    for (uint64_t after = 0; after <= 3; after++) {
        recorder r;
        recorder_open(&r, f, "/", after);
        recorder_wait(&r, 3);
        recorder_close(&r, f);
        assert_int_equal(r.events, 3 - after);
    }
}

static void waits_for_a_future_revision(void **state)
{
    store_fixture *f = *state;
    put(f, "/a", "1");
    recorder r;
    recorder_open(&r, f, "/", 3);
    put(f, "/a", "2");
    put(f, "/a", "3");
    put(f, "/a", "4");
    put(f, "/a", "5");
    assert_told(&r, 5, "4 /a=4\n5 /a=5\n");
    recorder_close(&r, f);
}

static void long_history_arrives_in_batches_and_completely(void **state)
{
    store_fixture *f = *state;
    enum {
        COUNT = 3 * LW_STORE_PORTION_MAX + 7,
    };
    put_many(f, COUNT);
    uint64_t last = current_revision(f);
    assert_int_equal(last, COUNT);
    recorder all;
    recorder one;
    recorder_open_quiet(&all, f, "", 0);
    recorder_open_quiet(&one, f, "/n/03000", 0);
    recorder_wait(&all, last);
    recorder_wait(&one, last);
    recorder_close(&one, f);
    recorder_close(&all, f);
    assert_int_equal(all.events, COUNT);
    assert_int_equal(one.events, 1);
}

static void every_watch_is_notified(void **state)
{
    store_fixture *f = *state;
    enum {
        COUNT = 20,
    };
    recorder r[COUNT];
    for (uint64_t i = 0; i < COUNT; i++) {
        recorder_open(&r[i], f, "/", i / 2);
        put(f, "/a", "x");
    }
    for (uint64_t i = 0; i < COUNT; i++) {
        recorder_wait(&r[i], COUNT);
        recorder_close(&r[i], f);
        assert_int_equal(r[i].events, COUNT - i / 2);
    }
}

static void a_closed_watch_gets_no_more_events(void **state)
{
    store_fixture *f = *state;
    recorder a;
    recorder b;
    recorder_open(&a, f, "/", 0);
    recorder_open(&b, f, "/", 0);
    put(f, "/a", "1");
    lw_store_watch_close(f->store, a.watch);
    a.watch = NULL;
    put(f, "/a", "2");
    assert_told(&b, 2, "1 /a=1\n2 /a=2\n");
    assert_told(&a, 1, "1 /a=1\n");
    recorder_close(&a, f);
    recorder_close(&b, f);
    lw_store_watch_close(f->store, NULL);
}

/* A slow callback. */
typedef struct slow {
    lw_mutex mu;
    lw_cond changed;
    lw_store *store;
    lw_store_watch *watch;
    bool is_inside;
    bool may_leave;
    bool has_left;
    bool was_left_when_closed;
} slow;

static void slow_on_events(const lw_store_event *events, size_t count, uint64_t revision, void *arg)
{
    (void)events;
    (void)count;
    (void)revision;
    slow *s = arg;
    lw_mutex_lock(&s->mu);
    s->is_inside = true;
    lw_cond_broadcast(&s->changed);
    while (!s->may_leave)
        lw_cond_wait(&s->changed, &s->mu);
    s->has_left = true;
    lw_mutex_unlock(&s->mu);
}

static void slow_close(void *arg)
{
    slow *s = arg;
    lw_store_watch_close(s->store, s->watch);
    lw_mutex_lock(&s->mu);
    s->was_left_when_closed = s->has_left;
    lw_mutex_unlock(&s->mu);
}

static void ignore_done(lw_store_txn *txn)
{
    (void)txn;
}

static void closing_waits_for_a_running_callback(void **state)
{
    store_fixture *f = *state;
    slow s = { .store = f->store };
    lw_mutex_init(&s.mu);
    lw_cond_init(&s.changed);
    lw_store_sink sink = { .on_events = slow_on_events, .arg = &s };
    assert_int_equal(lw_store_watch_open(f->store, LW_STR("/"), 0, &sink, &s.watch, NULL), LW_OK);
    lw_store_txn txn = { .op = LW_STORE_PUT, .key = LW_STR("/a"), .done = ignore_done };
    assert_int_equal(lw_store_submit(f->store, &txn), LW_OK);
    lw_mutex_lock(&s.mu);
    while (!s.is_inside)
        lw_cond_wait(&s.changed, &s.mu);
    lw_mutex_unlock(&s.mu);
    lw_thread closer;
    assert_int_equal(lw_thread_start(&closer, "closer", slow_close, &s, NULL), LW_OK);
    lw_mutex_lock(&s.mu);
    s.may_leave = true;
    lw_cond_broadcast(&s.changed);
    lw_mutex_unlock(&s.mu);
    lw_thread_join(&closer);
    assert_true(s.was_left_when_closed);
    put(f, "/b", "1"); /* and it continues */
    lw_cond_done(&s.changed);
    lw_mutex_done(&s.mu);
}

static void closing_the_store_ends_its_watches(void **state)
{
    store_fixture *f = *state;
    recorder a;
    recorder b;
    recorder_open(&a, f, "/", 0);
    put(f, "/a", "1");
    recorder_open(&b, f, "/", 7);
    store_fixture_close(f);
    assert_true(a.is_over);
    assert_true(b.is_over);
    assert_int_equal(a.why, LW_ERR_STOPPED);
    assert_told(&a, 1, "1 /a=1\n");
    recorder_close(&a, f);
    recorder_close(&b, f);
}

typedef struct attachments {
    lw_mutex mu; /* guards the others */
    lw_cond changed;
    size_t seen;
    void *last;
} attachments;

static void attachments_on_events(const lw_store_event *events, size_t count, uint64_t revision,
                                  void *arg)
{
    (void)revision;
    attachments *a = arg;
    lw_mutex_lock(&a->mu);
    for (size_t i = 0; i < count; i++)
        a->last = events[i].attachment;
    a->seen += count;
    lw_cond_signal(&a->changed);
    lw_mutex_unlock(&a->mu);
}

/* Waits for |seen| events; returns the attachment of the last one. */
static void *attachments_wait(attachments *a, size_t seen)
{
    lw_mutex_lock(&a->mu);
    while (a->seen < seen)
        lw_cond_wait(&a->changed, &a->mu);
    assert_int_equal(a->seen, seen);
    void *last = a->last;
    lw_mutex_unlock(&a->mu);
    return last;
}

static void attachments_come_with_new_changes_only(void **state)
{
    store_fixture *f = *state;
    attachments a = { .last = NULL };
    int thing = 0;
    lw_mutex_init(&a.mu);
    lw_cond_init(&a.changed);
    lw_store_sink sink = { .on_events = attachments_on_events, .arg = &a };
    lw_store_watch *watch = NULL;
    assert_int_equal(lw_store_watch_open(f->store, LW_STR("/"), 0, &sink, &watch, NULL), LW_OK);
    lw_store_txn txn = { .op = LW_STORE_PUT, .key = LW_STR("/a"), .attachment = &thing };
    assert_int_equal(lw_store_commit(f->store, &txn), LW_OK);
    lw_store_watch_close(f->store, watch);
    assert_ptr_equal(attachments_wait(&a, 1), &thing);
    a.last = &a;
    assert_int_equal(lw_store_watch_open(f->store, LW_STR("/"), 0, &sink, &watch, NULL), LW_OK);
    assert_null(attachments_wait(&a, 2));
    lw_store_watch_close(f->store, watch);
    lw_cond_done(&a.changed);
    lw_mutex_done(&a.mu);
}

enum {
    WRITERS = 3,
    WRITES = 400, /* per writer */
    BEFORE = 100, /* changes before the writers start */
    LAST = BEFORE + WRITERS * WRITES,
};

typedef struct busy_writer {
    store_fixture *f;
    int number;
    atomic_bool *has_failed;
} busy_writer;

static void write_busily(void *arg)
{
    busy_writer *w = arg;
    char key[32];
    (void)snprintf(key, sizeof(key), "/w/%d", w->number);
    uint64_t expected = 0;
    for (int i = 0; i < WRITES; i++) {
        lw_store_txn txn = { .op = i % 5 == 4 ? LW_STORE_DELETE : LW_STORE_PUT,
                             .key = lw_str_of(key),
                             .value = LW_STR("v"),
                             .expected = expected };
        if (lw_store_commit(w->f->store, &txn) != LW_OK)
            atomic_store(w->has_failed, true);
        expected = txn.op == LW_STORE_DELETE ? 0 : txn.revision;
    }
}

static void watches_opened_while_writers_write_miss_nothing(void **state)
{
    store_fixture *f = *state;
    enum {
        WATCHES = 60,
    };
    put_many(f, BEFORE);
    atomic_bool has_failed = false;
    busy_writer writers[WRITERS];
    lw_thread threads[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
        writers[i] = (busy_writer){ f, i, &has_failed };
        assert_int_equal(lw_thread_start(&threads[i], "writer", write_busily, &writers[i], NULL),
                         LW_OK);
    }
    static recorder r[WATCHES];
    uint64_t after[WATCHES];
    lw_random random;
    lw_random_init(&random, 3);
    for (int i = 0; i < WATCHES; i++) {
        uint64_t now = current_revision(f);
        uint64_t back = lw_random_below(&random, 3) == 0 ? lw_random_below(&random, now) : 0;
        after[i] = now - back + lw_random_below(&random, 3);
        if (after[i] > LAST)
            after[i] = LAST;
        recorder_open_quiet(&r[i], f, "", after[i]);
        /* Spreads the watches over the time of writing. */
        recorder_wait(&r[i], after[i] + 5 < LAST ? after[i] + 5 : LAST);
    }
    for (int i = 0; i < WRITERS; i++)
        lw_thread_join(&threads[i]);
    assert_false(atomic_load(&has_failed));
    uint64_t last = current_revision(f);
    assert_int_equal(last, LAST);
    for (int i = 0; i < WATCHES; i++) {
        recorder_wait(&r[i], last);
        recorder_close(&r[i], f);
        assert_int_equal(r[i].events, last - after[i]);
    }
}

void store_suite_watch(store_tests *table)
{
    const struct CMUnitTest own[] = {
        STORE_TEST(reports_changes_as_they_happen),
        STORE_TEST(reports_only_keys_with_the_prefix),
        STORE_TEST(reports_progress_for_changes_outside_the_prefix),
        STORE_TEST(reports_history_first),
        STORE_TEST(starts_after_the_requested_revision),
        STORE_TEST(waits_for_a_future_revision),
        STORE_TEST(long_history_arrives_in_batches_and_completely),
        STORE_TEST(every_watch_is_notified),
        STORE_TEST(a_closed_watch_gets_no_more_events),
        STORE_TEST(closing_waits_for_a_running_callback),
        STORE_TEST(closing_the_store_ends_its_watches),
        STORE_TEST(attachments_come_with_new_changes_only),
        STORE_TEST(watches_opened_while_writers_write_miss_nothing),
    };
    STORE_TESTS_ADD(table, own);
}
