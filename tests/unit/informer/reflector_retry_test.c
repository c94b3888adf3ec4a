/* SPDX-License-Identifier: Apache-2.0 */
/* reflector_retry_test.c -- the step after each failure, and its delay. */
#include "informer/reflector.h"

#include "unit/informer/rig.h"

static void fail_with(rig *g, lw_status code, int http_status, int retry_after_s)
{
    lw_error err = script_error(code, http_status, retry_after_s);
    script_fail(&g->source, &err);
    rig_run_until_idle(g);
}

static void send_error(rig *g, lw_status code, int http_status, int retry_after_s)
{
    lw_error err = script_error(code, http_status, retry_after_s);
    script_open(&g->source);
    script_send_error(&g->source, &err);
    rig_run_until_idle(g);
}

/* A reflector that watches from revision 10; the watch is asked for but not open. */
static void open_watching(rig *g)
{
    rig_open_listing(g);
    script_list_end(&g->source, "10", "");
    rig_run_until_idle(g);
    assert_request(g, "WATCH rv=10");
}

/* client-go: TestReflectorListAndWatchInitConnBackoff. */
static void failing_lists_back_off_twice_as_long_each_time_and_then_stay(void **state)
{
    (void)state;
    static const int delays_ms[] = { 800, 1600, 3200, 6400, 12800, 25600, 30000, 30000, 30000 };
    rig g;
    rig_open_listing(&g);
    for (size_t i = 0; i < sizeof(delays_ms) / sizeof(delays_ms[0]); i++) {
        assert_request(&g, "LIST limit=500 rv=0");
        fail_with(&g, LW_ERR_FORBIDDEN, 403, 0);
        assert_backoff(rig_wait(&g), delays_ms[i]);
    }
    assert_int_equal(g.errors, 9);
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_reflector_last_error(g.reflector, &err), LW_ERR_FORBIDDEN);
    script_list_end(&g.source, "10", "");
    rig_run_until_idle(&g);
    assert_int_equal(lw_reflector_last_error(g.reflector, &err), LW_OK);
    rig_close(&g);
}

/* Most outages are short. */
static void the_delays_of_an_outage_stay_short_for_a_minute(void **state)
{
    (void)state;
    static const int delays_ms[] = { 4000, 8000, 16000, 30000, 30000 };
    rig g;
    int64_t passed = 0;
    rig_open_listing(&g);
    for (int i = 0; passed < 60 * LW_NS_PER_S; i++) {
        static const int first_ms[] = { 800, 1600 };
        fail_with(&g, LW_ERR_UNAVAILABLE, i % 2 == 0 ? 503 : 500, 0);
        int64_t delay = rig_wait(&g);
        assert_backoff(delay, i < 2 ? first_ms[i] : 2000);
        passed += delay;
    }
    for (size_t i = 0; i < sizeof(delays_ms) / sizeof(delays_ms[0]); i++) {
        assert_request(&g, "LIST limit=500 rv=0");
        fail_with(&g, LW_ERR_UNAVAILABLE, 503, 0);
        assert_backoff(rig_wait(&g), delays_ms[i]);
    }
    rig_close(&g);
}

/* A server that answers even a list of the newest state with 410 has a fault. */
static void a_410_to_everything_is_an_outage(void **state)
{
    (void)state;
    rig g;
    int64_t passed = 0;
    rig_open_listing(&g);
    while (passed < 50 * LW_NS_PER_S) {
        fail_with(&g, LW_ERR_EXPIRED, 410, 0);
        int64_t delay = g.source.is_under_way ? 0 : rig_wait(&g);
        assert_true(delay < 4 * LW_NS_PER_S);
        passed += delay;
    }
    rig_close(&g);
}

/* A refused watch costs the server little. */
static void a_watch_that_is_refused_is_tried_again_soon_however_long_the_outage_is(void **state)
{
    (void)state;
    rig g;
    open_watching(&g);
    for (int i = 0; i < 100; i++) {
        fail_with(&g, LW_ERR_UNAVAILABLE, 503, 0);
        assert_in_range(rig_wait(&g), 1, 4 * LW_NS_PER_S);
        assert_request(&g, "WATCH rv=10");
    }
    rig_close(&g);
}

static void a_watch_that_is_refused_with_500_five_times_is_relisted(void **state)
{
    (void)state;
    rig g;
    open_watching(&g);
    for (int i = 0; i < 4; i++) {
        fail_with(&g, LW_ERR_INTERNAL, 500, 0);
        (void)rig_wait(&g);
        assert_request(&g, "WATCH rv=10");
    }
    fail_with(&g, LW_ERR_INTERNAL, 500, 0);
    (void)rig_wait(&g);
    assert_request(&g, "LIST rv=10");
    rig_close(&g);
}

/* A refused connection costs the server nothing. */
static void while_nobody_answers_the_delays_stay_short(void **state)
{
    (void)state;
    static const int delays_ms[] = { 200, 400, 800, 1000, 1000, 1000, 1000 };
    rig g;
    rig_open_listing(&g);
    for (size_t i = 0; i < sizeof(delays_ms) / sizeof(delays_ms[0]); i++) {
        assert_request(&g, "LIST limit=500 rv=0");
        fail_with(&g, i % 2 == 0 ? LW_ERR_UNAVAILABLE : LW_ERR_TIMEOUT, 0, 0);
        assert_backoff(rig_wait(&g), delays_ms[i]);
    }
    /* Any answer starts them over; the delays between answers are others. */
    fail_with(&g, LW_ERR_INTERNAL, 500, 0);
    assert_backoff(rig_wait(&g), 800);
    fail_with(&g, LW_ERR_UNAVAILABLE, 0, 0);
    assert_backoff(rig_wait(&g), 200);
    rig_close(&g);
}

static void a_server_that_restarts_in_3_s_is_found_within_2_s_more(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        rig g;
        int64_t passed = 0;
        lw_reflector_options options = rig_options();
        options.lists_only = true;
        options.seed = seed;
        rig_open(&g, &options);
        script_list_end(&g.source, "10", "");
        rig_run_until_idle(&g);
        script_open(&g.source);
        rig_advance(&g, 60 * LW_NS_PER_S);
        fail_with(&g, LW_ERR_UNAVAILABLE, 0, 0); /* it goes: the connection breaks */
        while (passed < 3 * LW_NS_PER_S) {
            assert_request(&g, "WATCH rv=10");
            fail_with(&g, LW_ERR_UNAVAILABLE, 0, 0);
            passed += rig_wait(&g);
        }
        assert_in_range(passed, 3 * LW_NS_PER_S, 5 * LW_NS_PER_S);
        rig_close(&g);
    }
}

/* Better than client-go, which starts over every two minutes of an outage. */
static void a_long_outage_does_not_shorten_the_delays(void **state)
{
    (void)state;
    static const struct {
        int http_status;
        unsigned least, most;
    } cases[] = { { 503, 85, 120 }, { 0, 2300, 2500 } };
    for (size_t i = 0; i < 2; i++) {
        rig g;
        int64_t passed = 0;
        unsigned tries = 0;
        rig_open_listing(&g);
        for (; passed < 3600 * LW_NS_PER_S; tries++) {
            fail_with(&g, LW_ERR_UNAVAILABLE, cases[i].http_status, 0);
            passed += rig_wait(&g);
        }
        assert_in_range(tries, cases[i].least, cases[i].most);
        rig_close(&g);
    }
}

/* client-go: TestNoRelistOnTooManyRequests. */
static void refused_and_throttled_watches_are_asked_again_without_a_relist(void **state)
{
    (void)state;
    rig g;
    open_watching(&g);
    fail_with(&g, LW_ERR_TOO_MANY, 429, 0);
    assert_request(&g, "");
    assert_backoff(rig_wait(&g), 800);
    assert_request(&g, "WATCH rv=10");
    fail_with(&g, LW_ERR_UNAVAILABLE, 0, 0);
    assert_backoff(rig_wait(&g), 200);
    fail_with(&g, LW_ERR_UNAVAILABLE, 503, 0);
    assert_backoff(rig_wait(&g), 1600);
    send_error(&g, LW_ERR_TOO_MANY, 429, 0); /* TestBackoffOnTooManyRequests: in the stream, too */
    assert_backoff(rig_wait(&g), 2000);
    assert_request(&g, "WATCH rv=10");
    assert_int_equal(g.source.lists, 1);
    assert_int_equal(g.errors, 4);
    rig_close(&g);
}

/* The server asks all clients for the same delay, so each adds up to half of it. */
#define assert_asked(delay_ns, s)                                                                  \
    assert_in_range((delay_ns), (s)*LW_NS_PER_S, (s)*LW_NS_PER_S * 3 / 2)

static void waits_as_long_as_the_server_asks_for_within_reason(void **state)
{
    (void)state;
    rig g;
    open_watching(&g);
    fail_with(&g, LW_ERR_TOO_MANY, 429, 17);
    assert_asked(rig_wait(&g), 17);
    fail_with(&g, LW_ERR_INTERNAL, 500, 90);
    assert_asked(rig_wait(&g), 90);
    assert_request(&g, "WATCH rv=10");
    fail_with(&g, LW_ERR_TOO_MANY, 429, 2000000000);
    assert_asked(rig_wait(&g), 600);
    fail_with(&g, LW_ERR_TOO_MANY, 429, 1); /* shorter than our own: the server knows best */
    assert_asked(rig_wait(&g), 1);
    rig_close(&g);
}

/* In the stream and, unless the server has a fault, in place of one. */
static void assert_relists(lw_status code, int http_status, lw_relist_reason reason, bool is_later)
{
    int ways = http_status == 500 ? 1 : 2;
    for (int is_refused = 0; is_refused < ways; is_refused++) {
        rig g;
        open_watching(&g);
        if (is_refused) {
            fail_with(&g, code, http_status, 0);
            assert_int_equal(g.source.cancels, 0);
        } else {
            send_error(&g, code, http_status, 0);
            assert_int_equal(g.source.cancels, 1); /* client-go: TestCloseWatchChannelOnError */
        }
        assert_int_equal(g.errors, 1); /* also of a stream: client-go keeps those to itself */
        if (is_later) {
            assert_request(&g, "");
            assert_backoff(rig_wait(&g), 800);
        }
        assert_request(&g, "LIST rv=10");
        assert_int_equal(rig_stats(&g).last_relist_reason, reason);
        assert_int_equal(rig_stats(&g).relists, 1);
        rig_close(&g);
    }
}

static void an_expired_watch_is_relisted_at_once_at_the_last_resource_version(void **state)
{
    (void)state;
    assert_relists(LW_ERR_EXPIRED, 410, LW_RELIST_EXPIRED, false);
    assert_relists(LW_ERR_TOO_LARGE_RV, 504, LW_RELIST_TOO_LARGE, false);
}

/* The server was away for long; when it is back it has forgotten where we were. */
static void after_an_outage_the_list_follows_the_410_at_once(void **state)
{
    (void)state;
    rig g;
    open_watching(&g);
    for (int i = 0; i < 20; i++) {
        fail_with(&g, LW_ERR_UNAVAILABLE, 0, 0);
        (void)rig_wait(&g);
    }
    assert_request(&g, "WATCH rv=10");
    fail_with(&g, LW_ERR_EXPIRED, 410, 0);
    assert_request(&g, "LIST rv=10");
    script_list_end(&g.source, "500", "");
    rig_run_until_idle(&g);
    assert_request(&g, "WATCH rv=500");
    rig_close(&g);
}

/* Requests that a server is asked within an hour; |answer| answers the watch that is asked for. */
static unsigned requests_in_an_hour(void (*answer)(rig *g, unsigned round))
{
    rig g;
    int64_t passed = 0;
    open_watching(&g);
    for (unsigned round = 0; passed < 3600 * LW_NS_PER_S; round++) {
        answer(&g, round);
        rig_run_until_idle(&g);
        if (!g.source.is_under_way)
            passed += rig_wait(&g);
        if (strncmp(script_request(&g.source), "LIST", 4) == 0)
            script_list_end(&g.source, "10", "");
        rig_run_until_idle(&g);
        assert_true(round < 100000);
    }
    unsigned requests = g.source.lists + g.source.watches;
    rig_close(&g);
    return requests;
}

static void answer_410(rig *g, unsigned round)
{
    (void)round;
    fail_with(g, LW_ERR_EXPIRED, 410, 0);
}

static void answer_one_event(rig *g, unsigned round)
{
    script_open(&g->source);
    script_event(&g->source, LW_WATCH_ADDED, "n/a", 11 + round);
    fail_with(g, LW_ERR_UNAVAILABLE, 0, 0);
}

static void answer_one_event_and_410(rig *g, unsigned round)
{
    script_open(&g->source);
    script_event(&g->source, LW_WATCH_ADDED, "n/a", 11 + round);
    send_error(g, LW_ERR_EXPIRED, 410, 0);
}

static void answer_and_break(rig *g, unsigned round)
{
    (void)round;
    script_open(&g->source);
    fail_with(g, LW_ERR_UNAVAILABLE, 0, 0);
}

static void answer_for_a_second(rig *g, unsigned round)
{
    (void)round;
    script_open(&g->source);
    rig_advance(g, LW_NS_PER_S);
    script_close(&g->source);
}

/* At most a watch in 2 s, and a list in 3 s, whatever the server does. */
static void a_server_that_answers_but_does_not_get_anywhere_is_not_asked_all_the_time(void **state)
{
    (void)state;
    assert_in_range(requests_in_an_hour(answer_410), 100, 1200);
    assert_in_range(requests_in_an_hour(answer_one_event), 100, 1800);
    assert_in_range(requests_in_an_hour(answer_one_event_and_410), 100, 2 * 1800);
    assert_in_range(requests_in_an_hour(answer_and_break), 50, 200);
    assert_in_range(requests_in_an_hour(answer_for_a_second), 100, 1800);
}

static void a_second_410_within_10_s_is_listed_later(void **state)
{
    (void)state;
    rig g;
    open_watching(&g);
    fail_with(&g, LW_ERR_EXPIRED, 410, 0);
    assert_request(&g, "LIST rv=10");
    script_list_end(&g.source, "20", "");
    rig_run_until_idle(&g);
    fail_with(&g, LW_ERR_EXPIRED, 410, 0);
    assert_backoff(rig_wait(&g), 800);
    script_list_end(&g.source, "30", "");
    rig_run_until_idle(&g);
    script_open(&g.source);
    rig_advance(&g, 10 * LW_NS_PER_S);
    send_error(&g, LW_ERR_EXPIRED, 410, 0);
    assert_request(&g, "LIST rv=30");
    rig_close(&g);
}

/* client-go: TestReflectorReplacesStoreOnUnsafeDelete (a StoreReadError is an internal one). */
static void other_errors_are_relisted(void **state)
{
    (void)state;
    assert_relists(LW_ERR_INTERNAL, 500, LW_RELIST_ERROR, true);
    assert_relists(LW_ERR_FORBIDDEN, 403, LW_RELIST_ERROR, true);
    assert_relists(LW_ERR_NOT_FOUND, 404, LW_RELIST_ERROR, true);
    assert_relists(LW_ERR_INVALID, 400, LW_RELIST_ERROR, true);
}

/* Servers send a delay with it, but waiting alone would not help. */
static void a_watch_from_the_future_is_relisted_after_the_time_the_server_asks_for(void **state)
{
    (void)state;
    rig g;
    open_watching(&g);
    send_error(&g, LW_ERR_TOO_LARGE_RV, 504, 5);
    assert_asked(rig_wait(&g), 5);
    assert_request(&g, "LIST rv=10");
    rig_close(&g);
}

static void bytes_that_are_no_event_are_relisted(void **state)
{
    (void)state;
    static const lw_status codes[] = { LW_ERR_SYNTAX, LW_ERR_INVALID, LW_ERR_LIMIT };
    for (size_t i = 0; i < 3; i++) {
        rig g;
        open_watching(&g);
        script_open(&g.source);
        script_event(&g.source, LW_WATCH_ADDED, "n/a", 11);
        fail_with(&g, codes[i], 0, 0);
        assert_int_equal(rig_stats(&g).last_relist_reason, LW_RELIST_MALFORMED);
        assert_backoff(rig_wait(&g), 800);
        assert_request(&g, "LIST rv=11");
        rig_close(&g);
    }
}

static void a_connection_that_breaks_is_resumed_at_once_but_not_all_the_time(void **state)
{
    (void)state;
    rig g;
    open_watching(&g);
    script_open(&g.source);
    script_event(&g.source, LW_WATCH_ADDED, "n/a", 11);
    fail_with(&g, LW_ERR_UNAVAILABLE, 0, 0);
    assert_request(&g, "WATCH rv=11");
    assert_int_equal(g.source.lists, 1);
    script_open(&g.source);
    fail_with(&g, LW_ERR_UNAVAILABLE, 0, 0); /* at once, without a word: not again at once */
    assert_request(&g, "");
    assert_backoff(rig_wait(&g), 800);
    assert_request(&g, "WATCH rv=11");
    script_open(&g.source);
    script_event(&g.source, LW_WATCH_ADDED, "n/b", 12);
    fail_with(&g, LW_ERR_UNAVAILABLE, 0, 0); /* the second within 10 s */
    assert_backoff(rig_wait(&g), 200);
    assert_request(&g, "WATCH rv=12");
    script_open(&g.source);
    rig_advance(&g, 10 * LW_NS_PER_S);
    fail_with(&g, LW_ERR_UNAVAILABLE, 0, 0);
    assert_request(&g, "WATCH rv=12");
    rig_close(&g);
}

/* Where much happens a request for 100 events is not too much, however fast they come. */
static void a_watch_that_brought_much_is_resumed_at_once_each_time(void **state)
{
    (void)state;
    rig g;
    open_watching(&g);
    uint64_t rv = 10;
    for (int round = 0; round < 5; round++) {
        script_open(&g.source);
        for (int i = 0; i < 100; i++)
            script_event(&g.source, LW_WATCH_ADDED, "n/a", ++rv);
        g.log_len = 0;
        script_close(&g.source);
        rig_run_until_idle(&g);
        assert_true(g.source.is_under_way);
    }
    assert_int_equal(g.source.watches, 6);
    rig_close(&g);
}

/* client-go: TestReflectorHandleWatchResultChanClosedBefore. */
static void watches_that_end_at_once_without_an_event_are_an_error(void **state)
{
    (void)state;
    rig g;
    open_watching(&g);
    script_open(&g.source);
    rig_advance(&g, 999 * LW_NS_PER_MS);
    script_close(&g.source);
    rig_run_until_idle(&g);
    assert_request(&g, "");
    assert_int_equal(g.errors, 1);
    assert_int_equal(rig_stats(&g).last_relist_reason, LW_RELIST_SHORT_WATCH);
    assert_backoff(rig_wait(&g), 800);
    assert_request(&g, "LIST rv=10");
    script_list_end(&g.source, "10", "");
    rig_run_until_idle(&g);
    script_open(&g.source);
    script_bookmark(&g.source, 12); /* one word is enough */
    script_close(&g.source);
    rig_run_until_idle(&g);
    assert_request(&g, "WATCH rv=12");
    rig_close(&g);
}

/* Raises the delay between answers to its cap; the reflector lists then. */
static void wear_out(rig *g)
{
    for (int i = 0; i < 7; i++) {
        fail_with(g, LW_ERR_FORBIDDEN, 403, 0);
        (void)rig_wait(g);
    }
}

static void list_20(rig *g)
{
    script_list_end(&g->source, "20", "");
    rig_run_until_idle(g);
    assert_request(g, "WATCH rv=20");
}

static void a_healthy_stream_starts_the_delays_over(void **state)
{
    (void)state;
    rig g;
    open_watching(&g);
    wear_out(&g);
    list_20(&g);
    script_open(&g.source);
    rig_advance(&g, 10 * LW_NS_PER_S);
    send_error(&g, LW_ERR_TOO_MANY, 429, 0);
    assert_backoff(rig_wait(&g), 800);
    rig_close(&g);
}

static void a_stream_that_brought_something_shortens_the_delays(void **state)
{
    (void)state;
    rig g;
    open_watching(&g);
    wear_out(&g);
    list_20(&g);
    script_open(&g.source); /* silent, and an error: no proof of anything */
    rig_advance(&g, 9 * LW_NS_PER_S);
    send_error(&g, LW_ERR_FORBIDDEN, 403, 0);
    assert_backoff(rig_wait(&g), 10000);
    list_20(&g);
    script_open(&g.source);
    script_event(&g.source, LW_WATCH_ADDED, "n/a", 21);
    send_error(&g, LW_ERR_FORBIDDEN, 403, 0);
    assert_backoff(rig_wait(&g), 2000);
    rig_close(&g);
}

static void a_list_that_is_complete_shortens_the_delays(void **state)
{
    (void)state;
    rig g;
    open_watching(&g);
    wear_out(&g);
    fail_with(&g, LW_ERR_FORBIDDEN, 403, 0);
    assert_backoff(rig_wait(&g), 30000);
    assert_request(&g, "LIST rv=10");
    list_20(&g);
    fail_with(&g, LW_ERR_FORBIDDEN, 403, 0);
    assert_backoff(rig_wait(&g), 10000);
    rig_close(&g);
}

static void what_is_wrong_is_known_until_it_is_right(void **state)
{
    (void)state;
    rig g;
    lw_error err = LW_ERROR_INIT;
    open_watching(&g);
    assert_int_equal(lw_reflector_last_error(g.reflector, &err), LW_OK);
    fail_with(&g, LW_ERR_TOO_MANY, 429, 0);
    assert_int_equal(lw_reflector_last_error(g.reflector, &err), LW_ERR_TOO_MANY);
    assert_int_equal(err.http_status, 429);
    (void)rig_wait(&g);
    assert_int_equal(lw_reflector_last_error(g.reflector, NULL), LW_ERR_TOO_MANY);
    script_open(&g.source);
    assert_int_equal(lw_reflector_last_error(g.reflector, &err), LW_OK);
    rig_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(failing_lists_back_off_twice_as_long_each_time_and_then_stay),
        TEST(while_nobody_answers_the_delays_stay_short),
        TEST(a_server_that_restarts_in_3_s_is_found_within_2_s_more),
        TEST(the_delays_of_an_outage_stay_short_for_a_minute),
        TEST(a_410_to_everything_is_an_outage),
        TEST(a_watch_that_is_refused_is_tried_again_soon_however_long_the_outage_is),
        TEST(a_watch_that_is_refused_with_500_five_times_is_relisted),
        TEST(a_long_outage_does_not_shorten_the_delays),
        TEST(refused_and_throttled_watches_are_asked_again_without_a_relist),
        TEST(waits_as_long_as_the_server_asks_for_within_reason),
        TEST(an_expired_watch_is_relisted_at_once_at_the_last_resource_version),
        TEST(after_an_outage_the_list_follows_the_410_at_once),
        TEST(a_server_that_answers_but_does_not_get_anywhere_is_not_asked_all_the_time),
        TEST(a_second_410_within_10_s_is_listed_later),
        TEST(other_errors_are_relisted),
        TEST(a_watch_from_the_future_is_relisted_after_the_time_the_server_asks_for),
        TEST(bytes_that_are_no_event_are_relisted),
        TEST(a_connection_that_breaks_is_resumed_at_once_but_not_all_the_time),
        TEST(a_watch_that_brought_much_is_resumed_at_once_each_time),
        TEST(watches_that_end_at_once_without_an_event_are_an_error),
        TEST(a_healthy_stream_starts_the_delays_over),
        TEST(a_stream_that_brought_something_shortens_the_delays),
        TEST(a_list_that_is_complete_shortens_the_delays),
        TEST(what_is_wrong_is_known_until_it_is_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
