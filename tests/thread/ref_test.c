/* SPDX-License-Identifier: Apache-2.0 */
/* ref_test.c -- references shared by threads. */
#include "base/ref.h"

#include "base/alloc.h"
#include "thread/crew.h"

enum {
    ROUNDS = 20000,
};

typedef struct shared {
    lw_ref ref;
    int notes[CREW_SIZE]; /* plain memory: only the reference count orders access */
    atomic_int *freed;
    int *sum;
} shared;

static void shared_unref(shared *s)
{
    if (!lw_ref_dec(&s->ref))
        return;
    for (int i = 0; i < CREW_SIZE; i++)
        *s->sum += s->notes[i];
    atomic_fetch_add(s->freed, 1);
    lw_free(s);
}

typedef struct job {
    shared *object;
    atomic_int next_seat;
} job;

static void take_and_drop(void *arg)
{
    job *j = arg;
    for (int i = 0; i < ROUNDS; i++) {
        lw_ref_inc(&j->object->ref);
        shared_unref(j->object);
    }
}

static void note_and_let_go(void *arg)
{
    job *j = arg;
    int seat = atomic_fetch_add(&j->next_seat, 1);
    j->object->notes[seat] = 1;
    shared_unref(j->object);
}

static shared *shared_new(atomic_int *freed, int *sum)
{
    shared *s = lw_alloc_zero(1, sizeof(*s));
    assert_non_null(s);
    lw_ref_init(&s->ref);
    s->freed = freed;
    s->sum = sum;
    return s;
}

static void no_reference_is_lost_between_threads(void **state)
{
    (void)state;
    atomic_int freed = 0;
    int sum = 0;
    job j = { .object = shared_new(&freed, &sum) };
    crew_run(take_and_drop, &j);
    assert_int_equal(atomic_load(&freed), 0);
    assert_int_equal(lw_ref_count(&j.object->ref), 1);
    shared_unref(j.object);
    assert_int_equal(atomic_load(&freed), 1);
}

static void the_last_owner_sees_what_all_others_wrote(void **state)
{
    (void)state;
    for (int round = 0; round < 50; round++) {
        atomic_int freed = 0;
        int sum = 0;
        job j = { .object = shared_new(&freed, &sum) };
        for (int i = 1; i < CREW_SIZE; i++)
            lw_ref_inc(&j.object->ref);
        crew_run(note_and_let_go, &j);
        assert_int_equal(atomic_load(&freed), 1);
        assert_int_equal(sum, CREW_SIZE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(no_reference_is_lost_between_threads),
        TEST(the_last_owner_sees_what_all_others_wrote),
    };
    return cmocka_run_group_tests_name("thread-ref", tests, NULL, NULL);
}
