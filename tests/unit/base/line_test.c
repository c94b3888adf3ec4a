/* SPDX-License-Identifier: Apache-2.0 */
/* line_test.c -- one bounded line of text. */
#include "base/error.h"

#include "unit/test.h"

static size_t format(char *out, size_t size, const char *text, ...)
{
    va_list args;
    va_start(args, text);
    size_t len = lw_line_format(out, size, text, args);
    va_end(args);
    return len;
}

/* Both functions must write |expected|. */
static void assert_line(const char *text, size_t size, const char *expected)
{
    char out[64];
    memset(out, '#', sizeof(out));
    assert_int_equal(lw_line_copy(out, size, text, strlen(text)), strlen(expected));
    assert_string_equal(out, expected);
    assert_int_equal(out[size], '#');
    memset(out, '#', sizeof(out));
    assert_int_equal(format(out, size, "%s", text), strlen(expected));
    assert_string_equal(out, expected);
    assert_int_equal(out[size], '#');
}

static void short_text_stays_as_it_is(void **state)
{
    (void)state;
    assert_line("", 8, "");
    assert_line("abc", 8, "abc");
}

static void text_that_just_fits_is_not_cut(void **state)
{
    (void)state;
    assert_line("1234567", 8, "1234567");
    assert_line("12345678", 8, "1234...");
    assert_line("123456789", 8, "1234...");
}

static void the_smallest_field_holds_the_mark(void **state)
{
    (void)state;
    assert_line("abc", 4, "abc");
    assert_line("abcd", 4, "...");
}

static void a_cut_never_splits_a_character(void **state)
{
    (void)state;
    assert_line("abc\xc3\xa9xyz", 8, "abc...");
    assert_line("ab\xc3\xa9xyzw", 8, "ab\xc3\xa9...");
    assert_line("ab\xe2\x82\xacyzw", 8, "ab...");
    assert_line("a\xe2\x82\xacyzwv", 8, "a\xe2\x82\xac...");
    assert_line("a\xf0\x9f\x98\x80zwv", 8, "a...");
}

static void what_is_not_utf8_is_cut_anywhere(void **state)
{
    (void)state;
    assert_line("\x80\x80\x80\x80\x80\x80\x80\x80\x80", 8, "\x80\x80\x80\x80...");
    assert_line("ab\x80\x80\x80\x80\x80\x80\x80\x80", 10, "ab\x80\x80\x80\x80...");
    assert_line("abcd\x80\x80\x80\x80\x80", 8, "abc...");
}

static void control_characters_become_spaces(void **state)
{
    (void)state;
    assert_line("a\nb\rc\td\x1b[1me\x7f", 32, "a b c d [1me ");
}

static void a_nul_byte_does_not_hide_what_follows(void **state)
{
    (void)state;
    char out[16];
    assert_int_equal(lw_line_copy(out, sizeof(out), "a\0b", 3), 3);
    assert_string_equal(out, "a b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(short_text_stays_as_it_is),
        TEST(text_that_just_fits_is_not_cut),
        TEST(the_smallest_field_holds_the_mark),
        TEST(a_cut_never_splits_a_character),
        TEST(what_is_not_utf8_is_cut_anywhere),
        TEST(control_characters_become_spaces),
        TEST(a_nul_byte_does_not_hide_what_follows),
    };
    return cmocka_run_group_tests_name("line", tests, NULL, NULL);
}
