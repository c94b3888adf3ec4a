/* SPDX-License-Identifier: Apache-2.0 */
/* cbor_test.c -- CBOR to and from JSON: the examples of RFC 8949, appendix A, and what is refused,
 * in the words of Kubernetes' decoder. */
#include "json/cbor/cbor.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "unit/test.h"

enum {
    TEXT_MAX = 1 << 20,
};

static unsigned digit(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a' + 10);
}

static void from_hex(lw_buf *out, const char *hex)
{
    for (; hex[0]; hex += 2)
        lw_buf_append_char(out, (char)(digit(hex[0]) << 4 | digit(hex[1])));
}

static lw_status read_bytes(lw_str cbor, lw_buf *json, lw_error *err)
{
    lw_tree *tree = NULL;
    lw_json_writer w;
    lw_status st = lw_cbor_read(&tree, cbor, 0, NULL, err);
    if (st < 0)
        return st;
    lw_json_writer_init(&w, json, LW_JSON_COMPACT);
    lw_node_write(lw_tree_root(tree), &w);
    lw_tree_free(tree);
    return lw_json_writer_status(&w);
}

static void assert_reads(const char *hex, const char *json)
{
    lw_buf cbor, text;
    lw_error err = LW_ERROR_INIT;
    lw_buf_init(&cbor, TEXT_MAX);
    lw_buf_init(&text, TEXT_MAX);
    from_hex(&cbor, hex);
    lw_status st = read_bytes(lw_buf_view(&cbor), &text, &err);
    if (st < 0)
        print_message("%s: %s\n", hex, err.message);
    assert_int_equal(st, LW_OK);
    assert_str_equal(lw_buf_view(&text), json);
    lw_buf_done(&cbor);
    lw_buf_done(&text);
}

static void assert_refused(const char *hex, lw_status st, const char *message)
{
    lw_buf cbor, text;
    lw_error err = LW_ERROR_INIT;
    lw_buf_init(&cbor, TEXT_MAX);
    lw_buf_init(&text, TEXT_MAX);
    from_hex(&cbor, hex);
    assert_int_equal(read_bytes(lw_buf_view(&cbor), &text, &err), st);
    assert_string_equal(err.message, message);
    lw_buf_done(&cbor);
    lw_buf_done(&text);
}

static void assert_written(const char *json, const char *hex)
{
    lw_buf cbor, text;
    lw_buf_init(&cbor, TEXT_MAX);
    lw_buf_init(&text, TEXT_MAX);
    lw_cbor_append_json(lw_str_of(json), &cbor);
    assert_int_equal(cbor.st, LW_OK);
    for (size_t i = 0; i < cbor.len; i++)
        lw_buf_printf(&text, "%02x", (unsigned char)cbor.data[i]);
    assert_str_equal(lw_buf_view(&text), hex);
    lw_buf_done(&cbor);
    lw_buf_done(&text);
}

static void reads_the_numbers_of_the_rfc(void **state)
{
    (void)state;
    assert_reads("00", "0");
    assert_reads("17", "23");
    assert_reads("1818", "24");
    assert_reads("1903e8", "1000");
    assert_reads("1a000f4240", "1000000");
    assert_reads("1b000000e8d4a51000", "1000000000000");
    assert_reads("1b7fffffffffffffff", "9223372036854775807");
    assert_reads("20", "-1");
    assert_reads("3903e7", "-1000");
    assert_reads("3b7fffffffffffffff", "-9223372036854775808");
    assert_reads("f90000", "0");
    assert_reads("f98000", "-0");
    assert_reads("f93c00", "1");
    assert_reads("fb3ff199999999999a", "1.1");
    assert_reads("f97bff", "65504");
    assert_reads("fa47c35000", "100000");
    assert_reads("fa7f7fffff", "3.4028234663852886e+38");
    assert_reads("fb7e37e43c8800759c", "1e+300");
    assert_reads("f90001", "5.960464477539063e-8");
    assert_reads("f90400", "0.00006103515625");
    assert_reads("fbc010666666666666", "-4.1");
}

static void reads_the_other_values_of_the_rfc(void **state)
{
    (void)state;
    assert_reads("f4", "false");
    assert_reads("f5", "true");
    assert_reads("f6", "null");
    assert_reads("60", "\"\"");
    assert_reads("6449455446", "\"IETF\"");
    assert_reads("62225c", "\"\\\"\\\\\"");
    assert_reads("62c3bc", "\"\xc3\xbc\"");
    assert_reads("4449455446", "\"IETF\"");
    assert_reads("80", "[]");
    assert_reads("8301820203820405", "[1,[2,3],[4,5]]");
    assert_reads("a0", "{}");
    assert_reads("a26161016162820203", "{\"a\":1,\"b\":[2,3]}");
    assert_reads("826161a161626163", "[\"a\",{\"b\":\"c\"}]");
    assert_reads("d9d9f7a1416101", "{\"a\":1}");
}

static void reads_containers_and_strings_of_indefinite_length(void **state)
{
    (void)state;
    assert_reads("5f42010243030405ff", "\"\\u0001\\u0002\\u0003\\u0004\\u0005\"");
    assert_reads("7f657374726561646d696e67ff", "\"streaming\"");
    assert_reads("9fff", "[]");
    assert_reads("9f018202039f0405ffff", "[1,[2,3],[4,5]]");
    assert_reads("83018202039f0405ff", "[1,[2,3],[4,5]]");
    assert_reads("bf61610161629f0203ffff", "{\"a\":1,\"b\":[2,3]}");
    assert_reads("bf6346756ef563416d7421ff", "{\"Fun\":true,\"Amt\":-2}");
}

static void reads_tags_as_text(void **state)
{
    (void)state;
    assert_reads("c074323031332d30332d32315432303a30343a30305a", "\"2013-03-21T20:04:00Z\"");
    assert_reads("c11a514b67b0", "\"2013-03-21T20:04:00Z\"");
    assert_reads("c1fb41d452d9ec200000", "\"2013-03-21T20:04:00.5Z\"");
    assert_reads("c1fbbff8000000000000", "\"1969-12-31T23:59:58.5Z\"");
    assert_reads("c1fbbbc79ca10c924223", "\"1970-01-01T00:00:00Z\""); /* -1e-20 */
    assert_reads("d54401fffe03", "\"Af_-Aw\"");
    assert_reads("d64568656c6c6f", "\"aGVsbG8=\"");
    assert_reads("d74401020304", "\"01020304\"");
    assert_reads("d682d7410a4568656c6c6f", "[\"0a\",\"aGVsbG8=\"]");
    assert_reads("d82076687474703a2f2f7777772e6578616d706c652e636f6d",
                 "\"http://www.example.com\"");
}

static void replaces_bytes_that_are_not_utf8(void **state)
{
    (void)state;
    assert_reads("4361ff62", "\"a\xef\xbf\xbd\x62\"");
    assert_refused("8161ff", LW_ERR_INVALID, "cbor: invalid UTF-8 string");
}

static void refuses_what_is_not_well_formed(void **state)
{
    (void)state;
    assert_refused("", LW_ERR_SYNTAX, "EOF");
    assert_refused("7b7d", LW_ERR_SYNTAX, "unexpected EOF");
    assert_refused("a1", LW_ERR_SYNTAX, "unexpected EOF");
    assert_refused("18", LW_ERR_SYNTAX, "unexpected EOF");
    assert_refused("c1", LW_ERR_SYNTAX, "unexpected EOF");
    assert_refused("9f01", LW_ERR_SYNTAX, "unexpected EOF");
    assert_refused("9b7fffffffffffffff", LW_ERR_SYNTAX,
                   "cbor: exceeded max number of elements 2147483647 for CBOR array");
    assert_refused("ff", LW_ERR_SYNTAX, "cbor: unexpected \"break\" code");
    assert_refused("81ff", LW_ERR_SYNTAX, "cbor: unexpected \"break\" code");
    assert_refused("bf6161ff", LW_ERR_SYNTAX, "cbor: unexpected \"break\" code");
    assert_refused("1c", LW_ERR_SYNTAX,
                   "cbor: invalid additional information 28 for type positive integer");
    assert_refused("f818", LW_ERR_SYNTAX, "cbor: invalid simple value 24 for type primitives");
    assert_refused("5f6161ff", LW_ERR_SYNTAX,
                   "cbor: wrong element type UTF-8 text string for indefinite-length byte string");
    assert_refused("0000", LW_ERR_SYNTAX, "cbor: 1 bytes of extraneous data starting at index 1");
}

static void refuses_what_json_cannot_say(void **state)
{
    (void)state;
    assert_refused("d562fffe", LW_ERR_INVALID, "cbor: invalid UTF-8 string");
    assert_refused("f97e00", LW_ERR_SYNTAX,
                   "cbor: data item of cbor type primitives is not accepted by protocol: "
                   "floating-point NaN");
    assert_refused("f9fc00", LW_ERR_SYNTAX,
                   "cbor: data item of cbor type primitives is not accepted by protocol: "
                   "floating-point infinity");
    assert_refused("c1fb7fe1ccf385ebc8a0", LW_ERR_INVALID,
                   "cbor: decoded time cannot be represented in RFC3339 format with sub-second "
                   "precision: Time.MarshalText: year outside of range [0,9999]");
    assert_refused("c249010000000000000000", LW_ERR_SYNTAX,
                   "cbor: data item of cbor type tag is not accepted by protocol: bignum");
    assert_refused("1b8000000000000000", LW_ERR_INVALID,
                   "cbor: cannot unmarshal positive integer into Go value of type int64 "
                   "(9223372036854775808 overflows Go's int64)");
    assert_refused("3bffffffffffffffff", LW_ERR_INVALID,
                   "cbor: cannot unmarshal negative integer into Go value of type int64 "
                   "(-18446744073709551616 overflows Go's int64)");
    assert_refused("f7", LW_ERR_INVALID,
                   "cbor: data item of cbor type primitives is not accepted by protocol: simple "
                   "value 23 is not recognized");
    assert_refused("a10102", LW_ERR_INVALID,
                   "cbor: cannot unmarshal positive integer into Go value of type string");
    assert_refused("c001", LW_ERR_INVALID,
                   "cbor: tag number 0 must be followed by text string, got positive integer");
}

static void refuses_a_key_that_is_there_twice(void **state)
{
    (void)state;
    assert_refused("a2616101416102", LW_ERR_SYNTAX,
                   "cbor: found duplicate map key \"a\" at map element index 1");
    assert_refused("a16162a26161014161a0", LW_ERR_INVALID,
                   "cbor: found duplicate map key \"a\" at map element index 1");
}

static void refuses_deep_nesting(void **state)
{
    lw_buf cbor, json;
    lw_error err = LW_ERROR_INIT;
    (void)state;
    lw_buf_init(&cbor, TEXT_MAX);
    lw_buf_init(&json, TEXT_MAX);
    for (int i = 0; i < LW_TREE_DEPTH; i++)
        lw_buf_append_char(&cbor, '\x81');
    lw_buf_append_char(&cbor, '\0');
    assert_int_equal(read_bytes(lw_buf_view(&cbor), &json, &err), LW_OK);
    cbor.data[LW_TREE_DEPTH] = '\x81';
    lw_buf_append_char(&cbor, '\0');
    assert_int_equal(read_bytes(lw_buf_view(&cbor), &json, &err), LW_ERR_LIMIT);
    assert_string_equal(err.message, "cbor: exceeded max nested level 512");
    lw_buf_done(&cbor);
    lw_buf_done(&json);
}

static void writes_the_shortest_form(void **state)
{
    (void)state;
    assert_written("0", "00");
    assert_written("24", "1818");
    assert_written("1000000000000", "1b000000e8d4a51000");
    assert_written("-1", "20");
    assert_written("-9223372036854775808", "3b7fffffffffffffff");
    assert_written("1.5", "f93e00");
    assert_written("1.0", "f93c00");
    assert_written("1e2", "f95640");
    assert_written("65504.0", "f97bff");
    assert_written("100000.0", "fa47c35000");
    assert_written("1.1", "fb3ff199999999999a");
    assert_written("5.960464477539063e-8", "f90001");
    assert_written("0.00006103515625", "f90400");
    assert_written("-4.1", "fbc010666666666666");
    assert_written("18446744073709551616", "fa5f800000");
    assert_written(" [ true , false,null ] ", "83f5f4f6");
}

static void writes_texts_and_keys_as_byte_strings(void **state)
{
    (void)state;
    assert_written("\"IETF\"", "4449455446");
    assert_written("\"\\u00fc\\n\"", "43c3bc0a");
    assert_written("\"123456789012345678901\\u0061\\u0062\"", /* 24 bytes and more with escapes */
                   "573132333435363738393031323334353637383930316162");
    assert_written("{\"a\":1, \"b\" : {\"c\\t\":[]}}", "a24161014162a1426309"
                                                       "80");
}

static void ends_large_containers_with_a_break(void **state)
{
    (void)state;
    assert_written("[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]",
                   "970000000000000000000000000000000000000000000000");
    assert_written("[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]",
                   "9f000000000000000000000000000000000000000000000000ff");
}

static void finds_a_member_of_a_refused_document(void **state)
{
    lw_buf cbor, text;
    (void)state;
    lw_buf_init(&cbor, TEXT_MAX);
    lw_buf_init(&text, TEXT_MAX);
    from_hex(&cbor, "d9d9f7a36178f7446b696e64435461624173a0");
    lw_cbor_append_member(lw_buf_view(&cbor), LW_STR("kind"), &text);
    lw_cbor_append_member(lw_buf_view(&cbor), LW_STR("s"), &text);
    lw_cbor_append_member(lw_buf_view(&cbor), LW_STR("none"), &text);
    assert_str_equal(lw_buf_view(&text), "Tab");
    lw_buf_done(&cbor);
    lw_buf_done(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_the_numbers_of_the_rfc),
        TEST(reads_the_other_values_of_the_rfc),
        TEST(reads_containers_and_strings_of_indefinite_length),
        TEST(reads_tags_as_text),
        TEST(replaces_bytes_that_are_not_utf8),
        TEST(refuses_what_is_not_well_formed),
        TEST(refuses_what_json_cannot_say),
        TEST(refuses_a_key_that_is_there_twice),
        TEST(refuses_deep_nesting),
        TEST(writes_the_shortest_form),
        TEST(writes_texts_and_keys_as_byte_strings),
        TEST(ends_large_containers_with_a_break),
        TEST(finds_a_member_of_a_refused_document),
    };
    return cmocka_run_group_tests_name("cbor", tests, NULL, NULL);
}
