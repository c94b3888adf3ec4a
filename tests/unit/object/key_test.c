/* SPDX-License-Identifier: Apache-2.0 */
/* key_test.c -- keys of objects. */
#include "object/key.h"

#include <stdio.h>

#include "base/str.h"
#include "unit/test.h"

static void reads_name_and_namespace(void **state)
{
    (void)state;
    static const struct {
        const char *text, *ns, *name;
    } cases[] = {
        { "a/b", "a", "b" }, { "b", "", "b" },  { "", "", "" },
        { "/b", "", "b" },   { "a/", "a", "" }, { "/", "", "" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_key key;
        assert_int_equal(lw_key_parse(lw_str_of(cases[i].text), &key, NULL), LW_OK);
        assert_str_equal(key.ns, cases[i].ns);
        assert_str_equal(key.name, cases[i].name);
    }
}

static void refuses_more_than_two_parts(void **state)
{
    (void)state;
    lw_key key = lw_key_make("kept", "kept");
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_key_parse(LW_STR("a/b/c"), &key, &err), LW_ERR_INVALID);
    assert_string_equal(err.message, "unexpected key format: \"a/b/c\"");
    assert_int_equal(lw_key_parse(LW_STR("//"), &key, NULL), LW_ERR_INVALID);
    assert_str_equal(key.ns, "kept");
}

static void cuts_the_message_about_a_long_key(void **state)
{
    (void)state;
    char text[2000];
    lw_key key;
    lw_error err = LW_ERROR_INIT;
    memset(text, '/', sizeof(text));
    assert_int_equal(lw_key_parse(lw_str_make(text, sizeof(text)), &key, &err), LW_ERR_INVALID);
    assert_int_equal(strlen(err.message), LW_ERROR_MESSAGE_SIZE - 1);
    assert_string_equal(err.message + LW_ERROR_MESSAGE_SIZE - 4, "...");
}

static void orders_by_namespace_then_name(void **state)
{
    (void)state;
    static const struct {
        const char *ns, *name;
    } sorted[] = {
        { "", "a" },    { "", "b" },   { "a", "" },  { "a", "z" },
        { "a-b", "a" }, { "ab", "a" }, { "b", "a" },
    };
    size_t count = sizeof(sorted) / sizeof(sorted[0]);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            lw_key a = lw_key_make(sorted[i].ns, sorted[i].name);
            lw_key b = lw_key_make(sorted[j].ns, sorted[j].name);
            int order = lw_key_compare(a, b);
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
            assert_int_equal(lw_key_equal(a, b), i == j);
        }
    }
}

static void prints_with_the_namespace_if_there_is_one(void **state)
{
    (void)state;
    char text[32];
    assert_int_equal(lw_key_print(lw_key_make("ns", "name"), text, sizeof(text)), 7);
    assert_string_equal(text, "ns/name");
    assert_int_equal(lw_key_print(lw_key_make(NULL, "name"), text, sizeof(text)), 4);
    assert_string_equal(text, "name");
}

static void printing_cuts_as_snprintf_does(void **state)
{
    (void)state;
    for (size_t size = 0; size <= 9; size++) {
        char text[16], expected[16];
        memset(text, '#', sizeof(text));
        memset(expected, '#', sizeof(expected));
        assert_int_equal(lw_key_print(lw_key_make("ns", "name"), text, size), 7);
        (void)snprintf(expected, size, "%s", "ns/name");
        assert_memory_equal(text, expected, sizeof(text));
    }
}

static void equal_keys_hash_alike_and_others_not(void **state)
{
    (void)state;
    lw_hash_seed seed = { 1, 2 }, other = { 1, 3 };
    lw_key a = lw_key_make("a", "bc");
    char copy[] = "bc";
    assert_true(lw_key_hash(seed, a) == lw_key_hash(seed, lw_key_make("a", copy)));
    assert_true(lw_key_hash(seed, a) != lw_key_hash(seed, lw_key_make("ab", "c")));
    assert_true(lw_key_hash(seed, a) != lw_key_hash(seed, lw_key_make("bc", "a")));
    assert_true(lw_key_hash(seed, a) != lw_key_hash(seed, lw_key_make("", "bc")));
    assert_true(lw_key_hash(seed, a) != lw_key_hash(other, a));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_name_and_namespace),
        TEST(refuses_more_than_two_parts),
        TEST(cuts_the_message_about_a_long_key),
        TEST(orders_by_namespace_then_name),
        TEST(prints_with_the_namespace_if_there_is_one),
        TEST(printing_cuts_as_snprintf_does),
        TEST(equal_keys_hash_alike_and_others_not),
    };
    return cmocka_run_group_tests_name("key", tests, NULL, NULL);
}
