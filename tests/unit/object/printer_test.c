/* SPDX-License-Identifier: Apache-2.0 */
/* printer_test.c -- objects laid out for people. */
#include <listwatch/printer.h>

#include <listwatch/object_list.h>

#include "base/buf.h"
#include "base/error.h"
#include "unit/object/make.h"

static lw_status collect(const char *bytes, size_t len, void *arg, lw_error *err)
{
    (void)err;
    lw_buf_append(arg, bytes, len);
    return LW_OK;
}

/* Expects what the items of the list |json| look like. */
static void expect_print(lw_print_format format, bool as_list, const char *json,
                         const char *expected)
{
    lw_buf text;
    lw_printer *printer = NULL;
    lw_object_list *list = NULL;
    lw_buf_init(&text, 10000);
    const lw_printer_options options = {
        .format = format, .write = collect, .arg = &text, .as_list = as_list
    };
    assert_int_equal(lw_object_list_from_json(&list, json, strlen(json), NULL, NULL), LW_OK);
    assert_int_equal(lw_printer_new(&printer, &options, NULL), LW_OK);
    for (size_t i = 0; i < lw_object_list_count(list); i++)
        assert_int_equal(lw_printer_object(printer, lw_object_list_at(list, i), NULL), LW_OK);
    assert_int_equal(lw_printer_finish(printer, NULL), LW_OK);
    assert_str_equal(lw_buf_view(&text), expected);
    lw_printer_free(printer);
    lw_object_list_free(list);
    lw_buf_done(&text);
}

static const char two[] = "{\"items\":[{\"kind\":\"A\"},{\"kind\":\"B\"}]}";

static void json_objects_stand_by_themselves(void **state)
{
    (void)state;
    expect_print(LW_PRINT_JSON, false, two, "{\n  \"kind\": \"A\"\n}\n{\n  \"kind\": \"B\"\n}\n");
    expect_print(LW_PRINT_JSON, false, "{\"items\":[]}", "");
}

static void json_list_is_one_document(void **state)
{
    (void)state;
    expect_print(LW_PRINT_JSON, true, two,
                 "{\n  \"apiVersion\": \"v1\",\n  \"items\": [\n    {\n      \"kind\": \"A\"\n    "
                 "},\n    {\n      \"kind\": \"B\"\n    }\n  ],\n  \"kind\": \"List\",\n  "
                 "\"metadata\": {\n    \"resourceVersion\": \"\"\n  }\n}\n");
    expect_print(LW_PRINT_JSON, true, "{\"items\":[]}",
                 "{\n  \"apiVersion\": \"v1\",\n  \"items\": [],\n  \"kind\": \"List\",\n  "
                 "\"metadata\": {\n    \"resourceVersion\": \"\"\n  }\n}\n");
}

static void yaml_objects_are_separate_documents(void **state)
{
    (void)state;
    expect_print(LW_PRINT_YAML, false, two, "kind: A\n---\nkind: B\n");
}

static void yaml_list_is_one_document(void **state)
{
    (void)state;
    expect_print(LW_PRINT_YAML, true, two,
                 "apiVersion: v1\nitems:\n- kind: A\n- kind: B\nkind: List\nmetadata:\n  "
                 "resourceVersion: \"\"\n");
    expect_print(LW_PRINT_YAML, true, "{\"items\":[]}",
                 "apiVersion: v1\nitems: []\nkind: List\nmetadata:\n  resourceVersion: \"\"\n");
}

static void a_type_from_the_list_is_printed(void **state)
{
    (void)state;
    expect_print(LW_PRINT_YAML, false,
                 "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[{\"a\":1},{}]}",
                 "apiVersion: v1\nkind: Pod\na: 1\n---\napiVersion: v1\nkind: Pod\n");
}

static lw_status refuse(const char *bytes, size_t len, void *arg, lw_error *err)
{
    (void)bytes;
    (void)len;
    (void)arg;
    return lw_error_set(err, LW_ERR_IO, "disk full");
}

static void a_failing_writer_is_heard(void **state)
{
    (void)state;
    lw_printer *printer = NULL;
    lw_error err = LW_ERROR_INIT;
    const lw_printer_options options = { .format = LW_PRINT_JSON, .write = refuse };
    lw_object *obj = object_of("{}");
    assert_int_equal(lw_printer_new(&printer, &options, NULL), LW_OK);
    assert_int_equal(lw_printer_object(printer, obj, &err), LW_ERR_IO);
    assert_string_equal(err.message, "disk full");
    lw_printer_free(printer);
    lw_object_unref(obj);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(json_objects_stand_by_themselves),    TEST(json_list_is_one_document),
        TEST(yaml_objects_are_separate_documents), TEST(yaml_list_is_one_document),
        TEST(a_type_from_the_list_is_printed),     TEST(a_failing_writer_is_heard),
    };
    return cmocka_run_group_tests_name("printer", tests, NULL, NULL);
}
