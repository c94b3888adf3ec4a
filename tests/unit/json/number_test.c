/* SPDX-License-Identifier: Apache-2.0 */
/* number_test.c -- JSON numbers by their text. */
#include <errno.h>
#include <float.h>
#include <locale.h>
#include <math.h>

#include "base/alloc.h"
#include "base/str.h"
#include "unit/test.h"
#include "json/text.h"

static void reads_exact_integers_however_spelled(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        { "0", 0 },
        { "-0", 0 },
        { "0.000", 0 },
        { "0e999999999999999999999999", 0 },
        { "-0.0E-5", 0 },
        { "12", 12 },
        { "-3", -3 },
        { "1e3", 1000 },
        { "1E+3", 1000 },
        { "2.0", 2 },
        { "2.50e1", 25 },
        { "100e-2", 1 },
        { "0.00012e5", 12 },
        { "1230000e-4", 123 },
        { "9223372036854775807", INT64_MAX },
        { "9223372036854775807.000", INT64_MAX },
        { "-9223372036854775808", INT64_MIN },
        { "-922337203685477580.8e1", INT64_MIN },
        { "1000000000000000000", 1000000000000000000 },
        { "1e18", 1000000000000000000 },
        { "1e0000000000000000000000000000002", 100 },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t value = 77;
        if (!lw_json_number_to_int64(lw_str_of(cases[i].text), &value) || value != cases[i].value)
            fail_msg("%s gave %lld", cases[i].text, (long long)value);
    }
}

static void refuses_what_is_no_int64(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "1.5",
        "-0.1",
        "1e-1",
        "15e-1",
        "9223372036854775808",
        "-9223372036854775809",
        "1e19",
        "18446744073709551616",
        "99999999999999999999",
        "1e400",
        "1e999999999",
        "-1e999999999999999999999999999",
        "1e-999999999999999999999999999",
        "0.1e-9223372036854775808",
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t value = 77;
        if (lw_json_number_to_int64(lw_str_of(cases[i]), &value) || value != 77)
            fail_msg("%s gave %lld", cases[i], (long long)value);
    }
}

/* |head|, then |count| times |digit|, then |tail|; lw_free it. */
static char *long_number(const char *head, char digit, size_t count, const char *tail)
{
    lw_buf buf;
    lw_buf_init(&buf, count + 100);
    lw_buf_append_text(&buf, head);
    for (size_t i = 0; i < count; i++)
        lw_buf_append_char(&buf, digit);
    lw_buf_append_text(&buf, tail);
    char *text = lw_buf_take_text(&buf);
    assert_non_null(text);
    return text;
}

static void reads_numbers_of_absurd_length(void **state)
{
    (void)state;
    int64_t value = 0;
    char *text = long_number("7", '0', 1000000, "e-1000000");
    assert_true(lw_json_number_to_int64(lw_str_of(text), &value));
    assert_int_equal(value, 7);
    assert_true(lw_json_number_to_double(lw_str_of(text)) == 7.0);
    assert_true(lw_json_number_equal(lw_str_of(text), LW_STR("7")));
    lw_free(text);
    text = long_number("7", '0', 1000000, "");
    assert_false(lw_json_number_to_int64(lw_str_of(text), &value));
    assert_true(isinf(lw_json_number_to_double(lw_str_of(text))));
    lw_free(text);
    text = long_number("1.", '0', 1000000, "1");
    assert_false(lw_json_number_to_int64(lw_str_of(text), &value));
    assert_true(lw_json_number_to_double(lw_str_of(text)) == 1.0);
    assert_false(lw_json_number_equal(lw_str_of(text), LW_STR("1")));
    lw_free(text);
}

static void reads_the_nearest_double(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        { "0", 0.0 },
        { "1", 1.0 },
        { "-1.5", -1.5 },
        { "0.1", 0.1 },
        { "3.141592653589793238462643383279", 3.141592653589793 },
        { "1.7976931348623157e308", DBL_MAX },
        { "2.2250738585072014E-308", DBL_MIN },
        { "5e-324", 0x1p-1074 },
        { "9007199254740993", 9007199254740992.0 },
        { "9007199254740993.0000000000000000000000000000001", 9007199254740994.0 },
        { "123456789012345678901234567890e-10", 12345678901234567890.1234567890 },
        { "1e-400", 0.0 },
        { "1e-99999999999999999999999", 0.0 },
        { "1e400", HUGE_VAL },
        { "-1e99999999999999999999999", -HUGE_VAL },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        double value = lw_json_number_to_double(lw_str_of(cases[i].text));
        if (!(value == cases[i].value))
            fail_msg("%s gave %.17g", cases[i].text, value);
    }
    assert_true(signbit(lw_json_number_to_double(LW_STR("-0.0"))));
}

static void rounds_by_digits_far_behind(void **state)
{
    (void)state;
    /* Exactly between 2^53 and 2^53 + 2, and a hair above. */
    char *text = long_number("9007199254740993.", '0', 5000, "");
    assert_true(lw_json_number_to_double(lw_str_of(text)) == 9007199254740992.0);
    lw_free(text);
    text = long_number("9007199254740993.", '0', 5000, "1");
    assert_true(lw_json_number_to_double(lw_str_of(text)) == 9007199254740994.0);
    lw_free(text);
}

static void leaves_errno_alone(void **state)
{
    (void)state;
    errno = EEXIST;
    assert_true(isinf(lw_json_number_to_double(LW_STR("1e999"))));
    assert_int_equal(errno, EEXIST);
}

static void reads_a_point_in_any_locale(void **state)
{
    (void)state;
    static const char *const comma[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE" };
    const char *set = NULL;
    for (size_t i = 0; i < sizeof(comma) / sizeof(comma[0]) && !set; i++)
        set = setlocale(LC_ALL, comma[i]);
    if (!set) {
        print_message("no locale with a decimal comma is installed\n");
        skip();
    }
    double value = lw_json_number_to_double(LW_STR("1.5"));
    setlocale(LC_ALL, "C");
    assert_true(value == 1.5);
}

static void compares_by_value(void **state)
{
    (void)state;
    static const char *const same[][2] = {
        { "1", "1.0" },
        { "1", "10e-1" },
        { "100", "1E2" },
        { "-0", "0" },
        { "0e5", "0.000e-7" },
        { "0e99999999999999999999", "0" },
        { "-12.340", "-1234e-2" },
        { "123456789012345678901234567890", "12345678901234567890.123456789e10" },
        { "1e99999999999999999999", "1e99999999999999999999" },
        { "1e1000000", "10e999999" },
    };
    static const char *const different[][2] = {
        { "1", "-1" },
        { "1", "10" },
        { "0", "0.0000001" },
        { "0", "1" },
        { "12", "21" },
        { "9007199254740992", "9007199254740993" },
        { "1e400", "1e401" },
        { "1e99999999999999999999", "2e99999999999999999999" },
        { "1e99999999999999999998", "1e99999999999999999999" },
        { "1e-99999999999999999999", "1e99999999999999999999" },
        { "123456789012345678901234567890", "123456789012345678901234567891" },
    };
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
        assert_true(lw_json_number_equal(lw_str_of(same[i][0]), lw_str_of(same[i][1])));
        assert_true(lw_json_number_equal(lw_str_of(same[i][1]), lw_str_of(same[i][0])));
    }
    for (size_t i = 0; i < sizeof(different) / sizeof(different[0]); i++) {
        assert_false(lw_json_number_equal(lw_str_of(different[i][0]), lw_str_of(different[i][1])));
        assert_false(lw_json_number_equal(lw_str_of(different[i][1]), lw_str_of(different[i][0])));
    }
}

static void knows_the_grammar_of_numbers(void **state)
{
    (void)state;
    static const char *const good[] = { "0",    "-0",  "7",    "10",   "-12",    "0.0",
                                        "1.50", "1e5", "1E+5", "1e-5", "1.2e30", "-0.0e-0" };
    static const char *const bad[] = { "",    "-",    "+1",    "01",  "-01",  "00",
                                       ".5",  "1.",   "1.e5",  "1e",  "1e+",  "1e-",
                                       "e5",  "0x10", "1 ",    " 1",  "NaN",  "Infinity",
                                       "1_0", "1e5.", "1.2.3", "--1", "1e1e1" };
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        assert_true(lw_json_is_number(lw_str_of(good[i])));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(lw_json_is_number(lw_str_of(bad[i])));
    assert_false(lw_json_is_number(LW_STR("1\0")));
    assert_false(lw_json_is_number(lw_str_make("-1", 1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_exact_integers_however_spelled), TEST(refuses_what_is_no_int64),
        TEST(reads_numbers_of_absurd_length),       TEST(reads_the_nearest_double),
        TEST(rounds_by_digits_far_behind),          TEST(leaves_errno_alone),
        TEST(reads_a_point_in_any_locale),          TEST(compares_by_value),
        TEST(knows_the_grammar_of_numbers),
    };
    return cmocka_run_group_tests_name("number", tests, NULL, NULL);
}
