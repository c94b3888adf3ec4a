/* SPDX-License-Identifier: Apache-2.0 */
/* json_patch_test.c -- JSON Patch. */
#include "json/patch.h"

#include "base/alloc.h"
#include "base/str.h"
#include "unit/json/document.h"

typedef struct patch_case {
    const char *document;
    const char *patch;
    lw_status st;
    const char *result; /* the resulting document, or the message */
} patch_case;

static void assert_patched(const patch_case *c)
{
    lw_tree *tree = parse_document(c->document);
    lw_tree *patch = parse_document(c->patch);
    lw_error err = LW_ERROR_INIT;
    lw_status st = lw_json_patch_apply(tree, lw_tree_root(patch), &err);
    lw_tree_free(patch); /* the document holds nothing of it */
    if (st != c->st)
        fail_msg("%s on %s: %s: %s", c->patch, c->document, lw_status_name(st), err.message);
    if (st == LW_OK)
        assert_written(lw_tree_root(tree), c->result);
    else if (!strstr(err.message, c->result))
        fail_msg("%s: \"%s\" is not in \"%s\"", c->patch, c->result, err.message);
    lw_tree_free(tree);
}

#define ASSERT_ALL(cases)                                                                          \
    for (size_t i = 0; i < sizeof(cases) / sizeof((cases)[0]); i++)                                \
    assert_patched(&(cases)[i])

/* RFC 6902, appendix A; A.13 (a member named twice) is about parsing: the last one counts. */
static void applies_the_examples_of_the_rfc(void **state)
{
    (void)state;
    static const patch_case cases[] = {
        { "{\"foo\":\"bar\"}", "[{\"op\":\"add\",\"path\":\"/baz\",\"value\":\"qux\"}]", LW_OK,
          "{\"foo\":\"bar\",\"baz\":\"qux\"}" },
        { "{\"foo\":[\"bar\",\"baz\"]}", "[{\"op\":\"add\",\"path\":\"/foo/1\",\"value\":\"qux\"}]",
          LW_OK, "{\"foo\":[\"bar\",\"qux\",\"baz\"]}" },
        { "{\"baz\":\"qux\",\"foo\":\"bar\"}", "[{\"op\":\"remove\",\"path\":\"/baz\"}]", LW_OK,
          "{\"foo\":\"bar\"}" },
        { "{\"foo\":[\"bar\",\"qux\",\"baz\"]}", "[{\"op\":\"remove\",\"path\":\"/foo/1\"}]", LW_OK,
          "{\"foo\":[\"bar\",\"baz\"]}" },
        { "{\"baz\":\"qux\",\"foo\":\"bar\"}",
          "[{\"op\":\"replace\",\"path\":\"/baz\",\"value\":\"boo\"}]", LW_OK,
          "{\"baz\":\"boo\",\"foo\":\"bar\"}" },
        { "{\"foo\":{\"bar\":\"baz\",\"waldo\":\"fred\"},\"qux\":{\"corge\":\"grault\"}}",
          "[{\"op\":\"move\",\"from\":\"/foo/waldo\",\"path\":\"/qux/thud\"}]", LW_OK,
          "{\"foo\":{\"bar\":\"baz\"},\"qux\":{\"corge\":\"grault\",\"thud\":\"fred\"}}" },
        { "{\"foo\":[\"all\",\"grass\",\"cows\",\"eat\"]}",
          "[{\"op\":\"move\",\"from\":\"/foo/1\",\"path\":\"/foo/3\"}]", LW_OK,
          "{\"foo\":[\"all\",\"cows\",\"eat\",\"grass\"]}" },
        { "{\"baz\":\"qux\",\"foo\":[\"a\",2,\"c\"]}",
          "[{\"op\":\"test\",\"path\":\"/baz\",\"value\":\"qux\"},"
          "{\"op\":\"test\",\"path\":\"/foo/1\",\"value\":2}]",
          LW_OK, "{\"baz\":\"qux\",\"foo\":[\"a\",2,\"c\"]}" },
        { "{\"baz\":\"qux\"}", "[{\"op\":\"test\",\"path\":\"/baz\",\"value\":\"bar\"}]",
          LW_ERR_TEST_FAILED,
          "operation 0 (test): path \"/baz\": the value differs from the expected value" },
        { "{\"foo\":\"bar\"}",
          "[{\"op\":\"add\",\"path\":\"/child\",\"value\":{\"grandchild\":{}}}]", LW_OK,
          "{\"foo\":\"bar\",\"child\":{\"grandchild\":{}}}" },
        { "{\"foo\":\"bar\"}", "[{\"op\":\"add\",\"path\":\"/baz\",\"value\":\"qux\",\"xyz\":123}]",
          LW_OK, "{\"foo\":\"bar\",\"baz\":\"qux\"}" },
        { "{\"foo\":\"bar\"}", "[{\"op\":\"add\",\"path\":\"/baz/bat\",\"value\":\"qux\"}]",
          LW_ERR_NOT_FOUND, "operation 0 (add): path \"/baz/bat\": does not exist" },
        { "{\"foo\":\"bar\"}",
          "[{\"op\":\"add\",\"path\":\"/baz\",\"value\":\"qux\",\"op\":\"remove\"}]",
          LW_ERR_NOT_FOUND, "operation 0 (remove)" },
        { "{\"/\":9,\"~1\":10}", "[{\"op\":\"test\",\"path\":\"/~01\",\"value\":10}]", LW_OK,
          "{\"/\":9,\"~1\":10}" },
        { "{\"/\":9,\"~1\":10}", "[{\"op\":\"test\",\"path\":\"/~01\",\"value\":\"10\"}]",
          LW_ERR_TEST_FAILED, "/~01" },
        { "{\"foo\":[\"bar\"]}",
          "[{\"op\":\"add\",\"path\":\"/foo/-\",\"value\":[\"abc\",\"def\"]}]", LW_OK,
          "{\"foo\":[\"bar\",[\"abc\",\"def\"]]}" },
    };
    ASSERT_ALL(cases);
}

static void adds_replaces_and_copies(void **state)
{
    (void)state;
    static const patch_case cases[] = {
        { "{}", "[]", LW_OK, "{}" },
        { "{\"a\":1,\"b\":2}", "[{\"op\":\"add\",\"path\":\"/a\",\"value\":null}]", LW_OK,
          "{\"a\":null,\"b\":2}" },
        { "{}", "[{\"op\":\"add\",\"path\":\"/\",\"value\":1}]", LW_OK, "{\"\":1}" },
        { "[1]", "[{\"op\":\"add\",\"path\":\"/1\",\"value\":2}]", LW_OK, "[1,2]" },
        { "[1]", "[{\"op\":\"add\",\"path\":\"/2\",\"value\":2}]", LW_ERR_NOT_FOUND,
          "path \"/2\": is not a valid index" },
        { "[1]", "[{\"op\":\"add\",\"path\":\"/01\",\"value\":2}]", LW_ERR_NOT_FOUND, "\"/01\"" },
        { "[1]", "[{\"op\":\"add\",\"path\":\"/x\",\"value\":2}]", LW_ERR_NOT_FOUND, "\"/x\"" },
        { "{\"a\":1}", "[{\"op\":\"add\",\"path\":\"/a/b\",\"value\":2}]", LW_ERR_NOT_FOUND,
          "\"/a/b\"" },
        { "{\"a\":null}", "[{\"op\":\"add\",\"path\":\"/a/b\",\"value\":2}]", LW_ERR_NOT_FOUND,
          "\"/a/b\"" },
        { "{\"a~b\":{\"c/d\":1}}", "[{\"op\":\"add\",\"path\":\"/a~0b/c~1d\",\"value\":2}]", LW_OK,
          "{\"a~b\":{\"c/d\":2}}" },
        { "{}", "[{\"op\":\"add\",\"path\":\"/a~1b\",\"value\":2}]", LW_OK, "{\"a/b\":2}" },
        { "[1,2]", "[{\"op\":\"replace\",\"path\":\"/1\",\"value\":{}}]", LW_OK, "[1,{}]" },
        { "[1,2]", "[{\"op\":\"replace\",\"path\":\"/2\",\"value\":3}]", LW_ERR_NOT_FOUND, "/2" },
        { "[1,2]", "[{\"op\":\"replace\",\"path\":\"/-\",\"value\":3}]", LW_ERR_NOT_FOUND, "/-" },
        { "{\"a\":1}", "[{\"op\":\"replace\",\"path\":\"/b\",\"value\":3}]", LW_OK,
          "{\"a\":1,\"b\":3}" },
        { "{\"a\":1}", "[{\"op\":\"replace\",\"path\":\"/b/c\",\"value\":3}]", LW_ERR_NOT_FOUND,
          "operation 0 (replace): path \"/b/c\": does not exist" },
        { "{\"a\":[1]}",
          "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/b\"},"
          "{\"op\":\"add\",\"path\":\"/b/-\",\"value\":2}]",
          LW_OK, "{\"a\":[1],\"b\":[1,2]}" },
        { "{\"a\":[1]}", "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/a/0\"}]", LW_OK,
          "{\"a\":[[1],1]}" },
        { "{\"a\":1}", "[{\"op\":\"copy\",\"from\":\"\",\"path\":\"/b\"}]", LW_OK,
          "{\"a\":1,\"b\":{\"a\":1}}" },
        { "{\"a\":1}", "[{\"op\":\"copy\",\"from\":\"/x\",\"path\":\"/b\"}]", LW_OK,
          "{\"a\":1,\"b\":null}" },
        { "[1]", "[{\"op\":\"copy\",\"from\":\"/1\",\"path\":\"/0\"}]", LW_ERR_NOT_FOUND,
          "operation 0 (copy): path \"/1\"" },
        { "{\"a\":1}", "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/x/y\"}]", LW_ERR_NOT_FOUND,
          "\"/x/y\"" },
    };
    ASSERT_ALL(cases);
}

static void removes_and_moves(void **state)
{
    (void)state;
    static const patch_case cases[] = {
        { "{\"a\":1}", "[{\"op\":\"remove\",\"path\":\"/b\"}]", LW_ERR_NOT_FOUND, "\"/b\"" },
        { "{\"a\":null}", "[{\"op\":\"remove\",\"path\":\"/a\"}]", LW_OK, "{}" },
        { "[1]", "[{\"op\":\"remove\",\"path\":\"/1\"}]", LW_ERR_NOT_FOUND, "\"/1\"" },
        { "[]", "[{\"op\":\"remove\",\"path\":\"/0\"}]", LW_ERR_NOT_FOUND, "\"/0\"" },
        { "[1]", "[{\"op\":\"remove\",\"path\":\"/-\"}]", LW_ERR_NOT_FOUND, "\"/-\"" },
        { "{\"a/b\":1,\"c\":2}", "[{\"op\":\"remove\",\"path\":\"/a~1b\"}]", LW_OK, "{\"c\":2}" },
        { "{\"a\":1}", "[{\"op\":\"remove\",\"path\":\"\"}]", LW_ERR_INVALID,
          "the whole document cannot be removed" },
        { "{\"a\":{\"b\":1}}", "[{\"op\":\"move\",\"from\":\"/a/b\",\"path\":\"/a\"}]", LW_OK,
          "{\"a\":1}" },
        { "{\"a\":{\"b\":1}}", "[{\"op\":\"move\",\"from\":\"/a/b\",\"path\":\"\"}]", LW_OK, "1" },
        { "{\"a\":{}}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/a/b\"}]", LW_ERR_INVALID,
          "operation 0 (move): path \"/a/b\": is inside the value to be moved" },
        { "{\"a\":{}}", "[{\"op\":\"move\",\"from\":\"\",\"path\":\"/a\"}]", LW_ERR_INVALID,
          "is inside the value to be moved" },
        { "{\"a\":1}", "[{\"op\":\"move\",\"from\":\"\",\"path\":\"\"}]", LW_OK, "{\"a\":1}" },
        { "{\"a\":1,\"b\":2}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/ab\"}]", LW_OK,
          "{\"b\":2,\"ab\":1}" },
        { "[1,2,3]", "[{\"op\":\"move\",\"from\":\"/1\",\"path\":\"/1\"}]", LW_OK, "[1,2,3]" },
        { "[1,2,3]", "[{\"op\":\"move\",\"from\":\"/0\",\"path\":\"/3\"}]", LW_ERR_NOT_FOUND,
          "\"/3\"" },
        { "[[1],2]", "[{\"op\":\"move\",\"from\":\"/-2\",\"path\":\"/0/0\"}]", LW_ERR_NOT_FOUND,
          "\"/0/0\"" },
        { "{\"a\":1}", "[{\"op\":\"move\",\"from\":\"/b\",\"path\":\"/c\"}]", LW_ERR_NOT_FOUND,
          "\"/b\"" },
    };
    ASSERT_ALL(cases);
}

static void replaces_the_whole_document(void **state)
{
    (void)state;
    static const patch_case cases[] = {
        { "{\"a\":1}", "[{\"op\":\"add\",\"path\":\"\",\"value\":[1]}]", LW_OK, "[1]" },
        { "{\"a\":1}", "[{\"op\":\"replace\",\"path\":\"\",\"value\":{\"b\":2}}]", LW_OK,
          "{\"b\":2}" },
        { "{\"a\":1}", "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"\"}]", LW_OK, "1" },
        { "{\"a\":1}",
          "[{\"op\":\"test\",\"path\":\"\",\"value\":{\"a\":1}},"
          "{\"op\":\"replace\",\"path\":\"\",\"value\":[]},"
          "{\"op\":\"add\",\"path\":\"/-\",\"value\":2}]",
          LW_OK, "[2]" },
    };
    ASSERT_ALL(cases);
}

static void negative_indices_count_from_the_end(void **state)
{
    (void)state;
    static const patch_case cases[] = {
        { "[1,2,3]", "[{\"op\":\"remove\",\"path\":\"/-1\"}]", LW_OK, "[1,2]" },
        { "[1,2,3]", "[{\"op\":\"remove\",\"path\":\"/-3\"}]", LW_OK, "[2,3]" },
        { "[1,2,3]", "[{\"op\":\"remove\",\"path\":\"/-4\"}]", LW_ERR_NOT_FOUND, "\"/-4\"" },
        { "[1,2,3]", "[{\"op\":\"replace\",\"path\":\"/-2\",\"value\":9}]", LW_OK, "[1,9,3]" },
        { "[1,2,3]", "[{\"op\":\"test\",\"path\":\"/-1\",\"value\":3}]", LW_OK, "[1,2,3]" },
        { "[1,2,3]", "[{\"op\":\"add\",\"path\":\"/-1\",\"value\":9}]", LW_OK, "[1,2,3,9]" },
        { "[1,2,3]", "[{\"op\":\"add\",\"path\":\"/-4\",\"value\":9}]", LW_OK, "[9,1,2,3]" },
        { "[1,2,3]", "[{\"op\":\"add\",\"path\":\"/-5\",\"value\":9}]", LW_ERR_NOT_FOUND, "/-5" },
        { "[[1],[2]]", "[{\"op\":\"add\",\"path\":\"/-1/-\",\"value\":3}]", LW_OK, "[[1],[2,3]]" },
        { "{\"-1\":1}", "[{\"op\":\"remove\",\"path\":\"/-1\"}]", LW_OK, "{}" },
    };
    ASSERT_ALL(cases);
}

static void tests_by_value_and_absence_as_null(void **state)
{
    (void)state;
    static const patch_case cases[] = {
        { "{\"a\":{\"x\":1,\"y\":[2.0]}}",
          "[{\"op\":\"test\",\"path\":\"/a\",\"value\":{\"y\":[2],\"x\":1e0}}]", LW_OK,
          "{\"a\":{\"x\":1,\"y\":[2.0]}}" },
        { "{}", "[{\"op\":\"test\",\"path\":\"/a\",\"value\":null}]", LW_OK, "{}" },
        { "{\"a\":null}", "[{\"op\":\"test\",\"path\":\"/a\",\"value\":null}]", LW_OK,
          "{\"a\":null}" },
        { "{\"a\":0}", "[{\"op\":\"test\",\"path\":\"/a\",\"value\":null}]", LW_ERR_TEST_FAILED,
          "\"/a\"" },
        { "{}", "[{\"op\":\"test\",\"path\":\"/a\",\"value\":0}]", LW_ERR_TEST_FAILED, "\"/a\"" },
        { "{\"a\":null}", "[{\"op\":\"test\",\"path\":\"/a\",\"value\":0}]", LW_ERR_TEST_FAILED,
          "\"/a\"" },
        { "{}", "[{\"op\":\"test\",\"path\":\"/a/b\",\"value\":null}]", LW_ERR_NOT_FOUND,
          "\"/a/b\"" },
        { "[]", "[{\"op\":\"test\",\"path\":\"/0\",\"value\":null}]", LW_ERR_NOT_FOUND, "\"/0\"" },
    };
    ASSERT_ALL(cases);
}

static void a_value_left_out_means_null(void **state)
{
    (void)state;
    static const patch_case cases[] = {
        { "{}", "[{\"op\":\"add\",\"path\":\"/a\"}]", LW_OK, "{\"a\":null}" },
        { "{\"a\":1}", "[{\"op\":\"replace\",\"path\":\"/a\"}]", LW_OK, "{\"a\":null}" },
        { "[1]", "[{\"op\":\"replace\",\"path\":\"/0\"}]", LW_OK, "[null]" },
        { "{\"a\":1}", "[{\"op\":\"test\",\"path\":\"/a\"}]", LW_ERR_TEST_FAILED, "\"/a\"" },
    };
    ASSERT_ALL(cases);
}

static void names_the_operation_that_is_malformed(void **state)
{
    (void)state;
    static const patch_case cases[] = {
        { "{}", "{}", LW_ERR_INVALID, "array of operations" },
        { "{}", "null", LW_ERR_INVALID, "array of operations" },
        { "{}", "[1]", LW_ERR_INVALID, "operation 0 is not an object" },
        { "{}", "[{\"op\":\"test\",\"path\":\"\",\"value\":{}},{}]", LW_ERR_INVALID,
          "operation 1: \"op\" is missing" },
        { "{}", "[{\"op\":1}]", LW_ERR_INVALID, "operation 0: \"op\" is not a string" },
        { "{}", "[{\"op\":\"Add\",\"path\":\"/a\"}]", LW_ERR_INVALID,
          "operation 0: \"op\" is not a JSON patch operation" },
        { "{}", "[{\"op\":\"add\",\"value\":1}]", LW_ERR_INVALID,
          "operation 0 (add): \"path\" is missing" },
        { "{}", "[{\"op\":\"add\",\"path\":null}]", LW_ERR_INVALID,
          "operation 0 (add): \"path\" is not a string" },
        { "{}", "[{\"op\":\"add\",\"path\":\"a\",\"value\":1}]", LW_ERR_INVALID,
          "operation 0 (add): path \"a\": is not a JSON Pointer" },
        { "{}", "[{\"op\":\"add\",\"path\":\"/a~\",\"value\":1}]", LW_ERR_INVALID,
          "is not a JSON Pointer" },
        { "{}", "[{\"op\":\"move\",\"path\":\"/a\"}]", LW_ERR_INVALID,
          "operation 0 (move): \"from\" is missing" },
        { "{}", "[{\"op\":\"copy\",\"path\":\"/a\",\"from\":7}]", LW_ERR_INVALID,
          "operation 0 (copy): \"from\" is not a string" },
        { "{}", "[{\"op\":\"remove\",\"path\":\"/a\\nb\"}]", LW_ERR_NOT_FOUND, "\"/a\\nb\"" },
    };
    ASSERT_ALL(cases);
}

static void shows_a_long_path_cut(void **state)
{
    (void)state;
    lw_buf buf;
    lw_buf_init(&buf, 10000);
    lw_buf_append_text(&buf, "[{\"op\":\"remove\",\"path\":\"/");
    for (int i = 0; i < 1000; i++)
        lw_buf_append_text(&buf, "\\u0001");
    lw_buf_append_text(&buf, "\"}]");
    char *patch = lw_buf_take_text(&buf);
    assert_patched(&(patch_case){ "{}", patch, LW_ERR_NOT_FOUND, "operation 0 (remove): path" });
    lw_free(patch);
}

/* Makes a patch of |count| operations |op|; lw_free it. */
static char *repeated(const char *op, unsigned count)
{
    lw_buf buf;
    lw_buf_init(&buf, 64 << 20);
    for (unsigned i = 0; i < count; i++)
        lw_buf_printf(&buf, "%c%s", i ? ',' : '[', op);
    lw_buf_append_char(&buf, ']');
    char *text = lw_buf_take_text(&buf);
    assert_non_null(text);
    return text;
}

static void refuses_more_operations_than_kubernetes(void **state)
{
    (void)state;
    static const char op[] = "{\"op\":\"test\",\"path\":\"/a\",\"value\":1}";
    char *patch = repeated(op, LW_JSON_PATCH_MAX_OPS);
    assert_patched(&(patch_case){ "{\"a\":1}", patch, LW_OK, "{\"a\":1}" });
    lw_free(patch);
    patch = repeated(op, LW_JSON_PATCH_MAX_OPS + 1);
    assert_patched(&(patch_case){ "{\"a\":1}", patch, LW_ERR_LIMIT, "10001 operations" });
    lw_free(patch);
}

static void refuses_copies_that_blow_a_document_up(void **state)
{
    (void)state;
    /* Doubles the document each time. */
    char *patch = repeated("{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/a/-\"}", 40);
    assert_patched(&(patch_case){ "{\"a\":[1]}", patch, LW_ERR_LIMIT,
                                  "copy operations add more than 3145728 bytes" });
    lw_free(patch);
}

static void refuses_to_shift_long_arrays_over_and_over(void **state)
{
    (void)state;
    lw_tree *tree;
    assert_int_equal(lw_tree_new(&tree, 0), LW_OK);
    lw_tree_set_root(tree, lw_tree_array(tree));
    for (int i = 0; i < 100 * 1000; i++)
        lw_node_append(tree, lw_tree_root(tree), lw_tree_bool(tree, true));
    char *text = repeated("{\"op\":\"add\",\"path\":\"/0\",\"value\":1}", 2000);
    lw_tree *patch = parse_document(text);
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_json_patch_apply(tree, lw_tree_root(patch), &err), LW_ERR_LIMIT);
    assert_non_null(strstr(err.message, "moves too many array elements"));
    lw_tree_free(patch);
    lw_free(text);
    lw_tree_free(tree);
}

static void copies_exactly_as_many_bytes_as_it_may(void **state)
{
    (void)state;
    size_t half = LW_JSON_PATCH_MAX_COPY / 2;
    char *text = lw_alloc(half);
    assert_non_null(text);
    memset(text, 'x', half);
    lw_tree *tree;
    assert_int_equal(lw_tree_new(&tree, 0), LW_OK);
    lw_tree_set_root(tree, lw_tree_object(tree));
    /* With its quotes it takes exactly half of what may be copied. */
    lw_node_put(tree, lw_tree_root(tree), LW_STR("a"),
                lw_tree_string(tree, lw_str_make(text, half - 2)));
    lw_free(text);
    lw_tree *patch = parse_document("[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/b\"},"
                                    "{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/c\"}]");
    lw_tree *more = parse_document("[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/b\"},"
                                   "{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/c\"},"
                                   "{\"op\":\"add\",\"path\":\"/n\",\"value\":1},"
                                   "{\"op\":\"copy\",\"from\":\"/n\",\"path\":\"/d\"}]");
    assert_int_equal(lw_json_patch_apply(tree, lw_tree_root(patch), NULL), LW_OK);
    assert_int_equal(lw_json_patch_apply(tree, lw_tree_root(more), NULL), LW_ERR_LIMIT);
    assert_null(lw_node_get(lw_tree_root(tree), LW_STR("d")));
    lw_tree_free(tree);
    lw_tree_free(patch);
    lw_tree_free(more);
}

static void refuses_to_nest_a_document_too_deep(void **state)
{
    (void)state;
    char *patch = repeated("{\"op\":\"add\",\"path\":\"/a\",\"value\":[[[[[[[[[[1]]]]]]]]]]},"
                           "{\"op\":\"move\",\"from\":\"/b\",\"path\":\"/a/0/0/0/0/0/0/0/0/0/-\"},"
                           "{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/b\"}",
                           1000);
    assert_patched(
        &(patch_case){ "{\"b\":0}", patch, LW_ERR_LIMIT, "is nested more than 512 levels deep" });
    lw_free(patch);
}

static void refuses_to_grow_past_the_limit_of_the_tree(void **state)
{
    (void)state;
    lw_tree *tree;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_tree_parse(&tree, LW_STR("[]"), 2000, &err), LW_OK);
    char *text = repeated("{\"op\":\"add\",\"path\":\"/-\",\"value\":\"some text\"}", 1000);
    lw_tree *patch = parse_document(text);
    lw_free(text);
    assert_int_equal(lw_json_patch_apply(tree, lw_tree_root(patch), &err), LW_ERR_LIMIT);
    assert_non_null(strstr(err.message, "is too large"));
    assert_int_equal(lw_tree_status(tree), LW_ERR_LIMIT);
    assert_int_equal(lw_json_patch_apply(tree, lw_tree_root(patch), NULL), LW_ERR_LIMIT);
    lw_tree_free(patch);
    lw_tree_free(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(applies_the_examples_of_the_rfc),
        TEST(adds_replaces_and_copies),
        TEST(removes_and_moves),
        TEST(replaces_the_whole_document),
        TEST(negative_indices_count_from_the_end),
        TEST(tests_by_value_and_absence_as_null),
        TEST(a_value_left_out_means_null),
        TEST(names_the_operation_that_is_malformed),
        TEST(shows_a_long_path_cut),
        TEST(refuses_more_operations_than_kubernetes),
        TEST(refuses_copies_that_blow_a_document_up),
        TEST(refuses_to_shift_long_arrays_over_and_over),
        TEST(copies_exactly_as_many_bytes_as_it_may),
        TEST(refuses_to_nest_a_document_too_deep),
        TEST(refuses_to_grow_past_the_limit_of_the_tree),
    };
    return cmocka_run_group_tests_name("json_patch", tests, NULL, NULL);
}
