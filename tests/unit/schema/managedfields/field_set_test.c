/* SPDX-License-Identifier: Apache-2.0 */
/* field_set_test.c -- sets of fields: their JSON as Kubernetes writes it, and what can be made of
 * two of them. */
#include "schema/managedfields/field_set.h"

#include "base/str.h"
#include "schema/managedfields/field_element.h"
#include "unit/test.h"

static lw_tree *tree;

static int setup(void **state)
{
    (void)state;
    return lw_tree_new(&tree, 0) == LW_OK ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    lw_tree_free(tree);
    tree = NULL;
    return 0;
}

static lw_node *set_of(const char *json)
{
    lw_node *node = NULL, *set = NULL;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_tree_parse_node(tree, lw_str_of(json), &node, NULL), LW_OK);
    if (lw_field_set_read(tree, node, &set, &err) < 0)
        fail_msg("%s: %s", json, err.message);
    return set;
}

static void assert_set_at(lw_node *set, const char *json, const char *file, int line)
{
    lw_buf out;
    lw_json_writer w;
    assert_int_equal(lw_field_set_sort(set), LW_OK);
    lw_buf_init(&out, 1 << 16);
    lw_json_writer_init(&w, &out, LW_JSON_COMPACT);
    lw_node_write(set, &w);
    assert_str_equal_at(lw_buf_view(&out), json, file, line);
    lw_buf_done(&out);
}
#define assert_set(set, json) assert_set_at((set), (json), __FILE__, __LINE__)

static void what_kubernetes_wrote_is_written_again(void **state)
{
    static const char *const golden[] = {
        "{}",
        "{\"f:data\":{\".\":{},\"f:k\":{}}}",
        "{\"f:metadata\":{\"f:finalizers\":{\".\":{},\"v:\\\"x.y/a\\\"\":{}},"
        "\"f:ownerReferences\":{\".\":{},\"k:{\\\"uid\\\":\\\"u1\\\"}\":{}}}}",
        "{\"f:ports\":{\".\":{},\"k:{\\\"containerPort\\\":9,\\\"protocol\\\":\\\"UDP\\\"}\":"
        "{\".\":{},\"f:containerPort\":{}},\"k:{\\\"containerPort\\\":80,\\\"protocol\\\":"
        "\\\"TCP\\\"}\":{},\"k:{\\\"containerPort\\\":8080,\\\"protocol\\\":\\\"TCP\\\"}\":{}}}",
        "{\"f:a\":{},\"k:{\\\"n\\\":\\\"a\\\"}\":{},\"k:{\\\"n\\\":\\\"a b\\\"}\":{},"
        "\"v:1\":{},\"v:10\":{},\"v:\\\"x\\\"\":{},\"v:true\":{},\"i:2\":{},\"i:10\":{}}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(golden) / sizeof(golden[0]); i++)
        assert_set(set_of(golden[i]), golden[i]);
}

static void elements_get_their_order_and_their_one_form(void **state)
{
    (void)state;
    assert_set(set_of("{\"i:1\":{},\"v:2\":{},\"v:10\":{},\"f:b\":{\"f:y\":{},\".\":{},\"f:x\":{}},"
                      "\"f:a\":null,\"k:{ \\\"z\\\": 1, \\\"a\\\":\\\"b\\\" }\":{}}"),
               "{\"f:a\":{},\"f:b\":{\".\":{},\"f:x\":{},\"f:y\":{}},"
               "\"k:{\\\"a\\\":\\\"b\\\",\\\"z\\\":1}\":{},\"v:2\":{},\"v:10\":{},\"i:1\":{}}");
    /* Two ways of writing one element are one. */
    assert_set(set_of("{\"k:{\\\"n\\\":1}\":{\"f:a\":{}},\"k:{\\\"n\\\" :1}\":{}}"),
               "{\"k:{\\\"n\\\":1}\":{\".\":{},\"f:a\":{}}}");
}

static void what_is_written_otherwise_is_read_as_the_same(void **state)
{
    (void)state;
    assert_set(set_of("{\"f:a\":{\".\":{}},\"f:b\":{\".\":{\"f:x\":{}},\"f:c\":{}}}"),
               "{\"f:a\":{},\"f:b\":{\".\":{},\"f:c\":{}}}");
    assert_set(set_of("{\".\":{},\"f:a\":{}}"), "{\"f:a\":{}}");
}

static void only_keys_in_their_one_form_are_plain(void **state)
{
    (void)state;
    static const struct {
        const char *element;
        bool is_plain;
    } cases[] = {
        { "k:{\"name\":\"a\"}", true },
        { "k:{\"containerPort\":80,\"protocol\":\"TCP\"}", true },
        { "k:{\"ip\":\"\"}", true },
        { "k:{\"port\":0}", true },
        { "k:{\"b\":1,\"a\":2}", false },
        { "k:{\"a\":1,\"a\":2}", false },
        { "k:{\"a\": 1}", false },
        { "k:{\"a\":01}", false },
        { "k:{\"a\":1.0}", false },
        { "k:{\"a\":1e2}", false },
        { "k:{\"a\":\"<\"}", false },
        { "k:{\"a\":\"\\u0061\"}", false },
        { "k:{\"a\":\"\xc3\xa4\"}", false },
        { "k:{\"a\":1}x", false },
        { "k:{\"a\":1", false },
        { "k:{\"a\":", false },
        { "k:{\"a", false },
        { "k:{}", false },
        { "k:", false },
        { "v:\"a\"", false },
        { "f:a", false },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_str element = lw_str_of(cases[i].element);
        if (lw_element_is_plain_key(element) != cases[i].is_plain)
            fail_msg("%s: %d", cases[i].element, !cases[i].is_plain);
    }
}

static void what_is_not_known_is_left_out_and_what_is_wrong_refused(void **state)
{
    static const char *const wrong[] = { "[]",           "{\"f\":{}}",           "{\"\":{}}",
                                         "{\"f:a\":1}",  "{\"f:a\":{\"x\":{}}}", "{\"k:{\":{}}",
                                         "{\"k:1\":{}}", "{\"v:\":{}}",          "{\"i:x\":{}}" };
    lw_node *node = NULL, *set = NULL;
    (void)state;
    assert_set(set_of("{\"x:new\":{\"bad\":{}},\"f:a\":{},\".\":{}}"), "{\"f:a\":{}}");
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_int_equal(lw_tree_parse_node(tree, lw_str_of(wrong[i]), &node, NULL), LW_OK);
        if (lw_field_set_read(tree, node, &set, NULL) != LW_ERR_INVALID)
            fail_msg("taken: %s", wrong[i]);
    }
}

static void two_sets_make_others(void **state)
{
    lw_node *a =
        set_of("{\"f:a\":{\".\":{},\"f:x\":{},\"f:y\":{}},\"f:b\":{},\"f:c\":{\"f:z\":{}}}");
    lw_node *b = set_of("{\"f:a\":{\".\":{},\"f:x\":{}},\"f:c\":{},\"f:d\":{}}");
    (void)state;
    assert_set(lw_field_set_union(tree, a, b),
               "{\"f:a\":{\".\":{},\"f:x\":{},\"f:y\":{}},\"f:b\":{},"
               "\"f:c\":{\".\":{},\"f:z\":{}},\"f:d\":{}}");
    assert_set(lw_field_set_intersection(tree, a, b), "{\"f:a\":{\".\":{},\"f:x\":{}}}");
    assert_set(lw_field_set_difference(tree, a, b),
               "{\"f:a\":{\"f:y\":{}},\"f:b\":{},\"f:c\":{\"f:z\":{}}}");
    lw_node *less = lw_tree_copy(tree, a), *least = lw_tree_copy(tree, a);
    lw_field_set_remove(tree, less, b);
    assert_set(less, "{\"f:a\":{\"f:y\":{}},\"f:b\":{},\"f:c\":{\"f:z\":{}}}");
    lw_field_set_remove_below(tree, least, b);
    assert_set(least, "{\"f:b\":{}}");
    assert_true(lw_field_set_is_empty(lw_field_set_difference(tree, a, a)));
    assert_true(lw_field_set_equal(lw_field_set_union(tree, NULL, a), a));
    assert_true(lw_field_set_equal(NULL, lw_field_set_intersection(tree, a, NULL)));
    assert_false(lw_field_set_equal(a, b));
}

static lw_node *text_of(const char *json)
{
    return lw_tree_closed(tree, lw_str_of(json));
}

static void what_two_sets_share_is_found_in_the_text(void **state)
{
    static const char stored[] =
        "{\"f:a\":{\".\":{},\"f:x\":{}},\"f:l\":{\"k:{\\\"n\\\":\\\"a\\\"}\":{\".\":{},\"f:n\":{}},"
        "\"v:\\\"\\\\u003c\\\"\":{}},\"f:z\":{}}";
    static const struct {
        const char *other;
        bool is_disjoint;
    } rows[] = {
        { "{\"f:a\":{\"f:y\":{}},\"f:b\":{}}", true },
        { "{\"f:a\":{\"f:x\":{}}}", false },
        { "{\"f:a\":{}}", false },
        { "{\"f:a\":{\".\":{},\"f:y\":{}}}", false },
        { "{\"f:l\":{}}", true }, /* the list itself is not in the set */
        { "{\"f:l\":{\"k:{\\\"n\\\":\\\"b\\\"}\":{}}}", true },
        { "{\"f:l\":{\"k:{\\\"n\\\":\\\"a\\\"}\":{}}}", false },
        { "{\"f:l\":{\"k:{\\\"n\\\":\\\"a\\\"}\":{\"f:m\":{}}}}", true },
        { "{\"f:l\":{\"v:\\\"\\\\u003c\\\"\":{}}}", false },
        { "{\"f:y\":{},\"f:z\":{\"f:a\":{}}}", true },
        { "{\"f:z\":{\".\":{},\"f:a\":{}}}", false },
        { "{}", true },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const lw_node *other = set_of(rows[i].other);
        if (lw_field_set_is_disjoint(text_of(stored), other) != rows[i].is_disjoint ||
            lw_field_set_is_disjoint(set_of(stored), other) != rows[i].is_disjoint)
            fail_msg("%s is%s disjoint", rows[i].other, rows[i].is_disjoint ? "" : " not");
    }
    assert_true(lw_field_set_names_whole(text_of("{\"f:a\":{},\".\":{}}")));
    assert_false(lw_field_set_names_whole(text_of("{\"f:a\":{\".\":{}}}")));
}

static void note_path(lw_str path, void *arg)
{
    lw_buf *out = arg;
    lw_buf_append_str(out, path);
    lw_buf_append_char(out, ' ');
}

static void paths_read_as_in_messages_of_conflicts(void **state)
{
    lw_node *set = set_of("{\"f:spec\":{\"f:ports\":{\"k:{\\\"port\\\":80,\\\"protocol\\\":"
                          "\\\"TCP\\\"}\":{\".\":{},\"f:name\":{}}},\"f:type\":{}},\"f:x\":{},"
                          "\"f:fin\":{\"v:\\\"a\\\"\":{}},\"f:l\":{\"i:3\":{}}}");
    lw_buf out;
    (void)state;
    lw_buf_init(&out, 4096);
    assert_int_equal(lw_field_set_sort(set), LW_OK);
    assert_int_equal(lw_field_set_visit(set, note_path, &out), LW_OK);
    assert_str_equal(lw_buf_view(&out),
                     ".x .fin[=\"a\"] .l[3] .spec.type .spec.ports[port=80,protocol=\"TCP\"] "
                     ".spec.ports[port=80,protocol=\"TCP\"].name ");
    lw_buf_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_kubernetes_wrote_is_written_again),
        TEST(elements_get_their_order_and_their_one_form),
        TEST(what_is_written_otherwise_is_read_as_the_same),
        TEST(only_keys_in_their_one_form_are_plain),
        TEST(what_is_not_known_is_left_out_and_what_is_wrong_refused),
        TEST(two_sets_make_others),
        TEST(what_two_sets_share_is_found_in_the_text),
        TEST(paths_read_as_in_messages_of_conflicts),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
