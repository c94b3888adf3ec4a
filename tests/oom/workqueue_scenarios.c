/* SPDX-License-Identifier: Apache-2.0 */
/* workqueue_scenarios.c -- the work queue, with each allocation failing in turn. */
#include <stdio.h>

#include "oom/oom.h"

#include <listwatch/reconciler.h>

#include "base/clock.h"
#include "base/error.h"
#include "support/fake_provider.h"

enum {
    MANY = 50,
};

static lw_status add_many(lw_workqueue *queue)
{
    lw_status st = LW_OK;
    for (int i = 0; st == LW_OK && i < MANY; i++) {
        char key[32];
        (void)snprintf(key, sizeof(key), "ns/pod-%d", i);
        st = i % 3 == 0   ? lw_workqueue_add(queue, key)
             : i % 3 == 1 ? lw_workqueue_add_after(queue, key, i * LW_NS_PER_MS)
                          : lw_workqueue_add_rate_limited(queue, key);
    }
    return st;
}

/* Processes the queue; each key is added again once, whether or not memory is available. */
static size_t work_off(lw_workqueue *queue)
{
    size_t count = 0;
    for (const char *key; (key = lw_workqueue_get(queue, 0)); count++) {
        if (lw_workqueue_failures(queue, key) < 2 &&
            lw_workqueue_add_rate_limited(queue, key) == LW_ERR_NOMEM)
            (void)lw_workqueue_add(queue, key);
        else
            lw_workqueue_forget(queue, key);
        lw_workqueue_done(queue, key);
    }
    return count;
}

static lw_status fills_and_empties_a_queue(lw_error *err)
{
    lw_manual_clock *manual = NULL;
    if (lw_manual_clock_new(&manual, 0) < 0)
        return lw_error_nomem(err);
    const lw_workqueue_options options = { .size = sizeof(lw_workqueue_options),
                                           .rate = -1,
                                           .clock = lw_manual_clock_as_clock(manual) };
    lw_workqueue *queue = NULL;
    lw_status st = lw_workqueue_new(&queue, &options, err);
    if (st == LW_OK)
        st = add_many(queue);
    size_t worked = 0;
    for (int i = 0; queue && i < 20; i++) {
        worked += work_off(queue);
        lw_manual_clock_advance(manual, LW_NS_PER_S);
    }
    if (st == LW_OK && (worked < MANY || lw_workqueue_count(queue) != 0))
        st = LW_ERR_INTERNAL;
    lw_workqueue_free(queue);
    lw_manual_clock_free(manual);
    return st == LW_ERR_NOMEM ? lw_error_nomem(err) : st;
}

static lw_status reconcile(lw_key key, lw_reconcile_result *result, void *arg, lw_error *err)
{
    (void)key;
    (void)result;
    (void)arg;
    (void)err;
    return LW_OK;
}

static void map(const lw_event *event, lw_workqueue *queue, void *arg)
{
    (void)event;
    (void)arg;
    (void)lw_workqueue_add(queue, "mapped");
}

static lw_status watch_all(lw_reconciler *reconciler, lw_informer *pods, lw_error *err)
{
    lw_status st = lw_reconciler_watch(reconciler, pods, err);
    if (st == LW_OK)
        st = lw_reconciler_watch_owned(reconciler, pods, pods, err);
    if (st == LW_OK)
        st = lw_reconciler_watch_mapped(reconciler, pods, map, NULL, err);
    if (st == LW_OK) {
        st = lw_reconciler_add(reconciler, lw_key_make("ns", "by-hand"));
        if (st < 0)
            (void)lw_error_nomem(err);
    }
    return st;
}

static lw_status feeds_a_reconciler(lw_error *err)
{
    fake_provider *fake = fake_provider_new();
    if (!fake)
        return lw_error_nomem(err);
    lw_factory *factory = NULL;
    lw_informer *pods = NULL;
    lw_reconciler *reconciler = NULL;
    const lw_factory_options options = { .size = sizeof(lw_factory_options),
                                         .provider = fake_provider_as_provider(fake) };
    const lw_reconciler_options wanted = { .size = sizeof(lw_reconciler_options),
                                           .name = "webs",
                                           .reconcile = reconcile };
    lw_status st = lw_factory_new(&factory, &options, err);
    if (st == LW_OK)
        st = lw_factory_informer(factory, "pods", &pods, err);
    if (st == LW_OK)
        st = lw_reconciler_new(&reconciler, &wanted, err);
    if (st == LW_OK)
        st = watch_all(reconciler, pods, err);
    if (st == LW_OK)
        st = lw_reconciler_start_in_loop(reconciler, err);
    lw_reconciler_free(reconciler);
    lw_factory_free(factory);
    fake_provider_free(fake);
    return st;
}

const oom_scenario workqueue_scenarios[] = {
    { "workqueue/queue fills and empties", fills_and_empties_a_queue },
    { "workqueue/reconciler is fed", feeds_a_reconciler },
};
const size_t workqueue_scenario_count =
    sizeof(workqueue_scenarios) / sizeof(workqueue_scenarios[0]);
