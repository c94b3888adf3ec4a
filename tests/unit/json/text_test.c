/* SPDX-License-Identifier: Apache-2.0 */
/* text_test.c -- JSON strings: quote, unescape, compare; and UTF-8. */
#include "json/text.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/str.h"
#include "unit/test.h"

typedef struct text_pair {
    lw_str from;
    const char *to;
} text_pair;

#define PAIR(from, to)                                                                             \
    {                                                                                              \
        LW_STR_INIT(from), to                                                                      \
    }

static void assert_quoted(lw_str plain, const char *json)
{
    lw_buf buf;
    lw_buf_init(&buf, 1000);
    lw_json_append_quoted(&buf, plain);
    assert_int_equal(buf.st, LW_OK);
    assert_str_equal(lw_buf_view(&buf), json);
    lw_buf_done(&buf);
}

static void assert_unescaped(lw_str raw, lw_str plain)
{
    lw_buf buf;
    lw_buf_init(&buf, 1000);
    lw_json_append_unescaped(&buf, raw);
    assert_int_equal(buf.st, LW_OK);
    assert_int_equal(buf.len, plain.len);
    assert_true(lw_str_equal(lw_buf_view(&buf), plain));
    lw_buf_done(&buf);

    char *dst = lw_alloc(raw.len); /* of exactly that size: a sanitizer sees one byte too many */
    assert_non_null(dst);
    assert_int_equal(lw_json_unescape(dst, raw), plain.len);
    assert_true(lw_str_equal(lw_str_make(dst, plain.len), plain));
    lw_free(dst);
    assert_true(lw_json_text_equal(raw, plain));
}

static void quotes_as_go_writes_it(void **state)
{
    (void)state;
    static const text_pair pairs[] = {
        PAIR("", "\"\""),
        PAIR("plain", "\"plain\""),
        PAIR("a\"b\\c/d", "\"a\\\"b\\\\c/d\""),
        PAIR("\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\""),
        PAIR("\0\x01\x0b\x1f\x7f", "\"\\u0000\\u0001\\u000b\\u001f\x7f\""),
        PAIR("<a href='x'>&", "\"\\u003ca href='x'\\u003e\\u0026\""),
        PAIR("\xE2\x80\xA7\xE2\x80\xA8\xE2\x80\xA9\xE2\x80\xAA",
             "\"\xE2\x80\xA7\\u2028\\u2029\xE2\x80\xAA\""),
        PAIR("gr\xC3\xBC\xC3\x9F \xE4\xBD\xA0 \xF0\x9F\x98\x80",
             "\"gr\xC3\xBC\xC3\x9F \xE4\xBD\xA0 \xF0\x9F\x98\x80\""),
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        assert_quoted(pairs[i].from, pairs[i].to);
}

static void quotes_each_stray_byte_as_replacement(void **state)
{
    (void)state;
    static const text_pair pairs[] = {
        PAIR("\xFF", "\"\\ufffd\""),
        PAIR("a\x80z", "\"a\\ufffdz\""),
        PAIR("\xC3", "\"\\ufffd\""),
        PAIR("\xC3\"", "\"\\ufffd\\\"\""),
        PAIR("\xE2\x80", "\"\\ufffd\\ufffd\""),
        PAIR("\xED\xA0\x80", "\"\\ufffd\\ufffd\\ufffd\""),
        PAIR("\xC0\xAF", "\"\\ufffd\\ufffd\""),
        PAIR("\xF4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""),
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        assert_quoted(pairs[i].from, pairs[i].to);
}

static void quoting_stops_at_the_cap_of_the_buffer(void **state)
{
    (void)state;
    lw_buf buf;
    lw_buf_init(&buf, 6);
    lw_json_append_quoted(&buf, LW_STR("abc\n"));
    assert_int_equal(buf.st, LW_ERR_LIMIT);
    assert_str_equal(lw_buf_view(&buf), "\"abc\\n");
    lw_buf_done(&buf);
}

static void unescapes_every_escape(void **state)
{
    (void)state;
    assert_unescaped(LW_STR(""), LW_STR(""));
    assert_unescaped(LW_STR("plain"), LW_STR("plain"));
    assert_unescaped(LW_STR("\\\"\\\\\\/\\b\\f\\n\\r\\t"), LW_STR("\"\\/\b\f\n\r\t"));
    assert_unescaped(LW_STR("a\\u0000b"), LW_STR("a\0b"));
    assert_unescaped(LW_STR("\\u0041\\u00e9\\u00E9\\u20AC\\uffff"),
                     LW_STR("A\xC3\xA9\xC3\xA9\xE2\x82\xAC\xEF\xBF\xBF"));
    assert_unescaped(LW_STR("x\\\\u0041"), LW_STR("x\\u0041"));
}

static void combines_surrogate_pairs(void **state)
{
    (void)state;
    assert_unescaped(LW_STR("\\ud83d\\ude00"), LW_STR("\xF0\x9F\x98\x80"));
    assert_unescaped(LW_STR("\\uD800\\uDC00"), LW_STR("\xF0\x90\x80\x80"));
    assert_unescaped(LW_STR("\\udbff\\udfff"), LW_STR("\xF4\x8F\xBF\xBF"));
}

static void decodes_lone_surrogates_as_replacement(void **state)
{
    (void)state;
    assert_unescaped(LW_STR("\\ud800"), LW_STR("\xEF\xBF\xBD"));
    assert_unescaped(LW_STR("\\udc00x"), LW_STR("\xEF\xBF\xBDx"));
    assert_unescaped(LW_STR("\\ud800\\u0041"), LW_STR("\xEF\xBF\xBD"
                                                      "A"));
    assert_unescaped(LW_STR("\\ud800\\ud83d\\ude00"), LW_STR("\xEF\xBF\xBD\xF0\x9F\x98\x80"));
    assert_unescaped(LW_STR("\\ud800\\ue000"), LW_STR("\xEF\xBF\xBD\xEE\x80\x80"));
    assert_unescaped(LW_STR("\\ud800\\n"), LW_STR("\xEF\xBF\xBD\n"));
    assert_unescaped(LW_STR("\\ude00\\ud83d"), LW_STR("\xEF\xBF\xBD\xEF\xBF\xBD"));
}

static void unescaping_reads_no_byte_past_a_cut_escape(void **state)
{
    (void)state;
    static const char *const cut[] = { "\\", "\\u", "\\u12", "\\u123", "\\ud83d\\ude0", "a\\" };
    for (size_t i = 0; i < sizeof(cut) / sizeof(cut[0]); i++) {
        size_t len = strlen(cut[i]);
        char *exact = lw_alloc(len);
        char *dst = lw_alloc(len);
        assert_non_null(exact);
        assert_non_null(dst);
        memcpy(exact, cut[i], len);
        assert_in_range(lw_json_unescape(dst, lw_str_make(exact, len)), 1, len);
        lw_free(exact);
        lw_free(dst);
    }
}

static void unescaping_needs_no_more_room_than_it_writes(void **state)
{
    (void)state;
    lw_buf buf;
    lw_buf_init(&buf, 2);
    lw_json_append_unescaped(&buf, LW_STR("\\u0041\\u0042"));
    assert_int_equal(buf.st, LW_OK);
    assert_str_equal(lw_buf_view(&buf), "AB");
    lw_buf_done(&buf);
}

static void compares_decoded_texts(void **state)
{
    (void)state;
    assert_true(lw_json_text_equal(LW_STR("na\\u006de"), LW_STR("name")));
    assert_true(lw_json_text_equal(LW_STR(""), LW_STR("")));
    assert_true(lw_json_text_equal(LW_STR("a\\/b"), LW_STR("a/b")));
    assert_false(lw_json_text_equal(LW_STR("name"), LW_STR("names")));
    assert_false(lw_json_text_equal(LW_STR("names"), LW_STR("name")));
    assert_false(lw_json_text_equal(LW_STR("\\u0041"), LW_STR("")));
    assert_false(lw_json_text_equal(LW_STR("a\\u0042"), LW_STR("ac")));
    assert_false(lw_json_text_equal(LW_STR("a\\n"), LW_STR("a\\n")));
    assert_false(lw_json_text_equal(LW_STR("a\\u0000"), LW_STR("a")));
}

static void gives_decoded_pieces_in_order(void **state)
{
    (void)state;
    lw_str raw = LW_STR("ab\\ncd");
    char small[4];
    lw_str piece;
    assert_true(lw_json_text_next(&raw, small, &piece));
    assert_str_equal(piece, "ab");
    assert_true(lw_json_text_next(&raw, small, &piece));
    assert_str_equal(piece, "\n");
    assert_true(lw_json_text_next(&raw, small, &piece));
    assert_str_equal(piece, "cd");
    assert_false(lw_json_text_next(&raw, small, &piece));
}

static void accepts_well_formed_utf8_only(void **state)
{
    (void)state;
    static const lw_str good[] = {
        LW_STR_INIT(""),
        LW_STR_INIT("only ascii, and more of it than a word"),
        LW_STR_INIT("\0"),
        LW_STR_INIT("1234567\xC2\x80"),
        LW_STR_INIT("\xDF\xBF\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF"),
        LW_STR_INIT("\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"),
    };
    static const lw_str bad[] = {
        LW_STR_INIT("\x80"),
        LW_STR_INIT("\xC1\xBF"),
        LW_STR_INIT("\xC2"),
        LW_STR_INIT("\xC2\x41"),
        LW_STR_INIT("\xE0\x9F\xBF"),
        LW_STR_INIT("\xE1\x80"),
        LW_STR_INIT("\xE1\x80\xC0"),
        LW_STR_INIT("\xED\xA0\x80"),
        LW_STR_INIT("\xF0\x8F\xBF\xBF"),
        LW_STR_INIT("\xF1\x80\x80"),
        LW_STR_INIT("\xF1\x80\x80z"),
        LW_STR_INIT("\xF4\x90\x80\x80"),
        LW_STR_INIT("\xF5\x80\x80\x80"),
        LW_STR_INIT("\xFF"),
        LW_STR_INIT("12345678\x80"),
        LW_STR_INIT("1234567\x80"),
    };
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        assert_true(lw_utf8_is_valid(good[i]));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(lw_utf8_is_valid(bad[i]));
}

static void finds_what_is_not_utf8_wherever_it_stands(void **state)
{
    (void)state;
    for (size_t len = 1; len <= 40; len++) {
        char *text = malloc(len); /* so that reading too much is noticed */
        memset(text, 'a', len);
        assert_true(lw_utf8_is_valid(lw_str_make(text, len)));
        for (size_t at = 0; at < len; at++) {
            text[at] = '\x80';
            assert_false(lw_utf8_is_valid(lw_str_make(text, len)));
            text[at] = 'a';
        }
        free(text);
    }
}

static void finds_what_is_to_be_escaped_wherever_it_stands(void **state)
{
    (void)state;
    static const struct {
        char byte;
        const char *escape;
    } odd[] = { { '"', "\\\"" },    { '\\', "\\\\" }, { '<', "\\u003c" },  { '>', "\\u003e" },
                { '&', "\\u0026" }, { '\n', "\\n" },  { 0x1f, "\\u001f" }, { 0x7f, "\x7f" },
                { '=', "=" },       { '#', "#" },     { '[', "[" } };
    enum {
        LEN_MAX = 35,
    };
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        for (size_t len = 1; len <= LEN_MAX; len++) {
            for (size_t at = 0; at < len; at++) {
                char plain[LEN_MAX], json[LEN_MAX + 16];
                memset(plain, 'a', sizeof(plain));
                plain[at] = odd[i].byte;
                (void)snprintf(json, sizeof(json), "\"%.*s%s%.*s\"", (int)at, plain, odd[i].escape,
                               (int)(len - at - 1), plain + at + 1);
                assert_quoted(lw_str_make(plain, len), json);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(finds_what_is_not_utf8_wherever_it_stands),
        TEST(finds_what_is_to_be_escaped_wherever_it_stands),
        TEST(quotes_as_go_writes_it),
        TEST(quotes_each_stray_byte_as_replacement),
        TEST(quoting_stops_at_the_cap_of_the_buffer),
        TEST(unescapes_every_escape),
        TEST(combines_surrogate_pairs),
        TEST(decodes_lone_surrogates_as_replacement),
        TEST(unescaping_reads_no_byte_past_a_cut_escape),
        TEST(unescaping_needs_no_more_room_than_it_writes),
        TEST(compares_decoded_texts),
        TEST(gives_decoded_pieces_in_order),
        TEST(accepts_well_formed_utf8_only),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
