/* SPDX-License-Identifier: Apache-2.0 */
/* regex_test.c -- what patterns match, which are refused, and that none takes for ever. */
#include "base/regex/regex.h"

#include <stdlib.h>

#include "base/str.h"
#include "unit/test.h"

static bool matches(const char *pattern, const char *text)
{
    lw_regex *compiled = NULL;
    lw_error err = LW_ERROR_INIT;
    bool is_match = false;
    lw_status st = lw_regex_new(&compiled, lw_str_of(pattern), &err);
    if (st < 0)
        fail_msg("%s: %s", pattern, err.message);
    assert_int_equal(lw_regex_match(compiled, lw_str_of(text), &is_match), LW_OK);
    lw_regex_free(compiled);
    return is_match;
}

static void literals_are_found_anywhere(void **state)
{
    (void)state;
    assert_true(matches("b", "abc"));
    assert_true(matches("", ""));
    assert_true(matches("a.c", "xabcx"));
    assert_false(matches("a.c", "a\nc"));
    assert_true(matches("(?s)a.c", "a\nc"));
    assert_false(matches("bd", "abc"));
    assert_true(matches("\xc3\xa9.", "\xc3\xa9\xe2\x82\xac"));
}

static void anchors_hold_it(void **state)
{
    (void)state;
    assert_true(matches("^abc$", "abc"));
    assert_false(matches("^b", "abc"));
    assert_false(matches("b$", "abc"));
    assert_true(matches("(?m)^b$", "a\nb\nc"));
    assert_true(matches("\\bfoo\\b", "a foo b"));
    assert_false(matches("\\bfoo\\b", "afoob"));
}

static void names_of_kubernetes_match(void **state)
{
    const char *subdomain = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";
    (void)state;
    assert_true(matches(subdomain, "a-b.example.com"));
    assert_false(matches(subdomain, "a-.example.com"));
    assert_false(matches(subdomain, "A"));
    assert_true(matches("^(\\d{1,3}\\.){3}\\d{1,3}$", "10.0.0.255"));
    assert_false(matches("^(\\d{1,3}\\.){3}\\d{1,3}$", "10.0.0.2555"));
    assert_true(matches("^(Always|Never|IfNotPresent)$", "IfNotPresent"));
    assert_false(matches("^(Always|Never|IfNotPresent)$", "Never2"));
}

static void repetitions_are_counted(void **state)
{
    (void)state;
    assert_true(matches("^a{2,3}$", "aa"));
    assert_true(matches("^a{2,3}$", "aaa"));
    assert_false(matches("^a{2,3}$", "a"));
    assert_false(matches("^a{2,3}$", "aaaa"));
    assert_true(matches("^a{2,}$", "aaaaaa"));
    assert_false(matches("^(ab){2}$", "ab"));
    assert_true(matches("^(ab){2}$", "abab"));
    assert_true(matches("^(a|b)*?c+?$", "abbacc"));
    assert_true(matches("^(a*)*$", "aaa"));
    assert_true(matches("^x(ab)?y$", "xy"));
    assert_true(matches("^a{,2}$", "a{,2}"));
}

static void sets_have_ranges_classes_and_escapes(void **state)
{
    (void)state;
    assert_true(matches("^[\\w.-]+$", "a_b.c-D9"));
    assert_false(matches("^[^\\s]+$", "a b"));
    assert_true(matches("^[]a]+$", "]a"));
    assert_true(matches("^[[:upper:][:digit:]]+$", "A1"));
    assert_false(matches("^[[:^digit:]]+$", "a1"));
    assert_true(matches("^[^%[:cntrl:]]+$", "a b"));
    assert_false(matches("^[^%[:cntrl:]]+$", "a\tb"));
    assert_true(matches("^[[:^cntrl:]]+$", "a b"));
    assert_false(matches("^[[:ascii:]]+$", "\xc3\xa9"));
    assert_true(matches("^\\x41\\x{42}\\t$", "AB\t"));
    assert_true(matches("^(?i)abC[x-z]$", "AbcY"));
    assert_true(matches("^(?i:a)B$", "AB"));
    assert_false(matches("^(?i:a)B$", "Ab"));
    assert_true(matches("^(?P<word>\\w+)$", "abc"));
}

static void what_is_not_printed_is_a_class(void **state)
{
    (void)state;
    assert_true(matches("^\\PC*$", "h\xc3\xa9 \xe2\x82\xac!"));
    assert_false(matches("^\\PC*$", "a\nb"));
    assert_false(matches("^\\PC*$", "a\xe2\x80\x8b")); /* U+200B, of no width */
    assert_true(matches("^\\p{Cc}\\pC\\p{^C}$", "\t\xc2\x85z"));
    assert_true(matches("^[^\\PC]+$", "\x01\x7f"));
    assert_true(matches("^[\\PC]+$", "az"));
    assert_false(matches("^[\\PC]+$", "a\x01"));
}

static void what_cannot_be_read_is_refused(void **state)
{
    static const char *const bad[] = { "(",      ")",     "[a",    "*a",      "a**",
                                       "\\pL",   "\\",    "(?=a)", "(?<!a)b", "a{1001}",
                                       "a{2,1}", "[z-a]", "\\1",   "\\Qa\\E", "[[:no:]]",
                                       "\\p",    "\\p{C", "\\p{}", "\\p{Cx}" };
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        lw_regex *compiled = NULL;
        lw_error err = LW_ERROR_INIT;
        if (lw_regex_new(&compiled, lw_str_of(bad[i]), &err) != LW_ERR_SYNTAX)
            fail_msg("%s is taken", bad[i]);
        assert_null(compiled);
        assert_string_not_equal(err.message, "");
    }
}

static void huge_patterns_are_refused(void **state)
{
    static const char *const huge[] = { "(a{1000}){1000}", "((((a{100}){100}){100}){100}){100}",
                                        "(((((((((a?){9}){9}){9}){9}){9}){9}){9}){9}){9}" };
    lw_regex *compiled = NULL;
    (void)state;
    for (size_t i = 0; i < sizeof(huge) / sizeof(huge[0]); i++)
        assert_int_equal(lw_regex_new(&compiled, lw_str_of(huge[i]), NULL), LW_ERR_LIMIT);
    char nested[2000];
    memset(nested, '(', sizeof(nested));
    assert_int_equal(lw_regex_new(&compiled, lw_str_make(nested, sizeof(nested)), NULL),
                     LW_ERR_LIMIT);
    char *text = calloc(1, LW_REGEX_MAX + 2);
    assert_non_null(text);
    memset(text, 'a', LW_REGEX_MAX + 1);
    assert_int_equal(lw_regex_new(&compiled, lw_str_of(text), NULL), LW_ERR_LIMIT);
    free(text);
}

/* What takes backtracking matchers years is over in a moment; what is too much is given up. */
static void no_match_takes_for_ever(void **state)
{
    enum {
        LENGTH = 1 << 20
    };
    (void)state;
    assert_false(
        matches("^(a+)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"));
    lw_regex *compiled = NULL;
    bool is_match = false;
    char *text = malloc(LENGTH);
    assert_non_null(text);
    memset(text, 'a', LENGTH);
    assert_int_equal(lw_regex_new(&compiled, LW_STR("(a?){1000}b"), NULL), LW_OK);
    assert_int_equal(lw_regex_match(compiled, lw_str_make(text, LENGTH), &is_match), LW_ERR_LIMIT);
    lw_regex_free(compiled);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(literals_are_found_anywhere),
        TEST(anchors_hold_it),
        TEST(names_of_kubernetes_match),
        TEST(repetitions_are_counted),
        TEST(sets_have_ranges_classes_and_escapes),
        TEST(what_is_not_printed_is_a_class),
        TEST(what_cannot_be_read_is_refused),
        TEST(huge_patterns_are_refused),
        TEST(no_match_takes_for_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
