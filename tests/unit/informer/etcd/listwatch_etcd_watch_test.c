/* SPDX-License-Identifier: Apache-2.0 */
/* listwatch_etcd_watch_test.c -- watches on etcd, as the reflector asks for them. */
#include <stdlib.h>

#include "unit/informer/etcd/etcd_fixture.h"

static void watch_tells_what_happens_after_its_revision(void **state)
{
    fixture t;
    (void)state;
    fake_etcd_put_text("/a/1", "x");
    fake_etcd_put_text("/a/2", "x");
    fixture_open_on(&t, "/a/");
    watch_from(&t, "2");
    assert_said(&t, "open ADDED:2@3");
    fake_etcd_put_text("/a/2", "y");
    fake_etcd_put_text("/b/2", "y");
    fake_etcd_delete("/a/1");
    turn(&t);
    assert_said(&t, "MODIFIED:2@4 DELETED:1@6");
    fixture_close(&t);
}

static char *last_data;

static void remember_data(const lw_watch_event *event, void *arg)
{
    (void)arg;
    free(last_data);
    last_data = strdup(lw_object_string(event->object, "/data", "none"));
}

static void deleted_carries_the_last_state(void **state)
{
    fixture t;
    lw_error err = LW_ERROR_INIT;
    (void)state;
    fake_etcd_put_text("/a/1", "last");
    fixture_open_on(&t, "/a/");
    lw_source_sink sink = *sink_of(&t);
    sink.on_event = remember_data;
    const lw_source_request request = { .resource_version = "2" };
    assert_int_equal(t.source->ops->watch(t.source, &request, &sink, &t.call, &err), LW_OK);
    fake_etcd_delete("/a/1");
    turn(&t);
    assert_string_equal(last_data, "last");
    fake_etcd_put_text("/a/1", "again");
    fake_etcd_delete("/a/1");
    fake_etcd_compact(fake_etcd_revision()); /* ... unless it is no longer known */
    turn(&t);
    assert_string_equal(last_data, "none");
    free(last_data);
    last_data = NULL;
    fixture_close(&t);
}

static void initial_events_come_before_a_bookmark(void **state)
{
    fixture t;
    (void)state;
    fake_etcd_put_text("/a/1", "x");
    fake_etcd_put_text("/a/2", "x");
    fixture_open_on(&t, "/a/");
    watch(&t, &(lw_source_request){ .resource_version = "",
                                    .resource_version_match = "NotOlderThan",
                                    .allows_bookmarks = true,
                                    .sends_initial_events = true });
    assert_said(&t, "open ADDED:1@2 ADDED:2@3 SYNCED:@3");
    fake_etcd_put_text("/a/1", "y");
    turn(&t);
    assert_said(&t, "MODIFIED:1@4");
    fixture_close(&t);
}

static void watch_from_nowhere_begins_with_what_there_is(void **state)
{
    fixture t;
    (void)state;
    fake_etcd_put_text("/a/1", "x");
    fixture_open_on(&t, "/a/");
    watch_from(&t, "0");
    fake_etcd_put_text("/a/2", "x");
    turn(&t);
    assert_said(&t, "open ADDED:1@2 ADDED:2@3");
    fixture_close(&t);
}

static void compacted_watch_is_expired(void **state)
{
    fixture t;
    (void)state;
    fake_etcd_put_text("/a/1", "x");
    fake_etcd_compact(fake_etcd_put_text("/a/1", "y"));
    fake_etcd_compact(fake_etcd_put_text("/a/1", "z"));
    fixture_open_on(&t, "/a/");
    watch_from(&t, "2");
    assert_said(&t, "expired");
    assert_non_null(strstr(t.error.message, "revision 2 has been compacted"));
    fixture_close(&t);
}

static void progress_is_a_bookmark(void **state)
{
    fixture t;
    (void)state;
    fixture_open_on(&t, "/a/");
    watch_from(&t, "1");
    fake_etcd_put_text("/b/1", "x");
    turn(&t);
    fake_etcd_progress();
    turn(&t);
    fake_etcd_progress(); /* nothing new in it */
    turn(&t);
    assert_said(&t, "open BOOKMARK:@2");
    fixture_close(&t);
}

static void watch_ends_when_its_time_is_over_and_goes_on(void **state)
{
    fixture t;
    (void)state;
    fixture_open_on(&t, "/a/");
    watch_from(&t, "1");
    fake_etcd_put_text("/a/1", "x");
    turn(&t);
    pass(&t, 299);
    assert_said(&t, "open ADDED:1@2");
    pass(&t, 1);
    assert_said(&t, "closed");
    fake_etcd_put_text("/a/2", "x"); /* before anybody watches again */
    pass(&t, 1);
    watch_from(&t, "2");
    assert_said(&t, "open ADDED:2@3");
    fake_etcd_put_text("/a/3", "x");
    turn(&t);
    assert_said(&t, "ADDED:3@4");
    assert_int_equal(fake_etcd_watch_count(), 1); /* it was the same all the time */
    pass(&t, 300);
    assert_said(&t, "closed");
    fixture_close(&t);
}

/* Its history is gone, but the watch was there. */
static void quiet_watch_outlives_a_compaction(void **state)
{
    fixture t;
    (void)state;
    fixture_open_on(&t, "/a/");
    watch_from(&t, "1");
    fake_etcd_put_text("/b/1", "x");
    turn(&t);
    pass(&t, 300);
    fake_etcd_compact(fake_etcd_put_text("/b/1", "y"));
    watch_from(&t, "1");
    fake_etcd_put_text("/a/1", "x");
    turn(&t);
    assert_said(&t, "open closed open ADDED:1@4");
    fixture_close(&t);
}

static void held_watch_is_of_no_use_to_another_revision(void **state)
{
    fixture t;
    (void)state;
    fixture_open_on(&t, "/a/");
    watch_from(&t, "1");
    fake_etcd_put_text("/a/1", "x");
    turn(&t);
    pass(&t, 300);
    watch_from(&t, "1");
    assert_said(&t, "open ADDED:1@2 closed open ADDED:1@2");
    assert_int_equal(fake_etcd_watch_count(), 2);
    fixture_close(&t);
}

static void held_watch_that_nobody_wants_ends(void **state)
{
    fixture t;
    (void)state;
    fixture_open_on(&t, "/a/");
    watch_from(&t, "1");
    pass(&t, 300);
    assert_int_equal(fake_etcd_open_count(), 1);
    pass(&t, LW_ETCD_SOURCE_HOLD_S);
    assert_int_equal(fake_etcd_open_count(), 0);
    watch_from(&t, "1");
    assert_said(&t, "open closed open");
    fixture_close(&t);
}

static void watch_that_is_cut_for_a_moment_goes_on(void **state)
{
    fixture t;
    (void)state;
    fixture_open_on(&t, "/a/");
    watch_from(&t, "1");
    fake_etcd_set_cut(true);
    turn(&t);
    pass(&t, LW_ETCD_SOURCE_OUTAGE_S - 1);
    fake_etcd_put_text("/a/1", "x");
    fake_etcd_set_cut(false);
    turn(&t);
    pass(&t, 2 * LW_ETCD_SOURCE_OUTAGE_S);
    assert_said(&t, "open ADDED:1@2");
    fixture_close(&t);
}

static void watch_that_is_cut_for_long_is_told(void **state)
{
    fixture t;
    (void)state;
    fixture_open_on(&t, "/a/");
    watch_from(&t, "1");
    fake_etcd_set_cut(true);
    turn(&t);
    pass(&t, LW_ETCD_SOURCE_OUTAGE_S);
    assert_said(&t, "open unavailable");
    assert_non_null(strstr(t.error.message, "cut off"));
    watch_from(&t, "1");
    pass(&t, LW_ETCD_SOURCE_OUTAGE_S);
    assert_said(&t, "unavailable");
    fixture_close(&t);
}

static void compaction_while_it_is_cut_is_expired(void **state)
{
    fixture t;
    (void)state;
    fixture_open_on(&t, "/a/");
    watch_from(&t, "1");
    fake_etcd_set_cut(true);
    turn(&t);
    fake_etcd_put_text("/a/1", "x");
    fake_etcd_put_text("/a/1", "y");
    fake_etcd_compact(fake_etcd_put_text("/a/1", "y"));
    fake_etcd_set_cut(false);
    /* The fake resumes where it was: at revision 2, which is gone. */
    turn(&t);
    assert_said(&t, "open expired");
    fixture_close(&t);
}

static void store_that_went_back_is_told(void **state)
{
    fixture t;
    (void)state;
    fake_etcd_put_text("/a/1", "x");
    fake_etcd_put_text("/a/2", "x");
    fixture_open_on(&t, "/a/");
    watch_from(&t, "3");
    assert_said(&t, "open");
    fake_etcd_set_cut(true);
    turn(&t);
    fake_etcd_restore();
    fake_etcd_set_cut(false);
    turn(&t);
    assert_int_equal(t.error.code, LW_ERR_TOO_LARGE_RV);
    fixture_close(&t);
}

static void call_may_be_cancelled_from_within(void **state)
{
    fixture t;
    (void)state;
    fake_etcd_put_text("/a/1", "x");
    fake_etcd_put_text("/a/2", "x");
    fixture_open_on(&t, "/a/");
    t.cancels_at_once = true;
    watch_from(&t, "1");
    assert_said(&t, "open");
    list(&t, &(lw_source_request){ .resource_version = "" });
    assert_said(&t, "item:1@2");
    t.cancels_at_once = false;
    watch_from(&t, "3");
    fake_etcd_put_two("/a/3", "/a/4", "x");
    t.cancels_at_once = true;
    t.said[0] = '\0';
    turn(&t);
    assert_said(&t, "ADDED:3@4");
    fixture_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(watch_tells_what_happens_after_its_revision),
        TEST(deleted_carries_the_last_state),
        TEST(initial_events_come_before_a_bookmark),
        TEST(watch_from_nowhere_begins_with_what_there_is),
        TEST(compacted_watch_is_expired),
        TEST(progress_is_a_bookmark),
        TEST(watch_ends_when_its_time_is_over_and_goes_on),
        TEST(quiet_watch_outlives_a_compaction),
        TEST(held_watch_is_of_no_use_to_another_revision),
        TEST(held_watch_that_nobody_wants_ends),
        TEST(watch_that_is_cut_for_a_moment_goes_on),
        TEST(watch_that_is_cut_for_long_is_told),
        TEST(compaction_while_it_is_cut_is_expired),
        TEST(store_that_went_back_is_told),
        TEST(call_may_be_cancelled_from_within),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
