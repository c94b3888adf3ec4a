/* SPDX-License-Identifier: Apache-2.0 */
/* list_bounds_test.c -- lists that are too large or never end. */
#include "object/list_bounds.h"

#include <stdio.h>

#include "unit/test.h"

static const lw_list_bounds defaults;

/* The number of pages until the list is given up, if the tokens are 1, 2 ... |tail|, and then
 * |cycle| tokens again and again. */
static int pages_until_noticed(int tail, int cycle)
{
    lw_list_progress progress;
    lw_error err = LW_ERROR_INIT;
    lw_list_progress_begin(&progress, &defaults);
    for (int i = 0; i < 10000; i++) {
        char token[16];
        (void)snprintf(token, sizeof(token), "%d", i < tail ? i : tail + (i - tail) % cycle);
        assert_int_equal(lw_list_progress_object(&progress, 1, NULL), LW_OK);
        lw_status st = lw_list_progress_page(&progress, token, &err);
        if (st == LW_OK)
            continue;
        assert_int_equal(st, LW_ERR_INVALID);
        assert_non_null(strstr(err.message, "the same continue token twice"));
        return i;
    }
    fail_msg("a cycle of %d tokens after %d was not noticed", cycle, tail);
    return 0;
}

static void repeated_tokens_are_noticed(void **state)
{
    (void)state;
    assert_int_equal(pages_until_noticed(0, 1), 1);
    assert_int_equal(pages_until_noticed(10, 1), 11);
    for (int cycle = 2; cycle < 50; cycle++) {
        for (int tail = 0; tail < 20; tail++)
            assert_in_range(pages_until_noticed(tail, cycle), cycle, 3 * (cycle + tail) + 2);
    }
}

static void different_tokens_are_followed(void **state)
{
    (void)state;
    lw_list_progress progress;
    lw_list_progress_begin(&progress, &defaults);
    for (int i = 0; i < 20000; i++) {
        char token[16];
        (void)snprintf(token, sizeof(token), "%d", i);
        assert_int_equal(lw_list_progress_object(&progress, 1000, NULL), LW_OK);
        assert_int_equal(lw_list_progress_page(&progress, token, NULL), LW_OK);
    }
}

static void a_few_pages_without_objects_are_followed(void **state)
{
    (void)state;
    lw_list_progress progress;
    char token[16];
    lw_list_progress_begin(&progress, &defaults);
    for (int i = 0; i < 3 * LW_LIST_EMPTY_PAGES_MAX; i++) {
        (void)snprintf(token, sizeof(token), "%d", i);
        if (i % LW_LIST_EMPTY_PAGES_MAX == 0)
            assert_int_equal(lw_list_progress_object(&progress, 1, NULL), LW_OK);
        assert_int_equal(lw_list_progress_page(&progress, token, NULL), LW_OK);
    }
}

static void bounds_are_for_objects_bytes_and_pages(void **state)
{
    (void)state;
    const lw_list_bounds small = { .objects = 3, .bytes = 100, .pages = 2 };
    lw_list_progress progress;
    lw_error err = LW_ERROR_INIT;
    lw_list_progress_begin(&progress, &small);
    for (int i = 0; i < 3; i++)
        assert_int_equal(lw_list_progress_object(&progress, 1, &err), LW_OK);
    assert_int_equal(lw_list_progress_object(&progress, 1, &err), LW_ERR_LIMIT);
    assert_string_equal(err.message,
                        "the list has more than 3 objects, which is the limit (bounds.objects)");
    lw_list_progress_begin(&progress, &small);
    assert_int_equal(lw_list_progress_object(&progress, 101, &err), LW_ERR_LIMIT);
    assert_string_equal(err.message,
                        "the list has more than 100 bytes, which is the limit (bounds.bytes)");
    lw_list_progress_begin(&progress, &small);
    assert_int_equal(lw_list_progress_page(&progress, "a", &err), LW_OK);
    assert_int_equal(lw_list_progress_page(&progress, "b", &err), LW_ERR_LIMIT);
    assert_string_equal(err.message,
                        "the list has more than 2 pages, which is the limit (bounds.pages)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(repeated_tokens_are_noticed),
        TEST(different_tokens_are_followed),
        TEST(a_few_pages_without_objects_are_followed),
        TEST(bounds_are_for_objects_bytes_and_pages),
    };
    return cmocka_run_group_tests_name("list_bounds", tests, NULL, NULL);
}
