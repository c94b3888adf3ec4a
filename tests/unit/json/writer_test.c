/* SPDX-License-Identifier: Apache-2.0 */
/* writer_test.c -- JSON out, compact and indented. */
#include "json/writer.h"

#include "base/str.h"
#include "unit/test.h"

static void write_sample(lw_json_writer *w)
{
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "kind", LW_STR("Pod<1>"));
    lw_json_write_key(w, LW_STR("list"));
    lw_json_write_array_begin(w);
    lw_json_write_int(w, INT64_MIN);
    lw_json_write_bool(w, true);
    lw_json_write_bool(w, false);
    lw_json_write_null(w);
    lw_json_write_number(w, LW_STR("1.50e+3"));
    lw_json_write_object_begin(w);
    lw_json_write_object_end(w);
    lw_json_write_array_begin(w);
    lw_json_write_array_end(w);
    lw_json_write_array_end(w);
    lw_json_write_key(w, LW_STR("n\""));
    lw_json_write_int(w, 7);
    lw_json_write_object_end(w);
}

static void writes_the_compact_form(void **state)
{
    (void)state;
    lw_buf buf;
    lw_json_writer w;
    lw_buf_init(&buf, 1000);
    lw_json_writer_init(&w, &buf, LW_JSON_COMPACT);
    write_sample(&w);
    assert_int_equal(lw_json_writer_status(&w), LW_OK);
    assert_str_equal(lw_buf_view(&buf),
                     "{\"kind\":\"Pod\\u003c1\\u003e\",\"list\":[-9223372036854775808,true,false,"
                     "null,1.50e+3,{},[]],\"n\\\"\":7}");
    lw_buf_done(&buf);
}

static void writes_the_indented_form_as_go(void **state)
{
    (void)state;
    lw_buf buf;
    lw_json_writer w;
    lw_buf_init(&buf, 1000);
    lw_json_writer_init(&w, &buf, LW_JSON_INDENTED);
    write_sample(&w);
    assert_int_equal(lw_json_writer_status(&w), LW_OK);
    assert_str_equal(lw_buf_view(&buf), "{\n"
                                        "  \"kind\": \"Pod\\u003c1\\u003e\",\n"
                                        "  \"list\": [\n"
                                        "    -9223372036854775808,\n"
                                        "    true,\n"
                                        "    false,\n"
                                        "    null,\n"
                                        "    1.50e+3,\n"
                                        "    {},\n"
                                        "    []\n"
                                        "  ],\n"
                                        "  \"n\\\"\": 7\n"
                                        "}");
    lw_buf_done(&buf);
}

static void writes_a_scalar_as_a_document(void **state)
{
    (void)state;
    lw_buf buf;
    lw_json_writer w;
    lw_buf_init(&buf, 100);
    lw_json_writer_init(&w, &buf, LW_JSON_INDENTED);
    lw_json_write_string(&w, LW_STR(""));
    assert_str_equal(lw_buf_view(&buf), "\"\"");
    lw_buf_done(&buf);
}

static void documents_follow_one_another_without_commas(void **state)
{
    (void)state;
    lw_buf buf;
    lw_json_writer w;
    lw_buf_init(&buf, 100);
    lw_json_writer_init(&w, &buf, LW_JSON_COMPACT);
    for (int i = 0; i < 2; i++) {
        lw_json_write_array_begin(&w);
        lw_json_write_int(&w, i);
        lw_json_write_array_end(&w);
        lw_buf_append_char(&buf, '\n');
    }
    assert_str_equal(lw_buf_view(&buf), "[0]\n[1]\n");
    lw_buf_done(&buf);
}

static void write_raw_members(lw_json_writer *w, const char *json)
{
    lw_json_write_object_begin(w);
    lw_json_write_key(w, LW_STR("a"));
    lw_json_write_raw(w, lw_str_of(json));
    lw_json_write_key(w, LW_STR("b"));
    lw_json_write_raw(w, LW_STR("1"));
    lw_json_write_object_end(w);
}

static void copies_raw_json_in_compact_form(void **state)
{
    (void)state;
    lw_buf buf;
    lw_json_writer w;
    lw_buf_init(&buf, 1000);
    lw_json_writer_init(&w, &buf, LW_JSON_COMPACT);
    write_raw_members(&w, "[ 1,2 ]");
    assert_str_equal(lw_buf_view(&buf), "{\"a\":[ 1,2 ],\"b\":1}");
    lw_buf_done(&buf);
}

static void lays_raw_json_out_anew_in_indented_form(void **state)
{
    (void)state;
    lw_buf buf;
    lw_json_writer w;
    lw_buf_init(&buf, 1000);
    lw_json_writer_init(&w, &buf, LW_JSON_INDENTED);
    write_raw_members(&w, " {\"x\" :[1, {\"y\\u0041\":\"<\"} ,[ ],{ }],\n\"z\":null}");
    assert_int_equal(lw_json_writer_status(&w), LW_OK);
    assert_str_equal(lw_buf_view(&buf), "{\n"
                                        "  \"a\": {\n"
                                        "    \"x\": [\n"
                                        "      1,\n"
                                        "      {\n"
                                        "        \"y\\u0041\": \"<\"\n"
                                        "      },\n"
                                        "      [],\n"
                                        "      {}\n"
                                        "    ],\n"
                                        "    \"z\": null\n"
                                        "  },\n"
                                        "  \"b\": 1\n"
                                        "}");
    lw_buf_done(&buf);
}

static void refuses_to_nest_too_deep(void **state)
{
    (void)state;
    lw_buf buf;
    lw_json_writer w;
    lw_buf_init(&buf, 100000);
    lw_json_writer_init(&w, &buf, LW_JSON_COMPACT);
    for (int i = 0; i < LW_JSON_WRITER_DEPTH; i++)
        lw_json_write_array_begin(&w);
    assert_int_equal(lw_json_writer_status(&w), LW_OK);
    lw_json_write_array_begin(&w);
    assert_int_equal(lw_json_writer_status(&w), LW_ERR_LIMIT);
    for (int i = 0; i <= LW_JSON_WRITER_DEPTH; i++)
        lw_json_write_array_end(&w);
    lw_json_write_int(&w, 1);
    assert_int_equal(lw_json_writer_status(&w), LW_ERR_LIMIT);
    assert_int_equal(buf.len, LW_JSON_WRITER_DEPTH);
    lw_buf_done(&buf);
}

static void refuses_raw_json_that_nests_too_deep(void **state)
{
    (void)state;
    char deep[LW_JSON_WRITER_DEPTH + 1];
    memset(deep, '[', sizeof(deep));
    lw_buf buf;
    lw_json_writer w;
    lw_buf_init(&buf, 10 << 20);
    lw_json_writer_init(&w, &buf, LW_JSON_INDENTED);
    lw_json_write_raw(&w, lw_str_make(deep, sizeof(deep)));
    assert_int_equal(lw_json_writer_status(&w), LW_ERR_LIMIT);
    lw_buf_done(&buf);
}

static void raw_members_are_separated_from_others(void **state)
{
    (void)state;
    lw_buf buf;
    lw_json_writer w;
    lw_buf_init(&buf, 1000);
    lw_json_writer_init(&w, &buf, LW_JSON_COMPACT);
    lw_json_write_object_begin(&w);
    lw_json_write_raw_members(&w, LW_STR("\"a\":1,\"b\":{}"));
    lw_json_write_member_string(&w, "c", LW_STR("x"));
    lw_json_write_raw_members(&w, LW_STR("\"d\":[]"));
    lw_json_write_member_int(&w, "e", 2);
    lw_json_write_object_end(&w);
    assert_int_equal(lw_json_writer_status(&w), LW_OK);
    assert_str_equal(lw_buf_view(&buf), "{\"a\":1,\"b\":{},\"c\":\"x\",\"d\":[],\"e\":2}");
    lw_buf_done(&buf);
}

static void raw_members_may_come_in_pieces(void **state)
{
    (void)state;
    const lw_str first[] = { LW_STR("\"a\":"), LW_STR("1"), LW_STR(""), LW_STR(",\"b\":{}") };
    const lw_str second[] = { LW_STR("\"c\":\""), lw_str_make(NULL, 0), LW_STR("\"") };
    lw_buf buf;
    lw_json_writer w;
    lw_buf_init(&buf, 1000);
    lw_json_writer_init(&w, &buf, LW_JSON_COMPACT);
    lw_json_write_object_begin(&w);
    lw_json_write_raw_pieces(&w, first, 4);
    lw_json_write_raw_pieces(&w, second, 3);
    lw_json_write_object_end(&w);
    assert_int_equal(lw_json_writer_status(&w), LW_OK);
    assert_str_equal(lw_buf_view(&buf), "{\"a\":1,\"b\":{},\"c\":\"\"}");
    lw_buf_done(&buf);
}

static void tells_when_the_buffer_is_full(void **state)
{
    (void)state;
    lw_buf buf;
    lw_json_writer w;
    lw_buf_init(&buf, 10);
    lw_json_writer_init(&w, &buf, LW_JSON_INDENTED);
    write_sample(&w);
    assert_int_equal(lw_json_writer_status(&w), LW_ERR_LIMIT);
    lw_buf_done(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(writes_the_compact_form),
        TEST(writes_the_indented_form_as_go),
        TEST(writes_a_scalar_as_a_document),
        TEST(documents_follow_one_another_without_commas),
        TEST(copies_raw_json_in_compact_form),
        TEST(lays_raw_json_out_anew_in_indented_form),
        TEST(refuses_to_nest_too_deep),
        TEST(refuses_raw_json_that_nests_too_deep),
        TEST(raw_members_are_separated_from_others),
        TEST(raw_members_may_come_in_pieces),
        TEST(tells_when_the_buffer_is_full),
    };
    return cmocka_run_group_tests_name("writer", tests, NULL, NULL);
}
