/* SPDX-License-Identifier: Apache-2.0 */
/* held_bytes_test.c -- bytes of replies are counted for their users until they are released. */
#include "api/context/held_bytes.h"

#include "base/alloc.h"
#include "base/str.h"
#include "unit/test.h"

enum {
    PIECE = 10000,
};

static lw_bytes piece(void)
{
    char *bytes = lw_alloc_zero(1, PIECE);
    assert_non_null(bytes);
    return (lw_bytes){ bytes, PIECE, lw_free, bytes };
}

static size_t held_now(lw_held_bytes *held)
{
    lw_held_stats stats;
    lw_held_bytes_read(held, &stats);
    return stats.bytes;
}

static void bytes_count_until_they_are_released(void **state)
{
    lw_held_bytes *held;
    (void)state;
    assert_int_equal(lw_held_bytes_new(&held, 100000, 15000), LW_OK);
    lw_bytes one = lw_held_bytes_charge(held, LW_STR("jane"), piece());
    assert_int_equal(one.len, PIECE);
    assert_int_equal(held_now(held), PIECE);
    assert_true(lw_held_bytes_has_room(held, LW_STR("jane")));
    lw_bytes two = lw_held_bytes_charge(held, LW_STR("jane"), piece());
    assert_false(lw_held_bytes_has_room(held, LW_STR("jane")));
    assert_true(lw_held_bytes_has_room(held, LW_STR("bob")));
    lw_bytes_release(one);
    assert_true(lw_held_bytes_has_room(held, LW_STR("jane")));
    lw_held_bytes_unref(held); /* bytes may outlive the counter's owner */
    lw_bytes_release(two);
}

static void all_users_together_are_limited_too(void **state)
{
    lw_held_bytes *held;
    (void)state;
    assert_int_equal(lw_held_bytes_new(&held, 15000, 100000), LW_OK);
    lw_bytes one = lw_held_bytes_charge(held, LW_STR("jane"), piece());
    lw_bytes two = lw_held_bytes_charge(held, LW_STR("bob"), piece());
    assert_false(lw_held_bytes_has_room(held, LW_STR("eve")));
    assert_false(lw_held_bytes_is_exhausted(held, LW_STR("eve")));
    lw_bytes three = lw_held_bytes_charge(held, LW_STR("bob"), piece());
    assert_true(lw_held_bytes_is_exhausted(held, LW_STR("eve")));
    lw_bytes_release(one);
    lw_bytes_release(two);
    lw_bytes_release(three);
    assert_int_equal(held_now(held), 0);
    lw_held_bytes_unref(held);
}

static void release_shared(void *owner)
{
    (void)owner;
}

static void shared_and_small_bytes_do_not_count(void **state)
{
    static const char text[PIECE];
    lw_held_bytes *held;
    (void)state;
    assert_int_equal(lw_held_bytes_new(&held, 100000, 15000), LW_OK);
    const lw_bytes shared = { text, sizeof(text), release_shared, NULL };
    lw_bytes same = lw_held_bytes_charge(held, LW_STR("jane"), shared);
    assert_ptr_equal(same.release, release_shared);
    assert_int_equal(held_now(held), 0);
    lw_bytes small = piece();
    small.len = 100;
    lw_bytes_release(lw_held_bytes_charge(held, LW_STR("jane"), small));
    assert_int_equal(held_now(held), 0);
    lw_held_bytes_unref(held);
}

typedef struct producer {
    lw_held_waiter waiter;
    lw_task task;
    unsigned runs;
} producer;

static void producer_run(lw_task *task)
{
    LW_DLIST_ITEM(&task->link, producer, task.link)->runs++;
}

static void a_producer_is_woken_when_its_user_has_room(void **state)
{
    lw_held_bytes *held;
    lw_loop *loop;
    producer jane = { .task.run = producer_run }, gone = { .task.run = producer_run };
    (void)state;
    assert_int_equal(lw_loop_new(&loop, NULL, NULL), LW_OK);
    assert_int_equal(lw_held_bytes_new(&held, 100000, 15000), LW_OK);
    assert_false(lw_held_bytes_wait(held, &jane.waiter, LW_STR("jane"), loop, &jane.task));
    lw_bytes one = lw_held_bytes_charge(held, LW_STR("jane"), piece());
    lw_bytes two = lw_held_bytes_charge(held, LW_STR("jane"), piece());
    assert_true(lw_held_bytes_wait(held, &gone.waiter, LW_STR("jane"), loop, &gone.task));
    assert_true(lw_held_bytes_wait(held, &jane.waiter, LW_STR("jane"), loop, &jane.task));
    assert_true(lw_held_bytes_cancel(held, &gone.waiter));
    lw_bytes_release(one);
    assert_false(lw_held_bytes_cancel(held, &jane.waiter)); /* already posted */
    assert_int_equal(lw_loop_turn(loop, 0, NULL), LW_OK);
    assert_int_equal(jane.runs, 1);
    assert_int_equal(gone.runs, 0);
    lw_bytes_release(two);
    lw_held_bytes_unref(held);
    lw_loop_free(loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(bytes_count_until_they_are_released),
        TEST(all_users_together_are_limited_too),
        TEST(shared_and_small_bytes_do_not_count),
        TEST(a_producer_is_woken_when_its_user_has_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
