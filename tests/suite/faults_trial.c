/* SPDX-License-Identifier: Apache-2.0 */
/* faults_trial.c -- one seed: the schedule of faults, and the checks at the end. */
#include "suite/faults_trial.h"

#include <poll.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/sync.h"
#include "suite/faults_text.h"
#include "suite/faults_trace.h"
#include "suite/fixed_world.h"
#include "unit/test.h"

enum {
    STEPS = 500,
    PATIENCE = 40000,      /* turns until nothing happens any more */
    PATIENCE_S = 6 * 3600, /* the same in seconds of the trial's clock */
};

static uint64_t draw(faults_trial *t, uint64_t bound)
{
    return lw_random_below(&t->random, bound);
}

/* Draws a time from now, at most |seconds| away. */
static int64_t draw_ns(faults_trial *t, int64_t seconds)
{
    return (int64_t)draw(t, (uint64_t)(seconds * LW_NS_PER_S));
}

/* Its life. */

static void open_client(faults_trial *t)
{
    char url[64];
    lw_error err = LW_ERROR_INIT;
    lw_config *config = NULL;
    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%u", t->server.wire.port);
    lw_config_options where = LW_CONFIG_OPTIONS_INIT;
    where.server = url;
    lw_client_options how = LW_CLIENT_OPTIONS_INIT;
    how.clock = lw_manual_clock_as_clock(t->clock);
    if (lw_config_load(&config, &where, &err) < 0 ||
        lw_client_new(&t->client, config, &how, &err) < 0)
        fail_msg("%s", err.message);
    lw_config_unref(config);
}

static void open_factory(faults_trial *t)
{
    lw_error err = LW_ERROR_INIT;
    const lw_factory_options options = {
        .size = sizeof(lw_factory_options),
        .client = t->client,
        .clock = lw_manual_clock_as_clock(t->clock),
        .is_by_key = draw(t, 3) == 0,
        .lists_only = draw(t, 3) == 0,
        .page_size = (int64_t)draw(t, 4),
        .resync_s = draw(t, 2) == 0 ? 7 : 0,
    };
    t->prompt.is_told_all = !options.is_by_key;
    t->late.is_told_all = !options.is_by_key;
    t->prompt.is_resynced = options.resync_s > 0;
    if (lw_factory_new(&t->factory, &options, &err) < 0 ||
        lw_factory_informer(t->factory, "configmaps", &t->informer, &err) < 0)
        fail_msg("%s", err.message);
}

static lw_registration *add(faults_trial *t, faults_witness *witness, lw_handler_mode mode,
                            size_t max_pending)
{
    lw_registration *registration = NULL;
    const lw_handler handler = { .on_event = faults_witness_hear,
                                 .arg = witness,
                                 .mode = mode,
                                 .resync_s = witness->is_resynced ? 0 : -1,
                                 .max_pending = max_pending };
    assert_int_equal(lw_informer_add_handler(t->informer, &handler, &registration, NULL), LW_OK);
    return registration;
}

void faults_trial_open(faults_trial *t, uint64_t seed)
{
    *t = (faults_trial){ .clock = NULL };
    lw_random_init(&t->random, seed);
    assert_int_equal(lw_manual_clock_new(&t->clock, 0), LW_OK);
    fixed_world_begin(seed, lw_manual_clock_as_clock(t->clock));
    faults_server_open(&t->server, lw_manual_clock_as_clock(t->clock), lw_random_next(&t->random));
    const model_history *past = &t->server.past;
    t->prompt = (faults_witness){ .name = "prompt", .past = past };
    t->drained = (faults_witness){ .name = "drained", .past = past };
    t->late = (faults_witness){ .name = "late", .past = past };
    open_client(t);
    open_factory(t);
    (void)add(t, &t->prompt, LW_HANDLER_IN_DISPATCH, 0);
    t->drain = add(t, &t->drained, LW_HANDLER_DRAINED, 1 + (size_t)draw(t, 8));
}

void faults_trial_close(faults_trial *t)
{
    lw_factory_free(t->factory);
    lw_client_unref(t->client);
    faults_server_close(&t->server);
    fixed_world_end();
    lw_manual_clock_free(t->clock);
}

/* Turns. */

static bool client_is_ready(const faults_trial *t)
{
    struct pollfd at = { .fd = lw_factory_fd(t->factory), .events = POLLIN };
    return lw_factory_timeout_ms(t->factory) == 0 || poll(&at, 1, 0) > 0;
}

/* Runs everyone who has something to do; false: there was nothing. */
static bool turn(faults_trial *t)
{
    bool has_moved = faults_server_turn(&t->server);
    if (!client_is_ready(t))
        return has_moved;
    assert_int_equal(lw_factory_dispatch(t->factory, NULL), LW_OK);
    return true;
}

/* Advances the clock until something is due. */
static void pass_time(faults_trial *t)
{
    int64_t now = lw_clock_now(lw_manual_clock_as_clock(t->clock));
    int64_t due = faults_server_deadline_ns(&t->server);
    int ms = lw_factory_timeout_ms(t->factory);
    int64_t left = due == LW_NEVER_NS ? LW_NEVER_NS : due - now;
    if (ms >= 0 && ms * LW_NS_PER_MS < left)
        left = ms * LW_NS_PER_MS;
    if (left == LW_NEVER_NS)
        fail_msg("deadlock: nothing is due");
    faults_trace("%lld ms pass", (long long)(left / LW_NS_PER_MS));
    lw_manual_clock_advance(t->clock, left > 0 ? left : 1);
}

/* Playing. */

static void join_late(faults_trial *t)
{
    if (t->is_late_in)
        return;
    faults_trace("the late handler joins");
    t->is_late_in = true;
    (void)add(t, &t->late, LW_HANDLER_IN_DISPATCH, 0);
}

static void mutate(faults_trial *t)
{
    for (uint64_t i = 1 + draw(t, 3); i > 0; i--)
        model_history_mutate(&t->server.past, &t->random);
    faults_trace("the server is at %llu", (unsigned long long)t->server.past.rv);
}

static void compact(faults_trial *t)
{
    model_history_compact(&t->server.past, &t->random);
    faults_trace("the server forgets up to %llu", (unsigned long long)t->server.past.compacted);
}

/* Injects a fault that is rare in practice. */
static void break_something(faults_trial *t)
{
    int64_t now = lw_clock_now(lw_manual_clock_as_clock(t->clock));
    switch (draw(t, 8)) {
    case 0: compact(t); break;
    case 1: faults_wire_cut_all(&t->server.wire, draw(t, 2) == 0); break;
    case 2: faults_server_restart(&t->server, draw_ns(t, 40)); break;
    case 3: faults_wire_refuse(&t->server.wire, now + draw_ns(t, 20)); break;
    case 4: lw_manual_clock_advance(t->clock, draw_ns(t, 400)); break;
    default: break;
    }
}

static void step(faults_trial *t)
{
    switch (draw(t, 16)) {
    case 0:
    case 1:
    case 2: mutate(t); break;
    case 3:
        if (t->server.one_in > 0 && draw(t, 3) == 0)
            break_something(t);
        break;
    case 4: lw_manual_clock_advance(t->clock, draw_ns(t, 3)); break;
    case 5: (void)lw_registration_drain(t->drain, (size_t)draw(t, 5)); break;
    case 6:
        if (draw(t, 8) == 0)
            join_late(t);
        break;
    default:
        for (uint64_t i = 1 + draw(t, 8); i > 0; i--) {
            if (turn(t))
                continue;
            if (draw(t, 2) == 0)
                pass_time(t);
            break;
        }
    }
}

void faults_trial_play(faults_trial *t)
{
    for (int i = 0; i < STEPS; i++)
        step(t);
}

/* In the end. */

static void wait_until_quiet(faults_trial *t)
{
    const lw_clock *clock = lw_manual_clock_as_clock(t->clock);
    int64_t since = lw_clock_now(clock);
    for (int i = 0;; i++) {
        int64_t waited_s = (lw_clock_now(clock) - since) / LW_NS_PER_S;
        bool has_moved = turn(t);
        if (!has_moved && faults_server_has_told_all(&t->server))
            break;
        if (i > PATIENCE || waited_s > PATIENCE_S)
            fail_msg("events have not stopped after %lld s and %d turns", (long long)waited_s, i);
        if (!has_moved)
            pass_time(t);
    }
    (void)lw_registration_drain(t->drain, 0);
}

void faults_trial_come_to_rest(faults_trial *t)
{
    faults_trace("peace");
    faults_server_behave(&t->server);
    join_late(t);
    const lw_clock *clock = lw_manual_clock_as_clock(t->clock);
    int64_t since = lw_clock_now(clock);
    wait_until_quiet(t);
    t->recovery_ns = lw_clock_now(clock) - since;
}

void faults_trial_check(faults_trial *t)
{
    model_object state[MODEL_NAMES];
    const lw_lister *lister = lw_informer_lister(t->informer);
    size_t count = 0;
    model_history_state_at(&t->server.past, t->server.past.rv, state);
    for (unsigned i = 0; i < MODEL_NAMES; i++) {
        char ns[8], name[8];
        (void)snprintf(ns, sizeof(ns), "n%u", i % 2);
        (void)snprintf(name, sizeof(name), "o%u", i);
        lw_object *obj = lw_lister_get(lister, ns, name);
        if (obj ? !faults_is_written(obj, i, &state[i]) : state[i].rv != 0)
            fail_msg("the cache has o%u at %llu, the server at %llu", i,
                     (unsigned long long)(obj ? lw_object_revision(obj) : 0),
                     (unsigned long long)state[i].rv);
        count += obj != NULL;
        lw_object_unref(obj);
    }
    assert_int_equal(lw_lister_count(lister), count);
    faults_witness_check(&t->prompt);
    faults_witness_check(&t->drained);
    faults_witness_check(&t->late);
}

void faults_trial_check_health(faults_trial *t)
{
    unsigned lists = t->server.lists, watches = t->server.watches;
    mutate(t);
    wait_until_quiet(t);
    faults_trial_check(t);
    assert_int_equal(t->server.lists, lists);
    assert_int_equal(t->server.watches, watches);
    lw_error err = LW_ERROR_INIT;
    if (lw_informer_last_error(t->informer, &err) < 0)
        fail_msg("still an error: %s", err.message);
}
