/* SPDX-License-Identifier: Apache-2.0 */
/* etcd_test.c -- the store on etcd where it meets others: servers, keys, compactions, failures.
 * What it does as a store is in tests/suite/. */
#include "store/etcd.h"

#include <stdio.h>

#include "base/str.h"
#include "base/sync.h"
#include "store/etcd_internal.h"
#include "support/etcd_process.h"
#include "unit/test.h"

enum {
    SHORT_MS = 1500, /* a request's time where etcd is away */
};

/* Two servers on one cluster. */
typedef struct fixture {
    etcd_cluster cluster;
    lw_store *a, *b;
    lw_error err;
} fixture;

static fixture world;

static void open_one(fixture *f, lw_store **out, lw_store_etcd_options options)
{
    options.endpoints = f->cluster.endpoints;
    f->err = (lw_error)LW_ERROR_INIT;
    if (lw_store_etcd_open(out, &options, &f->err) < 0)
        fail_msg("cannot open: %s", f->err.message);
}

static void open_both(fixture *f, lw_store_etcd_options options)
{
    open_one(f, &f->a, options);
    open_one(f, &f->b, options);
}

static int setup(void **state)
{
    static const etcd_cluster_options options = { .args = { "--heartbeat-interval=10",
                                                            "--election-timeout=100" } };
    world = (fixture){ .err = LW_ERROR_INIT };
    *state = &world;
    return etcd_cluster_start(&world.cluster, &options) ? 0 : -1;
}

static int teardown(void **state)
{
    fixture *f = *state;
    lw_store_free(f->a);
    lw_store_free(f->b);
    etcd_cluster_stop(&f->cluster);
    return 0;
}

#define ETCD_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

static lw_status put(fixture *f, lw_store *store, const char *key, uint64_t expected, int64_t ttl_s,
                     uint64_t *revision)
{
    lw_store_txn txn = { .op = LW_STORE_PUT,
                         .key = lw_str_of(key),
                         .value = LW_STR("x"),
                         .expected = expected,
                         .ttl_s = ttl_s };
    lw_status st = lw_store_commit(store, &txn);
    f->err = txn.err;
    if (revision)
        *revision = txn.revision;
    return st;
}

/* What a watch was told last. */
typedef struct ear {
    lw_store_watch *watch;
    lw_mutex mu; /* guards what follows */
    lw_cond moved;
    uint64_t told, compacted;
    size_t puts, deletes, in_one_revision;
    lw_status why; /* it is over; LW_OK: it is not */
} ear;

static void ear_on_events(const lw_store_event *events, size_t count, uint64_t revision, void *arg)
{
    ear *e = arg;
    lw_mutex_lock(&e->mu);
    for (size_t i = 0; i < count; i++) {
        e->deletes += events[i].is_delete;
        e->puts += !events[i].is_delete;
        e->in_one_revision += i > 0 && events[i].revision == events[i - 1].revision;
    }
    e->told = revision;
    lw_cond_broadcast(&e->moved);
    lw_mutex_unlock(&e->mu);
}

static void ear_on_compacted(uint64_t revision, void *arg)
{
    ear *e = arg;
    lw_mutex_lock(&e->mu);
    e->compacted = revision;
    lw_cond_broadcast(&e->moved);
    lw_mutex_unlock(&e->mu);
}

static void ear_on_end(const lw_error *err, void *arg)
{
    ear *e = arg;
    lw_mutex_lock(&e->mu);
    e->why = err->code;
    lw_cond_broadcast(&e->moved);
    lw_mutex_unlock(&e->mu);
}

static void ear_open_after(ear *e, lw_store *store, const char *prefix, uint64_t after)
{
    *e = (ear){ .watch = NULL };
    lw_mutex_init(&e->mu);
    lw_cond_init(&e->moved);
    const lw_store_sink sink = {
        .on_events = ear_on_events, .on_compacted = ear_on_compacted, .on_end = ear_on_end, .arg = e
    };
    assert_int_equal(lw_store_watch_open(store, lw_str_of(prefix), after, &sink, &e->watch, NULL),
                     LW_OK);
}

static void ear_open(ear *e, lw_store *store, const char *prefix)
{
    uint64_t current, compacted;
    lw_store_revisions(store, &current, &compacted);
    ear_open_after(e, store, prefix, current);
}

static void ear_close(ear *e, lw_store *store)
{
    lw_store_watch_close(store, e->watch);
    lw_cond_done(&e->moved);
    lw_mutex_done(&e->mu);
}

/* Waits until |*count| of |e| is |wanted| at least. */
static void ear_wait(ear *e, const size_t *count, size_t wanted)
{
    lw_mutex_lock(&e->mu);
    while (*count < wanted)
        lw_cond_wait(&e->moved, &e->mu);
    lw_mutex_unlock(&e->mu);
}

/* A thread that waits for a confirmation. */
typedef struct asking {
    lw_store_confirmation question;
    lw_mutex mu;
    lw_cond changed;
    bool is_over;
} asking;

static void asking_done(lw_store_confirmation *question)
{
    asking *a = question->arg;
    lw_mutex_lock(&a->mu);
    a->is_over = true;
    lw_cond_signal(&a->changed);
    lw_mutex_unlock(&a->mu);
}

static lw_store_confirmation confirm(lw_store *store)
{
    asking a = { .is_over = false };
    lw_mutex_init(&a.mu);
    lw_cond_init(&a.changed);
    a.question = (lw_store_confirmation){ .done = asking_done, .arg = &a };
    assert_int_equal(lw_store_confirm(store, &a.question), LW_OK);
    lw_mutex_lock(&a.mu);
    while (!a.is_over)
        lw_cond_wait(&a.changed, &a.mu);
    lw_mutex_unlock(&a.mu);
    lw_cond_done(&a.changed);
    lw_mutex_done(&a.mu);
    return a.question;
}

static void a_watch_of_an_empty_cluster_is_told_where_it_is(void **state)
{
    fixture *f = *state;
    open_one(f, &f->a, (lw_store_etcd_options){ .compact_s = -1 });
    ear e;
    ear_open_after(&e, f->a, "", 0);
    lw_mutex_lock(&e.mu);
    while (e.told < 1)
        lw_cond_wait(&e.moved, &e.mu);
    lw_mutex_unlock(&e.mu);
    assert_int_equal(put(f, f->a, "/registry/pods/x", 0, 0, NULL), LW_OK);
    assert_int_equal(e.puts, 1);
    ear_close(&e, f->a);
}

static void what_one_wrote_the_other_is_told_before_it_confirms(void **state)
{
    fixture *f = *state;
    open_both(f, (lw_store_etcd_options){ .compact_s = -1 });
    assert_true(lw_store_is_shared(f->b));
    ear e;
    ear_open(&e, f->b, "/registry/");
    for (int i = 0; i < 50; i++) {
        char key[32];
        uint64_t revision = 0;
        (void)snprintf(key, sizeof(key), "/registry/pods/%d", i);
        assert_int_equal(put(f, f->a, key, 0, 0, &revision), LW_OK);
        lw_store_confirmation answer = confirm(f->b);
        assert_int_equal(answer.st, LW_OK);
        assert_true(answer.revision >= revision);
        lw_mutex_lock(&e.mu);
        uint64_t told = e.told;
        lw_mutex_unlock(&e.mu);
        assert_true(told >= answer.revision);
    }
    assert_int_equal(e.puts, 50);
    ear_close(&e, f->b);
}

static void a_write_is_done_when_watches_that_catch_up_know_of_it_too(void **state)
{
    fixture *f = *state;
    open_one(f, &f->a, (lw_store_etcd_options){ .compact_s = -1 });
    uint64_t first = 0, revision = 0;
    assert_int_equal(put(f, f->a, "/registry/pods/0", 0, 0, &first), LW_OK);
    for (size_t i = 1; i < 50; i++) {
        char key[32];
        ear e;
        (void)snprintf(key, sizeof(key), "/registry/pods/%zu", i);
        ear_open_after(&e, f->a, "/registry/", first);
        assert_int_equal(put(f, f->a, key, 0, 0, &revision), LW_OK);
        lw_mutex_lock(&e.mu);
        uint64_t told = e.told;
        size_t puts = e.puts;
        lw_mutex_unlock(&e.mu);
        assert_true(told >= revision);
        assert_int_equal(puts, i);
        ear_close(&e, f->a);
    }
}

static void a_conflict_comes_when_its_cause_has_been_told(void **state)
{
    fixture *f = *state;
    open_both(f, (lw_store_etcd_options){ .compact_s = -1 });
    ear e;
    ear_open(&e, f->b, "/registry/");
    uint64_t mine = 0, seen = 0;
    assert_int_equal(put(f, f->a, "/registry/pods/x", 0, 0, &mine), LW_OK);
    assert_int_equal(put(f, f->b, "/registry/pods/x", 0, 0, &seen), LW_ERR_CONFLICT);
    assert_int_equal(seen, mine);
    assert_int_equal(e.puts, 1);
    ear_close(&e, f->b);
}

static void keys_of_others_only_move_the_revision(void **state)
{
    fixture *f = *state;
    open_one(f, &f->a, (lw_store_etcd_options){ .prefix = "/other/", .compact_s = -1 });
    open_one(f, &f->b, (lw_store_etcd_options){ .compact_s = -1 });
    ear e;
    uint64_t revision = 0;
    ear_open(&e, f->b, "");
    assert_int_equal(put(f, f->a, "/other/x", 0, 0, &revision), LW_OK);
    assert_int_equal(put(f, f->b, "/other/x", 0, 0, NULL), LW_ERR_INVALID);
    assert_true(confirm(f->b).revision >= revision);
    assert_int_equal(e.puts, 0);
    assert_true(e.told >= revision);
    lw_store_range all = { .limit = 0 };
    lw_store_range_result result;
    assert_int_equal(lw_store_read(f->b, &all, NULL, NULL, &result, NULL), LW_OK);
    assert_int_equal(result.revision, revision);
    ear_close(&e, f->b);
}

static void keys_with_a_time_to_live_share_a_lease_and_go(void **state)
{
    fixture *f = *state;
    open_one(f, &f->a, (lw_store_etcd_options){ .compact_s = -1 });
    ear e;
    ear_open(&e, f->a, "");
    assert_int_equal(put(f, f->a, "/registry/events/1", 0, 1, NULL), LW_OK);
    assert_int_equal(put(f, f->a, "/registry/events/2", 0, 1, NULL), LW_OK);
    assert_int_equal(put(f, f->a, "/registry/pods/1", 0, 0, NULL), LW_OK);
    ear_wait(&e, &e.deletes, 2);
    assert_int_equal(e.in_one_revision, 1); /* one lease: both went with it */
    ear_close(&e, f->a);
}

static void servers_compact_by_turns(void **state)
{
    fixture *f = *state;
    open_both(f, (lw_store_etcd_options){ .compact_s = 1 });
    ear a, b;
    uint64_t revision = 0;
    assert_int_equal(put(f, f->a, "/registry/pods/x", 0, 0, &revision), LW_OK);
    ear_open(&a, f->a, "");
    ear_open(&b, f->b, "");
    lw_mutex_lock(&a.mu);
    while (a.compacted < revision)
        lw_cond_wait(&a.moved, &a.mu);
    lw_mutex_unlock(&a.mu);
    lw_mutex_lock(&b.mu);
    while (b.compacted < revision)
        lw_cond_wait(&b.moved, &b.mu);
    lw_mutex_unlock(&b.mu);
    ear_close(&a, f->a);
    ear_close(&b, f->b);
}

static void begin_too_early(lw_etcd_job *job)
{
    lw_etcd_feed *feed = &job->store->main;
    lw_etcd_feed_close(feed);
    feed->told = 1;
    lw_etcd_feed_open(feed);
    lw_etcd_job_end(job);
}

static void a_past_that_is_gone_ends_the_watches_and_the_store_goes_on(void **state)
{
    fixture *f = *state;
    uint64_t revision = 0;
    open_one(f, &f->a, (lw_store_etcd_options){ .compact_s = -1 });
    ear e, late;
    ear_open(&e, f->a, "");
    assert_int_equal(put(f, f->a, "/registry/pods/x", 0, 0, NULL), LW_OK);
    assert_int_equal(put(f, f->a, "/registry/pods/y", 0, 0, &revision), LW_OK);
    assert_int_equal(lw_store_compact(f->a, revision, NULL), LW_OK);
    /* As if the watch had been cut off for so long. */
    lw_etcd_job job;
    lw_etcd_job_run(lw_etcd_store_of(f->a), &job, begin_too_early);
    lw_mutex_lock(&e.mu);
    while (e.why == LW_OK)
        lw_cond_wait(&e.moved, &e.mu);
    lw_mutex_unlock(&e.mu);
    assert_int_equal(e.why, LW_ERR_EXPIRED);
    assert_int_equal(put(f, f->a, "/registry/pods/z", 0, 0, NULL), LW_OK);
    assert_int_equal(e.puts, 2);
    ear_open(&late, f->a, "");
    assert_int_equal(put(f, f->a, "/registry/pods/0", 0, 0, NULL), LW_OK);
    assert_int_equal(late.puts, 1);
    ear_close(&late, f->a);
    ear_close(&e, f->a);
}

static void use_progress(lw_etcd_job *job)
{
    lw_etcd_feed *feed = &job->store->main;
    job->store->has_progress = true;
    lw_etcd_feed_close(feed);
    lw_etcd_feed_open(feed);
    lw_etcd_job_end(job);
}

static void an_etcd_that_says_how_far_it_is_is_asked(void **state)
{
    fixture *f = *state;
    open_one(f, &f->a, (lw_store_etcd_options){ .prefix = "/other/", .compact_s = -1 });
    open_one(f, &f->b, (lw_store_etcd_options){ .compact_s = -1 });
    lw_etcd_job job;
    lw_etcd_job_run(lw_etcd_store_of(f->b), &job, use_progress);
    ear e, past;
    uint64_t revision = 0, current, compacted;
    ear_open(&e, f->b, "");
    lw_store_revisions(f->b, &current, &compacted);
    assert_int_equal(put(f, f->a, "/other/x", 0, 0, &revision), LW_OK);
    lw_store_confirmation answer = confirm(f->b);
    assert_int_equal(answer.st, LW_OK);
    assert_true(answer.revision >= revision);
    /* One that begins in the past catches up though nothing of ours has happened. */
    ear_open_after(&past, f->b, "", current);
    lw_mutex_lock(&past.mu);
    while (past.told < revision)
        lw_cond_wait(&past.moved, &past.mu);
    lw_mutex_unlock(&past.mu);
    assert_int_equal(put(f, f->b, "/registry/x", 0, 0, NULL), LW_OK);
    ear_wait(&past, &past.puts, 1);
    ear_close(&past, f->b);
    ear_close(&e, f->b);
}

static void a_cluster_that_is_away_is_said_and_comes_back(void **state)
{
    fixture *f = *state;
    open_one(f, &f->a, (lw_store_etcd_options){ .compact_s = -1, .request_timeout_ms = SHORT_MS });
    ear e;
    ear_open(&e, f->a, "");
    assert_int_equal(put(f, f->a, "/registry/pods/x", 0, 0, NULL), LW_OK);
    etcd_member_kill(&f->cluster, 0);
    lw_status st = put(f, f->a, "/registry/pods/y", 0, 0, NULL);
    assert_true(st == LW_ERR_UNAVAILABLE || st == LW_ERR_TIMEOUT);
    assert_true(f->err.message[0] != '\0');
    assert_true(confirm(f->a).st < 0);
    assert_true(etcd_member_start(&f->cluster, 0));
    do
        st = put(f, f->a, "/registry/pods/z", 0, 0, NULL);
    while (st == LW_ERR_UNAVAILABLE);
    assert_int_equal(st, LW_OK);
    ear_wait(&e, &e.puts, 2);
    ear_close(&e, f->a);
}

static void who_cannot_reach_it_is_told_where(void **state)
{
    fixture *f = *state;
    etcd_member_kill(&f->cluster, 0);
    const lw_store_etcd_options options = { .endpoints = f->cluster.endpoints,
                                            .request_timeout_ms = SHORT_MS };
    assert_int_equal(lw_store_etcd_open(&f->a, &options, &f->err), LW_ERR_UNAVAILABLE);
    assert_non_null(strstr(f->err.message, f->cluster.members[0].endpoint));
}

int main(void)
{
    if (!etcd_is_installed()) {
        printf("1..0 # SKIP there is no etcd here\n");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        ETCD_TEST(a_watch_of_an_empty_cluster_is_told_where_it_is),
        ETCD_TEST(what_one_wrote_the_other_is_told_before_it_confirms),
        ETCD_TEST(a_write_is_done_when_watches_that_catch_up_know_of_it_too),
        ETCD_TEST(a_conflict_comes_when_its_cause_has_been_told),
        ETCD_TEST(keys_of_others_only_move_the_revision),
        ETCD_TEST(keys_with_a_time_to_live_share_a_lease_and_go),
        ETCD_TEST(servers_compact_by_turns),
        ETCD_TEST(a_past_that_is_gone_ends_the_watches_and_the_store_goes_on),
        ETCD_TEST(an_etcd_that_says_how_far_it_is_is_asked),
        ETCD_TEST(a_cluster_that_is_away_is_said_and_comes_back),
        ETCD_TEST(who_cannot_reach_it_is_told_where),
    };
    return cmocka_run_group_tests_name("store/etcd", tests, NULL, NULL);
}
