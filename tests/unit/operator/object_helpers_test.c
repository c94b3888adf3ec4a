/* SPDX-License-Identifier: Apache-2.0 */
/* object_helpers_test.c -- owners, finalizers and conditions of documents and objects. */
#include <listwatch/condition.h>
#include <listwatch/finalizer.h>
#include <listwatch/owner.h>

#include <stdio.h>

#include <listwatch/time.h>

#include "unit/test.h"

static lw_object *object_of(const char *json)
{
    lw_object *obj = NULL;
    assert_int_equal(lw_object_from_json(&obj, json, strlen(json), NULL), LW_OK);
    return obj;
}

static lw_document *document_of(const char *json)
{
    lw_document *doc = NULL;
    assert_int_equal(lw_document_from_json(&doc, json, strlen(json), NULL), LW_OK);
    return doc;
}

static void assert_json(lw_document *doc, const char *wanted)
{
    lw_str json;
    assert_int_equal(lw_document_json(doc, NULL, &json, NULL), LW_OK);
    assert_str_equal(json, wanted);
}

static const char website[] = "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Website\","
                              "\"metadata\":{\"name\":\"w\",\"namespace\":\"n\",\"uid\":\"1\"}}";

static void a_controller_is_set_once(void **state)
{
    (void)state;
    lw_object *owner = object_of(website);
    lw_document *doc = document_of("{\"metadata\":{\"namespace\":\"n\"}}");
    for (int i = 0; i < 2; i++)
        assert_int_equal(lw_owner_set_controller(doc, owner, NULL), LW_OK);
    assert_json(doc, "{\"metadata\":{\"namespace\":\"n\",\"ownerReferences\":[{\"apiVersion\":"
                     "\"example.com/v1\",\"kind\":\"Website\",\"name\":\"w\",\"uid\":\"1\","
                     "\"controller\":true,\"blockOwnerDeletion\":true}]}}");
    lw_document_free(doc);
    lw_object_unref(owner);
}

static void a_second_controller_is_refused(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    lw_object *owner = object_of(website);
    lw_document *doc = document_of(
        "{\"metadata\":{\"name\":\"d\",\"namespace\":\"n\",\"ownerReferences\":[{\"apiVersion\":"
        "\"other.com/"
        "v1\",\"kind\":\"Website\",\"name\":\"w\",\"uid\":\"2\",\"controller\":true}]}}");
    assert_int_equal(lw_owner_set_controller(doc, owner, &err), LW_ERR_EXISTS);
    assert_string_equal(err.message, "object d is already controlled by Website w");
    assert_int_equal(lw_owner_set(doc, owner, &err), LW_OK); /* one of two owners */
    assert_int_equal(lw_document_count(lw_document_find(doc, NULL, "/metadata/ownerReferences")),
                     2);
    assert_true(lw_owner_remove(doc, owner));
    assert_false(lw_owner_remove(doc, owner));
    assert_string_equal(lw_document_string(doc, NULL, "/metadata/ownerReferences/0/uid", ""), "2");
    lw_document_free(doc);
    lw_object_unref(owner);
}

static void an_owner_that_was_created_again_replaces_its_reference(void **state)
{
    (void)state;
    lw_object *owner = object_of(website);
    lw_document *doc =
        document_of("{\"metadata\":{\"namespace\":\"n\",\"ownerReferences\":[{\"apiVersion\":"
                    "\"example.com/v1beta1\",\"kind\":\"Website\",\"name\":\"w\",\"uid\":\"0\","
                    "\"controller\":true}]}}");
    assert_int_equal(lw_owner_set_controller(doc, owner, NULL), LW_OK);
    assert_int_equal(lw_document_count(lw_document_find(doc, NULL, "/metadata/ownerReferences")),
                     1);
    assert_string_equal(lw_document_string(doc, NULL, "/metadata/ownerReferences/0/uid", ""), "1");
    lw_document_free(doc);
    lw_object_unref(owner);
}

static void assert_refused(const char *owner_json, const char *json, lw_status st)
{
    lw_object *owner = object_of(owner_json);
    lw_document *doc = document_of(json);
    assert_int_equal(lw_owner_set_controller(doc, owner, NULL), st);
    lw_document_free(doc);
    lw_object_unref(owner);
}

static void an_owner_is_in_the_same_namespace_or_cluster_scoped(void **state)
{
    (void)state;
    static const char node[] = "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":"
                               "\"w\",\"uid\":\"1\"}}";
    assert_refused(website, "{\"metadata\":{\"namespace\":\"other\"}}", LW_ERR_INVALID);
    assert_refused(website, "{\"metadata\":{}}", LW_ERR_INVALID);
    assert_refused(node, "{\"metadata\":{}}", LW_OK);
    assert_refused(node, "{\"metadata\":{\"namespace\":\"n\"}}", LW_OK);
    assert_refused("{\"metadata\":{\"name\":\"no uid\"}}", "{}", LW_ERR_INVALID);
}

static void a_controller_is_recognized_by_its_uid(void **state)
{
    (void)state;
    lw_object *owner = object_of(website);
    lw_object *mine =
        object_of("{\"metadata\":{\"ownerReferences\":[{\"uid\":\"5\"},{\"uid\":\"1\","
                  "\"controller\":true}]}}");
    lw_object *other = object_of("{\"metadata\":{\"ownerReferences\":[{\"uid\":\"1\"}]}}");
    assert_true(lw_owner_controls(owner, mine));
    assert_false(lw_owner_controls(owner, other));
    lw_object_unref(owner);
    lw_object_unref(mine);
    lw_object_unref(other);
}

static void a_finalizer_is_added_and_removed_once(void **state)
{
    (void)state;
    lw_document *doc = document_of("{\"metadata\":{\"finalizers\":[\"a\",\"b\",\"a\"]}}");
    assert_true(lw_finalizer_add(doc, "c"));
    assert_false(lw_finalizer_add(doc, "c"));
    assert_true(lw_finalizer_remove(doc, "a"));
    assert_false(lw_finalizer_remove(doc, "a"));
    assert_json(doc, "{\"metadata\":{\"finalizers\":[\"b\",\"c\"]}}");
    lw_document_free(doc);
    doc = document_of("{}");
    assert_true(lw_finalizer_add(doc, "c"));
    assert_json(doc, "{\"metadata\":{\"finalizers\":[\"c\"]}}");
    lw_document_free(doc);
}

static void the_patch_of_a_finalizer_is_for_one_version(void **state)
{
    (void)state;
    lw_document *patch = NULL;
    lw_object *obj = object_of("{\"metadata\":{\"uid\":\"1\",\"resourceVersion\":\"7\","
                               "\"finalizers\":[\"a\"],\"deletionTimestamp\":\"x\"}}");
    assert_true(lw_finalizer_has(obj, "a"));
    assert_false(lw_finalizer_has(obj, "b"));
    assert_true(lw_object_is_deleting(obj));
    assert_int_equal(lw_finalizer_patch(obj, "a", true, &patch, NULL), LW_OK);
    assert_null(patch);
    assert_int_equal(lw_finalizer_patch(obj, "b", true, &patch, NULL), LW_OK);
    assert_json(patch, "{\"metadata\":{\"uid\":\"1\",\"resourceVersion\":\"7\",\"finalizers\":["
                       "\"a\",\"b\"]}}");
    lw_document_free(patch);
    assert_int_equal(lw_finalizer_patch(obj, "a", false, &patch, NULL), LW_OK);
    assert_json(patch,
                "{\"metadata\":{\"uid\":\"1\",\"resourceVersion\":\"7\",\"finalizers\":[]}}");
    lw_document_free(patch);
    lw_object_unref(obj);
}

static void the_transition_time_changes_with_the_status_only(void **state)
{
    (void)state;
    lw_document *doc = document_of("{}");
    lw_condition ready = { "Ready", "False", "Starting", NULL, 1, NULL };
    assert_true(lw_condition_set(doc, &ready, 0));
    assert_false(lw_condition_set(doc, &ready, LW_NS_PER_S));
    ready.reason = "Waiting";
    ready.observed_generation = 2;
    assert_true(lw_condition_set(doc, &ready, 2 * LW_NS_PER_S));
    assert_json(doc, "{\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"False\","
                     "\"lastTransitionTime\":\"1970-01-01T00:00:00Z\",\"reason\":\"Waiting\","
                     "\"message\":\"\",\"observedGeneration\":2}]}}");
    ready.status = "True";
    assert_true(lw_condition_set(doc, &ready, 3 * LW_NS_PER_S));
    assert_string_equal(lw_document_string(doc, NULL, "/status/conditions/0/lastTransitionTime",
                                           ""),
                        "1970-01-01T00:00:03Z");
    const lw_condition other = { "Other", "Unknown", "None", "m", 0, NULL };
    assert_true(lw_condition_set(doc, &other, 0));
    assert_true(lw_condition_remove(doc, "Ready"));
    assert_false(lw_condition_remove(doc, "Ready"));
    assert_string_equal(lw_document_string(doc, NULL, "/status/conditions/0/type", ""), "Other");
    lw_document_free(doc);
}

static void a_condition_is_found_by_its_type(void **state)
{
    (void)state;
    lw_condition found = { .type = "untouched" };
    lw_object *obj = object_of(
        "{\"status\":{\"conditions\":[{\"type\":\"A\",\"status\":\"False\"},{\"type\":\"B\","
        "\"status\":\"True\",\"reason\":\"R\",\"message\":\"M\",\"observedGeneration\":4,"
        "\"lastTransitionTime\":\"T\"}]}}");
    assert_false(lw_condition_get(obj, "C", &found));
    assert_string_equal(found.type, "untouched");
    assert_true(lw_condition_get(obj, "B", &found));
    assert_string_equal(found.reason, "R");
    assert_string_equal(found.message, "M");
    assert_string_equal(found.last_transition_time, "T");
    assert_int_equal(found.observed_generation, 4);
    assert_true(lw_condition_is_true(obj, "B"));
    assert_false(lw_condition_is_true(obj, "A"));
    assert_false(lw_condition_is_true(obj, "C"));
    lw_object_unref(obj);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_controller_is_set_once),
        TEST(a_second_controller_is_refused),
        TEST(an_owner_that_was_created_again_replaces_its_reference),
        TEST(an_owner_is_in_the_same_namespace_or_cluster_scoped),
        TEST(a_controller_is_recognized_by_its_uid),
        TEST(a_finalizer_is_added_and_removed_once),
        TEST(the_patch_of_a_finalizer_is_for_one_version),
        TEST(the_transition_time_changes_with_the_status_only),
        TEST(a_condition_is_found_by_its_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
