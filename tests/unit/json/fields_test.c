/* SPDX-License-Identifier: Apache-2.0 */
/* fields_test.c -- comparing two objects by their members. */
#include "json/fields.h"

#include "unit/json/document.h"

static void assert_differ(const char *a, const char *b, bool is_expected)
{
    static const char *const but[] = { "status", "rv", NULL };
    lw_tree *left = parse_document(a), *right = parse_document(b);
    const lw_node *x = lw_tree_root(left), *y = lw_tree_root(right);
    if (lw_fields_differ(x, y, but) != is_expected || lw_fields_differ(y, x, but) != is_expected)
        fail_msg("%s and %s should%s differ", a, b, is_expected ? "" : " not");
    lw_tree_free(left);
    lw_tree_free(right);
}

static void objects_differ_in_a_value_or_in_a_member_that_one_lacks(void **state)
{
    (void)state;
    assert_differ("{\"a\":1,\"b\":{\"c\":[]}}", "{\"b\":{\"c\":[]},\"a\":1}", false);
    assert_differ("{\"a\":1}", "{\"a\":2}", true);
    assert_differ("{\"a\":1}", "{\"a\":1,\"b\":null}", true);
    assert_differ("{\"a\":1}", "{}", true);
    assert_differ("{}", "{}", false);
}

static void excepted_members_do_not_count(void **state)
{
    (void)state;
    assert_differ("{\"a\":1,\"status\":1}", "{\"a\":1,\"status\":2}", false);
    assert_differ("{\"a\":1,\"rv\":1}", "{\"a\":1,\"status\":2}", false);
    assert_differ("{\"a\":1,\"rv\":1}", "{\"a\":2,\"rv\":1}", true);
    assert_differ("{\"rv\":1}", "{\"rv\":1,\"a\":1}", true);
}

static void an_absent_object_has_no_members(void **state)
{
    (void)state;
    static const char *const but[] = { "status", NULL };
    lw_tree *tree = parse_document("{\"a\":1}"), *excepted = parse_document("{\"status\":1}");
    assert_true(lw_fields_differ(NULL, lw_tree_root(tree), but));
    assert_true(lw_fields_differ(lw_tree_root(tree), NULL, but));
    assert_false(lw_fields_differ(NULL, lw_tree_root(excepted), but));
    assert_false(lw_fields_differ(NULL, NULL, but));
    lw_tree_free(tree);
    lw_tree_free(excepted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(objects_differ_in_a_value_or_in_a_member_that_one_lacks),
        TEST(excepted_members_do_not_count),
        TEST(an_absent_object_has_no_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
