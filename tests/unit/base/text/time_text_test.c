/* SPDX-License-Identifier: Apache-2.0 */
/* time_text_test.c -- RFC 3339 text. */
#include "base/text/time_text.h"

#include <stdio.h>
#include <time.h>

#include "base/str.h"
#include "unit/test.h"

static void assert_formats(int64_t s, const char *expected)
{
    char text[LW_TIME_TEXT_SIZE];
    assert_int_equal(lw_time_format(text, (lw_time){ s, 999999999 }), LW_OK);
    assert_string_equal(text, expected);
}

static void assert_formats_micro(int64_t s, int32_t ns, const char *expected)
{
    char text[LW_TIME_TEXT_SIZE];
    assert_int_equal(lw_time_format_micro(text, (lw_time){ s, ns }), LW_OK);
    assert_string_equal(text, expected);
}

static void assert_parses(const char *text, int64_t s, int32_t ns)
{
    lw_time time = { -1, -1 };
    if (!lw_time_parse(lw_str_of(text), &time))
        fail_msg("refused: %s", text);
    assert_int_equal(time.s, s);
    assert_int_equal(time.ns, ns);
}

static void assert_refuses(lw_str text)
{
    lw_time time = { 7, 8 };
    if (lw_time_parse(text, &time))
        fail_msg("accepted: %.*s", LW_STR_ARG(text));
    assert_int_equal(time.s, 7);
    assert_int_equal(time.ns, 8);
}

static void formats_whole_seconds_as_kubernetes_time(void **state)
{
    (void)state;
    assert_formats(1794707364, "2026-11-15T01:49:24Z");
    assert_formats(0, "1970-01-01T00:00:00Z");
    assert_formats(-1, "1969-12-31T23:59:59Z");
    assert_formats(951782400, "2000-02-29T00:00:00Z");
    assert_formats(4107542400, "2100-03-01T00:00:00Z");
    assert_formats(4107542399, "2100-02-28T23:59:59Z");
    assert_formats(-62135596800, "0001-01-01T00:00:00Z");
    assert_formats(-62167219200, "0000-01-01T00:00:00Z");
    assert_formats(253402300799, "9999-12-31T23:59:59Z");
}

static void reformats_the_fraction_or_all_of_it(void **state)
{
    char text[LW_TIME_TEXT_SIZE];
    const lw_time before = { 1794707364, 123456789 };
    (void)state;
    assert_int_equal(lw_time_format_micro(text, before), LW_OK);
    assert_int_equal(lw_time_reformat_micro(text, before, (lw_time){ before.s, 5000 }), LW_OK);
    assert_string_equal(text, "2026-11-15T01:49:24.000005Z");
    assert_int_equal(lw_time_reformat_micro(text, before, (lw_time){ before.s + 3600, 6000 }),
                     LW_OK);
    assert_string_equal(text, "2026-11-15T02:49:24.000006Z");
}

static void formats_six_digits_as_kubernetes_micro_time(void **state)
{
    (void)state;
    assert_formats_micro(1794707364, 0, "2026-11-15T01:49:24.000000Z");
    assert_formats_micro(1794707364, 123456789, "2026-11-15T01:49:24.123456Z");
    assert_formats_micro(1794707364, 999999999, "2026-11-15T01:49:24.999999Z");
    assert_formats_micro(-1, 1000, "1969-12-31T23:59:59.000001Z");
}

static void refuses_to_format_years_of_more_than_four_digits(void **state)
{
    (void)state;
    static const int64_t outside[] = { 253402300800, -62167219201, INT64_MAX, INT64_MIN };
    for (size_t i = 0; i < 4; i++) {
        char text[LW_TIME_TEXT_SIZE] = "untouched";
        assert_int_equal(lw_time_format(text, (lw_time){ outside[i], 0 }), LW_ERR_INVALID);
        assert_int_equal(lw_time_format_micro(text, (lw_time){ outside[i], 0 }), LW_ERR_INVALID);
        assert_string_equal(text, "untouched");
    }
}

/* The C library knows the calendar, too. */
static void assert_agrees_with_the_c_library(time_t s)
{
    struct tm tm;
    char expected[80];
    char text[LW_TIME_TEXT_SIZE] = "";
    assert_non_null(gmtime_r(&s, &tm));
    (void)snprintf(expected, sizeof(expected), "%04d-%02d-%02dT%02d:%02d:%02dZ", tm.tm_year + 1900,
                   tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
    assert_int_equal(lw_time_format(text, (lw_time){ s, 0 }), LW_OK);
    assert_string_equal(text, expected);
    lw_time back = { 0, 0 };
    assert_true(lw_time_parse(lw_str_of(text), &back));
    assert_int_equal(back.s, s);
}

static void agrees_with_the_c_library_on_every_day_of_four_centuries(void **state)
{
    (void)state;
    for (int64_t day = 0; day <= 146097; day++)
        assert_agrees_with_the_c_library((time_t)(day * 86400 + day % 86400));
}

static void agrees_with_the_c_library_round_every_new_year(void **state)
{
    (void)state;
    for (int year = 0; year <= 9999; year++) {
        char text[32];
        lw_time first = { 0, 0 };
        (void)snprintf(text, sizeof(text), "%04d-01-01T00:00:00Z", year);
        assert_true(lw_time_parse(lw_str_of(text), &first));
        assert_agrees_with_the_c_library((time_t)first.s);
        if (year > 0)
            assert_agrees_with_the_c_library((time_t)(first.s - 1));
    }
}

static void parses_what_kubernetes_writes(void **state)
{
    (void)state;
    assert_parses("2026-11-15T01:49:24Z", 1794707364, 0);
    assert_parses("2026-11-15T01:49:24.123456Z", 1794707364, 123456000);
    assert_parses("0001-01-01T00:00:00Z", -62135596800, 0);
}

static void parses_offsets(void **state)
{
    (void)state;
    assert_parses("2026-11-15T02:49:24+01:00", 1794707364, 0);
    assert_parses("2026-11-14T20:19:24-05:30", 1794707364, 0);
    assert_parses("2026-11-15T01:49:24-00:00", 1794707364, 0);
    assert_parses("2026-11-16T01:48:24+23:59", 1794707364, 0);
    assert_parses("1970-01-01T00:00:00+00:01", -60, 0);
}

static void parses_fractions_of_any_length(void **state)
{
    (void)state;
    assert_parses("1970-01-01T00:00:00.5Z", 0, 500000000);
    assert_parses("1970-01-01T00:00:00.000000001Z", 0, 1);
    assert_parses("1970-01-01T00:00:00.9999999999999999999999Z", 0, 999999999);
    assert_parses("1969-12-31T23:59:59.25+00:00", -1, 250000000);
}

static void parses_small_letters(void **state)
{
    (void)state;
    assert_parses("2026-11-15t01:49:24z", 1794707364, 0);
}

static void parses_leap_seconds_where_they_can_be(void **state)
{
    (void)state;
    assert_parses("1990-12-31T23:59:60Z", 662688000, 0);
    assert_parses("1990-12-31T15:59:60-08:00", 662688000, 0);
    assert_parses("1990-12-31T23:59:60.5Z", 662688000, 500000000);
    assert_refuses(LW_STR("1990-12-31T23:58:60Z"));
    assert_refuses(LW_STR("1990-12-31T23:59:60+01:00"));
    assert_refuses(LW_STR("1990-12-31T23:59:61Z"));
}

static void refuses_dates_that_do_not_exist(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "2026-00-15T01:49:24Z",      "2026-13-15T01:49:24Z", "2026-11-00T01:49:24Z",
        "2026-11-31T01:49:24Z",      "2025-02-29T01:49:24Z", "2100-02-29T01:49:24Z",
        "2026-11-15T24:00:00Z",      "2026-11-15T01:60:24Z", "2026-11-15T01:49:24+24:00",
        "2026-11-15T01:49:24+01:60",
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_refuses(lw_str_of(bad[i]));
    assert_parses("2000-02-29T00:00:00Z", 951782400, 0);
}

static void refuses_everything_else(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        " 2026-11-15T01:49:24Z",
        "2026-11-15T01:49:24Z ",
        "2026-11-15 01:49:24Z",
        "2026-11-15T01:49:24",
        "2026-11-15T01:49Z",
        "2026-11-15",
        "26-11-15T01:49:24Z",
        "2026-1-15T01:49:24Z",
        "02026-11-15T01:49:24Z",
        "-026-11-15T01:49:24Z",
        "+026-11-15T01:49:24Z",
        "2026-11-15T01:49:24.Z",
        "2026-11-15T01:49:24,5Z",
        "2026-11-15T01:49:24.5",
        "2026-11-15T01:49:24.-5Z",
        "2026-11-15T01:49:24+0100",
        "2026-11-15T01:49:24+01",
        "2026-11-15T01:49:24+1:00",
        "2026-11-15T01:49:24 +01:00",
        "2026-11-15T01:49:24ZZ",
        "2026-11-15T01:49:24+01:00Z",
        "2026/11/15T01:49:24Z",
        "2026-11-15T01.49.24Z",
        "null",
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_refuses(lw_str_of(bad[i]));
    assert_refuses(lw_str_make(NULL, 0));
    assert_refuses(LW_STR("2026-11-15T01:49:24Z\0"));
    assert_refuses(LW_STR("2026-11-15T01:49:2\0Z"));
}

static void refuses_every_cut_of_a_good_text(void **state)
{
    (void)state;
    lw_str whole = LW_STR("2026-11-15T01:49:24.123+01:00");
    for (size_t len = 0; len < whole.len; len++)
        assert_refuses(lw_str_make(whole.ptr, len));
}

static void converts_nanoseconds_both_ways(void **state)
{
    (void)state;
    static const int64_t cases[] = {
        0, 1, -1, 999999999, 1000000000, -1000000000, -1000000001, INT64_C(1794707364123456789)
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_time time = lw_time_of_ns(cases[i]);
        assert_in_range(time.ns, 0, 999999999);
        int64_t back = 0;
        assert_true(lw_time_to_ns(time, &back));
        assert_int_equal(back, cases[i]);
    }
    assert_int_equal(lw_time_of_ns(-1).s, -1);
    assert_int_equal(lw_time_of_ns(-1).ns, 999999999);
    assert_int_equal(lw_time_of_ns(INT64_MIN).s, -9223372037);
}

static void says_when_nanoseconds_cannot_hold_a_moment(void **state)
{
    (void)state;
    int64_t out = 5;
    assert_false(lw_time_to_ns((lw_time){ -62135596800, 0 }, &out));
    assert_false(lw_time_to_ns((lw_time){ 253402300799, 0 }, &out));
    assert_false(lw_time_to_ns((lw_time){ INT64_MAX, 999999999 }, &out));
    assert_false(lw_time_to_ns((lw_time){ 9223372036, 999999999 }, &out));
    assert_false(lw_time_to_ns((lw_time){ -9223372037, 999999999 }, &out));
    assert_false(lw_time_to_ns((lw_time){ INT64_MIN, 0 }, &out));
    assert_int_equal(out, 5);
    assert_true(lw_time_to_ns((lw_time){ 9223372035, 999999999 }, &out));
    assert_true(lw_time_to_ns((lw_time){ -9223372036, 0 }, &out));
}

static void converts_nanoseconds_to_text(void **state)
{
    (void)state;
    char text[LW_TIME_TEXT_SIZE];
    lw_time_format_ns(text, 1763258400 * LW_NS_PER_S + 999999999);
    assert_string_equal(text, "2025-11-16T02:00:00Z");
    lw_time_format_micro_ns(text, 1763258400 * LW_NS_PER_S + 1234567);
    assert_string_equal(text, "2025-11-16T02:00:00.001234Z");
    lw_time_format_micro_ns(text, -1000);
    assert_string_equal(text, "1969-12-31T23:59:59.999999Z");
    lw_time_format_ns(text, INT64_MAX);
    assert_string_equal(text, "2262-04-11T23:47:16Z");
    lw_time_format_ns(text, INT64_MIN);
    assert_string_equal(text, "1677-09-21T00:12:43Z");
}

static void converts_text_to_nanoseconds(void **state)
{
    (void)state;
    int64_t ns = 0;
    assert_true(lw_time_parse_ns(LW_STR("2025-11-16T02:00:00Z"), &ns));
    assert_int_equal(ns, 1763258400 * LW_NS_PER_S);
    assert_true(lw_time_parse_ns(LW_STR("2025-11-16T03:00:00.001234+01:00"), &ns));
    assert_int_equal(ns, 1763258400 * LW_NS_PER_S + 1234000);
    assert_true(lw_time_parse_ns(LW_STR("1969-12-31T23:59:59.5Z"), &ns));
    assert_int_equal(ns, -LW_NS_PER_S / 2);
    ns = 7;
    assert_false(lw_time_parse_ns(LW_STR("0001-01-01T00:00:00Z"), &ns));
    assert_false(lw_time_parse_ns(LW_STR("2025-11-16T02:00:00Zx"), &ns));
    assert_false(lw_time_parse_ns(LW_STR(""), &ns));
    assert_int_equal(ns, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(converts_nanoseconds_to_text),
        TEST(converts_text_to_nanoseconds),
        TEST(formats_whole_seconds_as_kubernetes_time),
        TEST(formats_six_digits_as_kubernetes_micro_time),
        TEST(reformats_the_fraction_or_all_of_it),
        TEST(refuses_to_format_years_of_more_than_four_digits),
        TEST(agrees_with_the_c_library_on_every_day_of_four_centuries),
        TEST(agrees_with_the_c_library_round_every_new_year),
        TEST(parses_what_kubernetes_writes),
        TEST(parses_offsets),
        TEST(parses_fractions_of_any_length),
        TEST(parses_small_letters),
        TEST(parses_leap_seconds_where_they_can_be),
        TEST(refuses_dates_that_do_not_exist),
        TEST(refuses_everything_else),
        TEST(refuses_every_cut_of_a_good_text),
        TEST(converts_nanoseconds_both_ways),
        TEST(says_when_nanoseconds_cannot_hold_a_moment),
    };
    return cmocka_run_group_tests_name("time_text", tests, NULL, NULL);
}
