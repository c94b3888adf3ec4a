/* SPDX-License-Identifier: Apache-2.0 */
/* object_field_test.c -- reading any field of an object. */
#include <listwatch/object.h>

#include "base/str.h"
#include "object/object.h"
#include "unit/object/make.h"

static const char pod[] =
    "{\"metadata\":{\"name\":\"a\",\"annotations\":{\"k8s.io/x~y\":\"v\\n1\",\"twice\":\"1\","
    "\"twice\":\"2\",\"number\":3}},\"spec\":{\"nodeName\":\"n\\u0031\",\"replicas\":3,\"big\":"
    "9223372036854775808,\"half\":0.5,\"hostNetwork\":true,\"off\":false,\"nothing\":null,"
    "\"text\":\"7\",\"nul\":\"a\\u0000b\",\"containers\":[{\"image\":\"i0\"},{\"image\":\"i1\"}]}}";

static void strings_are_decoded_and_terminated(void **state)
{
    (void)state;
    lw_object *obj = object_of(pod);
    assert_string_equal(lw_object_string(obj, "/spec/nodeName", "<none>"), "n1");
    assert_string_equal(lw_object_string(obj, "/spec/containers/1/image", "<none>"), "i1");
    lw_object_unref(obj);
}

static void what_is_no_string_gives_the_fallback(void **state)
{
    (void)state;
    static const char *const pointers[] = {
        "/spec/absent", "/spec/replicas", "/spec/nothing",   "/spec/containers", "/spec", "",
        "spec",         "/spec/~2",       "/metadata/name/x"
    };
    lw_object *obj = object_of(pod);
    for (size_t i = 0; i < sizeof(pointers) / sizeof(pointers[0]); i++)
        assert_string_equal(lw_object_string(obj, pointers[i], "<none>"), "<none>");
    assert_null(lw_object_string(obj, "/spec/absent", NULL));
    lw_object_unref(obj);
}

static void another_form_is_kept_once_and_counts(void **state)
{
    (void)state;
    lw_object *obj = object_of(pod);
    lw_str first, second;
    size_t before = lw_object_memory(obj);
    assert_false(lw_object__kept_form(obj, &first));
    assert_int_equal(lw_object__keep_form(obj, LW_STR("a"), lw_str_make("\0b", 2), NULL, &first),
                     LW_OK);
    assert_int_equal(first.len, 3);
    assert_memory_equal(first.ptr, "a\0b", 3);
    assert_true(lw_object_memory(obj) > before);
    assert_string_equal(lw_object_string(obj, "/spec/nodeName", ""), "n1");
    assert_int_equal(lw_object__keep_form(obj, lw_str_of("later"), LW_STR(""), NULL, &second),
                     LW_OK);
    assert_ptr_equal(second.ptr, first.ptr);
    assert_true(lw_object__kept_form(obj, &second));
    assert_ptr_equal(second.ptr, first.ptr);
    lw_object_unref(obj);
}

static void repeated_reads_take_no_memory(void **state)
{
    (void)state;
    lw_object *obj = object_of(pod);
    size_t before = lw_object_memory(obj);
    const char *first = lw_object_string(obj, "/spec/nodeName", "");
    size_t after = lw_object_memory(obj);
    assert_true(after > before);
    const char *other = lw_object_string(obj, "/spec/text", "");
    assert_ptr_not_equal(other, first);
    size_t both = lw_object_memory(obj);
    for (int i = 0; i < 100; i++) {
        assert_ptr_equal(lw_object_string(obj, "/spec/nodeName", ""), first);
        assert_ptr_equal(lw_object_string(obj, "/spec/text", ""), other);
    }
    assert_int_equal(lw_object_memory(obj), both);
    lw_object_unref(obj);
}

static void integers_are_exact_or_absent(void **state)
{
    (void)state;
    lw_object *obj = object_of(pod);
    assert_int_equal(lw_object_int(obj, "/spec/replicas", -1), 3);
    assert_int_equal(lw_object_int(obj, "/spec/big", -1), -1);
    assert_int_equal(lw_object_int(obj, "/spec/half", -1), -1);
    assert_int_equal(lw_object_int(obj, "/spec/text", -1), -1);
    assert_int_equal(lw_object_int(obj, "/spec/hostNetwork", -1), -1);
    assert_int_equal(lw_object_int(obj, "/spec/containers", -1), -1);
    assert_int_equal(lw_object_int(obj, "/absent", INT64_MIN), INT64_MIN);
    lw_object_unref(obj);
}

static void booleans_are_true_false_or_the_fallback(void **state)
{
    (void)state;
    lw_object *obj = object_of(pod);
    assert_true(lw_object_bool(obj, "/spec/hostNetwork", false));
    assert_false(lw_object_bool(obj, "/spec/off", true));
    assert_true(lw_object_bool(obj, "/spec/nothing", true));
    assert_false(lw_object_bool(obj, "/spec/text", false));
    assert_true(lw_object_bool(obj, "/absent", true));
    lw_object_unref(obj);
}

static void strict_reading_says_why_not(void **state)
{
    (void)state;
    lw_object *obj = object_of(pod);
    lw_str text = { NULL, 0 };
    assert_int_equal(lw_object_get_string(obj, "/spec/absent", &text), LW_ERR_NOT_FOUND);
    assert_int_equal(lw_object_get_string(obj, "/spec/replicas", &text), LW_ERR_INVALID);
    assert_int_equal(lw_object_get_string(obj, "no pointer", &text), LW_ERR_INVALID);
    assert_null(text.ptr);
    assert_int_equal(lw_object_get_string(obj, "/spec/nul", &text), LW_OK);
    assert_int_equal(text.len, 3);
    assert_memory_equal(text.ptr, "a\0b", 4);
    lw_object_unref(obj);
}

static void raw_is_the_text_of_a_value(void **state)
{
    (void)state;
    lw_object *obj = object_of(pod);
    lw_str raw;
    assert_int_equal(lw_object_raw(obj, "/spec/containers/0", &raw), LW_OK);
    assert_str_equal(raw, "{\"image\":\"i0\"}");
    assert_int_equal(lw_object_raw(obj, "/spec/nodeName", &raw), LW_OK);
    assert_str_equal(raw, "\"n\\u0031\"");
    assert_int_equal(lw_object_raw(obj, "", &raw), LW_OK);
    assert_true(lw_str_equal(raw, lw_object_json(obj)));
    lw_object_unref(obj);
}

static void pointers_into_spec_are_as_any_other(void **state)
{
    (void)state;
    lw_object *obj = object_of("{\"spec\":{\"a\":1},\"specs\":2,\"\":3,\"spec\":{\"a\":{\"\":4}}}");
    lw_str raw;
    assert_int_equal(lw_object_raw(obj, "/spec", &raw), LW_OK);
    assert_str_equal(raw, "{\"a\":{\"\":4}}");
    assert_int_equal(lw_object_raw(obj, "/spec/a/", &raw), LW_OK);
    assert_str_equal(raw, "4");
    assert_int_equal(lw_object_raw(obj, "/specs", &raw), LW_OK);
    assert_str_equal(raw, "2");
    assert_int_equal(lw_object_raw(obj, "/spec/", &raw), LW_ERR_NOT_FOUND);
    assert_int_equal(lw_object_raw(obj, "/spec/b", &raw), LW_ERR_NOT_FOUND);
    assert_int_equal(lw_object_raw(obj, "/spec/a~2", &raw), LW_ERR_INVALID);
    assert_int_equal(lw_object_raw(obj, "/spec~2", &raw), LW_ERR_INVALID);
    lw_object_unref(obj);
}

static void annotations_are_found_by_plain_key(void **state)
{
    (void)state;
    lw_object *obj = object_of(pod);
    assert_string_equal(lw_object_annotation(obj, "k8s.io/x~y"), "v\n1");
    assert_string_equal(lw_object_annotation(obj, "twice"), "2");
    assert_null(lw_object_annotation(obj, "number"));
    assert_null(lw_object_annotation(obj, "absent"));
    lw_object_unref(obj);
    static const char *const bare[] = { "{}", "{\"metadata\":{}}", "{\"metadata\":null}",
                                        "{\"metadata\":{\"annotations\":null}}",
                                        "{\"metadata\":{\"annotations\":[\"x\"]}}" };
    for (size_t i = 0; i < sizeof(bare) / sizeof(bare[0]); i++) {
        obj = object_of(bare[i]);
        assert_null(lw_object_annotation(obj, "x"));
        lw_object_unref(obj);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(strings_are_decoded_and_terminated),  TEST(what_is_no_string_gives_the_fallback),
        TEST(repeated_reads_take_no_memory),       TEST(another_form_is_kept_once_and_counts),
        TEST(integers_are_exact_or_absent),        TEST(booleans_are_true_false_or_the_fallback),
        TEST(strict_reading_says_why_not),         TEST(raw_is_the_text_of_a_value),
        TEST(pointers_into_spec_are_as_any_other), TEST(annotations_are_found_by_plain_key),
    };
    return cmocka_run_group_tests_name("object_field", tests, NULL, NULL);
}
