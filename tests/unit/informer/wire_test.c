/* SPDX-License-Identifier: Apache-2.0 */
/* wire_test.c -- the requests of an informer as a server sees them: paths, queries, their order. */
#include "wire.h"

#define PODS      "GET /api/v1/pods"
#define CORE      WIRE_DISCOVERY("", "v1", "pods", "Pod")
#define EXPIRED   WIRE_STATUS("410", "Expired", "too old resource version: 12 (99)")
#define BOOKMARK  "{\"metadata\":{\"resourceVersion\":\"20\",\"annotations\":{"
#define END_TRUE  BOOKMARK "\"k8s.io/initial-events-end\":\"true\"}}}"
#define END_FALSE BOOKMARK "\"k8s.io/initial-events-end\":\"false\"}}}"
#define WATCH     "/api/v1/pods?allowWatchBookmarks=true"
#define STREAM                                                                                     \
    "&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeoutSeconds=N&watch=true"

static void open_with_discovery(wire *w, const lw_factory_options *options)
{
    wire_open(w, options);
    wire_answer_always(w, "GET /apis ", WIRE_NO_GROUPS);
    wire_answer_always(w, "GET /api ", CORE);
}

/* client-go: TestReflectorListAndWatch, TestReflectorResyncWithResourceVersion, by lists. */
static void a_list_in_pages_a_watch_and_a_relist(void **state)
{
    (void)state;
    wire w;
    const lw_factory_options options = { .size = sizeof(lw_factory_options), .lists_only = true };
    open_with_discovery(&w, &options);
    wire_answer(&w, PODS, WIRE_LIST("10", "c%/1", WIRE_OBJECT("a", "3")));
    wire_answer(&w, PODS, WIRE_LIST("10", "", WIRE_OBJECT("b", "7")));
    wire_answer(&w, PODS, WIRE_OK WIRE_EVENT("ADDED", WIRE_OBJECT("c", "11")));
    wire_answer(&w, PODS,
                WIRE_OK WIRE_EVENT("DELETED", WIRE_OBJECT("a", "12")) WIRE_EVENT("ERROR", EXPIRED));
    wire_answer(&w, PODS, WIRE_LIST("15", "", WIRE_OBJECT("b", "7")));
    wire_stay(&w, PODS, WIRE_OK);
    (void)wire_informer(&w, "pods");
    assert_string_equal(wire_next(&w), "/api/v1/pods?limit=500&resourceVersion=0");
    assert_string_equal(wire_next(&w), "/api/v1/pods?continue=c%25%2F1&limit=500");
    assert_string_equal(wire_next(&w), WATCH "&resourceVersion=10&timeoutSeconds=N&watch=true");
    /* Ended cleanly: again at once, from where it was. */
    assert_string_equal(wire_next(&w), WATCH "&resourceVersion=11&timeoutSeconds=N&watch=true");
    wire_await_told(&w, 4);
    assert_told(&w.book, "+n/a.i +n/b.i +n/c.w -n/a.w");
    /* Expired: listed at once.  Pages again: who pages a list from its cache has none. */
    assert_string_equal(wire_next(&w), "/api/v1/pods?limit=500&resourceVersion=12");
    assert_string_equal(wire_next(&w), WATCH "&resourceVersion=15&timeoutSeconds=N&watch=true");
    wire_await_told(&w, 5);
    assert_told(&w.book, "-n/c.r?");
    wire_close(&w);
}

/* client-go: TestReflectorListAndWatch by a stream, TestWatchList. */
static void a_stream_that_becomes_the_watch_and_starts_over(void **state)
{
    (void)state;
    wire w;
    const lw_factory_options options = { .size = sizeof(lw_factory_options), .ns = NULL };
    open_with_discovery(&w, &options);
    wire_answer(&w, PODS,
                WIRE_OK WIRE_EVENT("ADDED", WIRE_OBJECT("a", "3")) /* in no order */
                WIRE_EVENT("ADDED", WIRE_OBJECT("b", "2")) WIRE_EVENT("BOOKMARK", END_FALSE)
                    WIRE_EVENT("MODIFIED", WIRE_OBJECT("b", "12")) WIRE_EVENT("BOOKMARK", END_TRUE)
                        WIRE_EVENT("MODIFIED", WIRE_OBJECT("a", "21"))
                            WIRE_EVENT("ERROR", EXPIRED));
    wire_answer(&w, PODS, WIRE_HEAD("410 Gone") EXPIRED);
    wire_stay(&w, PODS, WIRE_OK WIRE_EVENT("BOOKMARK", END_TRUE));
    lw_informer *pods = wire_informer(&w, "pods");
    assert_string_equal(wire_next(&w), WATCH STREAM);
    wire_await_told(&w, 3);
    assert_told(&w.book, "+n/a.i +n/b.i ~n/a.w");
    assert_string_equal(wire_next(&w), WATCH "&resourceVersion=21" STREAM);
    assert_string_equal(wire_next(&w), WATCH STREAM); /* that is gone: the newest there is */
    wire_await_told(&w, 5);
    assert_int_equal(lw_lister_count(lw_informer_lister(pods)), 0);
    wire_close(&w);
}

/* client-go: TestWatchList; servers before 1.27 ignore or refuse what they do not know. */
static void a_server_that_does_not_stream_is_listed_at_once(void **state)
{
    (void)state;
    wire w;
    const lw_factory_options options = { .size = sizeof(lw_factory_options),
                                         .ns = "n",
                                         .label_selector = "app=web" };
    open_with_discovery(&w, &options);
    wire_answer(&w, "GET /api/v1/namespaces/n/pods",
                WIRE_HEAD("422 Unprocessable Entity")
                    WIRE_STATUS("422", "Invalid", "sendInitialEvents is forbidden for watch"));
    wire_answer(&w, "GET /api/v1/namespaces/n/pods", WIRE_LIST("10", "", WIRE_OBJECT("a", "3")));
    wire_stay(&w, "GET /api/v1/namespaces/n/pods", WIRE_OK);
    (void)wire_informer(&w, "pods");
    assert_string_equal(wire_next(&w), "/api/v1/namespaces/n/pods?allowWatchBookmarks=true&"
                                       "labelSelector=app%3Dweb" STREAM);
    assert_string_equal(wire_next(&w), "/api/v1/namespaces/n/pods?labelSelector=app%3Dweb&"
                                       "limit=500&resourceVersion=0");
    assert_string_equal(wire_next(&w),
                        "/api/v1/namespaces/n/pods?allowWatchBookmarks=true&labelSelector="
                        "app%3Dweb&resourceVersion=10&timeoutSeconds=N&watch=true");
    wire_await_told(&w, 1);
    assert_told(&w.book, "+n/a.i");
    wire_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_list_in_pages_a_watch_and_a_relist),
        TEST(a_stream_that_becomes_the_watch_and_starts_over),
        TEST(a_server_that_does_not_stream_is_listed_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
