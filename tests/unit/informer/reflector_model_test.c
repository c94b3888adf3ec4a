/* SPDX-License-Identifier: Apache-2.0 */
/* reflector_model_test.c -- whatever a server does, the cache ends up as the server is, and the
 * queue carried each change once and in order.
 *
 * Random histories: writes, compactions, cuts, refusals, full queues and the passing of time,
 * against a model that knows what was right. */
#include "informer/reflector.h"

#include "unit/informer/model_server.h"
#include "unit/informer/rig.h"

enum {
    SEEDS = 3000,
    STEPS = 400,
    PATIENCE = 20000, /* pieces of responses until everything must be delivered */
};

typedef struct trial {
    rig g;
    model_server server;
    bool is_by_key;
    uint64_t seen[MODEL_NAMES]; /* the revision up to which a name's changes were applied */
    uint64_t seen_all;          /* the same for all, in the order of arrival */
    unsigned replaced, changes;
} trial;

static unsigned name_of(const lw_object *obj)
{
    return (unsigned)(lw_object_name(obj)[1] - '0');
}

/* A replacement is the state of the server at its revision, and is not older than what was
 * delivered. */
static void check_state(trial *t, const lw_delta *delta)
{
    model_object state[MODEL_NAMES];
    uint64_t rv = strtoull(delta->rv, NULL, 10);
    size_t expected = 0;
    assert_true(rv >= t->seen_all);
    model_history_state_at(&t->server.past, rv, state);
    for (unsigned i = 0; i < MODEL_NAMES; i++) {
        expected += state[i].rv != 0;
        t->seen[i] = rv;
    }
    size_t count = lw_replacement_count(delta->replacement);
    assert_int_equal(count, expected);
    for (size_t i = 0; i < count; i++) {
        const lw_object *obj = lw_replacement_at(delta->replacement, i);
        assert_int_equal(lw_object_revision(obj), state[name_of(obj)].rv);
    }
    t->seen_all = rv;
    t->replaced++;
}

/* The change is the next one in the server's log: of all names, or, by key, of this one. */
static void check_change(trial *t, const lw_delta *delta)
{
    static const lw_watch_event_type types[] = { 0, LW_WATCH_ADDED, LW_WATCH_MODIFIED,
                                                 LW_WATCH_DELETED };
    unsigned name = name_of(delta->object);
    uint64_t seen = t->is_by_key ? t->seen[name] : t->seen_all;
    const model_history *past = &t->server.past;
    const model_event *next =
        t->is_by_key ? model_history_after_of(past, seen, name) : model_history_after(past, seen);
    assert_non_null(next);
    assert_int_equal(next->rv, lw_object_revision(delta->object));
    assert_int_equal(next->name, name);
    assert_int_equal(next->type, types[delta->type]);
    t->seen[name] = next->rv;
    if (next->rv > t->seen_all)
        t->seen_all = next->rv;
    t->changes++;
}

/* A bookmark skips nothing. */
static void check_bookmark(trial *t, const lw_delta *delta)
{
    uint64_t rv = strtoull(delta->rv, NULL, 10);
    for (size_t i = 0; i < t->server.past.count; i++) {
        const model_event *event = &t->server.past.log[i];
        if (event->rv <= rv)
            assert_true(event->rv <= t->seen[event->name] || event->rv <= t->seen_all);
    }
    if (!t->is_by_key && rv > t->seen_all)
        t->seen_all = rv;
}

static void check_delta(const lw_delta *delta, void *arg)
{
    trial *t = arg;
    if (delta->type == LW_DELTA_REPLACED)
        check_state(t, delta);
    else if (delta->type == LW_DELTA_BOOKMARK)
        check_bookmark(t, delta);
    else if (delta->object)
        check_change(t, delta);
    t->g.log_len = 0;
}

static void trial_open(trial *t, uint64_t seed)
{
    lw_random random;
    lw_random_init(&random, seed);
    lw_reflector_options options = rig_options();
    options.lists_only = lw_random_below(&random, 3) == 0;
    options.page_size = (int64_t)lw_random_below(&random, 4);
    options.resync_s = lw_random_below(&random, 2) ? 5 : 0;
    options.seed = seed + 1;
    const lw_delta_fifo_options queue = { .is_by_key = lw_random_below(&random, 2) == 0,
                                          .max_deltas = 1 + lw_random_below(&random, 12) };
    *t = (trial){ .is_by_key = queue.is_by_key };
    rig_open_with(&t->g, &options, &queue);
    model_init(&t->server, &t->g.source, lw_random_next(&random));
    t->g.on_delta = check_delta;
    t->g.on_delta_arg = t;
}

/* One of the things that can happen. */
static void trial_step(trial *t)
{
    model_server *m = &t->server;
    switch (model_draw(m, 16)) {
    case 0:
    case 1: model_history_mutate(&m->past, &m->random); break;
    case 2:
        if (model_draw(m, 8) == 0)
            model_history_compact(&m->past, &m->random);
        break;
    case 3: lw_manual_clock_advance(t->g.clock, (int64_t)model_draw(m, 3 * LW_NS_PER_S)); break;
    case 4: t->g.is_not_drained = model_draw(m, 3) == 0; break;
    case 5:
        if (model_draw(m, 20) == 0)
            lw_manual_clock_advance(t->g.clock, 400 * LW_NS_PER_S);
        break;
    case 6:
    case 7: rig_run_until_idle(&t->g); break;
    case 8:
        if (model_draw(m, 40) == 0)
            lw_reflector_recover(t->g.reflector);
        break;
    default: model_serve(m); break;
    }
}

static bool is_all_told(const trial *t)
{
    return strncmp(script_request(&t->g.source), "LIST", 4) != 0 && t->server.is_begun &&
           t->g.source.is_under_way && t->server.call == t->g.source.calls && t->server.is_told &&
           t->server.sent == t->server.past.rv && lw_delta_fifo_count(t->g.fifo) == 0;
}

/* The server works correctly from now on: soon everything is delivered. */
static void trial_come_to_rest(trial *t)
{
    t->server.is_faulty = false;
    t->g.is_not_drained = false;
    rig_run_until_idle(&t->g);
    for (int i = 0; !is_all_told(t); i++) {
        assert_true(i < PATIENCE);
        rig_run_until_idle(&t->g);
        if (script_request(&t->g.source)[0] == '\0')
            (void)rig_wait(&t->g);
        model_serve(&t->server);
        rig_run_until_idle(&t->g);
    }
}

static void check_cache(const trial *t)
{
    model_object state[MODEL_NAMES];
    size_t expected = 0;
    model_history_state_at(&t->server.past, t->server.past.rv, state);
    for (unsigned i = 0; i < MODEL_NAMES; i++) {
        char ns[8], name[8], uid[32];
        (void)snprintf(ns, sizeof(ns), "n%u", i % 2);
        (void)snprintf(name, sizeof(name), "o%u", i);
        (void)snprintf(uid, sizeof(uid), "n%u/o%u-%u", i % 2, i, state[i].generation);
        const lw_object *obj = lw_indexer_borrow(t->g.indexer, lw_key_make(ns, name));
        assert_int_equal(obj != NULL, state[i].rv != 0);
        if (obj) {
            assert_int_equal(lw_object_revision(obj), state[i].rv);
            assert_string_equal(lw_object_uid(obj), uid);
        }
        expected += obj != NULL;
    }
    assert_int_equal(lw_indexer_count(t->g.indexer), expected);
    assert_true(lw_indexer_check(t->g.indexer));
}

static void whatever_the_server_does_the_cache_ends_up_as_the_server_is(void **state)
{
    (void)state;
    unsigned relists = 0, changes = 0, watches = 0;
    static trial t;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        trial_open(&t, seed);
        t.server.is_faulty = seed % 4 != 0;
        for (int i = 0; i < STEPS; i++)
            trial_step(&t);
        trial_come_to_rest(&t);
        check_cache(&t);
        relists += (unsigned)rig_stats(&t.g).relists;
        changes += t.changes;
        watches += t.g.source.watches;
        rig_close(&t.g);
    }
    /* The trials were trials. */
    assert_true(relists > SEEDS);
    assert_true(changes > 5 * SEEDS);
    assert_true(watches > 3 * SEEDS);
    print_message("# %u relists, %u watches, %u changes\n", relists, watches, changes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(whatever_the_server_does_the_cache_ends_up_as_the_server_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
