/* SPDX-License-Identifier: Apache-2.0 */
/* field_selector_test.c -- field selectors as k8s.io/apimachinery v0.36 parses, prints and matches
 * them; the tables were checked against it. */
#include <listwatch/field_selector.h>

#include "base/alloc.h"
#include "base/str.h"
#include "unit/test.h"

typedef struct text_case {
    const char *text;
    const char *expected;
} text_case;

/* clang-format off */
static const text_case printed[] = {
    { "", "" },
    { ",", "" },
    { ",,", "" },
    { "a=b", "a=b" },
    { "a==b", "a=b" },
    { "a!=b", "a!=b" },
    { "a=", "a=" },
    { "a!=", "a!=" },
    { "=b", "=b" },
    { "=", "" },
    { "!=", "" },
    { "==", "" },
    { "a=b,c=d", "a=b,c=d" },
    { "c=d,a=b", "a=b,c=d" },
    { "a=b,,c=d", "a=b,c=d" },
    { ",a=b,", "a=b" },
    { "a==z,a=c", "a=z,a=c" },
    { "a=\\\\", "a=\\\\" },
    { "a=\\,", "a=\\," },
    { "a=\\=", "a=\\=" },
    { "a=b\\,c\\=d,e!=f\\\\", "a=b\\,c\\=d,e!=f\\\\" },
    { "a!b=c", "a!b=c" },
    { "a\\,b=c", "a\\,b=c" },
    { "!a=b", "!a=b" },
    { "metadata.name=x,metadata.namespace!=y", "metadata.name=x,metadata.namespace!=y" },
    { " a = b ", " a = b " },
    { "a=b c", "a=b c" },
    { "a=\u00e9", "a=\u00e9" },
    { "!=b", "!=b" },
};

static const text_case refused[] = {
    { "a", "invalid selector: 'a'; can't understand 'a'" },
    { "a,b=c", "invalid selector: 'a,b=c'; can't understand 'a'" },
    { "b=c,a", "invalid selector: 'b=c,a'; can't understand 'a'" },
    { "a=b=c", "invalid field selector: unescaped character in value: 61" },
    { "a==b=c", "invalid field selector: unescaped character in value: 61" },
    { "a===b", "invalid field selector: unescaped character in value: 61" },
    { "a!==b", "invalid field selector: unescaped character in value: 61" },
    { "a=\\", "invalid field selector: invalid escape sequence: \\" },
    { "a=\\x", "invalid field selector: invalid escape sequence: \\x" },
    { "a=b\\\u00e9", "invalid field selector: invalid escape sequence: \\\u00e9" },
    { "a=b\\", "invalid field selector: invalid escape sequence: \\" },
    { "x,y,z", "invalid selector: 'x,y,z'; can't understand 'x'" },
    { "a=b,!", "invalid selector: 'a=b,!'; can't understand '!'" },
    { "!", "invalid selector: '!'; can't understand '!'" },
};
/* clang-format on */

static lw_field_selector *parse(const char *text)
{
    lw_field_selector *selector = NULL;
    lw_error err = LW_ERROR_INIT;
    if (lw_field_selector_parse(&selector, lw_str_of(text), &err) != LW_OK)
        fail_msg("\"%s\" is refused: %s", text, err.message);
    return selector;
}

static void prints_what_it_parsed_sorted_by_term(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(printed) / sizeof(printed[0]); i++) {
        lw_field_selector *selector = parse(printed[i].text);
        assert_str_equal(lw_field_selector_text(selector), printed[i].expected);
        lw_field_selector_free(selector);
    }
}

static void refuses_in_the_words_of_kubernetes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        lw_field_selector *selector = NULL;
        lw_error err = LW_ERROR_INIT;
        assert_int_equal(lw_field_selector_parse(&selector, lw_str_of(refused[i].text), &err),
                         LW_ERR_SYNTAX);
        assert_string_equal(err.message, refused[i].expected);
        assert_int_equal(lw_field_selector_parse(&selector, lw_str_of(refused[i].text), NULL),
                         LW_ERR_SYNTAX);
        assert_null(selector);
    }
}

/* An object whose field "name" is |arg| and which has no other. */
static bool get_name(void *arg, lw_str field, lw_str *value)
{
    if (!lw_str_equal(field, LW_STR("name")))
        return false;
    *value = lw_str_of(arg);
    return true;
}

static void matches_by_value(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool expected;
    } cases[] = {
        { "", true },         { "name=x", true },          { "name==x", true },
        { "name=y", false },  { "name!=x", false },        { "name!=y", true },
        { "name=", false },   { "name=x,name!=y", true },  { "name=x,name=y", false },
        { "name=x ", false }, { "name=x,other=y", false }, { "other!=y,name=x", true },
        { "Name=x", false },  { "name=xx", false },
    };
    char name[] = "x";
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_field_selector *selector = parse(cases[i].text);
        if (lw_field_selector_matches(selector, get_name, name) != cases[i].expected)
            fail_msg("\"%s\" should %smatch", cases[i].text, cases[i].expected ? "" : "not ");
        lw_field_selector_free(selector);
    }
}

static void absent_fields_are_empty(void **state)
{
    (void)state;
    char name[] = "x";
    lw_field_selector *selector = parse("other=");
    assert_true(lw_field_selector_matches(selector, get_name, name));
    lw_field_selector_free(selector);
    selector = parse("other!=");
    assert_false(lw_field_selector_matches(selector, get_name, name));
    lw_field_selector_free(selector);
}

static void matches_values_without_their_escapes(void **state)
{
    (void)state;
    char name[] = "a,b=c\\d";
    lw_field_selector *selector = parse("name=a\\,b\\=c\\\\d");
    assert_true(lw_field_selector_matches(selector, get_name, name));
    lw_field_selector_free(selector);
}

static void lists_its_requirements(void **state)
{
    (void)state;
    lw_field_selector *selector = parse("status.phase!=Running,metadata.name==a\\=b");
    size_t count = 0;
    const lw_field_requirement *r = lw_field_selector_requirements(selector, &count);
    assert_int_equal(count, 2);
    assert_str_equal(r[0].field, "metadata.name");
    assert_str_equal(r[0].value, "a=b");
    assert_false(r[0].is_negated);
    assert_str_equal(r[1].field, "status.phase");
    assert_str_equal(r[1].value, "Running");
    assert_true(r[1].is_negated);
    lw_field_selector_free(selector);
}

static void knows_which_value_it_requires(void **state)
{
    (void)state;
    lw_str value = lw_str_of("untouched");
    lw_field_selector *selector = parse("a!=x,b=1,a=y");
    assert_true(lw_field_selector_requires_exact(selector, LW_STR("a"), &value));
    assert_str_equal(value, "y");
    lw_field_selector_free(selector);
    selector = parse("a!=x,aa=y");
    assert_false(lw_field_selector_requires_exact(selector, LW_STR("a"), &value));
    lw_field_selector_free(selector);
}

static void null_is_everything(void **state)
{
    (void)state;
    size_t count = 7;
    lw_str value;
    assert_true(lw_field_selector_matches(NULL, get_name, NULL));
    assert_true(lw_field_selector_is_everything(NULL));
    assert_str_equal(lw_field_selector_text(NULL), "");
    assert_null(lw_field_selector_requirements(NULL, &count));
    assert_int_equal(count, 0);
    assert_false(lw_field_selector_requires_exact(NULL, LW_STR("a"), &value));
    lw_field_selector_free(NULL);
}

static void terms_that_say_nothing_are_everything(void **state)
{
    (void)state;
    static const char *const texts[] = { "", ",", "=", "!=", "==,=" };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        lw_field_selector *selector = parse(texts[i]);
        assert_true(lw_field_selector_is_everything(selector));
        lw_field_selector_free(selector);
    }
    lw_field_selector *selector = parse("a=");
    assert_false(lw_field_selector_is_everything(selector));
    lw_field_selector_free(selector);
}

static void keeps_bytes_as_they_are(void **state)
{
    (void)state;
    lw_field_selector *selector = NULL;
    lw_str text = LW_STR("a=\0\xff,b=\n");
    assert_int_equal(lw_field_selector_parse(&selector, text, NULL), LW_OK);
    assert_true(lw_str_equal(lw_field_selector_text(selector), text));
    lw_field_selector_free(selector);
}

static void bounds_length_and_terms(void **state)
{
    (void)state;
    enum {
        SIZE = LW_FIELD_SELECTOR_LENGTH_MAX + 1,
        MOST = 4 * LW_FIELD_SELECTOR_TERMS_MAX - 1,
    };
    char *text = lw_alloc(SIZE);
    assert_non_null(text);
    lw_field_selector *selector = NULL;
    memset(text, 'v', SIZE);
    text[1] = '=';
    assert_int_equal(lw_field_selector_parse(&selector, lw_str_make(text, SIZE), NULL),
                     LW_ERR_LIMIT);
    assert_int_equal(lw_field_selector_parse(&selector, lw_str_make(text, SIZE - 1), NULL), LW_OK);
    lw_field_selector_free(selector);
    for (size_t i = 0; i < MOST + 4; i++)
        text[i] = "a=b,"[i % 4];
    assert_int_equal(lw_field_selector_parse(&selector, lw_str_make(text, MOST + 4), NULL),
                     LW_ERR_LIMIT);
    assert_int_equal(lw_field_selector_parse(&selector, lw_str_make(text, MOST), NULL), LW_OK);
    lw_field_selector_free(selector);
    lw_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(prints_what_it_parsed_sorted_by_term),
        TEST(refuses_in_the_words_of_kubernetes),
        TEST(matches_by_value),
        TEST(absent_fields_are_empty),
        TEST(matches_values_without_their_escapes),
        TEST(lists_its_requirements),
        TEST(knows_which_value_it_requires),
        TEST(null_is_everything),
        TEST(terms_that_say_nothing_are_everything),
        TEST(keeps_bytes_as_they_are),
        TEST(bounds_length_and_terms),
    };
    return cmocka_run_group_tests_name("field_selector", tests, NULL, NULL);
}
