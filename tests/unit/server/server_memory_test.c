/* SPDX-License-Identifier: Apache-2.0 */
/* server_memory_test.c -- a server that runs out of memory while it starts, at any point. */
#include <listwatch/server.h>

#include <stdatomic.h>
#include <stdlib.h>

#include <listwatch/sys/alloc.h>

#include "unit/server/plain_client.h"

/* Lets so many allocations succeed, of all threads together, and counts the blocks alive. */
typedef struct meter {
    atomic_llong left;
    atomic_llong live;
} meter;

static bool is_allowed(meter *m)
{
    return atomic_fetch_sub(&m->left, 1) > 0;
}

static void *meter_allocate(size_t size, void *arg)
{
    meter *m = arg;
    void *ptr = is_allowed(m) ? malloc(size ? size : 1) : NULL;
    atomic_fetch_add(&m->live, ptr != NULL);
    return ptr;
}

static void *meter_resize(void *ptr, size_t size, void *arg)
{
    meter *m = arg;
    void *moved = is_allowed(m) ? realloc(ptr, size ? size : 1) : NULL;
    atomic_fetch_add(&m->live, moved && !ptr);
    return moved;
}

static void meter_release(void *ptr, void *arg)
{
    meter *m = arg;
    atomic_fetch_sub(&m->live, ptr != NULL);
    free(ptr);
}

static lw_status start(lw_server **server, lw_error *err)
{
    lw_server_options options = LW_SERVER_OPTIONS_INIT;
    options.listen = "127.0.0.1:0";
    options.insecure_listen = "127.0.0.1:0";
    options.threads = 2;
    return lw_server_start(server, &options, err);
}

static void a_start_without_memory_fails_and_leaves_nothing(void **state)
{
    (void)state;
    meter m = { 0, 0 };
    const lw_allocator allocator = { meter_allocate, meter_resize, meter_release, &m };
    lw_status st = LW_ERR_NOMEM;
    int failures = 0;
    lw_set_allocator(&allocator);
    for (long long allowed = 0; st != LW_OK; allowed += 1 + allowed / 16) {
        lw_server *server = NULL;
        lw_error err = LW_ERROR_INIT;
        atomic_store(&m.left, allowed);
        st = start(&server, &err);
        if (st != LW_OK) {
            failures++;
            assert_null(server);
            assert_int_not_equal(err.message[0], '\0');
        }
        atomic_store(&m.left, 1 << 30); /* enough again to say good-bye */
        lw_server_stop(server, 5);
        assert_int_equal(atomic_load(&m.live), 0);
    }
    lw_set_allocator(NULL);
    assert_in_range(failures, 10, 10000);
}

static void a_server_that_lacks_memory_answers_again_when_there_is_some(void **state)
{
    (void)state;
    static char text[64 * 1024];
    meter m = { 1 << 30, 0 };
    const lw_allocator allocator = { meter_allocate, meter_resize, meter_release, &m };
    lw_server *server = NULL;
    lw_set_allocator(&allocator);
    assert_int_equal(start(&server, NULL), LW_OK);
    const char *url = lw_server_insecure_url(server);
    for (long long allowed = 0; allowed < 200; allowed += 3) {
        atomic_store(&m.left, allowed);
        (void)plain_call(url, "POST", "/api/v1/namespaces/default/configmaps",
                         "{\"metadata\":{\"generateName\":\"a-\"}}", text, sizeof(text));
        (void)plain_call(url, "GET", "/metrics", NULL, text, sizeof(text));
        (void)plain_call(url, "GET", "/", NULL, text, sizeof(text));
    }
    atomic_store(&m.left, 1 << 30);
    assert_int_equal(plain_call(url, "GET", "/livez", NULL, text, sizeof(text)), 200);
    assert_int_equal(plain_call(url, "GET", "/api/v1/namespaces/default/configmaps", NULL, text,
                                sizeof(text)),
                     200);
    lw_server_stop(server, 5);
    assert_int_equal(atomic_load(&m.live), 0);
    lw_set_allocator(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_start_without_memory_fails_and_leaves_nothing),
        TEST(a_server_that_lacks_memory_answers_again_when_there_is_some),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
