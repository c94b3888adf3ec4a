/* SPDX-License-Identifier: Apache-2.0 */
/* options_test.c -- the options of writes: dry run, field manager, validation, collections, and the
 * size of the structs. */
#include <listwatch/raw.h>

#include <stdio.h>

#include "base/str.h"
#include "support/client_world.h"
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

static lw_object *get(const char *name)
{
    lw_object *obj = NULL;
    lw_error err = LW_ERROR_INIT;
    if (lw_client_get(world.client, client_world_configmaps(), "default", name, NULL, &obj, &err) <
        0)
        fail_msg("%s", err.message);
    return obj;
}

static void assert_value(const char *name, const char *value)
{
    lw_object *obj = get(name);
    assert_string_equal(lw_object_string(obj, "/data/key", ""), value);
    lw_object_unref(obj);
}

static void a_dry_run_stores_nothing(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    lw_object *obj = client_world_configmap("a", "web", "2"), *out = NULL;
    lw_gvr maps = client_world_configmaps();
    lw_create_options create = LW_CREATE_OPTIONS_INIT;
    create.dry_run = true;
    assert_int_equal(lw_client_create(world.client, maps, obj, &create, &out, &err), LW_OK);
    assert_string_equal(lw_object_name(out), "a");
    lw_object_unref(out);
    assert_int_equal(lw_client_get(world.client, maps, "default", "a", NULL, &out, &err),
                     LW_ERR_NOT_FOUND);
    client_world_create(&world, "a", "web");
    const char *before = "1";
    lw_update_options update = LW_UPDATE_OPTIONS_INIT;
    update.dry_run = true;
    assert_int_equal(lw_client_update(world.client, maps, obj, &update, NULL, &err), LW_OK);
    assert_value("a", before);
    lw_patch_options change = LW_PATCH_OPTIONS_INIT;
    change.dry_run = true;
    assert_int_equal(lw_client_patch(world.client, maps, "default", "a",
                                     LW_STR("{\"data\":{\"key\":\"3\"}}"), &change, NULL, &err),
                     LW_OK);
    assert_value("a", before);
    lw_delete_options delete = LW_DELETE_OPTIONS_INIT;
    delete.dry_run = true;
    assert_int_equal(lw_client_delete(world.client, maps, "default", "a", &delete, &err), LW_OK);
    assert_value("a", before);
    lw_object_unref(obj);
}

/* Returns the manager of the first entry of the managed fields of "a". */
static void assert_manager(const char *manager)
{
    lw_response *response = NULL;
    assert_int_equal(lw_client_raw(world.client, "GET", "/api/v1/namespaces/default/configmaps/a",
                                   NULL, &response, NULL),
                     LW_OK);
    char wanted[64];
    (void)snprintf(wanted, sizeof(wanted), "\"manager\":\"%s\"", manager);
    assert_non_null(strstr(lw_response_body(response).ptr, wanted));
    lw_response_free(response);
}

static void every_write_names_its_field_manager(void **state)
{
    (void)state;
    lw_gvr maps = client_world_configmaps();
    lw_object *obj = client_world_configmap("a", "web", "1");
    lw_object *other = client_world_configmap("a", "web", "2");
    lw_create_options create = LW_CREATE_OPTIONS_INIT;
    lw_update_options update = LW_UPDATE_OPTIONS_INIT;
    lw_patch_options change = LW_PATCH_OPTIONS_INIT;
    create.field_manager = "creator";
    update.field_manager = "updater";
    change.field_manager = "patcher";
    assert_int_equal(lw_client_create(world.client, maps, obj, &create, NULL, NULL), LW_OK);
    assert_manager("creator");
    assert_int_equal(lw_client_update(world.client, maps, other, &update, NULL, NULL), LW_OK);
    assert_manager("updater");
    assert_int_equal(lw_client_patch(world.client, maps, "default", "a",
                                     LW_STR("{\"data\":{\"key\":\"3\"}}"), &change, NULL, NULL),
                     LW_OK);
    assert_manager("patcher");
    lw_object_unref(obj);
    lw_object_unref(other);
}

static void unknown_fields_are_refused_if_the_caller_wants_it(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    lw_object *obj = NULL;
    static const char odd[] = "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\","
                              "\"metadata\":{\"name\":\"o\"},\"dada\":{}}";
    assert_int_equal(lw_object_from_json(&obj, odd, strlen(odd), NULL), LW_OK);
    lw_create_options options = LW_CREATE_OPTIONS_INIT;
    options.ns = "default"; /* the object has none */
    options.field_validation = "Strict";
    assert_int_equal(lw_client_create(world.client, client_world_configmaps(), obj, &options, NULL,
                                      &err),
                     LW_ERR_INVALID);
    options.field_validation = NULL;
    assert_int_equal(lw_client_create(world.client, client_world_configmaps(), obj, &options, NULL,
                                      &err),
                     LW_OK);
    lw_object_unref(obj);
}

static void deletes_the_collection_that_is_selected(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    lw_object *obj = NULL;
    lw_gvr maps = client_world_configmaps();
    client_world_create(&world, "a", "web");
    client_world_create(&world, "b", "web");
    client_world_create(&world, "c", "mail");
    lw_list_options which = LW_LIST_OPTIONS_INIT;
    which.ns = "default";
    which.label_selector = "app=web";
    assert_int_equal(lw_client_delete_collection(world.client, maps, NULL, NULL, &err),
                     LW_ERR_INVALID);
    assert_int_equal(lw_client_delete_collection(world.client, maps, &which, NULL, &err), LW_OK);
    assert_int_equal(lw_client_get(world.client, maps, "default", "a", NULL, &obj, &err),
                     LW_ERR_NOT_FOUND);
    assert_value("c", "1");
}

static void options_without_their_size_are_refused(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    const lw_delete_options unset = { .grace_period_s = 3 };
    assert_int_equal(lw_client_delete(world.client, client_world_configmaps(), "default", "a",
                                      &unset, &err),
                     LW_ERR_INVALID);
    assert_string_equal(err.message, "the size of lw_delete_options is not set; initialise the "
                                     "struct with its _INIT macro");
    /* A program that was compiled with a later version. */
    struct {
        lw_get_options known;
        size_t later;
    } newer = { .known = LW_GET_OPTIONS_INIT };
    lw_object *obj = NULL;
    newer.known.size = sizeof(newer);
    assert_int_equal(lw_client_get(world.client, client_world_configmaps(), "default", "a",
                                   &newer.known, &obj, &err),
                     LW_ERR_NOT_FOUND);
    newer.later = 1;
    assert_int_equal(lw_client_get(world.client, client_world_configmaps(), "default", "a",
                                   &newer.known, &obj, &err),
                     LW_ERR_UNSUPPORTED);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_dry_run_stores_nothing),
        CASE(every_write_names_its_field_manager),
        CASE(unknown_fields_are_refused_if_the_caller_wants_it),
        CASE(deletes_the_collection_that_is_selected),
        CASE(options_without_their_size_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
