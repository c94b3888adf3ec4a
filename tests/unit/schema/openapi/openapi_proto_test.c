/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_proto_test.c -- OpenAPI 2.0 in protobuf, byte by byte. */
#include "schema/openapi/openapi_proto.h"

#include <stdio.h>

#include "base/str.h"
#include "unit/test.h"

/* Fails unless |json| becomes |bytes|, written as text with \x escapes. */
static void assert_proto_len(const char *json, const char *bytes, size_t len)
{
    lw_buf out, shown;
    lw_buf_init(&out, 1 << 20);
    lw_buf_init(&shown, 1 << 20);
    assert_int_equal(lw_openapi_append_proto(lw_str_of(json), &out), LW_OK);
    if (!lw_str_equal(lw_buf_view(&out), lw_str_make(bytes, len))) {
        for (size_t i = 0; i < out.len; i++)
            lw_buf_printf(&shown, "%02x ", (unsigned char)out.data[i]);
        fail_msg("%s became %.*s", json, LW_STR_ARG(lw_buf_view(&shown)));
    }
    lw_buf_done(&shown);
    lw_buf_done(&out);
}

#define assert_proto(json, bytes) assert_proto_len((json), (bytes), sizeof(bytes) - 1)

#define SCHEMA(members)           "{\"definitions\":{\"A\":{" members "}}}"

static void texts_and_messages(void **state)
{
    (void)state;
    assert_proto("{}", "");
    assert_proto("{\"swagger\":\"2.0\"}", "\x0a\x03"
                                          "2.0");
    assert_proto("{\"info\":{\"title\":\"K\",\"version\":\"1\"}}", "\x12\x06\x0a\x01K\x12\x01"
                                                                   "1");
    assert_proto("{\"swagger\":\"a\\n\\u0041\"}", "\x0a\x03"
                                                  "a\nA");
}

static void schemas_are_entries_with_a_name(void **state)
{
    (void)state;
    assert_proto(SCHEMA(""), "\x4a\x07\x0a\x05\x0a\x01"
                             "A\x12\x00");
    assert_proto(SCHEMA("\"$ref\":\"x\""), "\x4a\x0a\x0a\x08\x0a\x01"
                                           "A\x12\x03\x0a\x01x");
}

/* type 22.1, items 23.1, properties 25.1, additionalProperties 21.1 or 21.2 */
static void values_stand_inside_of_messages_that_json_does_not_have(void **state)
{
    (void)state;
    assert_proto(SCHEMA("\"type\":\"a\""), "\x4a\x0d\x0a\x0b\x0a\x01"
                                           "A\x12\x06\xb2\x01\x03\x0a\x01"
                                           "a");
    assert_proto(SCHEMA("\"items\":{\"format\":\"b\"}"), "\x4a\x0f\x0a\x0d\x0a\x01"
                                                         "A\x12\x08\xba\x01\x05\x0a\x03\x12\x01"
                                                         "b");
    assert_proto(SCHEMA("\"properties\":{\"p\":{\"title\":\"t\"}}"),
                 "\x4a\x14\x0a\x12\x0a\x01"
                 "A\x12\x0d\xca\x01\x0a\x0a\x08\x0a\x01p\x12\x03\x1a\x01t");
    assert_proto(SCHEMA("\"additionalProperties\":{\"title\":\"t\"}"),
                 "\x4a\x0f\x0a\x0d\x0a\x01"
                 "A\x12\x08\xaa\x01\x05\x0a\x03\x1a\x01t");
    assert_proto(SCHEMA("\"additionalProperties\":true"), "\x4a\x0c\x0a\x0a\x0a\x01"
                                                          "A\x12\x05\xaa\x01\x02\x10\x01");
}

static void numbers_and_lists(void **state)
{
    (void)state;
    assert_proto(SCHEMA("\"minimum\":1"), "\x4a\x10\x0a\x0e\x0a\x01"
                                          "A\x12\x09\x49\x00\x00\x00\x00\x00\x00\xf0\x3f");
    assert_proto(SCHEMA("\"maxLength\":300"), "\x4a\x0a\x0a\x08\x0a\x01"
                                              "A\x12\x03\x58\xac\x02");
    assert_proto(SCHEMA("\"required\":[\"a\",\"b\"]"), "\x4a\x0f\x0a\x0d\x0a\x01"
                                                       "A\x12\x08\x9a\x01\x01"
                                                       "a\x9a\x01\x01"
                                                       "b");
}

static void extensions_and_defaults_are_yaml(void **state)
{
    (void)state;
    assert_proto(SCHEMA("\"x-a\":[1]"), "\x4a\x16\x0a\x14\x0a\x01"
                                        "A\x12\x0f\xfa\x01\x0c\x0a\x03x-a\x12\x05\x12\x03[1]");
    assert_proto(SCHEMA("\"default\":\"b\""), "\x4a\x0e\x0a\x0c\x0a\x01"
                                              "A\x12\x07\x2a\x05\x12\x03\"b\"");
}

/* paths 8.2, parameters 9.1: a body 1, others 2: in the query 3, in the path 4 */
static void parameters_are_told_apart_by_where_they_stand(void **state)
{
    (void)state;
#define PARAMETER(text) "{\"paths\":{\"/\":{\"parameters\":[" text "]}}}"
    assert_proto(PARAMETER("{\"name\":\"n\",\"in\":\"body\"}"),
                 "\x42\x16\x12\x14\x0a\x01/\x12\x0f\x4a\x0d\x0a\x0b\x0a\x09\x12\x01n\x1a\x04"
                 "body");
    assert_proto(PARAMETER("{\"in\":\"path\"}"),
                 "\x42\x15\x12\x13\x0a\x01/\x12\x0e\x4a\x0c\x0a\x0a\x12\x08\x22\x06\x12\x04"
                 "path");
}

static void parameters_may_be_shared(void **state)
{
    (void)state;
    assert_proto(PARAMETER("{\"$ref\":\"x\"}"), "\x42\x0e\x12\x0c\x0a\x01/\x12\x07\x4a\x05\x12\x03"
                                                "\x0a\x01x");
    assert_proto("{\"parameters\":{\"p\":{\"in\":\"path\"}}}",
                 "\x52\x11\x0a\x0f\x0a\x01p\x12\x0a\x12\x08\x22\x06\x12\x04"
                 "path");
}

static void what_is_no_part_of_it_is_left_out(void **state)
{
    (void)state;
    assert_proto(SCHEMA("\"nullable\":true,\"oneOf\":[{}],\"title\":\"t\""),
                 "\x4a\x0a\x0a\x08\x0a\x01"
                 "A\x12\x03\x1a\x01t");
    assert_proto(SCHEMA("\"type\":5,\"items\":[],\"required\":\"a\",\"title\":\"t\""),
                 "\x4a\x0a\x0a\x08\x0a\x01"
                 "A\x12\x03\x1a\x01t");
}

static void long_messages_have_long_lengths(void **state)
{
    char json[400], bytes[400];
    (void)state;
    (void)snprintf(json, sizeof(json), "{\"info\":{\"title\":\"%0200d\"}}", 0);
    int len = snprintf(bytes, sizeof(bytes), "\x12\xcb\x01\x0a\xc8\x01%0200d", 0);
    assert_proto_len(json, bytes, (size_t)len);
}

static void a_document_that_is_too_large_is_refused(void **state)
{
    lw_buf out;
    (void)state;
    lw_buf_init(&out, 8);
    assert_int_equal(lw_openapi_append_proto(LW_STR(SCHEMA("\"title\":\"t\"")), &out),
                     LW_ERR_LIMIT);
    lw_buf_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_and_messages),
        cmocka_unit_test(schemas_are_entries_with_a_name),
        cmocka_unit_test(values_stand_inside_of_messages_that_json_does_not_have),
        cmocka_unit_test(numbers_and_lists),
        cmocka_unit_test(extensions_and_defaults_are_yaml),
        cmocka_unit_test(parameters_are_told_apart_by_where_they_stand),
        cmocka_unit_test(parameters_may_be_shared),
        cmocka_unit_test(what_is_no_part_of_it_is_left_out),
        cmocka_unit_test(long_messages_have_long_lengths),
        cmocka_unit_test(a_document_that_is_too_large_is_refused),
    };
    return cmocka_run_group_tests_name("openapi_proto", tests, NULL, NULL);
}
