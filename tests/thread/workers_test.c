/* SPDX-License-Identifier: Apache-2.0 */
/* workers_test.c -- a few threads with a bounded queue. */
#include "base/thread/workers.h"

#include <stdatomic.h>
#include <sys/resource.h>

#include "thread/crew.h"

enum {
    EACH = 200,
};

typedef struct errand {
    lw_work work;
    atomic_int *runs;
} errand;

static void run_errand(lw_work *work)
{
    atomic_fetch_add(((errand *)(void *)work)->runs, 1);
}

typedef struct niceness {
    lw_work work;
    int value;
} niceness;

static void note_nice(lw_work *work)
{
    ((niceness *)(void *)work)->value = getpriority(PRIO_PROCESS, 0);
}

static void threads_have_the_nice_value(void **state)
{
    lw_workers *workers = NULL;
    niceness seen = { .work = { .run = note_nice } };
    (void)state;
    assert_int_equal(lw_workers_new(&workers, "nice", 1, 3, 1, NULL), LW_OK);
    assert_int_equal(lw_workers_take(workers, &seen.work), LW_OK);
    lw_workers_free(workers);
    int own = getpriority(PRIO_PROCESS, 0);
    assert_int_equal(seen.value, own + 3 < 19 ? own + 3 : 19);
}

typedef struct office {
    lw_workers *workers;
    atomic_int runs, taken, next;
    errand errands[CREW_SIZE * EACH];
} office;

static void hand_in(void *arg)
{
    office *o = arg;
    for (int i = 0; i < EACH; i++) {
        errand *e = &o->errands[atomic_fetch_add(&o->next, 1)];
        *e = (errand){ .work = { .run = run_errand }, .runs = &o->runs };
        if (lw_workers_take(o->workers, &e->work) == LW_OK)
            atomic_fetch_add(&o->taken, 1);
    }
}

static void what_is_taken_is_done_once(void **state)
{
    (void)state;
    static office o;
    assert_int_equal(lw_workers_new(&o.workers, "errands", 3, 0, CREW_SIZE * EACH, NULL), LW_OK);
    crew_run(hand_in, &o);
    lw_workers_free(o.workers);
    assert_int_equal(atomic_load(&o.taken), CREW_SIZE * EACH);
    assert_int_equal(atomic_load(&o.runs), CREW_SIZE * EACH);
}

/* A work that waits at a gate. */
typedef struct waiting {
    lw_work work;
    lw_mutex mu;
    lw_cond changed;
    bool is_inside, may_leave;
} waiting;

static void run_waiting(lw_work *work)
{
    waiting *w = (waiting *)(void *)work;
    lw_mutex_lock(&w->mu);
    w->is_inside = true;
    lw_cond_broadcast(&w->changed);
    while (!w->may_leave)
        lw_cond_wait(&w->changed, &w->mu);
    lw_mutex_unlock(&w->mu);
}

static void a_full_queue_refuses(void **state)
{
    (void)state;
    lw_workers *workers = NULL;
    waiting w = { .work = { .run = run_waiting } };
    atomic_int runs = 0;
    errand e[3];
    lw_mutex_init(&w.mu);
    lw_cond_init(&w.changed);
    assert_int_equal(lw_workers_new(&workers, "errands", 1, 0, 2, NULL), LW_OK);
    assert_int_equal(lw_workers_take(workers, &w.work), LW_OK);
    lw_mutex_lock(&w.mu);
    while (!w.is_inside)
        lw_cond_wait(&w.changed, &w.mu);
    lw_mutex_unlock(&w.mu);
    for (int i = 0; i < 3; i++) {
        e[i] = (errand){ .work = { .run = run_errand }, .runs = &runs };
        assert_int_equal(lw_workers_take(workers, &e[i].work), i < 2 ? LW_OK : LW_ERR_TOO_MANY);
    }
    lw_mutex_lock(&w.mu);
    w.may_leave = true;
    lw_cond_broadcast(&w.changed);
    lw_mutex_unlock(&w.mu);
    lw_workers_free(workers);
    assert_int_equal(atomic_load(&runs), 2);
    lw_cond_done(&w.changed);
    lw_mutex_done(&w.mu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_taken_is_done_once),
        cmocka_unit_test(threads_have_the_nice_value),
        cmocka_unit_test(a_full_queue_refuses),
    };
    return cmocka_run_group_tests_name("thread/workers", tests, NULL, NULL);
}
