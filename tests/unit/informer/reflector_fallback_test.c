/* SPDX-License-Identifier: Apache-2.0 */
/* reflector_fallback_test.c -- which streams of the whole state are given up for a list. */
#include "informer/reflector.h"

#include "unit/informer/rig.h"

static const lw_watch_event_type ADDED = LW_WATCH_ADDED, MODIFIED = LW_WATCH_MODIFIED,
                                 DELETED = LW_WATCH_DELETED;

static void open_streaming(rig *g)
{
    lw_reflector_options options = rig_options();
    rig_open(g, &options);
    assert_request(g, "STREAM rv=");
}

static void fail_with(rig *g, lw_status code, int http_status)
{
    lw_error err = script_error(code, http_status, 0);
    script_fail(&g->source, &err);
    rig_run_until_idle(g);
}

static void assert_no_error(rig *g)
{
    assert_int_equal(g->errors, 0);
    assert_int_equal(rig_stats(g).errors, 0);
    assert_int_equal(lw_reflector_last_error(g->reflector, NULL), LW_OK);
}

/* client-go only warns (TestInitialEventsEndBookmarkTicker) and waits for ever. */
static void a_stream_that_never_completes_its_state_is_given_up_for_a_list(void **state)
{
    (void)state;
    rig g;
    open_streaming(&g);
    script_event(&g.source, ADDED, "n/a", 3);
    rig_advance(&g, 9 * LW_NS_PER_S);
    script_event(&g.source, ADDED, "n/b", 3);
    rig_run_until_idle(&g);
    assert_int_equal(rig_wait(&g), 10 * LW_NS_PER_S);
    assert_request(&g, "LIST limit=500 rv=0");
    assert_int_equal(g.source.cancels, 1);
    assert_no_error(&g);
    rig_close(&g);
}

/* A server that ignores sendInitialEvents sends the objects there are, and then changes. */
static void changes_do_not_put_off_the_list(void **state)
{
    (void)state;
    rig g;
    open_streaming(&g);
    script_event(&g.source, ADDED, "n/a", 3);
    rig_advance(&g, 6 * LW_NS_PER_S);
    script_event(&g.source, MODIFIED, "n/a", 4);
    script_event(&g.source, DELETED, "n/a", 5);
    script_bookmark(&g.source, 6);
    rig_run_until_idle(&g);
    assert_int_equal(rig_wait(&g), 4 * LW_NS_PER_S);
    assert_request(&g, "LIST limit=500 rv=0");
    rig_close(&g);
}

/* The same where objects are created all the time. */
static void a_late_bookmark_that_does_not_end_the_state_is_a_reason_to_list(void **state)
{
    (void)state;
    rig g;
    open_streaming(&g);
    for (uint64_t rv = 1; rv <= 10; rv++) {
        script_event(&g.source, ADDED, "n/a", rv);
        rig_advance(&g, 6 * LW_NS_PER_S);
    }
    assert_request(&g, "STREAM rv=");
    script_bookmark(&g.source, 10);
    rig_run_until_idle(&g);
    assert_request(&g, "LIST limit=500 rv=0");
    assert_int_equal(g.source.cancels, 1);
    assert_no_error(&g);
    rig_close(&g);
}

static void a_stream_that_is_not_answered_is_given_up_for_a_list(void **state)
{
    (void)state;
    rig g;
    open_streaming(&g);
    assert_int_equal(rig_wait(&g), 10 * LW_NS_PER_S);
    assert_request(&g, "LIST limit=500 rv=0");
    rig_close(&g);
}

/* Servers before 1.34 answer 422 by default: sendInitialEvents is forbidden. */
static void a_refused_stream_is_no_error_unless_the_list_is_refused_too(void **state)
{
    (void)state;
    rig g;
    open_streaming(&g);
    fail_with(&g, LW_ERR_INVALID, 422);
    assert_request(&g, "LIST limit=500 rv=0");
    assert_no_error(&g);
    fail_with(&g, LW_ERR_FORBIDDEN, 403);
    assert_int_equal(g.errors, 1);
    assert_int_equal(lw_reflector_last_error(g.reflector, NULL), LW_ERR_FORBIDDEN);
    rig_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_stream_that_never_completes_its_state_is_given_up_for_a_list),
        TEST(changes_do_not_put_off_the_list),
        TEST(a_late_bookmark_that_does_not_end_the_state_is_a_reason_to_list),
        TEST(a_stream_that_is_not_answered_is_given_up_for_a_list),
        TEST(a_refused_stream_is_no_error_unless_the_list_is_refused_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
