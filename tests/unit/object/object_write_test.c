/* SPDX-License-Identifier: Apache-2.0 */
/* object_write_test.c -- an object's JSON with the resourceVersion it gets when it is stored. */
#include "object/object.h"
#include "unit/object/make.h"

/* Documents, and what they are at revision 77. */
static const struct {
    const char *json, *written;
} cases[] = {
    { "{}", "{\"metadata\":{\"resourceVersion\":\"77\"}}" },
    { "{\"a\":1}", "{\"metadata\":{\"resourceVersion\":\"77\"},\"a\":1}" },
    { "{\"metadata\":null}", "{\"metadata\":{\"resourceVersion\":\"77\"}}" },
    { "{\"metadata\":null,\"a\":1}", "{\"metadata\":{\"resourceVersion\":\"77\"},\"a\":1}" },
    { "{\"metadata\":{}}", "{\"metadata\":{\"resourceVersion\":\"77\"}}" },
    { "{\"metadata\":{\"name\":\"x\"}}",
      "{\"metadata\":{\"resourceVersion\":\"77\",\"name\":\"x\"}}" },
    { "{\"metadata\":{\"name\":\"x\",\"resourceVersion\":\"1\",\"uid\":\"u\"}}",
      "{\"metadata\":{\"name\":\"x\",\"resourceVersion\":\"77\",\"uid\":\"u\"}}" },
    { "{\"metadata\":{\"resourceVersion\":\"\"}}", "{\"metadata\":{\"resourceVersion\":\"77\"}}" },
    { "{\"metadata\":{\"resourceVersion\":null,\"name\":\"x\"}}",
      "{\"metadata\":{\"resourceVersion\":\"77\",\"name\":\"x\"}}" },
    { "{\"metadata\":{\"resourceVersion\":\"1\",\"resourceVersion\":\"2\"}}",
      "{\"metadata\":{\"resourceVersion\":\"1\",\"resourceVersion\":\"77\"}}" },
    { "{\"metadata\":{\"resourceVersion\":\"1\"},\"metadata\":{}}",
      "{\"metadata\":{\"resourceVersion\":\"1\"},\"metadata\":{\"resourceVersion\":\"77\"}}" },
    { "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"a\":1}}",
      "{\"metadata\":{\"resourceVersion\":\"77\",\"name\":\"x\"},\"spec\":{\"a\":1}}" },
    { "{\"metadata\":{\"resourceVersion\":\"12345\"},\"spec\":[{}]}",
      "{\"metadata\":{\"resourceVersion\":\"77\"},\"spec\":[{}]}" },
    { "{\"spec\":{\"metadata\":{\"resourceVersion\":\"9\"}},\"metadata\":{\"labels\":{\"a\":\"b\"}}"
      "}",
      "{\"spec\":{\"metadata\":{\"resourceVersion\":\"9\"}},\"metadata\":{\"resourceVersion\":"
      "\"77\","
      "\"labels\":{\"a\":\"b\"}}}" },
};

enum {
    CASES = sizeof(cases) / sizeof(cases[0]),
};

static void blanks_do_not_matter(void **state)
{
    (void)state;
    static const char *const spaced[] = {
        " { } ",
        "{\n\t\"a\" : 1 }",
        "{ \"metadata\" : null }",
        "{ \"metadata\" : { } }",
        "{ \"metadata\" : { \"name\" : \"x\" } }",
        "{ \"metadata\" : {\r\n \"resourceVersion\" : null , \"name\" : \"x\" } }",
        "{ \"metadata\" : { \"resourceVersion\" : \"1\" } }",
    };
    for (size_t i = 0; i < sizeof(spaced) / sizeof(spaced[0]); i++) {
        lw_object *obj = object_of(spaced[i]), *copy = NULL, *again = NULL;
        assert_int_equal(lw_object_with_revision(&copy, obj, 77), LW_OK);
        lw_str json = lw_object_json(copy);
        assert_int_equal(lw_object_from_json(&again, json.ptr, json.len, NULL), LW_OK);
        assert_int_equal(lw_object_revision(again), 77);
        assert_string_equal(lw_object_name(again), lw_object_name(obj));
        lw_object_unref(obj);
        lw_object_unref(copy);
        lw_object_unref(again);
    }
}

static void holds_the_largest_revision(void **state)
{
    (void)state;
    lw_object *obj = object_of("{}"), *copy = NULL;
    assert_int_equal(lw_object_with_revision(&copy, obj, UINT64_MAX), LW_OK);
    assert_str_equal(lw_object_json(copy),
                     "{\"metadata\":{\"resourceVersion\":\"18446744073709551615\"}}");
    lw_object_unref(obj);
    lw_object_unref(copy);
}

static void a_copy_with_a_revision_is_as_if_read_anew(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        lw_object *obj = object_of(cases[i].json), *copy = NULL, *again = NULL;
        assert_int_equal(lw_object_with_revision(&copy, obj, 77), LW_OK);
        lw_object_unref(obj);
        assert_str_equal(lw_object_json(copy), cases[i].written);
        assert_int_equal(lw_object_json(copy).ptr[lw_object_json(copy).len], '\0');
        assert_int_equal(lw_object_revision(copy), 77);
        assert_string_equal(lw_object_resource_version(copy), "77");
        assert_str_equal(lw_object__field(copy, LW_OBJECT_RESOURCE_VERSION), "77");

        /* Where the revision and the metadata are must be known of the copy, too. */
        obj = object_of(cases[i].written);
        assert_int_equal(copy->splice, obj->splice);
        assert_int_equal(copy->splice_at, obj->splice_at);
        assert_int_equal(copy->splice_cut, obj->splice_cut);
        assert_int_equal(copy->metadata_at, obj->metadata_at);
        assert_int_equal(copy->spec_at, obj->spec_at);
        assert_int_equal(lw_object_with_revision(&again, copy, 123456789), LW_OK);
        assert_string_equal(lw_object_resource_version(again), "123456789");
        lw_object_unref(obj);
        lw_object_unref(copy);
        lw_object_unref(again);
    }
}

static void a_copy_keeps_identity_and_labels(void **state)
{
    (void)state;
    static const uint64_t revisions[] = { 1, 4711, UINT64_MAX };
    for (size_t i = 0; i < 3; i++) {
        lw_object *copy = NULL;
        lw_object *obj = object_of("{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":"
                                   "\"a\",\"namespace\":\"\\u006es\",\"uid\":\"u\",\"labels\":{"
                                   "\"b\":\"2\",\"a\":\"\\u0031\"},\"resourceVersion\":\"815\","
                                   "\"annotations\":{\"x\":\"y\"}}}");
        assert_int_equal(lw_object_with_revision(&copy, obj, revisions[i]), LW_OK);
        lw_object_unref(obj);
        assert_string_equal(lw_object_kind(copy), "Pod");
        assert_string_equal(lw_object_api_version(copy), "v1");
        assert_string_equal(lw_object_namespace(copy), "ns");
        assert_string_equal(lw_object_name(copy), "a");
        assert_string_equal(lw_object_uid(copy), "u");
        assert_true(lw_object_revision(copy) == revisions[i]);
        assert_int_equal(lw_object_label_count(copy), 2);
        assert_string_equal(lw_object_label(copy, "a"), "1");
        assert_string_equal(lw_object_label(copy, "b"), "2");
        assert_string_equal(lw_object_annotation(copy, "x"), "y");
        lw_object_unref(copy);
    }
}

/* What |json| is with |revision| in the place of its own. */
static void check_appended(const char *json, const char *revision, const char *expected)
{
    lw_buf out;
    lw_object *obj = object_of(json);
    lw_buf_init(&out, 1000);
    lw_object__append_with_revision(obj, lw_str_of(revision), &out);
    assert_str_equal(lw_buf_view(&out), expected);
    lw_buf_done(&out);
    lw_object_unref(obj);
}

static void a_revision_is_replaced_or_left_out(void **state)
{
    (void)state;
    static const char between[] =
        "{\"metadata\":{\"uid\":\"u\",\"resourceVersion\":\"\",\"generation\":1}}";
    check_appended(between, "12",
                   "{\"metadata\":{\"uid\":\"u\",\"resourceVersion\":\"12\",\"generation\":1}}");
    check_appended(between, "\"",
                   "{\"metadata\":{\"uid\":\"u\",\"resourceVersion\":\"\\\"\",\"generation\":1}}");
    check_appended(between, "", "{\"metadata\":{\"uid\":\"u\",\"generation\":1}}");
    check_appended("{\"metadata\":{\"resourceVersion\":\"7\",\"generation\":1}}", "",
                   "{\"metadata\":{\"generation\":1}}");
    check_appended("{\"metadata\":{\"resourceVersion\":\"7\"},\"a\":1}", "",
                   "{\"metadata\":{},\"a\":1}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(blanks_do_not_matter),
        TEST(holds_the_largest_revision),
        TEST(a_copy_with_a_revision_is_as_if_read_anew),
        TEST(a_copy_keeps_identity_and_labels),
        TEST(a_revision_is_replaced_or_left_out),
    };
    return cmocka_run_group_tests_name("object_write", tests, NULL, NULL);
}
