/* SPDX-License-Identifier: Apache-2.0 */
/* value_test.c -- single values out of JSON. */
#include "schema/printers/value.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/str.h"
#include "unit/test.h"

static const lw_str json = LW_STR_INIT(
    "{\"s\":\"a\\u0062\",\"e\":\"\",\"n\":-7,\"f\":1.5,\"t\":true,\"x\":null,\"l\":[1,\"b\",[]],"
    "\"o\":{\"c\":3,\"a\":1,\"b\":2},\"at\":\"1970-01-01T00:00:05Z\","
    "\"zero\":\"0001-01-01T00:00:00Z\"}");

static void absent_and_null_are_empty(void **state)
{
    (void)state;
    assert_str_equal(lw_value_at(json, "/nope"), "");
    assert_str_equal(lw_value_at(json, "/x"), "");
    assert_str_equal(lw_value_at(json, "/l/9"), "");
    assert_str_equal(lw_value_at(LW_STR(""), "/s"), "");
    assert_str_equal(lw_value_at(LW_STR(""), ""), "");
    assert_str_equal(lw_value_at(json, "/l/1"), "\"b\"");
}

static void strings_are_compared_decoded(void **state)
{
    (void)state;
    assert_true(lw_value_is(json, "/s", LW_STR("ab")));
    assert_false(lw_value_is(json, "/s", LW_STR("a")));
    assert_false(lw_value_is(json, "/n", LW_STR("-7")));
    assert_true(lw_value_is(json, "/e", LW_STR("")));
    assert_false(lw_value_is(json, "/nope", LW_STR("")));
}

static void scalars_are_appended(void **state)
{
    (void)state;
    lw_buf out;
    lw_buf_init(&out, 64);
    assert_true(lw_value_append(json, "/s", &out));
    assert_true(lw_value_append(json, "/n", &out));
    assert_true(lw_value_append(json, "/t", &out));
    assert_false(lw_value_append(json, "/e", &out));
    assert_false(lw_value_append(json, "/l", &out));
    assert_false(lw_value_append(json, "/o", &out));
    assert_false(lw_value_append(json, "/x", &out));
    assert_str_equal(lw_buf_view(&out), "ab-7true");
    lw_buf_done(&out);
}

static void numbers_and_booleans_have_fallbacks(void **state)
{
    (void)state;
    assert_int_equal(lw_value_int(json, "/n", 3), -7);
    assert_int_equal(lw_value_int(json, "/f", 3), 3);
    assert_int_equal(lw_value_int(json, "/s", 3), 3);
    assert_int_equal(lw_value_int(json, "/nope", 3), 3);
    assert_true(lw_value_bool(json, "/t", false));
    assert_true(lw_value_bool(json, "/s", true));
    assert_false(lw_value_bool(json, "/nope", false));
}

static void moments_are_read_and_the_zero_time_is_none(void **state)
{
    (void)state;
    lw_time time = { 1, 2 };
    assert_false(lw_value_time(json, "/zero", &time));
    assert_false(lw_value_time(json, "/s", &time));
    assert_false(lw_value_time(json, "/n", &time));
    assert_int_equal(time.s, 1);
    assert_true(lw_value_time(json, "/at", &time));
    assert_int_equal(time.s, 5);
}

static void containers_are_counted(void **state)
{
    (void)state;
    assert_int_equal(lw_value_count(json, "/l"), 3);
    assert_int_equal(lw_value_count(json, "/o"), 3);
    assert_int_equal(lw_value_count(json, "/s"), 0);
    assert_int_equal(lw_value_count(json, "/nope"), 0);
    assert_int_equal(lw_value_count(json, "/l/2"), 0);
}

static void walks_go_over_what_is_there(void **state)
{
    (void)state;
    lw_str key, value;
    lw_value_walk walk = lw_value_elements(json, "/l");
    assert_true(lw_value_next_element(&walk, &value));
    assert_str_equal(value, "1");
    assert_true(lw_value_next_element(&walk, &value));
    assert_true(lw_value_next_element(&walk, &value));
    assert_str_equal(value, "[]");
    assert_false(lw_value_next_element(&walk, &value));
    assert_false(lw_value_next_element(&walk, &value));
    walk = lw_value_elements(json, "/o");
    assert_false(lw_value_next_element(&walk, &value));
    walk = lw_value_members(json, "/o");
    assert_true(lw_value_next_member(&walk, &key, &value));
    assert_str_equal(key, "c");
    assert_str_equal(value, "3");
}

static void members_come_sorted(void **state)
{
    (void)state;
    lw_value_pair *pairs = NULL;
    size_t count = 9;
    assert_int_equal(lw_value_sorted(json, "/o", &pairs, &count), LW_OK);
    assert_int_equal(count, 3);
    assert_str_equal(pairs[0].raw_key, "a");
    assert_str_equal(pairs[2].value, "3");
    lw_free(pairs);
    assert_int_equal(lw_value_sorted(json, "/l", &pairs, &count), LW_OK);
    assert_int_equal(count, 0);
    lw_free(pairs);
    assert_int_equal(lw_value_sorted(json, "/nope", &pairs, &count), LW_OK);
    assert_null(pairs);
}

static void no_more_members_are_sorted_than_anybody_reads(void **state)
{
    (void)state;
    lw_buf many;
    lw_value_pair *pairs = NULL;
    size_t count = 0;
    lw_buf_init(&many, 1 << 20);
    lw_buf_append_char(&many, '{');
    for (unsigned i = 0; i < LW_VALUE_PAIRS_MAX + 5; i++)
        lw_buf_printf(&many, "%s\"k%u\":1", i ? "," : "", i);
    lw_buf_append_char(&many, '}');
    assert_int_equal(lw_value_sorted(lw_buf_view(&many), "", &pairs, &count), LW_OK);
    assert_int_equal(count, LW_VALUE_PAIRS_MAX);
    lw_free(pairs);
    lw_buf_done(&many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(absent_and_null_are_empty),
        TEST(strings_are_compared_decoded),
        TEST(scalars_are_appended),
        TEST(numbers_and_booleans_have_fallbacks),
        TEST(moments_are_read_and_the_zero_time_is_none),
        TEST(containers_are_counted),
        TEST(walks_go_over_what_is_there),
        TEST(members_come_sorted),
        TEST(no_more_members_are_sorted_than_anybody_reads),
    };
    return cmocka_run_group_tests_name("value", tests, NULL, NULL);
}
