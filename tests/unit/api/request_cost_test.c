/* SPDX-License-Identifier: Apache-2.0 */
/* request_cost_test.c -- which requests are heavy, and what happens to those that are. */
#include "api/request_cost.h"

#include "base/str.h"
#include "unit/api/asked.h"

#define CONFIGMAPS "/api/v1/namespaces/default/configmaps"
#define TABLE      "application/json;as=Table;v=v1;g=meta.k8s.io"
#define YAML       "application/yaml"

/* Takes requests instead of a worker, and answers with 299. */
typedef struct catcher {
    unsigned taken;
    lw_status refusal; /* instead of taking */
} catcher;

static const lw_user jane = { .name = LW_STR_INIT("jane") };

static lw_status take(void *arg, lw_http_stream *stream, const lw_user *user)
{
    catcher *c = arg;
    static const lw_http_reply reply = { .status = 299 };
    assert_ptr_equal(user, &jane);
    if (c->refusal < 0)
        return c->refusal;
    c->taken++;
    assert_int_equal(lw_http_reply_whole(stream, &reply, lw_bytes_static(LW_STR(""))), LW_OK);
    return LW_OK;
}

/* Puts a ConfigMap with |size| bytes of data. */
static void put(api_world *world, const char *ns, const char *name, size_t size)
{
    char *data = calloc(1, size + 1);
    assert_non_null(data);
    memset(data, 'x', size);
    assert_true(api_world_put_config(world, ns, name, NULL, data) > 0);
    free(data);
}

static int status_of(api_world *world, const char *method, const char *target, const char *accept,
                     size_t body_size)
{
    char *body = calloc(1, body_size + 1);
    assert_non_null(body);
    memset(body, ' ', body_size);
    fake_http_request request = { .method = method,
                                  .target = target,
                                  .headers = { "accept", accept, "content-type",
                                               "application/merge-patch+json" },
                                  .body = lw_str_make(body, body_size) };
    fake_http *http = fake_http_new(world->loop, &request);
    assert_non_null(http);
    assert_true(lw_api_serve(world->api, &http->stream, &jane));
    for (int i = 0; i < 100 && !http->is_ended; i++)
        api_world_turns(world, 1);
    int status = http->status;
    fake_http_free(http);
    free(body);
    return status;
}

static int get_as(api_world *world, const char *target, const char *accept)
{
    return status_of(world, "GET", target, accept, 0);
}

static catcher *catch_all(api_world *world)
{
    static catcher c;
    c = (catcher){ 0 };
    world->api->offload = (lw_offload){ take, &c };
    return &c;
}

static void a_large_body_is_heavy(void **state)
{
    api_world *world = *state;
    (void)catch_all(world);
    assert_int_equal(status_of(world, "POST", CONFIGMAPS, "*/*", LW_COST_BODY_BYTES + 1), 299);
    assert_int_not_equal(status_of(world, "POST", CONFIGMAPS, "*/*", LW_COST_BODY_BYTES), 299);
}

static void small_requests_are_not(void **state)
{
    api_world *world = *state;
    const catcher *c = catch_all(world);
    put(world, "default", "small", 100);
    assert_int_equal(get_as(world, CONFIGMAPS "/small", YAML), 200);
    assert_int_equal(get_as(world, CONFIGMAPS, TABLE), 200);
    assert_int_equal(get_as(world, "/apis", "application/json"), 200);
    assert_int_equal(status_of(world, "PATCH", CONFIGMAPS "/small", "*/*", 2), 400);
    assert_int_equal(c->taken, 0);
}

static void a_large_object_is_heavy_if_it_is_patched_or_converted(void **state)
{
    api_world *world = *state;
    (void)catch_all(world);
    put(world, "default", "large", LW_COST_OBJECT_BYTES);
    assert_int_equal(status_of(world, "PATCH", CONFIGMAPS "/large", "*/*", 2), 299);
    assert_int_equal(get_as(world, CONFIGMAPS "/large", YAML), 299);
    assert_int_equal(get_as(world, CONFIGMAPS "/large", "application/json"), 200);
}

static void a_list_is_heavy_if_much_must_be_converted(void **state)
{
    api_world *world = *state;
    (void)catch_all(world);
    for (int i = 0; i < 3; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "large-%d", i);
        put(world, "default", name, LW_COST_LIST_BYTES / 2);
    }
    for (int i = 0; i < 200; i++) { /* the average says nothing about the large ones */
        char name[16];
        (void)snprintf(name, sizeof(name), "small-%d", i);
        put(world, "other", name, 100);
    }
    assert_int_equal(get_as(world, CONFIGMAPS, TABLE), 299);
    assert_int_equal(get_as(world, CONFIGMAPS, YAML), 299);
    assert_int_equal(get_as(world, CONFIGMAPS, "application/vnd.kubernetes.protobuf"), 299);
    assert_int_equal(get_as(world, CONFIGMAPS "?pretty=true", "application/json"), 299);
    assert_int_equal(get_as(world, CONFIGMAPS, "application/json"), 200);
    assert_int_equal(get_as(world, CONFIGMAPS "?limit=1", TABLE), 200);
    assert_int_equal(get_as(world, "/api/v1/namespaces/other/configmaps", TABLE), 200);
    assert_int_equal(get_as(world, "/api/v1/configmaps", TABLE), 299);
}

static void a_watch_is_never_heavy(void **state)
{
    api_world *world = *state;
    const catcher *c = catch_all(world);
    put(world, "default", "large", LW_COST_LIST_BYTES * 2);
    assert_int_equal(get_as(world, CONFIGMAPS "?watch=true&timeoutSeconds=1", TABLE), 200);
    assert_int_equal(c->taken, 0);
}

static void openapi_is_heavy_until_it_is_cached(void **state)
{
    api_world *world = *state;
    (void)catch_all(world);
    assert_int_equal(get_as(world, "/openapi/v3/apis/batch/v1", "application/json"), 299);
    world->api->offload = (lw_offload){ NULL, NULL };
    assert_int_equal(get_as(world, "/openapi/v3/apis/batch/v1", "application/json"), 200);
    (void)catch_all(world);
    assert_int_equal(get_as(world, "/openapi/v3/apis/batch/v1", "application/json"), 200);
}

static void a_heavy_request_that_finds_no_worker_is_refused_or_served_here(void **state)
{
    api_world *world = *state;
    catcher *c = catch_all(world);
    put(world, "default", "large", LW_COST_OBJECT_BYTES);
    c->refusal = LW_ERR_TOO_MANY;
    assert_int_equal(get_as(world, CONFIGMAPS "/large", YAML), 429);
    c->refusal = LW_ERR_NOMEM;
    assert_int_equal(get_as(world, CONFIGMAPS "/large", YAML), 200);
}

static void a_read_waits_until_its_client_takes_data(void **state)
{
    api_world *world = *state;
    put(world, "default", "small", 100);
    fake_http_request request = { .method = "GET", .target = CONFIGMAPS };
    fake_http *http = fake_http_new(world->loop, &request);
    http->takes_nothing = true;
    assert_true(lw_api_serve(world->api, &http->stream, &jane));
    api_world_turns(world, 3);
    assert_int_equal(http->status, 0);
    /* What is created meanwhile is in the list: it was not read before. */
    put(world, "default", "later", 100);
    fake_http_drain(http);
    assert_int_equal(http->status, 200);
    assert_body_has(http, "\"later\"");
    assert_int_equal(lw_ref_count(&http->stream.refs), 1);
    fake_http_free(http);
}

static void a_client_that_leaves_while_it_takes_nothing_leaves_nothing(void **state)
{
    api_world *world = *state;
    fake_http_request request = { .method = "GET", .target = CONFIGMAPS };
    fake_http *http = fake_http_new(world->loop, &request);
    http->takes_nothing = true;
    assert_true(lw_api_serve(world->api, &http->stream, &jane));
    assert_int_equal(lw_ref_count(&http->stream.refs), 2);
    fake_http_close(http);
    assert_int_equal(lw_ref_count(&http->stream.refs), 1);
    fake_http_free(http);
}

static void a_user_that_reads_no_replies_gets_no_more(void **state)
{
    api_world *world = *state;
    size_t size = 2 * (size_t)LW_HELD_USER_BYTES_MAX;
    lw_buf unread;
    lw_buf_init(&unread, size + 1);
    assert_int_equal(lw_buf_reserve(&unread, size), LW_OK);
    unread.len = size;
    memset(unread.data, 0, size);
    lw_bytes held = lw_held_bytes_charge(world->api->held, jane.name, lw_buf_take_bytes(&unread));
    put(world, "default", "small", 100);
    assert_int_equal(get_as(world, CONFIGMAPS "/small", "application/json"), 429);
    /* Leases are renewed in any case. */
    assert_int_equal(get_as(world, "/apis/coordination.k8s.io/v1/leases", "application/json"), 200);
    lw_bytes_release(held);
    assert_int_equal(get_as(world, CONFIGMAPS "/small", "application/json"), 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(a_large_body_is_heavy),
        WORLD_TEST(small_requests_are_not),
        WORLD_TEST(a_large_object_is_heavy_if_it_is_patched_or_converted),
        WORLD_TEST(a_list_is_heavy_if_much_must_be_converted),
        WORLD_TEST(a_watch_is_never_heavy),
        WORLD_TEST(openapi_is_heavy_until_it_is_cached),
        WORLD_TEST(a_heavy_request_that_finds_no_worker_is_refused_or_served_here),
        WORLD_TEST(a_read_waits_until_its_client_takes_data),
        WORLD_TEST(a_client_that_leaves_while_it_takes_nothing_leaves_nothing),
        WORLD_TEST(a_user_that_reads_no_replies_gets_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
