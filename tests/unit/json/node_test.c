/* SPDX-License-Identifier: Apache-2.0 */
/* node_test.c -- changing, comparing and sorting arrays and objects. */
#include <stdio.h>

#include "base/str.h"
#include "unit/json/document.h"
#include "json/tree.h"

enum {
    MANY = 100000,
    MANY_IN_TEXT = 300000, /* about what 3 MiB of JSON hold */
};

static void arrays_insert_set_and_remove(void **state)
{
    (void)state;
    lw_tree *tree = parse_document("[1,2,3]");
    lw_node *array = lw_tree_root(tree);
    lw_node_insert(tree, array, 0, lw_tree_int(tree, 0));
    lw_node_insert(tree, array, 4, lw_tree_int(tree, 4));
    lw_node_insert(tree, array, 2, lw_tree_string(tree, LW_STR("x")));
    assert_written(array, "[0,1,\"x\",2,3,4]");
    lw_node_remove_at(array, 0);
    lw_node_remove_at(array, 4);
    lw_node_set_at(array, 1, lw_tree_null(tree));
    assert_written(array, "[1,null,2,3]");
    while (lw_node_count(array) > 0)
        lw_node_remove_at(array, 0);
    assert_written(array, "[]");
    lw_tree_free(tree);
}

static void a_replaced_member_keeps_its_place(void **state)
{
    (void)state;
    lw_tree *tree = parse_document("{\"a\":1,\"b\":2,\"c\":3}");
    lw_node_put(tree, lw_tree_root(tree), LW_STR("b"), lw_tree_null(tree));
    assert_written(lw_tree_root(tree), "{\"a\":1,\"b\":null,\"c\":3}");
    lw_tree_free(tree);
}

static void a_removed_member_comes_back_at_the_end(void **state)
{
    (void)state;
    lw_tree *tree = parse_document("{\"a\":1,\"b\":2,\"c\":3}");
    lw_node *object = lw_tree_root(tree);
    assert_true(lw_node_remove(object, LW_STR("a")));
    assert_false(lw_node_remove(object, LW_STR("a")));
    assert_null(lw_node_get(object, LW_STR("a")));
    assert_int_equal(lw_node_count(object), 2);
    assert_str_equal(lw_node_key_at(object, 0), "b");
    lw_node_put(tree, object, LW_STR("a"), lw_tree_int(tree, 4));
    assert_written(object, "{\"b\":2,\"c\":3,\"a\":4}");
    lw_tree_free(tree);
}

static void keys_are_bytes_of_any_kind(void **state)
{
    (void)state;
    lw_tree *tree = parse_document("{}");
    lw_node *object = lw_tree_root(tree);
    lw_node_put(tree, object, LW_STR("a\0b"), lw_tree_int(tree, 1));
    lw_node_put(tree, object, LW_STR("a"), lw_tree_int(tree, 2));
    lw_node_put(tree, object, LW_STR(""), lw_tree_int(tree, 3));
    lw_node_put(tree, object, lw_str_make(NULL, 0), lw_tree_int(tree, 4));
    assert_written(object, "{\"a\\u0000b\":1,\"a\":2,\"\":4}");
    lw_tree_free(tree);
}

/* The key of number |i|, scattered so that the order of keys is not that of numbers. */
static lw_str key_of(unsigned i, char room[16])
{
    int len = snprintf(room, 16, "k%u", i * 2654435761u);
    return lw_str_make(room, (size_t)len);
}

static lw_tree *tree_with_many_members(size_t count)
{
    lw_tree *tree;
    char room[16];
    assert_int_equal(lw_tree_new(&tree, 0), LW_OK);
    lw_tree_set_root(tree, lw_tree_object(tree));
    for (unsigned i = 0; i < count; i++)
        lw_node_put(tree, lw_tree_root(tree), key_of(i, room), lw_tree_int(tree, i));
    assert_int_equal(lw_tree_status(tree), LW_OK);
    assert_int_equal(lw_node_count(lw_tree_root(tree)), count);
    return tree;
}

static void assert_has(const lw_node *object, unsigned i, bool is_there)
{
    char room[16];
    int64_t value = -1;
    const lw_node *node = lw_node_get(object, key_of(i, room));
    assert_int_equal(node != NULL, is_there);
    if (node) {
        assert_true(lw_node_int64(node, &value));
        assert_int_equal(value, i);
    }
}

/* At every size around where an index comes in and grows. */
static void finds_every_member_whatever_the_size(void **state)
{
    (void)state;
    for (unsigned count = 0; count < 140; count++) {
        lw_tree *tree = tree_with_many_members(count);
        for (unsigned i = 0; i < count; i++)
            assert_has(lw_tree_root(tree), i, true);
        assert_has(lw_tree_root(tree), count, false);
        lw_tree_free(tree);
    }
}

static void finds_every_member_whatever_was_removed(void **state)
{
    (void)state;
    char room[16];
    for (unsigned count = 1; count < 140; count += 3) {
        lw_tree *tree = tree_with_many_members(count);
        lw_node *object = lw_tree_root(tree);
        for (unsigned i = 0; i < count; i += 2)
            assert_true(lw_node_remove(object, key_of(i, room)));
        for (unsigned i = 0; i < count; i++)
            assert_has(object, i, i % 2 == 1);
        for (unsigned i = 0; i < count / 2; i++) /* by position, which closes the gaps */
            assert_str_equal(lw_node_text(lw_node_at(object, i)),
                             (snprintf(room, sizeof(room), "%u", i * 2 + 1), room));
        for (unsigned i = 0; i < count; i++)
            assert_has(object, i, i % 2 == 1);
        for (unsigned i = 0; i < count; i += 2)
            lw_node_put(tree, object, key_of(i, room), lw_tree_int(tree, i));
        for (unsigned i = 0; i < count; i++)
            assert_has(object, i, true);
        assert_int_equal(lw_node_count(object), count);
        lw_tree_free(tree);
    }
}

/* Put back before anything closed the gaps they left. */
static void finds_members_that_came_back(void **state)
{
    (void)state;
    char room[16];
    for (unsigned count = 1; count < 140; count += 3) {
        lw_tree *tree = tree_with_many_members(count);
        lw_node *object = lw_tree_root(tree);
        for (unsigned i = 0; i < count; i += 2) {
            assert_true(lw_node_remove(object, key_of(i, room)));
            lw_node_put(tree, object, key_of(i, room), lw_tree_int(tree, i));
        }
        for (unsigned i = 0; i < count; i++)
            assert_has(object, i, true);
        assert_int_equal(lw_node_count(object), count);
        assert_str_equal(lw_node_text(lw_node_at(object, count / 2)), "0");
        for (unsigned i = 0; i < count; i++)
            assert_true(lw_node_remove(object, key_of(i, room)));
        assert_written(object, "{}");
        lw_tree_free(tree);
    }
}

static void puts_and_removes_without_end_in_little_memory(void **state)
{
    (void)state;
    lw_tree *tree;
    char room[16];
    assert_int_equal(lw_tree_new(&tree, 4 << 20), LW_OK);
    lw_node *object = lw_tree_object(tree);
    lw_node *value = lw_tree_null(tree);
    for (unsigned i = 0; i < 100000; i++) {
        lw_node_put(tree, object, key_of(i, room), value);
        if (i >= 50)
            assert_true(lw_node_remove(object, key_of(i - 50, room)));
    }
    assert_int_equal(lw_tree_status(tree), LW_OK);
    assert_int_equal(lw_node_count(object), 50);
    lw_tree_free(tree);
}

/* Would run for minutes if it took quadratic time. */
static void large_objects_stay_fast(void **state)
{
    (void)state;
    char room[16];
    lw_tree *tree = tree_with_many_members(MANY);
    lw_node *object = lw_tree_root(tree);
    for (unsigned i = 0; i < MANY; i++) {
        if (i % 3 != 0)
            assert_true(lw_node_remove(object, key_of(i, room)));
    }
    for (unsigned i = 0; i < MANY; i++)
        assert_has(object, i, i % 3 == 0);
    lw_node_sort_keys(object);
    for (size_t i = 1; i < lw_node_count(object); i++)
        assert_true(lw_str_compare(lw_node_key_at(object, i - 1), lw_node_key_at(object, i)) < 0);
    for (unsigned i = 0; i < MANY; i++)
        assert_has(object, i, i % 3 == 0);
    lw_tree_free(tree);
}

static void parses_large_objects_fast(void **state)
{
    (void)state;
    for (unsigned distinct = 1; distinct <= MANY_IN_TEXT; distinct += MANY_IN_TEXT - 1) {
        lw_buf buf;
        lw_buf_init(&buf, 8 << 20);
        for (unsigned i = 0; i < MANY_IN_TEXT; i++)
            lw_buf_printf(&buf, "%c\"%u\":%u", i ? ',' : '{', i % distinct, i);
        lw_buf_append_char(&buf, '}');
        assert_int_equal(buf.st, LW_OK);
        lw_tree *tree;
        assert_int_equal(lw_tree_parse(&tree, lw_buf_view(&buf), 0, NULL), LW_OK);
        assert_int_equal(lw_node_count(lw_tree_root(tree)), distinct);
        int64_t last = 0;
        assert_true(lw_node_int64(lw_node_at(lw_tree_root(tree), distinct - 1), &last));
        assert_int_equal(last, MANY_IN_TEXT - 1);
        lw_tree_free(tree);
        lw_buf_done(&buf);
    }
}

static void sorts_keys_at_all_levels(void **state)
{
    (void)state;
    lw_tree *tree = parse_document("{\"b\":[{\"z\":1,\"y\":2}],\"a\":{\"d\":1,\"c\":2},\"B\":0,"
                                   "\"\":1,\"ab\":2,\"\xC3\xA4\":3}");
    lw_node_sort_keys(lw_tree_root(tree));
    assert_written(lw_tree_root(tree), "{\"\":1,\"B\":0,\"a\":{\"c\":2,\"d\":1},\"ab\":2,"
                                       "\"b\":[{\"y\":2,\"z\":1}],\"\xC3\xA4\":3}");
    lw_tree_free(tree);
}

/* Finds each member of |searched| in |object| one after the other, as lw_node_get does. */
static void assert_found_in_turn(const char *searched, const char *object)
{
    lw_tree *keys = parse_document(searched), *tree = parse_document(object);
    const lw_node *root = lw_tree_root(tree);
    lw_str key;
    for (size_t i = 0, at = 0; i < lw_node_count(lw_tree_root(keys)); i++) {
        (void)lw_node_member_at(lw_tree_root(keys), i, &key);
        const lw_node *found = lw_node_get_next(root, key, &at);
        if (found != lw_node_get(root, key))
            fail_msg("%.*s in %s", LW_STR_ARG(key), object);
        assert_true(at <= lw_node_count(root));
    }
    lw_tree_free(keys);
    lw_tree_free(tree);
}

static void finds_members_in_turn_in_whatever_order(void **state)
{
    (void)state;
    static const char *const objects[] = {
        "{}",
        "{\"a\":1,\"b\":2,\"c\":3}",
        "{\"c\":1,\"b\":2,\"a\":3}",
        "{\"b\":1,\"c\":2}",
        "{\"a\":1,\"x\":2,\"c\":3,\"d\":4}",
        "[1,2]",
    };
    enum {
        OBJECTS = sizeof(objects) / sizeof(objects[0]),
    };
    for (size_t i = 0; i < OBJECTS - 1; i++) {
        for (size_t j = 0; j < OBJECTS; j++)
            assert_found_in_turn(objects[i], objects[j]);
    }
    size_t at = 0;
    assert_null(lw_node_get_next(NULL, LW_STR("a"), &at));
}

static void integers_are_written_in_full(void **state)
{
    (void)state;
    static const struct {
        int64_t value;
        const char *text;
    } rows[] = { { 0, "0" },
                 { -1, "-1" },
                 { 1234567890, "1234567890" },
                 { INT64_MAX, "9223372036854775807" },
                 { INT64_MIN, "-9223372036854775808" } };
    lw_tree *tree;
    assert_int_equal(lw_tree_new(&tree, 0), LW_OK);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_str_equal(lw_node_text(lw_tree_int(tree, rows[i].value)), rows[i].text);
    lw_tree_free(tree);
}

static void adds_members_that_are_not_there(void **state)
{
    (void)state;
    char room[16];
    for (unsigned count = 0; count < 40; count++) {
        lw_tree *tree;
        assert_int_equal(lw_tree_new(&tree, 0), LW_OK);
        lw_node *object = lw_tree_object(tree);
        lw_node_reserve(tree, object, count);
        for (unsigned i = 0; i < count + 2; i++) /* more than there is room for */
            lw_node_add(tree, object, key_of(i, room), lw_tree_int(tree, i));
        lw_node_add(tree, object, LW_STR("none"), NULL);
        assert_int_equal(lw_node_count(object), count + 2);
        for (unsigned i = 0; i < count + 2; i++)
            assert_has(object, i, true);
        lw_tree_free(tree);
    }
}

static int compare_lengths(void *arg, lw_str a, lw_str b)
{
    ++*(unsigned *)arg;
    return (a.len > b.len) - (a.len < b.len);
}

/* Few members and many are sorted in different ways. */
static void sorts_members_of_one_object_as_the_caller_compares(void **state)
{
    (void)state;
    static const unsigned counts[] = { 0, 1, 2, 5, 16, 17, 100 };
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        lw_tree *tree;
        char key[128];
        unsigned calls = 0;
        assert_int_equal(lw_tree_new(&tree, 0), LW_OK);
        lw_node *object = lw_tree_object(tree), *inner = lw_tree_object(tree);
        lw_node_put(tree, inner, LW_STR("bb"), lw_tree_null(tree));
        lw_node_put(tree, inner, LW_STR("a"), lw_tree_null(tree));
        memset(key, 'k', sizeof(key));
        for (unsigned j = 0; j < counts[i]; j++)
            lw_node_put(tree, object, lw_str_make(key, (j * 37 + 5) % counts[i]), inner);
        (void)lw_node_remove(object, lw_str_make(key, 3));
        size_t left = lw_node_count(object);
        lw_node_sort_members(object, compare_lengths, &calls);
        assert_int_equal(lw_node_count(object), left);
        for (size_t j = 1; j < left; j++)
            assert_true(lw_node_key_at(object, j - 1).len < lw_node_key_at(object, j).len);
        for (size_t j = 0; j < left; j++)
            assert_ptr_equal(lw_node_get(object, lw_node_key_at(object, j)), inner);
        assert_int_equal(lw_node_key_at(inner, 0).len, 2);
        calls = 0;
        lw_node_sort_members(object, compare_lengths, &calls);
        assert_int_equal(calls, left > 1 ? left - 1 : 0); /* what is sorted is only checked */
        lw_tree_free(tree);
    }
    lw_node_sort_members(NULL, compare_lengths, NULL);
}

static void assert_equality(const char *a, const char *b, bool is_equal)
{
    lw_tree *x = parse_document(a);
    lw_tree *y = parse_document(b);
    if (lw_node_equal(lw_tree_root(x), lw_tree_root(y)) != is_equal ||
        lw_node_equal(lw_tree_root(y), lw_tree_root(x)) != is_equal)
        fail_msg("%s and %s", a, b);
    lw_tree_free(x);
    lw_tree_free(y);
}

static void compares_by_value(void **state)
{
    (void)state;
    assert_equality("{\"a\":1,\"b\":[true,null]}", "{\"b\":[true,null],\"a\":1.0}", true);
    assert_equality("\"\\u0041\"", "\"A\"", true);
    assert_equality("1", "1e0", true);
    assert_equality("9007199254740993", "9007199254740992", false);
    assert_equality("1", "\"1\"", false);
    assert_equality("[1,2]", "[2,1]", false);
    assert_equality("[1]", "[1,1]", false);
    assert_equality("{\"a\":null}", "{\"b\":null}", false);
    assert_equality("{\"a\":null}", "{}", false);
    assert_equality("{}", "[]", false);
    assert_equality("true", "false", false);
    assert_equality("null", "false", false);
}

/* |number| as a text that lives until the next but one. */
static lw_str numbered(size_t number)
{
    static char texts[2][24];
    static unsigned next;
    char *text = texts[next++ % 2];
    (void)snprintf(text, sizeof(texts[0]), "%zu", number);
    return lw_str_of(text);
}

static bool is_odd(void *arg, lw_str key, lw_node *value)
{
    int64_t number = 0;
    size_t *asked = arg;
    (void)key;
    ++*asked;
    return lw_node_int64(value, &number) && number % 2 == 1;
}

static void members_are_removed_in_one_pass(void **state)
{
    static const size_t counts[] = { 0, 1, 7, 16, 17, 1000 };
    (void)state;
    for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
        lw_tree *tree = NULL;
        size_t count = counts[c], asked = 0;
        assert_int_equal(lw_tree_new(&tree, 0), LW_OK);
        lw_node *object = lw_tree_object(tree);
        for (size_t i = 0; i < count; i++)
            lw_node_put(tree, object, numbered(i), lw_tree_int(tree, (int64_t)i));
        lw_node_remove_if(object, is_odd, &asked);
        assert_int_equal(asked, count);
        assert_int_equal(lw_node_count(object), (count + 1) / 2);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(lw_node_get(object, numbered(i)) != NULL, i % 2 == 0);
        for (size_t i = 0; i < lw_node_count(object); i++)
            assert_str_equal(lw_node_key_at(object, i), numbered(2 * i).ptr);
        lw_node_put(tree, object, LW_STR("1"), lw_tree_int(tree, 5));
        assert_str_equal(lw_node_key_at(object, lw_node_count(object) - 1), "1");
        assert_str_equal(lw_node_text(lw_node_get(object, LW_STR("1"))), "5");
        lw_tree_free(tree);
    }
}

static void equal_values_have_one_hash(void **state)
{
    static const char *const pairs[][2] = {
        { "1", "1.0" },
        { "100", "1e2" },
        { "0", "-0" },
        { "0.5", "5e-1" },
        { "1e400", "10e399" },
        { "[1,\"a\",null,true]", "[1.0,\"\\u0061\",null,true]" },
        { "{\"a\":1,\"b\":{\"c\":2,\"d\":3}}", "{\"b\":{\"d\":3,\"c\":2},\"a\":1}" },
    };
    static const char *const others[] = {
        "null", "false", "true",  "0",     "1",       "\"\"",          "\"1\"",
        "[]",   "{}",    "[0,1]", "[1,0]", "[[0],1]", "{\"a\":\"b\"}", "{\"b\":\"a\"}"
    };
    const lw_hash_seed seed = { 1, 2 };
    const size_t count = sizeof(others) / sizeof(others[0]);
    uint64_t hashes[sizeof(others) / sizeof(others[0])];
    (void)state;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        lw_tree *a = parse_document(pairs[i][0]), *b = parse_document(pairs[i][1]);
        assert_true(lw_node_equal(lw_tree_root(a), lw_tree_root(b)));
        assert_true(lw_node_hash(lw_tree_root(a), seed) == lw_node_hash(lw_tree_root(b), seed));
        lw_tree_free(a);
        lw_tree_free(b);
    }
    for (size_t i = 0; i < count; i++) {
        lw_tree *tree = parse_document(others[i]);
        hashes[i] = lw_node_hash(lw_tree_root(tree), seed);
        for (size_t j = 0; j < i; j++)
            assert_true(hashes[i] != hashes[j]);
        lw_tree_free(tree);
    }
}

static void an_object_with_reserved_room_keeps_its_members(void **state)
{
    (void)state;
    lw_tree *tree = NULL;
    char key[16];
    assert_int_equal(lw_tree_new(&tree, 0), LW_OK);
    lw_node *object = lw_tree_object(tree);
    lw_node_put(tree, object, LW_STR("first"), lw_tree_int(tree, -1));
    lw_node_put(tree, object, LW_STR("gone"), lw_tree_int(tree, -2));
    assert_true(lw_node_remove(object, LW_STR("gone")));
    lw_node_reserve(tree, object, 1000);
    for (int round = 0; round < 2; round++) { /* the second one replaces */
        for (int i = 0; i < 1000; i++) {
            int len = snprintf(key, sizeof(key), "k%d", i);
            lw_node_put(tree, object, lw_str_make(key, (size_t)len), lw_tree_int(tree, i + round));
        }
        assert_int_equal(lw_node_count(object), 1001);
    }
    assert_true(lw_node_remove(object, LW_STR("k7")));
    lw_node_put(tree, object, LW_STR("k7"), lw_tree_int(tree, 7000));
    lw_node_reserve(tree, object, 10);
    assert_int_equal(lw_node_count(object), 1001);
    assert_true(lw_str_equal(lw_node_key_at(object, 0), LW_STR("first")));
    assert_true(lw_str_equal(lw_node_key_at(object, 1000), LW_STR("k7")));
    assert_true(lw_str_equal(lw_node_text(lw_node_get(object, LW_STR("k999"))), LW_STR("1000")));
    assert_true(lw_str_equal(lw_node_text(lw_node_get(object, LW_STR("k7"))), LW_STR("7000")));
    assert_null(lw_node_get(object, LW_STR("gone")));
    lw_tree_free(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(arrays_insert_set_and_remove),
        TEST(a_replaced_member_keeps_its_place),
        TEST(a_removed_member_comes_back_at_the_end),
        TEST(keys_are_bytes_of_any_kind),
        TEST(finds_every_member_whatever_the_size),
        TEST(finds_every_member_whatever_was_removed),
        TEST(finds_members_that_came_back),
        TEST(puts_and_removes_without_end_in_little_memory),
        TEST(large_objects_stay_fast),
        TEST(parses_large_objects_fast),
        TEST(sorts_keys_at_all_levels),
        TEST(sorts_members_of_one_object_as_the_caller_compares),
        TEST(finds_members_in_turn_in_whatever_order),
        TEST(adds_members_that_are_not_there),
        TEST(integers_are_written_in_full),
        TEST(compares_by_value),
        TEST(members_are_removed_in_one_pass),
        TEST(equal_values_have_one_hash),
        TEST(an_object_with_reserved_room_keeps_its_members),
    };
    return cmocka_run_group_tests_name("node", tests, NULL, NULL);
}
