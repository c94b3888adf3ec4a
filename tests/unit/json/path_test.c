/* SPDX-License-Identifier: Apache-2.0 */
/* path_test.c -- JSON Pointers. */
#include "json/path.h"

#include "base/str.h"
#include "unit/test.h"

static void assert_found(const char *json, const char *pointer, const char *value)
{
    lw_str found = LW_STR("untouched");
    lw_status st = lw_json_path_find(lw_str_of(json), lw_str_of(pointer), &found);
    if (st < 0)
        fail_msg("%s in %s: %s", pointer, json, lw_status_name(st));
    assert_str_equal(found, value);
}

static void assert_not_found(const char *json, const char *pointer, lw_status wanted)
{
    lw_str found = LW_STR("untouched");
    assert_int_equal(lw_json_path_find(lw_str_of(json), lw_str_of(pointer), &found), wanted);
    assert_str_equal(found, "untouched");
}

/* RFC 6901 §5. */
static void finds_the_examples_of_the_rfc(void **state)
{
    (void)state;
    static const char json[] = "{\"foo\": [\"bar\", \"baz\"], \"\": 0, \"a/b\": 1, \"c%d\": 2, "
                               "\"e^f\": 3, \"g|h\": 4, \"i\\\\j\": 5, \"k\\\"l\": 6, \" \": 7, "
                               "\"m~n\": 8}";
    static const char *const cases[][2] = {
        { "", json },
        { "/foo", "[\"bar\", \"baz\"]" },
        { "/foo/0", "\"bar\"" },
        { "/", "0" },
        { "/a~1b", "1" },
        { "/c%d", "2" },
        { "/e^f", "3" },
        { "/g|h", "4" },
        { "/i\\j", "5" },
        { "/k\"l", "6" },
        { "/ ", "7" },
        { "/m~0n", "8" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_found(json, cases[i][0], cases[i][1]);
}

static void walks_through_objects_and_arrays(void **state)
{
    (void)state;
    static const char json[] = " { \"a\" : [ 1 , { \"b\" : [ [ ] , { \"c\" : \"x\" } ] } ] } ";
    assert_found(json, "/a/0", "1");
    assert_found(json, "/a/1/b/0", "[ ]");
    assert_found(json, "/a/1/b/1/c", "\"x\"");
    assert_not_found(json, "/a/2", LW_ERR_NOT_FOUND);
    assert_not_found(json, "/a/18446744073709551615", LW_ERR_NOT_FOUND);
    assert_not_found(json, "/a/18446744073709551616", LW_ERR_NOT_FOUND);
    assert_not_found(json, "/a/-", LW_ERR_NOT_FOUND);
    assert_not_found(json, "/a/01", LW_ERR_NOT_FOUND);
    assert_not_found(json, "/a/1/b/0/0", LW_ERR_NOT_FOUND);
    assert_not_found(json, "/a/1/b/1/c/d", LW_ERR_NOT_FOUND);
    assert_not_found(json, "/a/", LW_ERR_NOT_FOUND);
    assert_not_found(json, "/A", LW_ERR_NOT_FOUND);
    assert_not_found("1", "/0", LW_ERR_NOT_FOUND);
    assert_not_found("{}", "/", LW_ERR_NOT_FOUND);
}

static void the_last_of_members_with_one_name_counts(void **state)
{
    (void)state;
    assert_found("{\"a\":1,\"a\":{\"b\":2},\"b\":3}", "/a/b", "2");
    assert_not_found("{\"a\":{\"b\":2},\"a\":1}", "/a/b", LW_ERR_NOT_FOUND);
}

static void compares_names_decoded(void **state)
{
    (void)state;
    assert_found("{\"n\\u0061me\":1}", "/name", "1");
    assert_found("{\"x\\/y\":1}", "/x~1y", "1");
    assert_found("{\"x\\u002fy\\u007e\":1}", "/x~1y~0", "1");
    assert_found("{\"~1\":1}", "/~01", "1");
    assert_not_found("{\"name\":1}", "/nam", LW_ERR_NOT_FOUND);
    assert_not_found("{\"name\":1}", "/names", LW_ERR_NOT_FOUND);
}

static void refuses_what_is_no_pointer(void **state)
{
    (void)state;
    static const char *const bad[] = { "a", "a/b", " /a", "/~", "/a~", "/a~2", "/~/0", "~0" };
    static const char *const good[] = { "", "/", "//", "/a", "/~0~1", "/a/-/b", "/a b" };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(lw_json_path_check(lw_str_of(bad[i])), LW_ERR_INVALID);
        assert_not_found("{}", bad[i], LW_ERR_INVALID);
    }
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        assert_int_equal(lw_json_path_check(lw_str_of(good[i])), LW_OK);
}

static void takes_segments_off_one_by_one(void **state)
{
    (void)state;
    lw_str rest = LW_STR("/a~1b//c");
    lw_str segment;
    assert_true(lw_json_path_next(&rest, &segment));
    assert_str_equal(segment, "a~1b");
    assert_str_equal(rest, "//c");
    assert_true(lw_json_path_next(&rest, &segment));
    assert_str_equal(segment, "");
    assert_true(lw_json_path_next(&rest, &segment));
    assert_str_equal(segment, "c");
    assert_false(lw_json_path_next(&rest, &segment));
    rest = LW_STR("/");
    assert_true(lw_json_path_next(&rest, &segment));
    assert_str_equal(segment, "");
    assert_false(lw_json_path_next(&rest, &segment));
}

static void decodes_segments(void **state)
{
    (void)state;
    lw_buf buf;
    lw_buf_init(&buf, 100);
    lw_json_path_append_decoded(&buf, LW_STR("a~1b~0c~01"));
    lw_json_path_append_decoded(&buf, LW_STR(""));
    lw_json_path_append_decoded(&buf, LW_STR("~1"));
    assert_str_equal(lw_buf_view(&buf), "a/b~c~1/");
    lw_buf_done(&buf);
}

static void reads_indices(void **state)
{
    (void)state;
    static const char *const bad[] = { "",   "-",  "-1", "+1",  "01",
                                       "00", "1 ", "a",  "1.0", "18446744073709551616" };
    size_t index = 7;
    assert_true(lw_json_path_index(LW_STR("0"), &index));
    assert_int_equal(index, 0);
    assert_true(lw_json_path_index(LW_STR("1203"), &index));
    assert_int_equal(index, 1203);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(lw_json_path_index(lw_str_of(bad[i]), &index));
    assert_int_equal(index, 1203);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(finds_the_examples_of_the_rfc),
        TEST(walks_through_objects_and_arrays),
        TEST(the_last_of_members_with_one_name_counts),
        TEST(compares_names_decoded),
        TEST(refuses_what_is_no_pointer),
        TEST(takes_segments_off_one_by_one),
        TEST(decodes_segments),
        TEST(reads_indices),
    };
    return cmocka_run_group_tests_name("path", tests, NULL, NULL);
}
