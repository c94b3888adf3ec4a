/* SPDX-License-Identifier: Apache-2.0 */
/* object_test.c -- the properties of an object, and sharing it. */
#include "object/object.h"

#include <stdio.h>

#include "base/str.h"
#include "unit/object/make.h"

static const char pod[] =
    "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"web-1\",\"namespace\":"
    "\"prod\",\"uid\":\"u-1\",\"resourceVersion\":\"4711\",\"labels\":{\"app\":\"web\",\"tier\":"
    "\"front\"},\"managedFields\":[{\"manager\":\"kubelet\"}]},\"spec\":{\"nodeName\":\"n1\"}}";

static void reads_what_identifies_it(void **state)
{
    (void)state;
    lw_object *obj = object_of(pod);
    assert_string_equal(lw_object_kind(obj), "Pod");
    assert_string_equal(lw_object_api_version(obj), "v1");
    assert_string_equal(lw_object_namespace(obj), "prod");
    assert_string_equal(lw_object_name(obj), "web-1");
    assert_string_equal(lw_object_uid(obj), "u-1");
    assert_string_equal(lw_object_resource_version(obj), "4711");
    assert_int_equal(lw_object_revision(obj), 4711);
    lw_object_unref(obj);
}

static void absent_strings_are_empty(void **state)
{
    (void)state;
    static const char *const bare[] = { "{}", "{\"metadata\":{}}", "{\"metadata\":null}",
                                        "{\"kind\":null,\"metadata\":{\"name\":null}}" };
    for (size_t i = 0; i < sizeof(bare) / sizeof(bare[0]); i++) {
        lw_object *obj = object_of(bare[i]);
        assert_string_equal(lw_object_kind(obj), "");
        assert_string_equal(lw_object_api_version(obj), "");
        assert_string_equal(lw_object_namespace(obj), "");
        assert_string_equal(lw_object_name(obj), "");
        assert_string_equal(lw_object_uid(obj), "");
        assert_string_equal(lw_object_resource_version(obj), "");
        assert_int_equal(lw_object_revision(obj), 0);
        assert_int_equal(lw_object_label_count(obj), 0);
        lw_object_unref(obj);
    }
}

static void decodes_escapes(void **state)
{
    (void)state;
    lw_object *obj = object_of("{\"kind\":\"P\\u006fd\",\"metadata\":{\"name\":\"a\\\"b\","
                               "\"namespace\":\"\\u00e4\",\"labels\":{\"\\u0061pp\":\"w\\/b\"}}}");
    assert_string_equal(lw_object_kind(obj), "Pod");
    assert_string_equal(lw_object_name(obj), "a\"b");
    assert_string_equal(lw_object_namespace(obj), "\xc3\xa4");
    assert_string_equal(lw_object_label(obj, "app"), "w/b");
    lw_object_unref(obj);
}

static void a_resource_version_that_is_no_number_is_revision_0(void **state)
{
    (void)state;
    static const char *const odd[] = { "abc", "", "-1", "1.5", "18446744073709551616" };
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        char json[128];
        (void)snprintf(json, sizeof(json), "{\"metadata\":{\"resourceVersion\":\"%s\"}}", odd[i]);
        lw_object *obj = object_of(json);
        assert_string_equal(lw_object_resource_version(obj), odd[i]);
        assert_int_equal(lw_object_revision(obj), 0);
        lw_object_unref(obj);
    }
}

static void key_is_namespace_and_name(void **state)
{
    (void)state;
    lw_object *obj = object_of(pod);
    lw_key key = lw_object_key(obj);
    assert_str_equal(key.ns, "prod");
    assert_str_equal(key.name, "web-1");
    lw_object_unref(obj);
}

static void labels_are_sorted_whatever_their_order(void **state)
{
    (void)state;
    lw_object *obj = object_of("{\"metadata\":{\"labels\":{\"c\":\"3\",\"a\":\"1\",\"ab\":\"2\","
                               "\"b\":\"x\"}}}");
    static const char *const keys[] = { "a", "ab", "b", "c" };
    assert_int_equal(lw_object_label_count(obj), 4);
    for (size_t i = 0; i < 4; i++)
        assert_str_equal(lw_object_label_at(obj, i).key, keys[i]);
    assert_string_equal(lw_object_label(obj, "a"), "1");
    assert_string_equal(lw_object_label(obj, "ab"), "2");
    assert_string_equal(lw_object_label(obj, "c"), "3");
    assert_null(lw_object_label(obj, "d"));
    assert_null(lw_object_label(obj, ""));
    lw_object_unref(obj);
}

static void the_last_of_labels_with_one_key_counts(void **state)
{
    (void)state;
    lw_object *obj = object_of("{\"metadata\":{\"labels\":{\"b\":\"1\",\"a\":\"1\",\"b\":\"2\","
                               "\"\\u0062\":\"3\",\"a\":\"\"}}}");
    assert_int_equal(lw_object_label_count(obj), 2);
    assert_string_equal(lw_object_label(obj, "a"), "");
    assert_string_equal(lw_object_label(obj, "b"), "3");
    lw_object_unref(obj);
    obj = object_of("{\"metadata\":{\"labels\":{\"a\":\"1\",\"a\":\"2\"}}}");
    assert_int_equal(lw_object_label_count(obj), 1);
    assert_string_equal(lw_object_label(obj, "a"), "2");
    lw_object_unref(obj);
}

static void a_null_label_is_empty(void **state)
{
    (void)state;
    lw_object *obj = object_of("{\"metadata\":{\"labels\":{\"a\":null,\"b\":\"x\"}}}");
    assert_string_equal(lw_object_label(obj, "a"), "");
    assert_string_equal(lw_object_label(obj, "b"), "x");
    lw_object_unref(obj);
}

static void labels_may_hold_nul_bytes(void **state)
{
    (void)state;
    lw_object *obj = object_of("{\"metadata\":{\"labels\":{\"k\\u0000x\":\"a\\u0000b\",\"k\":"
                               "\"short\"}}}");
    lw_str value;
    assert_true(lw_object__find_label(obj, lw_str_make("k\0x", 3), &value));
    assert_int_equal(value.len, 3);
    assert_memory_equal(value.ptr, "a\0b", 4);
    assert_string_equal(lw_object_label(obj, "k"), "short");
    lw_object_unref(obj);
}

static void finds_each_of_many_labels_in_reverse_order(void **state)
{
    (void)state;
    enum {
        COUNT = 20000
    };
    lw_buf json;
    lw_buf_init(&json, 1 << 20);
    lw_buf_append_text(&json, "{\"metadata\":{\"labels\":{");
    for (int i = COUNT; i-- > 0;)
        lw_buf_printf(&json, "\"k%05d\":\"%d\"%s", i, i, i ? "," : "}}}");
    assert_int_equal(json.st, LW_OK);
    lw_object *obj = NULL;
    assert_int_equal(lw_object_from_json(&obj, json.data, json.len, NULL), LW_OK);
    lw_buf_done(&json);
    assert_int_equal(lw_object_label_count(obj), COUNT);
    for (int i = 0; i < COUNT; i++) {
        char key[16], value[16];
        (void)snprintf(key, sizeof(key), "k%05d", i);
        (void)snprintf(value, sizeof(value), "%d", i);
        assert_string_equal(lw_object_label(obj, key), value);
    }
    lw_object_unref(obj);
}

static void drops_managed_fields_unless_asked_to_keep_them(void **state)
{
    (void)state;
    lw_object *obj = object_of(pod);
    lw_str found;
    assert_int_equal(lw_object_raw(obj, "/metadata/managedFields", &found), LW_ERR_NOT_FOUND);
    assert_int_equal(lw_object_raw(obj, "/metadata/labels", &found), LW_OK);
    lw_object_unref(obj);

    const lw_read_options keep = { .keeps_managed_fields = true };
    assert_int_equal(lw_object_from_json_with(&obj, pod, strlen(pod), &keep, NULL), LW_OK);
    assert_str_equal(lw_object_json(obj), pod);
    lw_object_unref(obj);
}

static void keeps_only_declared_paths(void **state)
{
    (void)state;
    static const char *const paths[] = { "/spec/nodeName", NULL };
    const lw_read_options options = { .keep = paths };
    lw_object *obj = NULL;
    static const char json[] = "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\",\"annotations\":{"
                               "\"x\":\"y\"}},\"spec\":{\"nodeName\":\"n\",\"priority\":1}}";
    assert_int_equal(lw_object_from_json_with(&obj, json, strlen(json), &options, NULL), LW_OK);
    assert_string_equal(lw_object_name(obj), "a");
    assert_string_equal(lw_object_string(obj, "/spec/nodeName", ""), "n");
    assert_int_equal(lw_object_int(obj, "/spec/priority", -1), -1);
    assert_null(lw_object_annotation(obj, "x"));
    lw_object_unref(obj);
}

static void json_is_as_it_came_and_terminated(void **state)
{
    (void)state;
    static const char json[] = "{ \"metadata\" : { \"name\" : \"a\" } , \"n\" : [ 1 , 2 ] }";
    lw_object *obj = object_of(json);
    assert_int_equal(strlen(lw_object_json(obj).ptr), lw_object_json(obj).len);
    assert_int_equal(lw_object_json(obj).ptr[0], '{');
    lw_str n;
    assert_int_equal(lw_object_raw(obj, "/n", &n), LW_OK);
    assert_str_equal(n, "[ 1 , 2 ]");
    lw_object_unref(obj);
}

static void refuses_what_is_no_object(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        lw_status st;
    } cases[] = {
        { "", LW_ERR_SYNTAX },
        { "{", LW_ERR_SYNTAX },
        { "{}x", LW_ERR_SYNTAX },
        { "{}:\"x\"}}", LW_ERR_SYNTAX },
        { "{\"a\":1Pod\"}", LW_ERR_SYNTAX },
        { "[]", LW_ERR_INVALID },
        { "null", LW_ERR_INVALID },
        { "{\"metadata\":5}", LW_ERR_INVALID },
        { "{\"metadata\":{\"name\":5}}", LW_ERR_INVALID },
        { "{\"metadata\":{\"labels\":{\"a\":5}}}", LW_ERR_INVALID },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_object *obj = NULL;
        lw_error err = LW_ERROR_INIT;
        lw_status st = lw_object_from_json(&obj, cases[i].json, strlen(cases[i].json), &err);
        if (st != cases[i].st)
            fail_msg("%s gave %d, not %d", cases[i].json, st, cases[i].st);
        assert_int_equal(err.code, st);
        assert_true(err.message[0] != '\0');
        assert_true(err.offset <= strlen(cases[i].json));
        assert_null(obj);
    }
}

static void refuses_more_than_its_size_limit(void **state)
{
    (void)state;
    const lw_read_options options = { .max_object_size = 20 };
    lw_object *obj = NULL;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_object_from_json_with(&obj, "{\"a\":\"45678901234567\"}", 22, &options,
                                              &err),
                     LW_ERR_LIMIT);
    assert_int_equal(lw_object_from_json_with(&obj, "{\"a\":\"456789012345\"}", 20, &options, &err),
                     LW_OK);
    lw_object_unref(obj);
}

static void lives_as_long_as_a_reference(void **state)
{
    (void)state;
    lw_object *first = object_of(pod);
    lw_object *second = lw_object_ref(first);
    assert_ptr_equal(first, second);
    lw_object_unref(first);
    assert_string_equal(lw_object_name(second), "web-1");
    lw_object_unref(second);
    lw_object_unref(NULL);
}

static void takes_little_more_than_its_json(void **state)
{
    (void)state;
    lw_object *obj = object_of(pod);
    size_t json = lw_object_json(obj).len;
    assert_true(lw_object_memory(obj) > json);
    assert_true(lw_object_memory(obj) < json + 200);
    lw_object_unref(obj);
}

/* Makes an item as the scanner reports it, with |kind| unchanged. */
static lw_scan_item item_of(const char *json, const char *kind)
{
    lw_scan_item item = { .json = lw_str_of(json) };
    const char *at = kind ? strstr(json, kind) : NULL;
    if (at)
        item.kind = (lw_scan_text){ (uint32_t)(at - json), (uint32_t)strlen(kind), true, false };
    return item;
}

static void inherits_its_type_from_a_list(void **state)
{
    (void)state;
    lw_object *obj = NULL;
    lw_scan_item item = item_of("{\"spec\":{}}", NULL);
    assert_int_equal(lw_object__from_list_item(&item, LW_STR("v1"), LW_STR("Pod"), NULL, &obj),
                     LW_OK);
    assert_string_equal(lw_object_api_version(obj), "v1");
    assert_string_equal(lw_object_kind(obj), "Pod");
    assert_str_equal(lw_object_json(obj), "{\"spec\":{}}");
    lw_object_unref(obj);
}

static void half_a_type_is_replaced_as_in_client_go(void **state)
{
    (void)state;
    lw_object *obj = NULL;
    lw_scan_item item = item_of("{\"kind\":\"Odd\"}", "Odd");
    assert_int_equal(lw_object__from_list_item(&item, LW_STR("v1"), LW_STR("Pod"), NULL, &obj),
                     LW_OK);
    assert_string_equal(lw_object_kind(obj), "Pod");
    lw_object_unref(obj);
    assert_int_equal(lw_object__from_item(&item, &obj), LW_OK);
    assert_string_equal(lw_object_kind(obj), "Odd");
    lw_object_unref(obj);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_what_identifies_it),
        TEST(absent_strings_are_empty),
        TEST(decodes_escapes),
        TEST(a_resource_version_that_is_no_number_is_revision_0),
        TEST(key_is_namespace_and_name),
        TEST(labels_are_sorted_whatever_their_order),
        TEST(the_last_of_labels_with_one_key_counts),
        TEST(a_null_label_is_empty),
        TEST(labels_may_hold_nul_bytes),
        TEST(finds_each_of_many_labels_in_reverse_order),
        TEST(drops_managed_fields_unless_asked_to_keep_them),
        TEST(keeps_only_declared_paths),
        TEST(json_is_as_it_came_and_terminated),
        TEST(refuses_what_is_no_object),
        TEST(refuses_more_than_its_size_limit),
        TEST(lives_as_long_as_a_reference),
        TEST(takes_little_more_than_its_json),
        TEST(inherits_its_type_from_a_list),
        TEST(half_a_type_is_replaced_as_in_client_go),
    };
    return cmocka_run_group_tests_name("object", tests, NULL, NULL);
}
