/* SPDX-License-Identifier: Apache-2.0 */
/* store_suite_write.c -- transactions: guards, revisions, limits, the queue. */
#include <stdatomic.h>
#include <stdio.h>

#include "base/alloc.h"
#include "suite/store_suite_parts.h"

static void a_new_store_is_empty_at_revision_0(void **state)
{
    store_fixture *f = *state;
    assert_int_equal(current_revision(f), 0);
    assert_int_equal(compacted_revision(f), 0);
    assert_state(f, 0, "");
}

static void every_change_takes_the_next_revision(void **state)
{
    store_fixture *f = *state;
    for (uint64_t i = 1; i <= 5; i++) {
        assert_int_equal(put(f, "/a", "x"), i);
        assert_int_equal(current_revision(f), i);
    }
    assert_int_equal(del(f, "/a"), 6);
    assert_int_equal(current_revision(f), 6);
}

static void creates_only_absent_keys(void **state)
{
    store_fixture *f = *state;
    assert_int_equal(try_put(f, "/a", "1", 0).st, LW_OK);
    answer again = try_put(f, "/a", "2", 0);
    assert_int_equal(again.st, LW_ERR_CONFLICT);
    assert_int_equal(again.revision, 1);
    assert_state(f, 0, "/a=1@1/1");
}

static void updates_only_at_the_expected_revision(void **state)
{
    store_fixture *f = *state;
    put(f, "/a", "1");
    assert_int_equal(try_put(f, "/a", "2", 1).revision, 2);
    answer stale = try_put(f, "/a", "3", 1);
    assert_int_equal(stale.st, LW_ERR_CONFLICT);
    assert_int_equal(stale.revision, 2);
    answer future = try_put(f, "/a", "3", 3);
    assert_int_equal(future.st, LW_ERR_CONFLICT);
    answer absent = try_put(f, "/b", "3", 2);
    assert_int_equal(absent.st, LW_ERR_CONFLICT);
    assert_int_equal(absent.revision, 0);
    assert_state(f, 0, "/a=2@1/2");
}

static void deletes_only_at_the_expected_revision(void **state)
{
    store_fixture *f = *state;
    put(f, "/a", "1");
    answer stale = try_delete(f, "/a", 7);
    assert_int_equal(stale.st, LW_ERR_CONFLICT);
    assert_int_equal(stale.revision, 1);
    assert_int_equal(try_delete(f, "/a", 1).revision, 2);
    answer gone = try_delete(f, "/a", 1);
    assert_int_equal(gone.st, LW_ERR_CONFLICT);
    assert_int_equal(gone.revision, 0);
    assert_state(f, 0, "");
}

static void an_absent_key_cannot_be_deleted(void **state)
{
    store_fixture *f = *state;
    answer a = try_delete(f, "/a", 0);
    assert_int_equal(a.st, LW_ERR_CONFLICT);
    assert_int_equal(a.revision, 0);
    assert_int_equal(current_revision(f), 0);
}

static void a_refused_change_takes_no_revision(void **state)
{
    store_fixture *f = *state;
    put(f, "/a", "1");
    for (int i = 0; i < 5; i++)
        assert_int_equal(try_put(f, "/a", "2", 0).st, LW_ERR_CONFLICT);
    assert_int_equal(current_revision(f), 1);
    assert_int_equal(put(f, "/b", "1"), 2);
}

static void a_recreated_key_has_a_new_create_revision(void **state)
{
    store_fixture *f = *state;
    put(f, "/a", "1");
    put(f, "/a", "2");
    del(f, "/a");
    assert_int_equal(try_put(f, "/a", "3", 2).st, LW_ERR_CONFLICT);
    assert_int_equal(try_put(f, "/a", "3", 3).st, LW_ERR_CONFLICT);
    assert_int_equal(try_put(f, "/a", "3", 0).revision, 4);
    put(f, "/a", "4");
    assert_state(f, 0, "/a=4@4/5");
    assert_state(f, 4, "/a=3@4/4");
    assert_state(f, 3, "");
    assert_state(f, 2, "/a=2@1/2");
    assert_state(f, 1, "/a=1@1/1");
}

static void an_empty_value_is_a_value(void **state)
{
    store_fixture *f = *state;
    assert_int_equal(try_put(f, "/a", "", 0).revision, 1);
    assert_state(f, 0, "/a=@1/1");
    assert_int_equal(try_put(f, "/a", "", 0).st, LW_ERR_CONFLICT);
}

static void keys_and_values_may_hold_any_byte(void **state)
{
    store_fixture *f = *state;
    lw_store_txn txn = { .op = LW_STORE_PUT, .key = LW_STR("\0\xff\0k"), .value = LW_STR("\0v\0") };
    assert_int_equal(lw_store_commit(f->store, &txn), LW_OK);
    lw_buf value;
    lw_buf_init(&value, 100);
    assert_int_equal(lw_store_get(f->store, txn.key, 0, &value, NULL, NULL), LW_OK);
    assert_true(lw_str_equal(lw_buf_view(&value), txn.value));
    lw_buf_done(&value);
}

static lw_status put_sized(store_fixture *f, size_t key_len, size_t value_len)
{
    char *bytes = lw_alloc(LW_STORE_VALUE_MAX + 1);
    assert_non_null(bytes);
    memset(bytes, 'x', LW_STORE_VALUE_MAX + 1);
    lw_store_txn txn = { .op = LW_STORE_PUT,
                         .key = { bytes, key_len },
                         .value = { bytes, value_len } };
    lw_status st = lw_store_commit(f->store, &txn);
    if (st == LW_OK) {
        lw_buf value;
        lw_buf_init(&value, LW_STORE_VALUE_MAX);
        assert_int_equal(lw_store_get(f->store, txn.key, 0, &value, NULL, NULL), LW_OK);
        assert_int_equal(value.len, value_len);
        assert_true(value_len == 0 || memcmp(value.data, bytes, value_len) == 0);
        lw_buf_done(&value);
    }
    lw_free(bytes);
    return st;
}

static void takes_the_longest_key_and_no_longer(void **state)
{
    store_fixture *f = *state;
    assert_int_equal(put_sized(f, LW_STORE_KEY_MAX, 1), LW_OK);
    assert_int_equal(put_sized(f, LW_STORE_KEY_MAX + 1, 1), LW_ERR_LIMIT);
    assert_int_equal(put_sized(f, 0, 1), LW_ERR_LIMIT);
    assert_int_equal(current_revision(f), 1);
}

static void takes_the_largest_value_and_no_larger(void **state)
{
    store_fixture *f = *state;
    assert_int_equal(put_sized(f, 1, LW_STORE_VALUE_MAX), LW_OK);
    assert_int_equal(put_sized(f, 2, LW_STORE_VALUE_MAX + 1), LW_ERR_LIMIT);
    for (size_t len = 1000; len < 20000; len += 997)
        assert_int_equal(put_sized(f, len / 100 + 2, len), LW_OK);
}

/* Blocks the store's thread in a callback until it is released. */
typedef struct gate {
    lw_store_watch *watch;
    lw_mutex mu;
    lw_cond changed;
    bool is_inside;
    bool is_open;
} gate;

static void gate_on_events(const lw_store_event *events, size_t count, uint64_t revision, void *arg)
{
    (void)events;
    (void)count;
    (void)revision;
    gate *g = arg;
    lw_mutex_lock(&g->mu);
    g->is_inside = true;
    lw_cond_broadcast(&g->changed);
    while (!g->is_open)
        lw_cond_wait(&g->changed, &g->mu);
    lw_mutex_unlock(&g->mu);
}

static void ignore_done(lw_store_txn *txn)
{
    (void)txn;
}

/* Closes the gate with a change of "/gate", whose transaction is |first|. */
static void gate_close(gate *g, store_fixture *f, lw_store_txn *first)
{
    *g = (gate){ .is_open = false };
    lw_mutex_init(&g->mu);
    lw_cond_init(&g->changed);
    lw_store_sink sink = { .on_events = gate_on_events, .arg = g };
    assert_int_equal(lw_store_watch_open(f->store, LW_STR(""), current_revision(f), &sink,
                                         &g->watch, NULL),
                     LW_OK);
    *first = (lw_store_txn){ .op = LW_STORE_PUT, .key = LW_STR("/gate"), .done = ignore_done };
    assert_int_equal(lw_store_submit(f->store, first), LW_OK);
    lw_mutex_lock(&g->mu);
    while (!g->is_inside)
        lw_cond_wait(&g->changed, &g->mu);
    lw_mutex_unlock(&g->mu);
}

static void gate_let_go(gate *g)
{
    lw_mutex_lock(&g->mu);
    g->is_open = true;
    lw_cond_broadcast(&g->changed);
    lw_mutex_unlock(&g->mu);
}

static void gate_remove(gate *g, store_fixture *f)
{
    lw_store_watch_close(f->store, g->watch);
    lw_cond_done(&g->changed);
    lw_mutex_done(&g->mu);
}

/* Transactions in one batch. */
typedef struct bulk {
    lw_mutex mu;
    lw_cond changed;
    size_t done;
    size_t failed;
} bulk;

static void bulk_done(lw_store_txn *txn)
{
    bulk *b = txn->arg;
    lw_mutex_lock(&b->mu);
    b->done++;
    b->failed += txn->st != LW_OK;
    lw_cond_broadcast(&b->changed);
    lw_mutex_unlock(&b->mu);
}

static void bulk_init(bulk *b)
{
    *b = (bulk){ .done = 0 };
    lw_mutex_init(&b->mu);
    lw_cond_init(&b->changed);
}

static void bulk_finish(bulk *b, size_t count)
{
    lw_mutex_lock(&b->mu);
    while (b->done < count)
        lw_cond_wait(&b->changed, &b->mu);
    lw_mutex_unlock(&b->mu);
    lw_cond_done(&b->changed);
    lw_mutex_done(&b->mu);
}

static void changes_committed_together_see_each_other(void **state)
{
    store_fixture *f = *state;
    gate g;
    lw_store_txn first;
    gate_close(&g, f, &first);
    bulk b;
    bulk_init(&b);
    lw_store_txn txns[] = {
        { .op = LW_STORE_PUT, .key = LW_STR("/a"), .value = LW_STR("1") },
        { .op = LW_STORE_PUT, .key = LW_STR("/a"), .value = LW_STR("2") },
        { .op = LW_STORE_PUT, .key = LW_STR("/a"), .value = LW_STR("3"), .expected = 2 },
        { .op = LW_STORE_DELETE, .key = LW_STR("/a"), .expected = 3 },
        { .op = LW_STORE_PUT, .key = LW_STR("/a"), .value = LW_STR("4"), .expected = 3 },
        { .op = LW_STORE_PUT, .key = LW_STR("/a"), .value = LW_STR("5") },
    };
    const lw_status statuses[] = { LW_OK, LW_ERR_CONFLICT, LW_OK, LW_OK, LW_ERR_CONFLICT, LW_OK };
    const uint64_t revisions[] = { 2, 2, 3, 4, 0, 5 };
    for (size_t i = 0; i < 6; i++) {
        txns[i].done = bulk_done;
        txns[i].arg = &b;
        assert_int_equal(lw_store_submit(f->store, &txns[i]), LW_OK);
    }
    gate_let_go(&g);
    bulk_finish(&b, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(txns[i].st, statuses[i]);
        assert_int_equal(txns[i].revision, revisions[i]);
    }
    assert_int_equal(current_revision(f), 5);
    gate_remove(&g, f);
    assert_state(f, 0, "/a=5@5/5 /gate=@1/1");
    assert_state(f, 3, "/a=3@2/3 /gate=@1/1");
}

static void a_full_queue_rejects_and_accepted_transactions_complete(void **state)
{
    store_fixture *f = *state;
    gate g;
    lw_store_txn first;
    gate_close(&g, f, &first);
    bulk b;
    bulk_init(&b);
    lw_store_txn *txns = lw_alloc_zero(LW_STORE_QUEUE_MAX + 1, sizeof(*txns));
    assert_non_null(txns);
    for (size_t i = 0; i <= LW_STORE_QUEUE_MAX; i++) {
        /* All but the first are rejected later: this tests the queue, not the disk. */
        txns[i] =
            (lw_store_txn){ .op = LW_STORE_PUT, .key = LW_STR("/a"), .done = bulk_done, .arg = &b };
        lw_status st = lw_store_submit(f->store, &txns[i]);
        assert_int_equal(st, i < LW_STORE_QUEUE_MAX ? LW_OK : LW_ERR_TOO_MANY);
    }
    gate_let_go(&g);
    bulk_finish(&b, LW_STORE_QUEUE_MAX);
    assert_int_equal(b.done, LW_STORE_QUEUE_MAX);
    assert_int_equal(b.failed, LW_STORE_QUEUE_MAX - 1);
    assert_int_equal(put(f, "/b", "1"), 3);
    gate_remove(&g, f);
    lw_free(txns);
}

static void the_queue_is_bounded_in_bytes_too(void **state)
{
    store_fixture *f = *state;
    enum {
        VALUE = 4 << 20,
        FITTING = LW_STORE_QUEUE_BYTES / VALUE - 1, /* keys take space too */
    };
    gate g;
    lw_store_txn first;
    gate_close(&g, f, &first);
    bulk b;
    bulk_init(&b);
    char *bytes = lw_alloc_zero(1, VALUE);
    assert_non_null(bytes);
    lw_store_txn txns[FITTING + 1];
    for (size_t i = 0; i <= FITTING; i++) {
        txns[i] = (lw_store_txn){ .op = LW_STORE_PUT,
                                  .key = LW_STR("/a"),
                                  .value = { bytes, VALUE },
                                  .done = bulk_done,
                                  .arg = &b };
        lw_status st = lw_store_submit(f->store, &txns[i]);
        assert_int_equal(st, i < FITTING ? LW_OK : LW_ERR_TOO_MANY);
    }
    gate_let_go(&g);
    bulk_finish(&b, FITTING);
    assert_int_equal(b.failed, FITTING - 1);
    gate_remove(&g, f);
    lw_free(bytes);
}

/* A chain: each done callback submits the next transaction. */
typedef struct chain {
    lw_store *store;
    bulk b;
    lw_store_txn txn;
    int left;
    bool is_refused;
} chain;

static void chain_done(lw_store_txn *txn)
{
    chain *c = txn->arg;
    if (txn->st == LW_OK && --c->left > 0) {
        lw_store_txn next = { .op = LW_STORE_PUT,
                              .key = LW_STR("/chain"),
                              .expected = txn->revision,
                              .done = chain_done,
                              .arg = c };
        *txn = next;
        c->is_refused = lw_store_submit(c->store, txn) != LW_OK;
        if (!c->is_refused)
            return;
    }
    txn->arg = &c->b;
    bulk_done(txn);
}

static void a_done_callback_may_submit_the_next(void **state)
{
    store_fixture *f = *state;
    chain c = { .store = f->store, .left = 50 };
    bulk_init(&c.b);
    c.txn = (lw_store_txn){
        .op = LW_STORE_PUT, .key = LW_STR("/chain"), .done = chain_done, .arg = &c
    };
    assert_int_equal(lw_store_submit(f->store, &c.txn), LW_OK);
    bulk_finish(&c.b, 1);
    assert_false(c.is_refused);
    assert_int_equal(c.left, 0);
    assert_int_equal(current_revision(f), 50);
}

static void closing_completes_submitted_transactions(void **state)
{
    store_fixture *f = *state;
    enum {
        COUNT = 2000,
    };
    bulk b;
    bulk_init(&b);
    lw_store_txn *txns = lw_alloc_zero(COUNT, sizeof(*txns));
    char(*keys)[16] = lw_alloc_zero(COUNT, sizeof(*keys));
    assert_true(txns && keys);
    for (int i = 0; i < COUNT; i++) {
        (void)snprintf(keys[i], sizeof(keys[i]), "/%d", i);
        txns[i] = (lw_store_txn){
            .op = LW_STORE_PUT, .key = lw_str_of(keys[i]), .done = bulk_done, .arg = &b
        };
        assert_int_equal(lw_store_submit(f->store, &txns[i]), LW_OK);
    }
    store_fixture_close(f);
    assert_int_equal(b.done, COUNT);
    assert_int_equal(b.failed, 0);
    bulk_finish(&b, COUNT);
    lw_free(keys);
    lw_free(txns);
}

/* What a watch had received when a transaction was done. */
typedef struct order {
    atomic_uint_fast64_t told;
    uint64_t told_when_done;
    void *attachment;
    bulk b;
} order;

static void order_on_events(const lw_store_event *events, size_t count, uint64_t revision,
                            void *arg)
{
    order *o = arg;
    if (count > 0)
        o->attachment = events[count - 1].attachment;
    atomic_store(&o->told, revision);
}

static void order_done(lw_store_txn *txn)
{
    order *o = txn->arg;
    o->told_when_done = atomic_load(&o->told);
    txn->arg = &o->b;
    bulk_done(txn);
}

static void watches_are_notified_before_the_transaction_is_done(void **state)
{
    store_fixture *f = *state;
    for (uint64_t i = 1; i <= 20; i++) {
        order o = { .told_when_done = 0 };
        bulk_init(&o.b);
        lw_store_sink sink = { .on_events = order_on_events, .arg = &o };
        lw_store_watch *watch = NULL;
        assert_int_equal(lw_store_watch_open(f->store, LW_STR("/"), i - 1, &sink, &watch, NULL),
                         LW_OK);
        lw_store_txn txn = { .op = LW_STORE_PUT,
                             .key = LW_STR("/a"),
                             .expected = i - 1,
                             .attachment = &o,
                             .done = order_done,
                             .arg = &o };
        assert_int_equal(lw_store_submit(f->store, &txn), LW_OK);
        bulk_finish(&o.b, 1);
        assert_int_equal(txn.st, LW_OK);
        assert_int_equal(o.told_when_done, i);
        assert_ptr_equal(o.attachment, &o);
        lw_store_watch_close(f->store, watch);
    }
}

void store_suite_write(store_tests *table)
{
    const struct CMUnitTest own[] = {
        STORE_TEST(a_new_store_is_empty_at_revision_0),
        STORE_TEST(every_change_takes_the_next_revision),
        STORE_TEST(creates_only_absent_keys),
        STORE_TEST(updates_only_at_the_expected_revision),
        STORE_TEST(deletes_only_at_the_expected_revision),
        STORE_TEST(an_absent_key_cannot_be_deleted),
        STORE_TEST(a_refused_change_takes_no_revision),
        STORE_TEST(a_recreated_key_has_a_new_create_revision),
        STORE_TEST(an_empty_value_is_a_value),
        STORE_TEST(keys_and_values_may_hold_any_byte),
        STORE_TEST(takes_the_longest_key_and_no_longer),
        STORE_TEST(takes_the_largest_value_and_no_larger),
        STORE_TEST(changes_committed_together_see_each_other),
        STORE_TEST(a_full_queue_rejects_and_accepted_transactions_complete),
        STORE_TEST(the_queue_is_bounded_in_bytes_too),
        STORE_TEST(a_done_callback_may_submit_the_next),
        STORE_TEST(closing_completes_submitted_transactions),
        STORE_TEST(watches_are_notified_before_the_transaction_is_done),
    };
    STORE_TESTS_ADD(table, own);
}
