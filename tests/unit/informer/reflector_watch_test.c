/* SPDX-License-Identifier: Apache-2.0 */
/* reflector_watch_test.c -- changes from a watch are added to the queue. */
#include "informer/reflector.h"

#include "unit/informer/rig.h"

static const lw_watch_event_type ADDED = LW_WATCH_ADDED, MODIFIED = LW_WATCH_MODIFIED,
                                 DELETED = LW_WATCH_DELETED;

/* A reflector that watches from revision 10 and has seen n/a. */
static void open_watching(rig *g)
{
    rig_open_listing(g);
    script_item(&g->source, "n/a", 3);
    script_list_end(&g->source, "10", "");
    rig_run_until_idle(g);
    script_open(&g->source);
    assert_applied(g, "=@10");
}

static void event(rig *g, lw_watch_event_type type, const char *key, uint64_t rv)
{
    script_event(&g->source, type, key, rv);
    rig_run_until_idle(g);
}

static const char *rv_of(const rig *g)
{
    return lw_reflector_resource_version(g->reflector);
}

/* client-go: TestReflectorResourceVersionUpdate. */
static void the_resource_version_follows_every_kind_of_event(void **state)
{
    (void)state;
    rig g;
    open_watching(&g);
    event(&g, ADDED, "n/b", 11);
    assert_string_equal(rv_of(&g), "11");
    event(&g, MODIFIED, "n/b", 12);
    assert_string_equal(rv_of(&g), "12");
    event(&g, DELETED, "n/a", 13);
    assert_string_equal(rv_of(&g), "13");
    script_bookmark(&g.source, 20);
    rig_run_until_idle(&g);
    assert_string_equal(rv_of(&g), "20");
    assert_applied(&g, "+n/b@11 ~n/b@12 -n/a@13 .@20");
    lw_informer_statistics stats = rig_stats(&g);
    assert_int_equal(stats.adds, 1);
    assert_int_equal(stats.updates, 1);
    assert_int_equal(stats.deletes, 1);
    assert_int_equal(stats.bookmarks, 1);
    rig_close(&g);
}

/* client-go: TestReflectorWatchHandler, where an object of another type is skipped and logged.
 * Better: it is reported, and a list gets the current state. */
static void the_resource_version_is_that_of_the_last_event_even_if_it_is_lower(void **state)
{
    (void)state;
    rig g;
    open_watching(&g);
    event(&g, MODIFIED, "n/a", 30);
    event(&g, MODIFIED, "n/b", 21);
    assert_string_equal(rv_of(&g), "21");
    rig_close(&g);
}

static void a_watch_that_ends_is_resumed_at_once_where_it_was(void **state)
{
    (void)state;
    rig g;
    open_watching(&g);
    event(&g, MODIFIED, "n/a", 15);
    script_close(&g.source);
    rig_run_until_idle(&g);
    assert_request(&g, "WATCH rv=15");
    script_open(&g.source);
    rig_advance(&g, 10 * LW_NS_PER_S);
    script_close(&g.source); /* said nothing, but lasted */
    rig_run_until_idle(&g);
    assert_request(&g, "WATCH rv=15");
    assert_int_equal(g.source.lists, 1);
    assert_int_equal(rig_stats(&g).watches, 2); /* the third one is not open */
    assert_int_equal(g.errors, 0);
    rig_close(&g);
}

/* The objects a watch from no state begins with come in no order. */
static void the_resource_version_is_not_taken_from_objects_without_an_order(void **state)
{
    (void)state;
    rig g;
    rig_open_listing(&g);
    script_list_end(&g.source, "0", "");
    rig_run_until_idle(&g);
    assert_request(&g, "WATCH rv=0");
    event(&g, ADDED, "n/b", 70);
    event(&g, ADDED, "n/a", 50);
    assert_string_equal(rv_of(&g), "0");
    event(&g, MODIFIED, "n/a", 71);
    assert_string_equal(rv_of(&g), "71");
    event(&g, ADDED, "n/c", 72);
    assert_string_equal(rv_of(&g), "72");
    assert_applied(&g, "=@0 +n/b@70 +n/a@50 ~n/a@71 +n/c@72");
    rig_close(&g);
}

/* client-go: TestWatchTimeout. */
static void a_watch_lasts_between_once_and_twice_the_least_time(void **state)
{
    (void)state;
    static const struct {
        int asked, least;
    } cases[] = { { 0, 300 }, { 30, 300 }, { 1800, 1800 } };
    for (size_t i = 0; i < 3; i++) {
        rig g;
        bool is_varied = false;
        lw_reflector_options options = rig_options();
        options.lists_only = true;
        options.min_watch_timeout_s = cases[i].asked;
        rig_open(&g, &options);
        script_list_end(&g.source, "10", "");
        rig_run_until_idle(&g);
        int first = g.source.request.timeout_s;
        for (int n = 0; n < 50; n++) {
            assert_in_range(g.source.request.timeout_s, cases[i].least, 2 * cases[i].least - 1);
            is_varied = is_varied || g.source.request.timeout_s != first;
            script_open(&g.source);
            rig_advance(&g, 10 * LW_NS_PER_S);
            script_close(&g.source);
            rig_run_until_idle(&g);
        }
        assert_true(is_varied);
        rig_close(&g);
    }
}

static void a_watch_that_the_server_forgets_to_end_is_ended_here(void **state)
{
    (void)state;
    rig g;
    open_watching(&g);
    int64_t timeout = g.source.request.timeout_s;
    assert_int_equal(rig_wait(&g), (timeout + 60) * LW_NS_PER_S);
    assert_int_equal(g.source.cancels, 1);
    assert_request(&g, "WATCH rv=10");
    assert_int_equal(g.source.lists, 1);
    rig_close(&g);
}

/* The delay doubles: a server that is busy answers in the end. */
static void a_watch_that_is_not_answered_is_tried_again(void **state)
{
    (void)state;
    static const int limits_s[] = { 5, 10, 20, 40, 60, 60 };
    rig g;
    rig_open_listing(&g);
    script_list_end(&g.source, "10", "");
    rig_run_until_idle(&g);
    for (size_t i = 0; i < sizeof(limits_s) / sizeof(limits_s[0]); i++) {
        assert_request(&g, "WATCH rv=10");
        assert_int_equal(rig_wait(&g), limits_s[i] * LW_NS_PER_S);
        assert_request(&g, "");
        assert_int_equal(g.last_error.code, LW_ERR_TIMEOUT);
        assert_in_range(rig_wait(&g), 1, 2 * LW_NS_PER_S);
    }
    script_open(&g.source);
    script_event(&g.source, LW_WATCH_ADDED, "n/a", 11);
    script_close(&g.source);
    rig_run_until_idle(&g);
    assert_request(&g, "WATCH rv=11");
    assert_int_equal(rig_wait(&g), 5 * LW_NS_PER_S);
    rig_close(&g);
}

/* A connection that hangs cannot be told from one without changes, except by bookmarks. */
static void a_watch_that_misses_a_bookmark_is_resumed(void **state)
{
    (void)state;
    rig g;
    open_watching(&g);
    rig_advance(&g, 60 * LW_NS_PER_S);
    script_bookmark(&g.source, 12);
    rig_run_until_idle(&g);
    assert_int_equal(rig_wait(&g), 90 * LW_NS_PER_S);
    assert_request(&g, "WATCH rv=12");
    assert_int_equal(g.source.lists, 1);
    /* A server that sends them less often is given the time. */
    script_open(&g.source);
    rig_advance(&g, 80 * LW_NS_PER_S);
    script_bookmark(&g.source, 13);
    rig_run_until_idle(&g);
    assert_int_equal(rig_wait(&g), 120 * LW_NS_PER_S);
    rig_close(&g);
}

/* Better than client-go, where the event is lost while the resourceVersion moves on. */
static void a_change_that_cannot_be_transformed_is_not_lost_without_a_word(void **state)
{
    (void)state;
    rig g;
    open_watching(&g);
    g.refused = "b";
    event(&g, ADDED, "n/b", 11);
    assert_int_equal(g.errors, 1);
    assert_string_equal(rv_of(&g), "10");
    assert_int_equal(g.source.cancels, 1);
    assert_applied(&g, "");
    assert_backoff(rig_wait(&g), 800);
    assert_request(&g, "LIST rv=10");
    g.refused = NULL;
    script_item(&g.source, "n/a", 3);
    script_item(&g.source, "n/b", 11);
    script_list_end(&g.source, "11", "");
    rig_run_until_idle(&g);
    assert_int_equal(lw_indexer_count(g.indexer), 2);
    rig_close(&g);
}

static void each_object_of_a_watch_is_transformed_once(void **state)
{
    (void)state;
    rig g;
    open_watching(&g);
    assert_int_equal(g.transforms, 1);
    event(&g, ADDED, "n/b", 11);
    event(&g, DELETED, "n/b", 12);
    script_bookmark(&g.source, 13);
    rig_run_until_idle(&g);
    assert_int_equal(g.transforms, 3);
    rig_close(&g);
}

static void an_event_without_an_object_is_malformed(void **state)
{
    (void)state;
    rig g;
    open_watching(&g);
    script_event_object(&g.source, MODIFIED, NULL);
    rig_run_until_idle(&g);
    assert_int_equal(rig_stats(&g).last_relist_reason, LW_RELIST_MALFORMED);
    assert_backoff(rig_wait(&g), 800);
    assert_request(&g, "LIST rv=10");
    rig_close(&g);
}

static void what_a_watch_says_after_its_failure_does_not_count(void **state)
{
    (void)state;
    rig g;
    open_watching(&g);
    lw_error expired = script_error(LW_ERR_EXPIRED, 410, 0);
    script_send_error(&g.source, &expired);
    script_event(&g.source, ADDED, "n/z", 99); /* before the next tick */
    script_close(&g.source);                   /* and ends by itself: nothing is cancelled */
    rig_run_until_idle(&g);
    assert_applied(&g, "");
    assert_string_equal(rv_of(&g), "10");
    assert_int_equal(g.source.cancels, 0);
    assert_request(&g, "LIST rv=10");
    rig_close(&g);
}

static void a_full_queue_is_relisted_when_it_has_room_again(void **state)
{
    (void)state;
    rig g;
    const lw_delta_fifo_options queue = { .max_deltas = 2 };
    lw_reflector_options options = rig_options();
    options.lists_only = true;
    rig_open_with(&g, &options, &queue);
    script_list_end(&g.source, "10", "");
    rig_run_until_idle(&g);
    g.is_not_drained = true;
    event(&g, ADDED, "n/a", 11);
    event(&g, ADDED, "n/b", 12);
    event(&g, ADDED, "n/c", 13); /* no room */
    assert_string_equal(rv_of(&g), "12");
    assert_int_equal(g.last_error.code, LW_ERR_LIMIT);
    assert_int_equal(g.source.cancels, 1);
    assert_true(lw_reflector_deadline_ns(g.reflector) == LW_NEVER_NS);
    rig_run_until_idle(&g);
    assert_request(&g, "");
    g.is_not_drained = false;
    rig_drain(&g);
    rig_run_until_idle(&g); /* it sees that by itself */
    assert_backoff(rig_wait(&g), 800);
    assert_request(&g, "LIST rv=12");
    assert_int_equal(rig_stats(&g).last_relist_reason, LW_RELIST_STORE);
    script_item(&g.source, "n/c", 13);
    script_list_end(&g.source, "13", "");
    rig_run_until_idle(&g);
    assert_int_equal(lw_indexer_count(g.indexer), 1);
    rig_close(&g);
}

static void a_change_that_could_not_be_applied_is_relisted(void **state)
{
    (void)state;
    rig g;
    open_watching(&g);
    event(&g, ADDED, "n/b", 11);
    lw_reflector_recover(g.reflector);
    rig_run_until_idle(&g);
    assert_int_equal(g.source.cancels, 1);
    assert_int_equal(g.last_error.code, LW_ERR_NOMEM);
    assert_backoff(rig_wait(&g), 800);
    assert_request(&g, "LIST rv=11");
    assert_int_equal(rig_stats(&g).last_relist_reason, LW_RELIST_STORE);
    lw_reflector_recover(g.reflector); /* the whole state is being sent */
    rig_run_until_idle(&g);
    assert_request(&g, "LIST rv=11");
    script_list_end(&g.source, "11", "");
    lw_reflector_recover(g.reflector); /* the watch is not asked for yet */
    rig_run_until_idle(&g);
    assert_request(&g, "");
    assert_backoff(rig_wait(&g), 1600);
    assert_request(&g, "LIST rv=11");
    rig_close(&g);
}

/* client-go: TestReflectorWatchHandler, where what is no object of the resource is skipped with a
 * line in the log.  Better: it is reported, and a list shows what there is. */
static void what_is_no_object_of_a_resource_does_not_get_into_the_cache(void **state)
{
    (void)state;
    static const char json[] = "{\"kind\":\"Status\",\"metadata\":{\"resourceVersion\":\"99\"}}";
    rig g;
    lw_object *foreign = NULL;
    open_watching(&g);
    assert_int_equal(lw_object_from_json(&foreign, json, sizeof(json) - 1, NULL), LW_OK);
    script_event_object(&g.source, ADDED, foreign);
    lw_object_unref(foreign);
    rig_run_until_idle(&g);
    assert_applied(&g, "");
    assert_string_equal(rv_of(&g), "10");
    assert_int_equal(g.errors, 1);
    assert_string_equal(g.last_error.message, "object \"\": it has no name");
    assert_backoff(rig_wait(&g), 800);
    assert_request(&g, "LIST rv=10");
    rig_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_resource_version_follows_every_kind_of_event),
        TEST(the_resource_version_is_that_of_the_last_event_even_if_it_is_lower),
        TEST(a_watch_that_ends_is_resumed_at_once_where_it_was),
        TEST(the_resource_version_is_not_taken_from_objects_without_an_order),
        TEST(a_watch_lasts_between_once_and_twice_the_least_time),
        TEST(a_watch_that_the_server_forgets_to_end_is_ended_here),
        TEST(a_watch_that_is_not_answered_is_tried_again),
        TEST(a_watch_that_misses_a_bookmark_is_resumed),
        TEST(a_change_that_cannot_be_transformed_is_not_lost_without_a_word),
        TEST(each_object_of_a_watch_is_transformed_once),
        TEST(an_event_without_an_object_is_malformed),
        TEST(what_a_watch_says_after_its_failure_does_not_count),
        TEST(a_full_queue_is_relisted_when_it_has_room_again),
        TEST(a_change_that_could_not_be_applied_is_relisted),
        TEST(what_is_no_object_of_a_resource_does_not_get_into_the_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
