/* SPDX-License-Identifier: Apache-2.0 */
/* late_resource_test.c -- informers on resources that the server does not have yet, or not any more
 * in that version: custom resource definitions come and go while a program runs. */
#include "wire.h"

#define CORE          WIRE_DISCOVERY("", "v1", "pods", "Pod")
#define FOOS(version) WIRE_DISCOVERY("example.com", version, "foos", "Foo")
#define FOOS_V1       "/apis/example.com/v1/foos?allowWatchBookmarks=true"
#define FOOS_ALPHA    "/apis/example.com/v1alpha1/foos?allowWatchBookmarks=true"
#define STREAM                                                                                     \
    "&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeoutSeconds=N&watch=true"
#define MISSING                                                                                    \
    WIRE_HEAD("404 Not Found")                                                                     \
    WIRE_STATUS("404", "NotFound", "the server could not find the requested resource")
#define END                                                                                        \
    WIRE_EVENT("BOOKMARK", "{\"metadata\":{\"resourceVersion\":\"20\",\"annotations\":{"           \
                           "\"k8s.io/initial-events-end\":\"true\"}}}")

static void open_server(wire *w)
{
    const lw_factory_options options = { .size = sizeof(lw_factory_options), .ns = NULL };
    wire_open(w, &options);
    wire_answer_always(w, "GET /api ", CORE);
}

static uint64_t errors_of(const lw_informer *informer)
{
    lw_informer_statistics stats;
    lw_informer_stats(informer, &stats);
    return stats.errors;
}

/* Runs the factory until |informer| has seen this many errors; returns the error of wait_for_sync.
 */
static const char *await_errors(wire *w, const lw_informer *informer, uint64_t count)
{
    static lw_error err;
    int64_t deadline = lw_clock_now(lw_clock_system()) + 10 * LW_NS_PER_S;
    while (errors_of(informer) < count) {
        assert_true(lw_clock_now(lw_clock_system()) < deadline);
        wire_turn(w);
    }
    assert_int_equal(errors_of(informer), count);
    assert_int_equal(lw_informer_last_error(informer, NULL), LW_ERR_NOT_FOUND);
    assert_int_equal(lw_factory_wait_for_sync(w->factory, 0, &err), LW_ERR_TIMEOUT);
    return err.message;
}

static void pass_the_longest_delay(wire *w)
{
    lw_manual_clock_advance(w->clock, 60 * LW_NS_PER_S);
}

/* client-go's informers go on asking the path they were made for, and say nothing. */
static void a_resource_that_discovery_does_not_know_is_followed_when_it_is_there(void **state)
{
    (void)state;
    wire w;
    open_server(&w);
    lw_informer *foos = wire_informer(&w, "foos.example.com");
    for (unsigned round = 1; round <= 3; round++) {
        wire_answer(&w, "GET /apis ", WIRE_NO_GROUPS); /* once a round */
        assert_string_equal(await_errors(&w, foos, round),
                            "foos.example.com: the server doesn't have a resource type "
                            "\"foos.example.com\"; the informer retries until the resource exists");
        pass_the_longest_delay(&w);
    }
    wire_answer(&w, "GET /apis ", FOOS("v1"));
    wire_stay(&w, "GET /apis/example.com/v1/foos",
              WIRE_OK WIRE_EVENT("ADDED", WIRE_OBJECT("a", "3")) END);
    assert_string_equal(wire_next(&w), FOOS_V1 STREAM);
    wire_await_told(&w, 1);
    assert_told(&w.book, "+n/a.i");
    assert_int_equal(lw_factory_wait_for_sync(w.factory, 0, NULL), LW_OK);
    assert_int_equal(lw_informer_last_error(foos, NULL), LW_OK);
    wire_close(&w);
}

/* Discovery may know a definition that is not served yet. */
static void a_resource_whose_list_is_not_found_is_followed_when_it_is_there(void **state)
{
    (void)state;
    wire w;
    open_server(&w);
    wire_answer_always(&w, "GET /apis ", FOOS("v1"));
    wire_answer(&w, "GET /apis/example.com/v1/foos", MISSING); /* the stream */
    wire_answer(&w, "GET /apis/example.com/v1/foos", MISSING); /* the list in its place */
    lw_informer *foos = wire_informer(&w, "foos.example.com");
    assert_string_equal(await_errors(&w, foos, 1),
                        "foos.example.com: the server could not find the requested resource; the "
                        "informer retries until the resource exists");
    assert_string_equal(wire_next(&w), FOOS_V1 STREAM);
    assert_string_equal(wire_next(&w), "/apis/example.com/v1/foos?limit=500&resourceVersion=0");
    wire_stay(&w, "GET /apis/example.com/v1/foos",
              WIRE_OK WIRE_EVENT("ADDED", WIRE_OBJECT("a", "3")) END);
    pass_the_longest_delay(&w);
    assert_string_equal(wire_next(&w), FOOS_V1 STREAM);
    wire_await_told(&w, 1);
    assert_told(&w.book, "+n/a.i");
    wire_close(&w);
}

/* Better than client-go, whose informers ask for the version they were made with for ever. */
static void a_resource_that_moves_to_another_version_is_found_there(void **state)
{
    (void)state;
    wire w;
    open_server(&w);
    wire_answer(&w, "GET /apis ", FOOS("v1alpha1"));
    wire_answer(&w, "GET /apis/example.com/v1alpha1/foos",
                WIRE_OK WIRE_EVENT("ADDED", WIRE_OBJECT("a", "3"))
                    WIRE_EVENT("ADDED", WIRE_OBJECT("b", "4")) END);
    wire_answer_always(&w, "GET /apis/example.com/v1alpha1/foos", MISSING);
    wire_answer_always(&w, "GET /apis ", FOOS("v1"));
    wire_stay(&w, "GET /apis/example.com/v1/foos",
              WIRE_OK WIRE_EVENT("ADDED", WIRE_OBJECT("a", "3")) END);
    lw_informer *foos = wire_informer(&w, "foos.example.com");
    assert_string_equal(wire_next(&w), FOOS_ALPHA STREAM);
    wire_await_told(&w, 2);
    assert_told(&w.book, "+n/a.i +n/b.i");
    assert_string_equal(wire_next(&w),
                        FOOS_ALPHA "&resourceVersion=20&timeoutSeconds=N&watch=true");
    wire_await_error(&w, foos, LW_ERR_NOT_FOUND);
    assert_string_equal(wire_next(&w), FOOS_V1 "&resourceVersion=20" STREAM);
    wire_await_told(&w, 3);
    assert_told(&w.book, "-n/b.r?");
    wire_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_resource_that_discovery_does_not_know_is_followed_when_it_is_there),
        TEST(a_resource_whose_list_is_not_found_is_followed_when_it_is_there),
        TEST(a_resource_that_moves_to_another_version_is_found_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
