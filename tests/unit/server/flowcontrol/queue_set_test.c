/* SPDX-License-Identifier: Apache-2.0 */
/* queue_set_test.c -- the queues of one priority level, with a clock that the tests move. */
#include "server/flowcontrol/queue_set.h"

#include "base/clock.h"
#include "unit/test.h"

#define MS LW_NS_PER_MS

typedef struct queue_world {
    lw_queue_set set;
    int64_t now_ns;
    lw_dlist dispatched;
} queue_world;

static void begin(queue_world *w, lw_queue_set_config config)
{
    w->now_ns = LW_NS_PER_S;
    lw_dlist_init(&w->dispatched);
    lw_queue_set_init(&w->set, w->now_ns);
    assert_int_equal(lw_queue_set_configure(&w->set, &config, w->now_ns, &w->dispatched), LW_OK);
}

static lw_flow_item item_of(uint32_t seats)
{
    return (lw_flow_item){ .work = { .initial_seats = seats } };
}

static lw_flow_verdict arrive(queue_world *w, lw_flow_item *item, uint64_t hash)
{
    return lw_queue_set_arrive(&w->set, item, hash, w->now_ns, &w->dispatched);
}

static bool finish(queue_world *w, lw_flow_item *item)
{
    return lw_queue_set_finish(&w->set, item, w->now_ns, &w->dispatched);
}

static lw_flow_item *next_dispatched(queue_world *w)
{
    return LW_DLIST_ITEM(lw_dlist_pop_front(&w->dispatched), lw_flow_item, dispatched);
}

static const lw_queue_set_config one_seat_one_queue = {
    .queues = 1, .hand_size = 1, .length_limit = 1, .limit = 1
};

static void of_one_seat_the_second_waits_and_the_third_is_rejected(void **state)
{
    (void)state;
    queue_world w;
    lw_flow_item first = item_of(1), second = item_of(1), third = item_of(1);
    begin(&w, one_seat_one_queue);
    assert_int_equal(arrive(&w, &first, 0), LW_FLOW_EXECUTE);
    assert_int_equal(arrive(&w, &second, 0), LW_FLOW_WAIT);
    assert_int_equal(arrive(&w, &third, 0), LW_FLOW_QUEUE_FULL);
    assert_false(finish(&w, &first));
    assert_ptr_equal(next_dispatched(&w), &second);
    assert_int_equal(second.state, LW_FLOW_ITEM_EXECUTING);
    assert_false(finish(&w, &second));
    assert_true(lw_queue_set_is_idle(&w.set));
    lw_queue_set_done(&w.set);
}

static void without_queues_what_exceeds_the_limit_is_rejected(void **state)
{
    (void)state;
    queue_world w;
    lw_flow_item first = item_of(1), second = item_of(1), third = item_of(1);
    begin(&w, (lw_queue_set_config){ .limit = 2 });
    assert_int_equal(arrive(&w, &first, 0), LW_FLOW_EXECUTE);
    assert_int_equal(arrive(&w, &second, 0), LW_FLOW_EXECUTE);
    assert_int_equal(arrive(&w, &third, 0), LW_FLOW_CONCURRENCY_LIMIT);
    (void)finish(&w, &first);
    assert_int_equal(arrive(&w, &third, 0), LW_FLOW_EXECUTE);
    (void)finish(&w, &second);
    (void)finish(&w, &third);
    lw_queue_set_done(&w.set);
}

static void an_exempt_level_has_no_limit(void **state)
{
    (void)state;
    queue_world w;
    lw_flow_item items[10];
    begin(&w, (lw_queue_set_config){ .is_exempt = true, .limit = 0 });
    for (size_t i = 0; i < 10; i++) {
        items[i] = item_of(5);
        assert_int_equal(arrive(&w, &items[i], 0), LW_FLOW_EXECUTE);
    }
    assert_int_equal(w.set.seats_in_use, 50);
    for (size_t i = 0; i < 10; i++)
        (void)finish(&w, &items[i]);
    lw_queue_set_done(&w.set);
}

static void a_request_with_more_seats_than_there_are_executes_alone(void **state)
{
    (void)state;
    queue_world w;
    lw_flow_item narrow = item_of(1), wide = item_of(5), next = item_of(1);
    begin(&w, (lw_queue_set_config){ .queues = 1, .hand_size = 1, .length_limit = 10, .limit = 3 });
    assert_int_equal(arrive(&w, &narrow, 0), LW_FLOW_EXECUTE);
    assert_int_equal(arrive(&w, &wide, 0), LW_FLOW_WAIT);
    assert_int_equal(arrive(&w, &next, 0), LW_FLOW_WAIT); /* behind it, although a seat is free */
    (void)finish(&w, &narrow);
    assert_ptr_equal(next_dispatched(&w), &wide);
    assert_null(next_dispatched(&w));
    (void)finish(&w, &wide);
    assert_ptr_equal(next_dispatched(&w), &next);
    (void)finish(&w, &next);
    lw_queue_set_done(&w.set);
}

/* Two flows with a queue each: one has sent many requests before the other sends its first. */
static void a_flow_does_not_wait_behind_the_many_requests_of_another(void **state)
{
    (void)state;
    queue_world w;
    lw_flow_item running = item_of(1), many[10], one = item_of(1);
    begin(&w, (lw_queue_set_config){ .queues = 2, .hand_size = 1, .length_limit = 50, .limit = 1 });
    assert_int_equal(arrive(&w, &running, 0), LW_FLOW_EXECUTE);
    for (size_t i = 0; i < 10; i++) {
        many[i] = item_of(1);
        assert_int_equal(arrive(&w, &many[i], 0), LW_FLOW_WAIT);
    }
    assert_int_equal(arrive(&w, &one, 1), LW_FLOW_WAIT);
    w.now_ns += 3 * MS;
    (void)finish(&w, &running);
    assert_ptr_equal(next_dispatched(&w), &one);
    w.now_ns += 3 * MS;
    (void)finish(&w, &one);
    for (size_t i = 0; i < 10; i++) {
        assert_ptr_equal(next_dispatched(&w), &many[i]);
        (void)finish(&w, &many[i]);
    }
    lw_queue_set_done(&w.set);
}

/* Serves |rounds| requests with one seat.  Two flows always have requests waiting; those of the
 * first take |first_ns|, those of the second |second_ns|.  Returns the seat time of each. */
static void run_two_flows(int64_t first_ns, int64_t second_ns, int rounds, int64_t served_ns[2])
{
    enum {
        DEPTH = 3,
    };
    queue_world w;
    lw_flow_item items[2][DEPTH];
    size_t oldest[2] = { 0, 0 };
    begin(&w, (lw_queue_set_config){ .queues = 2, .hand_size = 1, .length_limit = 50, .limit = 1 });
    served_ns[0] = served_ns[1] = 0;
    lw_flow_item *running = NULL;
    for (size_t flow = 0; flow < 2; flow++) {
        for (size_t i = 0; i < DEPTH; i++) {
            items[flow][i] = item_of(1);
            if (arrive(&w, &items[flow][i], flow) == LW_FLOW_EXECUTE)
                running = &items[flow][i];
        }
    }
    for (int i = 0; i < rounds; i++) {
        size_t flow = running->queue->index;
        int64_t took_ns = flow == 0 ? first_ns : second_ns;
        lw_flow_item *done = running;
        w.now_ns += took_ns;
        served_ns[flow] += took_ns;
        (void)finish(&w, done);
        running = next_dispatched(&w);
        assert_non_null(running);
        assert_ptr_equal(done, &items[flow][oldest[flow]]);
        oldest[flow] = (oldest[flow] + 1) % DEPTH;
        *done = item_of(1);
        assert_int_equal(arrive(&w, done, flow), LW_FLOW_WAIT);
    }
    (void)finish(&w, running);
    for (lw_flow_item *item; (item = next_dispatched(&w));)
        (void)finish(&w, item);
    lw_queue_set_done(&w.set);
}

static void two_equal_flows_take_turns(void **state)
{
    (void)state;
    int64_t served_ns[2];
    run_two_flows(10 * MS, 10 * MS, 100, served_ns);
    assert_int_equal(served_ns[0], served_ns[1]);
}

static void slow_requests_do_not_give_a_flow_more_seat_time(void **state)
{
    (void)state;
    int64_t served_ns[2];
    run_two_flows(100 * MS, 10 * MS, 2000, served_ns);
    int64_t difference = served_ns[0] - served_ns[1];
    assert_in_range(difference < 0 ? -difference : difference, 0, 300 * MS);
    assert_true(served_ns[1] > 5 * LW_NS_PER_S);
}

static void a_flow_goes_to_the_queue_of_its_hand_with_the_least_work(void **state)
{
    (void)state;
    queue_world w;
    lw_flow_item running = item_of(1), waiting[4];
    begin(&w, (lw_queue_set_config){ .queues = 2, .hand_size = 2, .length_limit = 50, .limit = 1 });
    assert_int_equal(arrive(&w, &running, 7), LW_FLOW_EXECUTE);
    for (size_t i = 0; i < 4; i++) {
        waiting[i] = item_of(1);
        assert_int_equal(arrive(&w, &waiting[i], 7), LW_FLOW_WAIT);
    }
    assert_int_equal(w.set.queues[0]->waiting_count, 2);
    assert_int_equal(w.set.queues[1]->waiting_count, 2);
    for (size_t i = 0; i < 4; i++)
        lw_queue_set_cancel(&w.set, &waiting[i], w.now_ns, &w.dispatched);
    (void)finish(&w, &running);
    lw_queue_set_done(&w.set);
}

static void a_cancelled_request_leaves_its_queue(void **state)
{
    (void)state;
    queue_world w;
    lw_flow_item first = item_of(1), second = item_of(1), third = item_of(1);
    begin(&w, one_seat_one_queue);
    (void)arrive(&w, &first, 0);
    (void)arrive(&w, &second, 0);
    lw_queue_set_cancel(&w.set, &second, w.now_ns, &w.dispatched);
    assert_int_equal(arrive(&w, &third, 0), LW_FLOW_WAIT);
    (void)finish(&w, &first);
    assert_ptr_equal(next_dispatched(&w), &third);
    (void)finish(&w, &third);
    assert_int_equal(w.set.seats_waiting, 0);
    assert_int_equal(w.set.busy, 0);
    lw_queue_set_done(&w.set);
}

static void seats_after_the_execution_stay_taken_until_they_are_released(void **state)
{
    (void)state;
    queue_world w;
    lw_flow_item change = { .work = {
                                .initial_seats = 1, .final_seats = 2, .additional_ns = 5 * MS } };
    lw_flow_item next = item_of(1);
    begin(&w, (lw_queue_set_config){ .queues = 1, .hand_size = 1, .length_limit = 10, .limit = 2 });
    assert_int_equal(arrive(&w, &change, 0), LW_FLOW_EXECUTE);
    assert_int_equal(w.set.seats_in_use, 2);
    assert_int_equal(arrive(&w, &next, 0), LW_FLOW_WAIT);
    assert_true(finish(&w, &change));
    assert_null(next_dispatched(&w));
    lw_queue_set_release(&w.set, &change, w.now_ns + 5 * MS, &w.dispatched);
    assert_ptr_equal(next_dispatched(&w), &next);
    (void)finish(&w, &next);
    lw_queue_set_done(&w.set);
}

static void final_seats_beyond_the_limit_take_longer_instead(void **state)
{
    (void)state;
    queue_world w;
    lw_flow_item change = { .work = {
                                .initial_seats = 1, .final_seats = 8, .additional_ns = 5 * MS } };
    begin(&w, (lw_queue_set_config){ .queues = 1, .hand_size = 1, .length_limit = 10, .limit = 2 });
    assert_int_equal(arrive(&w, &change, 0), LW_FLOW_EXECUTE);
    assert_int_equal(change.work.final_seats, 2);
    assert_int_equal(change.work.additional_ns, 20 * MS);
    assert_true(finish(&w, &change));
    lw_queue_set_release(&w.set, &change, w.now_ns, &w.dispatched);
    assert_int_equal(w.set.seats_in_use, 0);
    lw_queue_set_done(&w.set);
}

static void more_seats_let_waiting_requests_execute(void **state)
{
    (void)state;
    queue_world w;
    lw_flow_item items[3] = { item_of(1), item_of(1), item_of(1) };
    lw_queue_set_config config = { .queues = 1, .hand_size = 1, .length_limit = 10, .limit = 1 };
    begin(&w, config);
    for (size_t i = 0; i < 3; i++)
        (void)arrive(&w, &items[i], 0);
    config.limit = 3;
    (void)lw_queue_set_configure(&w.set, &config, w.now_ns, &w.dispatched);
    assert_ptr_equal(next_dispatched(&w), &items[1]);
    assert_ptr_equal(next_dispatched(&w), &items[2]);
    for (size_t i = 0; i < 3; i++)
        (void)finish(&w, &items[i]);
    lw_queue_set_done(&w.set);
}

static void queues_that_are_no_longer_configured_drain(void **state)
{
    (void)state;
    queue_world w;
    lw_flow_item running = item_of(1), old = item_of(1), fresh = item_of(1);
    lw_queue_set_config config = { .queues = 4, .hand_size = 1, .length_limit = 10, .limit = 1 };
    begin(&w, config);
    (void)arrive(&w, &running, 0);
    assert_int_equal(arrive(&w, &old, 3), LW_FLOW_WAIT);
    assert_int_equal(old.queue->index, 3);
    config.queues = 1;
    (void)lw_queue_set_configure(&w.set, &config, w.now_ns, &w.dispatched);
    assert_int_equal(arrive(&w, &fresh, 3), LW_FLOW_WAIT);
    assert_int_equal(fresh.queue->index, 0);
    (void)finish(&w, &running);
    lw_flow_item *next = next_dispatched(&w);
    (void)finish(&w, next);
    (void)finish(&w, next_dispatched(&w));
    assert_true(lw_queue_set_is_idle(&w.set));
    lw_queue_set_done(&w.set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(of_one_seat_the_second_waits_and_the_third_is_rejected),
        TEST(without_queues_what_exceeds_the_limit_is_rejected),
        TEST(an_exempt_level_has_no_limit),
        TEST(a_request_with_more_seats_than_there_are_executes_alone),
        TEST(a_flow_does_not_wait_behind_the_many_requests_of_another),
        TEST(two_equal_flows_take_turns),
        TEST(slow_requests_do_not_give_a_flow_more_seat_time),
        TEST(a_flow_goes_to_the_queue_of_its_hand_with_the_least_work),
        TEST(a_cancelled_request_leaves_its_queue),
        TEST(seats_after_the_execution_stay_taken_until_they_are_released),
        TEST(final_seats_beyond_the_limit_take_longer_instead),
        TEST(more_seats_let_waiting_requests_execute),
        TEST(queues_that_are_no_longer_configured_drain),
    };
    return cmocka_run_group_tests_name("queue_set", tests, NULL, NULL);
}
