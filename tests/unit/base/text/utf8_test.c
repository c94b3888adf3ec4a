/* SPDX-License-Identifier: Apache-2.0 */
/* utf8_test.c -- UTF-8 checked in pieces agrees with the check of a whole. */
#include "base/text/utf8.h"

#include "base/str.h"
#include "unit/test.h"
#include "json/text.h"

static bool is_valid_in_pieces(lw_str text, size_t cut)
{
    lw_utf8_check check = { 0 };
    return lw_utf8_check_feed(&check, lw_str_make(text.ptr, cut)) &&
           lw_utf8_check_feed(&check, lw_str_skip(text, cut)) && lw_utf8_check_is_whole(&check);
}

static void assert_agrees(lw_str text)
{
    bool is_valid = lw_utf8_is_valid(text);
    for (size_t cut = 0; cut <= text.len; cut++)
        assert_int_equal(is_valid_in_pieces(text, cut), is_valid);
}

static void every_pair_of_bytes_is_judged_as_a_whole_is(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 0x10000; i++) {
        const char pair[] = { (char)(i >> 8), (char)i };
        assert_agrees(lw_str_make(pair, sizeof(pair)));
    }
}

static void every_lead_and_second_byte_with_good_ones_after_them(void **state)
{
    (void)state;
    for (unsigned i = 0xC000; i < 0x10000; i++) {
        const char text[] = { (char)(i >> 8), (char)i, (char)0x80, (char)0xBF, 'x' };
        for (size_t len = 2; len <= sizeof(text); len++)
            assert_agrees(lw_str_make(text, len));
    }
}

static void a_character_cut_short_is_not_whole(void **state)
{
    (void)state;
    lw_utf8_check check = { 0 };
    assert_true(lw_utf8_check_feed(&check, LW_STR("\xF0\x9F")));
    assert_false(lw_utf8_check_is_whole(&check));
    assert_true(lw_utf8_check_feed(&check, LW_STR("\x90")));
    assert_true(lw_utf8_check_feed(&check, LW_STR("")));
    assert_true(lw_utf8_check_feed(&check, LW_STR("\x99!")));
    assert_true(lw_utf8_check_is_whole(&check));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_pair_of_bytes_is_judged_as_a_whole_is),
        TEST(every_lead_and_second_byte_with_good_ones_after_them),
        TEST(a_character_cut_short_is_not_whole),
    };
    return cmocka_run_group_tests_name("utf8", tests, NULL, NULL);
}
