/* SPDX-License-Identifier: Apache-2.0 */
/* api_test.c -- several loops serve lists and watches of one API while it is written to: every
 * watch tells the same changes in the same order, in JSON and in protobuf. */
#include "api/api.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/str.h"
#include "store/memory.h"
#include "support/fake_http.h"
#include "thread/crew.h"

enum {
    WRITES = 1500,
    NAMES = 20,
    WATCHES = 4, /* of each loop */
};

static const char watch_target[] = "/api/v1/configmaps?watch=1&resourceVersion=1";
static const char list_target[] = "/api/v1/configmaps?labelSelector=x";

typedef struct arena {
    lw_store *store;
    lw_cache *cache;
    lw_registry *registry;
    lw_api *api;
    atomic_int faults;
    atomic_int first_fault; /* its line */
    /* Of what the first watch told, in JSON and in protobuf; 0: none has yet. */
    _Atomic uint64_t digests[2];
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

static uint64_t put(arena *a, int name, uint64_t expected)
{
    char key[64], value[300];
    (void)snprintf(key, sizeof(key), "/registry/configmaps/default/n%d", name);
    (void)snprintf(value, sizeof(value),
                   "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n%d\","
                   "\"namespace\":\"default\",\"resourceVersion\":\"\",\"labels\":{\"x\":\"1\"}}}",
                   name);
    lw_store_txn txn = {
        .op = LW_STORE_PUT, .key = lw_str_of(key), .value = lw_str_of(value), .expected = expected
    };
    expect(a, lw_store_commit(a->store, &txn) == LW_OK);
    return txn.revision;
}

static void writer_run(void *arg)
{
    arena *a = arg;
    uint64_t revisions[NAMES] = { 0 };
    revisions[0] = 1;
    for (int i = 1; i <= WRITES; i++)
        revisions[i % NAMES] = put(a, i % NAMES, revisions[i % NAMES]);
}

static fake_http *ask(arena *a, lw_loop *loop, const char *target, bool is_protobuf)
{
    fake_http_request request = { .method = "GET", .target = target };
    if (is_protobuf) {
        request.headers[0] = "accept";
        request.headers[1] = "application/vnd.kubernetes.protobuf";
    }
    fake_http *http = fake_http_new(loop, &request);
    if (http)
        expect(a, lw_api_serve(a->api, &http->stream, NULL));
    return http;
}

/* Each event says its kind once, or ends with a newline. */
static size_t count_events(const fake_http *http, bool is_protobuf)
{
    const char *mark = is_protobuf ? "ConfigMap" : "\n";
    lw_str rest = lw_buf_view(&http->body);
    size_t count = 0;
    while (rest.len > 0) { /* an empty body has no bytes to point to */
        const char *at = memmem(rest.ptr, rest.len, mark, strlen(mark));
        if (!at)
            break;
        rest = lw_str_skip(rest, (size_t)(at - rest.ptr) + strlen(mark));
        count++;
    }
    return count;
}

/* What is told must be what the first one was told. */
static void check_watch(arena *a, const fake_http *http, bool is_protobuf)
{
    const lw_hash_seed seed = { 1, 2 };
    uint64_t digest = lw_hash_str(seed, lw_buf_view(&http->body)) | 1, none = 0;
    expect(a, count_events(http, is_protobuf) == WRITES);
    if (!atomic_compare_exchange_strong(&a->digests[is_protobuf], &none, digest))
        expect(a, none == digest);
}

/* Of each loop's watches. */
static bool is_in_protobuf(size_t i)
{
    return i % 2 != 0;
}

static void serve(arena *a, lw_loop *loop)
{
    fake_http *watches[WATCHES];
    lw_api_stats stats;
    bool is_done = false;
    unsigned turn = 0;
    for (size_t i = 0; i < WATCHES; i++)
        watches[i] = ask(a, loop, watch_target, is_in_protobuf(i));
    while (!is_done) {
        expect(a, lw_loop_turn(loop, 20, NULL) == LW_OK);
        fake_http *list = ask(a, loop, list_target, turn++ % 2 != 0);
        expect(a, list && list->status == 200);
        fake_http_free(list);
        lw_api_read_stats(a->api, &stats);
        is_done = true;
        for (size_t i = 0; i < WATCHES; i++)
            is_done = is_done && count_events(watches[i], is_in_protobuf(i)) >= WRITES;
    }
    for (size_t i = 0; i < WATCHES; i++) {
        check_watch(a, watches[i], is_in_protobuf(i));
        if (i == 0)
            fake_http_close(watches[i]);
    }
    lw_api_drain(a->api, loop);
    for (size_t i = 0; i < WATCHES; i++) {
        expect(a, watches[i]->stream.is_closed);
        fake_http_free(watches[i]);
    }
}

static void loop_run(void *arg)
{
    arena *a = arg;
    lw_loop *loop = NULL;
    expect(a, lw_loop_new(&loop, NULL, NULL) == LW_OK);
    expect(a, lw_api_bind(a->api, loop, NULL) == LW_OK);
    serve(a, loop);
    lw_api_unbind(a->api, loop);
    lw_loop_free(loop);
}

static void open_arena(arena *a)
{
    *a = (arena){ .store = NULL };
    assert_int_equal(lw_registry_new(&a->registry), LW_OK);
    assert_int_equal(lw_memory_store_new(&a->store, NULL, NULL), LW_OK);
    const lw_cache_options cache_options = { .store = a->store };
    assert_int_equal(lw_cache_new(&a->cache, &cache_options, NULL), LW_OK);
    const lw_api_options options = { .store = a->store,
                                     .cache = a->cache,
                                     .registry = a->registry,
                                     .server_address = LW_STR("127.0.0.1:6443") };
    assert_int_equal(lw_api_new(&a->api, &options, NULL), LW_OK);
    assert_int_equal(lw_cache_start(a->cache, NULL), LW_OK);
    assert_int_equal(put(a, 0, 0), 1);
}

static void many_watches_tell_one_order(void **state)
{
    arena a;
    lw_thread writer;
    lw_api_stats stats;
    (void)state;
    open_arena(&a);
    assert_int_equal(lw_thread_start(&writer, "writer", writer_run, &a, NULL), LW_OK);
    crew_run(loop_run, &a);
    lw_thread_join(&writer);
    if (atomic_load(&a.faults) > 0)
        fail_msg("%d faults, the first in line %d", atomic_load(&a.faults),
                 atomic_load(&a.first_fault));
    lw_api_read_stats(a.api, &stats);
    assert_int_equal(stats.watches_open, 0);
    assert_int_equal(stats.watches_total, WATCHES * CREW_SIZE);
    assert_int_equal(stats.events_sent, WATCHES * CREW_SIZE * WRITES);
    lw_cache_stop(a.cache);
    lw_api_free(a.api);
    lw_cache_free(a.cache);
    lw_store_free(a.store);
    lw_registry_unref(a.registry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(many_watches_tell_one_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
