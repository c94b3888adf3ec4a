/* SPDX-License-Identifier: Apache-2.0 */
/* packed_list_test.c -- lists of objects that the watch cache has packed: the same bytes as of open
 * ones, also among open ones, to slow clients and without memory. */
#include "api/context/context.h"
#include "base/str.h"
#include "cache/packing.h"
#include "schema/kinds/registry.h"
#include "unit/api/asked.h"
#include "unit/failing_alloc.h"

#define LIST "/api/v1/namespaces/default/configmaps"

enum {
    COUNT = 300,
    SIZE = 3 * 1024, /* so that the list is about 1 MiB */
    LARGE = 20 * 1024,
};

/* Puts config map |number|, whose data differ from those of the others here and there. */
static void put(api_world *world, int number, size_t size, int round)
{
    char *data = malloc(size + 1), name[16];
    assert_non_null(data);
    for (size_t i = 0; i < size; i++)
        data[i] = (char)('a' + (i * i / 7 + i % 11) % 26);
    for (size_t i = 0; i + 100 < size; i += 300 + (size_t)number)
        (void)snprintf(data + i, 40, "%d-%d-%zu", number * 7919, round, i);
    for (size_t i = 0; i < size; i++)
        data[i] = data[i] ? data[i] : '.';
    data[size] = '\0';
    (void)snprintf(name, sizeof(name), "c-%04d", number);
    assert_true(api_world_put_config(world, "default", name, number % 2 ? "odd" : NULL, data) > 0);
    free(data);
}

static lw_cache_resource *config_maps(api_world *world)
{
    const lw_kind *kind =
        lw_registry_find(world->registry, LW_STR(""), LW_STR("v1"), LW_STR("configmaps"));
    assert_non_null(kind);
    return lw_api_resource(world->api, kind);
}

static size_t count_packed(api_world *world)
{
    lw_cache_stats stats;
    lw_cache_resource_stats(config_maps(world), &stats);
    return stats.packed_objects;
}

static void fill(api_world *world)
{
    for (int i = 0; i < COUNT; i++)
        put(world, i, SIZE, 0);
}

/* Gives the whole list to a client that takes it as it comes, or slowly. */
static fake_http *list(api_world *world, const char *target, bool is_slow)
{
    fake_http_request request = { .method = "GET", .target = target };
    fake_http *http = fake_http_new(world->loop, &request);
    http->is_slow = is_slow;
    assert_true(lw_api_serve(world->api, &http->stream, NULL));
    for (int i = 0; i < 1000 && !http->is_ended && !http->is_aborted; i++) {
        assert_true(http->pending <= LW_HTTP_QUEUE_HIGH + 2 * 128 * 1024);
        api_world_turns(world, 1);
        if (is_slow)
            fake_http_drain(http);
    }
    assert_true(http->is_ended);
    assert_true(http->is_streamed);
    if (is_slow)
        fake_http_drain(http);
    return http;
}

static void assert_same_list(const fake_http *a, const fake_http *b)
{
    assert_int_equal(a->body.len, b->body.len);
    assert_memory_equal(a->body.data, b->body.data, a->body.len);
}

static void packed_objects_are_listed_byte_for_byte_the_same(void **state)
{
    static const char *const targets[] = { LIST, LIST "?limit=123", LIST "?labelSelector=x%3Dodd",
                                           LIST "?resourceVersion=300&resourceVersionMatch=Exact" };
    enum {
        TARGETS = sizeof(targets) / sizeof(targets[0]),
    };
    api_world *world = *state;
    fake_http *before[TARGETS];
    fill(world);
    for (size_t i = 0; i < TARGETS; i++)
        before[i] = list(world, targets[i], false);
    assert_int_equal(count_packed(world), 0);
    lw_cache_packing_sweep(config_maps(world));
    assert_int_equal(count_packed(world), COUNT);
    for (size_t i = 0; i < TARGETS; i++) {
        fake_http *fast = list(world, targets[i], false), *slow = list(world, targets[i], true);
        assert_same_list(fast, before[i]);
        assert_same_list(slow, before[i]);
        assert_int_equal(lw_ref_count(&fast->stream.refs), 1);
        fake_http_free(fast);
        fake_http_free(slow);
        fake_http_free(before[i]);
    }
}

/* Of small ones a copy is sent with the packed ones, large ones begin a portion. */
static void open_objects_keep_their_place_between_packed_ones(void **state)
{
    api_world *world = *state;
    fill(world);
    lw_cache_packing_sweep(config_maps(world));
    for (int i = 0; i < COUNT; i += 3)
        put(world, i, i % 2 ? SIZE : LARGE, 1);
    assert_int_equal(count_packed(world), COUNT - COUNT / 3);
    fake_http *mixed = list(world, LIST, false), *slow = list(world, LIST, true);
    lw_cache_packing_sweep(config_maps(world));
    fake_http *packed = list(world, LIST, false);
    assert_same_list(mixed, packed);
    assert_same_list(slow, packed);
    assert_true(mixed->messages < 60);
    fake_http_free(mixed);
    fake_http_free(slow);
    fake_http_free(packed);
}

/* A portion at a time, whatever the length of the list is. */
static void a_list_of_packed_objects_takes_little_memory(void **state)
{
    api_world *world = *state;
    failing_alloc f;
    fill(world);
    lw_cache_packing_sweep(config_maps(world));
    fake_http_request request = { .method = "GET", .target = LIST };
    fake_http *http = fake_http_new(world->loop, &request);
    http->keeps_no_body = true;
    failing_alloc_begin(&f, SIZE_MAX);
    assert_true(lw_api_serve(world->api, &http->stream, NULL));
    while (!http->is_ended)
        api_world_turns(world, 1);
    failing_alloc_end();
    assert_true(http->bytes > (uint64_t)COUNT * SIZE);
    assert_true(f.largest <= 160 * 1024);
    assert_true(f.calls < 60);
    fake_http_free(http);
}

/* Wherever memory ends, the client gets all of the list, 500, or notices that it was cut. */
static void a_list_without_memory_is_whole_or_visibly_not(void **state)
{
    api_world *world = *state;
    fill(world);
    lw_cache_packing_sweep(config_maps(world));
    fake_http *whole = list(world, LIST, false);
    size_t cut = 0;
    for (size_t i = 0; i < 60; i++) {
        fake_http_request request = { .method = "GET", .target = LIST };
        fake_http *http = fake_http_new(world->loop, &request);
        failing_alloc f;
        (void)lw_buf_reserve(&http->headers, 4096);
        (void)lw_buf_reserve(&http->body, 4 << 20);
        failing_alloc_begin(&f, i);
        (void)lw_api_serve(world->api, &http->stream, NULL);
        for (int turn = 0; turn < 20 && !http->stream.is_closed; turn++)
            api_world_turns(world, 1);
        failing_alloc_end();
        cut += http->is_aborted;
        if (!http->is_aborted && http->status == 200)
            assert_same_list(http, whole);
        assert_true(http->is_aborted || http->is_ended);
        assert_int_equal(lw_ref_count(&http->stream.refs), 1);
        fake_http_free(http);
    }
    assert_true(cut > 5);
    fake_http_free(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(packed_objects_are_listed_byte_for_byte_the_same),
        WORLD_TEST(open_objects_keep_their_place_between_packed_ones),
        WORLD_TEST(a_list_of_packed_objects_takes_little_memory),
        WORLD_TEST(a_list_without_memory_is_whole_or_visibly_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
