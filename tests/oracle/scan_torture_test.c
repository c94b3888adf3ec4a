/* SPDX-License-Identifier: Apache-2.0 */
/* scan_torture_test.c -- documents made to hurt: the scanner says of each what yajl and simdjson
 * say. */
#include <stdio.h>

#include "base/str.h"
#include "oracle/jury.h"
#include "unit/json/scan_documents.h"
#include "unit/test.h"

enum {
    STRIDE = IS_SANITIZED ? 11 : 1, /* of what is tried exhaustively, every so many */
};

#define LABELS                                                                                     \
    "{\"app\":\"web\",\"\\u0061pp\":null,\"\":\"\",\"a\\\\b\":\"\xC3\xA9\\ud83d\\ude00\"}"
/* One of everything a list has, and members that come twice. */
#define LIST                                                                                       \
    "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"9\","         \
    "\"continue\":\"c\\n\",\"remainingItemCount\":3},\"items\":[{\"metadata\":{\"name\":\"a\","    \
    "\"namespace\":\"n\",\"uid\":\"u\",\"resourceVersion\":\"1\",\"labels\":" LABELS               \
    ",\"name\":\"b\"},\"kind\":\"Pod\"},{\"metadata\":{\"name\":\"x\"},\"spec\":[1.5e3,true,{}],"  \
    "\"metadata\":{\"uid\":null,\"l\\u0061bels\":{}}},{}]}"

static lw_str restart(jury *j, const char *text)
{
    lw_buf_reset(&j->gen.out);
    lw_buf_append_text(&j->gen.out, text);
    return lw_buf_view(&j->gen.out);
}

static void documents_of_the_tables_are_judged_alike(void **state)
{
    jury *j = *state;
    for (size_t i = 0; i < MALFORMED + ODDITIES; i++) {
        const scan_document *d = i < MALFORMED ? &malformed[i] : &oddities[i - MALFORMED];
        lw_buf *out = &j->gen.out;
        lw_buf_reset(out);
        lw_buf_append(out, d->bytes, d->len);
        for (size_t k = 0; k < out->len; k++) {
            if (out->data[k] == '`')
                out->data[k] = '"';
        }
        lw_str document = lw_buf_view(out);
        jury_check((jury_ask(j, document) == LW_OK) == !d->fault, "not as the table has it",
                   document);
    }
}

/* Two bytes of all kinds, in a string and bare; then longer sequences at their edges. */
static void every_sequence_of_bytes_is_judged_alike(void **state)
{
    static const char edges[] = "\x22\x5C\x7F\x80\x8F\x90\x9F\xA0\xBF\xC0\xFF"; /* and NUL */
    jury *j = *state;
    for (unsigned i = 0; i < 0x10000; i += STRIDE) {
        const char in_string[] = { '[', '"', (char)(i >> 8), (char)i, '"', ']' };
        const char bare[] = { '[', (char)(i >> 8), (char)i, ']' };
        (void)jury_ask(j, lw_str_make(in_string, sizeof(in_string)));
        (void)jury_ask(j, lw_str_make(bare, sizeof(bare)));
    }
    for (unsigned i = 0; i < 0x2000; i += STRIDE) {
        for (unsigned k = 0; k < sizeof(edges) * 2; k++) {
            const char document[] = { '"',          (char)(0xE0 | i >> 8), (char)i,
                                      edges[k / 2], edges[k % 2 + 2],      'z',
                                      '"' };
            (void)jury_ask(j, lw_str_make(document, sizeof(document)));
        }
    }
}

static void every_escape_is_judged_alike(void **state)
{
    /* What stands before and behind the four digits. */
    static const char *const frames[][2] = { { "[\"\\u", "\"]" },
                                             { "{\"\\uD83d\\u", "\":0}" },
                                             { "\"\\u", "x\\uDE00\"" },
                                             { "\"\\\\u", "\\\\\"" } };
    jury *j = *state;
    for (unsigned i = 0; i < 0x10000; i += STRIDE) {
        const char *const *frame = frames[i / STRIDE % 4];
        char text[64];
        snprintf(text, sizeof(text), i & 1 ? "%s%04x%s" : "%s%04X%s", frame[0], i, frame[1]);
        jury_check(jury_ask(j, lw_str_of(text)) == LW_OK, "refused", lw_str_of(text));
        *strchr(text, 'u') = (char)i;
        (void)jury_ask(j, lw_str_of(text));
    }
}

static void lists_are_cut_off_at_every_byte(void **state)
{
    jury *j = *state;
    jury_check(jury_ask_list(j, LW_STR(LIST)) == LW_OK, "refused", LW_STR(LIST));
    for (size_t len = 0; len < sizeof(LIST) - 1; len++) {
        lw_str document = lw_str_make(LIST, len);
        jury_check(jury_ask_list(j, document) < 0, "accepted", document);
    }
}

/* Any byte in any place of a list, instead of the byte there and beside it. */
static void any_byte_stands_anywhere(void **state)
{
    jury *j = *state;
    for (size_t at = 0; at < sizeof(LIST) - 1; at++) {
        for (size_t byte = at % STRIDE; byte < 256; byte += STRIDE) {
            restart(j, LIST);
            j->gen.out.data[at] = (char)byte;
            (void)jury_ask_list(j, lw_buf_view(&j->gen.out));
            lw_buf_reset(&j->gen.out);
            lw_buf_append(&j->gen.out, LIST, at);
            lw_buf_append_char(&j->gen.out, (char)byte);
            lw_buf_append_text(&j->gen.out, &LIST[at]);
            (void)jury_ask_list(j, lw_buf_view(&j->gen.out));
        }
    }
}

/* Each value of a list is exchanged for one of another type. */
static void any_type_stands_anywhere(void **state)
{
    static const char *const values[] = { "null",
                                          "true",
                                          "0",
                                          "-1",
                                          "1.5",
                                          "\"s\"",
                                          "[]",
                                          "{}",
                                          "[{}]",
                                          "{\"name\":null}",
                                          "99999999999999999999" };
    static const char *const formats[] = {
        "%s",
        "{\"kind\":%s}",
        "{\"apiVersion\":%s}",
        "{\"metadata\":%s}",
        "{\"items\":%s}",
        "{\"metadata\":{\"resourceVersion\":%s}}",
        "{\"metadata\":{\"continue\":%s}}",
        "{\"metadata\":{\"remainingItemCount\":%s}}",
        "{\"items\":[{},%s]}",
        "{\"items\":[{\"kind\":%s}]}",
        "{\"items\":[{\"metadata\":%s}]}",
        "{\"items\":[{\"metadata\":{\"name\":%s}}]}",
        "{\"items\":[{\"metadata\":{\"namespace\":%s}}]}",
        "{\"items\":[{\"metadata\":{\"uid\":%s,\"uid\":\"u\"}}]}",
        "{\"items\":[{\"metadata\":{\"resourceVersion\":\"1\",\"resourceVersion\":%s}}]}",
        "{\"items\":[{\"metadata\":{\"labels\":%s}}]}",
        "{\"items\":[{\"metadata\":{\"labels\":{\"a\":\"b\"},\"labels\":%s}}]}",
        "{\"items\":[{\"metadata\":{\"labels\":{\"a\":%s}}}]}",
        "{\"items\":[{\"metadata\":{\"name\":\"n\"},\"metadata\":%s}]}",
        "{\"items\":[],\"items\":%s}",
        "{\"items\":null,\"items\":%s}",
        "{\"other\":%s}",
    };
    jury *j = *state;
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++) {
            char text[256];
            int len = snprintf(text, sizeof(text), formats[i], values[k]);
            (void)jury_ask_list(j, lw_str_make(text, (size_t)len));
        }
    }
}

static void append_times(lw_buf *out, const char *text, size_t times)
{
    while (times-- > 0)
        lw_buf_append_text(out, text);
}

static lw_str nest(jury *j, const char *open, const char *inside, const char *close, size_t depth)
{
    lw_buf_reset(&j->gen.out);
    append_times(&j->gen.out, open, depth);
    lw_buf_append_text(&j->gen.out, inside);
    append_times(&j->gen.out, close, depth);
    return lw_buf_view(&j->gen.out);
}

static void nests_are_judged_alike_up_to_the_limit(void **state)
{
    static const size_t depths[] = { 1, 63, 64, 65, 127, 128, 511, 512, 513, 1000, 1023, 1024 };
    jury *j = *state;
    for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
        size_t depth = depths[i];
        lw_str document = nest(j, "[", "", "]", depth);
        jury_check(jury_ask(j, document) == LW_OK, "refused", document);
        document = nest(j, "{\"a\":", "1", "}", depth);
        jury_check(jury_ask(j, document) == LW_OK, "refused", document);
        document = nest(j, "[{\"\": ", "\"x\"", "}\n]", depth / 2);
        jury_check(jury_ask(j, document) == LW_OK, "refused", document);
        document = nest(j, "[", "", "]", depth);
        document.len--;
        jury_check(jury_ask(j, document) < 0, "accepted", document);
        document = nest(j, "[", "}", "]", depth);
        jury_check(jury_ask(j, document) < 0, "accepted", document);
    }
}

/* Here simdjson draws the line where it was told to, and yajl nowhere. */
static void deeper_nests_are_beyond_the_limit(void **state)
{
    static const size_t depths[] = { 1025, 1026, 5000, 100000 };
    jury *j = *state;
    for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
        lw_str document = nest(j, "[", "0", "]", depths[i]);
        jury_check(lw_json_validate(document, LW_SCAN_DEPTH_MAX, NULL) == LW_ERR_LIMIT,
                   "not beyond the limit", document);
        jury_check(!oracle_simdjson_accepts(j->simdjson, document.ptr, document.len),
                   "simdjson accepts it", document);
        jury_check(oracle_yajl_accepts(document.ptr, document.len, 64), "yajl refuses it",
                   document);
    }
}

/* 10^400 in digits and with exponents, and its neighbours: valid, whatever they are worth. */
static void numbers_are_valid_whatever_they_are_worth(void **state)
{
    static const char *const numbers[] = {
        "1e400",
        "-1e400",
        "1E+400",
        "1e-400",
        "-0e400",
        "0.0e99999999999999999999",
        "1e308",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "1e309",
        "5e-324",
        "1e-330",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "18446744073709551616",
        "-0",
        "0",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "0.1e1",
        "1e00000000000000000000001",
    };
    static const char *const frames[] = { "%s", "[%s]", "{\"a\":%s}", " %s ", "[%s,%s]", "[%s e]" };
    jury *j = *state;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        for (size_t k = 0; k < sizeof(frames) / sizeof(frames[0]); k++) {
            char text[256];
            snprintf(text, sizeof(text), frames[k], numbers[i], numbers[i]);
            jury_check((jury_ask(j, lw_str_of(text)) == LW_OK) == (k < 5), "judged wrongly",
                       lw_str_of(text));
        }
    }
    for (size_t zeros = 1; zeros <= 400; zeros++) {
        jury_check(jury_ask(j, nest(j, "", "1", "0", zeros)) == LW_OK, "refused",
                   lw_buf_view(&j->gen.out));
        jury_check(jury_ask(j, nest(j, "0", "1", "", zeros)) < 0, "accepted",
                   lw_buf_view(&j->gen.out));
        restart(j, "[-0.");
        append_times(&j->gen.out, "0", zeros);
        lw_buf_append_text(&j->gen.out, "1e5]");
        jury_check(jury_ask(j, lw_buf_view(&j->gen.out)) == LW_OK, "refused",
                   lw_buf_view(&j->gen.out));
    }
}

/* A string, a number, a word and blanks that begin and end everywhere in blocks of 64 bytes. */
static void tokens_begin_and_end_anywhere(void **state)
{
    static const char *const tokens[] = { "\"\\\\\\\"\\u00e9\"",
                                          "\"\xF0\x9F\x98\x80\"",
                                          "-12.5e-3",
                                          "true",
                                          "\"a\",\"b\"",
                                          "[{}]",
                                          "\"\\\\\"",
                                          "nul",
                                          "\"\\\"",
                                          "1.",
                                          "\"\xC3\"",
                                          "\"\x1F\"" };
    jury *j = *state;
    for (size_t i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++) {
        for (size_t before = 0; before < 140; before++) {
            lw_buf *out = &j->gen.out;
            restart(j, "[");
            append_times(out, " ", before);
            lw_buf_append_text(out, tokens[i]);
            append_times(out, "\n", before * 7 % 64);
            lw_buf_append_char(out, ']');
            jury_check((jury_ask(j, lw_buf_view(out)) == LW_OK) == (i < 7), "judged wrongly",
                       lw_buf_view(out));
            restart(j, "[\"");
            append_times(out, "\\\\", before / 2);
            append_times(out, "x", before % 2);
            lw_buf_append_text(out, "\",");
            lw_buf_append_text(out, tokens[i]);
            lw_buf_append_char(out, ']');
            jury_check((jury_ask(j, lw_buf_view(out)) == LW_OK) == (i < 7), "judged wrongly",
                       lw_buf_view(out));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(documents_of_the_tables_are_judged_alike),
        TEST(every_sequence_of_bytes_is_judged_alike),
        TEST(every_escape_is_judged_alike),
        TEST(lists_are_cut_off_at_every_byte),
        TEST(any_byte_stands_anywhere),
        TEST(any_type_stands_anywhere),
        TEST(nests_are_judged_alike_up_to_the_limit),
        TEST(deeper_nests_are_beyond_the_limit),
        TEST(numbers_are_valid_whatever_they_are_worth),
        TEST(tokens_begin_and_end_anywhere),
    };
    return cmocka_run_group_tests_name("scan_torture", tests, jury_setup, jury_teardown);
}
