/* SPDX-License-Identifier: Apache-2.0 */
/* screen_rows_test.c -- the rows of the live table. */
#include "cli/screen_rows.h"

#include <stdio.h>
#include <string.h>

#include "unit/test.h"

static const char table[] =
    "{\"columnDefinitions\":[{\"name\":\"Name\"},{\"name\":\"Ready\"},{\"name\":\"IP\","
    "\"priority\":"
    "1},{\"name\":\"Age\"}],\"rows\":["
    "{\"cells\":[\"b\",10,\"1.1.1.1\",\"2m\"],\"object\":{\"metadata\":{\"namespace\":\"x\"}}},"
    "{\"cells\":[\"a\",9,\"1.1.1.2\",\"3d\"],\"object\":{\"metadata\":{\"namespace\":\"y\"}}},"
    "{\"cells\":[\"web\",9,\"1.1.1.3\",\"59s\"],\"object\":{\"metadata\":{\"namespace\":\"y\"}}}]}";

static screen_rows take(bool has_namespace, bool is_wide)
{
    screen_rows rows = { .at = NULL };
    lw_document *doc = NULL;
    assert_int_equal(lw_document_from_json(&doc, table, sizeof(table) - 1, NULL), LW_OK);
    assert_int_equal(screen_rows_take_table(&rows, doc, has_namespace, is_wide), LW_OK);
    assert_int_equal(screen_rows_filter(&rows, ""), LW_OK);
    return rows;
}

/* The first cells of the rows that are shown. */
static void assert_order(const screen_rows *rows, const char *expected)
{
    char order[64] = "";
    for (size_t i = 0; i < rows->count; i++)
        (void)snprintf(order + strlen(order), sizeof(order) - strlen(order), "%s%s",
                       i > 0 ? " " : "", rows->at[i].cells[0]);
    assert_string_equal(order, expected);
}

static void has_the_columns_that_are_wanted(void **state)
{
    (void)state;
    screen_rows rows = take(false, false);
    assert_int_equal(rows.column_count, 3);
    assert_string_equal(rows.titles[2], "Age");
    assert_string_equal(rows.at[0].cells[1], "10");
    screen_rows_done(&rows);
    rows = take(true, true);
    assert_int_equal(rows.column_count, 5);
    assert_string_equal(rows.at[1].cells[0], "y");
    assert_string_equal(rows.at[1].cells[3], "1.1.1.2");
    screen_rows_done(&rows);
}

static void sorts_numbers_and_ages_by_value(void **state)
{
    (void)state;
    screen_rows rows = take(false, false);
    assert_order(&rows, "b a web");
    screen_rows_sort(&rows, 0, false);
    assert_order(&rows, "a b web");
    screen_rows_sort(&rows, 1, false);
    assert_order(&rows, "a web b");
    screen_rows_sort(&rows, 2, false);
    assert_order(&rows, "web b a");
    screen_rows_sort(&rows, 2, true);
    assert_order(&rows, "a b web");
    screen_rows_done(&rows);
}

static void a_shorter_filter_brings_rows_back(void **state)
{
    (void)state;
    screen_rows rows = take(false, false);
    assert_int_equal(screen_rows_filter(&rows, "WE"), LW_OK);
    assert_order(&rows, "web");
    assert_int_equal(screen_rows_filter(&rows, "nothing"), LW_OK);
    assert_order(&rows, "");
    assert_int_equal(screen_rows_filter(&rows, "b"), LW_OK);
    assert_order(&rows, "b web");
    screen_rows_done(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_the_columns_that_are_wanted),
        cmocka_unit_test(sorts_numbers_and_ages_by_value),
        cmocka_unit_test(a_shorter_filter_brings_rows_back),
    };
    return cmocka_run_group_tests_name("screen_rows", tests, NULL, NULL);
}
