/* SPDX-License-Identifier: Apache-2.0 */
/* reflector_test.c -- the life of a reflector: start, timers, stop, statistics. */
#include "informer/reflector.h"

#include "unit/informer/rig.h"

static void nothing_is_asked_before_the_start_or_after_the_stop(void **state)
{
    (void)state;
    rig g;
    lw_reflector_options options = rig_options();
    lw_reflector *idle = NULL;
    rig_open(&g, &options);
    script_event(&g.source, LW_WATCH_ADDED, "n/a", 3);
    lw_reflector_stop(g.reflector); /* client-go: TestReflectorWatchStoppedAfter */
    assert_int_equal(g.source.cancels, 1);
    assert_true(lw_reflector_deadline_ns(g.reflector) == LW_NEVER_NS);
    lw_reflector_tick(g.reflector);
    lw_reflector_recover(g.reflector);
    lw_reflector_stop(g.reflector);
    assert_int_equal(g.source.watches, 1);
    assert_int_equal(g.source.cancels, 1);
    options.source = &g.source.base;
    options.fifo = g.fifo;
    assert_int_equal(lw_reflector_new(&idle, &options, NULL), LW_OK);
    assert_true(lw_reflector_deadline_ns(idle) == LW_NEVER_NS);
    lw_reflector_tick(idle);
    lw_reflector_free(idle);
    lw_reflector_free(NULL);
    assert_int_equal(g.source.watches, 1);
    rig_close(&g);
}

static void a_stop_while_it_waits_ends_the_wait(void **state)
{
    (void)state;
    rig g;
    rig_open_listing(&g);
    lw_error err = script_error(LW_ERR_UNAVAILABLE, 0, 0);
    script_fail(&g.source, &err);
    lw_reflector_stop(g.reflector);
    rig_advance(&g, 100 * LW_NS_PER_S);
    assert_int_equal(g.source.lists, 1);
    rig_close(&g);
}

static void resync_comes_with_its_period_once_there_is_something_to_tell(void **state)
{
    (void)state;
    rig g;
    lw_reflector_options options = rig_options();
    options.lists_only = true;
    options.resync_s = 30;
    rig_open(&g, &options);
    script_item(&g.source, "n/a", 3);
    rig_advance(&g, 100 * LW_NS_PER_S);
    assert_applied(&g, "");
    script_list_end(&g.source, "10", "");
    rig_run_until_idle(&g);
    script_open(&g.source);
    assert_applied(&g, "=@10");
    assert_int_equal(rig_wait(&g), 30 * LW_NS_PER_S);
    assert_applied(&g, "*");
    assert_int_equal(rig_wait(&g), 30 * LW_NS_PER_S);
    assert_applied(&g, "*");
    assert_request(&g, "WATCH rv=10"); /* no traffic */
    assert_int_equal(g.source.watches, 1);
    rig_close(&g);
}

/* In client-go a relist restarts the period, and a long backoff suspends it. */
static void resync_goes_on_while_the_server_is_away(void **state)
{
    (void)state;
    rig g;
    lw_reflector_options options = rig_options();
    options.lists_only = true;
    options.resync_s = 10;
    rig_open(&g, &options);
    script_list_end(&g.source, "10", "");
    rig_run_until_idle(&g);
    assert_applied(&g, "=@10");
    lw_error err = script_error(LW_ERR_TOO_MANY, 429, 25);
    script_fail(&g.source, &err);
    rig_run_until_idle(&g);
    assert_int_equal(rig_wait(&g), 10 * LW_NS_PER_S);
    assert_int_equal(rig_wait(&g), 10 * LW_NS_PER_S);
    assert_applied(&g, "* *");
    assert_in_range(rig_wait(&g), 5 * LW_NS_PER_S,
                    10 * LW_NS_PER_S); /* 25 s and up to half of it */
    if (strcmp(script_request(&g.source), "") == 0)
        (void)rig_wait(&g);
    assert_request(&g, "WATCH rv=10");
    rig_close(&g);
}

static void no_period_no_resync(void **state)
{
    (void)state;
    rig g;
    rig_open_listing(&g);
    script_list_end(&g.source, "10", "");
    rig_run_until_idle(&g);
    rig_advance(&g, 200 * LW_NS_PER_S);
    assert_applied(&g, "=@10");
    rig_close(&g);
}

static void statistics_are_a_proof_of_life(void **state)
{
    (void)state;
    rig g;
    rig_open_listing(&g);
    lw_informer_statistics stats = rig_stats(&g);
    assert_int_equal(stats.last_byte_age_ns, -1);
    assert_int_equal(stats.sync_ns, -1);
    assert_int_equal(stats.lists, 1);
    rig_advance(&g, 5 * LW_NS_PER_S);
    script_item(&g.source, "n/a", 3);
    rig_advance(&g, 2 * LW_NS_PER_S);
    stats = rig_stats(&g);
    assert_int_equal(stats.last_byte_age_ns, 2 * LW_NS_PER_S);
    assert_true(stats.bytes_received > 0);
    script_list_end(&g.source, "10", "");
    rig_run_until_idle(&g);
    stats = rig_stats(&g);
    assert_int_equal(stats.sync_ns, 7 * LW_NS_PER_S);
    assert_int_equal(stats.watches, 0); /* sent, but not open */
    script_open(&g.source);
    assert_int_equal(rig_stats(&g).watches, 1);
    assert_int_equal(stats.relists, 0);
    assert_int_equal(stats.last_relist_reason, LW_RELIST_NONE);
    rig_close(&g);
}

static void the_same_seed_draws_the_same_delays(void **state)
{
    (void)state;
    int64_t delays[2] = { 0 };
    for (int i = 0; i < 2; i++) {
        rig g;
        rig_open_listing(&g);
        lw_error err = script_error(LW_ERR_UNAVAILABLE, 0, 0);
        script_fail(&g.source, &err);
        rig_run_until_idle(&g);
        delays[i] = rig_wait(&g);
        rig_close(&g);
    }
    assert_int_equal(delays[0], delays[1]);
}

/* client-go: TestReflectorResync, where a resync that fails ends the watch. Better: if the queue
 * has no space for a resync, nothing is lost, the watch continues, and the next resync is
 * delivered. */
static void a_resync_without_room_ends_no_watch(void **state)
{
    (void)state;
    rig g;
    const lw_delta_fifo_options queue = { .max_deltas = 1 };
    lw_reflector_options options = rig_options();
    options.lists_only = true;
    options.resync_s = 10;
    rig_open_with(&g, &options, &queue);
    script_list_end(&g.source, "10", "");
    rig_run_until_idle(&g);
    assert_applied(&g, "=@10");
    g.is_not_drained = true;
    script_event(&g.source, LW_WATCH_ADDED, "n/a", 11);
    assert_int_equal(rig_wait(&g), 10 * LW_NS_PER_S);
    assert_int_equal(g.errors, 0);
    assert_int_equal(g.source.cancels, 0);
    assert_request(&g, "WATCH rv=10");
    g.is_not_drained = false;
    rig_drain(&g);
    assert_int_equal(rig_wait(&g), 10 * LW_NS_PER_S);
    assert_applied(&g, "+n/a@11 *");
    assert_int_equal(g.source.watches, 1);
    rig_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_is_asked_before_the_start_or_after_the_stop),
        TEST(a_stop_while_it_waits_ends_the_wait),
        TEST(resync_comes_with_its_period_once_there_is_something_to_tell),
        TEST(resync_goes_on_while_the_server_is_away),
        TEST(no_period_no_resync),
        TEST(statistics_are_a_proof_of_life),
        TEST(the_same_seed_draws_the_same_delays),
        TEST(a_resync_without_room_ends_no_watch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
