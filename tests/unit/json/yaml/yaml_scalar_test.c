/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_scalar_test.c -- which JSON value a YAML scalar is. */
#include "json/yaml/yaml_scalar.h"

#include <locale.h>
#include <math.h>

#include "base/str.h"
#include "unit/json/yaml/yaml_scalar_table.h"
#include "unit/test.h"
#include "json/text.h"

/* |s|, which is the plain |text|, as JSON; nothing when JSON has no such value. */
static void append_json(lw_buf *out, const lw_yaml_scalar *s, lw_str text)
{
    char number[LW_YAML_FLOAT_SIZE];
    switch (s->type) {
    case LW_YAML_NULL: lw_buf_append_text(out, "null"); break;
    case LW_YAML_BOOL: lw_buf_append_text(out, s->as.boolean ? "true" : "false"); break;
    case LW_YAML_INT:
    case LW_YAML_UINT:
    case LW_YAML_FLOAT:
        if (s->type != LW_YAML_FLOAT || isfinite(s->as.number))
            lw_buf_append(out, number, lw_yaml_scalar_json(s, number));
        break;
    default: lw_json_append_quoted(out, text); break;
    }
}

static void assert_rows_read(const char *what)
{
    for (size_t i = 0; i < sizeof(yaml_scalar_table) / sizeof(yaml_scalar_table[0]); i++) {
        const yaml_scalar_row *row = &yaml_scalar_table[i];
        lw_yaml_scalar s = lw_yaml_scalar_plain(lw_str_of(row->text));
        lw_buf out;
        lw_buf_init(&out, 4096);
        append_json(&out, &s, lw_str_of(row->text));
        if (!lw_str_equal(lw_buf_view(&out), lw_str_of(row->json)))
            fail_msg("%s: %s reads as %.*s, not %s", what, row->text, LW_STR_ARG(lw_buf_view(&out)),
                     row->json ? row->json : "refused");
        lw_buf_done(&out);
    }
}

static void reads_values_as_kubernetes_does(void **state)
{
    (void)state;
    assert_rows_read("C");
}

static void reads_the_same_in_a_locale_with_a_decimal_comma(void **state)
{
    (void)state;
    static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", NULL };
    const char *found = NULL;
    for (size_t i = 0; names[i] && !found; i++)
        found = setlocale(LC_ALL, names[i]);
    if (!found) {
        print_message("no locale with a decimal comma is installed\n");
        skip();
    }
    assert_rows_read(found);
    setlocale(LC_ALL, "C");
}

static void makes_keys_as_kubernetes_does(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(yaml_scalar_table) / sizeof(yaml_scalar_table[0]); i++) {
        const yaml_scalar_row *row = &yaml_scalar_table[i];
        lw_yaml_scalar s = lw_yaml_scalar_plain(lw_str_of(row->text));
        char made[LW_YAML_FLOAT_SIZE];
        lw_str key = lw_str_of(row->text);
        if (s.type < LW_YAML_STRING)
            key = lw_str_make(made, lw_yaml_scalar_key(&s, made));
        if (!lw_str_equal(key, lw_str_of(row->key)))
            fail_msg("%s makes the key %.*s, not %s", row->text, LW_STR_ARG(key),
                     row->key ? row->key : "refused");
    }
}

static void quotes_what_kubernetes_quotes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(yaml_scalar_table) / sizeof(yaml_scalar_table[0]); i++) {
        const yaml_scalar_row *row = &yaml_scalar_table[i];
        if (lw_yaml_is_ambiguous(lw_str_of(row->text)) != row->is_quoted)
            fail_msg("%s is %squoted", row->text, row->is_quoted ? "not " : "");
    }
}

static void nul_bytes_make_a_string(void **state)
{
    (void)state;
    static const lw_str texts[] = { LW_STR_INIT("\0"),
                                    LW_STR_INIT("1\0"),
                                    LW_STR_INIT("\0"
                                                "1"),
                                    LW_STR_INIT("1.5\0"),
                                    LW_STR_INIT("true\0"),
                                    LW_STR_INIT("2001-01-01\0") };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_int_equal(lw_yaml_scalar_plain(texts[i]).type, LW_YAML_STRING);
}

static void numbers_of_any_length_are_read(void **state)
{
    (void)state;
    enum {
        LENGTH = 100000
    };
    char *text = test_malloc(LENGTH);
    memset(text, '0', LENGTH);
    text[LENGTH - 1] = '7'; /* octal, with leading zeros */
    lw_yaml_scalar s = lw_yaml_scalar_plain(lw_str_make(text, LENGTH));
    assert_int_equal(s.type, LW_YAML_INT);
    assert_int_equal(s.as.integer, 7);
    text[1] = '.';
    s = lw_yaml_scalar_plain(lw_str_make(text, LENGTH));
    assert_int_equal(s.type, LW_YAML_FLOAT);
    assert_true(s.as.number == 0);
    memset(text, '9', LENGTH);
    assert_int_equal(lw_yaml_scalar_plain(lw_str_make(text, LENGTH)).type, LW_YAML_STRING);
    test_free(text);
}

/* 1 + 2^-53 lies midway between two doubles: one more digit, however late, rounds it up. */
static void a_digit_far_out_decides_the_rounding(void **state)
{
    (void)state;
    enum {
        LENGTH = 2000
    };
    static const char midway[] = "1.00000000000000011102230246251565404236316680908203125";
    char text[LENGTH];
    memset(text, '0', LENGTH);
    memcpy(text, midway, sizeof(midway) - 1);
    lw_yaml_scalar s = lw_yaml_scalar_plain(lw_str_make(text, LENGTH));
    assert_true(s.as.number == 1.0);
    text[LENGTH - 1] = '1';
    s = lw_yaml_scalar_plain(lw_str_make(text, LENGTH));
    assert_true(s.as.number == 1.0000000000000002);
}

/* Shortest means: no decimal with fewer digits reads back, and this one does. */
static void floats_come_back_from_every_form(void **state)
{
    (void)state;
    uint64_t bits = 0x9E3779B97F4A7C15u;
    for (int i = 0; i < 20000; i++) {
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        double value;
        memcpy(&value, &bits, sizeof(value));
        if (!isfinite(value))
            continue;
        char text[LW_YAML_FLOAT_SIZE];
        double back = 0;
        assert_true(lw_yaml_float_parse(lw_str_make(text, lw_yaml_float_json(text, value)), &back));
        assert_true(back == value);
        size_t len = lw_yaml_float_general(text, value);
        assert_true(lw_yaml_float_parse(lw_str_make(text, len), &back));
        assert_true(back == value);
    }
}

static void tags_decide(void **state)
{
    (void)state;
    static const struct {
        const char *tag;
        const char *text;
        bool is_good;
        lw_yaml_type type;
    } rows[] = {
        { "tag:yaml.org,2002:str", "1", true, LW_YAML_STRING },
        { "tag:yaml.org,2002:int", "0x1F", true, LW_YAML_INT },
        { "tag:yaml.org,2002:int", "18446744073709551615", true, LW_YAML_UINT },
        { "tag:yaml.org,2002:int", "1.5", false, LW_YAML_FLOAT },
        { "tag:yaml.org,2002:float", "1", true, LW_YAML_FLOAT },
        { "tag:yaml.org,2002:float", "18446744073709551615", false, LW_YAML_UINT },
        { "tag:yaml.org,2002:float", "x", false, LW_YAML_STRING },
        { "tag:yaml.org,2002:bool", "off", true, LW_YAML_BOOL },
        { "tag:yaml.org,2002:bool", "1", false, LW_YAML_INT },
        { "tag:yaml.org,2002:null", "", true, LW_YAML_NULL },
        { "tag:yaml.org,2002:null", "x", false, LW_YAML_STRING },
        { "tag:yaml.org,2002:timestamp", "2001-01-01", true, LW_YAML_TIMESTAMP },
        { "tag:yaml.org,2002:timestamp", "2001", false, LW_YAML_INT },
        { "tag:yaml.org,2002:binary", "?", true, LW_YAML_BINARY },
        { "tag:yaml.org,2002:set", "1", true, LW_YAML_STRING },
        { "!mine", "1", true, LW_YAML_STRING },
        { "!", "1", true, LW_YAML_STRING },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        lw_yaml_scalar s;
        bool is_good = lw_yaml_scalar_tagged(lw_str_of(rows[i].tag), lw_str_of(rows[i].text), &s);
        if (is_good != rows[i].is_good || s.type != rows[i].type)
            fail_msg("%s %s: %d, %s", rows[i].tag, rows[i].text, is_good,
                     lw_yaml_type_name(s.type));
    }
}

static void base64_is_decoded(void **state)
{
    (void)state;
    static const struct {
        const char *base64;
        const char *text; /* NULL: refused */
    } rows[] = {
        { "", "" },
        { "aA==", "h" },
        { "aGk=", "hi" },
        { "aGkh", "hi!" },
        { "aG\r\nkh\n", "hi!" },
        { "w6k=", "\xC3\xA9" },
        { "/w==", "\xEF\xBF\xBD" },
        { "w2g=", "\xEF\xBF\xBDh" },
        { "aA=", NULL },
        { "aA", NULL },
        { "a===", NULL },
        { "aA==aA==", NULL },
        { "aA=h", NULL },
        { "a b=", NULL },
        { "aG_h", NULL },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        lw_buf out;
        lw_buf_init(&out, 100);
        bool is_good = lw_yaml_binary_decode(&out, lw_str_of(rows[i].base64));
        assert_int_equal(is_good, rows[i].text != NULL);
        assert_str_equal(lw_buf_view(&out), rows[i].text ? rows[i].text : "");
        lw_buf_done(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_values_as_kubernetes_does),
        TEST(reads_the_same_in_a_locale_with_a_decimal_comma),
        TEST(makes_keys_as_kubernetes_does),
        TEST(quotes_what_kubernetes_quotes),
        TEST(nul_bytes_make_a_string),
        TEST(numbers_of_any_length_are_read),
        TEST(a_digit_far_out_decides_the_rounding),
        TEST(floats_come_back_from_every_form),
        TEST(tags_decide),
        TEST(base64_is_decoded),
    };
    return cmocka_run_group_tests_name("yaml_scalar", tests, NULL, NULL);
}
