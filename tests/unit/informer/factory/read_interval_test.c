/* SPDX-License-Identifier: Apache-2.0 */
/* read_interval_test.c -- the thread of a factory lets events gather between two reads. */
#include "informer/factory/factory.h"

#include "unit/informer/house.h"

enum {
    INTERVAL_MS = 20,
    EVENTS = 5,
    HOUR_MS = 3600 * 1000,
};

static void open_and_start(house *h, int interval_ms)
{
    lw_factory_options options = house_options();
    options.read_interval_ms = interval_ms;
    house_open_with(h, &options);
    assert_int_equal(lw_factory_start(h->factory, NULL), LW_OK);
    assert_int_equal(lw_factory_wait_for_sync(h->factory, 60, NULL), LW_OK);
}

static void events_that_follow_one_another_wait_for_the_next_read(void **state)
{
    (void)state;
    house h;
    open_and_start(&h, INTERVAL_MS);
    int64_t begin = lw_clock_now(lw_clock_system());
    for (int i = 0; i < EVENTS; i++) {
        uint64_t revision = house_put(&h, "a/x");
        assert_int_equal(lw_informer_wait_for_revision(h.pods, revision, 60, NULL), LW_OK);
    }
    int64_t took = lw_clock_now(lw_clock_system()) - begin;
    house_close(&h);
    assert_true(took >= (EVENTS - 1) * INTERVAL_MS * LW_NS_PER_MS);
}

static void the_first_list_does_not_wait(void **state)
{
    (void)state;
    house h;
    open_and_start(&h, HOUR_MS); /* returns when it is synced */
    house_close(&h);
}

static void a_new_handler_does_not_wait(void **state)
{
    (void)state;
    house h;
    notebook book = { .len = 0 };
    open_and_start(&h, HOUR_MS);
    uint64_t revision = house_put(&h, "a/x");
    const lw_handler handler = notebook_handler(&book);
    (void)house_add(&h, &handler);
    assert_int_equal(lw_informer_wait_for_revision(h.pods, revision, 60, NULL), LW_OK);
    house_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(events_that_follow_one_another_wait_for_the_next_read),
        TEST(the_first_list_does_not_wait),
        TEST(a_new_handler_does_not_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
