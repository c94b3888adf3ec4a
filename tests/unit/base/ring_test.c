/* SPDX-License-Identifier: Apache-2.0 */
/* ring_test.c -- the bounded queue with rising sequence numbers. */
#include "base/ring.h"

#include "base/random.h"
#include "unit/failing_alloc.h"
#include "unit/test.h"

typedef struct event {
    uint64_t rv;
    char mark;
} event;

/* Pushes the event whose rv is the number it gets. */
static void push(lw_ring *ring)
{
    event e = { .rv = lw_ring_next_seq(ring), .mark = 'x' };
    uint64_t seq = 0;
    assert_int_equal(lw_ring_push(ring, &e, &seq), LW_OK);
    assert_int_equal(seq, e.rv);
}

static void assert_holds(const lw_ring *ring, uint64_t first, uint64_t next)
{
    assert_int_equal(lw_ring_first_seq(ring), first);
    assert_int_equal(lw_ring_next_seq(ring), next);
    assert_int_equal(lw_ring_count(ring), next - first);
    for (uint64_t seq = first; seq < next; seq++) {
        const event *e = lw_ring_at(ring, seq);
        assert_non_null(e);
        assert_int_equal(e->rv, seq);
    }
    assert_null(lw_ring_at(ring, first - 1));
    assert_null(lw_ring_at(ring, next));
    assert_null(lw_ring_at(ring, UINT64_MAX));
    assert_null(lw_ring_at(ring, 0));
}

static void an_empty_ring_has_nothing_and_no_memory(void **state)
{
    (void)state;
    failing_alloc f;
    failing_alloc_begin(&f, 0);
    lw_ring ring;
    lw_ring_init(&ring, sizeof(event), 10, 7);
    assert_holds(&ring, 7, 7);
    assert_false(lw_ring_pop(&ring, NULL));
    assert_holds(&ring, 7, 7);
    lw_ring_done(&ring);
    failing_alloc_end();
    assert_int_equal(f.calls, 0);
}

static void numbers_rise_from_the_first_given(void **state)
{
    (void)state;
    lw_ring ring;
    lw_ring_init(&ring, sizeof(event), 100, 1000);
    for (int i = 0; i < 20; i++)
        push(&ring);
    assert_holds(&ring, 1000, 1020);
    lw_ring_done(&ring);
}

static void pops_the_oldest_first(void **state)
{
    (void)state;
    lw_ring ring;
    lw_ring_init(&ring, sizeof(event), 100, 1);
    for (int i = 0; i < 5; i++)
        push(&ring);
    event e = { 0 };
    assert_true(lw_ring_pop(&ring, &e));
    assert_int_equal(e.rv, 1);
    assert_int_equal(e.mark, 'x');
    assert_true(lw_ring_pop(&ring, NULL));
    assert_true(lw_ring_pop(&ring, &e));
    assert_int_equal(e.rv, 3);
    assert_holds(&ring, 4, 6);
    lw_ring_done(&ring);
}

static void tells_an_overtaken_cursor_from_one_that_waits(void **state)
{
    (void)state;
    lw_ring ring;
    lw_ring_init(&ring, sizeof(event), 4, 1);
    uint64_t cursor = lw_ring_next_seq(&ring);
    assert_null(lw_ring_at(&ring, cursor));
    assert_true(cursor >= lw_ring_next_seq(&ring));
    for (int i = 0; i < 4; i++)
        push(&ring);
    assert_non_null(lw_ring_at(&ring, cursor));
    (void)lw_ring_pop(&ring, NULL);
    push(&ring);
    assert_null(lw_ring_at(&ring, cursor));
    assert_true(cursor < lw_ring_first_seq(&ring));
    lw_ring_done(&ring);
}

static void refuses_when_full_and_stays_as_it_is(void **state)
{
    (void)state;
    lw_ring ring;
    lw_ring_init(&ring, sizeof(event), 5, 1);
    for (int i = 0; i < 5; i++) {
        assert_false(lw_ring_is_full(&ring));
        push(&ring);
    }
    assert_true(lw_ring_is_full(&ring));
    event e = { .rv = 99 };
    uint64_t seq = 77;
    assert_int_equal(lw_ring_push(&ring, &e, &seq), LW_ERR_LIMIT);
    assert_int_equal(seq, 77);
    assert_holds(&ring, 1, 6);
    lw_ring_done(&ring);
}

static void slides_for_ever_when_the_oldest_is_popped(void **state)
{
    (void)state;
    failing_alloc f;
    failing_alloc_begin(&f, SIZE_MAX);
    lw_ring ring;
    lw_ring_init(&ring, sizeof(event), 13, 1);
    for (int i = 0; i < 1000; i++) {
        if (lw_ring_is_full(&ring))
            assert_true(lw_ring_pop(&ring, NULL));
        push(&ring);
    }
    assert_holds(&ring, 988, 1001);
    assert_int_equal(f.calls, 2);
    lw_ring_done(&ring);
    failing_alloc_end();
    assert_int_equal(f.live, 0);
}

static void never_takes_more_memory_than_its_limit_needs(void **state)
{
    (void)state;
    static const size_t limits[] = { 1, 7, 8, 9, 100, 1000 };
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        failing_alloc f;
        failing_alloc_begin(&f, SIZE_MAX);
        lw_ring ring;
        lw_ring_init(&ring, sizeof(event), limits[i], 1);
        while (!lw_ring_is_full(&ring))
            push(&ring);
        assert_holds(&ring, 1, limits[i] + 1);
        assert_int_equal(f.largest, limits[i] * sizeof(event));
        lw_ring_done(&ring);
        failing_alloc_end();
    }
}

static void grows_in_order_when_wrapped(void **state)
{
    (void)state;
    for (int popped = 0; popped <= 8; popped++) {
        lw_ring ring;
        lw_ring_init(&ring, sizeof(event), 1000, 1);
        for (int i = 0; i < 8; i++)
            push(&ring);
        for (int i = 0; i < popped; i++)
            assert_true(lw_ring_pop(&ring, NULL));
        for (int i = 0; i < 50; i++)
            push(&ring);
        assert_holds(&ring, (uint64_t)popped + 1, 59);
        lw_ring_done(&ring);
    }
}

static void a_failed_growth_changes_nothing(void **state)
{
    (void)state;
    failing_alloc f;
    failing_alloc_begin(&f, 1);
    lw_ring ring;
    lw_ring_init(&ring, sizeof(event), 100, 1);
    for (int i = 0; i < 8; i++)
        push(&ring);
    event e = { .rv = 9 };
    uint64_t seq = 77;
    assert_int_equal(lw_ring_push(&ring, &e, &seq), LW_ERR_NOMEM);
    assert_int_equal(seq, 77);
    assert_holds(&ring, 1, 9);
    f.allowed = 1;
    push(&ring);
    assert_holds(&ring, 1, 10);
    lw_ring_done(&ring);
    failing_alloc_end();
    assert_int_equal(f.live, 0);
}

static void an_impossible_size_is_out_of_memory(void **state)
{
    (void)state;
    lw_ring ring;
    lw_ring_init(&ring, SIZE_MAX / 2, SIZE_MAX, 1);
    char unused = 0;
    assert_int_equal(lw_ring_push(&ring, &unused, NULL), LW_ERR_NOMEM);
    lw_ring_done(&ring);
}

static void gives_memory_back_when_mostly_empty(void **state)
{
    (void)state;
    lw_ring ring;
    lw_ring_init(&ring, sizeof(event), 1000, 1);
    for (int i = 0; i < 1000; i++)
        push(&ring);
    assert_int_equal(ring.slots, 1000);
    for (int i = 0; i < 995; i++)
        assert_true(lw_ring_pop(&ring, NULL));
    assert_in_range(ring.slots, 8, 62);
    assert_holds(&ring, 996, 1001);
    lw_ring_done(&ring);
}

static void works_on_when_there_is_no_memory_to_shrink(void **state)
{
    (void)state;
    failing_alloc f;
    failing_alloc_begin(&f, SIZE_MAX);
    lw_ring ring;
    lw_ring_init(&ring, sizeof(event), 100, 1);
    for (int i = 0; i < 100; i++)
        push(&ring);
    f.allowed = 0;
    for (int i = 0; i < 99; i++)
        assert_true(lw_ring_pop(&ring, NULL));
    assert_holds(&ring, 100, 101);
    push(&ring);
    assert_holds(&ring, 100, 102);
    lw_ring_done(&ring);
    failing_alloc_end();
    assert_int_equal(f.live, 0);
}

static void pushing_and_popping_one_does_not_allocate_each_time(void **state)
{
    (void)state;
    failing_alloc f;
    failing_alloc_begin(&f, SIZE_MAX);
    lw_ring ring;
    lw_ring_init(&ring, sizeof(event), 200, 1);
    for (int i = 0; i < 200; i++) {
        push(&ring);
        size_t before = f.calls;
        for (int j = 0; j < 50; j++) {
            assert_true(lw_ring_pop(&ring, NULL));
            push(&ring);
        }
        assert_in_range(f.calls - before, 0, 1);
    }
    lw_ring_done(&ring);
    failing_alloc_end();
}

static void keeps_order_through_random_pushes_and_pops(void **state)
{
    (void)state;
    lw_random random;
    lw_random_init(&random, 5);
    lw_ring ring;
    lw_ring_init(&ring, sizeof(event), 777, 1);
    uint64_t first = 1;
    uint64_t next = 1;
    for (int step = 0; step < 100000; step++) {
        bool grows = step / 3000 % 2 == 0;
        if (lw_random_below(&random, 10) < (grows ? 7u : 3u) && !lw_ring_is_full(&ring)) {
            push(&ring);
            next++;
        } else if (first < next) {
            event e = { 0 };
            assert_true(lw_ring_pop(&ring, &e));
            assert_int_equal(e.rv, first);
            first++;
        }
        if (step % 500 == 0)
            assert_holds(&ring, first, next);
    }
    lw_ring_done(&ring);
}

static void memory_of_empty_rings_is_used_again(void **state)
{
    (void)state;
    failing_alloc f;
    failing_alloc_begin(&f, SIZE_MAX);
    lw_ring_spares spares = { 0 };
    lw_ring rings[LW_RING_SPARES_MAX + 2];
    for (size_t round = 0; round < 2; round++) {
        size_t before = f.calls;
        for (size_t i = 0; i < LW_RING_SPARES_MAX + 2; i++) {
            lw_ring_init(&rings[i], sizeof(event), 100, 1);
            lw_ring_borrow(&rings[i], &spares);
            push(&rings[i]);
            lw_ring_borrow(&rings[i], &spares); /* has memory */
            assert_holds(&rings[i], 1, 2);
            assert_true(lw_ring_pop(&rings[i], NULL));
        }
        assert_int_equal(f.calls - before, round == 0 ? LW_RING_SPARES_MAX + 2 : 2);
        for (size_t i = 0; i < LW_RING_SPARES_MAX + 2; i++)
            lw_ring_give_back(&rings[i], &spares);
        assert_int_equal(spares.count, LW_RING_SPARES_MAX);
        assert_int_equal(f.live, LW_RING_SPARES_MAX);
    }
    lw_ring_spares_done(&spares);
    assert_int_equal(f.live, 0);
    failing_alloc_end();
}

static void a_ring_goes_on_after_its_memory_was_given_back(void **state)
{
    (void)state;
    lw_ring_spares spares = { 0 };
    lw_ring ring;
    lw_ring_init(&ring, sizeof(event), 100, 1);
    for (int i = 0; i < 3; i++)
        push(&ring);
    for (int i = 0; i < 3; i++)
        assert_true(lw_ring_pop(&ring, NULL));
    lw_ring_give_back(&ring, &spares);
    assert_int_equal(spares.count, 1);
    push(&ring);
    assert_holds(&ring, 4, 5);
    lw_ring_done(&ring);
    lw_ring_spares_done(&spares);
}

static void memory_that_could_not_shrink_is_no_spare(void **state)
{
    (void)state;
    failing_alloc f;
    lw_ring_spares spares = { 0 };
    lw_ring ring;
    lw_ring_init(&ring, sizeof(event), 100, 1);
    for (int i = 0; i < 20; i++)
        push(&ring);
    failing_alloc_begin(&f, 0);
    while (lw_ring_pop(&ring, NULL))
        continue;
    failing_alloc_end();
    lw_ring_give_back(&ring, &spares);
    assert_int_equal(spares.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_empty_ring_has_nothing_and_no_memory),
        TEST(numbers_rise_from_the_first_given),
        TEST(pops_the_oldest_first),
        TEST(tells_an_overtaken_cursor_from_one_that_waits),
        TEST(refuses_when_full_and_stays_as_it_is),
        TEST(slides_for_ever_when_the_oldest_is_popped),
        TEST(never_takes_more_memory_than_its_limit_needs),
        TEST(grows_in_order_when_wrapped),
        TEST(a_failed_growth_changes_nothing),
        TEST(an_impossible_size_is_out_of_memory),
        TEST(gives_memory_back_when_mostly_empty),
        TEST(works_on_when_there_is_no_memory_to_shrink),
        TEST(pushing_and_popping_one_does_not_allocate_each_time),
        TEST(keeps_order_through_random_pushes_and_pops),
        TEST(memory_of_empty_rings_is_used_again),
        TEST(a_ring_goes_on_after_its_memory_was_given_back),
        TEST(memory_that_could_not_shrink_is_no_spare),
    };
    return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}
