/* SPDX-License-Identifier: Apache-2.0 */
/* async_test.c -- requests that end with a callback: results, cancelling, deadlines. */
#include <listwatch/async.h>

#include <stdio.h>

#include "base/clock.h"
#include "base/str.h"
#include "support/client_world.h"
#include "support/hung_server.h"
#include "unit/test.h"

static client_world world;
static lw_async *async;

/* The results so far. */
typedef struct results {
    unsigned count;
    lw_status st;
    char text[LW_ERROR_MESSAGE_SIZE]; /* what came: a name, a message, a body */
    lw_request *cancels;              /* cancelled by the callback */
    bool starts_again;
} results;

static int set_up(void **state)
{
    (void)state;
    client_world_open(&world, NULL);
    assert_int_equal(lw_async_new(&async, world.client, NULL), LW_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    lw_async_free(async);
    client_world_close(&world);
    return 0;
}

static void take(const lw_result *result, void *arg);

static void start_get(lw_async *in, const char *name, results *r, lw_request **out)
{
    lw_error err = LW_ERROR_INIT;
    if (lw_async_get(in, client_world_configmaps(), "default", name, NULL, take, r, out, &err) < 0)
        fail_msg("%s", err.message);
}

static void take(const lw_result *result, void *arg)
{
    results *r = arg;
    const char *text = "";
    r->count++;
    r->st = result->st;
    assert_int_equal(result->st < 0, result->err != NULL);
    if (result->err)
        text = result->err->message;
    else if (result->object)
        text = lw_object_name(result->object);
    else if (result->resource)
        text = result->resource->kind.ptr;
    else if (result->response)
        text = lw_response_body(result->response).ptr;
    (void)snprintf(r->text, sizeof(r->text), "%s", text);
    if (result->list)
        (void)snprintf(r->text, sizeof(r->text), "%zu", lw_object_list_count(result->list));
    lw_request_cancel(r->cancels);
    r->cancels = NULL;
    if (r->starts_again) {
        r->starts_again = false;
        start_get(async, "b", r, NULL);
    }
}

static void run_until_idle(lw_async *in)
{
    int64_t late_ns = lw_clock_now(lw_clock_system()) + 10 * LW_NS_PER_S;
    while (lw_async_pending(in) > 0) {
        assert_true(lw_clock_now(lw_clock_system()) < late_ns);
        lw_async_wait(in, 1000);
    }
}

static void each_verb_has_its_result(void **state)
{
    (void)state;
    results r = { .count = 0 };
    lw_gvr maps = client_world_configmaps();
    lw_object *obj = client_world_configmap("a", "web", "1");
    assert_int_equal(lw_async_create(async, maps, obj, NULL, take, &r, NULL, NULL), LW_OK);
    assert_int_equal(r.count, 0); /* never from the call itself */
    run_until_idle(async);
    assert_string_equal(r.text, "a");
    assert_int_equal(lw_async_create(async, maps, obj, NULL, take, &r, NULL, NULL), LW_OK);
    run_until_idle(async);
    assert_int_equal(r.st, LW_ERR_EXISTS);
    start_get(async, "a", &r, NULL);
    run_until_idle(async);
    assert_string_equal(r.text, "a");
    assert_int_equal(lw_async_patch(async, maps, "default", "a",
                                    LW_STR("{\"data\":{\"key\":\"2\"}}"), NULL, take, &r, NULL,
                                    NULL),
                     LW_OK);
    run_until_idle(async);
    assert_int_equal(r.st, LW_OK);
    assert_int_equal(lw_async_update(async, maps, obj, NULL, take, &r, NULL, NULL), LW_OK);
    run_until_idle(async);
    assert_int_equal(r.st, LW_OK);
    lw_apply_options force = LW_APPLY_OPTIONS_INIT;
    force.force = true;
    assert_int_equal(
        lw_async_apply(
            async, maps, "default", "b",
            LW_STR("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"b\"}}"),
            &force, take, &r, NULL, NULL),
        LW_OK);
    run_until_idle(async);
    assert_string_equal(r.text, "b");
    lw_list_options here = LW_LIST_OPTIONS_INIT;
    here.ns = "default";
    assert_int_equal(lw_async_list(async, maps, &here, take, &r, NULL, NULL), LW_OK);
    run_until_idle(async);
    assert_string_equal(r.text, "2");
    assert_int_equal(lw_async_delete(async, maps, "default", "a", NULL, take, &r, NULL, NULL),
                     LW_OK);
    run_until_idle(async);
    assert_int_equal(r.st, LW_OK);
    assert_int_equal(lw_async_raw(async, "GET", "/livez", NULL, take, &r, NULL, NULL), LW_OK);
    run_until_idle(async);
    assert_string_equal(r.text, "ok");
    assert_int_equal(lw_async_find_resource(async, "deploy", take, &r, NULL, NULL), LW_OK);
    run_until_idle(async);
    assert_string_equal(r.text, "Deployment");
    const lw_list_options which = { .size = sizeof(which), .ns = "default" };
    assert_int_equal(lw_async_delete_collection(async, maps, &which, NULL, take, &r, NULL, NULL),
                     LW_OK);
    run_until_idle(async);
    assert_int_equal(r.st, LW_OK);
    start_get(async, "b", &r, NULL);
    run_until_idle(async);
    assert_int_equal(r.st, LW_ERR_NOT_FOUND);
    lw_object_unref(obj);
}

static void many_requests_run_at_the_same_time(void **state)
{
    (void)state;
    results r = { .count = 0 };
    client_world_create(&world, "a", "web");
    for (int i = 0; i < 100; i++)
        start_get(async, "a", &r, NULL);
    assert_int_equal(lw_async_pending(async), 100);
    run_until_idle(async);
    assert_int_equal(r.count, 100);
}

static void a_callback_may_cancel_and_start_requests(void **state)
{
    (void)state;
    results r = { .starts_again = true }, other = { .count = 0 };
    client_world_create(&world, "a", "web");
    client_world_create(&world, "b", "web");
    start_get(async, "a", &r, NULL);
    /* It waits for a change that does not come. */
    assert_int_equal(lw_async_raw(async, "GET", "/api/v1/pods?watch=1&timeoutSeconds=60", NULL,
                                  take, &other, &r.cancels, NULL),
                     LW_OK);
    run_until_idle(async);
    assert_int_equal(r.count, 2);
    assert_string_equal(r.text, "b");
    assert_int_equal(other.count, 0);
}

static void a_cancelled_request_calls_nobody(void **state)
{
    (void)state;
    results r = { .count = 0 };
    lw_request *request = NULL;
    start_get(async, "a", &r, &request);
    lw_async_wait(async, 0);
    lw_request_cancel(request);
    lw_request_cancel(NULL);
    assert_int_equal(lw_async_pending(async), 0);
    start_get(async, "a", &r, NULL);
    run_until_idle(async);
    assert_int_equal(r.count, 1);
}

static void requests_that_hang_end_at_their_deadline_or_by_cancel_all_or_close(void **state)
{
    (void)state;
    hung_server server;
    lw_async *hung = NULL;
    results r = { .count = 0 };
    lw_get_options soon = LW_GET_OPTIONS_INIT;
    soon.timeout_ms = 20;
    hung_server_open(&server);
    lw_client *client = hung_server_client(&server);
    assert_int_equal(lw_async_new(&hung, client, NULL), LW_OK);
    assert_int_equal(lw_async_get(hung, client_world_configmaps(), "default", "a", &soon, take, &r,
                                  NULL, NULL),
                     LW_OK);
    run_until_idle(hung);
    assert_int_equal(r.st, LW_ERR_TIMEOUT);
    start_get(hung, "a", &r, NULL);
    start_get(hung, "b", &r, NULL);
    lw_async_wait(hung, 0);
    lw_client_cancel_all(client);
    run_until_idle(hung);
    assert_int_equal(r.count, 3);
    assert_int_equal(r.st, LW_ERR_STOPPED);
    assert_string_equal(r.text, "the request was cancelled by lw_client_cancel_all");
    start_get(hung, "a", &r, NULL); /* later requests are not affected */
    lw_async_wait(hung, 0);
    assert_int_equal(lw_async_pending(hung), 1);
    lw_client_close(client);
    run_until_idle(hung);
    assert_int_equal(r.count, 4);
    assert_string_equal(r.text, "the client was closed");
    assert_int_equal(lw_async_raw(hung, "GET", "/", NULL, take, &r, NULL, NULL), LW_ERR_STOPPED);
    lw_async_free(hung);
    lw_client_unref(client);
    hung_server_close(&server);
}

static void freeing_does_not_wait_for_a_server_that_hangs(void **state)
{
    (void)state;
    hung_server server;
    lw_async *hung = NULL;
    results r = { .count = 0 };
    hung_server_open(&server);
    lw_client *client = hung_server_client(&server);
    assert_int_equal(lw_async_new(&hung, client, NULL), LW_OK);
    start_get(hung, "a", &r, NULL);
    lw_async_wait(hung, 0);
    int64_t began_ns = lw_clock_now(lw_clock_system());
    lw_async_free(hung);
    lw_client_unref(client);
    assert_in_range(lw_clock_now(lw_clock_system()) - began_ns, 0, 100 * LW_NS_PER_MS);
    assert_int_equal(r.count, 0);
    hung_server_close(&server);
}

static void a_rate_limit_spaces_requests(void **state)
{
    (void)state;
    lw_async *slow = NULL;
    lw_client *client = NULL;
    results r = { .count = 0 };
    lw_manual_clock *clock = NULL;
    lw_client_options options = LW_CLIENT_OPTIONS_INIT;
    assert_int_equal(lw_manual_clock_new(&clock, 0), LW_OK);
    options.qps = 1;
    options.burst = 2;
    options.clock = lw_manual_clock_as_clock(clock);
    lw_config *config = NULL;
    lw_config_options where = LW_CONFIG_OPTIONS_INIT;
    where.server = lw_server_insecure_url(world.server);
    assert_int_equal(lw_config_load(&config, &where, NULL), LW_OK);
    assert_int_equal(lw_client_new(&client, config, &options, NULL), LW_OK);
    lw_config_unref(config);
    assert_int_equal(lw_async_new(&slow, client, NULL), LW_OK);
    for (int i = 0; i < 4; i++)
        start_get(slow, "a", &r, NULL);
    for (unsigned left = 2; left > 0; left--) {
        while (lw_async_pending(slow) > left)
            lw_async_wait(slow, 10);
        assert_in_range(lw_async_timeout_ms(slow), 1, 1000);
        lw_manual_clock_advance(clock, LW_NS_PER_S);
    }
    run_until_idle(slow);
    assert_int_equal(r.count, 4);
    lw_get_options soon = LW_GET_OPTIONS_INIT;
    soon.timeout_ms = 500;
    lw_error err = LW_ERROR_INIT;
    start_get(slow, "a", &r, NULL);
    start_get(slow, "a", &r, NULL);
    assert_int_equal(lw_async_get(slow, client_world_configmaps(), "default", "a", &soon, take, &r,
                                  NULL, &err),
                     LW_ERR_TIMEOUT);
    lw_async_free(slow);
    lw_client_unref(client);
    lw_manual_clock_free(clock);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

static void a_cancelled_lw_async_tells_all_callbacks(void **state)
{
    (void)state;
    results r = { .count = 0 };
    start_get(async, "a", &r, NULL);
    start_get(async, "b", &r, NULL);
    lw_async_cancel_all(async);
    assert_int_equal(r.count, 2);
    assert_int_equal(r.st, LW_ERR_STOPPED);
    assert_string_equal(r.text, "the request was cancelled by lw_async_cancel_all");
    assert_int_equal(lw_async_pending(async), 0);
    start_get(async, "a", &r, NULL); /* later ones are not affected */
    run_until_idle(async);
    assert_int_equal(r.st, LW_ERR_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(each_verb_has_its_result),
        CASE(many_requests_run_at_the_same_time),
        CASE(a_callback_may_cancel_and_start_requests),
        CASE(a_cancelled_request_calls_nobody),
        CASE(a_cancelled_lw_async_tells_all_callbacks),
        CASE(requests_that_hang_end_at_their_deadline_or_by_cancel_all_or_close),
        CASE(freeing_does_not_wait_for_a_server_that_hangs),
        CASE(a_rate_limit_spaces_requests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
