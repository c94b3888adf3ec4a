/* SPDX-License-Identifier: Apache-2.0 */
/* reconciler_loop_test.c -- a reconciler without threads, in the loop of the program. */
#include <listwatch/reconciler.h>

#include <poll.h>
#include <stdio.h>

#include "base/error.h"
#include "unit/test.h"

enum {
    KEYS = 40,
};

/* What the reconcile function does and has seen. */
typedef struct site {
    lw_reconciler *reconciler;
    lw_manual_clock *clock;
    bool is_pending; /* the keys are finished later */
    unsigned fails;  /* this many calls fail */
    int64_t again_after_ns;
    unsigned calls;
    const char *tickets[KEYS];
    char last[32];
} site;

static lw_status reconcile(lw_key key, lw_reconcile_result *result, void *arg, lw_error *err)
{
    site *s = arg;
    (void)snprintf(s->last, sizeof(s->last), "%s/%s", key.ns.ptr, key.name.ptr);
    s->tickets[s->calls++ % KEYS] = result->ticket;
    result->is_pending = s->is_pending;
    result->again_after_ns = s->again_after_ns;
    if (s->fails == 0)
        return LW_OK;
    s->fails--;
    return lw_error_set(err, LW_ERR_UNAVAILABLE, "not now");
}

static void site_open(site *s, unsigned workers)
{
    *s = (site){ 0 };
    assert_int_equal(lw_manual_clock_new(&s->clock, 0), LW_OK);
    lw_workqueue_options queue = LW_WORKQUEUE_OPTIONS_INIT;
    queue.clock = lw_manual_clock_as_clock(s->clock);
    queue.rate = -1;
    lw_reconciler_options options = LW_RECONCILER_OPTIONS_INIT;
    options.reconcile = reconcile;
    options.arg = s;
    options.workers = workers;
    options.queue = &queue;
    assert_int_equal(lw_reconciler_new(&s->reconciler, &options, NULL), LW_OK);
    assert_int_equal(lw_reconciler_fd(s->reconciler), -1);
    assert_int_equal(lw_reconciler_start_in_loop(s->reconciler, NULL), LW_OK);
}

static void site_close(site *s)
{
    lw_reconciler_free(s->reconciler);
    lw_manual_clock_free(s->clock);
}

static void add(site *s, const char *name)
{
    assert_int_equal(lw_reconciler_add(s->reconciler, lw_key_make("n", name)), LW_OK);
}

static bool is_readable(const site *s)
{
    struct pollfd fd = { .fd = lw_reconciler_fd(s->reconciler), .events = POLLIN };
    return poll(&fd, 1, 0) == 1;
}

static void keys_are_reconciled_by_dispatch(void **state)
{
    (void)state;
    site s;
    site_open(&s, 1);
    assert_false(is_readable(&s));
    assert_int_equal(lw_reconciler_timeout_ms(s.reconciler), -1);
    add(&s, "a");
    assert_true(is_readable(&s));
    assert_int_equal(lw_reconciler_timeout_ms(s.reconciler), 0);
    assert_int_equal(s.calls, 0);
    lw_reconciler_dispatch(s.reconciler);
    assert_int_equal(s.calls, 1);
    assert_string_equal(s.last, "n/a");
    assert_false(is_readable(&s));
    lw_reconciler_dispatch(s.reconciler);
    assert_int_equal(s.calls, 1);
    site_close(&s);
}

static void one_dispatch_leaves_time_for_others(void **state)
{
    (void)state;
    site s;
    site_open(&s, 1);
    for (int i = 0; i < KEYS; i++) {
        char name[8];
        (void)snprintf(name, sizeof(name), "k%d", i);
        add(&s, name);
    }
    lw_reconciler_dispatch(s.reconciler);
    assert_in_range(s.calls, 1, KEYS - 1);
    while (is_readable(&s))
        lw_reconciler_dispatch(s.reconciler);
    assert_int_equal(s.calls, KEYS);
    site_close(&s);
}

static void failures_and_delays_are_due_by_the_timeout(void **state)
{
    (void)state;
    site s;
    site_open(&s, 1);
    s.fails = 1;
    add(&s, "a");
    lw_reconciler_dispatch(s.reconciler);
    assert_int_equal(lw_reconciler_timeout_ms(s.reconciler), 5);
    lw_manual_clock_advance(s.clock, 5000000);
    s.again_after_ns = INT64_C(70000000);
    lw_reconciler_dispatch(s.reconciler);
    assert_int_equal(s.calls, 2);
    assert_int_equal(lw_reconciler_timeout_ms(s.reconciler), 70);
    site_close(&s);
}

static void a_pending_key_is_not_given_out_until_it_is_finished(void **state)
{
    (void)state;
    site s;
    site_open(&s, 2);
    s.is_pending = true;
    add(&s, "a");
    lw_reconciler_dispatch(s.reconciler);
    add(&s, "a"); /* changed meanwhile */
    lw_reconciler_dispatch(s.reconciler);
    assert_int_equal(s.calls, 1);
    lw_reconciler_finish(s.reconciler, s.tickets[0], LW_OK, 0, NULL);
    lw_reconciler_dispatch(s.reconciler);
    assert_int_equal(s.calls, 2);
    lw_error err = LW_ERROR_INIT;
    lw_status st = lw_error_set(&err, LW_ERR_CONFLICT, "changed");
    lw_reconciler_finish(s.reconciler, s.tickets[1], st, 0, &err);
    assert_int_equal(lw_reconciler_timeout_ms(s.reconciler), 5); /* a retry */
    site_close(&s);
}

static void the_loop_sleeps_while_as_many_keys_are_pending_as_may_be(void **state)
{
    (void)state;
    site s;
    site_open(&s, 2);
    s.is_pending = true;
    add(&s, "a");
    add(&s, "b");
    add(&s, "c");
    lw_reconciler_dispatch(s.reconciler);
    assert_int_equal(s.calls, 2);
    assert_false(is_readable(&s));
    assert_int_equal(lw_reconciler_timeout_ms(s.reconciler), -1);
    lw_reconciler_finish(s.reconciler, s.tickets[1], LW_OK, 0, NULL);
    assert_true(is_readable(&s));
    lw_reconciler_dispatch(s.reconciler);
    assert_int_equal(s.calls, 3);
    assert_string_equal(s.last, "n/c");
    site_close(&s); /* with pending keys */
}

static void it_is_started_once_and_stopped_for_good(void **state)
{
    (void)state;
    site s;
    lw_error err = LW_ERROR_INIT;
    site_open(&s, 1);
    assert_int_equal(lw_reconciler_start_in_loop(s.reconciler, &err), LW_ERR_EXISTS);
    assert_int_equal(lw_reconciler_start(s.reconciler, &err), LW_ERR_EXISTS);
    add(&s, "a");
    lw_reconciler_stop(s.reconciler);
    lw_reconciler_dispatch(s.reconciler);
    assert_int_equal(s.calls, 0);
    assert_int_equal(lw_reconciler_timeout_ms(s.reconciler), -1);
    assert_int_equal(lw_reconciler_start_in_loop(s.reconciler, &err), LW_ERR_STOPPED);
    site_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(keys_are_reconciled_by_dispatch),
        TEST(one_dispatch_leaves_time_for_others),
        TEST(failures_and_delays_are_due_by_the_timeout),
        TEST(a_pending_key_is_not_given_out_until_it_is_finished),
        TEST(the_loop_sleeps_while_as_many_keys_are_pending_as_may_be),
        TEST(it_is_started_once_and_stopped_for_good),
    };
    return cmocka_run_group_tests_name("reconciler-loop", tests, NULL, NULL);
}
