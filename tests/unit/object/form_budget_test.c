/* SPDX-License-Identifier: Apache-2.0 */
/* form_budget_test.c -- what kept forms take together. */
#include "object/form_budget.h"

#include "base/str.h"
#include "object/object.h"
#include "unit/object/make.h"

static lw_form_stats stats_of(const lw_form_budget *budget)
{
    lw_form_stats stats;
    lw_form_budget_read(budget, &stats);
    return stats;
}

static void a_form_counts_as_long_as_its_object_lives(void **state)
{
    (void)state;
    lw_form_budget *budget = NULL;
    lw_object *obj = object_of("{\"metadata\":{\"name\":\"a\"}}");
    lw_str kept, again;
    size_t before = lw_object_memory(obj);
    assert_int_equal(lw_form_budget_new(&budget, 1000), LW_OK);
    assert_int_equal(lw_object__keep_form(obj, LW_STR("he"), LW_STR("llo"), budget, &kept), LW_OK);
    assert_true(lw_str_equal(kept, LW_STR("hello")));
    assert_int_equal(stats_of(budget).bytes, lw_object_memory(obj) - before);
    assert_int_equal(stats_of(budget).forms, 1);
    assert_int_equal(lw_object__keep_form(obj, LW_STR("x"), LW_STR(""), budget, &again), LW_OK);
    assert_ptr_equal(again.ptr, kept.ptr);
    assert_int_equal(stats_of(budget).kept, 1);
    lw_object_unref(obj);
    assert_int_equal(stats_of(budget).bytes, 0);
    assert_int_equal(stats_of(budget).forms, 0);
    assert_int_equal(stats_of(budget).kept, 1);
    lw_form_budget_unref(budget);
}

static void there_is_room_up_to_the_limit(void **state)
{
    (void)state;
    lw_form_budget *budget = NULL;
    assert_int_equal(lw_form_budget_new(&budget, 1000), LW_OK);
    assert_true(lw_form_budget_has_room(budget, 1000));
    assert_false(lw_form_budget_has_room(budget, 1001));
    lw_form_budget_take(budget, 600);
    assert_true(lw_form_budget_has_room(budget, 400));
    assert_false(lw_form_budget_has_room(budget, 401));
    lw_form_budget_take(budget, 600);
    assert_false(lw_form_budget_has_room(budget, 0));
    assert_int_equal(stats_of(budget).refused, 3);
    lw_form_budget_give_back(budget, 600);
    assert_true(lw_form_budget_has_room(budget, 400));
    lw_form_budget_unref(budget);
}

static void a_form_may_outlive_who_made_the_budget(void **state)
{
    (void)state;
    lw_form_budget *budget = NULL;
    lw_object *obj = object_of("{\"metadata\":{\"name\":\"a\"}}");
    lw_str kept;
    assert_int_equal(lw_form_budget_new(&budget, 1000), LW_OK);
    assert_int_equal(lw_object__keep_form(obj, LW_STR("a"), LW_STR(""), budget, &kept), LW_OK);
    lw_form_budget_unref(budget);
    lw_object_unref(obj);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_form_counts_as_long_as_its_object_lives),
        TEST(there_is_room_up_to_the_limit),
        TEST(a_form_may_outlive_who_made_the_budget),
    };
    return cmocka_run_group_tests_name("form budget", tests, NULL, NULL);
}
