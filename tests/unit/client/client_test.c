/* SPDX-License-Identifier: Apache-2.0 */
/* client_test.c -- who a client is to its server: TLS, tokens, and a server that goes. */
#include "client/client.h"

#include <stdio.h>

#include "base/str.h"
#include "support/client_world.h"
#include "unit/test.h"

static lw_status get_default(lw_client *client, lw_error *err)
{
    lw_object *obj = NULL;
    lw_status st = lw_client_get(client, lw_gvr_make("", "v1", "namespaces"), NULL, "default", NULL,
                                 &obj, err);
    if (st == LW_OK)
        assert_string_equal(lw_object_name(obj), "default");
    lw_object_unref(obj);
    return st;
}

static lw_client *admin(const client_world *world)
{
    lw_config_options options = LW_CONFIG_OPTIONS_INIT;
    options.kubeconfig = lw_server_kubeconfig(world->server);
    return client_world_connect(&options);
}

static void the_admin_comes_in_over_tls(void **state)
{
    (void)state;
    client_world world;
    lw_error err = LW_ERROR_INIT;
    client_world_open(&world, NULL);
    lw_client *client = admin(&world);
    assert_string_equal(lw_config_server(lw_client_config(client)), lw_server_url(world.server));
    for (int i = 0; i < 3; i++) {
        if (get_default(client, &err) < 0)
            fail_msg("%s", err.message);
    }
    lw_client_unref(client);
    client_world_close(&world);
}

static void nobody_is_told_so(void **state)
{
    (void)state;
    client_world world;
    lw_error err = LW_ERROR_INIT;
    client_world_open(&world, NULL);
    lw_config_options options = LW_CONFIG_OPTIONS_INIT;
    options.server = lw_server_url(world.server);
    options.is_insecure = true;
    options.token = "wrong";
    lw_client *client = client_world_connect(&options);
    assert_int_equal(get_default(client, &err), LW_ERR_UNAUTHORIZED);
    assert_int_equal(err.http_status, 401);
    lw_client_unref(client);
    client_world_close(&world);
}

static void a_server_with_another_ca_is_not_believed(void **state)
{
    (void)state;
    client_world world;
    lw_error err = LW_ERROR_INIT;
    client_world_open(&world, NULL);
    lw_config_options options = LW_CONFIG_OPTIONS_INIT;
    options.server = lw_server_url(world.server); /* the system's CAs have not signed it */
    lw_client *client = client_world_connect(&options);
    assert_int_not_equal(get_default(client, &err), LW_OK);
    assert_int_equal(err.http_status, 0);
    assert_non_null(strstr(err.message, "certificate"));
    lw_client_unref(client);
    client_world_close(&world);
}

static void an_unusable_ca_is_refused_at_once(void **state)
{
    (void)state;
    client_world world;
    char path[192];
    lw_error err = LW_ERROR_INIT;
    lw_config *config = NULL;
    lw_client *client = NULL;
    client_world_open(&world, NULL);
    client_world_write(&world, "ca.pem", "this is no certificate\n");
    client_world_path(&world, "ca.pem", path);
    lw_config_options options = LW_CONFIG_OPTIONS_INIT;
    options.server = lw_server_url(world.server);
    options.ca_file = path;
    lw_status st = lw_config_load(&config, &options, &err);
    if (st == LW_OK)
        st = lw_client_new(&client, config, NULL, &err);
    assert_int_equal(st, LW_ERR_INVALID);
    lw_config_unref(config);
    client_world_close(&world);
}

/* A client whose token is in a file. */
static lw_client *with_token_file(const client_world *world)
{
    char text[1024], token[192], kubeconfig[192];
    client_world_path(world, "token", token);
    (void)snprintf(text, sizeof(text),
                   "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts:\n- name: c\n"
                   "  context: {cluster: k, user: u}\nclusters:\n- name: k\n"
                   "  cluster: {server: '%s', insecure-skip-tls-verify: true}\n"
                   "users:\n- name: u\n  user: {tokenFile: %s}\n",
                   lw_server_url(world->server), token);
    client_world_write(world, "kubeconfig", text);
    client_world_path(world, "kubeconfig", kubeconfig);
    lw_config_options options = LW_CONFIG_OPTIONS_INIT;
    options.kubeconfig = kubeconfig;
    return client_world_connect(&options);
}

/* client-go answers 401 although the file has a new token by then. */
static void a_refused_token_is_read_anew_and_sent_once_more(void **state)
{
    (void)state;
    client_world world;
    lw_error err = LW_ERROR_INIT;
    client_world_open(&world, "new,joe,1,system:masters\n");
    client_world_write(&world, "token", "old\n");
    lw_client *client = with_token_file(&world); /* it has read the old one */
    client_world_write(&world, "token", "new\n");
    if (get_default(client, &err) < 0)
        fail_msg("%s", err.message);
    lw_client_unref(client);
    client_world_close(&world);
}

static void a_server_that_is_gone_is_unavailable(void **state)
{
    (void)state;
    client_world world;
    lw_error err = LW_ERROR_INIT;
    client_world_open(&world, NULL);
    lw_client *client = admin(&world);
    assert_int_equal(get_default(client, &err), LW_OK);
    lw_server_stop(world.server, 0);
    world.server = NULL;
    assert_int_equal(get_default(client, &err), LW_ERR_UNAVAILABLE);
    assert_true(err.retriable);
    lw_client_unref(client);
    client_world_close(&world);
}

static void a_user_agent_that_breaks_lines_is_refused(void **state)
{
    (void)state;
    lw_config *config = NULL;
    lw_client *client = NULL;
    lw_error err = LW_ERROR_INIT;
    lw_config_options options = LW_CONFIG_OPTIONS_INIT;
    options.server = "http://127.0.0.1:1";
    assert_int_equal(lw_config_load(&config, &options, NULL), LW_OK);
    const lw_client_options mine = { .size = sizeof(mine), .user_agent = "me/1\r\nX-Evil: 1" };
    assert_int_equal(lw_client_new(&client, config, &mine, &err), LW_ERR_INVALID);
    lw_config_unref(config);
}

static void finds_resources_by_what_people_type(void **state)
{
    (void)state;
    client_world world;
    lw_resource found;
    lw_error err = LW_ERROR_INIT;
    client_world_open(&world, NULL);
    assert_int_equal(lw_client_find_resource(world.client, "deploy", &found, &err), LW_OK);
    assert_string_equal(found.gvr.resource.ptr, "deployments");
    assert_string_equal(found.gvr.group.ptr, "apps");
    assert_string_equal(found.kind.ptr, "Deployment");
    assert_true(found.is_namespaced);
    assert_int_equal(lw_client_find_resource(world.client, "ns", &found, &err), LW_OK);
    assert_false(found.is_namespaced);
    assert_int_equal(lw_client_find_kind(world.client, lw_gvk_make("batch", "v1", "CronJob"),
                                         &found, &err),
                     LW_OK);
    assert_string_equal(found.gvr.resource.ptr, "cronjobs");
    assert_int_equal(lw_client_find_resource(world.client, "widgets", &found, &err),
                     LW_ERR_NOT_FOUND);
    assert_string_equal(err.message, "the server doesn't have a resource type \"widgets\"");
    client_world_close(&world);
}

static void keeps_a_few_sessions_and_no_more(void **state)
{
    (void)state;
    client_world world;
    lw_session *sessions[LW_CLIENT_IDLE_SESSIONS + 2];
    const size_t count = sizeof(sessions) / sizeof(sessions[0]);
    client_world_open(&world, NULL);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(lw_client__take_session(world.client, &sessions[i], NULL), LW_OK);
    for (size_t i = 0; i < count; i++)
        lw_client__return_session(world.client, sessions[i]);
    assert_int_equal(world.client->idle_count, LW_CLIENT_IDLE_SESSIONS);
    client_world_close(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_admin_comes_in_over_tls),
        TEST(nobody_is_told_so),
        TEST(a_server_with_another_ca_is_not_believed),
        TEST(an_unusable_ca_is_refused_at_once),
        TEST(a_refused_token_is_read_anew_and_sent_once_more),
        TEST(a_server_that_is_gone_is_unavailable),
        TEST(a_user_agent_that_breaks_lines_is_refused),
        TEST(finds_resources_by_what_people_type),
        TEST(keeps_a_few_sessions_and_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
