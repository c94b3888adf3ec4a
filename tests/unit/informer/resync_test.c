/* SPDX-License-Identifier: Apache-2.0 */
/* resync_test.c -- handlers that receive all objects again at an interval. */
#include <listwatch/informer.h>

#include "house.h"

/* TestListenerResyncPeriods: each handler gets exactly its ticks. */
static void each_handler_is_told_again_after_its_own_period(void **state)
{
    (void)state;
    house h;
    notebook never = { .len = 0 }, two = { .len = 0 }, three = { .len = 0 },
             informers = { .len = 0 };
    lw_factory_options options = house_options();
    options.resync_s = 5;
    house_open_with(&h, &options);
    house_put(&h, "a/x");
    lw_handler handler = notebook_handler(&never);
    handler.resync_s = -1;
    (void)house_add(&h, &handler);
    handler = notebook_handler(&two);
    handler.resync_s = 2;
    (void)house_add(&h, &handler);
    handler = notebook_handler(&three);
    handler.resync_s = 3;
    (void)house_add(&h, &handler);
    handler = notebook_handler(&informers); /* inherits that of the factory */
    (void)house_add(&h, &handler);
    house_run_until_idle(&h);
    assert_told(&never, "+a/x.i");
    assert_told(&two, "+a/x.i");
    assert_told(&three, "+a/x.i");
    assert_told(&informers, "+a/x.i");
    static const char *const expected[][3] = { { "", "", "" },       { "~a/x.s", "", "" },
                                               { "", "~a/x.s", "" }, { "~a/x.s", "", "" },
                                               { "", "", "~a/x.s" }, { "~a/x.s", "~a/x.s", "" } };
    for (size_t second = 0; second < 6; second++) {
        house_advance(&h, LW_NS_PER_S);
        assert_told(&two, expected[second][0]);
        assert_told(&three, expected[second][1]);
        assert_told(&informers, expected[second][2]);
    }
    assert_told(&never, "");
    house_close(&h);
}

static void the_loop_is_told_when_the_next_resync_is(void **state)
{
    (void)state;
    house h;
    notebook book = { .len = 0 };
    house_open(&h);
    house_put(&h, "a/x");
    lw_handler handler = notebook_handler(&book);
    handler.resync_s = 2;
    (void)house_add(&h, &handler);
    house_run_until_idle(&h);
    assert_int_equal(lw_factory_timeout_ms(h.factory), 2000);
    lw_manual_clock_advance(h.clock, 1500 * LW_NS_PER_MS);
    assert_int_equal(lw_factory_timeout_ms(h.factory), 500);
    house_close(&h);
}

static void a_period_that_was_slept_through_is_one_resync(void **state)
{
    (void)state;
    house h;
    notebook book = { .len = 0 };
    house_open(&h);
    house_put(&h, "a/x");
    lw_handler handler = notebook_handler(&book);
    handler.resync_s = 1;
    (void)house_add(&h, &handler);
    house_run_until_idle(&h);
    house_advance(&h, 100 * LW_NS_PER_S);
    assert_told(&book, "+a/x.i ~a/x.s");
    house_close(&h);
}

static void a_resync_tells_nothing_older_than_what_was_told(void **state)
{
    (void)state;
    house h;
    notebook book = { .len = 0 };
    house_open(&h);
    house_put(&h, "a/x");
    house_put(&h, "a/y");
    lw_handler handler = notebook_handler(&book);
    handler.mode = LW_HANDLER_DRAINED;
    handler.resync_s = 1;
    lw_registration *registration = house_add(&h, &handler);
    house_run_until_idle(&h);
    assert_int_equal(lw_registration_drain(registration, 0), 2);
    house_put(&h, "a/x");
    house_advance(&h, LW_NS_PER_S);
    house_delete(&h, "a/y");
    house_run_until_idle(&h);
    /* The resync was due between the two; it is delivered after all changes. */
    assert_int_equal(lw_registration_drain(registration, 0), 3);
    assert_told(&book, "+a/x.i +a/y.i ~a/x.w -a/y.w ~a/x.s");
    house_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_handler_is_told_again_after_its_own_period),
        TEST(the_loop_is_told_when_the_next_resync_is),
        TEST(a_period_that_was_slept_through_is_one_resync),
        TEST(a_resync_tells_nothing_older_than_what_was_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
