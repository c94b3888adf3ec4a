/* SPDX-License-Identifier: Apache-2.0 */
/* budget_test.c -- the steps of a request. */
#include "base/budget.h"
#include "unit/test.h"
#include "json/tree.h"
#include "json/yaml/yaml.h"

static void charges_until_the_steps_are_used_up(void **state)
{
    (void)state;
    lw_budget budget;
    lw_budget_init(&budget, 10);
    assert_true(lw_budget_charge(&budget, 4));
    assert_true(lw_budget_charge(&budget, 6));
    assert_false(lw_budget_is_over(&budget));
    assert_true(lw_budget_charge(&budget, 0));
    assert_false(lw_budget_charge(&budget, 1));
    assert_true(lw_budget_is_over(&budget));
    assert_int_equal(lw_budget_used(&budget), 10);
}

static void a_charge_that_is_too_large_uses_up_everything(void **state)
{
    (void)state;
    lw_budget budget;
    lw_budget_init(&budget, 10);
    assert_false(lw_budget_charge(&budget, UINT64_MAX));
    assert_false(lw_budget_charge(&budget, 1));
    assert_int_equal(lw_budget_used(&budget), 10);
}

static void no_budget_has_no_limit(void **state)
{
    (void)state;
    lw_budget_enter(NULL, LW_BUDGET_PATCH);
    lw_budget_mark(NULL);
    lw_budget_rewind(NULL);
    assert_true(lw_budget_charge(NULL, UINT64_MAX));
    assert_false(lw_budget_is_over(NULL));
}

static void remembers_the_part_that_used_up_the_steps(void **state)
{
    (void)state;
    lw_budget budget;
    lw_budget_init(&budget, 10);
    lw_budget_enter(&budget, LW_BUDGET_PATTERNS);
    assert_false(lw_budget_charge(&budget, 11));
    lw_budget_enter(&budget, LW_BUDGET_OUTPUT);
    assert_false(lw_budget_charge(&budget, 1));
    assert_int_equal(budget.over, LW_BUDGET_PATTERNS);
    assert_string_equal(lw_budget_part_name(budget.over), "matching patterns");
    assert_true(lw_budget_part_is_of_schema(budget.over));
    assert_false(lw_budget_part_is_of_schema(LW_BUDGET_OUTPUT));
}

static void a_repeated_attempt_has_the_steps_of_the_first(void **state)
{
    (void)state;
    lw_budget budget;
    lw_budget_init(&budget, 10);
    assert_true(lw_budget_charge(&budget, 2));
    lw_budget_mark(&budget);
    for (int i = 0; i < 3; i++) {
        assert_true(lw_budget_charge(&budget, 8));
        assert_false(lw_budget_charge(&budget, 1));
        lw_budget_rewind(&budget);
        assert_false(lw_budget_is_over(&budget));
    }
    assert_int_equal(budget.left, 8);
    assert_int_equal(lw_budget_used(&budget), 2 + 3 * 8);
}

/* A list of |count| ones. */
static void write_list(lw_buf *out, unsigned count, const char *before, const char *item,
                       const char *after)
{
    lw_buf_init(out, 1 << 24);
    lw_buf_append_text(out, before);
    for (unsigned i = 0; i < count; i++)
        lw_buf_append_text(out, item);
    lw_buf_append_text(out, after);
}

static void a_tree_fails_when_the_steps_are_used_up(void **state)
{
    (void)state;
    lw_tree *tree = NULL;
    lw_budget budget;
    lw_buf json;
    lw_error err = LW_ERROR_INIT;
    write_list(&json, 10000, "[", "1,", "1]");
    lw_budget_init(&budget, 1000000);
    assert_int_equal(lw_tree_parse_within(&tree, lw_buf_view(&json), 0, &budget, &err), LW_OK);
    uint64_t used = lw_budget_used(&budget);
    assert_true(used > 1000 && used < 20000);
    lw_budget_init(&budget, used - 1);
    lw_tree_free(tree);
    assert_int_equal(lw_tree_parse_within(&tree, lw_buf_view(&json), 0, &budget, &err),
                     LW_ERR_LIMIT);
    assert_string_equal(err.message, "the document takes too many steps to read");
    assert_true(lw_budget_is_over(&budget));
    lw_buf_done(&json);
}

static void a_copy_in_a_tree_is_charged(void **state)
{
    (void)state;
    lw_tree *from = NULL, *to = NULL;
    lw_budget budget;
    lw_buf json;
    write_list(&json, 10000, "[", "1,", "1]");
    lw_budget_init(&budget, 100);
    assert_int_equal(lw_tree_parse(&from, lw_buf_view(&json), 0, NULL), LW_OK);
    assert_int_equal(lw_tree_new(&to, 0), LW_OK);
    lw_tree_set_budget(to, &budget);
    assert_null(lw_tree_copy(to, lw_tree_root(from)));
    assert_int_equal(lw_tree_status(to), LW_ERR_LIMIT);
    assert_true(lw_budget_is_over(&budget));
    lw_tree_free(from);
    lw_tree_free(to);
    lw_buf_done(&json);
}

static void comparing_is_charged(void **state)
{
    (void)state;
    lw_tree *tree = NULL, *other = NULL;
    lw_budget budget;
    lw_buf json;
    write_list(&json, 999, "[", "1,", "1]");
    lw_budget_init(&budget, 1000);
    assert_int_equal(lw_tree_parse(&tree, lw_buf_view(&json), 0, NULL), LW_OK);
    assert_int_equal(lw_tree_parse(&other, lw_buf_view(&json), 0, NULL), LW_OK);
    assert_true(lw_node_equal_within(lw_tree_root(tree), lw_tree_root(other), &budget));
    assert_int_equal(lw_budget_used(&budget), 1000);
    assert_false(lw_node_equal_within(lw_tree_root(tree), lw_tree_root(other), &budget));
    lw_tree_free(tree);
    lw_tree_free(other);
    lw_buf_done(&json);
}

static void yaml_is_charged(void **state)
{
    (void)state;
    lw_yaml_reader *reader = NULL;
    lw_tree *tree = NULL;
    lw_budget budget;
    lw_buf yaml;
    lw_error err = LW_ERROR_INIT;
    write_list(&yaml, 10000, "a:\n", "- 1\n", "");
    lw_budget_init(&budget, 10000);
    assert_int_equal(lw_yaml_reader_new(&reader, lw_buf_view(&yaml)), LW_OK);
    lw_yaml_reader_set_budget(reader, &budget);
    assert_int_equal(lw_yaml_reader_next(reader, 0, &tree, &err), LW_ERR_LIMIT);
    assert_non_null(strstr(err.message, "the document takes too many steps to read"));
    lw_yaml_reader_free(reader);
    lw_buf_done(&yaml);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(charges_until_the_steps_are_used_up),
        cmocka_unit_test(a_charge_that_is_too_large_uses_up_everything),
        cmocka_unit_test(no_budget_has_no_limit),
        cmocka_unit_test(remembers_the_part_that_used_up_the_steps),
        cmocka_unit_test(a_repeated_attempt_has_the_steps_of_the_first),
        cmocka_unit_test(a_tree_fails_when_the_steps_are_used_up),
        cmocka_unit_test(a_copy_in_a_tree_is_charged),
        cmocka_unit_test(comparing_is_charged),
        cmocka_unit_test(yaml_is_charged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
