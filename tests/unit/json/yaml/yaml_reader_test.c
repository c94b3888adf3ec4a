/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_reader_test.c -- YAML documents to trees. */
#include "base/alloc.h"
#include "base/str.h"
#include "unit/json/document.h"
#include "unit/json/yaml/yaml_document_table.h"
#include "json/yaml/yaml.h"

/* Returns all documents of |yaml| as JSON, one after the other; a failure is "!". */
static char *read_text(lw_str yaml, size_t limit, lw_error *err)
{
    lw_buf out;
    lw_buf_init(&out, 1 << 24);
    lw_yaml_reader *reader;
    assert_int_equal(lw_yaml_reader_new(&reader, yaml), LW_OK);
    lw_tree *tree;
    do {
        tree = NULL;
        lw_json_writer w;
        lw_json_writer_init(&w, &out, LW_JSON_COMPACT);
        if (lw_yaml_reader_next(reader, limit, &tree, err) < 0)
            lw_buf_append_char(&out, '!');
        else if (tree)
            lw_node_write(lw_tree_root(tree), &w);
        lw_tree_free(tree);
    } while (tree);
    lw_yaml_reader_free(reader);
    return lw_buf_take_text(&out);
}

static void assert_reads_at(lw_str yaml, const char *json, const char *file, int line)
{
    lw_error err = LW_ERROR_INIT;
    char *text = read_text(yaml, 0, &err);
    if (strcmp(text, json) != 0) {
        print_error("%.*s\nreads as %s\nnot      %s\n%s\n", LW_STR_ARG(yaml), text, json,
                    err.message);
        _fail(file, line);
    }
    lw_free(text);
}
#define assert_reads(yaml, json) assert_reads_at(LW_STR(yaml), (json), __FILE__, __LINE__)

static void assert_refused_at(lw_str yaml, lw_status st, uint64_t offset, const char *message,
                              const char *file, int line)
{
    lw_error err = LW_ERROR_INIT;
    lw_free(read_text(yaml, 0, &err));
    if (err.code != st || err.offset != offset || strcmp(err.message, message) != 0) {
        print_error("%.*s\n%s at %llu: %s\n", LW_STR_ARG(yaml), lw_status_name(err.code),
                    (unsigned long long)err.offset, err.message);
        _fail(file, line);
    }
}
#define assert_refused(yaml, st, offset, message)                                                  \
    assert_refused_at(LW_STR(yaml), (st), (offset), (message), __FILE__, __LINE__)

static void reads_documents_as_kubernetes_does(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(yaml_document_table) / sizeof(yaml_document_table[0]); i++) {
        const yaml_document_row *row = &yaml_document_table[i];
        lw_yaml_reader *reader;
        lw_tree *tree = NULL;
        lw_error err = LW_ERROR_INIT;
        assert_int_equal(lw_yaml_reader_new(&reader, lw_str_of(row->yaml)), LW_OK);
        lw_status st = lw_yaml_reader_next(reader, 0, &tree, &err);
        if ((st < 0) != !row->json)
            fail_msg("%s\n%s", row->yaml, st < 0 ? err.message : "was not refused");
        if (st == LW_OK) {
            lw_node *root = tree ? lw_tree_root(tree) : NULL;
            lw_node_sort_keys(root);
            assert_written(root, row->json);
        }
        lw_tree_free(tree);
        lw_yaml_reader_free(reader);
    }
}

static void separates_documents(void **state)
{
    (void)state;
    assert_reads("a: 1\n---\nb: 2\n--- c\n", "{\"a\":1}{\"b\":2}\"c\"");
    assert_reads("---\na: 1\n...\n---\nb: 2\n...\n", "{\"a\":1}{\"b\":2}");
    assert_reads("a: 1\r\n---\r\nb: 2\r\n", "{\"a\":1}{\"b\":2}");
    assert_reads("a: 1\n...\nb: 2\n", "{\"a\":1}{\"b\":2}");
    assert_reads("%YAML 1.1\n\n---\na: 1\n...\n%TAG ! tag:x:\n \n---\nb: 2\n",
                 "{\"a\":1}{\"b\":2}");
    assert_reads("a: 1\xC2\x85---\xE2\x80\xA8"
                 "b: 2\n",
                 "{\"a\":1}{\"b\":2}");
    assert_reads("  a: 1\n  b: 2\n---\n  - c\n", "{\"a\":1,\"b\":2}[\"c\"]");
}

static void separators_inside_text_separate_nothing(void **state)
{
    (void)state;
    assert_reads("a: |\n  ---\n  ...\nb: ---x\n---x: z\n",
                 "{\"a\":\"---\\n...\\n\",\"b\":\"---x\",\"---x\":\"z\"}");
}

static void empty_documents_are_null(void **state)
{
    (void)state;
    assert_reads("---\n---\n# c\n---\na\n---\n", "nullnull\"a\"null");
}

static void streams_without_a_document_end_at_once(void **state)
{
    (void)state;
    assert_reads("", "");
    assert_reads("\n\n  \n", "");
    assert_reads("# a comment\n  # another\n...\n", "");
    assert_reads("\xEF\xBB\xBF", "");
    assert_reads("\xEF\xBB\xBF# c", "");
}

static void byte_order_mark_is_skipped(void **state)
{
    (void)state;
    assert_reads("\xEF\xBB\xBF---\na: 1\n", "{\"a\":1}");
    assert_reads("\xEF\xBB\xBF{\"a\":\"\\/\"}", "{\"a\":\"/\"}");
}

static void json_is_read_as_json(void **state)
{
    (void)state;
    assert_reads("{\"a\":\"\\/\\ud83d\\ude00\",\"n\":1.50}",
                 "{\"a\":\"/\xF0\x9F\x98\x80\",\"n\":1.50}");
    assert_reads("{\"a\":1}{\"b\":2} {\"c\":3}\n\n{\"d\":4}\n",
                 "{\"a\":1}{\"b\":2}{\"c\":3}{\"d\":4}");
    assert_reads("---\n# c\n{\"a\":\"\\/\"}\n--- {\"b\":\"\\/\"}\n...\n{\"c\":\"\\/\"} # end\n",
                 "{\"a\":\"/\"}{\"b\":\"/\"}{\"c\":\"/\"}");
    assert_reads("\t{\n\t\"a\": \"}\\\"{\"\n}\n", "{\"a\":\"}\\\"{\"}");
    assert_reads("a: 1\n---\n{\"b\":\"\\ud83d\\ude00\"}", "{\"a\":1}{\"b\":\"\xF0\x9F\x98\x80\"}");
}

static void each_line_break_ends_a_comment_between_json(void **state)
{
    (void)state;
    assert_reads("{\"a\":1} # \xC2\xA9\xC2\x85{\"b\":\"\xC2\xA9\"} # \xE2\x82\xAC\r"
                 "{\"c\":3} # {\"x\":0}\xE2\x80\xA9{\"d\":4} #\n{\"e\":5}#\xE2\x80\xA8{\"f\":6}",
                 "{\"a\":1}{\"b\":\"\xC2\xA9\"}{\"c\":3}{\"d\":4}{\"e\":5}{\"f\":6}");
    /* "---" begins a document wherever the line before has ended, also inside a string. */
    assert_reads("{\"a\":1}\r--- {\"b\":2}\xE2\x80\xA8---\n{\"c\":3}",
                 "{\"a\":1}{\"b\":2}{\"c\":3}");
    assert_reads("{\"a\":\"x\xC2\x85--- y\"}", "!");
    assert_reads("{\"a\":\"x\xC2\xA9--- y\"}", "{\"a\":\"x\xC2\xA9--- y\"}");
}

static void flow_maps_that_are_not_json_are_yaml(void **state)
{
    (void)state;
    assert_reads("{a: b, c: [d]}\n", "{\"a\":\"b\",\"c\":[\"d\"]}");
    assert_reads("{\"a\": 1,}\n---\nb\n", "{\"a\":1}\"b\"");
    assert_reads("{\"a\":1}\n{b: c}\n---\nd\n", "{\"a\":1}{\"b\":\"c\"}\"d\"");
    assert_reads("{\n  a: 'it''s', # }\n  b: \"}\"}\n", "{\"a\":\"it's\",\"b\":\"}\"}");
}

static void what_follows_json_must_be_a_document(void **state)
{
    (void)state;
    assert_refused("{\"a\":1}\nb: 2\n", LW_ERR_SYNTAX, 8,
                   "line 2, column 1: did not find expected <document start>");
    assert_refused("{\"a\":1}]", LW_ERR_SYNTAX, 7,
                   "line 1, column 8: did not find expected <document start>");
}

static void keys_keep_their_order_and_the_last_of_two_counts(void **state)
{
    (void)state;
    assert_reads("b: 1\na: 2\nb: 3\n", "{\"b\":3,\"a\":2}");
}

static void merges_apply_where_they_stand(void **state)
{
    (void)state;
    assert_reads("x: &x {a: 1, b: 1}\nz: {<<: *x, b: 2}\n",
                 "{\"x\":{\"a\":1,\"b\":1},\"z\":{\"a\":1,\"b\":2}}");
    assert_reads("a: 1\n<<: {a: 2, b: [c]}\n", "{\"a\":2,\"b\":[\"c\"]}");
    assert_reads("<<: [{a: 1, b: 1}, {b: 2, c: 2}]\nd: {<<: {}}\n",
                 "{\"b\":1,\"c\":2,\"a\":1,\"d\":{}}");
}

static void aliases_are_copies(void **state)
{
    (void)state;
    assert_reads("- &a {k: [1]}\n- *a\n- *a\n", "[{\"k\":[1]},{\"k\":[1]},{\"k\":[1]}]");
    assert_reads("a: &x 1.5\nb: &x yes\n*x : *x\n", "{\"a\":1.5,\"b\":true,\"true\":true}");
    assert_reads("&k key: *k\n", "{\"key\":\"key\"}");
    assert_reads("a: &a x\n---\nb: *a\n", "{\"a\":\"x\"}!");
}

static void errors_say_where(void **state)
{
    (void)state;
    assert_refused(
        "a: 1\n---\nb: \xC3\xA9 [\nc: ]\n", LW_ERR_SYNTAX, 20,
        "line 4, column 4: did not find expected node content while parsing a block node");
    assert_refused(
        "a: 'x", LW_ERR_SYNTAX, 5,
        "line 1, column 6: found unexpected end of stream while scanning a quoted scalar");
    assert_refused("a:\r\n  b: *x\r\n", LW_ERR_SYNTAX, 9,
                   "line 2, column 6: unknown anchor 'x' referenced");
    assert_refused("\xEF\xBB\xBF"
                   "a: &a [*a]",
                   LW_ERR_SYNTAX, 10, "line 1, column 9: anchor 'a' value contains itself");
    assert_refused("a: -.Inf\n", LW_ERR_INVALID, 3,
                   "line 1, column 4: -.Inf cannot be represented in JSON");
    assert_refused("- ~: 1\n", LW_ERR_INVALID, 2, "line 1, column 3: null cannot be a key");
    assert_refused("18446744073709551615: 1\n", LW_ERR_INVALID, 0,
                   "line 1, column 1: an integer of this size cannot be a key");
    assert_refused("? [a]\n: b\n", LW_ERR_INVALID, 2,
                   "line 1, column 3: a map or list cannot be a key");
    assert_refused("a: &a {}\n*a : b\n", LW_ERR_INVALID, 9,
                   "line 2, column 1: a map or list cannot be a key");
    assert_refused("a: !!int |\n  x\n  y\n", LW_ERR_INVALID, 3,
                   "line 1, column 4: cannot decode !!str `x y ` as a !!int");
    assert_refused("a: !!binary '*'", LW_ERR_INVALID, 3,
                   "line 1, column 4: !!binary value contains invalid base64 data");
    assert_refused("<<: 1\n", LW_ERR_INVALID, 4,
                   "line 1, column 5: map merge requires map or sequence of maps as the value");
}

static void bytes_that_are_not_text_are_refused(void **state)
{
    (void)state;
    assert_refused("a: \xFF\n", LW_ERR_SYNTAX, 3, "line 1, column 4: invalid leading UTF-8 octet");
    assert_refused("a: b\0c\n", LW_ERR_SYNTAX, 4,
                   "line 1, column 5: control characters are not allowed");
    assert_refused("a: 1\n---\nb: \xED\xA0\x80", LW_ERR_SYNTAX, 12,
                   "line 3, column 4: invalid Unicode character");
    assert_refused("{\"a\":\"\xC3\"}", LW_ERR_SYNTAX, 7,
                   "line 1, column 8: invalid trailing UTF-8 octet");
    assert_refused("\xFF\xFE"
                   "a\0",
                   LW_ERR_SYNTAX, 0,
                   "line 1, column 1: the text is UTF-16 or UTF-32; only UTF-8 is supported");
}

static void gives_the_same_error_ever_after(void **state)
{
    (void)state;
    lw_yaml_reader *reader;
    assert_int_equal(lw_yaml_reader_new(&reader, LW_STR("a: ]\n---\nb: 1\n")), LW_OK);
    lw_tree *tree = NULL;
    lw_error first = LW_ERROR_INIT;
    lw_error second = LW_ERROR_INIT;
    assert_int_equal(lw_yaml_reader_next(reader, 0, &tree, &first), LW_ERR_SYNTAX);
    assert_int_equal(lw_yaml_reader_next(reader, 0, &tree, NULL), LW_ERR_SYNTAX);
    assert_int_equal(lw_yaml_reader_next(reader, 0, &tree, &second), LW_ERR_SYNTAX);
    assert_string_equal(first.message, second.message);
    assert_null(tree);
    lw_yaml_reader_free(reader);
}

static void billion_laughs_are_cut_short(void **state)
{
    (void)state;
    lw_buf yaml;
    lw_buf_init(&yaml, 4096);
    lw_buf_append_text(&yaml, "a0: &a0 lol\n");
    for (int i = 1; i < 10; i++)
        lw_buf_printf(&yaml, "a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n",
                      i, i, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
    lw_error err = LW_ERROR_INIT;
    lw_free(read_text(lw_buf_view(&yaml), 0, &err));
    assert_int_equal(err.code, LW_ERR_LIMIT);
    assert_non_null(strstr(err.message, "document contains excessive aliasing"));
    lw_buf_done(&yaml);
}

static void long_aliased_texts_meet_the_limit(void **state)
{
    (void)state;
    lw_buf yaml;
    lw_buf_init(&yaml, 1 << 20);
    lw_buf_append_text(&yaml, "- &a ");
    for (int i = 0; i < 20000; i++)
        lw_buf_append_char(&yaml, 'x');
    for (int i = 0; i < 90; i++)
        lw_buf_append_text(&yaml, "\n- *a");
    lw_error err = LW_ERROR_INIT;
    lw_free(read_text(lw_buf_view(&yaml), 1 << 20, &err));
    assert_int_equal(err.code, LW_ERR_LIMIT);
    assert_non_null(strstr(err.message, "takes more than 1048576 bytes of memory"));
    lw_buf_done(&yaml);
}

/* |depth| lists in one another, |inner| in the middle. */
static void append_nested(lw_buf *yaml, int depth, const char *inner)
{
    for (int i = 0; i < depth; i++)
        lw_buf_append_char(yaml, '[');
    lw_buf_append_text(yaml, inner);
    for (int i = 0; i < depth; i++)
        lw_buf_append_char(yaml, ']');
}

static lw_status status_of(lw_buf *yaml)
{
    lw_error err = LW_ERROR_INIT;
    lw_free(read_text(lw_buf_view(yaml), 0, &err));
    lw_buf_reset(yaml);
    return err.code;
}

static void nests_as_deep_as_a_tree_and_no_deeper(void **state)
{
    (void)state;
    lw_buf yaml;
    lw_buf_init(&yaml, 1 << 20);
    append_nested(&yaml, LW_TREE_DEPTH, "a");
    assert_int_equal(status_of(&yaml), LW_OK);
    append_nested(&yaml, LW_TREE_DEPTH + 1, "a");
    assert_int_equal(status_of(&yaml), LW_ERR_LIMIT);
    lw_buf_append_text(&yaml, "{\"a\":");
    append_nested(&yaml, LW_TREE_DEPTH, "1");
    lw_buf_append_char(&yaml, '}');
    assert_int_equal(status_of(&yaml), LW_ERR_LIMIT);
    lw_buf_done(&yaml);
}

/* JSON whose brackets are closed is JSON, however deep; else it may be YAML. */
static void what_is_not_closed_is_not_json(void **state)
{
    (void)state;
    lw_buf yaml;
    lw_buf_init(&yaml, 1 << 20);
    lw_buf_append_text(&yaml, "{\"a\":");
    append_nested(&yaml, LW_TREE_DEPTH, "1");
    lw_buf_append_text(&yaml, "]");
    assert_refused_at(lw_buf_view(&yaml), LW_ERR_LIMIT, 516,
                      "line 1, column 517: nested deeper than 512 levels", __FILE__, __LINE__);
    lw_buf_truncate(&yaml, yaml.len - 1);
    assert_refused_at(lw_buf_view(&yaml), LW_ERR_LIMIT, 516,
                      "line 1, column 517: document is nested deeper than 512 levels", __FILE__,
                      __LINE__);
    lw_buf_done(&yaml);
}

static void aliases_do_not_nest_deeper_either(void **state)
{
    (void)state;
    lw_buf yaml;
    lw_buf_init(&yaml, 1 << 20);
    for (int extra = 0; extra < 2; extra++) {
        lw_buf_append_text(&yaml, "a: &a ");
        append_nested(&yaml, 200, "x");
        lw_buf_append_text(&yaml, "\nb: ");
        append_nested(&yaml, LW_TREE_DEPTH - 201 + extra, "*a");
        assert_int_equal(status_of(&yaml), extra ? LW_ERR_LIMIT : LW_OK);
    }
    lw_buf_done(&yaml);
}

static void too_many_anchors_are_refused(void **state)
{
    (void)state;
    lw_buf yaml;
    lw_buf_init(&yaml, 1 << 20);
    for (int i = 0; i < 4096; i++)
        lw_buf_printf(&yaml, "- &a%d x\n", i * 7919 % 4096);
    lw_buf_append_text(&yaml, "- *a4095\n- *a0\n");
    lw_buf copy;
    lw_buf_init(&copy, 1 << 20);
    lw_buf_append_str(&copy, lw_buf_view(&yaml));
    assert_int_equal(status_of(&copy), LW_OK);
    lw_buf_append_str(&copy, lw_buf_view(&yaml));
    lw_buf_append_text(&copy, "- &b x\n");
    assert_int_equal(status_of(&copy), LW_ERR_LIMIT);
    lw_buf_done(&yaml);
    lw_buf_done(&copy);
}

static void keys_that_are_there_twice_are_told_with_their_lines(void **state)
{
    static const char yaml[] = "# one\na: 1\nb:\n  c: 1\n  c: 2\na: 3\n---\na: 1\na: 2\n";
    lw_yaml_reader *reader = NULL;
    lw_tree *tree = NULL;
    lw_buf told;
    (void)state;
    lw_buf_init(&told, 1000);
    assert_int_equal(lw_yaml_reader_new(&reader, lw_str_of(yaml)), LW_OK);
    lw_yaml_reader_report_duplicates(reader, &told);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(lw_yaml_reader_next(reader, 0, &tree, NULL), LW_OK);
        assert_non_null(tree);
        lw_tree_free(tree);
    }
    assert_str_equal(lw_buf_view(&told), "line 5: key \"c\" already set in map\n"
                                         "line 6: key \"a\" already set in map\n"
                                         "line 9: key \"a\" already set in map\n");
    lw_yaml_reader_free(reader);
    lw_buf_done(&told);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_documents_as_kubernetes_does),
        TEST(separates_documents),
        TEST(separators_inside_text_separate_nothing),
        TEST(empty_documents_are_null),
        TEST(streams_without_a_document_end_at_once),
        TEST(byte_order_mark_is_skipped),
        TEST(json_is_read_as_json),
        TEST(each_line_break_ends_a_comment_between_json),
        TEST(flow_maps_that_are_not_json_are_yaml),
        TEST(what_follows_json_must_be_a_document),
        TEST(keys_keep_their_order_and_the_last_of_two_counts),
        TEST(keys_that_are_there_twice_are_told_with_their_lines),
        TEST(merges_apply_where_they_stand),
        TEST(aliases_are_copies),
        TEST(errors_say_where),
        TEST(bytes_that_are_not_text_are_refused),
        TEST(gives_the_same_error_ever_after),
        TEST(billion_laughs_are_cut_short),
        TEST(long_aliased_texts_meet_the_limit),
        TEST(nests_as_deep_as_a_tree_and_no_deeper),
        TEST(what_is_not_closed_is_not_json),
        TEST(aliases_do_not_nest_deeper_either),
        TEST(too_many_anchors_are_refused),
    };
    return cmocka_run_group_tests_name("yaml_reader", tests, NULL, NULL);
}
