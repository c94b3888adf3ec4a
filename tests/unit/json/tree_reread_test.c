/* SPDX-License-Identifier: Apache-2.0 */
/* tree_reread_test.c -- a parsed tree that is changed in place and read again, and the texts that
 * it shares with what it was parsed from. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "unit/json/document.h"
#include "json/text.h"

static void changed_tree_is_read_again_as_it_was_sent(void **state)
{
    (void)state;
    const char *json = "{\"a\":{\"b\":[1,\"two\"],\"c\":\"x\\ny\"},\"d\":null}";
    lw_tree *tree = parse_document(json);
    lw_node *before = lw_tree_root(tree);
    assert_true(lw_tree_can_reread(tree));
    lw_node_put(tree, lw_node_get(before, LW_STR("a")), LW_STR("c"), lw_tree_int(tree, 5));
    lw_node_remove(before, LW_STR("d"));
    assert_int_equal(lw_tree_reread(tree), LW_OK);
    assert_written(lw_tree_root(tree), json);
    assert_written(before, "{\"a\":{\"b\":[1,\"two\"],\"c\":5}}");
    lw_tree_free(tree);
}

static void members_that_were_closed_are_closed_again(void **state)
{
    (void)state;
    lw_tree *tree = NULL;
    lw_str text;
    assert_int_equal(lw_tree_parse_closed(&tree, LW_STR("{\"set\":{\"f:a\":{}},\"b\":{\"c\":1}}"),
                                          LW_STR("set"), false, NULL, NULL),
                     LW_OK);
    assert_int_equal(lw_tree_reread(tree), LW_OK);
    assert_true(lw_node_is_closed(lw_node_get(lw_tree_root(tree), LW_STR("set")), &text));
    assert_false(lw_node_is_closed(lw_node_get(lw_tree_root(tree), LW_STR("b")), &text));
    assert_str_equal(text, "{\"f:a\":{}}");
    lw_tree_free(tree);
}

static void tree_that_was_not_parsed_cannot_be_read_again(void **state)
{
    (void)state;
    lw_tree *tree = NULL;
    lw_node *node = NULL;
    assert_int_equal(lw_tree_new(&tree, 0), LW_OK);
    assert_false(lw_tree_can_reread(tree));
    assert_int_equal(lw_tree_parse_node(tree, LW_STR("[1]"), &node, NULL), LW_OK);
    assert_false(lw_tree_can_reread(tree));
    lw_tree_free(tree);
    tree = parse_document("null");
    lw_tree_set_root(tree, lw_tree_object(tree));
    assert_false(lw_tree_can_reread(tree));
    lw_tree_free(tree);
}

static void nulls_are_known_and_dropped_on_all_levels(void **state)
{
    (void)state;
    lw_tree *tree = parse_document("{\"a\":\"null\",\"b\":[{\"c\":1}]}");
    assert_false(lw_tree_had_nulls(tree));
    lw_tree_free(tree);
    tree = parse_document("{\"a\":null,\"b\":[null,{\"c\":null,\"d\":{\"e\":null}}],\"f\":1}");
    assert_true(lw_tree_had_nulls(tree));
    lw_tree_drop_nulls(tree, lw_tree_root(tree));
    assert_written(lw_tree_root(tree), "{\"b\":[null,{\"d\":{}}],\"f\":1}");
    lw_tree_free(tree);
}

/* Appends {"k0":0,"k1":1,...} with |count| members and |more| in the last. */
static void append_object(lw_buf *out, unsigned count, const char *more)
{
    lw_buf_append_char(out, '{');
    for (unsigned i = 0; i < count; i++)
        lw_buf_printf(out, "%s\"k%u\":%u", i > 0 ? "," : "", i, i);
    lw_buf_printf(out, ",\"more\":%s}", more);
}

/* What waits for the end of its container is limited, in one and in all that are open. */
static void containers_of_any_size_and_depth_are_whole(void **state)
{
    (void)state;
    static const unsigned sizes[] = { 1, 30, 31, 32, 33, 64, 65, 100, 300 };
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        lw_buf text, inner;
        lw_buf_init(&text, 1 << 20);
        lw_buf_init(&inner, 1 << 20);
        lw_buf_append_text(&inner, "[1");
        for (unsigned n = 2; n <= sizes[i]; n++)
            lw_buf_printf(&inner, ",%u", n);
        lw_buf_append_text(&inner, "]");
        for (unsigned depth = 0; depth < 12; depth++) {
            lw_buf_append_char(&inner, '\0');
            lw_buf_reset(&text);
            append_object(&text, sizes[i], inner.data);
            lw_buf_reset(&inner);
            lw_buf_append_str(&inner, lw_buf_view(&text));
        }
        lw_buf_append_char(&inner, '\0');
        assert_int_equal(inner.st, LW_OK);
        lw_tree *tree = parse_document(inner.data);
        assert_written(lw_tree_root(tree), inner.data);
        assert_false(lw_tree_had_repeats(tree));
        lw_tree_free(tree);
        lw_buf_done(&text);
        lw_buf_done(&inner);
    }
}

static void repeated_members_are_found_in_objects_of_any_size(void **state)
{
    (void)state;
    static const unsigned sizes[] = { 2, 31, 32, 33, 40, 70, 200 };
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        for (unsigned again = 0; again < sizes[i]; again += 13) {
            lw_buf text, key;
            char name[16];
            lw_buf_init(&text, 1 << 20);
            lw_buf_init(&key, 64);
            lw_buf_printf(&key, "0,\"k%u\":\"last\"", again);
            lw_buf_append_char(&key, '\0');
            append_object(&text, sizes[i], key.data);
            lw_buf_append_char(&text, '\0');
            (void)snprintf(name, sizeof(name), "k%u", again);
            lw_tree *tree = parse_document(text.data);
            const lw_node *root = lw_tree_root(tree);
            assert_true(lw_tree_had_repeats(tree));
            assert_int_equal(lw_node_count(root), sizes[i] + 1);
            assert_str_equal(lw_node_text(lw_node_get(root, lw_str_of(name))), "last");
            assert_str_equal(lw_node_key_at(root, again), name);
            lw_tree_free(tree);
            lw_buf_done(&text);
            lw_buf_done(&key);
        }
    }
}

/* |text| is written like any string, as a value and as a key, from wherever it was parsed. */
static void assert_written_escaped(lw_str text)
{
    lw_buf json, quoted;
    lw_json_writer w;
    lw_buf_init(&quoted, 1024);
    lw_json_append_quoted(&quoted, text);
    lw_buf_init(&json, 4096);
    lw_buf_printf(&json, "{\"a\":\"%.*s\",\"%.*s\":[\"%.*s\"],\"what follows is long\":1}",
                  LW_STR_ARG(text), LW_STR_ARG(text), LW_STR_ARG(text));
    lw_buf_append_char(&json, '\0');
    lw_tree *tree = parse_document(json.data);
    lw_buf_reset(&json);
    lw_buf_printf(&json, "{\"a\":%.*s,%.*s:[%.*s],\"what follows is long\":1}",
                  LW_STR_ARG(lw_buf_view(&quoted)), LW_STR_ARG(lw_buf_view(&quoted)),
                  LW_STR_ARG(lw_buf_view(&quoted)));
    lw_buf_append_char(&json, '\0');
    assert_written(lw_tree_root(tree), json.data);
    lw_buf_reset(&quoted);
    lw_json_writer_init(&w, &quoted, LW_JSON_INDENTED);
    lw_node_write(lw_node_get(lw_tree_root(tree), LW_STR("a")), &w);
    lw_buf_reset(&json);
    lw_json_append_quoted(&json, text);
    assert_true(lw_str_equal(lw_buf_view(&quoted), lw_buf_view(&json)));
    lw_tree_free(tree);
    lw_buf_done(&json);
    lw_buf_done(&quoted);
}

static void texts_that_were_parsed_are_written_with_the_escapes_they_need(void **state)
{
    (void)state;
    static const char *const needy[] = { "<", ">", "&", "\xC3\xA9", "\xE2\x80\xA8", "=", "\x7F" };
    char text[64];
    for (size_t len = 1; len < 50; len++) {
        for (size_t i = 0; i < sizeof(needy) / sizeof(needy[0]); i++) {
            for (size_t at = 0; at <= len; at++) {
                memset(text, 'x', sizeof(text));
                memcpy(text + at, needy[i], strlen(needy[i]));
                assert_written_escaped(lw_str_make(text, len + strlen(needy[i])));
            }
        }
    }
}

static void escapes_are_decoded_wherever_they_are(void **state)
{
    (void)state;
    for (size_t at = 0; at < 40; at++) {
        char json[128], text[64];
        (void)snprintf(json, sizeof(json), "[\"%.*s\\\"\\\\%s\",\"next to it\"]", (int)at,
                       "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "tail");
        (void)snprintf(text, sizeof(text), "%.*s\"\\tail", (int)at,
                       "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
        lw_tree *tree = parse_document(json);
        const lw_node *node = lw_node_at(lw_tree_root(tree), 0);
        assert_str_equal(lw_node_text(node), text);
        assert_true(lw_node_was_escaped(node));
        assert_false(lw_node_was_escaped(lw_node_at(lw_tree_root(tree), 1)));
        assert_written(lw_tree_root(tree), json);
        lw_tree_free(tree);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(changed_tree_is_read_again_as_it_was_sent),
        TEST(members_that_were_closed_are_closed_again),
        TEST(tree_that_was_not_parsed_cannot_be_read_again),
        TEST(nulls_are_known_and_dropped_on_all_levels),
        TEST(containers_of_any_size_and_depth_are_whole),
        TEST(repeated_members_are_found_in_objects_of_any_size),
        TEST(texts_that_were_parsed_are_written_with_the_escapes_they_need),
        TEST(escapes_are_decoded_wherever_they_are),
    };
    return cmocka_run_group_tests_name("tree_reread", tests, NULL, NULL);
}
