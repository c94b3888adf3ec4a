/* SPDX-License-Identifier: Apache-2.0 */
/* object_owner_test.c -- the owner that controls an object. */
#include "base/str.h"
#include "unit/object/make.h"

#define OBJECT(references) "{\"metadata\":{\"name\":\"a\",\"ownerReferences\":" references "}}"

static void the_first_reference_that_controls_is_found(void **state)
{
    lw_owner_reference owner;
    (void)state;
    lw_object *obj = object_of(
        OBJECT("[{\"kind\":\"Node\",\"name\":\"n\",\"uid\":\"1\"},{\"uid\":\"2\",\"controller\":"
               "false},{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\",\"name\":\"web\","
               "\"uid\":\"3\",\"controller\":true,\"blockOwnerDeletion\":true},{\"uid\":\"4\","
               "\"controller\":true}]"));
    assert_true(lw_object_controller(obj, &owner));
    assert_true(lw_str_equal(owner.api_version, LW_STR("apps/v1")));
    assert_true(lw_str_equal(owner.kind, LW_STR("ReplicaSet")));
    assert_true(lw_str_equal(owner.name, LW_STR("web")));
    assert_true(lw_str_equal(owner.uid, LW_STR("3")));
    lw_object_unref(obj);
}

static void a_reference_with_escapes_or_gaps_is_read(void **state)
{
    lw_owner_reference owner;
    (void)state;
    lw_object *obj = object_of(OBJECT("[{\"controller\":true,\"name\":\"w\\u0065b\",\"kind\":7}]"));
    assert_true(lw_object_controller(obj, &owner));
    assert_true(lw_str_equal(owner.name, LW_STR("web")));
    assert_int_equal(owner.kind.len + owner.uid.len + owner.api_version.len, 0);
    lw_object_unref(obj);
}

static void an_object_without_controller_has_none(void **state)
{
    static const char *const objects[] = {
        "{}",
        "{\"metadata\":{\"name\":\"a\"}}",
        OBJECT("null"),
        OBJECT("{}"),
        OBJECT("[]"),
        OBJECT("[{}]"),
        OBJECT("[7,null,\"x\",[true]]"),
        OBJECT("[{\"uid\":\"1\",\"controller\":\"true\"}]"),
    };
    lw_owner_reference owner;
    (void)state;
    for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
        lw_object *obj = object_of(objects[i]);
        assert_false(lw_object_controller(obj, &owner));
        lw_object_unref(obj);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_reference_that_controls_is_found),
        cmocka_unit_test(a_reference_with_escapes_or_gaps_is_read),
        cmocka_unit_test(an_object_without_controller_has_none),
    };
    return cmocka_run_group_tests_name("object_owner", tests, NULL, NULL);
}
