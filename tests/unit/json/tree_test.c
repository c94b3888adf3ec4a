/* SPDX-License-Identifier: Apache-2.0 */
/* tree_test.c -- the tree: parse, make, copy, and its limits. */
#include "json/tree.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "base/str.h"
#include "unit/json/document.h"

static void parses_and_writes_every_kind_of_value(void **state)
{
    (void)state;
    lw_tree *tree =
        parse_document(" { \"a\" : [ null , true , false , -1.50e+3 , \"x\\u0041\\n\" ] ,"
                       " \"\" : { } , \"b\" : [ ] } ");
    assert_written(lw_tree_root(tree),
                   "{\"a\":[null,true,false,-1.50e+3,\"xA\\n\"],\"\":{},\"b\":[]}");
    lw_tree_free(tree);
}

static void parses_scalars_as_documents(void **state)
{
    (void)state;
    static const char *const texts[] = { "null", "true", "0", "\"\"", "[]", "{}" };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        lw_tree *tree = parse_document(texts[i]);
        assert_written(lw_tree_root(tree), texts[i]);
        lw_tree_free(tree);
    }
}

static void reads_what_was_parsed(void **state)
{
    (void)state;
    lw_tree *tree =
        parse_document("{\"s\":\"a\\u0000b\",\"n\":2.0,\"t\":true,\"z\":null,\"l\":[5]}");
    lw_node *root = lw_tree_root(tree);
    int64_t n = 0;
    assert_int_equal(lw_node_count(root), 5);
    assert_str_equal(lw_node_key_at(root, 4), "l");
    assert_true(lw_str_equal(lw_node_text(lw_node_get(root, LW_STR("s"))), LW_STR("a\0b")));
    assert_true(lw_node_int64(lw_node_get(root, LW_STR("n")), &n));
    assert_int_equal(n, 2);
    assert_true(lw_node_bool(lw_node_get(root, LW_STR("t"))));
    assert_true(lw_node_is(lw_node_get(root, LW_STR("z")), LW_JSON_NULL));
    assert_str_equal(lw_node_text(lw_node_at(lw_node_get(root, LW_STR("l")), 0)), "5");
    assert_null(lw_node_get(root, LW_STR("nope")));
    assert_null(lw_node_at(root, 5));
    lw_tree_free(tree);
}

static void the_last_of_members_with_one_name_counts_in_the_place_of_the_first(void **state)
{
    (void)state;
    lw_tree *tree = parse_document("{\"a\":1,\"b\":2,\"\\u0061\":{\"x\":3},\"c\":4,\"b\":5}");
    assert_written(lw_tree_root(tree), "{\"a\":{\"x\":3},\"b\":5,\"c\":4}");
    lw_tree_free(tree);
}

static void refuses_malformed_text_and_says_where(void **state)
{
    (void)state;
    static const char *const texts[] = { "",         "{",     "[1,]", "{\"a\":}", "01",
                                         "\"\x01\"", "[] []", "nul",  "\"\\ud\"", "\"\xff\"" };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        lw_tree *tree = NULL;
        lw_error err = LW_ERROR_INIT;
        assert_int_equal(lw_tree_parse(&tree, lw_str_of(texts[i]), 0, &err), LW_ERR_SYNTAX);
        assert_null(tree);
        assert_true(err.offset <= strlen(texts[i]));
    }
}

/* Arrays nested |depth| deep; lw_free it. */
static char *nested_arrays(size_t depth)
{
    char *text = lw_alloc(depth * 2 + 1);
    assert_non_null(text);
    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    text[depth * 2] = '\0';
    return text;
}

static void nests_as_deep_as_it_says_and_no_deeper(void **state)
{
    (void)state;
    char *text = nested_arrays(LW_TREE_DEPTH);
    lw_tree *tree = parse_document(text);
    assert_written(lw_tree_root(tree), text);
    assert_true(lw_node_equal(lw_tree_root(tree), lw_tree_copy(tree, lw_tree_root(tree))));
    lw_tree_free(tree);
    lw_free(text);
    text = nested_arrays(LW_TREE_DEPTH + 1);
    tree = NULL;
    assert_int_equal(lw_tree_parse(&tree, lw_str_of(text), 0, NULL), LW_ERR_LIMIT);
    assert_null(tree);
    lw_free(text);
}

/* An array in an array, and so on, by hand. */
static lw_node *nest_by_hand(lw_tree *tree, size_t depth)
{
    lw_node *node = lw_tree_array(tree);
    for (size_t i = 1; i < depth; i++) {
        lw_node *outer = lw_tree_array(tree);
        lw_node_append(tree, outer, node);
        node = outer;
    }
    return node;
}

static void walks_of_what_was_nested_too_deep_by_hand_end_in_a_limit(void **state)
{
    (void)state;
    lw_tree *tree;
    lw_buf buf;
    lw_json_writer w;
    assert_int_equal(lw_tree_new(&tree, 0), LW_OK);
    lw_node *deep = nest_by_hand(tree, 300000);
    lw_node_sort_keys(deep);
    assert_false(lw_node_equal(deep, nest_by_hand(tree, 300000)));
    lw_buf_init(&buf, 1 << 20);
    lw_json_writer_init(&w, &buf, LW_JSON_COMPACT);
    lw_node_write(deep, &w);
    assert_int_equal(lw_json_writer_status(&w), LW_ERR_LIMIT);
    lw_buf_done(&buf);
    assert_int_equal(lw_tree_status(tree), LW_OK);
    assert_null(lw_tree_copy(tree, deep));
    assert_int_equal(lw_tree_status(tree), LW_ERR_LIMIT);
    lw_tree_free(tree);
}

static void refuses_to_take_more_than_its_limit(void **state)
{
    (void)state;
    lw_tree *tree = NULL;
    lw_error err = LW_ERROR_INIT;
    char big[5000];
    memset(big, ' ', sizeof(big));
    big[0] = '"';
    big[sizeof(big) - 1] = '"';
    assert_int_equal(lw_tree_parse(&tree, lw_str_make(big, sizeof(big)), 4000, &err), LW_ERR_LIMIT);
    assert_null(tree);
    assert_non_null(strstr(err.message, "4000"));
    assert_int_equal(lw_tree_parse(&tree, lw_str_make(big, sizeof(big)), 6000, &err), LW_OK);
    lw_tree_free(tree);
}

/* The worst there is: two bytes of text for each node. */
static void holds_the_largest_request_within_its_usual_limit(void **state)
{
    (void)state;
    static const char *const elements[] = { "0", "[]", "[0]", "\"\"", "{\"a\":0}" };
    for (size_t i = 0; i < sizeof(elements) / sizeof(elements[0]); i++) {
        lw_buf buf;
        lw_tree *tree = NULL;
        lw_buf_init(&buf, 3 << 20);
        lw_buf_append_char(&buf, '[');
        while (buf.len < (3 << 20) - 20) {
            lw_buf_append_text(&buf, elements[i]);
            lw_buf_append_char(&buf, ',');
        }
        lw_buf_append_text(&buf, "0]");
        assert_int_equal(lw_tree_parse(&tree, lw_buf_view(&buf), 0, NULL), LW_OK);
        lw_tree_free(tree);
        lw_buf_done(&buf);
    }
}

static void keeps_texts_of_every_length(void **state)
{
    (void)state;
    static const char text[] = "abcdefghijklmnopqrstuvwxyz";
    for (size_t len = 0; len < sizeof(text); len++) {
        char json[sizeof(text) + 8] = "\"";
        memcpy(json + 1, text, len);
        json[len + 1] = '"';
        json[len + 2] = '\0';
        lw_tree *tree = parse_document(json);
        assert_written(lw_tree_root(tree), json);
        lw_node *made = lw_tree_string(tree, lw_str_make(text, len));
        assert_true(lw_node_equal(made, lw_tree_root(tree)));
        assert_true(lw_node_equal(made, lw_tree_copy(tree, made)));
        lw_tree_free(tree);
    }
    lw_tree *tree = parse_document("[\"\\u0041\\u0042\",\"1234567\\n\",\"12345678\\n\"]");
    assert_written(lw_tree_root(tree), "[\"AB\",\"1234567\\n\",\"12345678\\n\"]");
    lw_tree_free(tree);
}

static void a_failure_sticks(void **state)
{
    (void)state;
    lw_tree *tree;
    assert_int_equal(lw_tree_new(&tree, 200), LW_OK);
    lw_node *array = lw_tree_array(tree);
    lw_node *object = lw_tree_object(tree);
    assert_non_null(array);
    char big[500] = { 0 };
    assert_null(lw_tree_string(tree, lw_str_make(big, sizeof(big))));
    assert_int_equal(lw_tree_status(tree), LW_ERR_LIMIT);
    assert_null(lw_tree_null(tree));
    lw_node_append(tree, array, lw_tree_int(tree, 1));
    lw_node_put(tree, object, LW_STR("k"), array);
    assert_int_equal(lw_node_count(array), 0);
    assert_int_equal(lw_node_count(object), 0);
    lw_error err = LW_ERROR_INIT;
    lw_node *out = NULL;
    assert_int_equal(lw_tree_parse_node(tree, LW_STR("1"), &out, &err), LW_ERR_LIMIT);
    assert_null(out);
    lw_tree_free(tree);
}

static void takes_null_for_absent_everywhere(void **state)
{
    (void)state;
    lw_tree *tree;
    int64_t n;
    assert_int_equal(lw_tree_new(&tree, 0), LW_OK);
    lw_node *array = lw_tree_array(tree);
    assert_null(lw_tree_root(tree));
    assert_int_equal(lw_node_type(NULL), LW_JSON_NULL);
    assert_false(lw_node_is(NULL, LW_JSON_NULL));
    assert_int_equal(lw_node_text(NULL).len, 0);
    assert_false(lw_node_bool(NULL));
    assert_false(lw_node_int64(NULL, &n));
    assert_int_equal(lw_node_count(NULL), 0);
    assert_null(lw_node_at(NULL, 0));
    assert_int_equal(lw_node_key_at(NULL, 0).len, 0);
    assert_null(lw_node_get(NULL, LW_STR("a")));
    assert_null(lw_node_get(array, LW_STR("a")));
    assert_true(lw_node_equal(NULL, NULL));
    assert_false(lw_node_equal(NULL, lw_tree_null(tree)));
    assert_null(lw_tree_copy(tree, NULL));
    lw_node_put(tree, NULL, LW_STR("a"), array);
    assert_false(lw_node_remove(NULL, LW_STR("a")));
    lw_node_append(tree, array, NULL);
    lw_node_insert(tree, NULL, 0, array);
    lw_node_set_at(NULL, 0, array);
    lw_node_remove_at(NULL, 0);
    lw_node_sort_keys(NULL);
    assert_int_equal(lw_node_count(array), 0);
    assert_int_equal(lw_tree_status(tree), LW_OK);
    assert_written(NULL, "null");
    lw_tree_free(tree);
    lw_tree_free(NULL);
}

static void makes_documents_by_hand(void **state)
{
    (void)state;
    lw_tree *tree;
    assert_int_equal(lw_tree_new(&tree, 0), LW_OK);
    lw_node *root = lw_tree_object(tree);
    lw_tree_set_root(tree, root);
    lw_node *list = lw_tree_array(tree);
    lw_node_put(tree, root, LW_STR("list"), list);
    lw_node_append(tree, list, lw_tree_int(tree, INT64_MIN));
    lw_node_append(tree, list, lw_tree_number(tree, LW_STR("1e2")));
    lw_node_append(tree, list, lw_tree_string(tree, LW_STR("<")));
    lw_node_append(tree, list, lw_tree_bool(tree, false));
    lw_node_append(tree, list, lw_tree_null(tree));
    lw_node_put(tree, root, LW_STR(""), lw_tree_string(tree, lw_str_make(NULL, 0)));
    assert_int_equal(lw_tree_status(tree), LW_OK);
    assert_written(lw_tree_root(tree),
                   "{\"list\":[-9223372036854775808,1e2,\"\\u003c\",false,null],\"\":\"\"}");
    lw_tree_free(tree);
}

static void parses_a_node_into_a_tree(void **state)
{
    (void)state;
    lw_tree *tree = parse_document("[1]");
    lw_node *node = NULL;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_tree_parse_node(tree, LW_STR("{\"a\":2"), &node, &err), LW_ERR_SYNTAX);
    assert_null(node);
    assert_int_equal(lw_tree_status(tree), LW_OK);
    assert_int_equal(lw_tree_parse_node(tree, LW_STR("{\"a\":2}"), &node, &err), LW_OK);
    assert_written(lw_tree_root(tree), "[1]");
    lw_node_append(tree, lw_tree_root(tree), node);
    assert_written(lw_tree_root(tree), "[1,{\"a\":2}]");
    lw_tree_free(tree);
}

static void a_copy_lives_on_without_its_source(void **state)
{
    (void)state;
    lw_tree *source = parse_document("{\"a\":[1,\"x\",{\"b\":null}],\"c\":true}");
    lw_tree *tree;
    assert_int_equal(lw_tree_new(&tree, 0), LW_OK);
    lw_tree_set_root(tree, lw_tree_copy(tree, lw_tree_root(source)));
    lw_node_remove(lw_tree_root(source), LW_STR("a"));
    lw_tree_free(source);
    assert_written(lw_tree_root(tree), "{\"a\":[1,\"x\",{\"b\":null}],\"c\":true}");
    lw_tree_free(tree);
}

static void tells_whether_a_name_was_there_twice(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        bool had_repeats;
    } cases[] = {
        { "{\"a\":1,\"b\":{\"a\":2},\"c\":[{\"a\":3},{\"a\":4}]}", false },
        { "{\"aXa\":1,\"aYa\":2,\"aZa\":3}", false }, /* alike, and not the same */
        { "{\"a\":1,\"b\":2,\"a\":1}", true },
        { "{\"a\":1,\"\\u0061\":2}", true },
        { "[{\"x\":{\"\":1,\"\":2}}]", true },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_tree *tree = parse_document(cases[i].json);
        if (lw_tree_had_repeats(tree) != cases[i].had_repeats)
            fail_msg("%s: %d", cases[i].json, !cases[i].had_repeats);
        lw_tree_free(tree);
    }
}

static void ends_strings_at_quotes_that_are_not_escaped(void **state)
{
    (void)state;
    lw_tree *tree = parse_document("{\"a\\\"b\":\"plain\",\"c\":\"\\\\\",\"\\\\\":\"x\\\"\\\\\","
                                   "\"long enough for its own room\":\"so is this \\\" one\"}");
    assert_written(lw_tree_root(tree),
                   "{\"a\\\"b\":\"plain\",\"c\":\"\\\\\",\"\\\\\":\"x\\\"\\\\\","
                   "\"long enough for its own room\":\"so is this \\\" one\"}");
    lw_tree_free(tree);
}

static void a_share_is_a_copy_whose_texts_stay_where_they_are(void **state)
{
    (void)state;
    static const char json[] =
        "{\"a text of some length\":[1,\"another text\",{\"b\":null}],\"c\":{}}";
    lw_tree *source = parse_document(json), *tree;
    lw_node *root = lw_tree_root(source);
    assert_int_equal(lw_tree_new(&tree, 0), LW_OK);
    lw_node *share = lw_tree_share(tree, root);
    assert_ptr_equal(lw_node_text(lw_node_at(lw_node_at(share, 0), 1)).ptr,
                     lw_node_text(lw_node_at(lw_node_at(root, 0), 1)).ptr);
    lw_node_put(tree, lw_node_get(share, LW_STR("c")), LW_STR("d"), lw_tree_bool(tree, true));
    lw_node_remove(share, LW_STR("a text of some length"));
    assert_written(share, "{\"c\":{\"d\":true}}");
    assert_written(root, json);
    lw_tree_free(tree);
    lw_tree_free(source);
}

static void a_share_without_nulls_has_them_in_lists_only(void **state)
{
    (void)state;
    lw_tree *source = parse_document("{\"a\":null,\"b\":[null,{\"c\":null,\"d\":1}],\"e\":null}");
    lw_tree *tree;
    assert_int_equal(lw_tree_new(&tree, 0), LW_OK);
    assert_written(lw_tree_share_without_nulls(tree, lw_tree_root(source)),
                   "{\"b\":[null,{\"d\":1}]}");
    lw_tree_free(tree);
    lw_tree_free(source);
}

static lw_tree *parse_closed(const char *json, bool is_compact)
{
    lw_tree *tree = NULL;
    assert_int_equal(lw_tree_parse_closed(&tree, lw_str_of(json), LW_STR("c"), is_compact, NULL,
                                          NULL),
                     LW_OK);
    return tree;
}

static void a_closed_object_is_copied_compared_and_written_unread(void **state)
{
    (void)state;
    static const char json[] = "{\"a\":[{\"c\":{\"x\":{\"y\":1}},\"d\":{}}],\"c\":[{}]}";
    lw_str text;
    lw_tree *tree = parse_closed(json, true), *same = parse_closed(json, true);
    lw_node *at = lw_node_at(lw_node_get(lw_tree_root(tree), LW_STR("a")), 0);
    assert_written(lw_tree_root(tree), json);
    assert_true(lw_node_equal(lw_tree_root(tree), lw_tree_root(same)));
    assert_written(lw_tree_copy(same, at), "{\"c\":{\"x\":{\"y\":1}},\"d\":{}}");
    assert_true(lw_node_is_closed(lw_node_get(at, LW_STR("c")), &text));
    assert_str_equal(text, "{\"x\":{\"y\":1}}");
    assert_false(lw_node_is_closed(lw_node_get(at, LW_STR("d")), &text));
    lw_tree_free(tree);
    lw_tree_free(same);
}

static void stored_text_is_read_like_any_other(void **state)
{
    (void)state;
    static const char json[] = "{\"a\":[1,\"\\u00e9\",null],\"c\":{\"x\":{}},\"d\":\"long text\"}";
    lw_str text;
    lw_tree *closed = parse_closed(json, true), *stored = NULL;
    assert_int_equal(lw_tree_parse_stored(&stored, lw_str_of(json), LW_STR("c"), NULL, NULL),
                     LW_OK);
    assert_true(lw_node_is_closed(lw_node_get(lw_tree_root(stored), LW_STR("c")), &text));
    assert_true(lw_node_is_same(lw_tree_root(stored), lw_tree_root(closed), NULL));
    lw_tree_free(closed);
    lw_tree_free(stored);
}

/* Of objects of each size that grow, lose members and are copied. */
static void every_member_is_found_however_it_came(void **state)
{
    enum {
        MEMBERS = 70,
    };
    (void)state;
    lw_tree *tree, *copies;
    assert_int_equal(lw_tree_new(&tree, 0), LW_OK);
    assert_int_equal(lw_tree_new(&copies, 0), LW_OK);
    lw_node *object = lw_tree_object(tree);
    for (unsigned i = 0; i < MEMBERS; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "%x-member-%u", i * 7, i);
        assert_null(lw_node_get(object, lw_str_of(name)));
        lw_node_put(tree, object, lw_str_of(name), lw_tree_int(tree, i));
        lw_node_put(tree, object, LW_STR("gone"), lw_tree_null(tree));
        const lw_node *copy = lw_tree_share(copies, object);
        const lw_node *clean = lw_tree_share_without_nulls(copies, object);
        assert_true(lw_node_remove(object, LW_STR("gone")));
        for (unsigned j = 0; j <= i; j++) {
            (void)snprintf(name, sizeof(name), "%x-member-%u", j * 7, j);
            assert_non_null(lw_node_get(object, lw_str_of(name)));
            assert_non_null(lw_node_get(copy, lw_str_of(name)));
            assert_non_null(lw_node_get(clean, lw_str_of(name)));
        }
        assert_non_null(lw_node_get(copy, LW_STR("gone")));
        assert_null(lw_node_get(clean, LW_STR("gone")));
    }
    lw_tree_free(copies);
    lw_tree_free(tree);
}

static void a_closed_object_is_read_level_by_level(void **state)
{
    (void)state;
    lw_str text;
    lw_tree *tree = parse_closed("{\"c\":{\"x\":{\"y\":1},\"z\":{}}}", true);
    lw_tree *open = parse_document("{\"c\":{\"z\":{},\"x\":{\"y\":1.0}}}");
    lw_node *c = lw_node_get(lw_tree_root(tree), LW_STR("c"));
    assert_int_equal(lw_node_count(c), 2);
    assert_true(lw_node_is_closed(lw_node_get(c, LW_STR("x")), &text));
    assert_true(lw_node_equal(lw_tree_root(tree), lw_tree_root(open)));
    assert_false(lw_node_is_closed(lw_node_get(c, LW_STR("x")), &text));
    lw_tree_free(tree);
    lw_tree_free(open);
}

static void changes_open_what_is_closed(void **state)
{
    (void)state;
    lw_tree *tree = parse_closed("{\"c\":{\"x\":1,\"y\":2},\"d\":{\"c\":{\"z\":3}}}", true);
    lw_node *c = lw_node_get(lw_tree_root(tree), LW_STR("c"));
    assert_true(lw_node_remove(c, LW_STR("x")));
    lw_node_put(tree, lw_node_get(lw_node_get(lw_tree_root(tree), LW_STR("d")), LW_STR("c")),
                LW_STR("w"), lw_tree_int(tree, 4));
    assert_written(lw_tree_root(tree), "{\"c\":{\"y\":2},\"d\":{\"c\":{\"z\":3,\"w\":4}}}");
    lw_tree_free(tree);
}

static void a_closed_text_that_is_not_compact_is_written_compact(void **state)
{
    (void)state;
    lw_tree *tree = parse_closed("{\"c\": {\"x\" : {\"y\":\"\\u0041\"}}}", false);
    assert_written(lw_tree_root(tree), "{\"c\":{\"x\":{\"y\":\"A\"}}}");
    lw_tree_free(tree);
}

/* Each level that is opened is a walk over all the text below it. */
static void a_deep_closed_object_costs_by_its_text(void **state)
{
    enum {
        DEPTH = 400,
        TEXT = 64 * 1024,
        LEVELS = 12
    };
    (void)state;
    lw_tree *tree = NULL;
    lw_budget budget;
    lw_buf json, out;
    lw_json_writer w;
    lw_buf_init(&json, 1 << 20);
    lw_buf_init(&out, 1 << 20);
    lw_buf_append_text(&json, "{\"c\": ");
    for (int i = 0; i < DEPTH; i++)
        lw_buf_append_text(&json, "{\"d\":");
    lw_buf_append_text(&json, "\"");
    for (int i = 0; i < TEXT; i++)
        lw_buf_append_char(&json, 'x');
    lw_buf_append_text(&json, "\"");
    for (int i = 0; i <= DEPTH; i++)
        lw_buf_append_text(&json, "}");
    lw_budget_init(&budget, 1000000);
    assert_int_equal(lw_tree_parse_closed(&tree, lw_buf_view(&json), LW_STR("c"), false, &budget,
                                          NULL),
                     LW_OK);
    lw_json_writer_init(&w, &out, LW_JSON_COMPACT);
    lw_node_write(lw_tree_root(tree), &w);
    assert_int_equal(lw_json_writer_status(&w), LW_OK);
    assert_int_equal(out.len, json.len - 1); /* a blank */
    assert_in_range(lw_budget_used(&budget), 1,
                    (uint64_t)LEVELS * (json.len / LW_BUDGET_TEXT_BYTES) + 10 * DEPTH);
    lw_tree_free(tree);
    lw_buf_done(&json);
    lw_buf_done(&out);
}

static void only_what_is_written_alike_is_the_same(void **state)
{
    (void)state;
    lw_tree *a = parse_document("{\"x\":[1,\"s\"],\"y\":{\"z\":null}}");
    lw_tree *b = parse_document("{\"x\":[1,\"s\"],\"y\":{\"z\":null}}");
    lw_tree *order = parse_document("{\"y\":{\"z\":null},\"x\":[1,\"s\"]}");
    lw_tree *number = parse_document("{\"x\":[1.0,\"s\"],\"y\":{\"z\":null}}");
    assert_true(lw_node_is_same(lw_tree_root(a), lw_tree_root(b), NULL));
    assert_false(lw_node_is_same(lw_tree_root(a), lw_tree_root(order), NULL));
    assert_false(lw_node_is_same(lw_tree_root(a), lw_tree_root(number), NULL));
    assert_false(lw_node_is_same(lw_tree_root(a), NULL, NULL));
    lw_tree_free(a);
    lw_tree_free(b);
    lw_tree_free(order);
    lw_tree_free(number);
}

static void members_of_a_large_copy_are_found(void **state)
{
    (void)state;
    char key[16];
    lw_tree *source, *tree;
    assert_int_equal(lw_tree_new(&source, 0), LW_OK);
    assert_int_equal(lw_tree_new(&tree, 0), LW_OK);
    lw_node *root = lw_tree_object(source);
    for (int i = 0; i < 100; i++) {
        (void)snprintf(key, sizeof(key), "k%d", i);
        lw_node_put(source, root, lw_str_of(key), lw_tree_int(source, i));
    }
    (void)lw_node_remove(root, LW_STR("k50"));
    lw_node *copy = lw_tree_copy(tree, root);
    for (int i = 0; i < 100; i++) {
        int64_t value = -1;
        (void)snprintf(key, sizeof(key), "k%d", i);
        (void)lw_node_int64(lw_node_get(copy, lw_str_of(key)), &value);
        assert_int_equal(value, i == 50 ? -1 : i);
    }
    assert_true(lw_node_equal(copy, root));
    lw_tree_free(tree);
    lw_tree_free(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(tells_whether_a_name_was_there_twice),
        TEST(ends_strings_at_quotes_that_are_not_escaped),
        TEST(a_share_is_a_copy_whose_texts_stay_where_they_are),
        TEST(a_share_without_nulls_has_them_in_lists_only),
        TEST(members_of_a_large_copy_are_found),
        TEST(a_closed_object_is_copied_compared_and_written_unread),
        TEST(a_closed_object_is_read_level_by_level),
        TEST(changes_open_what_is_closed),
        TEST(a_closed_text_that_is_not_compact_is_written_compact),
        TEST(a_deep_closed_object_costs_by_its_text),
        TEST(only_what_is_written_alike_is_the_same),
        TEST(parses_and_writes_every_kind_of_value),
        TEST(parses_scalars_as_documents),
        TEST(reads_what_was_parsed),
        TEST(the_last_of_members_with_one_name_counts_in_the_place_of_the_first),
        TEST(refuses_malformed_text_and_says_where),
        TEST(nests_as_deep_as_it_says_and_no_deeper),
        TEST(walks_of_what_was_nested_too_deep_by_hand_end_in_a_limit),
        TEST(refuses_to_take_more_than_its_limit),
        TEST(holds_the_largest_request_within_its_usual_limit),
        TEST(keeps_texts_of_every_length),
        TEST(a_failure_sticks),
        TEST(stored_text_is_read_like_any_other),
        TEST(every_member_is_found_however_it_came),
        TEST(takes_null_for_absent_everywhere),
        TEST(makes_documents_by_hand),
        TEST(parses_a_node_into_a_tree),
        TEST(a_copy_lives_on_without_its_source),
    };
    return cmocka_run_group_tests_name("tree", tests, NULL, NULL);
}
