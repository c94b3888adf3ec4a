/* SPDX-License-Identifier: Apache-2.0 */
/* reflector_sync_test.c -- which requests get the whole state, and what becomes of the answers. */
#include "informer/reflector.h"

#include "object/list_bounds.h"
#include "unit/informer/rig.h"

static const lw_watch_event_type ADDED = LW_WATCH_ADDED, MODIFIED = LW_WATCH_MODIFIED,
                                 DELETED = LW_WATCH_DELETED;

static void fail_with(rig *g, lw_status code, int http_status)
{
    lw_error err = script_error(code, http_status, 0);
    script_fail(&g->source, &err);
    rig_run_until_idle(g);
}

static void list_end(rig *g, const char *rv, const char *token)
{
    script_list_end(&g->source, rv, token);
    rig_run_until_idle(g);
}

/* An in-stream error that makes it relist, and the wait for it, if there is one. */
static void expire(rig *g)
{
    lw_error err = script_error(LW_ERR_EXPIRED, 410, 0);
    script_open(&g->source);
    script_send_error(&g->source, &err);
    rig_run_until_idle(g);
    if (!g->source.is_under_way)
        (void)rig_wait(g);
}

/* client-go: TestReflectorListAndWatch, by lists. */
static void lists_any_state_in_pages_first_and_then_watches_from_there(void **state)
{
    (void)state;
    rig g;
    rig_open_listing(&g);
    assert_request(&g, "LIST limit=500 rv=0");
    script_item(&g.source, "n/a", 3);
    script_item(&g.source, "n/b", 7);
    list_end(&g, "10", "");
    assert_applied(&g, "=@10");
    assert_int_equal(lw_indexer_count(g.indexer), 2);
    assert_request(&g, "WATCH rv=10");
    assert_true(g.source.request.allows_bookmarks);
    assert_in_range(g.source.request.timeout_s, 300, 599);
    assert_string_equal(lw_reflector_resource_version(g.reflector), "10");
    rig_close(&g);
}

static void pages_follow_each_other_without_a_resource_version(void **state)
{
    (void)state;
    rig g;
    rig_open_listing(&g);
    script_item(&g.source, "n/a", 3);
    list_end(&g, "10", "c1");
    assert_request(&g, "LIST limit=500 continue=c1");
    script_item(&g.source, "n/b", 3);
    list_end(&g, "12", "c2");
    assert_request(&g, "LIST limit=500 continue=c2");
    assert_applied(&g, ""); /* nothing is seen of a state before it is complete */
    list_end(&g, "14", "");
    assert_applied(&g, "=@10"); /* as the first page said */
    assert_int_equal(lw_indexer_count(g.indexer), 2);
    assert_request(&g, "WATCH rv=10");
    assert_int_equal(rig_stats(&g).lists, 1);
    rig_close(&g);
}

/* client-go: TestReflectorResyncWithResourceVersion. */
static void a_relist_never_goes_back_in_time(void **state)
{
    (void)state;
    rig g;
    rig_open_listing(&g);
    list_end(&g, "10", "");
    expire(&g);
    assert_request(&g, "LIST rv=10"); /* and without a limit: TestReflectorNotPaginating... */
    list_end(&g, "12", "");
    expire(&g);
    assert_request(&g, "LIST rv=12");
    rig_close(&g);
}

/* client-go: TestReflectorExpiredExactResourceVersion. */
static void a_list_that_is_told_expired_asks_for_the_newest_state(void **state)
{
    (void)state;
    rig g;
    rig_open_listing(&g);
    list_end(&g, "10", "");
    expire(&g);
    assert_request(&g, "LIST rv=10");
    fail_with(&g, LW_ERR_EXPIRED, 410);
    assert_request(&g, "LIST rv="); /* at once, and as one piece as before */
    fail_with(&g, LW_ERR_UNAVAILABLE, 503);
    (void)rig_wait(&g);
    assert_request(&g, "LIST limit=500 rv="); /* remembered until a list succeeds */
    list_end(&g, "20", "");
    expire(&g);
    assert_request(&g, "LIST rv=20");
    rig_close(&g);
}

/* client-go: TestReflectorFullListIfTooLarge: the three errors that servers send. */
static void too_large_resource_versions_are_understood_in_each_dialect(void **state)
{
    (void)state;
    lw_error dialects[3] = { script_error(LW_ERR_TOO_LARGE_RV, 504, 0),
                             script_error(LW_ERR_TIMEOUT, 504, 1),
                             script_error(LW_ERR_TIMEOUT, 504, 0) };
    (void)snprintf(dialects[1].message, sizeof(dialects[1].message),
                   "Timeout: Too large resource version: 20, current: 10");
    (void)snprintf(dialects[2].message, sizeof(dialects[2].message), "Too large resource version");
    for (size_t i = 0; i < 3; i++) {
        rig g;
        rig_open_listing(&g);
        list_end(&g, "20", "");
        expire(&g);
        assert_request(&g, "LIST rv=20");
        script_fail(&g.source, &dialects[i]);
        rig_run_until_idle(&g);
        assert_request(&g, "LIST rv=");
        list_end(&g, "10", "");
        assert_request(&g, "WATCH rv=10");
        rig_close(&g);
    }
}

/* client-go: TestReflectorFullListIfExpired. */
static void a_page_that_expired_is_followed_by_the_list_in_one_piece(void **state)
{
    (void)state;
    rig g;
    lw_reflector_options options = rig_options();
    options.lists_only = true;
    options.page_size = 4; /* client-go: TestReflectorWatchListPageSize */
    rig_open(&g, &options);
    assert_request(&g, "LIST limit=4 rv=0");
    list_end(&g, "10", "");
    expire(&g);
    assert_request(&g, "LIST limit=4 rv=10");
    script_item(&g.source, "n/half", 3);
    list_end(&g, "11", "c1");
    assert_request(&g, "LIST limit=4 continue=c1");
    fail_with(&g, LW_ERR_EXPIRED, 410);
    assert_request(&g, "LIST rv=10");
    script_item(&g.source, "n/whole", 3);
    list_end(&g, "12", "");
    assert_int_equal(lw_indexer_count(g.indexer), 1);
    assert_non_null(lw_indexer_borrow(g.indexer, lw_key_make("n", "whole")));
    assert_request(&g, "WATCH rv=12");
    rig_close(&g);
}

static void a_whole_list_that_expired_too_asks_for_the_newest_state(void **state)
{
    (void)state;
    rig g;
    rig_open_listing(&g);
    list_end(&g, "10", "c1");
    fail_with(&g, LW_ERR_EXPIRED, 410);
    assert_request(&g, "LIST rv=0");
    fail_with(&g, LW_ERR_EXPIRED, 410);
    assert_request(&g, "LIST rv=");
    fail_with(&g, LW_ERR_EXPIRED, 410);
    assert_request(&g, ""); /* enough: later */
    assert_backoff(rig_wait(&g), 800);
    assert_request(&g, "LIST limit=500 rv=");
    rig_close(&g);
}

/* client-go: TestReflectorPaginatingNonConsistentReadsIfWatchCacheDisabled. */
static void a_server_that_pages_any_state_has_no_cache_and_is_always_asked_for_pages(void **state)
{
    (void)state;
    rig g;
    rig_open_listing(&g);
    list_end(&g, "10", "c1");
    list_end(&g, "10", "");
    expire(&g);
    assert_request(&g, "LIST limit=500 rv=10");
    rig_close(&g);
}

static void a_server_that_repeats_its_token_is_not_followed_for_ever(void **state)
{
    (void)state;
    rig g;
    rig_open_listing(&g);
    list_end(&g, "10", "c1");
    list_end(&g, "10", "c1");
    assert_request(&g, "");
    assert_int_equal(g.errors, 1);
    assert_int_equal(rig_stats(&g).last_relist_reason, LW_RELIST_MALFORMED);
    assert_backoff(rig_wait(&g), 800);
    assert_request(&g, "LIST limit=500 rv=0");
    rig_close(&g);
}

/* The next list is after a delay, and the error says what the server did. */
static void assert_given_up(rig *g, lw_status code, const char *text)
{
    assert_request(g, "");
    assert_int_equal(g->errors, 1);
    assert_int_equal(g->last_error.code, code);
    if (!strstr(g->last_error.message, text))
        fail_msg("\"%s\" does not say \"%s\"", g->last_error.message, text);
    assert_backoff(rig_wait(g), 800);
    assert_request(g, "LIST limit=500 rv=0");
}

static void a_server_whose_tokens_go_round_is_not_followed_for_ever(void **state)
{
    (void)state;
    static const char *const tokens[] = { "c1", "c2", "c3" };
    rig g;
    rig_open_listing(&g);
    for (int i = 0; i < 100 && g.errors == 0; i++) {
        script_item(&g.source, "n/a", 3);
        list_end(&g, "10", tokens[i % 3]);
    }
    assert_given_up(&g, LW_ERR_INVALID, "the same continue token twice");
    rig_close(&g);
}

static void pages_without_objects_do_not_go_on_for_ever(void **state)
{
    (void)state;
    rig g;
    rig_open_listing(&g);
    for (int i = 0; i < 2 * LW_LIST_EMPTY_PAGES_MAX && g.errors == 0; i++) {
        char token[16];
        (void)snprintf(token, sizeof(token), "c%d", i);
        list_end(&g, "10", token);
    }
    assert_given_up(&g, LW_ERR_INVALID, "1000 pages without objects");
    rig_close(&g);
}

static void a_list_beyond_its_bounds_is_given_up(void **state)
{
    (void)state;
    rig g;
    lw_reflector_options options = rig_options();
    options.lists_only = true;
    options.bounds.objects = 2;
    rig_open(&g, &options);
    script_item(&g.source, "n/a", 3);
    script_item(&g.source, "n/b", 4);
    assert_int_equal(g.errors, 0);
    script_item(&g.source, "n/c", 5);
    rig_run_until_idle(&g);
    assert_given_up(&g, LW_ERR_LIMIT, "more than 2 objects");
    assert_applied(&g, "");
    rig_close(&g);
}

static void a_stream_beyond_its_bounds_is_given_up(void **state)
{
    (void)state;
    rig g;
    lw_reflector_options options = rig_options();
    options.bounds.bytes = 10;
    rig_open(&g, &options);
    script_open(&g.source);
    script_event(&g.source, LW_WATCH_ADDED, "n/a", 3);
    rig_run_until_idle(&g);
    assert_int_equal(g.errors, 1);
    assert_int_equal(g.last_error.code, LW_ERR_LIMIT);
    assert_request(&g, "");
    rig_close(&g);
}

static void a_table_is_no_list(void **state)
{
    (void)state;
    rig g;
    const lw_list_metadata table = { "meta.k8s.io/v1", "Table", "10", "", -1 };
    rig_open_listing(&g);
    g.source.is_under_way = false;
    g.source.sink.on_list_end(&table, g.source.sink.arg);
    rig_run_until_idle(&g);
    assert_applied(&g, "");
    assert_int_equal(g.last_error.code, LW_ERR_INVALID);
    rig_close(&g);
}

/* What is there already is kept: a relist holds nothing twice, and transforms nothing twice. */
static void unchanged_objects_are_kept_and_not_transformed_again(void **state)
{
    (void)state;
    rig g;
    rig_open_listing(&g);
    script_item(&g.source, "n/a", 3);
    script_item(&g.source, "n/b", 4);
    list_end(&g, "10", "");
    const lw_object *a = lw_indexer_borrow(g.indexer, lw_key_make("n", "a"));
    const lw_object *b = lw_indexer_borrow(g.indexer, lw_key_make("n", "b"));
    assert_int_equal(g.transforms, 2);
    expire(&g);
    script_item(&g.source, "n/a", 3);
    lw_object *reborn = script_object("n/b", 4, 1); /* another uid */
    script_item_object(&g.source, reborn);
    lw_object_unref(reborn);
    list_end(&g, "20", "");
    assert_ptr_equal(lw_indexer_borrow(g.indexer, lw_key_make("n", "a")), a);
    assert_ptr_not_equal(lw_indexer_borrow(g.indexer, lw_key_make("n", "b")), b);
    assert_int_equal(g.transforms, 3);
    rig_close(&g);
}

/* Better than client-go, where it fails the whole relist for ever. */
static void an_object_that_cannot_be_transformed_is_left_out_of_the_list(void **state)
{
    (void)state;
    rig g;
    rig_open_listing(&g);
    g.refused = "bad";
    script_item(&g.source, "n/good", 3);
    script_item(&g.source, "n/bad", 4);
    list_end(&g, "10", "");
    assert_int_equal(lw_indexer_count(g.indexer), 1);
    assert_int_equal(g.errors, 1);
    assert_string_equal(g.last_error.message, "object \"n/bad\": the transform function failed");
    assert_request(&g, "WATCH rv=10");
    rig_close(&g);
}

/* client-go: TestWatchList, TestWatchListResourceVersion. */
static void starts_with_a_stream_that_becomes_the_watch(void **state)
{
    (void)state;
    rig g;
    lw_reflector_options options = rig_options();
    rig_open(&g, &options);
    assert_request(&g, "STREAM rv=");
    assert_true(g.source.request.sends_initial_events && g.source.request.allows_bookmarks);
    assert_in_range(g.source.request.timeout_s, 300, 599);
    script_open(&g.source);
    script_event(&g.source, ADDED, "n/b", 9); /* in no order */
    script_event(&g.source, ADDED, "n/a", 3);
    script_event(&g.source, ADDED, "n/gone", 4);
    script_event(&g.source, MODIFIED, "n/a", 11);
    script_event(&g.source, DELETED, "n/gone", 12);
    script_bookmark(&g.source, 12); /* without the annotation it is one like others */
    rig_run_until_idle(&g);
    assert_applied(&g, "");
    assert_string_equal(lw_reflector_resource_version(g.reflector), "");
    script_initial_events_end(&g.source, 13);
    rig_run_until_idle(&g);
    assert_applied(&g, "=@13");
    assert_int_equal(lw_indexer_count(g.indexer), 2);
    assert_int_equal(g.transforms, 4); /* client-go's test counts each object twice */
    script_event(&g.source, MODIFIED, "n/b", 14);
    rig_run_until_idle(&g);
    assert_applied(&g, "~n/b@14");
    assert_string_equal(lw_reflector_resource_version(g.reflector), "14");
    assert_int_equal(g.source.watches, 1);
    assert_int_equal(g.source.cancels, 0);
    lw_manual_clock_advance(g.clock, LW_NS_PER_S);
    script_close(&g.source);
    rig_run_until_idle(&g);
    assert_request(&g, "WATCH rv=14");
    rig_close(&g);
}

/* client-go: TestWatchList; and the next round tries the stream again. */
static void any_refusal_of_the_stream_is_followed_by_a_list_at_once(void **state)
{
    (void)state;
    static const struct {
        lw_status code;
        int http_status;
    } refusals[] = { { LW_ERR_INVALID, 422 },     { LW_ERR_INTERNAL, 500 },
                     { LW_ERR_FORBIDDEN, 403 },   { LW_ERR_SYNTAX, 0 },
                     { LW_ERR_UNAVAILABLE, 503 }, { LW_ERR_EXPIRED, 410 },
                     { LW_ERR_UNSUPPORTED, 415 } };
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        rig g;
        lw_reflector_options options = rig_options();
        rig_open(&g, &options);
        fail_with(&g, refusals[i].code, refusals[i].http_status);
        assert_request(&g, "LIST limit=500 rv=0");
        list_end(&g, "10", "");
        assert_request(&g, "WATCH rv=10");
        expire(&g);
        assert_request(&g, "STREAM rv=10");
        assert_int_equal(rig_stats(&g).relists, 1);
        rig_close(&g);
    }
}

static void a_source_that_cannot_stream_may_say_so_at_once(void **state)
{
    (void)state;
    rig g;
    lw_reflector_options options = rig_options();
    rig_open(&g, &options);
    script_initial_events_end(&g.source, 5);
    rig_run_until_idle(&g);
    lw_manual_clock_advance(g.clock, LW_NS_PER_S);
    g.source.refusal = script_error(LW_ERR_UNSUPPORTED, 0, 0);
    script_close(&g.source);
    rig_run_until_idle(&g); /* the watch is refused, within the call */
    g.source.refusal = script_error(LW_ERR_UNSUPPORTED, 0, 0);
    (void)rig_wait(&g); /* the stream, too */
    assert_request(&g, "LIST rv=5");
    rig_close(&g);
}

static void a_throttled_or_refused_stream_is_asked_again_later(void **state)
{
    (void)state;
    rig g;
    lw_reflector_options options = rig_options();
    rig_open(&g, &options);
    fail_with(&g, LW_ERR_UNAVAILABLE, 0);
    assert_request(&g, "");
    assert_backoff(rig_wait(&g), 200);
    assert_request(&g, "STREAM rv=");
    fail_with(&g, LW_ERR_TOO_MANY, 429);
    assert_backoff(rig_wait(&g), 800);
    assert_request(&g, "STREAM rv=");
    assert_int_equal(g.source.lists, 0);
    rig_close(&g);
}

static void an_expired_stream_is_asked_again_without_a_resource_version(void **state)
{
    (void)state;
    rig g;
    lw_reflector_options options = rig_options();
    lw_error expired = script_error(LW_ERR_EXPIRED, 410, 0);
    rig_open(&g, &options);
    script_initial_events_end(&g.source, 5);
    rig_run_until_idle(&g);
    expire(&g);
    assert_request(&g, "STREAM rv=5");
    script_send_error(&g.source, &expired);
    rig_run_until_idle(&g);
    assert_request(&g, "STREAM rv=");
    fail_with(&g, LW_ERR_EXPIRED, 410); /* nonsense: there is nothing to expire */
    assert_request(&g, "LIST limit=500 rv=");
    list_end(&g, "9", "");
    assert_request(&g, "WATCH rv=9");
    rig_close(&g);
}

/* client-go streams again without end and without a pause; a list may get through where a long
 * stream does not. */
static void a_stream_that_is_cut_is_tried_once_more_and_then_listed(void **state)
{
    (void)state;
    rig g;
    lw_reflector_options options = rig_options();
    rig_open(&g, &options);
    script_event(&g.source, ADDED, "n/a", 3);
    script_close(&g.source);
    rig_run_until_idle(&g);
    assert_request(&g, "STREAM rv=");
    script_event(&g.source, ADDED, "n/b", 3);
    fail_with(&g, LW_ERR_UNAVAILABLE, 0); /* the connection */
    assert_request(&g, "LIST limit=500 rv=0");
    list_end(&g, "10", "");
    assert_int_equal(lw_indexer_count(g.indexer), 0);
    rig_close(&g);
}

static void a_stream_that_ends_at_once_without_a_word_is_listed(void **state)
{
    (void)state;
    rig g;
    lw_reflector_options options = rig_options();
    rig_open(&g, &options);
    script_open(&g.source);
    script_close(&g.source);
    rig_run_until_idle(&g);
    assert_request(&g, "LIST limit=500 rv=0");
    rig_close(&g);
}

static void a_stream_keeps_unchanged_objects_as_a_list_does(void **state)
{
    (void)state;
    rig g;
    lw_reflector_options options = rig_options();
    rig_open(&g, &options);
    script_event(&g.source, ADDED, "n/a", 3);
    script_initial_events_end(&g.source, 5);
    rig_run_until_idle(&g);
    const lw_object *a = lw_indexer_borrow(g.indexer, lw_key_make("n", "a"));
    expire(&g);
    script_event(&g.source, ADDED, "n/a", 3);
    script_initial_events_end(&g.source, 9);
    rig_run_until_idle(&g);
    assert_ptr_equal(lw_indexer_borrow(g.indexer, lw_key_make("n", "a")), a);
    rig_close(&g);
}

/* client-go: TestRealFIFO_transformer. */
static void what_a_relist_finds_gone_is_not_transformed_again(void **state)
{
    (void)state;
    rig g;
    rig_open_listing(&g);
    script_item(&g.source, "n/a", 3);
    script_item(&g.source, "n/b", 4);
    list_end(&g, "10", "");
    expire(&g);
    script_item(&g.source, "n/b", 4);
    list_end(&g, "20", "");
    assert_int_equal(lw_indexer_count(g.indexer), 1);
    assert_int_equal(g.transforms, 2);
    rig_close(&g);
}

/* A resource that the source cannot even ask for is not listed either; 404 of a server may mean the
 * stream alone. */
static void a_stream_of_an_unknown_resource_is_asked_for_later(void **state)
{
    (void)state;
    rig g;
    lw_reflector_options options = rig_options();
    rig_open(&g, &options);
    fail_with(&g, LW_ERR_NOT_FOUND, 0);
    assert_request(&g, "");
    assert_backoff(rig_wait(&g), 800);
    assert_request(&g, "STREAM rv=");
    assert_int_equal(g.source.lists, 0);
    assert_int_equal(lw_reflector_last_error(g.reflector, NULL), LW_ERR_NOT_FOUND);
    fail_with(&g, LW_ERR_NOT_FOUND, 404);
    assert_request(&g, "LIST limit=500 rv=0");
    fail_with(&g, LW_ERR_NOT_FOUND, 404);
    assert_backoff(rig_wait(&g), 1600);
    assert_request(&g, "STREAM rv=");
    rig_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(lists_any_state_in_pages_first_and_then_watches_from_there),
        TEST(pages_follow_each_other_without_a_resource_version),
        TEST(a_relist_never_goes_back_in_time),
        TEST(a_list_that_is_told_expired_asks_for_the_newest_state),
        TEST(too_large_resource_versions_are_understood_in_each_dialect),
        TEST(a_page_that_expired_is_followed_by_the_list_in_one_piece),
        TEST(a_whole_list_that_expired_too_asks_for_the_newest_state),
        TEST(a_server_that_pages_any_state_has_no_cache_and_is_always_asked_for_pages),
        TEST(a_server_that_repeats_its_token_is_not_followed_for_ever),
        TEST(a_server_whose_tokens_go_round_is_not_followed_for_ever),
        TEST(pages_without_objects_do_not_go_on_for_ever),
        TEST(a_list_beyond_its_bounds_is_given_up),
        TEST(a_stream_beyond_its_bounds_is_given_up),
        TEST(a_table_is_no_list),
        TEST(unchanged_objects_are_kept_and_not_transformed_again),
        TEST(an_object_that_cannot_be_transformed_is_left_out_of_the_list),
        TEST(starts_with_a_stream_that_becomes_the_watch),
        TEST(any_refusal_of_the_stream_is_followed_by_a_list_at_once),
        TEST(a_source_that_cannot_stream_may_say_so_at_once),
        TEST(a_throttled_or_refused_stream_is_asked_again_later),
        TEST(an_expired_stream_is_asked_again_without_a_resource_version),
        TEST(a_stream_that_is_cut_is_tried_once_more_and_then_listed),
        TEST(a_stream_that_ends_at_once_without_a_word_is_listed),
        TEST(a_stream_keeps_unchanged_objects_as_a_list_does),
        TEST(what_a_relist_finds_gone_is_not_transformed_again),
        TEST(a_stream_of_an_unknown_resource_is_asked_for_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
