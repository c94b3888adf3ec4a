/* SPDX-License-Identifier: Apache-2.0 */
/* owner_test.c -- who manages an object. */
#include "informer/owner.h"

#include <stdio.h>

#include "base/str.h"
#include "unit/test.h"

/* The owner of |kind| of an object with these references, or "". */
static const char *owner(const char *references, const char *kind)
{
    static char text[256];
    char json[2048];
    (void)snprintf(json, sizeof(json), "{\"metadata\":{\"namespace\":\"n\",\"name\":\"x\"%s%s}}",
                   references[0] ? ",\"ownerReferences\":" : "", references);
    lw_object *obj = NULL;
    assert_int_equal(lw_object_from_json(&obj, json, strlen(json), NULL), LW_OK);
    lw_buf name;
    lw_buf_init(&name, 255);
    bool is_there = lw_owner_name(obj, lw_str_of(kind), &name);
    assert_int_equal(is_there, name.len > 0);
    (void)snprintf(text, sizeof(text), "%.*s", (int)name.len, name.len ? name.data : "");
    lw_buf_done(&name);
    lw_object_unref(obj);
    return text;
}

static void the_controller_of_the_kind_is_the_owner(void **state)
{
    (void)state;
    const char *references = "[{\"kind\":\"ReplicaSet\",\"name\":\"other\"},"
                             "{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\",\"name\":\"rs\","
                             "\"uid\":\"1\",\"controller\":true,\"blockOwnerDeletion\":true}]";
    assert_string_equal(owner(references, "ReplicaSet"), "rs");
    assert_string_equal(owner(references, "Deployment"), "");
}

static void who_does_not_control_is_no_owner(void **state)
{
    (void)state;
    assert_string_equal(owner("[{\"kind\":\"A\",\"name\":\"a\",\"controller\":false}]", "A"), "");
    assert_string_equal(owner("[{\"kind\":\"A\",\"name\":\"a\",\"controller\":null}]", "A"), "");
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
                              "{\"kind\":\"A\",\"controller\":true},"
                              "{\"controller\":true,\"name\":\"a\\u002db\",\"kind\":\"\\u0041\"}]",
                              "A"),
                        "a-b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_controller_of_the_kind_is_the_owner),
        TEST(who_does_not_control_is_no_owner),
        TEST(what_is_malformed_is_passed_over),
    };
    return cmocka_run_group_tests_name("owner", tests, NULL, NULL);
}
