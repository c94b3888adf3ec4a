/* SPDX-License-Identifier: Apache-2.0 */
/* structural_test.c -- what schemas may say, and what they do to objects. */
#include "schema/structural/structural.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "unit/test.h"

/* The faults as "field: message" with "; " between. */
static void list_faults(const lw_api_status *faults, char *out, size_t size)
{
    size_t len = 0;
    out[0] = '\0';
    assert_int_equal(faults->st, LW_OK);
    for (size_t i = 0; i < faults->cause_count && len < size; i++) {
        lw_str field = lw_api_status_str(faults, faults->causes[i].field);
        lw_str message = lw_api_status_str(faults, faults->causes[i].message);
        len += (size_t)snprintf(out + len, size - len, "%s%.*s: %.*s", i > 0 ? "; " : "",
                                LW_STR_ARG(field), LW_STR_ARG(message));
    }
}

static lw_tree *parse(const char *json)
{
    lw_tree *tree = NULL;
    lw_error err = LW_ERROR_INIT;
    if (lw_tree_parse(&tree, lw_str_of(json), 0, &err) < 0)
        fail_msg("%s: %s", json, err.message);
    return tree;
}

static lw_structural *compile(const char *json, const char *expected_faults)
{
    char said[8192];
    lw_api_status faults;
    lw_structural *schema = NULL;
    lw_tree *tree = parse(json);
    lw_api_status_init(&faults);
    assert_int_equal(lw_structural_new(&schema, lw_tree_root(tree), LW_STR("s"), &faults), LW_OK);
    list_faults(&faults, said, sizeof(said));
    assert_string_equal(said, expected_faults);
    lw_api_status_done(&faults);
    lw_tree_free(tree);
    return schema;
}

static void assert_compiles(const char *json, const char *faults)
{
    lw_structural_free(compile(json, faults));
}

/* |json| pruned and filled in becomes |shaped|. */
static void assert_shaped(const char *schema_json, const char *json, const char *shaped)
{
    lw_structural *schema = compile(schema_json, "");
    lw_tree *tree = parse(json);
    lw_buf out;
    lw_json_writer w;
    lw_structural_prune(schema, lw_tree_root(tree));
    lw_structural_default(schema, tree, lw_tree_root(tree));
    lw_buf_init(&out, 1 << 20);
    lw_json_writer_init(&w, &out, LW_JSON_COMPACT);
    lw_node_write(lw_tree_root(tree), &w);
    assert_str_equal(lw_buf_view(&out), shaped);
    lw_buf_done(&out);
    lw_tree_free(tree);
    lw_structural_free(schema);
}

static void assert_judged(const char *spec_schema, const char *spec, const char *expected)
{
    char schema_json[4096], json[4096], said[8192];
    (void)snprintf(schema_json, sizeof(schema_json),
                   "{\"type\":\"object\",\"properties\":{\"spec\":%s}}", spec_schema);
    (void)snprintf(json, sizeof(json), "{\"spec\":%s}", spec);
    lw_structural *schema = compile(schema_json, "");
    lw_tree *tree = parse(json);
    lw_api_status faults;
    lw_api_status_init(&faults);
    lw_structural_validate(schema, lw_tree_root(tree), NULL, NULL, &faults);
    list_faults(&faults, said, sizeof(said));
    assert_string_equal(said, expected);
    lw_api_status_done(&faults);
    lw_tree_free(tree);
    lw_structural_free(schema);
}

static void a_type_is_required_everywhere(void **state)
{
    (void)state;
    assert_compiles("{\"type\":\"object\"}", "");
    assert_compiles("{}", "s.type: Required value: must not be empty at the root");
    assert_compiles("{\"type\":\"object\",\"x-kubernetes-map-type\":\"atomic\"}", "");
    assert_compiles("{\"type\":\"object\",\"x-kubernetes-map-type\":\"odd\"}",
                    "s.x-kubernetes-map-type: Unsupported value: \"odd\": supported values: "
                    "\"atomic\", \"granular\"");
    assert_compiles("{\"type\":\"string\"}",
                    "s.type: Invalid value: \"string\": must be object at the root");
    assert_compiles("{\"type\":\"object\",\"properties\":{\"a\":{}}}",
                    "s.properties[a].type: Required value: must not be empty for specified object "
                    "fields");
    assert_compiles("{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"array\","
                    "\"items\":{}}}}",
                    "s.properties[a].items.type: Required value: must not be empty for specified "
                    "array items");
    assert_compiles("{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\","
                    "\"x-kubernetes-int-or-string\":true}}}",
                    "");
    assert_compiles("{\"type\":\"object\",\"properties\":{\"a\":{\"x-kubernetes-int-or-string\":"
                    "true},\"b\":{\"x-kubernetes-preserve-unknown-fields\":true}}}",
                    "");
}

static void what_is_not_structural_is_refused(void **state)
{
    (void)state;
    assert_compiles("{\"type\":\"object\",\"$ref\":\"#/definitions/a\"}",
                    "s.$ref: Forbidden: $ref is not supported");
    assert_compiles("{\"type\":\"object\",\"not\":{\"x-kubernetes-validations\":[]}}",
                    "s.not.x-kubernetes-validations: Forbidden: must be undefined to be "
                    "structural");
    assert_compiles("{\"type\":\"object\",\"anyOf\":[{\"type\":\"object\"}]}",
                    "s.anyOf[0].type: Forbidden: must be empty to be structural");
    assert_compiles("{\"type\":\"object\",\"not\":{\"default\":1}}",
                    "s.not.default: Forbidden: must be undefined to be structural");
    assert_compiles("{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}},"
                    "\"additionalProperties\":{\"type\":\"string\"}}",
                    "s.additionalProperties: Forbidden: additionalProperties and properties are "
                    "mutual exclusive");
    assert_compiles("{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"pattern\":"
                    "\"(\"}}}",
                    "s.properties[a].pattern: Invalid value: \"(\": group is not closed at "
                    "byte 1");
    assert_compiles("{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"array\",\"items\":{"
                    "\"type\":\"string\"},\"uniqueItems\":true}}}",
                    "s.properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true "
                    "since the runtime complexity becomes quadratic");
}

static void absurd_depth_is_refused(void **state)
{
    enum {
        DEPTH = 150
    };
    char json[DEPTH * 40];
    size_t len = 0;
    lw_structural *schema = NULL;
    lw_api_status faults;
    (void)state;
    for (int i = 0; i < DEPTH; i++)
        len += (size_t)snprintf(json + len, sizeof(json) - len, "{\"type\":\"array\",\"items\":");
    len += (size_t)snprintf(json + len, sizeof(json) - len, "{\"type\":\"string\"}");
    for (int i = 0; i < DEPTH; i++)
        json[len++] = '}';
    json[len] = '\0';
    lw_tree *tree = parse(json);
    lw_api_status_init(&faults);
    assert_int_equal(lw_structural_new(&schema, lw_tree_root(tree), LW_STR("s"), &faults),
                     LW_ERR_LIMIT);
    lw_api_status_done(&faults);
    lw_tree_free(tree);
}

static const char tree_schema[] =
    "{\"type\":\"object\",\"properties\":{\"spec\":{\"type\":\"object\",\"properties\":{"
    "\"size\":{\"type\":\"integer\",\"default\":3},"
    "\"note\":{\"type\":\"string\",\"nullable\":true},"
    "\"part\":{\"type\":\"object\",\"default\":{},\"properties\":{\"on\":{\"type\":\"boolean\","
    "\"default\":true}}},"
    "\"free\":{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true,\"properties\":{"
    "\"known\":{\"type\":\"object\"}}},"
    "\"map\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"object\",\"properties\":{"
    "\"a\":{\"type\":\"string\",\"default\":\"x\"}}}},"
    "\"list\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":"
    "\"integer\",\"default\":1}}}},"
    "\"inner\":{\"type\":\"object\",\"x-kubernetes-embedded-resource\":true,"
    "\"properties\":{\"spec\":{\"type\":\"object\"}}}}}}}";

static void what_is_not_known_is_dropped(void **state)
{
    (void)state;
    assert_shaped(tree_schema,
                  "{\"apiVersion\":\"v1\",\"kind\":\"K\",\"metadata\":{\"name\":\"n\"},\"x\":1,"
                  "\"spec\":{\"size\":1,\"part\":{\"on\":false,\"y\":2},\"z\":[]}}",
                  "{\"apiVersion\":\"v1\",\"kind\":\"K\",\"metadata\":{\"name\":\"n\"},"
                  "\"spec\":{\"size\":1,\"part\":{\"on\":false}}}");
    assert_shaped(tree_schema,
                  "{\"spec\":{\"size\":1,\"part\":{\"on\":true},\"free\":{\"q\":{\"r\":1},"
                  "\"known\":{\"gone\":1}},\"inner\":{\"kind\":\"A\",\"apiVersion\":\"b\","
                  "\"metadata\":{},\"other\":1,\"spec\":{\"p\":1}}}}",
                  "{\"spec\":{\"size\":1,\"part\":{\"on\":true},\"free\":{\"q\":{\"r\":1},"
                  "\"known\":{}},\"inner\":{\"kind\":\"A\",\"apiVersion\":\"b\","
                  "\"metadata\":{},\"spec\":{}}}}");
}

static void what_is_absent_or_null_is_filled_in(void **state)
{
    (void)state;
    assert_shaped(tree_schema, "{}", "{}");
    assert_shaped(tree_schema, "{\"spec\":{}}", "{\"spec\":{\"part\":{\"on\":true},\"size\":3}}");
    assert_shaped(tree_schema, "{\"spec\":{\"size\":null,\"note\":null,\"part\":{}}}",
                  "{\"spec\":{\"note\":null,\"part\":{\"on\":true},\"size\":3}}");
    assert_shaped(tree_schema,
                  "{\"spec\":{\"size\":1,\"part\":{\"on\":true},\"map\":{\"k\":{\"b\":1}},"
                  "\"list\":[{},{\"a\":2}]}}",
                  "{\"spec\":{\"size\":1,\"part\":{\"on\":true},\"map\":{\"k\":{\"a\":\"x\"}},"
                  "\"list\":[{\"a\":1},{\"a\":2}]}}");
}

static void types_are_checked(void **state)
{
    (void)state;
    assert_judged("{\"type\":\"integer\"}", "3", "");
    assert_judged("{\"type\":\"integer\"}", "3.0", "");
    assert_judged("{\"type\":\"integer\"}", "3.5",
                  "spec: Invalid value: \"number\": spec in body must be of type integer: "
                  "\"number\"");
    assert_judged("{\"type\":\"integer\"}", "\"a\"",
                  "spec: Invalid value: \"string\": spec in body must be of type integer: "
                  "\"string\"");
    assert_judged("{\"type\":\"string\"}", "null",
                  "spec: Invalid value: \"null\": spec in body must be of type string: \"null\"");
    assert_judged("{\"type\":\"string\",\"nullable\":true}", "null", "");
    assert_judged("{\"x-kubernetes-int-or-string\":true}", "\"50%\"", "");
    assert_judged("{\"x-kubernetes-int-or-string\":true}", "true",
                  "spec: Invalid value: \"boolean\": spec in body must be of type integer,string: "
                  "\"boolean\"");
}

static void values_are_checked(void **state)
{
    (void)state;
    assert_judged("{\"type\":\"integer\",\"minimum\":1,\"maximum\":5,\"exclusiveMaximum\":true}",
                  "0", "spec: Invalid value: 0: spec in body should be greater than or equal to 1");
    assert_judged("{\"type\":\"integer\",\"minimum\":1,\"maximum\":5,\"exclusiveMaximum\":true}",
                  "5", "spec: Invalid value: 5: spec in body should be less than 5");
    assert_judged("{\"type\":\"number\",\"multipleOf\":0.1}", "0.25",
                  "spec: Invalid value: 0.25: spec in body should be a multiple of 0.1");
    assert_judged(
        "{\"type\":\"string\",\"minLength\":2,\"maxLength\":3}", "\"\xc3\xa9\"",
        "spec: Invalid value: \"\xc3\xa9\": spec in body should be at least 2 chars long");
    assert_judged("{\"type\":\"string\",\"minLength\":2,\"maxLength\":3}", "\"abcd\"",
                  "spec: Too long: may not be more than 3 bytes");
    assert_judged("{\"type\":\"string\",\"enum\":[\"a\",\"b\"]}", "\"c\"",
                  "spec: Unsupported value: \"c\": supported values: \"a\", \"b\"");
    assert_judged("{\"type\":\"integer\",\"enum\":[1,2]}", "2", "");
    assert_judged("{\"type\":\"string\",\"pattern\":\"^[a-z]+$\"}", "\"A\"",
                  "spec: Invalid value: \"A\": spec in body should match '^[a-z]+$'");
    assert_judged("{\"type\":\"string\",\"format\":\"date-time\"}", "\"2026-11-15T01:49:24Z\"", "");
    assert_judged("{\"type\":\"string\",\"format\":\"date-time\"}", "\"soon\"",
                  "spec: Invalid value: \"soon\": spec in body must be of type date-time: "
                  "\"soon\"");
    assert_judged("{\"type\":\"string\",\"format\":\"no-such\"}", "\"soon\"", "");
}

static void members_and_elements_are_checked(void **state)
{
    const char *object = "{\"type\":\"object\",\"required\":[\"a\",\"b\"],\"properties\":{\"a\":{"
                         "\"type\":\"string\"},\"b\":{\"type\":\"array\",\"maxItems\":1,"
                         "\"minItems\":1,\"items\":{\"type\":\"integer\"}}}}";
    (void)state;
    assert_judged(object, "{}", "spec.a: Required value; spec.b: Required value");
    assert_judged(object, "{\"a\":\"x\",\"b\":[1,\"y\"]}",
                  "spec.b: Too many: 2: must have at most 1 items; spec.b[1]: Invalid value: "
                  "\"string\": spec.b[1] in body must be of type integer: \"string\"");
    assert_judged(object, "{\"a\":\"x\",\"b\":[]}",
                  "spec.b: Invalid value: 0: spec.b in body should have at least 1 items");
    assert_judged("{\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\"}}",
                  "{\"k\":\"v\"}",
                  "spec.k: Invalid value: \"string\": spec.k in body must be of type integer: "
                  "\"string\"");
}

static void sets_and_maps_have_each_element_once(void **state)
{
    (void)state;
    assert_judged("{\"type\":\"array\",\"x-kubernetes-list-type\":\"set\",\"items\":{\"type\":"
                  "\"string\"}}",
                  "[\"a\",\"b\",\"a\"]", "spec[2]: Duplicate value: \"a\"");
    assert_judged("{\"type\":\"array\",\"x-kubernetes-list-type\":\"map\","
                  "\"x-kubernetes-list-map-keys\":[\"n\"],\"items\":{\"type\":\"object\","
                  "\"properties\":{\"n\":{\"type\":\"string\"},\"v\":{\"type\":\"string\"}}}}",
                  "[{\"n\":\"a\",\"v\":\"1\"},{\"n\":\"b\"},{\"n\":\"a\",\"v\":\"2\"}]",
                  "spec[2]: Duplicate value: {\"n\":\"a\"}");
}

static void alternatives_are_checked(void **state)
{
    const char *any = "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"},\"b\":{"
                      "\"type\":\"string\"}},\"anyOf\":[{\"required\":[\"a\"]},{\"required\":"
                      "[\"b\"]}]}";
    const char *one = "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"},\"b\":{"
                      "\"type\":\"string\"}},\"oneOf\":[{\"required\":[\"a\"]},{\"required\":"
                      "[\"b\"]}]}";
    (void)state;
    assert_judged(any, "{\"a\":\"x\",\"b\":\"y\"}", "");
    assert_judged(any, "{}",
                  "<nil>: Invalid value: \"\": \"spec\" must validate at least one schema (anyOf); "
                  "spec.a: Required value");
    assert_judged(one, "{}",
                  "<nil>: Invalid value: \"\": \"spec\" must validate one and only one schema "
                  "(oneOf). Found none valid; spec.a: Required value");
    assert_judged(one, "{\"b\":\"y\"}", "");
    assert_judged(one, "{\"a\":\"x\",\"b\":\"y\"}",
                  "<nil>: Invalid value: \"\": \"spec\" must validate one and only one schema "
                  "(oneOf). Found 2 valid alternatives");
    assert_judged("{\"type\":\"string\",\"not\":{\"enum\":[\"no\"]}}", "\"no\"",
                  "<nil>: Invalid value: \"\": \"spec\" must not validate the schema (not)");
    assert_judged("{\"type\":\"integer\",\"allOf\":[{\"minimum\":2},{\"maximum\":1}]}", "3",
                  "spec: Invalid value: 3: spec in body should be less than or equal to 1; <nil>: "
                  "Invalid value: \"\": \"spec\" must validate all the schemas (allOf)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_type_is_required_everywhere),
        TEST(what_is_not_structural_is_refused),
        TEST(absurd_depth_is_refused),
        TEST(what_is_not_known_is_dropped),
        TEST(what_is_absent_or_null_is_filled_in),
        TEST(types_are_checked),
        TEST(values_are_checked),
        TEST(members_and_elements_are_checked),
        TEST(sets_and_maps_have_each_element_once),
        TEST(alternatives_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
