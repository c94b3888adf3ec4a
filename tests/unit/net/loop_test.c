/* SPDX-License-Identifier: Apache-2.0 */
/* loop_test.c -- the event loop on one thread: order, timers, what is freed when. */
#include "base/container_of.h"
#include "net/loop.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "unit/test.h"

typedef struct bench {
    lw_loop *loop;
    lw_manual_clock *clock;
    char log[64]; /* a letter for each thing that happened */
} bench;

static void bench_note(bench *b, char letter)
{
    size_t len = strlen(b->log);
    assert_true(len + 1 < sizeof(b->log));
    b->log[len] = letter;
}

static int set_up(void **state)
{
    static bench b;
    memset(&b, 0, sizeof(b));
    assert_int_equal(lw_manual_clock_new(&b.clock, 0), LW_OK);
    assert_int_equal(lw_loop_new(&b.loop, lw_manual_clock_as_clock(b.clock), NULL), LW_OK);
    *state = &b;
    return 0;
}

static int tear_down(void **state)
{
    bench *b = *state;
    lw_loop_free(b->loop);
    lw_manual_clock_free(b->clock);
    return 0;
}

static void turn(bench *b)
{
    assert_int_equal(lw_loop_turn(b->loop, 0, NULL), LW_OK);
}

/* A task, a timer or a descriptor that writes its letter and may do something more. */
typedef struct actor {
    lw_task task;
    lw_timer timer;
    lw_io io;
    bench *bench;
    char letter;
    void (*then)(struct actor *actor);
    struct actor *other;
} actor;

static void actor_act(actor *a)
{
    bench_note(a->bench, a->letter);
    if (a->then)
        a->then(a);
}

static void actor_run(lw_task *task)
{
    actor_act(LW_CONTAINER_OF(task, actor, task));
}

static void actor_fire(lw_timer *timer)
{
    actor_act(LW_CONTAINER_OF(timer, actor, timer));
}

static void actor_ready(lw_io *io, unsigned events)
{
    (void)events;
    actor_act(LW_CONTAINER_OF(io, actor, io));
}

static actor actor_of(bench *b, char letter)
{
    return (actor){ .task = { .run = actor_run },
                    .timer = { .fire = actor_fire },
                    .io = { .ready = actor_ready },
                    .bench = b,
                    .letter = letter };
}

static void runs_posted_tasks_in_order(void **state)
{
    bench *b = *state;
    actor a = actor_of(b, 'a'), c = actor_of(b, 'c'), d = actor_of(b, 'd');
    lw_loop_post(b->loop, &a.task);
    lw_loop_post(b->loop, &c.task);
    lw_loop_post(b->loop, &d.task);
    turn(b);
    assert_string_equal(b->log, "acd");
    turn(b);
    assert_string_equal(b->log, "acd");
}

static void post_other(actor *a)
{
    lw_loop_post(a->bench->loop, &a->other->task);
}

static void what_a_task_posts_waits_for_the_next_batch(void **state)
{
    bench *b = *state;
    actor a = actor_of(b, 'a'), c = actor_of(b, 'c');
    a.then = post_other;
    a.other = &c;
    lw_loop_post(b->loop, &a.task);
    turn(b);
    assert_string_equal(b->log, "a");
    turn(b);
    assert_string_equal(b->log, "ac");
}

static bool is_woken(const bench *b)
{
    struct pollfd wait = { .fd = lw_loop_fd(b->loop), .events = POLLIN };
    return poll(&wait, 1, 0) == 1;
}

static void what_is_posted_in_a_batch_needs_no_system_call(void **state)
{
    bench *b = *state;
    actor a = actor_of(b, 'a'), c = actor_of(b, 'c');
    a.then = post_other;
    a.other = &c;
    lw_loop_post(b->loop, &a.task);
    assert_true(is_woken(b));
    turn(b);
    assert_false(is_woken(b));
    assert_int_equal(lw_loop_timeout_ms(b->loop), 0);
    assert_int_equal(lw_loop_turn(b->loop, -1, NULL), LW_OK); /* does not wait */
    assert_string_equal(b->log, "ac");
    assert_int_equal(lw_loop_timeout_ms(b->loop), -1);
    lw_loop_post(b->loop, &a.task); /* wakes the loop, which sleeps again */
    assert_true(is_woken(b));
    turn(b);
    turn(b);
    assert_string_equal(b->log, "acac");
}

static void defer_other(actor *a)
{
    lw_loop_defer(a->bench->loop, &a->other->task);
}

static void what_is_deferred_runs_at_the_end_of_the_batch(void **state)
{
    bench *b = *state;
    actor a = actor_of(b, 'a'), c = actor_of(b, 'c'), d = actor_of(b, 'd'), e = actor_of(b, 'e');
    a.then = c.then = defer_other;
    a.other = &c;
    c.other = &d;
    lw_loop_post(b->loop, &a.task);
    lw_loop_post(b->loop, &e.task);
    turn(b);
    assert_string_equal(b->log, "aecd");
}

static void what_is_deferred_outside_of_a_batch_does_not_wait_for_events(void **state)
{
    bench *b = *state;
    actor a = actor_of(b, 'a');
    lw_loop_defer(b->loop, &a.task);
    assert_int_equal(lw_loop_turn(b->loop, -1, NULL), LW_OK);
    assert_string_equal(b->log, "a");
}

static void timers_fire_in_the_order_of_their_deadlines(void **state)
{
    bench *b = *state;
    actor a = actor_of(b, 'a'), c = actor_of(b, 'c'), d = actor_of(b, 'd');
    int64_t now = lw_loop_now(b->loop);
    assert_int_equal(lw_timer_set(b->loop, &a.timer, now + 30), LW_OK);
    assert_int_equal(lw_timer_set(b->loop, &c.timer, now + 10), LW_OK);
    assert_int_equal(lw_timer_set(b->loop, &d.timer, now + 20), LW_OK);
    turn(b);
    assert_string_equal(b->log, "");
    lw_manual_clock_advance(b->clock, 20);
    turn(b);
    assert_string_equal(b->log, "cd");
    assert_int_equal(lw_loop_now(b->loop), now + 20);
    lw_manual_clock_advance(b->clock, 10);
    turn(b);
    assert_string_equal(b->log, "cda");
}

static void a_timer_is_moved_and_cancelled(void **state)
{
    bench *b = *state;
    actor a = actor_of(b, 'a'), c = actor_of(b, 'c');
    int64_t now = lw_loop_now(b->loop);
    assert_int_equal(lw_timer_set(b->loop, &a.timer, now + 10), LW_OK);
    assert_int_equal(lw_timer_set(b->loop, &c.timer, now + 10), LW_OK);
    assert_int_equal(lw_timer_set(b->loop, &a.timer, now + 20), LW_OK);
    lw_timer_cancel(b->loop, &c.timer);
    lw_timer_cancel(b->loop, &c.timer);
    lw_manual_clock_advance(b->clock, 10);
    turn(b);
    assert_string_equal(b->log, "");
    lw_manual_clock_advance(b->clock, 10);
    turn(b);
    assert_string_equal(b->log, "a");
}

static void set_again(actor *a)
{
    assert_int_equal(lw_timer_set(a->bench->loop, &a->timer, lw_loop_now(a->bench->loop)), LW_OK);
}

static void a_timer_that_sets_itself_does_not_starve_others(void **state)
{
    bench *b = *state;
    actor a = actor_of(b, 'a');
    a.then = set_again;
    assert_int_equal(lw_timer_set(b->loop, &a.timer, lw_loop_now(b->loop)), LW_OK);
    turn(b);
    assert_string_equal(b->log, "a");
    turn(b);
    assert_string_equal(b->log, "aa");
    lw_timer_cancel(b->loop, &a.timer);
}

static void a_wait_ends_when_a_timer_is_due(void **state)
{
    (void)state;
    bench b = { .clock = NULL };
    assert_int_equal(lw_loop_new(&b.loop, NULL, NULL), LW_OK);
    actor a = actor_of(&b, 'a');
    assert_int_equal(lw_timer_set(b.loop, &a.timer, lw_loop_now(b.loop) + 3 * LW_NS_PER_MS), LW_OK);
    while (b.log[0] == '\0')
        assert_int_equal(lw_loop_turn(b.loop, -1, NULL), LW_OK);
    assert_true(lw_loop_now(b.loop) >= a.timer.deadline_ns);
    lw_loop_free(b.loop);
}

static void tells_what_a_descriptor_is_ready_for(void **state)
{
    bench *b = *state;
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    actor a = actor_of(b, 'a');
    a.io.fd = pair[0];
    a.io.wanted = LW_IO_READ;
    assert_int_equal(lw_loop_add(b->loop, &a.io, NULL), LW_OK);
    turn(b);
    assert_string_equal(b->log, "");
    assert_int_equal(write(pair[1], "x", 1), 1);
    turn(b);
    turn(b);
    assert_string_equal(b->log, "aa"); /* level-triggered */
    lw_loop_change(b->loop, &a.io, 0);
    turn(b);
    assert_string_equal(b->log, "aa");
    lw_loop_change(b->loop, &a.io, LW_IO_WRITE);
    turn(b);
    assert_string_equal(b->log, "aaa");
    lw_loop_remove(b->loop, &a.io);
    turn(b);
    assert_string_equal(b->log, "aaa");
    close(pair[0]);
    close(pair[1]);
}

static void remove_other(actor *a)
{
    lw_loop_remove(a->bench->loop, &a->other->io);
    a->other = NULL;
    a->then = NULL;
}

static void a_removed_descriptor_is_not_told_of_again_in_the_same_batch(void **state)
{
    bench *b = *state;
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    actor a = actor_of(b, 'x'), c = actor_of(b, 'x');
    a.io.fd = pair[0];
    c.io.fd = pair[1];
    a.io.wanted = c.io.wanted = LW_IO_WRITE;
    a.then = c.then = remove_other;
    a.other = &c;
    c.other = &a;
    assert_int_equal(lw_loop_add(b->loop, &a.io, NULL), LW_OK);
    assert_int_equal(lw_loop_add(b->loop, &c.io, NULL), LW_OK);
    turn(b);
    assert_string_equal(b->log, "x"); /* whichever came first has removed the other */
    lw_loop_remove(b->loop, a.other ? &c.io : &a.io);
    close(pair[0]);
    close(pair[1]);
}

static void refuses_a_descriptor_that_is_none(void **state)
{
    bench *b = *state;
    actor a = actor_of(b, 'a');
    lw_error err = LW_ERROR_INIT;
    a.io.fd = -1;
    assert_int_equal(lw_loop_add(b->loop, &a.io, &err), LW_ERR_IO);
    assert_int_equal(err.code, LW_ERR_IO);
}

static void stop_loop(actor *a)
{
    lw_loop_stop(a->bench->loop);
}

static void runs_until_it_is_stopped_and_can_run_again(void **state)
{
    bench *b = *state;
    actor a = actor_of(b, 'a'), c = actor_of(b, 'c');
    a.then = c.then = stop_loop;
    lw_loop_post(b->loop, &a.task);
    assert_int_equal(lw_loop_run(b->loop, NULL), LW_OK);
    assert_string_equal(b->log, "a");
    lw_loop_post(b->loop, &c.task);
    assert_int_equal(lw_loop_run(b->loop, NULL), LW_OK);
    assert_string_equal(b->log, "ac");
    lw_loop_stop(b->loop); /* before it runs: it returns at once */
    assert_int_equal(lw_loop_run(b->loop, NULL), LW_OK);
}

static void tasks_left_over_run_when_the_loop_is_freed(void **state)
{
    (void)state;
    bench b = { .clock = NULL };
    assert_int_equal(lw_loop_new(&b.loop, NULL, NULL), LW_OK);
    actor a = actor_of(&b, 'a'), c = actor_of(&b, 'c'), d = actor_of(&b, 'd');
    a.then = post_other;
    a.other = &c;
    c.then = defer_other;
    c.other = &d;
    lw_loop_post(b.loop, &a.task);
    lw_loop_free(b.loop);
    assert_string_equal(b.log, "acd");
}

static void keeps_a_pointer_for_its_owner(void **state)
{
    bench *b = *state;
    assert_null(lw_loop_data(b->loop));
    lw_loop_set_data(b->loop, b);
    assert_ptr_equal(lw_loop_data(b->loop), b);
    assert_ptr_equal(lw_loop_clock(b->loop), lw_manual_clock_as_clock(b->clock));
}

static lw_loop *later_loop;
static int later_runs;

static void run_again_later(lw_task *task)
{
    later_runs++;
    lw_loop_later(later_loop, task);
}

static void what_is_left_for_later_runs_once_in_each_batch(void **state)
{
    bench *b = *state;
    lw_task task = { .run = run_again_later };
    uint64_t before = lw_loop_batch(b->loop);
    later_loop = b->loop;
    later_runs = 0;
    lw_loop_later(b->loop, &task);
    assert_int_equal(lw_loop_turn(b->loop, -1, NULL), LW_OK); /* does not wait */
    assert_int_equal(later_runs, 1);
    assert_int_equal(lw_loop_turn(b->loop, -1, NULL), LW_OK);
    assert_int_equal(later_runs, 2);
    assert_int_equal(lw_loop_batch(b->loop), before + 2);
    lw_dlist_remove(&task.link); /* cancels it */
    assert_int_equal(lw_loop_turn(b->loop, 0, NULL), LW_OK);
    assert_int_equal(later_runs, 2);
}

#define LOOP_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LOOP_TEST(runs_posted_tasks_in_order),
        LOOP_TEST(what_a_task_posts_waits_for_the_next_batch),
        LOOP_TEST(what_is_posted_in_a_batch_needs_no_system_call),
        LOOP_TEST(what_is_deferred_runs_at_the_end_of_the_batch),
        LOOP_TEST(what_is_deferred_outside_of_a_batch_does_not_wait_for_events),
        LOOP_TEST(timers_fire_in_the_order_of_their_deadlines),
        LOOP_TEST(a_timer_is_moved_and_cancelled),
        LOOP_TEST(a_timer_that_sets_itself_does_not_starve_others),
        TEST(a_wait_ends_when_a_timer_is_due),
        LOOP_TEST(tells_what_a_descriptor_is_ready_for),
        LOOP_TEST(a_removed_descriptor_is_not_told_of_again_in_the_same_batch),
        LOOP_TEST(refuses_a_descriptor_that_is_none),
        LOOP_TEST(runs_until_it_is_stopped_and_can_run_again),
        TEST(tasks_left_over_run_when_the_loop_is_freed),
        LOOP_TEST(keeps_a_pointer_for_its_owner),
        LOOP_TEST(what_is_left_for_later_runs_once_in_each_batch),
    };
    return cmocka_run_group_tests_name("loop", tests, NULL, NULL);
}
