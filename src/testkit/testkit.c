/* SPDX-License-Identifier: Apache-2.0 */
/* testkit.c -- a server, two clients, a clock and controllers for one test. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <listwatch.h>
#include <listwatch/test.h>

#include "control/control.h"

enum {
    GRACE_S = 5,
    MANIFEST_MAX = 16 * 1024 * 1024,
    NAME_SIZE = 512,
};

struct lw_test {
    lw_server *server;
    lw_client *client, *observer;
    lw_manual_clock *clock;
    lw_control *control; /* NULL: none */
};

static lw_status make_client(const lw_test *test, const lw_client_options *options,
                             const char *user_agent, lw_client **out, lw_error *err)
{
    lw_config *config = NULL;
    lw_config_options where = LW_CONFIG_OPTIONS_INIT;
    lw_client_options how = LW_CLIENT_OPTIONS_INIT;
    where.server = lw_server_insecure_url(test->server);
    if (options && options->size < sizeof(how))
        memcpy(&how, options, options->size);
    else if (options)
        how = *options;
    how.size = sizeof(how);
    if (user_agent)
        how.user_agent = user_agent;
    lw_status st = lw_config_load(&config, &where, err);
    if (st == LW_OK)
        st = lw_client_new(out, config, &how, err);
    lw_config_unref(config);
    return st;
}

static lw_status start_parts(lw_test *test, const lw_test_options *o, lw_error *err)
{
    lw_server_options server = LW_SERVER_OPTIONS_INIT;
    if (o->server)
        server = *o->server;
    if (!server.insecure_listen)
        server.insecure_listen = "127.0.0.1:0";
    lw_status st = lw_manual_clock_new(&test->clock, lw_clock_system()->wall_ns(NULL));
    if (st == LW_OK)
        st = lw_server_start(&test->server, &server, err);
    if (st == LW_OK)
        st = make_client(test, o->client, NULL, &test->client, err);
    if (st == LW_OK)
        st = make_client(test, NULL, "listwatch-test/" LW_VERSION, &test->observer, err);
    return st;
}

static lw_status start_controllers(lw_test *test, const lw_test_options *o, lw_error *err)
{
    const lw_control_options options = { .client = test->observer,
                                         .nodes = o->nodes,
                                         .is_alone = true };
    return o->has_controllers ? lw_control_start(&test->control, &options, err) : LW_OK;
}

/* Reads the whole file; the caller frees |*out|. */
static lw_status read_file(const char *path, char **out, lw_error *err)
{
    FILE *file = fopen(path, "rb");
    char *text = file ? malloc(MANIFEST_MAX) : NULL;
    size_t len = text ? fread(text, 1, MANIFEST_MAX, file) : 0;
    bool is_read = text && !ferror(file) && len < MANIFEST_MAX;
    if (file)
        (void)fclose(file);
    if (!is_read) {
        free(text);
        return lw_error_set(err, LW_ERR_IO, "cannot read %s", path);
    }
    text[len] = '\0';
    *out = text;
    return LW_OK;
}

static lw_status create_from_file(lw_test *test, const char *path, lw_error *err)
{
    char *text = NULL;
    lw_status st = read_file(path, &text, err);
    if (st == LW_OK)
        st = lw_test_create(test, text, err);
    free(text);
    return st;
}

lw_status lw_test_start(lw_test **out, const lw_test_options *options, lw_error *err)
{
    lw_test_options o = LW_TEST_OPTIONS_INIT;
    if (options && options->size != sizeof(o))
        return lw_error_set(err, LW_ERR_INVALID,
                            "lw_test_options: initialise the struct with LW_TEST_OPTIONS_INIT");
    if (options)
        o = *options;
    lw_test *test = calloc(1, sizeof(*test));
    if (!test)
        return lw_error_set(err, LW_ERR_NOMEM, "out of memory");
    lw_status st = start_parts(test, &o, err);
    if (st == LW_OK && o.manifest)
        st = lw_test_create(test, o.manifest, err);
    if (st == LW_OK && o.manifest_file)
        st = create_from_file(test, o.manifest_file, err);
    if (st == LW_OK)
        st = start_controllers(test, &o, err);
    if (st < 0) {
        lw_test_stop(test);
        return st;
    }
    *out = test;
    return LW_OK;
}

void lw_test_stop(lw_test *test)
{
    if (!test)
        return;
    lw_control_stop(test->control);
    if (test->server)
        lw_server_clear_faults(test->server); /* what they hold would hold up the stop */
    lw_client_unref(test->client);
    lw_client_unref(test->observer);
    lw_server_stop(test->server, GRACE_S);
    lw_manual_clock_free(test->clock);
    free(test);
}

lw_server *lw_test_server(const lw_test *test)
{
    return test->server;
}

lw_client *lw_test_client(const lw_test *test)
{
    return test->client;
}

lw_client *lw_test_observer(const lw_test *test)
{
    return test->observer;
}

lw_manual_clock *lw_test_clock(const lw_test *test)
{
    return test->clock;
}

static lw_status establish(const lw_test *test, const lw_object *definition, lw_error *err)
{
    return lw_wait_for_condition(test->observer, "customresourcedefinitions.apiextensions.k8s.io",
                                 NULL, lw_object_name(definition), "Established", "True", NULL,
                                 err);
}

static lw_status create_one(const lw_test *test, const lw_object *obj, lw_error *err)
{
    lw_resource resource;
    lw_create_options options = LW_CREATE_OPTIONS_INIT;
    lw_gvk gvk = { .kind = lw_str_of(lw_object_kind(obj)) };
    lw_status st =
        lw_api_version_parse(lw_str_of(lw_object_api_version(obj)), &gvk.group, &gvk.version, err);
    if (st == LW_OK)
        st = lw_client_find_kind(test->observer, gvk, &resource, err);
    if (st < 0)
        return st;
    if (resource.is_namespaced && !lw_object_namespace(obj)[0])
        options.ns = "default";
    st = lw_client_create(test->observer, resource.gvr, obj, &options, NULL, err);
    if (st == LW_OK && strcmp(lw_object_kind(obj), "CustomResourceDefinition") == 0)
        st = establish(test, obj, err);
    return st;
}

lw_status lw_test_create(lw_test *test, const char *manifest, lw_error *err)
{
    lw_object_list *list = NULL;
    lw_status st = lw_object_list_from_manifest(&list, manifest, strlen(manifest), NULL, err);
    for (size_t i = 0; st == LW_OK && i < lw_object_list_count(list); i++) {
        const lw_object *obj = lw_object_list_at(list, i);
        st = create_one(test, obj, err);
        if (st < 0 && err)
            (void)lw_error_set(err, st, "%s %s: %s", lw_object_kind(obj), lw_object_name(obj),
                               err->message);
    }
    lw_object_list_free(list);
    return st;
}

/* Splits "deployments.apps/status" and finds the resource. */
static lw_status find(const lw_test *test, const char *text, char name[NAME_SIZE],
                      lw_resource *resource, const char **subresource, lw_error *err)
{
    size_t len = strcspn(text, "/");
    (void)snprintf(name, NAME_SIZE, "%.*s", (int)len, text);
    *subresource = text[len] ? text + len + 1 : NULL;
    return lw_client_find_resource(test->observer, name, resource, err);
}

lw_status lw_test_patch(lw_test *test, const char *resource, const char *ns, const char *name,
                        const char *patch, lw_error *err)
{
    char text[NAME_SIZE];
    lw_resource found;
    lw_patch_options options = LW_PATCH_OPTIONS_INIT;
    lw_status st = find(test, resource, text, &found, &options.subresource, err);
    if (st < 0)
        return st;
    return lw_client_patch(test->observer, found.gvr, ns, name, lw_str_of(patch), &options, NULL,
                           err);
}

lw_status lw_test_delete(lw_test *test, const char *resource, const char *ns, const char *name,
                         lw_error *err)
{
    char text[NAME_SIZE];
    const char *subresource = NULL;
    lw_resource found;
    lw_status st = find(test, resource, text, &found, &subresource, err);
    return st < 0 ? st : lw_client_delete(test->observer, found.gvr, ns, name, NULL, err);
}
