/* SPDX-License-Identifier: Apache-2.0 */
/* subresource_test.c -- logs, scale, eviction, binding, tokens; and retries after a conflict. */
#include <listwatch/retry.h>
#include <listwatch/subresource.h>

#include <stdio.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "base/thread/cancel.h"
#include "support/client_world.h"
#include "support/script_server.h"
#include "unit/test.h"

static client_world world;

static int set_up(void **state)
{
    (void)state;
    client_world_open(&world, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    client_world_close(&world);
    return 0;
}

static void create(lw_gvr gvr, const char *json)
{
    lw_object *obj = NULL;
    lw_error err = LW_ERROR_INIT;
    if (lw_object_from_json(&obj, json, strlen(json), &err) < 0 ||
        lw_client_create(world.client, gvr, obj, NULL, NULL, &err) < 0)
        fail_msg("%s", err.message);
    lw_object_unref(obj);
}

static void create_pod(const char *name)
{
    char json[512];
    (void)snprintf(json, sizeof(json),
                   "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"namespace\":"
                   "\"default\",\"name\":\"%s\"},\"spec\":{\"containers\":[{\"name\":\"c\","
                   "\"image\":\"i\"}]}}",
                   name);
    create(lw_gvr_make("", "v1", "pods"), json);
}

static void a_deployment_is_scaled(void **state)
{
    (void)state;
    int64_t replicas = -1;
    lw_error err = LW_ERROR_INIT;
    lw_gvr deployments = lw_gvr_make("apps", "v1", "deployments");
    create(deployments,
           "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"namespace\":"
           "\"default\",\"name\":\"web\"},\"spec\":{\"replicas\":2,\"selector\":{\"matchLabels\":{"
           "\"a\":\"b\"}},\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{"
           "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}}}");
    assert_int_equal(lw_client_get_scale(world.client, deployments, "default", "web", &replicas,
                                         &err),
                     LW_OK);
    assert_int_equal(replicas, 2);
    assert_int_equal(lw_client_set_scale(world.client, deployments, "default", "web", 0, &err),
                     LW_OK);
    assert_int_equal(lw_client_get_scale(world.client, deployments, "default", "web", &replicas,
                                         &err),
                     LW_OK);
    assert_int_equal(replicas, 0);
    assert_int_equal(lw_client_get_scale(world.client, deployments, "default", "none", &replicas,
                                         &err),
                     LW_ERR_NOT_FOUND);
}

static void a_pod_is_bound_once(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    lw_object *pod = NULL;
    create_pod("p");
    if (lw_client_bind(world.client, "default", "p", "node-1", &err) < 0)
        fail_msg("%s", err.message);
    assert_int_equal(lw_client_get(world.client, lw_gvr_make("", "v1", "pods"), "default", "p",
                                   NULL, &pod, &err),
                     LW_OK);
    assert_string_equal(lw_object_string(pod, "/spec/nodeName", ""), "node-1");
    lw_object_unref(pod);
    assert_int_equal(lw_client_bind(world.client, "default", "p", "node-2", &err), LW_ERR_CONFLICT);
}

/* Requests as they are sent. */

typedef struct scripted {
    script_server *server;
    lw_client *client;
} scripted;

static void scripted_open(scripted *s)
{
    lw_config_options where = LW_CONFIG_OPTIONS_INIT;
    s->server = script_server_open();
    where.server = script_server_url(s->server);
    s->client = client_world_connect(&where);
}

static void scripted_close(scripted *s)
{
    lw_client_unref(s->client);
    script_server_close(s->server);
}

static void expect_head(scripted *s, const char *text)
{
    char head[4096];
    assert_true(script_server_request(s->server, 0, head, sizeof(head)));
    if (!strstr(head, text))
        fail_msg("\"%s\" is not in the request:\n%s", text, head);
}

#define CREATED                                                                                    \
    "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"

static void an_eviction_is_posted_with_its_options(void **state)
{
    (void)state;
    scripted s;
    lw_error err = LW_ERROR_INIT;
    lw_delete_options options = LW_DELETE_OPTIONS_INIT;
    options.grace_period_s = 3;
    scripted_open(&s);
    script_server_say(s.server, "POST /api/v1/namespaces/n/pods/p/eviction HTTP", CREATED);
    if (lw_client_evict(s.client, "n", "p", &options, &err) < 0)
        fail_msg("%s", err.message);
    scripted_close(&s);
}

static void a_token_is_requested(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    lw_object *token = NULL;
    scripted s;
    lw_token_options options = LW_TOKEN_OPTIONS_INIT;
    options.audiences = (const char *const[]){ "vault", NULL };
    options.expiration_s = 600;
    scripted_open(&s);
    script_server_say(s.server, "POST /api/v1/namespaces/n/serviceaccounts/a/token HTTP", CREATED);
    if (lw_client_request_token(s.client, "n", "a", &options, &token, &err) < 0)
        fail_msg("%s", err.message);
    lw_object_unref(token);
    scripted_close(&s);
}

static lw_status append_text(const char *bytes, size_t len, void *arg)
{
    char *text = arg;
    (void)strncat(text, bytes, len);
    return strstr(text, "two") ? LW_ERR_STOPPED : LW_OK;
}

static void a_log_is_followed_until_the_reader_has_enough(void **state)
{
    (void)state;
    scripted s;
    char text[64] = "";
    lw_error err = LW_ERROR_INIT;
    lw_log_options options = LW_LOG_OPTIONS_INIT;
    options.container = "c";
    options.follow = true;
    options.tail_lines = 5;
    scripted_open(&s);
    script_server_play(s.server, "GET /api/v1/namespaces/n/pods/p/log",
                       (const script_step[]){ { SCRIPT_SEND,
                                                "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
                                                "Transfer-Encoding: chunked\r\n\r\n4\r\none\n\r\n",
                                                0 },
                                              { SCRIPT_SEND, "4\r\ntwo\n\r\n", 0 },
                                              { SCRIPT_WAIT, NULL, 0 },
                                              { SCRIPT_END, NULL, 0 } });
    assert_int_equal(lw_client_log(s.client, "n", "p", &options, append_text, text, &err),
                     LW_ERR_STOPPED);
    assert_string_equal(text, "one\ntwo\n");
    expect_head(&s, "/log?container=c&follow=true&tailLines=5 HTTP/1.1\r\n");
    scripted_close(&s);
}

/* Conflicts. */

typedef struct attempts {
    unsigned count, conflicts;
    lw_cancel *cancels;
} attempts;

static lw_status try_once(void *arg, lw_error *err)
{
    attempts *a = arg;
    if (a->cancels)
        lw_cancel_fire(a->cancels);
    return a->count++ < a->conflicts ? lw_error_set(err, LW_ERR_CONFLICT, "changed") : LW_OK;
}

static void a_conflict_is_tried_again_a_few_times(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    attempts few = { .conflicts = 2 }, many = { .conflicts = 100 };
    lw_retry_options options = LW_RETRY_OPTIONS_INIT;
    options.base_delay_ms = 1;
    assert_int_equal(lw_retry_on_conflict(&options, try_once, &few, &err), LW_OK);
    assert_int_equal(few.count, 3);
    assert_int_equal(lw_retry_on_conflict(&options, try_once, &many, &err), LW_ERR_CONFLICT);
    assert_int_equal(many.count, 5);
    assert_string_equal(err.message, "changed");
}

static void a_stop_ends_the_wait_between_two_attempts(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    lw_cancel cancel;
    lw_cancel_scope scope;
    assert_int_equal(lw_cancel_init(&cancel, NULL), LW_OK);
    attempts a = { .conflicts = 100, .cancels = &cancel };
    lw_retry_options options = LW_RETRY_OPTIONS_INIT;
    options.base_delay_ms = 3600 * 1000;
    lw_cancel_enter(&scope, &cancel);
    assert_int_equal(lw_retry_on_conflict(&options, try_once, &a, &err), LW_ERR_STOPPED);
    lw_cancel_leave(&scope);
    assert_int_equal(a.count, 1);
    lw_cancel_done(&cancel);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_deployment_is_scaled),
        CASE(a_pod_is_bound_once),
        TEST(an_eviction_is_posted_with_its_options),
        TEST(a_token_is_requested),
        TEST(a_log_is_followed_until_the_reader_has_enough),
        TEST(a_conflict_is_tried_again_a_few_times),
        TEST(a_stop_ends_the_wait_between_two_attempts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
