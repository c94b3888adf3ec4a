/* SPDX-License-Identifier: Apache-2.0 */
/* upsert_test.c -- objects that are created or changed as needed, on a server in this process. */
#include <listwatch/upsert.h>

#include <stdio.h>

#include <listwatch/finalizer.h>

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

/* What a mutate function does. */
typedef struct wish {
    const char *value;
    int calls;
    int conflicts; /* another client changes the object so many times */
    const char *name;
    lw_status st;
    bool is_overtaken; /* another client creates the object */
} wish;

static lw_status set_value(lw_document *doc, void *arg, lw_error *err)
{
    wish *w = arg;
    char patch[64];
    w->calls++;
    if (w->st < 0)
        return lw_error_set(err, w->st, "no");
    lw_document_set_string(doc, NULL, "/data/key", w->value);
    if (w->name)
        lw_document_set_string(doc, NULL, "/metadata/name", w->name);
    if (w->is_overtaken) {
        w->is_overtaken = false;
        client_world_create(&world, "a", "web");
    }
    if (w->conflicts > 0) {
        int len = snprintf(patch, sizeof(patch), "{\"data\":{\"other\":\"%d\"}}", w->conflicts--);
        assert_int_equal(lw_client_patch(world.client, client_world_configmaps(), "default", "a",
                                         lw_str_make(patch, (size_t)len), NULL, NULL, NULL),
                         LW_OK);
    }
    return LW_OK;
}

static lw_change upsert(wish *w)
{
    lw_change change;
    lw_object *out = NULL;
    lw_error err = LW_ERROR_INIT;
    if (lw_create_or_update(world.client, client_world_configmaps(), "default", "a", set_value, w,
                            &out, &change, &err) < 0)
        fail_msg("%s", err.message);
    assert_string_equal(lw_object_string(out, "/data/key", ""), w->value);
    lw_object_unref(out);
    return change;
}

static void an_object_is_created_then_updated_then_left_alone(void **state)
{
    (void)state;
    wish w = { .value = "1" };
    assert_int_equal(upsert(&w), LW_CHANGE_CREATED);
    assert_int_equal(upsert(&w), LW_CHANGE_NONE);
    w.value = "2";
    assert_int_equal(upsert(&w), LW_CHANGE_UPDATED);
    assert_int_equal(w.calls, 3);
}

static void a_change_by_another_client_is_merged(void **state)
{
    (void)state;
    wish w = { .value = "1" };
    assert_int_equal(upsert(&w), LW_CHANGE_CREATED);
    w = (wish){ .value = "2", .conflicts = 2 };
    assert_int_equal(upsert(&w), LW_CHANGE_UPDATED);
    assert_int_equal(w.calls, 3);
    lw_object *obj = NULL;
    assert_int_equal(lw_client_get(world.client, client_world_configmaps(), "default", "a", NULL,
                                   &obj, NULL),
                     LW_OK);
    assert_string_equal(lw_object_string(obj, "/data/other", ""), "1");
    lw_object_unref(obj);
}

static void an_object_that_another_client_creates_first_is_updated(void **state)
{
    (void)state;
    wish w = { .value = "2", .is_overtaken = true };
    assert_int_equal(upsert(&w), LW_CHANGE_UPDATED);
    assert_int_equal(w.calls, 2);
}

static void the_mutate_function_may_refuse_but_not_rename(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    wish w = { .value = "1", .st = LW_ERR_FORBIDDEN };
    lw_gvr maps = client_world_configmaps();
    assert_int_equal(lw_create_or_update(world.client, maps, "default", "a", set_value, &w, NULL,
                                         NULL, &err),
                     LW_ERR_FORBIDDEN);
    assert_string_equal(err.message, "no");
    w = (wish){ .value = "1", .name = "b" };
    assert_int_equal(lw_create_or_update(world.client, maps, "default", "a", set_value, &w, NULL,
                                         NULL, NULL),
                     LW_ERR_INVALID);
    assert_int_equal(lw_create_or_update(world.client, lw_gvr_make("no.such", "v1", "things"),
                                         "default", "a", set_value, &w, NULL, NULL, NULL),
                     LW_ERR_NOT_FOUND);
}

static lw_document *config(const char *value)
{
    lw_document *doc = NULL;
    assert_int_equal(lw_document_new(&doc, NULL), LW_OK);
    lw_document_set_string(doc, NULL, "/apiVersion", "v1");
    lw_document_set_string(doc, NULL, "/kind", "ConfigMap");
    lw_document_set_string(doc, NULL, "/metadata/name", "a");
    lw_document_set_string(doc, NULL, "/metadata/namespace", "default");
    lw_document_set_string(doc, NULL, "/data/key", value);
    return doc;
}

static lw_object *apply(const char *value, const lw_object *cached, lw_change wanted)
{
    lw_change change;
    lw_object *out = NULL;
    lw_error err = LW_ERROR_INIT;
    lw_document *doc = config(value);
    if (lw_create_or_apply(world.client, client_world_configmaps(), doc, cached, "test", &out,
                           &change, &err) < 0)
        fail_msg("%s", err.message);
    assert_int_equal(change, wanted);
    assert_string_equal(lw_object_string(out, "/data/key", ""), value);
    lw_document_free(doc);
    return out;
}

static void an_applied_object_takes_its_fields_back(void **state)
{
    (void)state;
    lw_object *first = apply("1", NULL, LW_CHANGE_CREATED);
    lw_object_unref(apply("1", NULL, LW_CHANGE_NONE));
    lw_object_unref(apply("1", first, LW_CHANGE_NONE));
    assert_int_equal(lw_client_patch(world.client, client_world_configmaps(), "default", "a",
                                     lw_str_of("{\"data\":{\"key\":\"theirs\"}}"), NULL, NULL,
                                     NULL),
                     LW_OK);
    lw_object_unref(apply("1", first, LW_CHANGE_UPDATED));
    lw_object_unref(first);
}

static void only_a_change_is_written(void **state)
{
    (void)state;
    lw_change change;
    lw_document *doc = NULL;
    lw_object *obj = apply("1", NULL, LW_CHANGE_CREATED), *out = NULL;
    assert_int_equal(lw_document_from_object(&doc, obj, NULL), LW_OK);
    assert_int_equal(lw_update_if_changed(world.client, client_world_configmaps(), obj, doc, NULL,
                                          &out, &change, NULL),
                     LW_OK);
    assert_int_equal(change, LW_CHANGE_NONE);
    assert_ptr_equal(out, obj);
    lw_object_unref(out);
    lw_document_set_string(doc, NULL, "/data/key", "2");
    assert_int_equal(lw_update_if_changed(world.client, client_world_configmaps(), obj, doc, NULL,
                                          NULL, &change, NULL),
                     LW_OK);
    assert_int_equal(change, LW_CHANGE_UPDATED);
    lw_document_set_string(doc, NULL, "/data/key", "3");
    assert_int_equal(lw_update_if_changed(world.client, client_world_configmaps(), obj, doc, NULL,
                                          NULL, &change, NULL),
                     LW_ERR_CONFLICT);
    lw_document_free(doc);
    lw_object_unref(obj);
}

static void a_finalizer_is_written_once_and_only_to_the_current_version(void **state)
{
    (void)state;
    bool is_changed = false;
    lw_gvr maps = client_world_configmaps();
    lw_object *first = apply("1", NULL, LW_CHANGE_CREATED), *second = NULL;
    assert_int_equal(lw_finalizer_write(world.client, maps, first, "e.com/f", true, &is_changed,
                                        NULL),
                     LW_OK);
    assert_true(is_changed);
    assert_int_equal(lw_finalizer_write(world.client, maps, first, "e.com/f", true, &is_changed,
                                        NULL),
                     LW_ERR_CONFLICT);
    assert_int_equal(lw_client_get(world.client, maps, "default", "a", NULL, &second, NULL), LW_OK);
    assert_int_equal(lw_finalizer_write(world.client, maps, second, "e.com/f", true, &is_changed,
                                        NULL),
                     LW_OK);
    assert_false(is_changed);
    assert_int_equal(lw_finalizer_write(world.client, maps, second, "e.com/f", false, &is_changed,
                                        NULL),
                     LW_OK);
    assert_true(is_changed);
    assert_int_equal(lw_client_delete(world.client, maps, "default", "a", NULL, NULL), LW_OK);
    assert_int_equal(lw_finalizer_write(world.client, maps, second, "e.com/f", false, &is_changed,
                                        NULL),
                     LW_OK);
    lw_object_unref(first);
    lw_object_unref(second);
}

#define IN_WORLD(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(an_object_is_created_then_updated_then_left_alone),
        IN_WORLD(a_change_by_another_client_is_merged),
        IN_WORLD(an_object_that_another_client_creates_first_is_updated),
        IN_WORLD(the_mutate_function_may_refuse_but_not_rename),
        IN_WORLD(an_applied_object_takes_its_fields_back),
        IN_WORLD(only_a_change_is_written),
        IN_WORLD(a_finalizer_is_written_once_and_only_to_the_current_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
