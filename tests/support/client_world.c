/* SPDX-License-Identifier: Apache-2.0 */
/* client_world.c -- a server in this process, and clients of it. */
#include "support/client_world.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "unit/test.h"

void client_world_path(const client_world *world, const char *name, char path[192])
{
    (void)snprintf(path, 192, "%s/%s", world->folder, name);
}

void client_world_write(const client_world *world, const char *name, const char *text)
{
    char path[192];
    client_world_path(world, name, path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

lw_client *client_world_connect(const lw_config_options *options)
{
    lw_error err = LW_ERROR_INIT;
    lw_config *config = NULL;
    lw_client *client = NULL;
    if (lw_config_load(&config, options, &err) < 0 ||
        lw_client_new(&client, config, NULL, &err) < 0)
        fail_msg("%s", err.message);
    lw_config_unref(config);
    return client;
}

void client_world_open(client_world *world, const char *tokens)
{
    char kubeconfig[192], token_file[192];
    lw_error err = LW_ERROR_INIT;
    *world = (client_world){ .folder = "/tmp/listwatch-test-XXXXXX" };
    assert_non_null(mkdtemp(world->folder));
    client_world_path(world, "admin.kubeconfig", kubeconfig);
    client_world_path(world, "tokens", token_file);
    if (tokens)
        client_world_write(world, "tokens", tokens);
    lw_server_options options = LW_SERVER_OPTIONS_INIT;
    options.listen = "127.0.0.1:0";
    options.insecure_listen = "127.0.0.1:0";
    options.kubeconfig_file = kubeconfig;
    options.token_file = tokens ? token_file : NULL;
    options.threads = 1;
    options.own_controllers = "-root-ca-cert-publisher"; /* tests count their ConfigMaps */
    if (lw_server_start(&world->server, &options, &err) < 0)
        fail_msg("%s", err.message);
    lw_config_options plain = LW_CONFIG_OPTIONS_INIT;
    plain.server = lw_server_insecure_url(world->server);
    world->client = client_world_connect(&plain);
}

static int remove_one(const char *path, const struct stat *facts, int what, struct FTW *at)
{
    (void)facts;
    (void)what;
    (void)at;
    return remove(path);
}

void client_world_close(client_world *world)
{
    lw_client_unref(world->client);
    lw_server_stop(world->server, 0);
    (void)nftw(world->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

lw_gvr client_world_configmaps(void)
{
    return lw_gvr_make("", "v1", "configmaps");
}

lw_object *client_world_configmap(const char *name, const char *app, const char *value)
{
    char json[1024];
    lw_object *obj = NULL;
    int len = snprintf(json, sizeof(json),
                       "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":"
                       "\"%s\",\"namespace\":\"default\",\"labels\":{\"app\":\"%s\"}},"
                       "\"data\":{\"key\":\"%s\"}}",
                       name, app, value);
    if (lw_object_from_json(&obj, json, (size_t)len, NULL) < 0)
        return NULL;
    return obj;
}

void client_world_create(client_world *world, const char *name, const char *app)
{
    lw_error err = LW_ERROR_INIT;
    lw_object *obj = client_world_configmap(name, app, "1");
    assert_non_null(obj);
    if (lw_client_create(world->client, client_world_configmaps(), obj, NULL, NULL, &err) < 0)
        fail_msg("%s", err.message);
    lw_object_unref(obj);
}
