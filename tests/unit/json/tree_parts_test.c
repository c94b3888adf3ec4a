/* SPDX-License-Identifier: Apache-2.0 */
/* tree_parts_test.c -- members of the root that stay closed, and objects that are converted when
 * they are opened. */
#include <stdio.h>

#include "base/budget.h"
#include "unit/json/document.h"

enum {
    STEPS = 1000000,
    LEN = 1000,
};

static const lw_tree_part spec = { LW_STR_INIT("spec"), LW_STR_INIT("{\"a\":{\"b\":\"x & y\"}}") };

static lw_tree *parse_known(const char *json)
{
    lw_tree *tree = NULL;
    lw_error err = LW_ERROR_INIT;
    if (lw_tree_parse_known(&tree, lw_str_of(json), LW_STR("c"), &spec, 1, NULL, &err) < 0)
        fail_msg("%s: %s", json, err.message);
    return tree;
}

static lw_node *member(const lw_tree *tree, const char *name)
{
    return lw_node_get(lw_tree_root(tree), lw_str_of(name));
}

static lw_tree *parse_parts(const char *json, lw_budget *budget)
{
    lw_tree *tree = NULL;
    assert_int_equal(lw_tree_parse_parts(&tree, lw_str_of(json), LW_STR("c"), &spec, 1, budget,
                                         NULL),
                     LW_OK);
    return tree;
}

static void parts_of_the_root_stay_closed_and_no_others(void **state)
{
    (void)state;
    static const char json[] = "{\"k\":{\"spec\":{\"x\":1},\"c\":{\"y\":1}},\"spec\":{\"z\":[1]}}";
    lw_tree *tree = parse_parts(json, NULL);
    lw_str text;
    assert_true(lw_node_is_closed(member(tree, "spec"), &text));
    assert_str_equal(text, "{\"z\":[1]}");
    assert_false(lw_node_is_known(member(tree, "spec")));
    assert_false(lw_node_is_closed(lw_node_get(member(tree, "k"), LW_STR("spec")), &text));
    assert_true(lw_node_is_closed(lw_node_get(member(tree, "k"), LW_STR("c")), &text));
    assert_written(lw_tree_root(tree), json);
    lw_tree_free(tree);
}

static void a_part_that_is_no_object_is_read(void **state)
{
    (void)state;
    static const char *const documents[] = { "{\"spec\":[{}]}", "{\"spec\":null}", "{\"spec\":{}}",
                                             "[{\"spec\":{\"x\":1}}]", "\"spec\"" };
    for (size_t i = 0; i < sizeof(documents) / sizeof(documents[0]); i++) {
        lw_tree *tree = parse_parts(documents[i], NULL);
        lw_str text;
        assert_written(lw_tree_root(tree), documents[i]);
        assert_false(lw_node_is_closed(member(tree, "spec"), &text));
        lw_tree_free(tree);
    }
}

static void a_known_text_is_not_read_however_it_is_written(void **state)
{
    (void)state;
    static const char *const documents[] = {
        "{\"spec\":{\"a\":{\"b\":\"x & y\"}},\"n\":1}",
        "{\"spec\":{\"a\":{\"b\":\"x \\u0026 y\"}},\"n\":1}",
        "{ \"sp\\u0065c\" : {\n\t\"\\u0061\" : { \"b\":\"x & y\" } } , \"n\" : 1 } ",
    };
    for (size_t i = 0; i < sizeof(documents) / sizeof(documents[0]); i++) {
        lw_tree *tree = parse_known(documents[i]);
        lw_str text;
        assert_true(lw_node_is_known(member(tree, "spec")));
        assert_true(lw_node_is_closed(member(tree, "spec"), &text));
        assert_str_equal(text, spec.text.ptr);
        assert_written(member(tree, "n"), "1");
        assert_false(lw_tree_had_repeats(tree));
        lw_tree_free(tree);
    }
}

static void another_text_is_read_as_ever(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        bool has_repeats;
    } cases[] = {
        { "{\"spec\":{\"a\":{\"b\":\"x & z\"}}}", false },
        { "{\"spec\":{\"a\":{\"b\":\"x &  y\"}}}", false },
        { "{\"spec\":{\"a\":{\"b\":\"x & y\",\"b\":\"x & y\"}}}", true },
        { "{\"spec\":{\"a\":{\"b\":\"x & y\"},\"a\":{}}}", true },
        { "{\"other\":{\"a\":{\"b\":\"x & y\"}}}", false },
        { "{\"k\":{\"spec\":{\"a\":{\"b\":\"x & y\"}}}}", false },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_tree *tree = parse_known(cases[i].json), *plain = parse_document(cases[i].json);
        assert_false(lw_node_is_known(member(tree, "spec")));
        assert_false(lw_node_is_known(lw_node_get(member(tree, "k"), LW_STR("spec"))));
        assert_int_equal(lw_tree_had_repeats(tree), cases[i].has_repeats);
        assert_true(lw_node_equal(lw_tree_root(tree), lw_tree_root(plain)));
        lw_tree_free(tree);
        lw_tree_free(plain);
    }
}

static void a_part_that_is_repeated_is_told(void **state)
{
    (void)state;
    lw_tree *tree = parse_known("{\"spec\":{\"a\":{\"b\":\"x & y\"}},\"spec\":{\"n\":1}}");
    assert_true(lw_tree_had_repeats(tree));
    assert_written(lw_tree_root(tree), "{\"spec\":{\"n\":1}}");
    lw_tree_free(tree);
}

/* Takes "zero" out, and counts. */
static void read_part(lw_tree *tree, const void *arg, lw_node *object)
{
    (void)tree;
    (void)lw_node_remove(object, LW_STR("zero"));
    ++*(int *)(uintptr_t)arg;
}

static void a_reader_sees_an_object_once_when_it_is_opened(void **state)
{
    (void)state;
    static const char text[] = "{\"zero\":0,\"x\":{\"y\":{\"zero\":0}}}";
    int reads = 0;
    lw_tree *tree = parse_parts("{\"spec\":{\"zero\":0,\"x\":{\"y\":{\"zero\":0}}}}", NULL);
    lw_node *part = member(tree, "spec");
    lw_node_set_reader(part, read_part, &reads);
    assert_true(lw_node_is_unread(part));
    assert_written(part, text);
    assert_int_equal(reads, 0);
    assert_null(lw_node_get(part, LW_STR("zero")));
    assert_false(lw_node_is_unread(part));
    assert_written(part, "{\"x\":{\"y\":{\"zero\":0}}}");
    assert_int_equal(reads, 1);
    lw_tree_free(tree);
}

static void copies_of_an_unread_object_are_unread(void **state)
{
    (void)state;
    int reads = 0;
    lw_tree *tree = parse_parts("{\"spec\":{\"zero\":0,\"x\":1}}", NULL);
    lw_node_set_reader(member(tree, "spec"), read_part, &reads);
    lw_node *copy = lw_tree_copy(tree, member(tree, "spec"));
    lw_node *shared = lw_tree_share(tree, member(tree, "spec"));
    assert_true(lw_node_has_same_text(copy, shared));
    assert_true(lw_node_equal(copy, shared));
    assert_int_equal(reads, 0);
    assert_int_equal(lw_node_count(copy), 1);
    assert_true(lw_node_is_unread(shared));
    lw_node_set_reader(shared, NULL, NULL);
    assert_false(lw_node_is_unread(shared));
    assert_int_equal(lw_node_count(shared), 2);
    assert_int_equal(reads, 1);
    lw_tree_free(tree);
}

static void what_cannot_be_opened_stays_closed(void **state)
{
    (void)state;
    lw_budget budget;
    lw_str text;
    char json[LEN + 32];
    (void)snprintf(json, sizeof(json), "{\"spec\":{\"x\":%0*d}}", LEN, 0);
    json[sizeof("{\"spec\":{\"x\":") - 1] = '1';
    lw_budget_init(&budget, STEPS);
    lw_tree *tree = parse_parts(json, &budget);
    (void)lw_budget_charge(&budget, 2 * STEPS);
    lw_node *part = member(tree, "spec");
    assert_int_equal(lw_node_open(part), LW_ERR_LIMIT);
    assert_true(lw_node_is_closed(part, &text));
    assert_int_equal(lw_tree_status(tree), LW_ERR_LIMIT);
    lw_tree_free(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(parts_of_the_root_stay_closed_and_no_others),
        TEST(a_part_that_is_no_object_is_read),
        TEST(a_known_text_is_not_read_however_it_is_written),
        TEST(another_text_is_read_as_ever),
        TEST(a_part_that_is_repeated_is_told),
        TEST(a_reader_sees_an_object_once_when_it_is_opened),
        TEST(copies_of_an_unread_object_are_unread),
        TEST(what_cannot_be_opened_stays_closed),
    };
    return cmocka_run_group_tests_name("tree_parts", tests, NULL, NULL);
}
