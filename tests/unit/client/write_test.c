/* SPDX-License-Identifier: Apache-2.0 */
/* write_test.c -- create, update, patch, apply and delete against a server of our own. */
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

static void creates_what_can_be_read(void **state)
{
    (void)state;
    lw_object *obj = client_world_configmap("a", "web", "1");
    lw_object *created = NULL;
    assert_int_equal(lw_client_create(world.client, client_world_configmaps(), obj, NULL, &created,
                                      NULL),
                     LW_OK);
    assert_true(lw_object_revision(created) > 0);
    assert_string_not_equal(lw_object_uid(created), "");
    assert_value("a", "1");
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_client_create(world.client, client_world_configmaps(), obj, NULL, NULL,
                                      &err),
                     LW_ERR_EXISTS);
    assert_string_equal(err.message, "configmaps \"a\" already exists");
    assert_string_equal(err.reason, "AlreadyExists");
    assert_int_equal(err.http_status, 409);
    lw_object_unref(created);
    lw_object_unref(obj);
}

static void an_invalid_object_is_refused_with_the_field(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    lw_object *obj = client_world_configmap("Not A Name", "web", "1");
    assert_int_equal(lw_client_create(world.client, client_world_configmaps(), obj, NULL, NULL,
                                      &err),
                     LW_ERR_INVALID);
    assert_int_equal(err.http_status, 422);
    assert_non_null(strstr(err.message, "metadata.name"));
    lw_object_unref(obj);
}

static void updates_only_what_it_has_seen(void **state)
{
    (void)state;
    client_world_create(&world, "a", "web");
    lw_object *seen = get("a");
    lw_object *updated = NULL;
    lw_error err = LW_ERROR_INIT;
    static const char change[] = "{\"data\":{\"key\":\"2\"}}";
    assert_int_equal(lw_client_patch(world.client, client_world_configmaps(), "default", "a",
                                     lw_str_of(change), NULL, &updated, &err),
                     LW_OK);
    assert_value("a", "2");
    assert_int_equal(lw_client_update(world.client, client_world_configmaps(), seen, NULL, NULL,
                                      &err),
                     LW_ERR_CONFLICT);
    assert_string_equal(err.reason, "Conflict");
    lw_object *again = NULL;
    assert_int_equal(lw_client_update(world.client, client_world_configmaps(), updated, NULL,
                                      &again, &err),
                     LW_OK);
    assert_string_equal(lw_object_uid(again), lw_object_uid(seen));
    lw_object_unref(again);
    lw_object_unref(updated);
    lw_object_unref(seen);
}

static void an_item_of_a_list_can_be_updated(void **state)
{
    (void)state;
    lw_object_list *list = NULL;
    client_world_create(&world, "a", "web");
    const lw_list_options options = { .size = sizeof(lw_list_options), .ns = "default" };
    assert_int_equal(lw_client_list_all(world.client, client_world_configmaps(), &options, &list,
                                        NULL),
                     LW_OK);
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_client_update(world.client, client_world_configmaps(),
                                      lw_object_list_at(list, 0), NULL, NULL, &err),
                     LW_OK);
    lw_object_list_free(list);
}

static void patch(lw_patch_type type, const char *text, const char *value)
{
    lw_error err = LW_ERROR_INIT;
    if (lw_client_patch(world.client, client_world_configmaps(), "default", "a", lw_str_of(text),
                        &(const lw_patch_options){ .size = sizeof(lw_patch_options), .type = type },
                        NULL, &err) < 0)
        fail_msg("%s", err.message);
    assert_value("a", value);
}

static void patches_by_merging_and_by_operations(void **state)
{
    (void)state;
    client_world_create(&world, "a", "web");
    patch(LW_PATCH_MERGE, "{\"data\":{\"key\":\"m\"}}", "m");
    patch(LW_PATCH_JSON, "[{\"op\":\"replace\",\"path\":\"/data/key\",\"value\":\"j\"}]", "j");
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_client_patch(world.client, client_world_configmaps(), "default", "a",
                                     lw_str_make("", 0), NULL, NULL, &err),
                     LW_ERR_INVALID);
}

/* Server-side apply. */

static lw_gvr deployments(void)
{
    return lw_gvr_make("apps", "v1", "deployments");
}

/* Applies a deployment "web" with so many replicas and |more| members of its spec. */
static lw_status apply_web(int replicas, const char *more, const lw_apply_options *options,
                           lw_object **out, lw_error *err)
{
    char yaml[512];
    (void)snprintf(yaml, sizeof(yaml),
                   "apiVersion: apps/v1\n"
                   "kind: Deployment\n"
                   "metadata: {name: web, namespace: default}\n"
                   "spec:\n"
                   "  replicas: %d\n"
                   "  selector: {matchLabels: {app: web}}\n"
                   "  template:\n"
                   "    metadata: {labels: {app: web}}\n"
                   "    spec: {containers: [{name: c, image: i}]}\n%s",
                   replicas, more);
    return lw_client_apply(world.client, deployments(), "default", "web",
                           lw_str_make(yaml, strlen(yaml)), options, out, err);
}

static int64_t replicas_of_web(void)
{
    lw_object *obj = NULL;
    assert_int_equal(lw_client_get(world.client, deployments(), "default", "web", NULL, &obj, NULL),
                     LW_OK);
    int64_t replicas = lw_object_int(obj, "/spec/replicas", -1);
    lw_object_unref(obj);
    return replicas;
}

/* As kubectl scale does. */
static void scale_web(int replicas)
{
    char json[64];
    (void)snprintf(json, sizeof(json), "{\"spec\":{\"replicas\":%d}}", replicas);
    assert_int_equal(lw_client_patch(world.client, deployments(), "default", "web", lw_str_of(json),
                                     &(const lw_patch_options){ .size = sizeof(lw_patch_options),
                                                                .subresource = "scale" },
                                     NULL, NULL),
                     LW_OK);
}

/* Whether |manager| has applied fields of the deployment. */
static bool is_managed_by(const char *manager)
{
    char entry[64];
    lw_object_list *list = NULL;
    const lw_list_options options = { .size = sizeof(lw_list_options),
                                      .read = { .keeps_managed_fields = true } };
    assert_int_equal(lw_client_list_all(world.client, deployments(), &options, &list, NULL), LW_OK);
    (void)snprintf(entry, sizeof(entry), "\"manager\":\"%s\",\"operation\":\"Apply\"", manager);
    bool is_there = strstr(lw_object_json(lw_object_list_at(list, 0)).ptr, entry) != NULL;
    lw_object_list_free(list);
    return is_there;
}

static void what_is_applied_is_of_the_manager_that_is_named(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    lw_object *out = NULL;
    lw_apply_options options = LW_APPLY_OPTIONS_INIT;
    options.field_manager = "web operator";
    if (apply_web(2, "", &options, &out, &err) < 0)
        fail_msg("%s", err.message);
    assert_int_equal(lw_object_int(out, "/spec/replicas", -1), 2);
    lw_object_unref(out);
    assert_true(is_managed_by("web operator"));
    assert_false(is_managed_by("listwatch"));
    /* No field manager is given: the default is the name of the program. */
    assert_int_equal(apply_web(2, "", NULL, NULL, &err), LW_OK);
    assert_true(is_managed_by("listwatch"));
}

static void what_another_has_changed_is_a_conflict_until_it_is_forced(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    lw_apply_options options = LW_APPLY_OPTIONS_INIT;
    options.field_manager = "web-controller";
    assert_int_equal(apply_web(2, "", &options, NULL, &err), LW_OK);
    scale_web(5);
    assert_int_equal(apply_web(2, "", &options, NULL, &err), LW_ERR_CONFLICT);
    assert_int_equal(err.http_status, 409);
    assert_non_null(strstr(err.message, "conflict with \"listwatch\""));
    assert_non_null(strstr(err.message, ".spec.replicas"));
    assert_int_equal(replicas_of_web(), 5);
    options.force = true;
    assert_int_equal(apply_web(2, "", &options, NULL, &err), LW_OK);
    assert_int_equal(replicas_of_web(), 2);
}

static void an_apply_can_be_tried_and_checked(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    lw_object *out = NULL;
    lw_apply_options options = LW_APPLY_OPTIONS_INIT;
    assert_int_equal(apply_web(2, "", &options, NULL, &err), LW_OK);
    options.dry_run = true;
    assert_int_equal(apply_web(3, "", &options, &out, &err), LW_OK);
    assert_int_equal(lw_object_int(out, "/spec/replicas", -1), 3);
    lw_object_unref(out);
    assert_int_equal(replicas_of_web(), 2);
    options.dry_run = false;
    options.field_validation = "Strict";
    assert_true(apply_web(4, "  colour: red\n", &options, NULL, &err) < 0);
    assert_non_null(strstr(err.message, "colour"));
    assert_int_equal(replicas_of_web(), 2);
    options.field_validation = "Ignore";
    (void)apply_web(4, "", &options, NULL, &err);
    assert_int_equal(replicas_of_web(), 4);
}

static void a_subresource_is_applied_by_itself(void **state)
{
    (void)state;
    static const char status[] = "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\","
                                 "\"metadata\":{\"name\":\"web\",\"namespace\":\"default\"},"
                                 "\"status\":{\"observedGeneration\":7}}";
    lw_error err = LW_ERROR_INIT;
    lw_object *out = NULL;
    lw_apply_options options = LW_APPLY_OPTIONS_INIT;
    assert_int_equal(apply_web(2, "", &options, NULL, &err), LW_OK);
    options.subresource = "status";
    if (lw_client_apply(world.client, deployments(), "default", "web",
                        lw_str_make(status, strlen(status)), &options, &out, &err) < 0)
        fail_msg("%s", err.message);
    assert_int_equal(lw_object_int(out, "/status/observedGeneration", -1), 7);
    assert_int_equal(lw_object_int(out, "/spec/replicas", -1), 2);
    lw_object_unref(out);
}

static void nothing_is_applied_without_a_name_or_a_configuration(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_client_apply(world.client, deployments(), "default", "web",
                                     lw_str_make("", 0), NULL, NULL, &err),
                     LW_ERR_INVALID);
    assert_int_equal(lw_client_apply(world.client, deployments(), "default", "",
                                     lw_str_make("{}", 2), NULL, NULL, &err),
                     LW_ERR_INVALID);
}

static void status_is_written_by_itself(void **state)
{
    (void)state;
    static const char pod_json[] =
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":"
        "\"default\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}";
    lw_gvr pods = lw_gvr_make("", "v1", "pods");
    lw_object *pod = NULL;
    lw_object *out = NULL;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_object_from_json(&pod, pod_json, strlen(pod_json), NULL), LW_OK);
    if (lw_client_create(world.client, pods, pod, NULL, NULL, &err) < 0)
        fail_msg("%s", err.message);
    static const char running[] = "{\"status\":{\"phase\":\"Running\"}}";
    if (lw_client_patch(world.client, pods, "default", "p", lw_str_of(running),
                        &(const lw_patch_options){ .size = sizeof(lw_patch_options),
                                                   .subresource = "status" },
                        &out, &err) < 0)
        fail_msg("%s", err.message);
    assert_string_equal(lw_object_string(out, "/status/phase", ""), "Running");
    lw_object *updated = NULL;
    if (lw_client_update(world.client, pods, out,
                         &(const lw_update_options){ .size = sizeof(lw_update_options),
                                                     .subresource = "status" },
                         &updated, &err) < 0)
        fail_msg("%s", err.message);
    lw_object_unref(updated);
    lw_object_unref(out);
    lw_object_unref(pod);
}

static void a_pod_is_bound_by_its_subresource(void **state)
{
    (void)state;
    static const char pod_json[] =
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":"
        "\"default\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}";
    static const char binding_json[] =
        "{\"apiVersion\":\"v1\",\"kind\":\"Binding\",\"metadata\":{\"name\":\"p\",\"namespace\":"
        "\"default\"},\"target\":{\"kind\":\"Node\",\"name\":\"n1\"}}";
    lw_gvr pods = lw_gvr_make("", "v1", "pods");
    lw_object *pod = NULL, *binding = NULL, *bound = NULL;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_object_from_json(&pod, pod_json, strlen(pod_json), NULL), LW_OK);
    assert_int_equal(lw_object_from_json(&binding, binding_json, strlen(binding_json), NULL),
                     LW_OK);
    if (lw_client_create(world.client, pods, pod, NULL, NULL, &err) < 0)
        fail_msg("%s", err.message);
    if (lw_client_create(world.client, pods, binding,
                         &(const lw_create_options){ .size = sizeof(lw_create_options),
                                                     .ns = "default",
                                                     .name = "p",
                                                     .subresource = "binding" },
                         NULL, &err) < 0)
        fail_msg("%s", err.message);
    assert_int_equal(lw_client_get(world.client, pods, "default", "p", NULL, &bound, &err), LW_OK);
    assert_string_equal(lw_object_string(bound, "/spec/nodeName", ""), "n1");
    assert_int_equal(lw_client_create(world.client, pods, binding,
                                      &(const lw_create_options){ .size = sizeof(lw_create_options),
                                                                  .ns = "default",
                                                                  .name = "p",
                                                                  .subresource = "binding" },
                                      NULL, &err),
                     LW_ERR_CONFLICT);
    assert_int_equal(lw_client_create(world.client, pods, binding,
                                      &(const lw_create_options){ .size = sizeof(lw_create_options),
                                                                  .ns = "default",
                                                                  .name = "p",
                                                                  .subresource = NULL },
                                      NULL, &err),
                     LW_ERR_INVALID);
    assert_int_equal(lw_client_create(world.client, pods, binding,
                                      &(const lw_create_options){ .size = sizeof(lw_create_options),
                                                                  .ns = "default",
                                                                  .name = "",
                                                                  .subresource = "binding" },
                                      NULL, &err),
                     LW_ERR_INVALID);
    lw_object_unref(bound);
    lw_object_unref(binding);
    lw_object_unref(pod);
}

static void deletes_only_the_one_that_is_meant(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    lw_object *gone = NULL;
    client_world_create(&world, "a", "web");
    lw_object *obj = get("a");
    lw_delete_options options = LW_DELETE_OPTIONS_INIT;
    options.uid = "another";
    assert_int_equal(lw_client_delete(world.client, client_world_configmaps(), "default", "a",
                                      &options, &err),
                     LW_ERR_CONFLICT);
    options.uid = lw_object_uid(obj);
    options.resource_version = lw_object_resource_version(obj);
    options.propagation = "Background";
    options.grace_period_s = 0;
    assert_int_equal(lw_client_delete(world.client, client_world_configmaps(), "default", "a",
                                      &options, &err),
                     LW_OK);
    assert_int_equal(lw_client_get(world.client, client_world_configmaps(), "default", "a", NULL,
                                   &gone, &err),
                     LW_ERR_NOT_FOUND);
    assert_string_equal(err.message, "configmaps \"a\" not found");
    assert_int_equal(lw_client_delete(world.client, client_world_configmaps(), "default", "a", NULL,
                                      &err),
                     LW_ERR_NOT_FOUND);
    lw_object_unref(obj);
}

static void nothing_is_deleted_without_a_name(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    client_world_create(&world, "a", "web");
    assert_int_equal(lw_client_delete(world.client, client_world_configmaps(), "default", "", NULL,
                                      &err),
                     LW_ERR_INVALID);
    assert_int_equal(lw_client_delete(world.client, client_world_configmaps(), "default", NULL,
                                      NULL, &err),
                     LW_ERR_INVALID);
    assert_value("a", "1");
}

static void the_page_is_told_of_informers(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    static const char report[] = "{\"reporter\":\"r\",\"informers\":[{\"resource\":\"pods\"}]}";
    assert_int_equal(lw_client_show_informers(world.client, report, &err), LW_OK);
    assert_true(lw_client_show_informers(world.client, "{\"reporter\":1}", &err) < 0);
    assert_non_null(strstr(err.message, "reporter must be a string"));
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(creates_what_can_be_read),
        CASE(an_invalid_object_is_refused_with_the_field),
        CASE(updates_only_what_it_has_seen),
        CASE(an_item_of_a_list_can_be_updated),
        CASE(patches_by_merging_and_by_operations),
        CASE(what_is_applied_is_of_the_manager_that_is_named),
        CASE(what_another_has_changed_is_a_conflict_until_it_is_forced),
        CASE(an_apply_can_be_tried_and_checked),
        CASE(a_subresource_is_applied_by_itself),
        CASE(nothing_is_applied_without_a_name_or_a_configuration),
        CASE(status_is_written_by_itself),
        CASE(a_pod_is_bound_by_its_subresource),
        CASE(deletes_only_the_one_that_is_meant),
        CASE(nothing_is_deleted_without_a_name),
        CASE(the_page_is_told_of_informers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
