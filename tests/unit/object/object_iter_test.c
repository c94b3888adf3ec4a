/* SPDX-License-Identifier: Apache-2.0 */
/* object_iter_test.c -- walking the arrays and objects inside an object. */
#include <listwatch/object_iter.h>

#include "base/str.h"
#include "unit/test.h"

static lw_object *made(const char *json)
{
    lw_object *obj = NULL;
    lw_error err = LW_ERROR_INIT;
    if (lw_object_from_json(&obj, json, strlen(json), &err) < 0)
        fail_msg("%s", err.message);
    return obj;
}

static const char pod[] =
    "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"annotations\":{\"a\":\"1\",\"b\\u002fc\":"
    "\"x\\ny\"}}, \"spec\" : { \"containers\" : [ {\"name\":\"one\",\"tty\":true,\"ports\":[{"
    "\"containerPort\":80},{\"containerPort\":443}]} , {\"name\":\"t\\u0077o\"} ],\"none\":[],"
    "\"nothing\":{},\"list\":[1,\"two\",null,[3]]}}";

static void walks_the_items_of_an_array(void **state)
{
    (void)state;
    lw_object *obj = made(pod);
    lw_iter c = lw_object_iter(obj, "/spec/containers");
    assert_true(lw_iter_next(&c));
    assert_int_equal(c.index, 0);
    assert_int_equal(c.key.len, 0);
    assert_string_equal(lw_iter_string(&c, "/name", ""), "one");
    assert_true(lw_iter_bool(&c, "/tty", false));
    lw_iter p = lw_iter_enter(&c, "/ports");
    int64_t ports[2];
    for (size_t i = 0; i < 2; i++) {
        assert_true(lw_iter_next(&p));
        ports[i] = lw_iter_int(&p, "/containerPort", 0);
    }
    assert_false(lw_iter_next(&p));
    assert_int_equal(ports[0], 80);
    assert_int_equal(ports[1], 443);
    assert_true(lw_iter_next(&c));
    assert_int_equal(c.index, 1);
    assert_string_equal(lw_iter_string(&c, "/name", ""), "two");
    assert_string_equal(lw_iter_string(&c, "/image", "none"), "none");
    p = lw_iter_enter(&c, "/ports");
    assert_false(lw_iter_next(&p));
    assert_false(lw_iter_next(&c));
    assert_false(lw_iter_next(&c)); /* once more changes nothing */
    assert_string_equal(lw_iter_string(&c, "", "gone"), "gone");
    lw_object_unref(obj);
}

static void walks_the_members_of_an_object_with_their_keys(void **state)
{
    (void)state;
    lw_object *obj = made(pod);
    lw_iter a = lw_object_iter(obj, "/metadata/annotations");
    assert_true(lw_iter_next(&a));
    assert_str_equal(a.key, "a");
    assert_ptr_equal(a.key.ptr, strstr(lw_object_json(obj).ptr, "a\":\"1\"")); /* not a copy */
    assert_string_equal(lw_iter_string(&a, "", ""), "1");
    assert_true(lw_iter_next(&a));
    assert_str_equal(a.key, "b/c");
    assert_string_equal(lw_iter_string(&a, "", ""), "x\ny");
    assert_false(lw_iter_next(&a));
    lw_object_unref(obj);
}

static void what_is_no_container_has_no_items(void **state)
{
    (void)state;
    static const char *const pointers[] = { "/spec/none", "/spec/nothing", "/kind", "/absent",
                                            "malformed" };
    lw_object *obj = made(pod);
    for (size_t i = 0; i < 5; i++) {
        lw_iter none = lw_object_iter(obj, pointers[i]);
        assert_false(lw_iter_next(&none));
    }
    lw_object_unref(obj);
}

static void items_may_be_of_any_type(void **state)
{
    (void)state;
    static const char *const items[] = { "1", "\"two\"", "null", "[3]" };
    lw_object *obj = made(pod);
    lw_str raw;
    lw_iter i = lw_object_iter(obj, "/spec/list");
    while (lw_iter_next(&i)) {
        assert_str_equal(i.json, items[i.index]);
        assert_int_equal(lw_iter_raw(&i, "", &raw), LW_OK);
        assert_int_equal(lw_iter_raw(&i, "/x", &raw), LW_ERR_NOT_FOUND);
    }
    assert_int_equal(i.index, 3);
    lw_iter whole = lw_object_iter(obj, "");
    unsigned members = 0;
    while (lw_iter_next(&whole))
        members++;
    assert_int_equal(members, 3);
    lw_object_unref(obj);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(walks_the_items_of_an_array),
        TEST(walks_the_members_of_an_object_with_their_keys),
        TEST(what_is_no_container_has_no_items),
        TEST(items_may_be_of_any_type),
    };
    return cmocka_run_group_tests_name("object-iter", tests, NULL, NULL);
}
