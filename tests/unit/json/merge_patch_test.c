/* SPDX-License-Identifier: Apache-2.0 */
/* merge_patch_test.c -- JSON Merge Patch. */
#include "json/patch.h"

#include "base/str.h"
#include "unit/json/document.h"

typedef struct merge_case {
    const char *target; /* NULL: absent */
    const char *patch;
    const char *result;
} merge_case;

static void assert_merged(const merge_case *c)
{
    lw_tree *patch = parse_document(c->patch);
    lw_tree *tree = parse_document(c->target ? c->target : "null");
    lw_node *target = c->target ? lw_tree_root(tree) : NULL;
    lw_node *result = lw_json_merge_patch(tree, target, lw_tree_root(patch));
    lw_tree_free(patch); /* the result holds nothing of it */
    assert_int_equal(lw_tree_status(tree), LW_OK);
    assert_written(result, c->result);
    lw_tree_free(tree);
}

/* RFC 7386, appendix A. */
static void merges_the_examples_of_the_rfc(void **state)
{
    (void)state;
    static const merge_case cases[] = {
        { "{\"a\":\"b\"}", "{\"a\":\"c\"}", "{\"a\":\"c\"}" },
        { "{\"a\":\"b\"}", "{\"b\":\"c\"}", "{\"a\":\"b\",\"b\":\"c\"}" },
        { "{\"a\":\"b\"}", "{\"a\":null}", "{}" },
        { "{\"a\":\"b\",\"b\":\"c\"}", "{\"a\":null}", "{\"b\":\"c\"}" },
        { "{\"a\":[\"b\"]}", "{\"a\":\"c\"}", "{\"a\":\"c\"}" },
        { "{\"a\":\"c\"}", "{\"a\":[\"b\"]}", "{\"a\":[\"b\"]}" },
        { "{\"a\":{\"b\":\"c\"}}", "{\"a\":{\"b\":\"d\",\"c\":null}}", "{\"a\":{\"b\":\"d\"}}" },
        { "{\"a\":[{\"b\":\"c\"}]}", "{\"a\":[1]}", "{\"a\":[1]}" },
        { "[\"a\",\"b\"]", "[\"c\",\"d\"]", "[\"c\",\"d\"]" },
        { "{\"a\":\"b\"}", "[\"c\"]", "[\"c\"]" },
        { "{\"a\":\"foo\"}", "null", "null" },
        { "{\"a\":\"foo\"}", "\"bar\"", "\"bar\"" },
        { "{\"e\":null}", "{\"a\":1}", "{\"e\":null,\"a\":1}" },
        { "[1,2]", "{\"a\":\"b\",\"c\":null}", "{\"a\":\"b\"}" },
        { "{}", "{\"a\":{\"bb\":{\"ccc\":null}}}", "{\"a\":{\"bb\":{}}}" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_merged(&cases[i]);
}

/* RFC 7386 §3. */
static void merges_the_article_of_the_rfc(void **state)
{
    (void)state;
    assert_merged(&(merge_case){
        "{\"title\":\"Goodbye!\",\"author\":{\"givenName\":\"John\",\"familyName\":\"Doe\"},"
        "\"tags\":[\"example\",\"sample\"],\"content\":\"This will be unchanged\"}",
        "{\"title\":\"Hello!\",\"phoneNumber\":\"+01-123-456-7890\","
        "\"author\":{\"familyName\":null},\"tags\":[\"example\"]}",
        "{\"title\":\"Hello!\",\"author\":{\"givenName\":\"John\"},\"tags\":[\"example\"],"
        "\"content\":\"This will be unchanged\",\"phoneNumber\":\"+01-123-456-7890\"}" });
}

static void drops_nulls_of_new_objects_but_not_in_arrays(void **state)
{
    (void)state;
    assert_merged(
        &(merge_case){ NULL, "{\"a\":null,\"b\":{\"c\":null,\"d\":1}}", "{\"b\":{\"d\":1}}" });
    assert_merged(
        &(merge_case){ "{\"x\":1}", "{\"x\":{\"y\":{\"z\":null}}}", "{\"x\":{\"y\":{}}}" });
    assert_merged(
        &(merge_case){ "{}", "{\"a\":[null,{\"b\":null}]}", "{\"a\":[null,{\"b\":null}]}" });
}

static void changes_the_target_in_place(void **state)
{
    (void)state;
    lw_tree *tree = parse_document("{\"a\":{\"b\":1}}");
    lw_tree *patch = parse_document("{\"a\":{\"c\":2}}");
    lw_node *root = lw_tree_root(tree);
    lw_node *inner = lw_node_get(root, LW_STR("a"));
    assert_ptr_equal(lw_json_merge_patch(tree, root, lw_tree_root(patch)), root);
    assert_ptr_equal(lw_node_get(root, LW_STR("a")), inner);
    lw_tree_free(patch);
    assert_written(root, "{\"a\":{\"b\":1,\"c\":2}}");
    lw_tree_free(tree);
}

static void removes_many_members_fast(void **state)
{
    (void)state;
    enum {
        MANY = 200000,
    };
    lw_buf target, patch;
    lw_buf_init(&target, 8 << 20);
    lw_buf_init(&patch, 8 << 20);
    for (unsigned i = 0; i < MANY; i++) {
        lw_buf_printf(&target, "%c\"%u\":1", i ? ',' : '{', i);
        lw_buf_printf(&patch, "%c\"%u\":null", i ? ',' : '{', i);
    }
    lw_buf_append_char(&target, '}');
    lw_buf_append_text(&patch, ",\"x\":2}");
    lw_tree *tree, *changes;
    assert_int_equal(lw_tree_parse(&tree, lw_buf_view(&target), 0, NULL), LW_OK);
    assert_int_equal(lw_tree_parse(&changes, lw_buf_view(&patch), 0, NULL), LW_OK);
    assert_written(lw_json_merge_patch(tree, lw_tree_root(tree), lw_tree_root(changes)),
                   "{\"x\":2}");
    lw_tree_free(tree);
    lw_tree_free(changes);
    lw_buf_done(&target);
    lw_buf_done(&patch);
}

static void a_patch_nested_too_deep_by_hand_is_refused(void **state)
{
    (void)state;
    lw_tree *tree;
    assert_int_equal(lw_tree_new(&tree, 0), LW_OK);
    lw_node *deep = lw_tree_int(tree, 1);
    for (int i = 0; i < 100000; i++) {
        lw_node *outer = lw_tree_object(tree);
        lw_node_put(tree, outer, LW_STR("a"), deep);
        deep = outer;
    }
    assert_int_equal(lw_tree_status(tree), LW_OK);
    (void)lw_json_merge_patch(tree, NULL, deep);
    assert_int_equal(lw_tree_status(tree), LW_ERR_LIMIT);
    lw_tree_free(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(merges_the_examples_of_the_rfc),
        TEST(merges_the_article_of_the_rfc),
        TEST(drops_nulls_of_new_objects_but_not_in_arrays),
        TEST(changes_the_target_in_place),
        TEST(removes_many_members_fast),
        TEST(a_patch_nested_too_deep_by_hand_is_refused),
    };
    return cmocka_run_group_tests_name("merge_patch", tests, NULL, NULL);
}
