/* SPDX-License-Identifier: Apache-2.0 */
/* workqueue_test.c -- the work queue in one thread; tests/thread has the tests with many threads.
 */
#include <listwatch/workqueue.h>

#include <poll.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/random.h"
#include "unit/failing_alloc.h"
#include "unit/test.h"

typedef struct fixture {
    lw_workqueue *queue;
    lw_manual_clock *manual;
} fixture;

static void fixture_make(fixture *f, lw_workqueue_options options)
{
    assert_int_equal(lw_manual_clock_new(&f->manual, 0), LW_OK);
    options.clock = lw_manual_clock_as_clock(f->manual);
    assert_int_equal(lw_workqueue_new(&f->queue, &options, NULL), LW_OK);
}

static int setup(void **state)
{
    static fixture f;
    fixture_make(&f, (lw_workqueue_options){ .size = sizeof(lw_workqueue_options), .rate = -1 });
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    lw_workqueue_free(f->queue);
    lw_manual_clock_free(f->manual);
    return 0;
}

static void add(fixture *f, const char *key)
{
    assert_int_equal(lw_workqueue_add(f->queue, key), LW_OK);
}

/* Takes the key that comes next, which must be |key| (NULL: none). */
static const char *take(fixture *f, const char *key)
{
    const char *got = lw_workqueue_get(f->queue, 0);
    if (!key) {
        assert_null(got);
        return NULL;
    }
    assert_non_null(got);
    assert_string_equal(got, key);
    return got;
}

static void finish(fixture *f, const char *key)
{
    lw_workqueue_done(f->queue, take(f, key));
}

static void pass_ms(fixture *f, int64_t ms)
{
    lw_manual_clock_advance(f->manual, ms * LW_NS_PER_MS);
}

static bool is_readable(const fixture *f)
{
    struct pollfd fd = { .fd = lw_workqueue_fd(f->queue), .events = POLLIN };
    return poll(&fd, 1, 0) == 1;
}

static void keys_leave_in_the_order_they_came(void **state)
{
    fixture *f = *state;
    add(f, "ns/a");
    add(f, "ns/b");
    add(f, "c");
    assert_int_equal(lw_workqueue_count(f->queue), 3);
    finish(f, "ns/a");
    finish(f, "ns/b");
    finish(f, "c");
    take(f, NULL);
    assert_int_equal(lw_workqueue_count(f->queue), 0);
}

static void a_key_that_waits_already_is_not_added_again(void **state)
{
    fixture *f = *state;
    add(f, "a");
    add(f, "b");
    add(f, "a");
    assert_int_equal(lw_workqueue_count(f->queue), 2);
    finish(f, "a");
    finish(f, "b");
    take(f, NULL);
}

/* TestCollapseWhileProcessing */
static void a_key_that_is_worked_on_comes_again_once_and_not_before(void **state)
{
    fixture *f = *state;
    add(f, "a");
    const char *a = take(f, "a");
    add(f, "a");
    add(f, "a");
    add(f, "b");
    finish(f, "b");
    take(f, NULL);
    assert_int_equal(lw_workqueue_count(f->queue), 0);
    lw_workqueue_done(f->queue, a);
    finish(f, "a");
    take(f, NULL);
}

static void a_key_comes_back_behind_those_that_waited(void **state)
{
    fixture *f = *state;
    add(f, "a");
    const char *a = take(f, "a");
    add(f, "b");
    add(f, "a");
    lw_workqueue_done(f->queue, a);
    add(f, "c");
    finish(f, "b");
    finish(f, "a");
    finish(f, "c");
}

static void done_with_a_key_that_nobody_has_does_nothing(void **state)
{
    fixture *f = *state;
    lw_workqueue_done(f->queue, "unknown");
    add(f, "a");
    lw_workqueue_done(f->queue, "a");
    assert_int_equal(lw_workqueue_count(f->queue), 1);
    finish(f, "a");
}

static void a_delayed_key_comes_when_it_is_due(void **state)
{
    fixture *f = *state;
    assert_int_equal(lw_workqueue_add_after(f->queue, "a", 50 * LW_NS_PER_MS), LW_OK);
    take(f, NULL);
    assert_int_equal(lw_workqueue_timeout_ms(f->queue), 50);
    pass_ms(f, 49);
    take(f, NULL);
    pass_ms(f, 1);
    assert_int_equal(lw_workqueue_timeout_ms(f->queue), 0);
    finish(f, "a");
    assert_int_equal(lw_workqueue_timeout_ms(f->queue), -1);
}

static void no_delay_is_now(void **state)
{
    fixture *f = *state;
    assert_int_equal(lw_workqueue_add_after(f->queue, "a", 0), LW_OK);
    assert_int_equal(lw_workqueue_add_after(f->queue, "b", -5), LW_OK);
    finish(f, "a");
    finish(f, "b");
}

/* TestAddTwoFireEarly */
static void of_two_delays_the_earlier_counts(void **state)
{
    fixture *f = *state;
    (void)lw_workqueue_add_after(f->queue, "a", 1000 * LW_NS_PER_MS);
    (void)lw_workqueue_add_after(f->queue, "a", 50 * LW_NS_PER_MS);
    (void)lw_workqueue_add_after(f->queue, "a", 500 * LW_NS_PER_MS);
    pass_ms(f, 50);
    finish(f, "a");
    pass_ms(f, 2000);
    take(f, NULL);
}

static void delays_are_kept_in_order(void **state)
{
    fixture *f = *state;
    lw_random random;
    lw_random_init(&random, 9);
    for (int i = 0; i < 200; i++) {
        char key[16];
        unsigned ms = 1 + (unsigned)lw_random_below(&random, 1000);
        (void)snprintf(key, sizeof(key), "%04u", ms);
        (void)lw_workqueue_add_after(f->queue, key, ms * LW_NS_PER_MS);
    }
    pass_ms(f, 1000);
    char last[16] = "";
    for (const char *key; (key = lw_workqueue_get(f->queue, 0));) {
        assert_true(strcmp(last, key) < 0);
        (void)snprintf(last, sizeof(last), "%s", key);
        lw_workqueue_done(f->queue, key);
    }
}

static void those_due_at_once_come_in_the_order_they_were_delayed(void **state)
{
    fixture *f = *state;
    (void)lw_workqueue_add_after(f->queue, "c", LW_NS_PER_MS);
    (void)lw_workqueue_add_after(f->queue, "a", LW_NS_PER_MS);
    (void)lw_workqueue_add_after(f->queue, "b", LW_NS_PER_MS);
    pass_ms(f, 1);
    finish(f, "c");
    finish(f, "a");
    finish(f, "b");
}

static void a_key_that_is_due_while_worked_on_comes_after_that(void **state)
{
    fixture *f = *state;
    add(f, "a");
    const char *a = take(f, "a");
    (void)lw_workqueue_add_after(f->queue, "a", LW_NS_PER_MS);
    pass_ms(f, 1);
    take(f, NULL);
    lw_workqueue_done(f->queue, a);
    finish(f, "a");
    take(f, NULL);
}

static void adding_now_does_not_take_a_delay_away(void **state)
{
    fixture *f = *state;
    (void)lw_workqueue_add_after(f->queue, "a", LW_NS_PER_MS);
    add(f, "a");
    finish(f, "a");
    pass_ms(f, 1);
    finish(f, "a");
    take(f, NULL);
}

static void failures_count_until_they_are_forgotten(void **state)
{
    fixture *f = *state;
    int64_t ms = 5;
    for (unsigned i = 1; i <= 5; i++, ms *= 2) {
        assert_int_equal(lw_workqueue_add_rate_limited(f->queue, "a"), LW_OK);
        assert_int_equal(lw_workqueue_failures(f->queue, "a"), i);
        assert_int_equal(lw_workqueue_timeout_ms(f->queue), ms);
        pass_ms(f, ms - 1);
        take(f, NULL);
        pass_ms(f, 1);
        finish(f, "a");
    }
    lw_workqueue_forget(f->queue, "a");
    assert_int_equal(lw_workqueue_failures(f->queue, "a"), 0);
    (void)lw_workqueue_add_rate_limited(f->queue, "a");
    assert_int_equal(lw_workqueue_timeout_ms(f->queue), 5);
    lw_workqueue_forget(f->queue, "unknown");
}

static void forgetting_does_not_take_a_key_out(void **state)
{
    fixture *f = *state;
    (void)lw_workqueue_add_rate_limited(f->queue, "a");
    lw_workqueue_forget(f->queue, "a");
    add(f, "b");
    lw_workqueue_forget(f->queue, "b");
    finish(f, "b");
    pass_ms(f, 5);
    const char *a = take(f, "a");
    lw_workqueue_forget(f->queue, "a");
    lw_workqueue_done(f->queue, a);
}

static void all_retries_together_keep_to_the_rate(void **state)
{
    (void)state;
    fixture f;
    fixture_make(&f, (lw_workqueue_options){ .size = sizeof(lw_workqueue_options),
                                             .base_delay_ns = 1,
                                             .rate = 10,
                                             .burst = 2 });
    char key[16];
    for (int i = 0; i < 4; i++) {
        (void)snprintf(key, sizeof(key), "%d", i);
        (void)lw_workqueue_add_rate_limited(f.queue, key);
    }
    pass_ms(&f, 1);
    finish(&f, "0");
    finish(&f, "1");
    take(&f, NULL);
    pass_ms(&f, 99);
    finish(&f, "2");
    take(&f, NULL);
    pass_ms(&f, 100);
    finish(&f, "3");
    void *p = &f;
    (void)teardown(&p);
}

static void after_the_shutdown_it_takes_nothing_and_hands_out_the_rest(void **state)
{
    fixture *f = *state;
    add(f, "a");
    add(f, "b");
    (void)lw_workqueue_add_after(f->queue, "late", LW_NS_PER_MS);
    const char *a = take(f, "a");
    add(f, "a"); /* before the end: it counts */
    lw_workqueue_shut_down(f->queue);
    assert_true(lw_workqueue_is_shut_down(f->queue));
    assert_int_equal(lw_workqueue_add(f->queue, "c"), LW_ERR_STOPPED);
    assert_int_equal(lw_workqueue_add_after(f->queue, "c", 5), LW_ERR_STOPPED);
    assert_int_equal(lw_workqueue_add_rate_limited(f->queue, "a"), LW_ERR_STOPPED);
    pass_ms(f, 10);
    assert_non_null(strstr(lw_workqueue_get(f->queue, -1), "b"));
    lw_workqueue_done(f->queue, "b");
    assert_null(lw_workqueue_get(f->queue, -1));
    lw_workqueue_done(f->queue, a);
    finish(f, "a");
    assert_null(lw_workqueue_get(f->queue, -1));
    lw_workqueue_drain(f->queue);
    lw_workqueue_shut_down(f->queue);
}

static void the_descriptor_tells_whether_a_key_waits(void **state)
{
    fixture *f = *state;
    assert_false(is_readable(f));
    add(f, "a");
    add(f, "b");
    assert_true(is_readable(f));
    const char *a = take(f, "a");
    assert_true(is_readable(f));
    finish(f, "b");
    assert_false(is_readable(f));
    add(f, "a");
    assert_false(is_readable(f));
    lw_workqueue_done(f->queue, a);
    assert_true(is_readable(f));
    finish(f, "a");
    assert_false(is_readable(f));
    /* A delay is the timeout's business; two at once leave one waiting. */
    (void)lw_workqueue_add_after(f->queue, "c", LW_NS_PER_MS);
    (void)lw_workqueue_add_after(f->queue, "d", LW_NS_PER_MS);
    pass_ms(f, 1);
    assert_false(is_readable(f));
    finish(f, "c");
    assert_true(is_readable(f));
    finish(f, "d");
    assert_false(is_readable(f));
    lw_workqueue_shut_down(f->queue);
    assert_true(is_readable(f));
    take(f, NULL);
    assert_true(is_readable(f));
}

static void waiting_ends_in_time(void **state)
{
    fixture *f = *state;
    assert_null(lw_workqueue_get(f->queue, 0));
    assert_null(lw_workqueue_get(f->queue, 1));
    (void)lw_workqueue_add_after(f->queue, "a", 3600 * LW_NS_PER_S);
    assert_null(lw_workqueue_get(f->queue, 1));
}

static void waits_for_what_is_due_on_the_systems_clock(void **state)
{
    (void)state;
    lw_workqueue *queue = NULL;
    assert_int_equal(lw_workqueue_new(&queue, NULL, NULL), LW_OK);
    int64_t begin = lw_clock_now(lw_clock_system());
    (void)lw_workqueue_add_after(queue, "b", 20 * LW_NS_PER_MS);
    (void)lw_workqueue_add_after(queue, "a", 10 * LW_NS_PER_MS);
    const char *key = lw_workqueue_get(queue, -1);
    assert_string_equal(key, "a");
    assert_true(lw_clock_now(lw_clock_system()) - begin >= 10 * LW_NS_PER_MS);
    lw_workqueue_done(queue, key);
    lw_workqueue_free(queue);
}

static void it_is_bounded(void **state)
{
    (void)state;
    fixture f;
    fixture_make(&f, (lw_workqueue_options){
                         .size = sizeof(lw_workqueue_options), .max_keys = 3, .rate = -1 });
    add(&f, "a");
    (void)lw_workqueue_add_after(f.queue, "b", 5);
    add(&f, "c");
    assert_int_equal(lw_workqueue_add(f.queue, "d"), LW_ERR_LIMIT);
    assert_int_equal(lw_workqueue_add_after(f.queue, "d", 5), LW_ERR_LIMIT);
    add(&f, "a"); /* known: no room needed */
    finish(&f, "a");
    add(&f, "d");
    void *p = &f;
    (void)teardown(&p);
}

/* client-go never drops the failures of keys that are not forgotten. */
static void old_failures_make_room_for_keys(void **state)
{
    (void)state;
    fixture f;
    fixture_make(&f, (lw_workqueue_options){
                         .size = sizeof(lw_workqueue_options), .max_keys = 3, .rate = -1 });
    for (int i = 0; i < 1000; i++) {
        char key[16];
        (void)snprintf(key, sizeof(key), "%d", i);
        assert_int_equal(lw_workqueue_add_rate_limited(f.queue, key), LW_OK);
        pass_ms(&f, 5);
        finish(&f, key);
    }
    assert_int_equal(lw_workqueue_failures(f.queue, "999"), 1);
    assert_int_equal(lw_workqueue_failures(f.queue, "1"), 0);
    (void)lw_workqueue_add_rate_limited(f.queue, "998");
    assert_int_equal(lw_workqueue_failures(f.queue, "998"), 2);
    void *p = &f;
    (void)teardown(&p);
}

static void keys_that_are_done_take_no_memory(void **state)
{
    (void)state;
    failing_alloc a;
    failing_alloc_begin(&a, SIZE_MAX);
    fixture f;
    fixture_make(&f, (lw_workqueue_options){ .size = sizeof(lw_workqueue_options), .rate = -1 });
    size_t before = a.live;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 100; i++) {
            char key[16];
            (void)snprintf(key, sizeof(key), "%d", i);
            add(&f, key);
            (void)lw_workqueue_add_rate_limited(f.queue, key);
        }
        pass_ms(&f, 10000);
        for (const char *key; (key = lw_workqueue_get(f.queue, 0));) {
            lw_workqueue_forget(f.queue, key);
            lw_workqueue_done(f.queue, key);
        }
    }
    /* At most the empty tables. */
    assert_true(a.live <= before + 2);
    void *p = &f;
    (void)teardown(&p);
    failing_alloc_end();
    assert_int_equal(a.live, 0);
}

static void without_memory_nothing_is_lost_that_was_in(void **state)
{
    (void)state;
    failing_alloc a;
    failing_alloc_begin(&a, SIZE_MAX);
    fixture f;
    fixture_make(&f, (lw_workqueue_options){ .size = sizeof(lw_workqueue_options), .rate = -1 });
    add(&f, "a");
    const char *key = take(&f, "a");
    a.allowed = 0;
    assert_int_equal(lw_workqueue_add(f.queue, "b"), LW_ERR_NOMEM);
    assert_int_equal(lw_workqueue_add_after(f.queue, "a", 5), LW_ERR_NOMEM);
    assert_int_equal(lw_workqueue_add(f.queue, "a"), LW_OK);
    lw_workqueue_done(f.queue, key);
    finish(&f, "a");
    a.allowed = SIZE_MAX;
    void *p = &f;
    (void)teardown(&p);
    failing_alloc_end();
    assert_int_equal(a.live, 0);
}

/* Any sequence of calls, against a model that knows no lists and heaps. */
static void behaves_as_the_model_does(void **state)
{
    enum {
        KEYS = 8,
        STEPS = 50000
    };
    fixture *f = *state;
    lw_random random;
    lw_random_init(&random, 3);
    bool is_dirty[KEYS] = { false };
    bool is_out[KEYS] = { false };
    int64_t due[KEYS]; /* ms; -1: none */
    int64_t now = 0;
    for (int i = 0; i < KEYS; i++)
        due[i] = -1;
    for (int step = 0; step < STEPS; step++) {
        unsigned i = (unsigned)lw_random_below(&random, KEYS);
        char key[4];
        (void)snprintf(key, sizeof(key), "%u", i);
        switch (lw_random_below(&random, 6)) {
        case 0:
            add(f, key);
            is_dirty[i] = true;
            break;
        case 1: {
            int64_t ms = 1 + (int64_t)lw_random_below(&random, 20);
            assert_int_equal(lw_workqueue_add_after(f->queue, key, ms * LW_NS_PER_MS), LW_OK);
            if (due[i] < 0 || now + ms < due[i])
                due[i] = now + ms;
            break;
        }
        case 2:
            if (is_out[i])
                lw_workqueue_done(f->queue, key);
            is_out[i] = false;
            break;
        case 3:
            pass_ms(f, 1);
            now++;
            break;
        case 4: lw_workqueue_forget(f->queue, key); break;
        default: {
            for (int k = 0; k < KEYS; k++) {
                is_dirty[k] = is_dirty[k] || (due[k] >= 0 && due[k] <= now);
                due[k] = due[k] <= now ? -1 : due[k];
            }
            const char *got = lw_workqueue_get(f->queue, 0);
            size_t waiting = 0;
            for (int k = 0; k < KEYS; k++)
                waiting += is_dirty[k] && !is_out[k];
            assert_int_equal(got != NULL, waiting > 0);
            if (got) {
                int n = got[0] - '0';
                assert_true(is_dirty[n] && !is_out[n]);
                is_dirty[n] = false;
                is_out[n] = true;
                waiting--;
            }
            assert_int_equal(lw_workqueue_count(f->queue), waiting);
            assert_int_equal(is_readable(f), waiting > 0);
        }
        }
    }
}

#define TEST_WITH_QUEUE(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_WITH_QUEUE(keys_leave_in_the_order_they_came),
        TEST_WITH_QUEUE(a_key_that_waits_already_is_not_added_again),
        TEST_WITH_QUEUE(a_key_that_is_worked_on_comes_again_once_and_not_before),
        TEST_WITH_QUEUE(a_key_comes_back_behind_those_that_waited),
        TEST_WITH_QUEUE(done_with_a_key_that_nobody_has_does_nothing),
        TEST_WITH_QUEUE(a_delayed_key_comes_when_it_is_due),
        TEST_WITH_QUEUE(no_delay_is_now),
        TEST_WITH_QUEUE(of_two_delays_the_earlier_counts),
        TEST_WITH_QUEUE(delays_are_kept_in_order),
        TEST_WITH_QUEUE(those_due_at_once_come_in_the_order_they_were_delayed),
        TEST_WITH_QUEUE(a_key_that_is_due_while_worked_on_comes_after_that),
        TEST_WITH_QUEUE(adding_now_does_not_take_a_delay_away),
        TEST_WITH_QUEUE(failures_count_until_they_are_forgotten),
        TEST_WITH_QUEUE(forgetting_does_not_take_a_key_out),
        TEST(all_retries_together_keep_to_the_rate),
        TEST_WITH_QUEUE(after_the_shutdown_it_takes_nothing_and_hands_out_the_rest),
        TEST_WITH_QUEUE(the_descriptor_tells_whether_a_key_waits),
        TEST_WITH_QUEUE(waiting_ends_in_time),
        TEST(waits_for_what_is_due_on_the_systems_clock),
        TEST(it_is_bounded),
        TEST(old_failures_make_room_for_keys),
        TEST(keys_that_are_done_take_no_memory),
        TEST(without_memory_nothing_is_lost_that_was_in),
        TEST_WITH_QUEUE(behaves_as_the_model_does),
    };
    return cmocka_run_group_tests_name("workqueue", tests, NULL, NULL);
}
