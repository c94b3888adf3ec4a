/* SPDX-License-Identifier: Apache-2.0 */
/* server_test.c -- a test in C with an API server inside the test program.
 *
 *     server_test     prints TAP: "ok" or "not ok" for each test */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <listwatch.h>
#include <listwatch/server.h>

/* The code under test: it may be any code that talks to an API server. */
static lw_status set_theme(lw_client *client, const char *theme, lw_error *err)
{
    const lw_gvr maps = lw_gvr_make("", "v1", "configmaps");
    char json[256];
    lw_object *obj = NULL;
    int len = snprintf(json, sizeof(json),
                       "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":"
                       "\"settings\",\"namespace\":\"default\"},\"data\":{\"theme\":\"%s\"}}",
                       theme);
    lw_status st = lw_object_from_json(&obj, json, (size_t)len, err);
    if (st == LW_OK)
        st = lw_client_create(client, maps, obj, NULL, NULL, err);
    if (st == LW_ERR_EXISTS)
        st = lw_client_patch(client, maps, "default", "settings", lw_str_make(json, (size_t)len),
                             NULL, NULL, err);
    lw_object_unref(obj);
    return st;
}

static bool theme_is(lw_client *client, const char *theme)
{
    lw_object *obj = NULL;
    if (lw_client_get(client, lw_gvr_make("", "v1", "configmaps"), "default", "settings", NULL,
                      &obj, NULL) < 0)
        return false;
    bool is_same = strcmp(lw_object_string(obj, "/data/theme", ""), theme) == 0;
    lw_object_unref(obj);
    return is_same;
}

static bool creates_the_settings(lw_client *client)
{
    return set_theme(client, "dark", NULL) == LW_OK && theme_is(client, "dark");
}

static bool changes_the_settings_there_are(lw_client *client)
{
    return set_theme(client, "dark", NULL) == LW_OK && set_theme(client, "light", NULL) == LW_OK &&
           theme_is(client, "light");
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Runs |test| on a new server, which is empty and gone afterwards. */
static bool on_a_server(bool (*test)(lw_client *client))
{
    lw_server_options options = LW_SERVER_OPTIONS_INIT;
    lw_error err = LW_ERROR_INIT;
    lw_server *server = NULL;
    lw_config *config = NULL;
    lw_client *client = NULL;
    bool is_good = false;
    double start = now_ms();

    options.insecure_listen = "127.0.0.1:0"; /* plain HTTP on a free port */
    if (lw_server_start(&server, &options, &err) == LW_OK) {
        printf("# server ready in %.1f ms\n", now_ms() - start);
        lw_config_options to = LW_CONFIG_OPTIONS_INIT;
        to.server = lw_server_insecure_url(server);
        if (lw_config_load(&config, &to, &err) == LW_OK &&
            lw_client_new(&client, config, NULL, &err) == LW_OK)
            is_good = test(client);
    }
    if (err.code < 0)
        printf("# %s\n", err.message);
    lw_client_unref(client);
    lw_config_unref(config);
    lw_server_stop(server, 5);
    return is_good;
}

int main(void)
{
    bool first = on_a_server(creates_the_settings);
    printf("%sok 1 - creates the settings\n", first ? "" : "not ");
    bool second = on_a_server(changes_the_settings_there_are);
    printf("%sok 2 - changes the settings there are\n", second ? "" : "not ");
    printf("1..2\n");
    return first && second ? 0 : 1;
}
