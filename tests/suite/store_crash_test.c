/* SPDX-License-Identifier: Apache-2.0 */
/* store_crash_test.c -- kills a process repeatedly while it writes: all acknowledged writes are
 * present, no write is partial, and revisions never decrease.
 *
 * The child reports each acknowledgement on a pipe from the callback.  The parent reads a random
 * number of reports, kills the child, reads the rest, and opens the store itself. */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/random.h"
#include "base/str.h"
#include "base/sync.h"
#include "store/lmdb/lmdb.h"
#include "suite/store_place.h"

enum {
    ROUNDS = 60,
    KEYS = 24,         /* each key has one open transaction, so as many are concurrent */
    DELETED_FROM = 16, /* keys from here on are deleted on every third turn */
    VALUE_MAX = 9000,
    HEARD_MAX = 400, /* reports read before the kill */
    HISTORY = 300000 /* bytes; small enough for compaction and sweeping */
};

/* A report of the child: this change was acknowledged. */
typedef struct report {
    uint32_t key;
    uint32_t turn;
    uint64_t revision;
} report;

/* --- the child --- */

typedef struct worker {
    lw_store *store;
    int pipe;
    uint32_t key;
    uint32_t turn;
    uint64_t expected;
    lw_store_txn txn;
    char name[16];
    char value[VALUE_MAX];
} worker;

static size_t value_len(uint32_t key, uint32_t turn)
{
    return 8 + (key * 7919 + turn * 104729) % (VALUE_MAX - 8);
}

static bool is_delete_turn(uint32_t key, uint32_t turn)
{
    return key >= DELETED_FROM && turn % 3 == 2;
}

/* Writes the turn, and a byte derived from key and turn for the rest. */
static void value_fill(char *value, size_t len, uint32_t key, uint32_t turn)
{
    memset(value, (int)((key * 31 + turn) % 251), len);
    memcpy(value, &turn, sizeof(turn));
}

static void worker_done(lw_store_txn *txn);

static void worker_submit(worker *w)
{
    w->txn = (lw_store_txn){ .op = is_delete_turn(w->key, w->turn) ? LW_STORE_DELETE : LW_STORE_PUT,
                             .key = lw_str_of(w->name),
                             .expected = w->expected,
                             .done = worker_done,
                             .arg = w };
    if (w->txn.op == LW_STORE_PUT) {
        size_t len = value_len(w->key, w->turn);
        value_fill(w->value, len, w->key, w->turn);
        w->txn.value = lw_str_make(w->value, len);
    }
    if (lw_store_submit(w->store, &w->txn) != LW_OK)
        _exit(3);
}

static void worker_done(lw_store_txn *txn)
{
    worker *w = txn->arg;
    report r = { w->key, w->turn, txn->revision };
    if (txn->st != LW_OK || write(w->pipe, &r, sizeof(r)) != (ssize_t)sizeof(r))
        _exit(4);
    w->expected = txn->op == LW_STORE_DELETE ? 0 : txn->revision;
    w->turn++;
    worker_submit(w);
}

/* The state of each key, as the last process left it. */
typedef struct standing {
    uint64_t revision[KEYS]; /* 0: absent */
    uint32_t turn[KEYS];     /* of the value, or the highest acknowledged one */
} standing;

static void child_run(const char *folder, const standing *from, int out)
{
    static worker workers[KEYS];
    lw_store *store = NULL;
    lw_lmdb_store_options options = { .folder = folder, .history = { .max_bytes = HISTORY } };
    if (lw_lmdb_store_open(&store, &options, NULL) < 0)
        _exit(2);
    for (uint32_t i = 0; i < KEYS; i++) {
        worker *w = &workers[i];
        *w = (worker){ .store = store, .pipe = out, .key = i };
        (void)snprintf(w->name, sizeof(w->name), "/k/%02u", i);
        w->expected = from->revision[i];
        w->turn = from->turn[i] + 1;
        if (w->expected == 0 && is_delete_turn(i, w->turn))
            w->turn++;
        worker_submit(w);
    }
    for (;;)
        (void)pause(); /* until it is killed */
}

/* --- the parent --- */

/* Reads one report; false at the end. */
static bool hear(int in, report *r)
{
    size_t got = 0;
    while (got < sizeof(*r)) {
        ssize_t n = read(in, (char *)r + got, sizeof(*r) - got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        got += (size_t)n;
    }
    return true;
}

static void take_report(standing *acknowledged, const report *r, uint64_t *highest)
{
    assert_true(r->key < KEYS);
    acknowledged->turn[r->key] = r->turn;
    acknowledged->revision[r->key] = r->revision;
    if (r->revision > *highest)
        *highest = r->revision;
}

static lw_status see_record(const lw_store_record *record, void *arg, lw_error *err)
{
    (void)err;
    standing *found = arg;
    uint64_t key = KEYS;
    uint32_t turn = 0;
    char expected[VALUE_MAX];
    if (!lw_str_to_uint64(lw_str_skip(record->key, 3), &key) || key >= KEYS ||
        record->value.len < 8)
        return LW_ERR_INVALID;
    memcpy(&turn, record->value.ptr, sizeof(turn));
    size_t len = value_len((uint32_t)key, turn);
    value_fill(expected, len, (uint32_t)key, turn);
    if (!lw_str_equal(record->value, lw_str_make(expected, len)))
        return LW_ERR_INVALID;
    found->turn[key] = turn;
    found->revision[key] = record->mod_revision;
    return LW_OK;
}

/* The last changes in the log. */
typedef struct replayed {
    lw_mutex mu;
    lw_cond moved;
    uint64_t revision;
    uint64_t events;
    lw_status why; /* LW_OK: not ended */
} replayed;

static void on_events(const lw_store_event *events, size_t count, uint64_t revision, void *arg)
{
    (void)events;
    replayed *r = arg;
    lw_mutex_lock(&r->mu);
    r->events += count;
    r->revision = revision;
    lw_cond_signal(&r->moved);
    lw_mutex_unlock(&r->mu);
}

static void on_end(const lw_error *err, void *arg)
{
    replayed *r = arg;
    lw_mutex_lock(&r->mu);
    r->why = err->code;
    lw_cond_signal(&r->moved);
    lw_mutex_unlock(&r->mu);
}

/* Reads the retained history. */
static lw_status follow_log(lw_store *store, replayed *r)
{
    uint64_t current = 0;
    uint64_t compacted = 0;
    lw_store_revisions(store, &current, &compacted);
    lw_store_sink sink = { .on_events = on_events, .on_end = on_end, .arg = r };
    lw_store_watch *watch = NULL;
    *r = (replayed){ .revision = compacted };
    lw_mutex_init(&r->mu);
    lw_cond_init(&r->moved);
    lw_status st = lw_store_watch_open(store, LW_STR(""), compacted, &sink, &watch, NULL);
    lw_mutex_lock(&r->mu);
    while (st == LW_OK && r->why == LW_OK && r->revision < current)
        lw_cond_wait(&r->moved, &r->mu);
    if (st == LW_OK)
        st = r->why;
    lw_mutex_unlock(&r->mu);
    lw_store_watch_close(store, watch);
    if (st == LW_OK)
        assert_int_equal(r->events, current - compacted);
    lw_cond_done(&r->moved);
    lw_mutex_done(&r->mu);
    return st;
}

/* Checks that the history has no gap.  Opening the store compacted what the crash left in
 * excess. */
static void assert_log_is_whole(lw_store *store)
{
    replayed r;
    assert_int_equal(follow_log(store, &r), LW_OK);
}

static uint64_t assert_store_is_right(const char *folder, standing *known, uint64_t highest)
{
    lw_store *store = NULL;
    lw_error err = LW_ERROR_INIT;
    lw_lmdb_store_options options = { .folder = folder, .history = { .max_bytes = HISTORY } };
    if (lw_lmdb_store_open(&store, &options, &err) < 0)
        fail_msg("cannot open after a crash: %s", err.message);
    uint64_t current = 0;
    uint64_t compacted = 0;
    lw_store_revisions(store, &current, &compacted);
    assert_true(current >= highest);
    standing found = { .turn = { 0 } };
    lw_store_range all = { .limit = 0 };
    lw_store_range_result result;
    if (lw_store_read(store, &all, see_record, &found, &result, &err) < 0)
        fail_msg("cannot read after a crash: %s", err.message);
    assert_int_equal(result.revision, current);
    for (uint32_t i = 0; i < KEYS; i++) {
        /* At most one change per key was open, and may be present without being acknowledged. */
        if (found.revision[i] > 0)
            assert_in_range(found.turn[i], known->turn[i], known->turn[i] + 2);
        else /* deleted by the acknowledged change or by an open one; or never written */
            assert_true(known->revision[i] == 0 || i >= DELETED_FROM);
        if (found.revision[i] > 0 && found.turn[i] == known->turn[i])
            assert_int_equal(found.revision[i], known->revision[i]);
        else if (found.revision[i] > 0)
            assert_true(found.revision[i] > known->revision[i]);
        if (found.turn[i] > known->turn[i])
            known->turn[i] = found.turn[i];
        known->revision[i] = found.revision[i];
    }
    assert_log_is_whole(store);
    lw_store_free(store);
    return current;
}

static void run_and_kill(const char *folder, standing *known, uint64_t *highest, size_t heard_most)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)close(ends[0]);
        child_run(folder, known, ends[1]);
    }
    (void)close(ends[1]);
    report r;
    size_t heard = 0;
    for (; heard < heard_most && hear(ends[0], &r); heard++)
        take_report(known, &r, highest);
    assert_int_equal(kill(child, SIGKILL), 0);
    while (hear(ends[0], &r))
        take_report(known, &r, highest);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_int_equal(heard, heard_most);
    (void)close(ends[0]);
}

static void acknowledged_writes_survive_a_kill(void **state)
{
    (void)state;
    store_place place;
    store_place_make(&place);
    lw_random random;
    lw_random_init(&random, 42);
    static standing known;
    uint64_t highest = 0;
    for (int i = 0; i < ROUNDS; i++) {
        run_and_kill(place.folder, &known, &highest, (size_t)lw_random_below(&random, HEARD_MAX));
        highest = assert_store_is_right(place.folder, &known, highest);
    }
    print_message("# %d kills, %llu changes\n", ROUNDS, (unsigned long long)highest);
    store_place_remove(&place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(acknowledged_writes_survive_a_kill),
    };
    return cmocka_run_group_tests_name("store/crash", tests, NULL, NULL);
}
