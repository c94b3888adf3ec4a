/* SPDX-License-Identifier: Apache-2.0 */
/* owner_test.c -- who manages an object. */
#include "informer/reconciler_feed.h"

#include <stdio.h>

#include "base/str.h"
#include "unit/test.h"

/* The owner of the group and kind of an object with these references, or "". */
static const char *owner_in(const char *references, const char *group, const char *kind)
{
    static char text[256];
    char json[2048];
    (void)snprintf(json, sizeof(json), "{\"metadata\":{\"namespace\":\"n\",\"name\":\"x\"%s%s}}",
                   references[0] ? ",\"ownerReferences\":" : "", references);
    lw_object *obj = NULL;
    assert_int_equal(lw_object_from_json(&obj, json, strlen(json), NULL), LW_OK);
    const lw_source_type type = { lw_str_of(group), lw_str_of(kind), true };
    lw_buf name;
    lw_buf_init(&name, 255);
    bool is_there = lw_owner_name(obj, &type, &name);
    assert_int_equal(is_there, name.len > 0);
    (void)snprintf(text, sizeof(text), "%.*s", (int)name.len, name.len ? name.data : "");
    lw_buf_done(&name);
    lw_object_unref(obj);
    return text;
}

static const char *owner(const char *references, const char *kind)
{
    return owner_in(references, "apps", kind);
}

static void the_controller_of_the_kind_is_the_owner(void **state)
{
    (void)state;
    const char *references =
        "[{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\",\"name\":\"other\"},"
        "{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\",\"name\":\"rs\","
        "\"uid\":\"1\",\"controller\":true,\"blockOwnerDeletion\":true}]";
    assert_string_equal(owner(references, "ReplicaSet"), "rs");
    assert_string_equal(owner(references, "Deployment"), "");
}

/* Two groups may have kinds of the same name; versions of one group are views of the same objects.
 */
static void the_group_counts_and_its_version_does_not(void **state)
{
    (void)state;
    const char *knative = "[{\"apiVersion\":\"serving.knative.dev/v1\",\"kind\":\"Service\","
                          "\"name\":\"s\",\"controller\":true}]";
    const char *core = "[{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"name\":\"s\","
                       "\"controller\":true}]";
    const char *old = "[{\"apiVersion\":\"apps\\/v1beta1\",\"kind\":\"Deployment\",\"name\":\"d\","
                      "\"controller\":true}]";
    assert_string_equal(owner_in(knative, "serving.knative.dev", "Service"), "s");
    assert_string_equal(owner_in(knative, "", "Service"), "");
    assert_string_equal(owner_in(knative, "v1", "Service"), "");
    assert_string_equal(owner_in(core, "", "Service"), "s");
    assert_string_equal(owner_in(core, "serving.knative.dev", "Service"), "");
    assert_string_equal(owner_in(old, "apps", "Deployment"), "d");
}

static void who_does_not_control_is_no_owner(void **state)
{
    (void)state;
    assert_string_equal(
        owner("[{\"apiVersion\":\"apps/v1\",\"kind\":\"A\",\"name\":\"a\",\"controller\":false}]",
              "A"),
        "");
    assert_string_equal(
        owner("[{\"apiVersion\":\"apps/v1\",\"kind\":\"A\",\"name\":\"a\",\"controller\":null}]",
              "A"),
        "");
    assert_string_equal(owner("[{\"kind\":\"A\",\"name\":\"a\"}]", "A"), "");
    assert_string_equal(owner("[]", "A"), "");
    assert_string_equal(owner("", "A"), "");
}

static void what_is_malformed_is_passed_over(void **state)
{
    (void)state;
    assert_string_equal(owner("5", "A"), "");
    assert_string_equal(owner("null", "A"), "");
    assert_string_equal(owner("[5,[],\"A\",{\"kind\":7,\"name\":[1],\"controller\":true},"
                              "{\"kind\":\"A\",\"apiVersion\":\"apps/v1\",\"controller\":true},"
                              "{\"controller\":true,\"name\":\"a\\u002db\",\"kind\":\"\\u0041\","
                              "\"apiVersion\":\"apps/v1\"}]",
                              "A"),
                        "a-b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_controller_of_the_kind_is_the_owner),
        TEST(the_group_counts_and_its_version_does_not),
        TEST(who_does_not_control_is_no_owner),
        TEST(what_is_malformed_is_passed_over),
    };
    return cmocka_run_group_tests_name("owner", tests, NULL, NULL);
}
