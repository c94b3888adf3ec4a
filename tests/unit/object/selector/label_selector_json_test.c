/* SPDX-License-Identifier: Apache-2.0 */
/* label_selector_json_test.c -- label selectors from the LabelSelector structure; the tables were
 * checked against k8s.io/apimachinery v0.36. */
#include <listwatch/label_selector.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "unit/object/selector_texts.h"
#include "unit/test.h"

typedef struct text_case {
    const char *json;
    const char *expected;
} text_case;

/* clang-format off */
static const text_case printed[] = {
    { "null", "" },
    { " null ", "" },
    { "{}", "" },
    { "{\"matchLabels\":{}}", "" },
    { "{\"matchLabels\":null,\"matchExpressions\":null}", "" },
    { "{\"matchExpressions\":[]}", "" },
    { "{\"matchLabels\":{\"b\":\"2\",\"a\":\"1\"}}", "a=1,b=2" },
    { "{\"matchLabels\":{\"a\":\"\"}}", "a=" },
    { "{\"matchLabels\":{\"a\":\"1\",\"a\":\"2\"}}", "a=2" },
    { "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\",\"values\":[\"c\",\"b\"]}]}", "a in (b,c)" },
    { "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\",\"values\":[\"b\",\"b\"]}]}", "a in (b,b)" },
    { "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"NotIn\",\"values\":[\"b\"]},{\"key\":\"c\",\"operator\":\"Exists\"},{\"key\":\"d\",\"operator\":\"DoesNotExist\",\"values\":[]}]}", "a notin (b),c,!d" },
    { "{\"matchLabels\":{\"z\":\"1\"},\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Exists\",\"values\":null}]}", "a,z=1" },
    { "{\"matchLabels\":{\"\\u0061pp\":\"w\\u0065b\"}}", "app=web" },
    { "{\"other\":1,\"matchLabels\":{\"a\":\"b\"}}", "a=b" },
};

static const text_case refused[] = {
    { "{\"matchLabels\":{\"-\":\"b\"}}", "key: Invalid value: \"-\": name part " KEY_TEXT },
    { "{\"matchLabels\":{\"a\":\"-\"}}", "values[0][a]: Invalid value: \"-\": " VALUE_TEXT },
    { "{\"matchLabels\":{\"-\":\"-\"}}", "[key: Invalid value: \"-\": name part " KEY_TEXT ", values[0][-]: Invalid value: \"-\": " VALUE_TEXT "]" },
    { "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\"}]}", "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty" },
    { "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"NotIn\",\"values\":[]}]}", "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty" },
    { "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Exists\",\"values\":[\"x\",\"<\"]}]}", "[values: Invalid value: [\"x\",\"\\u003c\"]: values set must be empty for exists and does not exist, values[1][a]: Invalid value: \"<\": " VALUE_TEXT "]" },
    { "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Gt\",\"values\":[\"1\"]}]}", "\"Gt\" is not a valid label selector operator" },
    { "{\"matchExpressions\":[{\"key\":\"a\"}]}", "\"\" is not a valid label selector operator" },
    { "{\"matchExpressions\":[{}]}", "\"\" is not a valid label selector operator" },
    { "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\",\"values\":[\"z\",\"-\"]}]}", "values[1][a]: Invalid value: \"-\": " VALUE_TEXT },
    { "{\"matchExpressions\":[{\"key\":\"\",\"operator\":\"Exists\"}]}", "key: Invalid value: \"\": name part must be non-empty; name part " KEY_TEXT },
    { "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"in\",\"values\":[\"b\"]}]}", "\"in\" is not a valid label selector operator" },
};
/* clang-format on */

static void reads_labels_and_expressions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(printed) / sizeof(printed[0]); i++) {
        lw_label_selector *selector = NULL;
        assert_int_equal(lw_label_selector_from_json(&selector, lw_str_of(printed[i].json), NULL),
                         LW_OK);
        assert_str_equal(lw_label_selector_text(selector), printed[i].expected);
        lw_label_selector_free(selector);
    }
}

static void refuses_in_the_words_of_kubernetes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        lw_label_selector *selector = NULL;
        lw_error err = LW_ERROR_INIT;
        char expected[LW_ERROR_MESSAGE_SIZE];
        lw_error_copy_text(expected, sizeof(expected), refused[i].expected,
                           strlen(refused[i].expected));
        assert_int_equal(lw_label_selector_from_json(&selector, lw_str_of(refused[i].json), &err),
                         LW_ERR_INVALID);
        assert_string_equal(err.message, expected);
        assert_null(selector);
    }
}

static void null_selects_nothing_and_empty_everything(void **state)
{
    (void)state;
    lw_label_selector *selector = NULL;
    assert_int_equal(lw_label_selector_from_json(&selector, LW_STR("null"), NULL), LW_OK);
    assert_true(lw_label_selector_is_nothing(selector));
    assert_false(lw_label_selector_matches_labels(selector, NULL, 0));
    lw_label_selector_free(selector);
    assert_int_equal(lw_label_selector_from_json(&selector, LW_STR("{}"), NULL), LW_OK);
    assert_true(lw_label_selector_is_everything(selector));
    assert_true(lw_label_selector_matches_labels(selector, NULL, 0));
    lw_label_selector_free(selector);
}

static void matches_sets_given_in_any_order(void **state)
{
    (void)state;
    lw_label_selector *selector = NULL;
    lw_str json = LW_STR("{\"matchExpressions\":[{\"key\":\"k\",\"operator\":\"In\","
                         "\"values\":[\"d\",\"a\",\"c\",\"b\"]}]}");
    assert_int_equal(lw_label_selector_from_json(&selector, json, NULL), LW_OK);
    for (char c = 'a'; c <= 'e'; c++) {
        lw_label label = { LW_STR("k"), lw_str_make(&c, 1) };
        assert_int_equal(lw_label_selector_matches_labels(selector, &label, 1), c != 'e');
    }
    lw_label_selector_free(selector);
}

static void refuses_other_shapes(void **state)
{
    (void)state;
    static const char *const shapes[] = {
        "[]",
        "1",
        "\"a=b\"",
        "true",
        "{\"matchLabels\":[]}",
        "{\"matchLabels\":\"a\"}",
        "{\"matchLabels\":{\"a\":1}}",
        "{\"matchLabels\":{\"a\":{}}}",
        "{\"matchExpressions\":{}}",
        "{\"matchExpressions\":[null]}",
        "{\"matchExpressions\":[[]]}",
        "{\"matchExpressions\":[{\"key\":1,\"operator\":\"Exists\"}]}",
        "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":{}}]}",
        "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\",\"values\":\"b\"}]}",
        "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\",\"values\":[1]}]}",
    };
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        lw_label_selector *selector = NULL;
        lw_error err = LW_ERROR_INIT;
        lw_status st = lw_label_selector_from_json(&selector, lw_str_of(shapes[i]), &err);
        if (st != LW_ERR_INVALID)
            fail_msg("%s gives status %d", shapes[i], st);
        assert_null(selector);
    }
}

static void refuses_what_is_not_json(void **state)
{
    (void)state;
    static const char *const texts[] = { "", "{", "a=b", "{}{}", "{\"matchLabels\":{\"a\":\"b\"}" };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        lw_label_selector *selector = NULL;
        assert_int_equal(lw_label_selector_from_json(&selector, lw_str_of(texts[i]), NULL),
                         LW_ERR_SYNTAX);
        assert_null(selector);
    }
}

static void bounds_the_length(void **state)
{
    (void)state;
    enum {
        SIZE = LW_LABEL_SELECTOR_LENGTH_MAX + 1,
    };
    char *json = lw_alloc(SIZE);
    assert_non_null(json);
    memset(json, ' ', SIZE);
    memcpy(json, "{}", 2);
    lw_label_selector *selector = NULL;
    assert_int_equal(lw_label_selector_from_json(&selector, lw_str_make(json, SIZE), NULL),
                     LW_ERR_LIMIT);
    assert_int_equal(lw_label_selector_from_json(&selector, lw_str_make(json, SIZE - 1), NULL),
                     LW_OK);
    lw_label_selector_free(selector);
    lw_free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_labels_and_expressions),
        TEST(refuses_in_the_words_of_kubernetes),
        TEST(null_selects_nothing_and_empty_everything),
        TEST(matches_sets_given_in_any_order),
        TEST(refuses_other_shapes),
        TEST(refuses_what_is_not_json),
        TEST(bounds_the_length),
    };
    return cmocka_run_group_tests_name("label_selector_json", tests, NULL, NULL);
}
