/* SPDX-License-Identifier: Apache-2.0 */
/* clock_test.c -- a manual clock drives a whole controller program that has threads: nothing waits
 * for real time. */
#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "base/sync.h"
#include "unit/testkit/kit.h"

enum {
    HOUR_S = 3600,
};

typedef struct program {
    lw_manager *manager;
    lw_reconciler *reconciler;
    lw_thread thread;
    lw_mutex mu; /* guards what follows */
    lw_cond changed;
    int runs;
    int64_t again_ns;
    lw_status answer;
    int failures_left;
    int resyncs;
} program;

static lw_status reconcile(lw_key key, lw_reconcile_result *result, void *arg, lw_error *err)
{
    program *p = arg;
    if (!lw_str_equal(key.name, lw_str_of("a")))
        return LW_OK;
    lw_mutex_lock(&p->mu);
    p->runs++;
    result->again_after_ns = p->again_ns;
    lw_status st =
        p->failures_left-- > 0 ? lw_error_set(err, LW_ERR_UNAVAILABLE, "not yet") : LW_OK;
    lw_cond_signal(&p->changed);
    lw_mutex_unlock(&p->mu);
    return st;
}

static void run(void *arg)
{
    program *p = arg;
    KIT_OK(lw_manager_run(p->manager, kit_err));
}

static void advance(int64_t s)
{
    lw_manual_clock_advance(lw_test_clock(kit), s * LW_NS_PER_S);
}

/* Advances the clock by |step_s| until the key was reconciled |count| times: it is queued again a
 * moment after that. */
static void await_runs(program *p, int count, int64_t step_s)
{
    lw_mutex_lock(&p->mu);
    while (p->runs < count) {
        lw_mutex_unlock(&p->mu);
        advance(step_s);
        lw_mutex_lock(&p->mu);
        if (p->runs < count)
            (void)lw_cond_wait_until(&p->changed, &p->mu,
                                     lw_clock_now(lw_clock_system()) + LW_NS_PER_MS);
    }
    lw_mutex_unlock(&p->mu);
}

static void start(program *p, const lw_election_options *election)
{
    const lw_factory_options factory = { .size = sizeof(factory),
                                         .clock = lw_manual_clock_as_clock(lw_test_clock(kit)) };
    const lw_manager_options options = { .size = sizeof(options),
                                         .name = "clocked",
                                         .client = lw_test_client(kit),
                                         .factory = &factory,
                                         .election = election };
    const lw_reconciler_options how = {
        .size = sizeof(how), .name = "r", .reconcile = reconcile, .arg = p
    };
    lw_mutex_init(&p->mu);
    lw_cond_init(&p->changed);
    KIT_OK(lw_manager_new(&p->manager, &options, kit_err));
    KIT_OK(lw_manager_add_reconciler(p->manager, &how, &p->reconciler, kit_err));
    KIT_OK(lw_manager_watch(p->manager, p->reconciler, "configmaps", NULL, NULL, kit_err));
    KIT_OK(lw_thread_start(&p->thread, "manager", run, p, kit_err));
}

static void stop(program *p)
{
    lw_manager_stop(p->manager);
    lw_thread_join(&p->thread);
    lw_manager_free(p->manager);
    lw_cond_done(&p->changed);
    lw_mutex_done(&p->mu);
}

static void a_key_comes_again_when_the_clock_says_so(void **state)
{
    program p = { .again_ns = HOUR_S * LW_NS_PER_S };
    (void)state;
    start(&p, NULL);
    KIT_OK(kit_create("a", "1", kit_err));
    await_runs(&p, 1, 0);
    for (int i = 2; i < 6; i++)
        await_runs(&p, i, HOUR_S);
    stop(&p);
}

static void a_failed_key_comes_again_after_its_delay(void **state)
{
    program p = { .failures_left = 3 };
    (void)state;
    start(&p, NULL);
    KIT_OK(kit_create("a", "1", kit_err));
    await_runs(&p, 1, 0);
    await_runs(&p, 4, 1);
    stop(&p);
}

/* The other copy takes the Lease when the clock says that it has expired. */
static void an_election_follows_the_clock(void **state)
{
    static const char held[] =
        "---\n{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: clocked}, spec: "
        "{holderIdentity: other, leaseDurationSeconds: 3600, renewTime: "
        "'2020-01-01T00:00:00.000000Z', acquireTime: '2020-01-01T00:00:00.000000Z'}}";
    const lw_election_options election = { .size = sizeof(election),
                                           .ns = "default",
                                           .identity = "this",
                                           .lease_duration_ms = 3600 * 1000 };
    const lw_wait_options fast = { .size = sizeof(fast),
                                   .clock = lw_test_clock(kit),
                                   .clock_step_ms = 60 * 1000 };
    program p = { .runs = 0 };
    (void)state;
    KIT_OK(lw_test_create(kit, held, kit_err));
    KIT_OK(kit_create("a", "1", kit_err));
    start(&p, &election);
    KIT_OK(lw_wait_for_value(lw_test_observer(kit), "leases.coordination.k8s.io", "default",
                             "clocked", "/spec/holderIdentity", "this", &fast, kit_err));
    await_runs(&p, 1, 0);
    stop(&p);
}

static void on_event(const lw_event *event, void *arg)
{
    program *p = arg;
    lw_mutex_lock(&p->mu);
    p->resyncs +=
        event->cause == LW_CAUSE_RESYNC && strcmp(lw_object_name(event->object), "a") == 0;
    lw_cond_signal(&p->changed);
    lw_mutex_unlock(&p->mu);
}

static void an_informer_in_a_thread_resyncs_by_the_clock(void **state)
{
    const lw_factory_options options = { .size = sizeof(options),
                                         .client = lw_test_client(kit),
                                         .resync_s = HOUR_S,
                                         .clock = lw_manual_clock_as_clock(lw_test_clock(kit)) };
    program p = { .resyncs = 0 };
    lw_factory *factory = NULL;
    lw_informer *informer = NULL;
    (void)state;
    lw_mutex_init(&p.mu);
    lw_cond_init(&p.changed);
    KIT_OK(kit_create("a", "1", kit_err));
    KIT_OK(lw_factory_new(&factory, &options, kit_err));
    KIT_OK(lw_factory_informer(factory, "configmaps", &informer, kit_err));
    KIT_OK(lw_informer_add_handler(informer, &(lw_handler){ .on_event = on_event, .arg = &p }, NULL,
                                   kit_err));
    KIT_OK(lw_factory_start(factory, kit_err));
    KIT_OK(lw_factory_wait_for_sync(factory, 20, kit_err));
    for (int i = 1; i <= 3; i++) {
        advance(HOUR_S + 1);
        lw_mutex_lock(&p.mu);
        while (p.resyncs < i)
            lw_cond_wait(&p.changed, &p.mu);
        lw_mutex_unlock(&p.mu);
    }
    lw_factory_free(factory);
    lw_cond_done(&p.changed);
    lw_mutex_done(&p.mu);
}

int main(void)
{
#define KIT_TEST(name) cmocka_unit_test_setup_teardown(name, kit_set_up, kit_tear_down)
    const struct CMUnitTest tests[] = {
        KIT_TEST(a_key_comes_again_when_the_clock_says_so),
        KIT_TEST(a_failed_key_comes_again_after_its_delay),
        KIT_TEST(an_election_follows_the_clock),
        KIT_TEST(an_informer_in_a_thread_resyncs_by_the_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
