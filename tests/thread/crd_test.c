/* SPDX-License-Identifier: Apache-2.0 */
/* crd_test.c -- definitions come and go on one loop while others use their objects, discovery,
 * OpenAPI and watches: what is asked for is there or is not, and nothing is used after its end. */
#include "api/api.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "store/memory.h"
#include "support/fake_http.h"
#include "thread/crew.h"

enum {
    ROUNDS = 25,
};

#define CRDS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define ONE  CRDS "/widgets.example.com"

static const char definition[] =
    "{\"metadata\":{\"name\":\"widgets.example.com\"},\"spec\":{\"group\":\"example.com\","
    "\"scope\":"
    "\"Cluster\",\"names\":{\"plural\":\"widgets\",\"kind\":\"Widget\"},\"versions\":[{\"name\":"
    "\"v1\",\"served\":true,\"storage\":true,\"additionalPrinterColumns\":[{\"name\":\"Size\","
    "\"type\":\"integer\",\"jsonPath\":\".spec.size\"}],\"schema\":{\"openAPIV3Schema\":{\"type\":"
    "\"object\",\"properties\":{\"spec\":{\"type\":\"object\",\"properties\":{\"size\":{\"type\":"
    "\"integer\"}}}}}}}]}}";

typedef struct arena {
    lw_store *store;
    lw_cache *cache;
    lw_registry *registry;
    lw_api *api;
    atomic_int faults;
    atomic_int first_fault; /* its line */
    atomic_bool is_over;
} arena;

static void expect_at(arena *a, bool is_so, int line)
{
    int none = 0;
    if (is_so)
        return;
    atomic_fetch_add(&a->faults, 1);
    (void)atomic_compare_exchange_strong(&a->first_fault, &none, line);
}
#define expect(a, is_so) expect_at((a), (is_so), __LINE__)

static fake_http *ask(arena *a, lw_loop *loop, const char *method, const char *target,
                      const char *body)
{
    fake_http_request request = { .method = method, .target = target, .body = lw_str_of(body) };
    fake_http *http = fake_http_new(loop, &request);
    if (!http)
        abort();
    expect(a, lw_api_serve(a->api, &http->stream, NULL));
    return http;
}

/* Asks and waits; the status of the answer. */
static int answered(arena *a, lw_loop *loop, const char *method, const char *target,
                    const char *body)
{
    fake_http *http = ask(a, loop, method, target, body);
    while (!http->is_ended)
        expect(a, lw_loop_turn(loop, 20, NULL) == LW_OK);
    int status = http->status;
    fake_http_free(http);
    return status;
}

static void change_definitions(arena *a, lw_loop *loop)
{
    for (int i = 0; i < ROUNDS; i++) {
        expect(a, answered(a, loop, "POST", CRDS, definition) == 201);
        expect(a, answered(a, loop, "POST", "/apis/example.com/v1/widgets",
                           "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"size\":1,\"x\":2}}") == 201);
        expect(a, answered(a, loop, "DELETE", ONE, "") == 200);
        while (answered(a, loop, "GET", ONE, "") != 404)
            expect(a, lw_loop_turn(loop, 1, NULL) == LW_OK);
    }
    atomic_store(&a->is_over, true);
}

static void read_all(arena *a, lw_loop *loop)
{
    fake_http *watch = NULL;
    while (!atomic_load(&a->is_over)) {
        int status = answered(a, loop, "GET", "/apis/example.com/v1/widgets", "");
        expect(a, status == 200 || status == 404);
        expect(a, answered(a, loop, "GET", "/apis", "") == 200);
        status = answered(a, loop, "GET", "/openapi/v3/apis/example.com/v1", "");
        expect(a, status == 200 || status == 404);
        expect(a, answered(a, loop, "GET", "/openapi/v3", "") == 200);
        status = answered(a, loop, "POST", "/apis/example.com/v1/widgets",
                          "{\"metadata\":{\"generateName\":\"b\"},\"spec\":{\"size\":\"no\"}}");
        expect(a, status == 422 || status == 404 || status == 405);
        if (!watch)
            watch = ask(a, loop, "GET", "/apis/example.com/v1/widgets?watch=1", "");
        if (watch->is_ended) {
            fake_http_free(watch);
            watch = NULL;
        }
        expect(a, lw_loop_turn(loop, 0, NULL) == LW_OK);
    }
    lw_api_drain(a->api, loop);
    fake_http_free(watch);
}

static void run(arena *a, void (*work)(arena *a, lw_loop *loop))
{
    lw_loop *loop = NULL;
    expect(a, lw_loop_new(&loop, NULL, NULL) == LW_OK);
    expect(a, lw_api_bind(a->api, loop, NULL) == LW_OK);
    work(a, loop);
    lw_api_drain(a->api, loop);
    lw_api_unbind(a->api, loop);
    lw_loop_free(loop);
}

static void writer_run(void *arg)
{
    run(arg, change_definitions);
}

static void reader_run(void *arg)
{
    run(arg, read_all);
}

static void definitions_come_and_go_under_readers(void **state)
{
    arena a = { .store = NULL };
    lw_thread writer;
    (void)state;
    assert_int_equal(lw_registry_new(&a.registry), LW_OK);
    assert_int_equal(lw_memory_store_new(&a.store, NULL, NULL), LW_OK);
    const lw_cache_options cache_options = { .store = a.store };
    assert_int_equal(lw_cache_new(&a.cache, &cache_options, NULL), LW_OK);
    const lw_api_options options = {
        .store = a.store, .cache = a.cache, .registry = a.registry, .server_address = LW_STR("")
    };
    assert_int_equal(lw_api_new(&a.api, &options, NULL), LW_OK);
    assert_int_equal(lw_cache_start(a.cache, NULL), LW_OK);
    assert_int_equal(lw_api_seed(a.api, NULL), LW_OK);
    assert_int_equal(lw_thread_start(&writer, "writer", writer_run, &a, NULL), LW_OK);
    crew_run(reader_run, &a);
    lw_thread_join(&writer);
    if (atomic_load(&a.faults) > 0)
        fail_msg("%d faults, the first in line %d", atomic_load(&a.faults),
                 atomic_load(&a.first_fault));
    lw_cache_stop(a.cache);
    lw_api_free(a.api);
    lw_cache_free(a.cache);
    lw_registry_unref(a.registry);
    lw_store_free(a.store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(definitions_come_and_go_under_readers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
