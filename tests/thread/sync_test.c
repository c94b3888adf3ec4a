/* SPDX-License-Identifier: Apache-2.0 */
/* sync_test.c -- locks, conditions and once, used by several threads. */
#include "base/sync.h"

#include "base/clock.h"
#include "thread/crew.h"

enum {
    ROUNDS = 5000,
};

/* A table for one dish: cooks put it down, guests take it. */
typedef struct counter_top {
    lw_mutex mu; /* guards all below */
    lw_cond changed;
    int dish; /* 0 = none */
    int next;
    long eaten;
    long sum;
    atomic_int seats;
} counter_top;

static void cook(counter_top *t)
{
    for (int i = 0; i < ROUNDS; i++) {
        lw_mutex_lock(&t->mu);
        while (t->dish != 0)
            lw_cond_wait(&t->changed, &t->mu);
        t->dish = ++t->next;
        lw_cond_broadcast(&t->changed);
        lw_mutex_unlock(&t->mu);
    }
}

static void eat(counter_top *t)
{
    for (int i = 0; i < ROUNDS; i++) {
        lw_mutex_lock(&t->mu);
        while (t->dish == 0)
            (void)lw_cond_wait_until(&t->changed, &t->mu, LW_NEVER_NS);
        t->sum += t->dish;
        t->eaten++;
        t->dish = 0;
        lw_cond_broadcast(&t->changed);
        lw_mutex_unlock(&t->mu);
    }
}

static void cook_or_eat(void *arg)
{
    counter_top *t = arg;
    if (atomic_fetch_add(&t->seats, 1) % 2 == 0)
        cook(t);
    else
        eat(t);
}

static void everything_handed_over_arrives_once(void **state)
{
    (void)state;
    counter_top t = { .dish = 0 };
    lw_mutex_init(&t.mu);
    lw_cond_init(&t.changed);
    crew_run(cook_or_eat, &t);
    long dishes = (long)CREW_SIZE / 2 * ROUNDS;
    assert_int_equal(t.eaten, dishes);
    assert_int_equal(t.sum, dishes * (dishes + 1) / 2);
    lw_cond_done(&t.changed);
    lw_mutex_done(&t.mu);
}

static void wake(void *arg)
{
    counter_top *t = arg;
    lw_mutex_lock(&t->mu);
    t->dish = 1;
    lw_cond_signal(&t->changed);
    lw_mutex_unlock(&t->mu);
}

static void a_signal_ends_a_wait_long_before_its_deadline(void **state)
{
    (void)state;
    counter_top t = { .dish = 0 };
    lw_mutex_init(&t.mu);
    lw_cond_init(&t.changed);
    int64_t deadline = lw_clock_now(lw_clock_system()) + 3600 * LW_NS_PER_S;
    lw_thread thread;
    lw_mutex_lock(&t.mu);
    assert_int_equal(lw_thread_start(&thread, "waker", wake, &t, NULL), LW_OK);
    bool in_time = true;
    while (t.dish == 0 && in_time)
        in_time = lw_cond_wait_until(&t.changed, &t.mu, deadline);
    lw_mutex_unlock(&t.mu);
    lw_thread_join(&thread);
    assert_true(in_time);
    lw_cond_done(&t.changed);
    lw_mutex_done(&t.mu);
}

typedef struct pair {
    lw_rwlock lock; /* guards a and b, which are always equal outside of it */
    int a, b;
    atomic_int torn;
    atomic_int seats;
} pair;

static void read_or_write(void *arg)
{
    pair *p = arg;
    bool writes = atomic_fetch_add(&p->seats, 1) == 0;
    for (int i = 0; i < ROUNDS; i++) {
        if (writes) {
            lw_rwlock_write(&p->lock);
            p->a++;
            p->b++;
        } else {
            lw_rwlock_read(&p->lock);
            if (p->a != p->b)
                atomic_fetch_add(&p->torn, 1);
        }
        lw_rwlock_unlock(&p->lock);
    }
}

static void readers_never_see_half_a_write(void **state)
{
    (void)state;
    pair p = { .a = 0 };
    lw_rwlock_init(&p.lock);
    crew_run(read_or_write, &p);
    assert_int_equal(atomic_load(&p.torn), 0);
    assert_int_equal(p.a, ROUNDS);
    lw_rwlock_done(&p.lock);
}

/* Readers that meet inside the lock: they could not if they excluded each other. */
typedef struct meeting {
    lw_rwlock lock;
    lw_mutex mu; /* guards inside */
    lw_cond all_in;
    int inside;
} meeting;

static void meet(void *arg)
{
    meeting *m = arg;
    lw_rwlock_read(&m->lock);
    lw_mutex_lock(&m->mu);
    m->inside++;
    lw_cond_broadcast(&m->all_in);
    while (m->inside < CREW_SIZE)
        lw_cond_wait(&m->all_in, &m->mu);
    lw_mutex_unlock(&m->mu);
    lw_rwlock_unlock(&m->lock);
}

static void readers_read_at_the_same_time(void **state)
{
    (void)state;
    meeting m = { .inside = 0 };
    lw_rwlock_init(&m.lock);
    lw_mutex_init(&m.mu);
    lw_cond_init(&m.all_in);
    crew_run(meet, &m);
    assert_int_equal(m.inside, CREW_SIZE);
    lw_cond_done(&m.all_in);
    lw_mutex_done(&m.mu);
    lw_rwlock_done(&m.lock);
}

typedef struct lazy {
    lw_once once;
    int value; /* plain memory: only the once orders access */
    atomic_int wrong;
} lazy;

static void set_value(void *arg)
{
    ((lazy *)arg)->value++;
}

static void use_value(void *arg)
{
    lazy *l = arg;
    lw_once_run(&l->once, set_value, l);
    if (l->value != 1)
        atomic_fetch_add(&l->wrong, 1);
}

static void all_who_pass_a_once_see_its_work_done(void **state)
{
    (void)state;
    for (int round = 0; round < 50; round++) {
        lazy l = { .once = LW_ONCE_INIT };
        crew_run(use_value, &l);
        assert_int_equal(atomic_load(&l.wrong), 0);
        assert_int_equal(l.value, 1);
    }
}

typedef struct self_check {
    lw_thread thread;
    lw_mutex mu; /* held until thread.id is written */
    bool is_self;
} self_check;

static void ask_self(void *arg)
{
    self_check *c = arg;
    lw_mutex_lock(&c->mu);
    c->is_self = lw_thread_is_self(&c->thread);
    lw_mutex_unlock(&c->mu);
}

static void a_thread_knows_itself(void **state)
{
    (void)state;
    self_check c = { .is_self = false };
    lw_mutex_init(&c.mu);
    lw_mutex_lock(&c.mu);
    assert_int_equal(lw_thread_start(&c.thread, "self", ask_self, &c, NULL), LW_OK);
    lw_mutex_unlock(&c.mu);
    lw_thread_join(&c.thread);
    assert_true(c.is_self);
    lw_mutex_done(&c.mu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(everything_handed_over_arrives_once),
        TEST(a_signal_ends_a_wait_long_before_its_deadline),
        TEST(readers_never_see_half_a_write),
        TEST(readers_read_at_the_same_time),
        TEST(all_who_pass_a_once_see_its_work_done),
        TEST(a_thread_knows_itself),
    };
    return cmocka_run_group_tests_name("thread-sync", tests, NULL, NULL);
}
