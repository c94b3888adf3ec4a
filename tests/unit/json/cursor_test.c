/* SPDX-License-Identifier: Apache-2.0 */
/* cursor_test.c -- the walk over a valid JSON text. */
#include "json/cursor.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/str.h"
#include "unit/test.h"

static void tells_the_type_of_a_value(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        lw_json_type type;
    } cases[] = {
        { "null", LW_JSON_NULL },   { " true", LW_JSON_BOOL }, { "\nfalse", LW_JSON_BOOL },
        { "\t-1", LW_JSON_NUMBER }, { "0.5", LW_JSON_NUMBER }, { "\r\"x\"", LW_JSON_STRING },
        { " [ ]", LW_JSON_ARRAY },  { "{}", LW_JSON_OBJECT },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_json_cursor c = lw_json_cursor_on(lw_str_of(cases[i].json));
        assert_int_equal(lw_json_cursor_type(&c), cases[i].type);
    }
}

static void steps_over_whole_values(void **state)
{
    (void)state;
    static const char *const values[] = {
        "null",
        "true",
        "-12.5e+7",
        "\"\"",
        "\"a\\\"]}\"",
        "\"\\\\\"",
        "\"\\\\\\\"\"",
        "[]",
        "{}",
        "[1,[2,\"]\"],{\"}\":[\"{\"]}]",
        "{ \"a\" : { \"b\\\"\" : [ ] } }",
    };
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        lw_buf buf;
        lw_buf_init(&buf, 200);
        lw_buf_printf(&buf, " \n%s ,7", values[i]);
        lw_json_cursor c = lw_json_cursor_on(lw_buf_view(&buf));
        assert_str_equal(lw_json_cursor_skip(&c), values[i]);
        assert_str_equal(lw_str_make(c.at, (size_t)(c.end - c.at)), " ,7");
        lw_buf_done(&buf);
    }
}

static void finds_the_last_member_of_a_name(void **state)
{
    (void)state;
    static const struct {
        const char *json, *name, *value; /* NULL: there is none */
    } cases[] = {
        { "{\"a\":1,\"b\":2}", "b", "2" },
        { " { \"a\" :\t[ 1 ] , \"b\" : 2 } ", "a", "[ 1 ]" },
        { "{\"a\":1,\"b\":2,\"a\":3}", "a", "3" },
        { "{\"a\":1,\"\\u0061\":3}", "a", "3" },
        { "{\"\\u0061\":3,\"a\":1}", "a", "1" },
        { "{\"x\\\"a\":1}", "a", NULL },
        { "{\"x\\\"a\":1}", "x\"a", "1" },
        { "{\"x\\\\\":1,\"a\":2}", "x\\", "1" },
        { "{\"\":1,\"a\":2}", "", "1" },
        { "{\"b\":{\"a\":1}}", "a", NULL },
        { "{}", "a", NULL },
        { "[\"a\",1]", "a", NULL },
        { "\"a\"", "a", NULL },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_json_cursor c = lw_json_cursor_on(lw_str_of(cases[i].json));
        bool is_found = lw_json_cursor_find_member(&c, lw_str_of(cases[i].name));
        assert_int_equal(is_found, cases[i].value != NULL);
        if (is_found)
            assert_str_equal(lw_json_cursor_skip(&c), cases[i].value);
    }
}

static void gives_strings_still_escaped(void **state)
{
    (void)state;
    lw_json_cursor c = lw_json_cursor_on(LW_STR(" \"a\\\\\" \"b\\\"c\" \"\""));
    assert_str_equal(lw_json_cursor_string(&c), "a\\\\");
    assert_str_equal(lw_json_cursor_string(&c), "b\\\"c");
    assert_str_equal(lw_json_cursor_string(&c), "");
    assert_ptr_equal(c.at, c.end);
}

static void walks_members_in_order(void **state)
{
    (void)state;
    lw_json_cursor c = lw_json_cursor_on(LW_STR(" { \"a\" : 1 , \"b\\n\":[2,3] ,\"c\":{}} tail"));
    lw_str key = lw_str_make(NULL, 0);
    lw_json_cursor_enter(&c);
    assert_true(lw_json_cursor_next_member(&c, &key));
    assert_str_equal(key, "a");
    assert_str_equal(lw_json_cursor_skip(&c), "1");
    assert_true(lw_json_cursor_next_member(&c, &key));
    assert_str_equal(key, "b\\n");
    lw_json_cursor_enter(&c);
    assert_true(lw_json_cursor_next_element(&c));
    assert_str_equal(lw_json_cursor_skip(&c), "2");
    assert_true(lw_json_cursor_next_element(&c));
    assert_str_equal(lw_json_cursor_skip(&c), "3");
    assert_false(lw_json_cursor_next_element(&c));
    assert_true(lw_json_cursor_next_member(&c, &key));
    assert_str_equal(key, "c");
    lw_json_cursor_enter(&c);
    assert_false(lw_json_cursor_next_member(&c, &key));
    assert_false(lw_json_cursor_next_member(&c, &key));
    assert_str_equal(lw_str_make(c.at, (size_t)(c.end - c.at)), " tail");
}

static void finds_nothing_in_empty_containers(void **state)
{
    (void)state;
    lw_str key = lw_str_make(NULL, 0);
    lw_json_cursor c = lw_json_cursor_on(LW_STR("[ ]"));
    lw_json_cursor_enter(&c);
    assert_false(lw_json_cursor_next_element(&c));
    c = lw_json_cursor_on(LW_STR("{\n}"));
    lw_json_cursor_enter(&c);
    assert_false(lw_json_cursor_next_member(&c, &key));
    assert_ptr_equal(c.at, c.end);
}

static void a_copy_remembers_a_place(void **state)
{
    (void)state;
    lw_json_cursor c = lw_json_cursor_on(LW_STR("[1,2]"));
    lw_json_cursor_enter(&c);
    assert_true(lw_json_cursor_next_element(&c));
    lw_json_cursor kept = c;
    (void)lw_json_cursor_skip(&c);
    assert_true(lw_json_cursor_next_element(&c));
    assert_str_equal(lw_json_cursor_skip(&c), "2");
    assert_str_equal(lw_json_cursor_skip(&kept), "1");
}

static void steps_over_deep_nesting_without_a_stack(void **state)
{
    (void)state;
    size_t depth = 1000000;
    char *text = lw_alloc(depth * 2);
    assert_non_null(text);
    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    lw_json_cursor c = lw_json_cursor_on(lw_str_make(text, depth * 2));
    assert_int_equal(lw_json_cursor_skip(&c).len, depth * 2);
    lw_free(text);
}

/* Walks whatever is there as deep as it goes. */
static void walk_all(lw_json_cursor *c, unsigned depth)
{
    lw_json_type type = lw_json_cursor_type(c);
    lw_str key = lw_str_make(NULL, 0);
    if (depth == 0 || (type != LW_JSON_ARRAY && type != LW_JSON_OBJECT)) {
        (void)lw_json_cursor_skip(c);
        return;
    }
    lw_json_cursor_enter(c);
    if (type == LW_JSON_OBJECT) {
        while (lw_json_cursor_next_member(c, &key))
            walk_all(c, depth - 1);
    } else {
        while (lw_json_cursor_next_element(c))
            walk_all(c, depth - 1);
    }
}

static void stays_inside_a_text_that_is_cut_or_broken(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{\"a\":[1,\"x\\\"y\",{\"b\":null}],\"c\":\"d\\\\\"}",
        "[}",
        "{]",
        "[,,,]",
        "{:,:}",
        "{\"a\"}",
        "[1 2 3}",
        "}}}]]]",
        "\"\\",
        "{\"a\":,\"b\"",
        "[[[[{{{{",
        ",:",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        for (size_t len = 0; len <= strlen(texts[i]); len++) {
            char *exact = lw_alloc(len); /* a sanitizer sees a read past its end */
            assert_non_null(exact);
            memcpy(exact, texts[i], len);
            lw_json_cursor c = lw_json_cursor_on(lw_str_make(exact, len));
            walk_all(&c, 100);
            assert_true(c.at <= c.end);
            lw_free(exact);
        }
    }
    lw_json_cursor empty = lw_json_cursor_on(lw_str_make(NULL, 0));
    assert_int_equal(lw_json_cursor_type(&empty), LW_JSON_NULL);
    assert_int_equal(lw_json_cursor_skip(&empty).len, 0);
}

static void passes_what_is_written_otherwise_and_says_the_same(void **state)
{
    (void)state;
    static const char known[] = "{\"a\":[1,\"x\\u0026\\\"y\",{}],\"b c\":true}";
    static const struct {
        const char *json;
        bool is_same;
    } cases[] = {
        { "{\"a\":[1,\"x\\u0026\\\"y\",{}],\"b c\":true}!", true },
        { "{\"a\":[1,\"x&\\\"y\",{}],\"b c\":true}!", true },
        { "{\"a\":[1,\"\\u0078&\\u0022y\",{}],\"b\\u0020c\":true}!", true },
        { "{ \"a\" :\n[ 1 , \"x&\\\"y\" ,\t{ } ] , \"b c\":true }!", true },
        { "{\"a\":[1,\"x&\\\" y\",{}],\"b c\":true}!", false },
        { "{\"a\":[1,\"x&\\\"y\",{}],\"bc\":true}!", false },
        { "{\"a\":[1,\"x&\\\"y\\u0000\",{}],\"b c\":true}!", false },
        { "{\"a\":[1.0,\"x&\\\"y\",{}],\"b c\":true}!", false },
        { "{\"a\":[1,\"x&\\\"y\",{}],\"b c\":true,\"d\":1}!", false },
        { "{\"b c\":true,\"a\":[1,\"x&\\\"y\",{}]}!", false },
        { "{\"a\":[1,\"x&\\\"y\",{}]", false },
        { "{\"a\":[1,\"x&", false },
        { "", false },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_json_cursor c = lw_json_cursor_on(lw_str_of(cases[i].json));
        if (lw_json_cursor_pass(&c, lw_str_of(known)) != cases[i].is_same)
            fail_msg("%s is %s", cases[i].json, cases[i].is_same ? "another" : "the same");
        if (cases[i].is_same)
            assert_int_equal(*c.at, '!');
        else
            assert_int_equal(c.end - c.at, strlen(cases[i].json));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(tells_the_type_of_a_value),
        TEST(steps_over_whole_values),
        TEST(finds_the_last_member_of_a_name),
        TEST(gives_strings_still_escaped),
        TEST(walks_members_in_order),
        TEST(finds_nothing_in_empty_containers),
        TEST(a_copy_remembers_a_place),
        TEST(steps_over_deep_nesting_without_a_stack),
        TEST(stays_inside_a_text_that_is_cut_or_broken),
        TEST(passes_what_is_written_otherwise_and_says_the_same),
    };
    return cmocka_run_group_tests_name("cursor", tests, NULL, NULL);
}
