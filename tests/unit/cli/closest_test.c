/* SPDX-License-Identifier: Apache-2.0 */
/* closest_test.c -- suggestions for misspelled words. */
#include "cli/closest.h"

#include "unit/test.h"

static const char *find(const char *word)
{
    static const char *const words[] = { "get",   "watch",        "describe",
                                         "logs",  "apply",        "delete",
                                         "wait",  "serve",        "all-namespaces",
                                         "store", "api-resources" };
    closest c = CLOSEST_INIT(word);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        closest_offer(&c, words[i]);
    return c.found;
}

static void finds_the_word_that_was_meant(void **state)
{
    (void)state;
    assert_string_equal(find("gte"), "get");
    assert_string_equal(find("wacth"), "watch");
    assert_string_equal(find("aply"), "apply");
    assert_string_equal(find("descrieb"), "describe");
    assert_string_equal(find("all-namespace"), "all-namespaces");
    assert_string_equal(find("api"), "api-resources");
}

static void suggests_nothing_for_other_words(void **state)
{
    (void)state;
    assert_null(find("frobnicate"));
    assert_null(find("x"));
    assert_null(find(""));
    assert_null(
        find("a-word-that-is-much-longer-than-every-command-of-the-whole-program-ever-was"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_word_that_was_meant),
        cmocka_unit_test(suggests_nothing_for_other_words),
    };
    return cmocka_run_group_tests_name("closest", tests, NULL, NULL);
}
