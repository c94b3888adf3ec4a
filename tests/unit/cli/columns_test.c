/* SPDX-License-Identifier: Apache-2.0 */
/* columns_test.c -- the specification of custom columns. */
#include "cli/columns.h"

#include <string.h>

#include "unit/test.h"

static size_t count_columns(const char *text)
{
    columns *c = NULL;
    grid *g = grid_new(false);
    assert_non_null(g);
    assert_int_equal(columns_parse(&c, text, NULL), LW_OK);
    assert_int_equal(columns_begin(c, g), LW_OK);
    size_t count = grid_column_count(g);
    grid_free(g);
    columns_free(c);
    return count;
}

static void splits_at_commas_outside_of_brackets(void **state)
{
    (void)state;
    assert_int_equal(count_columns("NAME:.metadata.name"), 1);
    assert_int_equal(count_columns("NAME:.metadata.name,IMAGE:.spec.containers[*].image"), 2);
    assert_int_equal(count_columns("A:.x[0,1],B:.y[?(@.z=='1,2')]"), 2);
    assert_int_equal(count_columns("A:metadata.name,B:{.b}"), 2);
}

static void says_what_is_missing(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = { { "", "there are no columns" },
                  { "NAME", "a path is missing" },
                  { "NAME:", "a path is missing" },
                  { ":.x", "a title is missing" },
                  { "A:.x,", NULL },
                  { "A:.x[", "invalid JSONPath" } };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        columns *c = NULL;
        lw_error err = LW_ERROR_INIT;
        lw_status st = columns_parse(&c, cases[i].text, &err);
        assert_int_equal(st, cases[i].message ? LW_ERR_SYNTAX : LW_OK);
        if (cases[i].message)
            assert_non_null(strstr(err.message, cases[i].message));
        columns_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits_at_commas_outside_of_brackets),
        cmocka_unit_test(says_what_is_missing),
    };
    return cmocka_run_group_tests_name("columns", tests, NULL, NULL);
}
