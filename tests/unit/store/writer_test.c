/* SPDX-License-Identifier: Apache-2.0 */
/* writer_test.c -- group commit on an engine that fails on demand, and waits on demand. */
#include "store/writer.h"

#include <stdatomic.h>
#include <stdio.h>

#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "unit/test.h"

enum {
    SOME = 5, /* transactions in a batch */
};

/* Keeps nothing; what is asked of it is counted. */
typedef struct fake_engine {
    lw_store_engine engine;
    uint64_t batch; /* current with the batch in */
    int commits;    /* that came */
    int aborts;
    int applied;        /* in this batch */
    int most_applied;   /* in any */
    int rooms;          /* times that room was asked for */
    lw_status at_begin; /* how it fails there, as long as it is set */
    lw_status at_commit;
    bool puts_fail;    /* a batch with a put is not committed: the disk is full */
    bool has_put;      /* this batch */
    int full_for;      /* times that an apply finds no room */
    lw_status at_room; /* how making room fails */
    lw_status at_sweep;
    atomic_int sweeps;

    lw_mutex mu;
    lw_cond changed;
    bool is_gated; /* begin waits */
    bool is_waiting;
} fake_engine;

static fake_engine *fake_of(lw_store_engine *engine)
{
    return (fake_engine *)engine;
}

static lw_status fake_begin(lw_store_engine *engine, lw_error *err)
{
    fake_engine *fake = fake_of(engine);
    lw_mutex_lock(&fake->mu);
    fake->is_waiting = true;
    lw_cond_broadcast(&fake->changed);
    while (fake->is_gated)
        lw_cond_wait(&fake->changed, &fake->mu);
    fake->is_waiting = false;
    lw_mutex_unlock(&fake->mu);
    fake->batch = engine->marks.current;
    fake->applied = 0;
    fake->has_put = false;
    return fake->at_begin < 0 ? lw_error_set(err, fake->at_begin, "cannot begin") : LW_OK;
}

/* Refuses by name. */
static lw_status fake_apply(lw_store_engine *engine, lw_store_txn *txn, uint64_t revision,
                            lw_error *err)
{
    fake_engine *fake = fake_of(engine);
    if (fake->full_for > 0 && fake->applied == 1) {
        fake->full_for--;
        return lw_error_set(err, LW_ERR_LIMIT, "no room");
    }
    fake->applied++;
    if (fake->applied > fake->most_applied)
        fake->most_applied = fake->applied;
    if (lw_str_equal(txn->key, LW_STR("conflict"))) {
        txn->revision = 77;
        return LW_ERR_CONFLICT;
    }
    if (lw_str_equal(txn->key, LW_STR("nomem")))
        return lw_error_nomem(err);
    if (revision != fake->batch + 1)
        return lw_error_set(err, LW_ERR_INTERNAL, "a revision was left out");
    fake->batch = revision;
    fake->has_put = fake->has_put || txn->op == LW_STORE_PUT;
    return LW_OK;
}

static lw_status fake_commit(lw_store_engine *engine, lw_error *err)
{
    fake_engine *fake = fake_of(engine);
    fake->commits++;
    if (fake->at_commit < 0)
        return lw_error_set(err, fake->at_commit, "cannot commit");
    if (fake->puts_fail && fake->has_put)
        return lw_error_set(err, LW_ERR_IO, "the disk is full");
    engine->marks.current = fake->batch;
    return LW_OK;
}

static void fake_abort(lw_store_engine *engine)
{
    fake_of(engine)->aborts++;
}

static lw_status fake_make_room(lw_store_engine *engine, lw_error *err)
{
    fake_engine *fake = fake_of(engine);
    fake->rooms++;
    return fake->at_room < 0 ? lw_error_set(err, fake->at_room, "there is no more") : LW_OK;
}

static lw_status fake_compact(lw_store_engine *engine, uint64_t revision, lw_error *err)
{
    (void)err;
    engine->marks.compacted = revision;
    return LW_OK;
}

static lw_status fake_sweep(lw_store_engine *engine, size_t max, lw_error *err)
{
    (void)max;
    fake_engine *fake = fake_of(engine);
    atomic_fetch_add(&fake->sweeps, 1);
    if (fake->at_sweep < 0)
        return lw_error_set(err, fake->at_sweep, "cannot sweep");
    engine->marks.swept = engine->marks.compacted;
    return LW_OK;
}

static const lw_store_engine_ops fake_ops = {
    .begin = fake_begin,
    .apply = fake_apply,
    .commit = fake_commit,
    .abort = fake_abort,
    .make_room = fake_make_room,
    .compact = fake_compact,
    .sweep = fake_sweep,
};

static const lw_store_ops fake_store_ops = {
    .submit = lw_store_writer_submit,
    .hold = lw_store_writer_hold,
    .watch = lw_store_writer_watch,
    .unwatch = lw_store_writer_unwatch,
    .compact = lw_store_writer_compact,
    .revisions = lw_store_writer_revisions,
};

typedef struct fixture {
    lw_store_writer writer;
    fake_engine fake;
    lw_logger logger;
    char log[1000];
    lw_store_watch *watch;
    uint64_t told; /* the writer's thread; the test looks when nothing is under way */
    size_t events;

    lw_mutex mu;
    lw_cond changed;
    int done;
} fixture;

static void keep_line(lw_log_level level, const char *component, const char *line, void *arg)
{
    (void)component;
    fixture *f = arg;
    size_t len = strlen(f->log);
    (void)snprintf(f->log + len, sizeof(f->log) - len, "%s: %s\n", lw_log_level_name(level), line);
}

static void on_events(const lw_store_event *events, size_t count, uint64_t revision, void *arg)
{
    (void)events;
    fixture *f = arg;
    f->told = revision;
    f->events += count;
}

static int start(fixture *f)
{
    lw_store_writer_options options = { .ops = &fake_store_ops,
                                        .engine = &f->fake.engine,
                                        .logger = &f->logger };
    lw_store_sink sink = { .on_events = on_events, .arg = f };
    if (lw_store_writer_init(&f->writer, &options) < 0 ||
        lw_store_writer_start(&f->writer, NULL) < 0)
        return -1;
    /* From now on: the engine keeps no history to replay. */
    return lw_store_watch_open(&f->writer.store, LW_STR(""), f->fake.engine.marks.current, &sink,
                               &f->watch, NULL);
}

static int setup(void **state)
{
    static fixture f;
    f = (fixture){ .fake = { .engine = { .ops = &fake_ops } } };
    f.logger = (lw_logger){ LW_LOG_DEBUG, keep_line, &f };
    lw_mutex_init(&f.fake.mu);
    lw_cond_init(&f.fake.changed);
    lw_mutex_init(&f.mu);
    lw_cond_init(&f.changed);
    *state = &f;
    return start(&f);
}

static void stop(fixture *f)
{
    lw_store_writer_stop(&f->writer);
    lw_store_writer_done(&f->writer);
}

static int teardown(void **state)
{
    fixture *f = *state;
    stop(f);
    lw_cond_done(&f->changed);
    lw_mutex_done(&f->mu);
    lw_cond_done(&f->fake.changed);
    lw_mutex_done(&f->fake.mu);
    return 0;
}

static void count_done(lw_store_txn *txn)
{
    fixture *f = txn->arg;
    lw_mutex_lock(&f->mu);
    f->done++;
    lw_cond_broadcast(&f->changed);
    lw_mutex_unlock(&f->mu);
}

/* Closes the gate, and has one transaction wait at it. */
static void gate_close(fixture *f, lw_store_txn *first)
{
    lw_mutex_lock(&f->fake.mu);
    f->fake.is_gated = true;
    lw_mutex_unlock(&f->fake.mu);
    *first = (lw_store_txn){ .key = LW_STR("conflict"), .done = count_done, .arg = f };
    assert_int_equal(lw_store_submit(&f->writer.store, first), LW_OK);
    lw_mutex_lock(&f->fake.mu);
    while (!f->fake.is_waiting)
        lw_cond_wait(&f->fake.changed, &f->fake.mu);
    lw_mutex_unlock(&f->fake.mu);
}

static void gate_open(fixture *f)
{
    lw_mutex_lock(&f->fake.mu);
    f->fake.is_gated = false;
    lw_cond_broadcast(&f->fake.changed);
    lw_mutex_unlock(&f->fake.mu);
}

/* Submits transactions with these keys while the gate is closed, so that they are one batch, and
 * waits for them. */
static void run_batch(fixture *f, const char *const *keys, lw_store_txn *txns, int count)
{
    lw_store_txn first;
    gate_close(f, &first);
    for (int i = 0; i < count; i++) {
        txns[i] = (lw_store_txn){ .op = keys[i][0] == '-' ? LW_STORE_DELETE : LW_STORE_PUT,
                                  .key = lw_str_of(keys[i]),
                                  .done = count_done,
                                  .arg = f };
        assert_int_equal(lw_store_submit(&f->writer.store, &txns[i]), LW_OK);
    }
    gate_open(f);
    lw_mutex_lock(&f->mu);
    while (f->done < count + 1)
        lw_cond_wait(&f->changed, &f->mu);
    f->done = 0;
    lw_mutex_unlock(&f->mu);
}

static uint64_t current_revision(fixture *f)
{
    uint64_t current = 0;
    uint64_t compacted = 0;
    lw_store_revisions(&f->writer.store, &current, &compacted);
    return current;
}

static const char *const plain[SOME] = { "a", "b", "c", "d", "e" };

static void what_is_queued_is_committed_as_one(void **state)
{
    fixture *f = *state;
    lw_store_txn txns[SOME];
    run_batch(f, plain, txns, SOME);
    assert_int_equal(f->fake.commits, 1);
    assert_int_equal(f->fake.most_applied, SOME);
    for (uint64_t i = 0; i < SOME; i++) {
        assert_int_equal(txns[i].st, LW_OK);
        assert_int_equal(txns[i].revision, i + 1);
    }
    assert_int_equal(current_revision(f), SOME);
    assert_int_equal(f->told, SOME);
}

static void what_is_refused_does_not_harm_its_batch(void **state)
{
    fixture *f = *state;
    const char *const keys[SOME] = { "a", "conflict", "nomem", "b", "conflict" };
    const lw_status statuses[SOME] = { LW_OK, LW_ERR_CONFLICT, LW_ERR_NOMEM, LW_OK,
                                       LW_ERR_CONFLICT };
    const uint64_t revisions[SOME] = { 1, 77, 0, 2, 77 };
    lw_store_txn txns[SOME];
    run_batch(f, keys, txns, SOME);
    for (int i = 0; i < SOME; i++) {
        assert_int_equal(txns[i].st, statuses[i]);
        assert_int_equal(txns[i].revision, revisions[i]);
    }
    assert_int_equal(txns[2].err.code, LW_ERR_NOMEM);
    assert_int_equal(f->events, 2);
    assert_int_equal(current_revision(f), 2);
}

static void a_batch_without_a_change_is_not_committed(void **state)
{
    fixture *f = *state;
    const char *const keys[] = { "conflict", "nomem" };
    lw_store_txn txns[2];
    run_batch(f, keys, txns, 2);
    assert_int_equal(f->fake.commits, 0);
    assert_int_equal(f->fake.aborts, 2);
    assert_int_equal(current_revision(f), 0);
    assert_int_equal(f->told, 0);
}

static void assert_all_failed(fixture *f, const lw_store_txn *txns, lw_status st,
                              const char *message)
{
    for (int i = 0; i < SOME; i++) {
        assert_int_equal(txns[i].st, st);
        assert_int_equal(txns[i].err.code, st);
        assert_string_equal(txns[i].err.message, message);
    }
    assert_int_equal(current_revision(f), 0);
    assert_int_equal(f->events, 0);
}

static void a_failed_commit_fails_the_whole_batch(void **state)
{
    fixture *f = *state;
    const char *const keys[SOME] = { "a", "conflict", "nomem", "b", "c" };
    lw_store_txn txns[SOME];
    f->fake.at_commit = LW_ERR_IO;
    run_batch(f, keys, txns, SOME);
    assert_all_failed(f, txns, LW_ERR_IO, "cannot commit");
    f->fake.at_commit = LW_OK;
    run_batch(f, plain, txns, SOME);
    assert_int_equal(txns[0].revision, 1);
    assert_int_equal(f->events, SOME);
}

static void a_batch_that_cannot_begin_fails(void **state)
{
    fixture *f = *state;
    lw_store_txn txns[SOME];
    f->fake.at_begin = LW_ERR_UNAVAILABLE;
    run_batch(f, plain, txns, SOME);
    assert_all_failed(f, txns, LW_ERR_UNAVAILABLE, "cannot begin");
    assert_int_equal(f->fake.commits, 0);
}

static void failing_is_logged_once_and_so_is_its_end(void **state)
{
    fixture *f = *state;
    lw_store_txn txns[SOME];
    f->fake.at_commit = LW_ERR_IO;
    for (int i = 0; i < 3; i++)
        run_batch(f, plain, txns, 1);
    f->fake.at_commit = LW_OK;
    for (int i = 0; i < 3; i++)
        run_batch(f, plain, txns, 1);
    /* Transactions that are refused came in between, and were not taken for its end. */
    assert_string_equal(f->log,
                        "error: writes are failing: cannot commit\ninfo: writes succeed again\n");
}

static void when_puts_do_not_fit_the_deletes_of_their_batch_are_made(void **state)
{
    fixture *f = *state;
    const char *const keys[] = { "a", "-b", "c", "-d" };
    lw_store_txn txns[4];
    f->fake.puts_fail = true;
    run_batch(f, keys, txns, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(txns[i].st, keys[i][0] == '-' ? LW_OK : LW_ERR_IO);
    assert_string_equal(txns[0].err.message, "the disk is full");
    assert_int_equal(txns[1].revision, 1);
    assert_int_equal(txns[3].revision, 2);
    assert_int_equal(f->events, 2);
    assert_int_equal(current_revision(f), 2);
}

static void its_condition_tells_whether_commits_fail(void **state)
{
    fixture *f = *state;
    lw_store_txn txns[SOME];
    lw_store_condition condition;
    lw_store_writer_condition(&f->writer.store, &condition);
    assert_false(condition.is_failing);
    f->fake.at_commit = LW_ERR_IO;
    run_batch(f, plain, txns, 1);
    lw_store_writer_condition(&f->writer.store, &condition);
    assert_true(condition.is_failing);
    assert_string_equal(condition.why, "cannot commit");
    f->fake.at_commit = LW_OK;
    run_batch(f, plain, txns, 1);
    lw_store_writer_condition(&f->writer.store, &condition);
    assert_false(condition.is_failing);
    assert_string_equal(condition.why, "");
}

static void a_batch_that_finds_no_room_is_tried_again(void **state)
{
    fixture *f = *state;
    lw_store_txn txns[SOME];
    f->fake.full_for = 2;
    run_batch(f, plain, txns, SOME);
    assert_int_equal(f->fake.rooms, 2);
    for (uint64_t i = 0; i < SOME; i++)
        assert_int_equal(txns[i].revision, i + 1);
    assert_int_equal(f->events, SOME);
}

static void when_there_is_no_more_room_the_batch_fails(void **state)
{
    fixture *f = *state;
    lw_store_txn txns[SOME];
    f->fake.full_for = 1;
    f->fake.at_room = LW_ERR_IO;
    run_batch(f, plain, txns, SOME);
    assert_all_failed(f, txns, LW_ERR_IO, "there is no more");
}

static void batches_are_bounded(void **state)
{
    fixture *f = *state;
    enum {
        MANY = 3 * LW_STORE_BATCH_MAX,
    };
    static lw_store_txn txns[MANY];
    static const char *keys[MANY];
    for (int i = 0; i < MANY; i++)
        keys[i] = "k";
    run_batch(f, keys, txns, MANY);
    assert_int_equal(f->fake.most_applied, LW_STORE_BATCH_MAX);
    assert_int_equal(f->fake.commits, 3);
    assert_int_equal(f->events, MANY);
}

static void wait_for(fixture *f, int count)
{
    lw_mutex_lock(&f->mu);
    while (f->done < count)
        lw_cond_wait(&f->changed, &f->mu);
    lw_mutex_unlock(&f->mu);
}

static void what_is_submitted_while_the_store_is_held_is_committed_as_one(void **state)
{
    fixture *f = *state;
    lw_store_txn txns[SOME];
    lw_store_hold(&f->writer.store, true);
    for (int i = 0; i < SOME; i++) {
        txns[i] = (lw_store_txn){
            .op = LW_STORE_PUT, .key = lw_str_of(plain[i]), .done = count_done, .arg = f
        };
        assert_int_equal(lw_store_submit(&f->writer.store, &txns[i]), LW_OK);
    }
    lw_store_hold(&f->writer.store, false);
    wait_for(f, SOME);
    assert_int_equal(f->fake.commits, 1);
    assert_int_equal(f->fake.most_applied, SOME);
}

static void a_held_store_commits_when_a_commit_is_full(void **state)
{
    fixture *f = *state;
    static lw_store_txn txns[LW_STORE_BATCH_MAX];
    lw_store_hold(&f->writer.store, true);
    for (int i = 0; i < LW_STORE_BATCH_MAX; i++) {
        txns[i] =
            (lw_store_txn){ .op = LW_STORE_PUT, .key = LW_STR("k"), .done = count_done, .arg = f };
        assert_int_equal(lw_store_submit(&f->writer.store, &txns[i]), LW_OK);
    }
    wait_for(f, LW_STORE_BATCH_MAX);
    assert_int_equal(f->fake.commits, 1);
    lw_store_hold(&f->writer.store, false);
}

static void a_held_store_commits_what_waits_before_it_stops(void **state)
{
    fixture *f = *state;
    lw_store_txn txn = { .op = LW_STORE_PUT, .key = LW_STR("a"), .done = count_done, .arg = f };
    lw_store_hold(&f->writer.store, true);
    assert_int_equal(lw_store_submit(&f->writer.store, &txn), LW_OK);
    stop(f);
    assert_int_equal(f->done, 1);
    assert_int_equal(txn.st, LW_OK);
    assert_int_equal(start(f), LW_OK); /* for the teardown */
}

static void sweeping_that_fails_waits_and_harms_nobody(void **state)
{
    fixture *f = *state;
    lw_store_txn txns[SOME];
    run_batch(f, plain, txns, SOME);
    f->fake.at_sweep = LW_ERR_IO;
    assert_int_equal(lw_store_compact(&f->writer.store, 3, NULL), LW_OK);
    run_batch(f, plain, txns, SOME);
    run_batch(f, plain, txns, SOME);
    assert_int_equal(txns[0].st, LW_OK);
    assert_int_equal(atomic_load(&f->fake.sweeps), 1);
    assert_string_equal(f->log, "warn: cannot compact the history, will retry: cannot sweep\n");
}

#define WRITER_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WRITER_TEST(what_is_queued_is_committed_as_one),
        WRITER_TEST(what_is_refused_does_not_harm_its_batch),
        WRITER_TEST(a_batch_without_a_change_is_not_committed),
        WRITER_TEST(a_failed_commit_fails_the_whole_batch),
        WRITER_TEST(a_batch_that_cannot_begin_fails),
        WRITER_TEST(failing_is_logged_once_and_so_is_its_end),
        WRITER_TEST(when_puts_do_not_fit_the_deletes_of_their_batch_are_made),
        WRITER_TEST(its_condition_tells_whether_commits_fail),
        WRITER_TEST(a_batch_that_finds_no_room_is_tried_again),
        WRITER_TEST(when_there_is_no_more_room_the_batch_fails),
        WRITER_TEST(batches_are_bounded),
        WRITER_TEST(what_is_submitted_while_the_store_is_held_is_committed_as_one),
        WRITER_TEST(a_held_store_commits_when_a_commit_is_full),
        WRITER_TEST(a_held_store_commits_what_waits_before_it_stops),
        WRITER_TEST(sweeping_that_fails_waits_and_harms_nobody),
    };
    return cmocka_run_group_tests_name("writer", tests, NULL, NULL);
}
