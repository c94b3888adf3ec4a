/* SPDX-License-Identifier: Apache-2.0 */
/* store_line_test.c -- objects as lines of an export, and lines that are not. */
#include "server/offline/store_line.h"

#include "base/str.h"
#include "unit/test.h"

static void assert_round_trip(lw_str key, lw_str value, const char *line)
{
    lw_buf text, back_key, back_value;
    lw_buf_init(&text, 1000);
    lw_buf_init(&back_key, 100);
    lw_buf_init(&back_value, 100);
    lw_store_line_append(&text, key, value);
    assert_int_equal(text.st, LW_OK);
    assert_true(lw_str_equal(lw_buf_view(&text), lw_str_of(line)));
    assert_int_equal(lw_store_line_parse(lw_buf_view(&text), &back_key, &back_value, NULL), LW_OK);
    assert_true(lw_str_equal(lw_buf_view(&back_key), key));
    assert_true(lw_str_equal(lw_buf_view(&back_value), value));
    lw_buf_done(&text);
    lw_buf_done(&back_key);
    lw_buf_done(&back_value);
}

static void a_line_comes_back_as_the_object_it_was(void **state)
{
    (void)state;
    assert_round_trip(LW_STR("/a"), LW_STR("{\"kind\":\"A\"}"),
                      "{\"key\":\"/a\",\"value\":{\"kind\":\"A\"}}");
    assert_round_trip(LW_STR("/\"b"), LW_STR("{}"), "{\"key\":\"/\\\"b\",\"value\":{}}");
}

static void a_value_that_is_not_json_is_base64(void **state)
{
    (void)state;
    assert_round_trip(LW_STR("/a"), LW_STR("\0\1\2"), "{\"key\":\"/a\",\"base64\":\"AAEC\"}");
    assert_round_trip(LW_STR("/a"), LW_STR("{\n}"), "{\"key\":\"/a\",\"base64\":\"ewp9\"}");
}

static void other_lines_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        lw_status st;
    } cases[] = {
        { "", LW_ERR_SYNTAX },
        { "{", LW_ERR_SYNTAX },
        { "[]", LW_ERR_INVALID },
        { "{}", LW_ERR_INVALID },
        { "{\"key\":\"/a\"}", LW_ERR_INVALID },
        { "{\"value\":{}}", LW_ERR_INVALID },
        { "{\"key\":\"a\",\"value\":{}}", LW_ERR_INVALID },
        { "{\"key\":\"/a\",\"value\":1}", LW_ERR_INVALID },
        { "{\"key\":\"/a\",\"value\":{},\"value\":{}}", LW_ERR_INVALID },
        { "{\"key\":\"/a\",\"value\":{},\"base64\":\"AAEC\"}", LW_ERR_INVALID },
        { "{\"key\":\"/a\",\"base64\":\"?\"}", LW_ERR_INVALID },
        { "{\"key\":\"/a\",\"value\":{},\"x\":1}", LW_ERR_INVALID },
        { "{\"key\":\"/0123456789\",\"value\":{}}", LW_ERR_LIMIT },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_buf key, value;
        lw_error err = LW_ERROR_INIT;
        lw_buf_init(&key, 10);
        lw_buf_init(&value, 10);
        lw_status st = lw_store_line_parse(lw_str_of(cases[i].line), &key, &value, &err);
        if (st != cases[i].st || err.message[0] == '\0')
            fail_msg("%s: %d instead of %d (%s)", cases[i].line, st, cases[i].st, err.message);
        lw_buf_done(&key);
        lw_buf_done(&value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_line_comes_back_as_the_object_it_was),
        TEST(a_value_that_is_not_json_is_base64),
        TEST(other_lines_are_refused),
    };
    return cmocka_run_group_tests_name("server/store_line", tests, NULL, NULL);
}
