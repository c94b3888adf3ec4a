/* SPDX-License-Identifier: Apache-2.0 */
/* workqueue_test.c -- a queue of keys between those that add and those that work. */
#include <listwatch/workqueue.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "thread/crew.h"

enum {
    KEYS = 10000,
    WORKERS = 8,
    ADDERS = 4,
    ROUNDS = 3, /* that each adder goes through all keys */
};

/* One key as the test sees it. */
typedef struct subject {
    atomic_int wanted; /* counts up with each add */
    int seen;          /* what |wanted| was when it was worked on last: plain, for TSan to watch */
    atomic_int is_worked_on;
} subject;

typedef struct scene {
    lw_workqueue *queue;
    subject *subjects;
    atomic_int clashes; /* two workers on one key */
    atomic_int turns;
    atomic_int refused;
    atomic_int next_seat;
} scene;

static void scene_begin(scene *s)
{
    *s = (scene){ 0 };
    const lw_workqueue_options options = { .size = sizeof(lw_workqueue_options),
                                           .base_delay_ns = 1000,
                                           .rate = -1 };
    assert_int_equal(lw_workqueue_new(&s->queue, &options, NULL), LW_OK);
    s->subjects = lw_alloc_zero(KEYS, sizeof(*s->subjects));
    assert_non_null(s->subjects);
}

static void scene_end(scene *s)
{
    lw_workqueue_free(s->queue);
    lw_free(s->subjects);
}

static void key_of(int n, char key[16])
{
    (void)snprintf(key, 16, "ns/%d", n);
}

static void want(scene *s, int n, int way)
{
    char key[16];
    key_of(n, key);
    atomic_fetch_add(&s->subjects[n].wanted, 1);
    lw_status st = way == 0   ? lw_workqueue_add(s->queue, key)
                   : way == 1 ? lw_workqueue_add_after(s->queue, key, 1000 * (n % 7))
                              : lw_workqueue_add_rate_limited(s->queue, key);
    if (st < 0)
        atomic_fetch_add(&s->refused, 1);
}

static void add_all(void *arg)
{
    scene *s = arg;
    int seat = atomic_fetch_add(&s->next_seat, 1);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < KEYS; i++)
            want(s, (i * 7919 + seat * 1237) % KEYS, (i + round) % 3);
    }
}

static void work(void *arg)
{
    scene *s = arg;
    for (const char *key; (key = lw_workqueue_get(s->queue, -1));) {
        int n = (int)strtol(key + 3, NULL, 10);
        subject *it = &s->subjects[n];
        if (atomic_fetch_add(&it->is_worked_on, 1) != 0)
            atomic_fetch_add(&s->clashes, 1);
        it->seen = atomic_load(&it->wanted);
        /* Some want more while they are worked on; after the end nobody may. */
        if (n % 100 == 0 && it->seen < 50) {
            atomic_fetch_add(&it->wanted, 1);
            if (lw_workqueue_add(s->queue, key) < 0)
                atomic_fetch_sub(&it->wanted, 1);
        }
        if (n % 3 == 0)
            lw_workqueue_forget(s->queue, key);
        atomic_fetch_sub(&it->is_worked_on, 1);
        atomic_fetch_add(&s->turns, 1);
        lw_workqueue_done(s->queue, key);
    }
}

static void start(lw_thread *threads, int count, void (*run)(void *arg), void *arg)
{
    for (int i = 0; i < count; i++)
        assert_int_equal(lw_thread_start(&threads[i], "queue", run, arg, NULL), LW_OK);
}

static void join(lw_thread *threads, int count)
{
    for (int i = 0; i < count; i++)
        lw_thread_join(&threads[i]);
}

/* Waits until every key was seen as it was wanted last: the event is the last worker's. */
static bool is_all_seen(const scene *s)
{
    for (int i = 0; i < KEYS; i++) {
        if (s->subjects[i].seen != atomic_load(&s->subjects[i].wanted))
            return false;
    }
    return true;
}

static void never_two_on_a_key_and_nothing_is_lost(void **state)
{
    (void)state;
    scene s;
    lw_thread workers[WORKERS];
    lw_thread adders[ADDERS];
    scene_begin(&s);
    start(workers, WORKERS, work, &s);
    start(adders, ADDERS, add_all, &s);
    join(adders, ADDERS);
    /* Delayed keys are dropped at the end: each once more, to be there in time. */
    for (int i = 0; i < KEYS; i++)
        want(&s, i, 0);
    lw_workqueue_drain(s.queue);
    assert_int_equal(lw_workqueue_count(s.queue), 0);
    join(workers, WORKERS);
    assert_int_equal(atomic_load(&s.clashes), 0);
    assert_int_equal(atomic_load(&s.refused), 0);
    assert_true(is_all_seen(&s));
    assert_true(atomic_load(&s.turns) >= KEYS);
    scene_end(&s);
}

static void wait_for_turns(scene *s, int turns)
{
    while (atomic_load(&s->turns) < turns)
        ;
}

/* The one worker waits for what is due in an hour; each earlier one must wake it. */
static void an_earlier_delay_wakes_who_waits_for_a_later_one(void **state)
{
    (void)state;
    scene s;
    lw_thread worker;
    scene_begin(&s);
    assert_int_equal(lw_workqueue_add_after(s.queue, "ns/0", 3600 * LW_NS_PER_S), LW_OK);
    start(&worker, 1, work, &s);
    for (int i = 1; i <= 200; i++) {
        char key[16];
        key_of(i, key);
        assert_int_equal(lw_workqueue_add_after(s.queue, key, 20 * LW_NS_PER_US), LW_OK);
        wait_for_turns(&s, i);
    }
    lw_workqueue_shut_down(s.queue);
    join(&worker, 1);
    scene_end(&s);
}

static void the_shutdown_wakes_all_who_wait(void **state)
{
    (void)state;
    scene s;
    lw_thread workers[WORKERS];
    scene_begin(&s);
    start(workers, WORKERS, work, &s);
    lw_workqueue_shut_down(s.queue);
    join(workers, WORKERS);
    assert_int_equal(atomic_load(&s.turns), 0);
    scene_end(&s);
}

static void draining_leaves_nothing_undone(void **state)
{
    (void)state;
    scene s;
    lw_thread worker;
    scene_begin(&s);
    for (int i = 0; i < 1000; i++)
        want(&s, i, 0);
    start(&worker, 1, work, &s);
    lw_workqueue_drain(s.queue);
    assert_true(atomic_load(&s.turns) >= 1000);
    join(&worker, 1);
    assert_true(is_all_seen(&s));
    scene_end(&s);
}

typedef struct drain_scene {
    lw_workqueue *queue;
    atomic_bool is_drained;
} drain_scene;

static void drain(void *arg)
{
    drain_scene *d = arg;
    lw_workqueue_drain(d->queue);
    atomic_store(&d->is_drained, true);
}

/* TestQueueDrainageUsingShutDownWithDrainWithDirtyItem; and keys that wait are waited for, which
 * client-go does not. */
static void draining_waits_for_what_is_worked_on_and_what_waits(void **state)
{
    (void)state;
    drain_scene d = { 0 };
    lw_thread drainer;
    assert_int_equal(lw_workqueue_new(&d.queue, NULL, NULL), LW_OK);
    assert_int_equal(lw_workqueue_add(d.queue, "a"), LW_OK);
    assert_int_equal(lw_workqueue_add(d.queue, "b"), LW_OK);
    const char *a = lw_workqueue_get(d.queue, 0);
    assert_int_equal(lw_workqueue_add(d.queue, "a"), LW_OK);
    assert_int_equal(lw_thread_start(&drainer, "drainer", drain, &d, NULL), LW_OK);
    while (!lw_workqueue_is_shut_down(d.queue))
        ;
    lw_workqueue_done(d.queue, a);
    for (int i = 0; i < 2; i++) {
        assert_false(atomic_load(&d.is_drained));
        const char *key = lw_workqueue_get(d.queue, -1);
        assert_non_null(key);
        assert_false(atomic_load(&d.is_drained));
        lw_workqueue_done(d.queue, key);
    }
    lw_thread_join(&drainer);
    assert_true(atomic_load(&d.is_drained));
    lw_workqueue_free(d.queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(never_two_on_a_key_and_nothing_is_lost),
        TEST(an_earlier_delay_wakes_who_waits_for_a_later_one),
        TEST(the_shutdown_wakes_all_who_wait),
        TEST(draining_leaves_nothing_undone),
        TEST(draining_waits_for_what_is_worked_on_and_what_waits),
    };
    return cmocka_run_group_tests_name("thread-workqueue", tests, NULL, NULL);
}
