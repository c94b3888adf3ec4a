/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_writer_test.c -- trees to YAML, and back. */
#include "base/str.h"
#include "unit/json/document.h"
#include "unit/json/yaml/yaml_writer_table.h"
#include "json/yaml/yaml.h"

enum {
    TREES = 4000, /* random ones that pass through YAML */
};

static void assert_writes(const char *json, const char *yaml)
{
    lw_tree *tree = parse_document(json);
    lw_buf out;
    lw_buf_init(&out, 1 << 20);
    assert_int_equal(lw_yaml_write(&out, lw_tree_root(tree)), LW_OK);
    if (!lw_str_equal(lw_buf_view(&out), lw_str_of(yaml)))
        fail_msg("%s\nis written\n%.*snot\n%s", json, LW_STR_ARG(lw_buf_view(&out)), yaml);
    lw_buf_done(&out);
    lw_tree_free(tree);
}

static void writes_as_kubernetes_does(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(yaml_writer_table) / sizeof(yaml_writer_table[0]); i++)
        assert_writes(yaml_writer_table[i].json, yaml_writer_table[i].yaml);
}

/* Where Kubernetes' own writer would be read as something else, ours is not. */
static void writes_what_can_be_read_back(void **state)
{
    (void)state;
    assert_writes("{\"<<\":\"<<\"}", "\"<<\": <<\n");
    assert_writes("[\"a\\u2028b\",\"\\u2029\"]", "- \"a\\Lb\"\n- \"\\P\"\n");
    assert_writes("[\"\\ufeffa\"]", "- \"\\uFEFFa\"\n");
}

static void appends_to_what_is_there(void **state)
{
    (void)state;
    lw_tree *tree = parse_document("{\"a\":[\"b\\n\\n\"]}");
    lw_buf out;
    lw_buf_init(&out, 100);
    lw_buf_append_text(&out, "---\n");
    assert_int_equal(lw_yaml_write(&out, lw_tree_root(tree)), LW_OK);
    lw_buf_append_text(&out, "---\n");
    assert_int_equal(lw_yaml_write(&out, NULL), LW_OK);
    assert_str_equal(lw_buf_view(&out), "---\na:\n- |+\n  b\n\n---\nnull\n");
    lw_buf_done(&out);
    lw_tree_free(tree);
}

static void stops_at_the_limit_of_the_buffer(void **state)
{
    (void)state;
    lw_tree *tree = parse_document("{\"a\":[1,2,3,4,5,6,7,8,9,\"long enough\"]}");
    lw_buf out;
    lw_buf_init(&out, 10);
    assert_int_equal(lw_yaml_write(&out, lw_tree_root(tree)), LW_ERR_LIMIT);
    assert_int_equal(lw_yaml_write(&out, lw_tree_root(tree)), LW_ERR_LIMIT);
    lw_buf_done(&out);
    lw_tree_free(tree);
}

static void refuses_strings_that_are_not_utf8(void **state)
{
    (void)state;
    lw_tree *tree;
    assert_int_equal(lw_tree_new(&tree, 0), LW_OK);
    lw_buf out;
    lw_buf_init(&out, 100);
    assert_int_equal(lw_yaml_write(&out, lw_tree_string(tree, LW_STR("\xFF"))), LW_ERR_INVALID);
    lw_buf_done(&out);
    lw_tree_free(tree);
}

static void refuses_what_is_nested_too_deep(void **state)
{
    (void)state;
    for (unsigned extra = 0; extra < 2; extra++) {
        lw_tree *tree;
        assert_int_equal(lw_tree_new(&tree, 0), LW_OK);
        lw_node *node = lw_tree_null(tree);
        for (unsigned i = 0; i < LW_TREE_DEPTH + extra; i++) {
            lw_node *outer = lw_tree_array(tree);
            lw_node_append(tree, outer, node);
            node = outer;
        }
        lw_buf out;
        lw_buf_init(&out, 1 << 20);
        assert_int_equal(lw_yaml_write(&out, node), extra ? LW_ERR_LIMIT : LW_OK);
        lw_buf_done(&out);
        lw_tree_free(tree);
    }
}

static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

/* A string of pieces that mean something in YAML. */
static void append_nasty(lw_buf *out, uint64_t *seed)
{
    static const char *const pieces[] = {
        "a",
        "b",
        " ",
        "  ",
        "\n",
        "\n\n",
        "\t",
        "\r",
        ":",
        ": ",
        "#",
        " #",
        "-",
        "- ",
        "?",
        "? ",
        "'",
        "\"",
        "\\",
        ",",
        "[",
        "]",
        "{",
        "}",
        "&",
        "*",
        "!",
        "|",
        ">",
        "%",
        "@",
        "`",
        "~",
        "=",
        "<<",
        "---",
        "...",
        "\xC3\xA9",
        "\xC2\xA0",
        "\xC2\x85",
        "\xE2\x80\xA8",
        "\xE2\x80\xA9",
        "\xF0\x9F\x98\x80",
        "\xEF\xBB\xBF",
        "\x01",
        "\x7F",
        "1",
        "0",
        ".",
        "e3",
        "true",
        "null",
        "2001-01-01",
        "0x",
        "\xEF\xBF\xBD",
        "\xEF\xBF\xBF",
        "words that go on until the line is folded, and then some more of them ",
    };
    lw_buf_reset(out);
    for (uint32_t i = next_random(seed) % 7; i > 0; i--)
        lw_buf_append_text(out, pieces[next_random(seed) % (sizeof(pieces) / sizeof(pieces[0]))]);
    if (next_random(seed) % 50 == 0)
        lw_buf_append_char(out, '\0');
}

static lw_node *random_scalar(lw_tree *tree, uint64_t *seed, lw_buf *scratch)
{
    static const char *const numbers[] = {
        "0", "-1.5", "1e+21", "1e-7", "0.1", "1000000.5", "18446744073709551615", "1e300", "5e-324"
    };
    switch (next_random(seed) % 8) {
    case 0: return lw_tree_null(tree);
    case 1: return lw_tree_bool(tree, next_random(seed) % 2 == 0);
    case 2: return lw_tree_int(tree, (int64_t)(*seed * 0x9E3779B97F4A7C15u));
    case 3:
        return lw_tree_number(
            tree, lw_str_of(numbers[next_random(seed) % (sizeof(numbers) / sizeof(numbers[0]))]));
    default: append_nasty(scratch, seed); return lw_tree_string(tree, lw_buf_view(scratch));
    }
}

static lw_node *random_node(lw_tree *tree, uint64_t *seed, lw_buf *scratch, unsigned depth)
{
    uint32_t kind = depth == 0 ? 0 : next_random(seed) % 4;
    if (kind < 2)
        return random_scalar(tree, seed, scratch);
    lw_node *node = kind == 2 ? lw_tree_array(tree) : lw_tree_object(tree);
    for (uint32_t i = next_random(seed) % 5; i > 0; i--) {
        lw_node *value = random_node(tree, seed, scratch, depth - 1);
        append_nasty(scratch, seed);
        if (kind == 2)
            lw_node_append(tree, node, value);
        else
            lw_node_put(tree, node, lw_buf_view(scratch), value);
    }
    return node;
}

static void any_tree_comes_back(void **state)
{
    (void)state;
    lw_buf yaml, scratch;
    lw_buf_init(&yaml, 1 << 20);
    lw_buf_init(&scratch, 1 << 20);
    uint64_t seed = 2014;
    for (int i = 0; i < TREES; i++) {
        lw_tree *tree;
        lw_tree *back = NULL;
        lw_tree *more = NULL;
        lw_yaml_reader *reader;
        lw_error err = LW_ERROR_INIT;
        lw_buf_reset(&yaml);
        assert_int_equal(lw_tree_new(&tree, 0), LW_OK);
        lw_node *node = random_node(tree, &seed, &scratch, 5);
        assert_int_equal(lw_tree_status(tree), LW_OK);
        assert_int_equal(lw_yaml_write(&yaml, node), LW_OK);
        assert_int_equal(lw_yaml_reader_new(&reader, lw_buf_view(&yaml)), LW_OK);
        if (lw_yaml_reader_next(reader, 0, &back, &err) < 0)
            fail_msg("%s in\n%.*s", err.message, LW_STR_ARG(lw_buf_view(&yaml)));
        if (!back || !lw_node_equal(node, lw_tree_root(back)))
            fail_msg("comes back different:\n%.*s", LW_STR_ARG(lw_buf_view(&yaml)));
        assert_int_equal(lw_yaml_reader_next(reader, 0, &more, &err), LW_OK);
        assert_null(more);
        lw_yaml_reader_free(reader);
        lw_tree_free(back);
        lw_tree_free(tree);
    }
    lw_buf_done(&yaml);
    lw_buf_done(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(writes_as_kubernetes_does),
        TEST(writes_what_can_be_read_back),
        TEST(appends_to_what_is_there),
        TEST(stops_at_the_limit_of_the_buffer),
        TEST(refuses_strings_that_are_not_utf8),
        TEST(refuses_what_is_nested_too_deep),
        TEST(any_tree_comes_back),
    };
    return cmocka_run_group_tests_name("yaml_writer", tests, NULL, NULL);
}
