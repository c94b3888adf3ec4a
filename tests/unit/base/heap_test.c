/* SPDX-License-Identifier: Apache-2.0 */
/* heap_test.c -- the intrusive priority queue. */
#include "base/heap.h"

#include "base/random.h"
#include "unit/failing_alloc.h"
#include "unit/test.h"

enum {
    MANY = 500,
};

typedef struct timer {
    int64_t due;
    lw_heap_node node;
} timer;

static bool due_before(const lw_heap_node *a, const lw_heap_node *b, void *arg)
{
    int *calls = arg;
    ++*calls;
    return LW_HEAP_CONST_ITEM(a, timer, node)->due < LW_HEAP_CONST_ITEM(b, timer, node)->due;
}

static int calls;

static void push(lw_heap *heap, timer *t, int64_t due)
{
    t->due = due;
    assert_int_equal(lw_heap_push(heap, &t->node), LW_OK);
}

static timer *pop(lw_heap *heap)
{
    lw_heap_node *node = lw_heap_pop(heap);
    return node ? LW_HEAP_ITEM(node, timer, node) : NULL;
}

/* Pops everything; it must come in order. */
static size_t drain(lw_heap *heap)
{
    size_t count = 0;
    int64_t last = INT64_MIN;
    for (timer *t; (t = pop(heap)); count++) {
        assert_true(t->due >= last);
        assert_false(lw_heap_node_is_in(&t->node));
        last = t->due;
    }
    return count;
}

static void an_empty_heap_has_nothing_and_no_memory(void **state)
{
    (void)state;
    failing_alloc f;
    failing_alloc_begin(&f, 0);
    lw_heap heap;
    lw_heap_init(&heap, 10, due_before, &calls);
    assert_null(lw_heap_top(&heap));
    assert_null(lw_heap_pop(&heap));
    assert_int_equal(lw_heap_count(&heap), 0);
    assert_true(lw_heap_check(&heap));
    lw_heap_done(&heap);
    failing_alloc_end();
    assert_int_equal(f.calls, 0);
}

static void the_least_leaves_first(void **state)
{
    (void)state;
    static timer timers[MANY];
    lw_random random;
    for (uint64_t seed = 0; seed < 20; seed++) {
        lw_random_init(&random, seed);
        lw_heap heap;
        lw_heap_init(&heap, MANY, due_before, &calls);
        int64_t least = INT64_MAX;
        for (int i = 0; i < MANY; i++) {
            int64_t due = (int64_t)lw_random_below(&random, 100);
            least = due < least ? due : least;
            push(&heap, &timers[i], due);
            assert_ptr_equal(LW_HEAP_ITEM(lw_heap_top(&heap), timer, node)->due, least);
        }
        assert_true(lw_heap_check(&heap));
        assert_int_equal(drain(&heap), MANY);
        lw_heap_done(&heap);
    }
}

static void any_node_can_be_removed(void **state)
{
    (void)state;
    for (int removed = 0; removed < 30; removed++) {
        timer timers[30] = { 0 };
        lw_heap heap;
        lw_heap_init(&heap, 30, due_before, &calls);
        for (int i = 0; i < 30; i++)
            push(&heap, &timers[i], (i * 7) % 30);
        lw_heap_remove(&heap, &timers[removed].node);
        assert_false(lw_heap_node_is_in(&timers[removed].node));
        assert_true(lw_heap_check(&heap));
        assert_int_equal(drain(&heap), 29);
        lw_heap_done(&heap);
    }
}

/* The node that fills the gap comes from another branch, and may have to go up. */
static void a_removal_moves_the_filler_up_where_it_must(void **state)
{
    (void)state;
    timer timers[10] = { 0 };
    static const int64_t due[10] = { 0, 100, 1, 50, 60, 101, 102, 103, 104, 2 };
    lw_heap heap;
    lw_heap_init(&heap, 10, due_before, &calls);
    for (int i = 0; i < 10; i++)
        push(&heap, &timers[i], due[i]);
    assert_int_equal(timers[9].node.place, 10);
    lw_heap_remove(&heap, &timers[5].node);
    assert_true(lw_heap_check(&heap));
    assert_true(timers[9].node.place < timers[1].node.place);
    assert_int_equal(drain(&heap), 9);
    lw_heap_done(&heap);
}

static void a_changed_key_moves_either_way(void **state)
{
    (void)state;
    timer timers[30] = { 0 };
    lw_heap heap;
    lw_heap_init(&heap, 30, due_before, &calls);
    for (int i = 0; i < 30; i++)
        push(&heap, &timers[i], i);
    timers[20].due = -1;
    lw_heap_update(&heap, &timers[20].node);
    assert_ptr_equal(lw_heap_top(&heap), &timers[20].node);
    timers[20].due = 99;
    lw_heap_update(&heap, &timers[20].node);
    assert_ptr_equal(lw_heap_top(&heap), &timers[0].node);
    lw_heap_update(&heap, &timers[10].node);
    assert_true(lw_heap_check(&heap));
    assert_int_equal(drain(&heap), 30);
    lw_heap_done(&heap);
}

static void a_node_that_left_may_come_back(void **state)
{
    (void)state;
    timer t = { 0 };
    lw_heap heap;
    lw_heap_init(&heap, 1, due_before, &calls);
    for (int i = 0; i < 3; i++) {
        assert_false(lw_heap_node_is_in(&t.node));
        push(&heap, &t, i);
        assert_true(lw_heap_node_is_in(&t.node));
        assert_ptr_equal(pop(&heap), &t);
    }
    lw_heap_done(&heap);
}

static void refuses_at_its_limit(void **state)
{
    (void)state;
    timer timers[11] = { 0 };
    failing_alloc f;
    failing_alloc_begin(&f, SIZE_MAX);
    lw_heap heap;
    lw_heap_init(&heap, 10, due_before, &calls);
    for (int i = 0; i < 10; i++)
        push(&heap, &timers[i], i);
    assert_int_equal(lw_heap_push(&heap, &timers[10].node), LW_ERR_LIMIT);
    assert_false(lw_heap_node_is_in(&timers[10].node));
    assert_int_equal(f.largest, 10 * sizeof(void *));
    assert_int_equal(drain(&heap), 10);
    lw_heap_done(&heap);
    failing_alloc_end();
}

static void a_limit_of_zero_holds_nothing(void **state)
{
    (void)state;
    timer t = { 0 };
    lw_heap heap;
    lw_heap_init(&heap, 0, due_before, &calls);
    assert_int_equal(lw_heap_push(&heap, &t.node), LW_ERR_LIMIT);
    lw_heap_done(&heap);
}

static void a_failed_growth_changes_nothing(void **state)
{
    (void)state;
    timer timers[9] = { 0 };
    failing_alloc f;
    failing_alloc_begin(&f, 1);
    lw_heap heap;
    lw_heap_init(&heap, 100, due_before, &calls);
    for (int i = 0; i < 8; i++)
        push(&heap, &timers[i], -i);
    timers[8].due = -100;
    assert_int_equal(lw_heap_push(&heap, &timers[8].node), LW_ERR_NOMEM);
    assert_false(lw_heap_node_is_in(&timers[8].node));
    assert_int_equal(lw_heap_count(&heap), 8);
    assert_true(lw_heap_check(&heap));
    f.allowed = 1;
    push(&heap, &timers[8], -100);
    assert_ptr_equal(lw_heap_top(&heap), &timers[8].node);
    lw_heap_done(&heap);
    failing_alloc_end();
    assert_int_equal(f.live, 0);
}

static void gives_memory_back_when_mostly_empty(void **state)
{
    (void)state;
    static timer timers[MANY];
    lw_heap heap;
    lw_heap_init(&heap, MANY, due_before, &calls);
    for (int i = 0; i < MANY; i++)
        push(&heap, &timers[i], i);
    for (int i = 0; i < MANY - 3; i++)
        assert_non_null(pop(&heap));
    assert_in_range(heap.slots, 8, 31);
    assert_int_equal(drain(&heap), 3);
    lw_heap_done(&heap);
}

static void works_on_when_there_is_no_memory_to_shrink(void **state)
{
    (void)state;
    static timer timers[MANY];
    failing_alloc f;
    failing_alloc_begin(&f, SIZE_MAX);
    lw_heap heap;
    lw_heap_init(&heap, MANY, due_before, &calls);
    for (int i = 0; i < MANY; i++)
        push(&heap, &timers[i], MANY - i);
    f.allowed = 0;
    assert_int_equal(drain(&heap), MANY);
    push(&heap, &timers[0], 1);
    assert_true(lw_heap_check(&heap));
    lw_heap_done(&heap);
    failing_alloc_end();
    assert_int_equal(f.live, 0);
}

static void removing_costs_no_more_than_the_depth(void **state)
{
    (void)state;
    static timer timers[MANY];
    lw_heap heap;
    lw_heap_init(&heap, MANY, due_before, &calls);
    for (int i = 0; i < MANY; i++)
        push(&heap, &timers[i], i);
    for (int i = 0; i < MANY; i++) {
        calls = 0;
        lw_heap_remove(&heap, &timers[(i * 37) % MANY].node);
        /* Five levels of 500 nodes, four comparisons each, and one to choose the child. */
        assert_in_range(calls, 0, 21);
    }
    lw_heap_done(&heap);
}

static void stays_in_order_through_random_changes(void **state)
{
    (void)state;
    static timer timers[MANY];
    lw_random random;
    lw_random_init(&random, 77);
    lw_heap heap;
    lw_heap_init(&heap, MANY, due_before, &calls);
    for (int step = 0; step < 50000; step++) {
        timer *t = &timers[lw_random_below(&random, MANY)];
        int64_t due = (int64_t)lw_random_below(&random, 1000);
        if (!lw_heap_node_is_in(&t->node)) {
            push(&heap, t, due);
        } else if (lw_random_below(&random, 2) == 0) {
            t->due = due;
            lw_heap_update(&heap, &t->node);
        } else {
            lw_heap_remove(&heap, &t->node);
        }
        if (step % 100 == 0)
            assert_true(lw_heap_check(&heap));
    }
    size_t count = lw_heap_count(&heap);
    assert_int_equal(drain(&heap), count);
    lw_heap_done(&heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_empty_heap_has_nothing_and_no_memory),
        TEST(the_least_leaves_first),
        TEST(any_node_can_be_removed),
        TEST(a_removal_moves_the_filler_up_where_it_must),
        TEST(a_changed_key_moves_either_way),
        TEST(a_node_that_left_may_come_back),
        TEST(refuses_at_its_limit),
        TEST(a_limit_of_zero_holds_nothing),
        TEST(a_failed_growth_changes_nothing),
        TEST(gives_memory_back_when_mostly_empty),
        TEST(works_on_when_there_is_no_memory_to_shrink),
        TEST(removing_costs_no_more_than_the_depth),
        TEST(stays_in_order_through_random_changes),
    };
    return cmocka_run_group_tests_name("heap", tests, NULL, NULL);
}
