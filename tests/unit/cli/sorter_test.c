/* SPDX-License-Identifier: Apache-2.0 */
/* sorter_test.c -- the order of --sort-by. */
#include "cli/sorter.h"

#include <string.h>

#include "unit/test.h"

/* Sorts the elements of |json| by .v and writes their numbers. */
static void check(const char *json, const char *expected)
{
    sorter *s = NULL;
    lw_document *doc = NULL;
    char order[32] = "";
    assert_int_equal(sorter_new(&s, ".v", NULL), LW_OK);
    assert_int_equal(lw_document_from_json(&doc, json, strlen(json), NULL), LW_OK);
    const lw_value *all = lw_document_find(doc, NULL, "");
    size_t count = lw_document_count(all);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(sorter_add(s, doc, lw_document_item(all, i), NULL), LW_OK);
    sorter_sort(s);
    for (size_t i = 0; i < count; i++)
        order[i] = (char)('0' + sorter_at(s, i));
    assert_string_equal(order, expected);
    sorter_free(s);
    lw_document_free(doc);
}

static void numbers_and_quantities_by_value(void **state)
{
    (void)state;
    check("[{\"v\":10},{\"v\":9},{\"v\":-1}]", "210");
    check("[{\"v\":\"1Gi\"},{\"v\":\"900Mi\"},{\"v\":\"100m\"}]", "210");
}

static void texts_by_their_bytes(void **state)
{
    (void)state;
    check("[{\"v\":\"b\"},{\"v\":\"a\"},{\"v\":\"ab\"}]", "120");
}

static void objects_without_a_value_come_first_and_equal_ones_keep_their_order(void **state)
{
    (void)state;
    check("[{\"v\":\"a\"},{\"x\":1},{\"v\":\"a\"},{\"x\":1}]", "1302");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_quantities_by_value),
        cmocka_unit_test(texts_by_their_bytes),
        cmocka_unit_test(objects_without_a_value_come_first_and_equal_ones_keep_their_order),
    };
    return cmocka_run_group_tests_name("sorter", tests, NULL, NULL);
}
