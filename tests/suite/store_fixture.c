/* SPDX-License-Identifier: Apache-2.0 */
/* store_fixture.c -- a store with a manual clock, and helpers for tests. */
#include "suite/store_fixture.h"

#include <stdio.h>

#include "base/alloc.h"

enum {
    TEXT_MAX = 64 << 20,
};

int store_fixture_setup(void **state)
{
    store_fixture *f = lw_alloc_zero(1, sizeof(*f));
    assert_non_null(f);
    f->backend = *state;
    f->place = f->backend->place_new();
    assert_non_null(f->place);
    assert_int_equal(lw_manual_clock_new(&f->clock, 0), LW_OK);
    store_fixture_open(f);
    *state = f;
    return 0;
}

int store_fixture_teardown(void **state)
{
    store_fixture *f = *state;
    store_fixture_close(f);
    f->backend->place_free(f->place);
    lw_manual_clock_free(f->clock);
    lw_free(f);
    return 0;
}

void store_fixture_close(store_fixture *f)
{
    lw_store_free(f->store);
    f->store = NULL;
}

void store_fixture_open(store_fixture *f)
{
    lw_error err = LW_ERROR_INIT;
    if (f->backend->open(f->place, &f->history, lw_manual_clock_as_clock(f->clock), &f->store,
                         &err) < 0)
        fail_msg("cannot open: %s", err.message);
}

void store_fixture_reopen(store_fixture *f)
{
    store_fixture_close(f);
    store_fixture_open(f);
}

void store_fixture_restart(store_fixture *f, lw_history_options history)
{
    store_fixture_close(f);
    f->backend->place_free(f->place);
    f->place = f->backend->place_new();
    assert_non_null(f->place);
    f->history = history;
    store_fixture_open(f);
}

static answer commit(store_fixture *f, lw_store_txn *txn)
{
    answer a = { lw_store_commit(f->store, txn), 0 };
    a.revision = txn->revision;
    return a;
}

answer try_put(store_fixture *f, const char *key, const char *value, uint64_t expected)
{
    lw_store_txn txn = {
        .op = LW_STORE_PUT, .key = lw_str_of(key), .value = lw_str_of(value), .expected = expected
    };
    return commit(f, &txn);
}

answer try_delete(store_fixture *f, const char *key, uint64_t expected)
{
    lw_store_txn txn = { .op = LW_STORE_DELETE, .key = lw_str_of(key), .expected = expected };
    return commit(f, &txn);
}

static uint64_t mod_revision(store_fixture *f, const char *key)
{
    lw_buf value;
    lw_buf_init(&value, LW_STORE_VALUE_MAX);
    lw_store_record record = { .mod_revision = 0 };
    lw_status st = lw_store_get(f->store, lw_str_of(key), 0, &value, &record, NULL);
    assert_true(st == LW_OK || st == LW_ERR_NOT_FOUND);
    lw_buf_done(&value);
    return record.mod_revision;
}

uint64_t put(store_fixture *f, const char *key, const char *value)
{
    answer a = try_put(f, key, value, mod_revision(f, key));
    assert_int_equal(a.st, LW_OK);
    return a.revision;
}

uint64_t del(store_fixture *f, const char *key)
{
    answer a = try_delete(f, key, mod_revision(f, key));
    assert_int_equal(a.st, LW_OK);
    return a.revision;
}

/* Concurrent transactions. */
typedef struct bulk {
    lw_mutex mu;
    lw_cond done;
    int left;
    bool has_failed;
} bulk;

static void bulk_done(lw_store_txn *txn)
{
    bulk *b = txn->arg;
    lw_mutex_lock(&b->mu);
    b->has_failed = b->has_failed || txn->st < 0;
    if (--b->left == 0)
        lw_cond_signal(&b->done);
    lw_mutex_unlock(&b->mu);
}

void put_many(store_fixture *f, int count)
{
    bulk b = { .left = count };
    lw_mutex_init(&b.mu);
    lw_cond_init(&b.done);
    lw_store_txn *txns = lw_alloc_zero((size_t)count, sizeof(*txns));
    char(*keys)[16] = lw_alloc_zero((size_t)count, sizeof(*keys));
    assert_true(txns && keys);
    for (int i = 0; i < count; i++) {
        (void)snprintf(keys[i], sizeof(keys[i]), "/n/%05d", i);
        txns[i] = (lw_store_txn){ .op = LW_STORE_PUT,
                                  .key = lw_str_of(keys[i]),
                                  .value = LW_STR("x"),
                                  .done = bulk_done,
                                  .arg = &b };
        assert_int_equal(lw_store_submit(f->store, &txns[i]), LW_OK);
    }
    lw_mutex_lock(&b.mu);
    while (b.left > 0)
        lw_cond_wait(&b.done, &b.mu);
    lw_mutex_unlock(&b.mu);
    assert_false(b.has_failed);
    lw_cond_done(&b.done);
    lw_mutex_done(&b.mu);
    lw_free(keys);
    lw_free(txns);
}

uint64_t current_revision(store_fixture *f)
{
    uint64_t current = 0;
    uint64_t compacted = 0;
    lw_store_revisions(f->store, &current, &compacted);
    return current;
}

uint64_t compacted_revision(store_fixture *f)
{
    uint64_t current = 0;
    uint64_t compacted = 0;
    lw_store_revisions(f->store, &current, &compacted);
    return compacted;
}

static lw_status append_record(const lw_store_record *record, void *arg, lw_error *err)
{
    (void)err;
    lw_buf *text = arg;
    lw_buf_printf(text, "%s%.*s=%.*s@%llu/%llu", text->len > 0 ? " " : "", LW_STR_ARG(record->key),
                  LW_STR_ARG(record->value), (unsigned long long)record->create_revision,
                  (unsigned long long)record->mod_revision);
    return LW_OK;
}

char *range_text(store_fixture *f, const lw_store_range *range, lw_store_range_result *result)
{
    lw_buf text;
    lw_buf_init(&text, TEXT_MAX);
    lw_store_range_result own;
    lw_error err = LW_ERROR_INIT;
    if (lw_store_read(f->store, range, append_record, &text, &own, &err) < 0)
        fail_msg("cannot read: %s", err.message);
    if (own.has_more)
        lw_buf_append_text(&text, "...");
    if (own.remaining > 0)
        lw_buf_printf(&text, "+%zu", own.remaining);
    if (result)
        *result = own;
    char *taken = lw_buf_take_text(&text);
    assert_non_null(taken);
    return taken;
}

void assert_state(store_fixture *f, uint64_t revision, const char *expected)
{
    lw_store_range all = { .revision = revision };
    char *text = range_text(f, &all, NULL);
    assert_string_equal(text, expected);
    lw_free(text);
}

static lw_status ignore_record(const lw_store_record *record, void *arg, lw_error *err)
{
    (void)record;
    (void)arg;
    (void)err;
    return LW_OK;
}

lw_status read_status(store_fixture *f, uint64_t revision)
{
    lw_store_range all = { .revision = revision };
    lw_store_range_result result;
    lw_error err = LW_ERROR_INIT;
    lw_status st = lw_store_read(f->store, &all, ignore_record, NULL, &result, &err);
    assert_int_equal(err.code, st);
    return st;
}

static void recorder_write(recorder *r, const lw_store_event *event)
{
    if (event->is_delete)
        lw_buf_printf(&r->text, "%llu %.*s!\n", (unsigned long long)event->revision,
                      LW_STR_ARG(event->key));
    else
        lw_buf_printf(&r->text, "%llu %.*s=%.*s\n", (unsigned long long)event->revision,
                      LW_STR_ARG(event->key), LW_STR_ARG(event->value));
}

static void recorder_take(recorder *r, const lw_store_event *events, size_t count,
                          uint64_t revision, bool is_quiet)
{
    lw_mutex_lock(&r->mu);
    r->is_disordered = r->is_disordered || r->is_over || revision <= r->revision;
    for (size_t i = 0; i < count; i++) {
        if (events[i].revision <= r->last || events[i].revision <= r->revision ||
            events[i].revision > revision)
            r->is_disordered = true;
        r->last = events[i].revision;
        if (!is_quiet)
            recorder_write(r, &events[i]);
    }
    r->events += count;
    r->revision = revision;
    lw_cond_broadcast(&r->moved);
    lw_mutex_unlock(&r->mu);
}

static void recorder_on_events(const lw_store_event *events, size_t count, uint64_t revision,
                               void *arg)
{
    recorder_take(arg, events, count, revision, false);
}

static void recorder_on_events_quiet(const lw_store_event *events, size_t count, uint64_t revision,
                                     void *arg)
{
    recorder_take(arg, events, count, revision, true);
}

static void recorder_on_compacted(uint64_t revision, void *arg)
{
    recorder *r = arg;
    lw_mutex_lock(&r->mu);
    r->is_disordered = r->is_disordered || r->is_over || revision <= r->compacted;
    r->compacted = revision;
    lw_cond_broadcast(&r->moved);
    lw_mutex_unlock(&r->mu);
}

static void recorder_on_end(const lw_error *err, void *arg)
{
    recorder *r = arg;
    lw_mutex_lock(&r->mu);
    r->is_disordered = r->is_disordered || r->is_over;
    r->is_over = true;
    r->why = err->code;
    lw_cond_broadcast(&r->moved);
    lw_mutex_unlock(&r->mu);
}

static void recorder_begin(recorder *r, store_fixture *f, const char *prefix, uint64_t after,
                           lw_store_sink sink)
{
    *r = (recorder){ .revision = after, .last = after };
    lw_mutex_init(&r->mu);
    lw_cond_init(&r->moved);
    lw_buf_init(&r->text, TEXT_MAX);
    lw_error err = LW_ERROR_INIT;
    sink.on_compacted = recorder_on_compacted;
    sink.on_end = recorder_on_end;
    sink.arg = r;
    if (lw_store_watch_open(f->store, lw_str_of(prefix), after, &sink, &r->watch, &err) < 0)
        fail_msg("cannot watch: %s", err.message);
}

void recorder_open(recorder *r, store_fixture *f, const char *prefix, uint64_t after)
{
    recorder_begin(r, f, prefix, after, (lw_store_sink){ .on_events = recorder_on_events });
}

void recorder_open_quiet(recorder *r, store_fixture *f, const char *prefix, uint64_t after)
{
    recorder_begin(r, f, prefix, after, (lw_store_sink){ .on_events = recorder_on_events_quiet });
}

void recorder_close(recorder *r, store_fixture *f)
{
    if (f->store)
        lw_store_watch_close(f->store, r->watch);
    assert_false(r->is_disordered);
    lw_buf_done(&r->text);
    lw_cond_done(&r->moved);
    lw_mutex_done(&r->mu);
}

void recorder_wait(recorder *r, uint64_t revision)
{
    lw_mutex_lock(&r->mu);
    while (r->revision < revision && !r->is_over)
        lw_cond_wait(&r->moved, &r->mu);
    lw_mutex_unlock(&r->mu);
}

void recorder_wait_compacted(recorder *r, uint64_t revision)
{
    lw_mutex_lock(&r->mu);
    while (r->compacted < revision && !r->is_over)
        lw_cond_wait(&r->moved, &r->mu);
    lw_mutex_unlock(&r->mu);
}

void recorder_wait_over(recorder *r)
{
    lw_mutex_lock(&r->mu);
    while (!r->is_over)
        lw_cond_wait(&r->moved, &r->mu);
    lw_mutex_unlock(&r->mu);
}

void assert_told(recorder *r, uint64_t revision, const char *expected)
{
    recorder_wait(r, revision);
    lw_mutex_lock(&r->mu);
    bool is_same = lw_str_equal(lw_buf_view(&r->text), lw_str_of(expected));
    if (!is_same)
        print_error("received:\n%.*sexpected:\n%s", LW_STR_ARG(lw_buf_view(&r->text)), expected);
    lw_mutex_unlock(&r->mu);
    assert_true(is_same);
}
