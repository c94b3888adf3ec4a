/* SPDX-License-Identifier: Apache-2.0 */
/* watches_test.c -- who is told what, without a store: the test is the writer, and the log. */
#include "store/watches.h"

#include "base/error.h"
#include "base/str.h"
#include "unit/test.h"

/* A log in which revision n put "/k". */
typedef struct fake_log {
    lw_store_engine engine;
    lw_status answer; /* LW_OK, or how reading fails */
    int open;
    int reads;
    size_t most; /* that was asked for at once */
} fake_log;

static lw_status fake_replay(lw_store_engine *engine, uint64_t after, lw_store_event *events,
                             size_t max, size_t *count, lw_error *err)
{
    fake_log *log = (fake_log *)engine;
    log->reads++;
    log->most = max;
    assert_true(after >= engine->marks.compacted);
    if (log->answer < 0)
        return lw_error_set(err, log->answer, "the log is on fire");
    size_t found = 0;
    for (; found < max && after + found < engine->marks.current; found++)
        events[found] = (lw_store_event){ .key = LW_STR("/k"), .revision = after + found + 1 };
    log->open++;
    *count = found;
    return LW_OK;
}

static void fake_replay_end(lw_store_engine *engine)
{
    ((fake_log *)engine)->open--;
}

static const lw_store_engine_ops fake_ops = {
    .replay = fake_replay,
    .replay_end = fake_replay_end,
};

typedef struct listener {
    lw_store_watch *watch;
    size_t calls;
    size_t events;
    uint64_t first;
    uint64_t revision;
    uint64_t compacted;
    int ends;
    lw_error why;
} listener;

static void on_events(const lw_store_event *events, size_t count, uint64_t revision, void *arg)
{
    listener *l = arg;
    if (l->events == 0 && count > 0)
        l->first = events[0].revision;
    l->calls++;
    l->events += count;
    l->revision = revision;
}

static void on_compacted(uint64_t revision, void *arg)
{
    ((listener *)arg)->compacted = revision;
}

static void on_end(const lw_error *err, void *arg)
{
    listener *l = arg;
    l->ends++;
    l->why = *err;
}

typedef struct fixture {
    lw_store_watches watches;
    fake_log log;
} fixture;

static int setup(void **state)
{
    static fixture f;
    f = (fixture){ .log = { .engine = { .ops = &fake_ops } } };
    *state = &f;
    return lw_store_watches_init(&f.watches) == LW_OK ? 0 : -1;
}

static int teardown(void **state)
{
    fixture *f = *state;
    lw_store_watches_done(&f->watches);
    return f->log.open;
}

static void listen_to(fixture *f, listener *l, const char *prefix, uint64_t after)
{
    *l = (listener){ .calls = 0 };
    lw_store_sink sink = { on_events, on_compacted, on_end, l };
    assert_int_equal(lw_store_watches_add(&f->watches, lw_str_of(prefix), after, &sink, &l->watch,
                                          NULL),
                     LW_OK);
}

/* The writer commits |count| changes. */
static void commit(fixture *f, size_t count)
{
    uint64_t base = f->log.engine.marks.current;
    for (size_t i = 0; i < count; i++)
        f->watches.events[i] = (lw_store_event){ .key = LW_STR("/k"), .revision = base + i + 1 };
    f->log.engine.marks.current = base + count;
    lw_store_watches_tell(&f->watches, count, base, base + count);
}

static bool is_behind(fixture *f)
{
    return lw_store_watches_is_behind(&f->watches, f->log.engine.marks.current);
}

static void who_is_up_to_date_is_told_the_batch(void **state)
{
    fixture *f = *state;
    listener l;
    listen_to(f, &l, "/", 0);
    commit(f, 5);
    assert_int_equal(l.events, 5);
    assert_int_equal(l.calls, 1);
    assert_int_equal(l.revision, 5);
    assert_false(is_behind(f));
    lw_store_watches_replay(&f->watches, &f->log.engine);
    assert_int_equal(l.calls, 1);
    assert_int_equal(f->log.reads, 0);
}

static void who_is_behind_is_told_the_log_and_not_the_batch(void **state)
{
    fixture *f = *state;
    commit(f, 5);
    listener l;
    listen_to(f, &l, "/", 2);
    assert_true(is_behind(f));
    commit(f, 3);
    assert_int_equal(l.calls, 0);
    lw_store_watches_replay(&f->watches, &f->log.engine);
    assert_int_equal(l.first, 3);
    assert_int_equal(l.events, 6);
    assert_int_equal(l.revision, 8);
    assert_false(is_behind(f));
    commit(f, 1);
    assert_int_equal(l.events, 7);
    assert_int_equal(f->log.reads, 1);
}

static void who_came_in_the_middle_of_a_batch_is_told_its_rest(void **state)
{
    fixture *f = *state;
    listener l;
    listen_to(f, &l, "/", 3); /* a reader saw the commit before the watches were told */
    commit(f, 5);
    assert_int_equal(l.first, 4);
    assert_int_equal(l.events, 2);
}

static void who_waits_for_the_future_is_left_alone(void **state)
{
    fixture *f = *state;
    listener l;
    listen_to(f, &l, "/", 7);
    commit(f, 5);
    assert_int_equal(l.calls, 0);
    assert_false(is_behind(f));
    commit(f, 2);
    assert_int_equal(l.calls, 0);
    commit(f, 2);
    assert_int_equal(l.events, 2);
    assert_int_equal(l.first, 8);
}

static void the_log_comes_in_portions(void **state)
{
    fixture *f = *state;
    f->log.engine.marks.current = 2 * LW_STORE_PORTION_MAX + 1;
    listener l;
    listen_to(f, &l, "/", 0);
    for (size_t i = 1; i <= 3; i++) {
        assert_true(is_behind(f));
        lw_store_watches_replay(&f->watches, &f->log.engine);
        assert_int_equal(l.calls, i);
        assert_int_equal(f->log.most, LW_STORE_PORTION_MAX);
    }
    assert_int_equal(l.events, 2 * LW_STORE_PORTION_MAX + 1);
    assert_false(is_behind(f));
}

static void other_keys_only_move_the_revision(void **state)
{
    fixture *f = *state;
    commit(f, 5);
    listener behind;
    listener live;
    listen_to(f, &behind, "/other", 1);
    listen_to(f, &live, "/other", 5);
    lw_store_watches_replay(&f->watches, &f->log.engine);
    assert_int_equal(behind.revision, 5);
    commit(f, 1);
    assert_int_equal(live.revision, 6);
    assert_int_equal(behind.calls, 2);
    assert_int_equal(live.events + behind.events, 0);
}

static void who_is_overtaken_by_compaction_is_told_so(void **state)
{
    fixture *f = *state;
    commit(f, 5);
    listener l;
    listen_to(f, &l, "/", 1);
    f->log.engine.marks.compacted = 2;
    lw_store_watches_replay(&f->watches, &f->log.engine);
    assert_int_equal(l.ends, 1);
    assert_int_equal(l.why.code, LW_ERR_EXPIRED);
    assert_false(is_behind(f));
    commit(f, 1);
    lw_store_watches_replay(&f->watches, &f->log.engine);
    lw_store_watches_compacted(&f->watches, 3);
    lw_store_watches_end(&f->watches, &l.why);
    assert_int_equal(l.ends, 1);
    assert_int_equal(l.calls, 0);
    assert_int_equal(l.compacted, 0);
}

static void a_log_that_cannot_be_read_ends_the_watch(void **state)
{
    fixture *f = *state;
    commit(f, 5);
    listener bad;
    listener good;
    listen_to(f, &bad, "/", 1);
    listen_to(f, &good, "/", 5);
    f->log.answer = LW_ERR_IO;
    lw_store_watches_replay(&f->watches, &f->log.engine);
    assert_int_equal(bad.ends, 1);
    assert_string_equal(bad.why.message, "the log is on fire");
    assert_int_equal(good.ends, 0);
    commit(f, 1);
    assert_int_equal(good.events, 1);
}

static void there_are_as_many_watches_as_stated(void **state)
{
    fixture *f = *state;
    static listener l[LW_STORE_WATCHES_MAX];
    for (size_t i = 0; i < LW_STORE_WATCHES_MAX; i++)
        listen_to(f, &l[i], "/", 0);
    lw_store_sink sink = { .on_events = on_events };
    lw_store_watch *watch = NULL;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_store_watches_add(&f->watches, LW_STR("/"), 0, &sink, &watch, &err),
                     LW_ERR_TOO_MANY);
    assert_int_equal(err.code, LW_ERR_TOO_MANY);
    lw_store_watches_remove(&f->watches, l[5].watch);
    listen_to(f, &l[5], "/", 0);
}

static void a_prefix_longer_than_any_key_is_refused(void **state)
{
    fixture *f = *state;
    char bytes[LW_STORE_KEY_MAX + 1] = { 0 };
    lw_store_sink sink = { .on_events = on_events };
    lw_store_watch *watch = NULL;
    lw_str prefix = { bytes, sizeof(bytes) };
    assert_int_equal(lw_store_watches_add(&f->watches, prefix, 0, &sink, &watch, NULL),
                     LW_ERR_LIMIT);
}

#define WATCHES_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WATCHES_TEST(who_is_up_to_date_is_told_the_batch),
        WATCHES_TEST(who_is_behind_is_told_the_log_and_not_the_batch),
        WATCHES_TEST(who_came_in_the_middle_of_a_batch_is_told_its_rest),
        WATCHES_TEST(who_waits_for_the_future_is_left_alone),
        WATCHES_TEST(the_log_comes_in_portions),
        WATCHES_TEST(other_keys_only_move_the_revision),
        WATCHES_TEST(who_is_overtaken_by_compaction_is_told_so),
        WATCHES_TEST(a_log_that_cannot_be_read_ends_the_watch),
        WATCHES_TEST(there_are_as_many_watches_as_stated),
        WATCHES_TEST(a_prefix_longer_than_any_key_is_refused),
    };
    return cmocka_run_group_tests_name("watches", tests, NULL, NULL);
}
