/* SPDX-License-Identifier: Apache-2.0 */
/* conn_queue_test.c -- the send queue: order, ownership, partial sends. */
#include "net/conn_queue.h"

#include "base/buf.h"
#include "base/random.h"
#include "base/str.h"
#include "unit/failing_alloc.h"
#include "unit/test.h"

static void count_release(void *owner)
{
    ++*(int *)owner;
}

static lw_bytes counted(const char *text, int *released)
{
    return (lw_bytes){ text, strlen(text), count_release, released };
}

/* Sends all, |step| bytes at a time, alternately as the kernel and as TLS would; what came out. */
static void send_all(lw_conn_queue *queue, size_t step, lw_buf *out)
{
    while (queue->pending > 0) {
        char gathered[16];
        struct iovec iov[LW_CONN_QUEUE_BATCH];
        size_t len = lw_conn_queue_gather(queue, gathered, sizeof(gathered));
        int count = lw_conn_queue_peek(queue, iov);
        assert_true(count > 0 && len > 0);
        assert_memory_equal(gathered, iov[0].iov_base, len < iov[0].iov_len ? len : iov[0].iov_len);
        size_t taken = 0;
        for (int i = 0; i < count && taken < step; i++) {
            size_t part = iov[i].iov_len < step - taken ? iov[i].iov_len : step - taken;
            lw_buf_append(out, iov[i].iov_base, part);
            taken += part;
        }
        lw_conn_queue_take(queue, taken);
    }
}

static void bytes_leave_in_order_whatever_the_system_takes(void **state)
{
    (void)state;
    for (size_t step = 1; step < 80; step++) {
        int released = 0;
        lw_conn_queue queue;
        lw_buf out;
        lw_conn_queue_init(&queue);
        lw_buf_init(&out, 1000);
        assert_int_equal(lw_conn_queue_push(&queue, counted("shared ", &released)), LW_OK);
        assert_int_equal(lw_conn_queue_push_copy(&queue, "small ", 6), LW_OK);
        assert_int_equal(lw_conn_queue_push_copy(&queue, "large enough for a block of its own ",
                                                 36),
                         LW_OK);
        assert_int_equal(lw_conn_queue_push(&queue, counted("", &released)), LW_OK);
        assert_int_equal(released, 1); /* nothing to send: given back at once */
        assert_int_equal(lw_conn_queue_push(&queue, lw_bytes_static(LW_STR("static"))), LW_OK);
        assert_int_equal(queue.pending, 55);
        send_all(&queue, step, &out);
        assert_str_equal(lw_buf_view(&out),
                         "shared small large enough for a block of its own static");
        assert_int_equal(released, 2);
        lw_conn_queue_done(&queue);
        lw_buf_done(&out);
    }
}

static void a_piece_is_given_back_only_when_it_is_sent_whole(void **state)
{
    (void)state;
    int released = 0;
    lw_conn_queue queue;
    lw_conn_queue_init(&queue);
    assert_int_equal(lw_conn_queue_push(&queue, counted("abc", &released)), LW_OK);
    lw_conn_queue_take(&queue, 2);
    assert_int_equal(released, 0);
    assert_int_equal(queue.pending, 1);
    lw_conn_queue_take(&queue, 1);
    assert_int_equal(released, 1);
    assert_int_equal(queue.pending, 0);
    lw_conn_queue_done(&queue);
}

static void what_is_left_is_given_back_in_the_end(void **state)
{
    (void)state;
    int released = 0;
    lw_conn_queue queue;
    lw_conn_queue_init(&queue);
    for (int i = 0; i < 100; i++)
        assert_int_equal(lw_conn_queue_push(&queue, counted("abc", &released)), LW_OK);
    lw_conn_queue_take(&queue, 4);
    lw_conn_queue_done(&queue);
    assert_int_equal(released, 100);
}

static void small_pieces_cost_no_allocation_each(void **state)
{
    (void)state;
    failing_alloc f;
    failing_alloc_begin(&f, SIZE_MAX);
    lw_conn_queue queue;
    lw_conn_queue_init(&queue);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(lw_conn_queue_push_copy(&queue, "1a4\r\n", 5), LW_OK);
        lw_conn_queue_take(&queue, 5);
    }
    assert_int_equal(f.calls, 1);
    lw_conn_queue_done(&queue);
    failing_alloc_end();
    assert_int_equal(f.live, 0);
}

static void an_empty_queue_that_is_trimmed_has_no_memory(void **state)
{
    (void)state;
    failing_alloc f;
    failing_alloc_begin(&f, SIZE_MAX);
    lw_ring_spares spares = { 0 };
    lw_conn_queue queue;
    lw_conn_queue_init(&queue);
    lw_conn_queue_trim(&queue, &spares);
    assert_int_equal(lw_conn_queue_push_copy(&queue, "abc", 3), LW_OK);
    lw_conn_queue_trim(&queue, &spares); /* is not empty */
    assert_int_equal(queue.pending, 3);
    assert_int_equal(spares.count, 0);
    lw_conn_queue_take(&queue, 3);
    lw_conn_queue_trim(&queue, &spares);
    assert_int_equal(spares.count, 1);
    lw_ring_spares_done(&spares);
    assert_int_equal(f.live, 0);
    assert_int_equal(lw_conn_queue_push_copy(&queue, "de", 2), LW_OK);
    assert_int_equal(queue.pending, 2);
    lw_conn_queue_done(&queue);
    failing_alloc_end();
    assert_int_equal(f.live, 0);
}

static void queues_use_the_same_memory_one_after_the_other(void **state)
{
    (void)state;
    failing_alloc f;
    failing_alloc_begin(&f, SIZE_MAX);
    lw_ring_spares spares = { 0 };
    lw_conn_queue queues[3];
    for (size_t i = 0; i < 3; i++)
        lw_conn_queue_init(&queues[i]);
    for (size_t round = 0; round < 10; round++) {
        lw_conn_queue *queue = &queues[round % 3];
        lw_conn_queue_borrow(queue, &spares);
        assert_int_equal(lw_conn_queue_push_copy(queue, "abc", 3), LW_OK);
        assert_int_equal(lw_conn_queue_push_copy(queue, "de", 2), LW_OK);
        lw_conn_queue_take(queue, 5);
        lw_conn_queue_trim(queue, &spares);
    }
    assert_int_equal(f.calls, 1);
    lw_ring_spares_done(&spares);
    for (size_t i = 0; i < 3; i++)
        lw_conn_queue_done(&queues[i]);
    failing_alloc_end();
    assert_int_equal(f.live, 0);
}

static void a_piece_that_finds_no_memory_is_given_back(void **state)
{
    (void)state;
    int released = 0;
    lw_conn_queue queue;
    failing_alloc f;
    failing_alloc_begin(&f, 0);
    lw_conn_queue_init(&queue);
    assert_int_equal(lw_conn_queue_push(&queue, counted("abc", &released)), LW_ERR_NOMEM);
    assert_int_equal(released, 1);
    assert_int_equal(lw_conn_queue_push_copy(&queue, "abc", 3), LW_ERR_NOMEM);
    assert_int_equal(queue.pending, 0);
    lw_conn_queue_done(&queue);
    failing_alloc_end();
}

static void is_bounded_in_pieces(void **state)
{
    (void)state;
    int released = 0;
    lw_conn_queue queue;
    lw_conn_queue_init(&queue);
    for (int i = 0; i < LW_CONN_QUEUE_ITEMS_MAX; i++)
        assert_int_equal(lw_conn_queue_push(&queue, counted("a", &released)), LW_OK);
    assert_int_equal(lw_conn_queue_push(&queue, counted("a", &released)), LW_ERR_LIMIT);
    assert_int_equal(released, 1);
    lw_conn_queue_done(&queue);
    assert_int_equal(released, LW_CONN_QUEUE_ITEMS_MAX + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(bytes_leave_in_order_whatever_the_system_takes),
        TEST(a_piece_is_given_back_only_when_it_is_sent_whole),
        TEST(what_is_left_is_given_back_in_the_end),
        TEST(small_pieces_cost_no_allocation_each),
        TEST(an_empty_queue_that_is_trimmed_has_no_memory),
        TEST(queues_use_the_same_memory_one_after_the_other),
        TEST(a_piece_that_finds_no_memory_is_given_back),
        TEST(is_bounded_in_pieces),
    };
    return cmocka_run_group_tests_name("conn_queue", tests, NULL, NULL);
}
