/* SPDX-License-Identifier: Apache-2.0 */
/* str_test.c -- string views. */
#include "base/str.h"

#include <limits.h>
#include <stdio.h>

#include "base/alloc.h"
#include "unit/failing_alloc.h"
#include "unit/test.h"

static const lw_str nothing = { NULL, 0 };

static void a_view_of_null_is_empty(void **state)
{
    (void)state;
    assert_true(lw_str_is_empty(lw_str_of(NULL)));
    assert_true(lw_str_equal(lw_str_of(NULL), LW_STR("")));
    assert_true(lw_str_equal(nothing, nothing));
}

static void equality_is_of_bytes_and_length(void **state)
{
    (void)state;
    assert_true(lw_str_equal(LW_STR("a\0b"), lw_str_make("a\0b", 3)));
    assert_false(lw_str_equal(LW_STR("a\0b"), LW_STR("a\0c")));
    assert_false(lw_str_equal(LW_STR("a"), LW_STR("a\0")));
    assert_false(lw_str_equal(nothing, LW_STR("a")));
}

static void orders_by_bytes_with_prefixes_first(void **state)
{
    (void)state;
    /* Each is less than the next; bytes above 127 are not negative. */
    static const lw_str order[] = {
        LW_STR_INIT(""),     LW_STR_INIT("\0"),   LW_STR_INIT("A"), LW_STR_INIT("a"),
        LW_STR_INIT("a\0"),  LW_STR_INIT("ab"),   LW_STR_INIT("b"), LW_STR_INIT("\x7f"),
        LW_STR_INIT("\x80"), LW_STR_INIT("\xff"),
    };
    size_t count = sizeof(order) / sizeof(order[0]);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            int result = lw_str_compare(order[i], order[j]);
            assert_int_equal((result > 0) - (result < 0), (i > j) - (i < j));
        }
    }
    assert_int_equal(lw_str_compare(nothing, nothing), 0);
    assert_true(lw_str_compare(nothing, LW_STR("a")) < 0);
}

static void knows_prefixes_and_suffixes(void **state)
{
    (void)state;
    lw_str s = LW_STR("kube-system");
    assert_true(lw_str_starts_with(s, LW_STR("kube-")));
    assert_true(lw_str_starts_with(s, s));
    assert_true(lw_str_starts_with(s, nothing));
    assert_true(lw_str_starts_with(nothing, nothing));
    assert_false(lw_str_starts_with(s, LW_STR("kube_")));
    assert_false(lw_str_starts_with(LW_STR("kube"), s));
    assert_true(lw_str_ends_with(s, LW_STR("system")));
    assert_true(lw_str_ends_with(s, s));
    assert_true(lw_str_ends_with(s, nothing));
    assert_false(lw_str_ends_with(s, LW_STR("kube")));
    assert_false(lw_str_ends_with(LW_STR("system"), s));
    assert_false(lw_str_ends_with(nothing, s));
}

static void skips_at_most_what_there_is(void **state)
{
    (void)state;
    assert_str_equal(lw_str_skip(LW_STR("abc"), 0), "abc");
    assert_str_equal(lw_str_skip(LW_STR("abc"), 2), "c");
    assert_str_equal(lw_str_skip(LW_STR("abc"), 3), "");
    assert_str_equal(lw_str_skip(LW_STR("abc"), SIZE_MAX), "");
    assert_str_equal(lw_str_skip(nothing, 5), "");
}

static void trims_blanks_at_both_ends_only(void **state)
{
    (void)state;
    assert_str_equal(lw_str_trim(LW_STR(" \t\r\na b\n ")), "a b");
    assert_str_equal(lw_str_trim(LW_STR("ab")), "ab");
    assert_str_equal(lw_str_trim(LW_STR(" \n ")), "");
    assert_str_equal(lw_str_trim(nothing), "");
    assert_str_equal(lw_str_trim(LW_STR("\va\f")), "\va\f");
}

static void cuts_at_the_first_separator(void **state)
{
    (void)state;
    lw_str head;
    lw_str tail;
    assert_true(lw_str_cut(LW_STR("default/web/0"), '/', &head, &tail));
    assert_str_equal(head, "default");
    assert_str_equal(tail, "web/0");
    assert_true(lw_str_cut(LW_STR("/"), '/', &head, &tail));
    assert_str_equal(head, "");
    assert_str_equal(tail, "");
    assert_true(lw_str_cut(LW_STR("a\0b"), '\0', &head, &tail));
    assert_str_equal(head, "a");
    assert_str_equal(tail, "b");
}

static void without_a_separator_the_head_is_everything(void **state)
{
    (void)state;
    lw_str head = LW_STR("x");
    lw_str tail = LW_STR("x");
    assert_false(lw_str_cut(LW_STR("web"), '/', &head, &tail));
    assert_str_equal(head, "web");
    assert_str_equal(tail, "");
    assert_false(lw_str_cut(nothing, '/', &head, &tail));
    assert_str_equal(head, "");
    /* The parts may be written over the whole. */
    lw_str rest = LW_STR("a=b");
    assert_true(lw_str_cut(rest, '=', &head, &rest));
    assert_str_equal(rest, "b");
}

static void assert_int64(const char *text, int64_t expected)
{
    int64_t value = 99;
    assert_true(lw_str_to_int64(lw_str_of(text), &value));
    assert_int_equal(value, expected);
}

static void reads_integers_to_the_ends_of_their_range(void **state)
{
    (void)state;
    assert_int64("0", 0);
    assert_int64("-0", 0);
    assert_int64("-1", -1);
    assert_int64("007", 7);
    assert_int64("9223372036854775807", INT64_MAX);
    assert_int64("-9223372036854775808", INT64_MIN);
    uint64_t value = 99;
    assert_true(lw_str_to_uint64(LW_STR("18446744073709551615"), &value));
    assert_int_equal(value, UINT64_MAX);
    assert_true(lw_str_to_uint64(LW_STR("0"), &value));
    assert_int_equal(value, 0);
}

static void refuses_what_is_no_integer_or_does_not_fit(void **state)
{
    (void)state;
    static const lw_str bad[] = {
        LW_STR_INIT(""),
        LW_STR_INIT("-"),
        LW_STR_INIT("--1"),
        LW_STR_INIT("+1"),
        LW_STR_INIT(" 1"),
        LW_STR_INIT("1 "),
        LW_STR_INIT("1.0"),
        LW_STR_INIT("1e3"),
        LW_STR_INIT("0x10"),
        LW_STR_INIT("a"),
        LW_STR_INIT("1\0"),
        LW_STR_INIT("1_000"),
        LW_STR_INIT("-9223372036854775809"),
        LW_STR_INIT("99999999999999999999999"),
        LW_STR_INIT("18446744073709551616"),
        LW_STR_INIT("-18446744073709551617"),
        LW_STR_INIT("/"),
        LW_STR_INIT(":"),
        LW_STR_INIT("\xb2"),
        { NULL, 0 },
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        int64_t value = 99;
        uint64_t unsigned_value = 99;
        assert_false(lw_str_to_int64(bad[i], &value));
        assert_false(lw_str_to_uint64(bad[i], &unsigned_value));
        assert_int_equal(value, 99);
        assert_int_equal(unsigned_value, 99);
    }
    int64_t value = 99;
    uint64_t unsigned_value = 99;
    assert_false(lw_str_to_int64(LW_STR("9223372036854775808"), &value));
    assert_false(lw_str_to_uint64(LW_STR("-1"), &unsigned_value));
}

static void copies_with_a_terminator(void **state)
{
    (void)state;
    char *copy = lw_str_dup(lw_str_make("abcdef", 3));
    assert_string_equal(copy, "abc");
    lw_free(copy);
    copy = lw_str_dup(nothing);
    assert_string_equal(copy, "");
    lw_free(copy);
    copy = lw_str_dup(LW_STR("a\0b"));
    assert_memory_equal(copy, "a\0b", 4);
    lw_free(copy);
}

static void a_copy_without_memory_is_null(void **state)
{
    (void)state;
    failing_alloc f;
    failing_alloc_begin(&f, 0);
    assert_null(lw_str_dup(LW_STR("abc")));
    failing_alloc_end();
}

static void prints_by_precision(void **state)
{
    (void)state;
    char out[16];
    lw_str s = lw_str_make("abcdef", 3);
    (void)snprintf(out, sizeof(out), "[%.*s]", LW_STR_ARG(s));
    assert_string_equal(out, "[abc]");
    (void)snprintf(out, sizeof(out), "[%.*s]", LW_STR_ARG(nothing));
    assert_string_equal(out, "[]");
    lw_str huge = lw_str_make("a", (size_t)INT_MAX + 1);
    (void)snprintf(out, sizeof(out), "[%.*s]", LW_STR_ARG(huge));
    assert_string_equal(out, "[a]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_view_of_null_is_empty),
        TEST(equality_is_of_bytes_and_length),
        TEST(orders_by_bytes_with_prefixes_first),
        TEST(knows_prefixes_and_suffixes),
        TEST(skips_at_most_what_there_is),
        TEST(trims_blanks_at_both_ends_only),
        TEST(cuts_at_the_first_separator),
        TEST(without_a_separator_the_head_is_everything),
        TEST(reads_integers_to_the_ends_of_their_range),
        TEST(refuses_what_is_no_integer_or_does_not_fit),
        TEST(copies_with_a_terminator),
        TEST(a_copy_without_memory_is_null),
        TEST(prints_by_precision),
    };
    return cmocka_run_group_tests_name("str", tests, NULL, NULL);
}
