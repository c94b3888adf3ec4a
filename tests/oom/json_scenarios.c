/* SPDX-License-Identifier: Apache-2.0 */
/* json_scenarios.c -- src/json, with each allocation failing in turn. */
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "oom/oom.h"
#include "json/cbor/cbor.h"
#include "json/patch.h"
#include "json/path.h"
#include "json/text.h"
#include "json/tree.h"
#include "json/writer.h"

/* Enough members for an index, without the closing brace. */
#define MANY                                                                                       \
    "{\"1\":1,\"2\":2,\"3\":3,\"4\":4,\"5\":5,\"6\":6,\"7\":7,\"8\":8,\"9\":9,\"10\":10,"          \
    "\"11\":11,\"12\":12,\"13\":13,\"14\":14,\"15\":15,\"16\":16,\"17\":17,\"18\":18"

static const char document[] =
    "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\\u0041\",\"labels\":{\"a/b\":\"c\"}},"
    "\"spec\":{\"list\":[1,2.5,true,false,null,\"x\",[],{}],\"gone\":1},\"many\":" MANY "}}";

/* LW_OK if |tree| is |wanted|; else LW_ERR_INTERNAL. */
static lw_status compare(const lw_tree *tree, lw_str wanted, lw_error *err)
{
    lw_tree *other = NULL;
    lw_status st = lw_tree_status(tree);
    if (st == LW_OK)
        st = lw_tree_parse(&other, wanted, 0, err);
    if (st == LW_OK && !lw_node_equal(lw_tree_root(tree), lw_tree_root(other)))
        st = LW_ERR_INTERNAL;
    lw_tree_free(other);
    return st;
}

/* Writes |node| in |form| and discards the result. */
static lw_status write_out(const lw_node *node, lw_json_form form)
{
    lw_buf buf;
    lw_json_writer w;
    lw_buf_init(&buf, 1 << 20);
    lw_json_writer_init(&w, &buf, form);
    lw_node_write(node, &w);
    lw_status st = lw_json_writer_status(&w);
    lw_buf_done(&buf);
    return st;
}

static lw_status parse_and_write(lw_error *err)
{
    lw_tree *tree = NULL;
    lw_status st = lw_tree_parse(&tree, LW_STR(document), 0, err);
    if (st == LW_OK)
        st = write_out(lw_tree_root(tree), LW_JSON_COMPACT);
    if (st == LW_OK)
        st = write_out(lw_tree_root(tree), LW_JSON_INDENTED);
    lw_tree_free(tree);
    return st;
}

static lw_status parse_large(lw_error *err)
{
    lw_tree *tree = NULL;
    lw_buf buf;
    lw_buf_init(&buf, 1 << 20);
    for (unsigned i = 0; i < 3000; i++)
        lw_buf_printf(&buf, "%c\"%u\":[%u]", i ? ',' : '{', i, i);
    lw_buf_append_char(&buf, '}');
    lw_status st = buf.st;
    if (st == LW_OK)
        st = lw_tree_parse(&tree, lw_buf_view(&buf), 0, err);
    lw_tree_free(tree);
    lw_buf_done(&buf);
    return st;
}

static lw_status build_by_hand(lw_error *err)
{
    (void)err;
    lw_tree *tree;
    lw_status st = lw_tree_new(&tree, 0);
    if (st < 0)
        return st;
    lw_node *root = lw_tree_object(tree);
    lw_tree_set_root(tree, root);
    for (int i = 0; i < 200; i++) {
        lw_node *list = lw_tree_array(tree);
        lw_node_append(tree, list, lw_tree_int(tree, i));
        lw_node_insert(tree, list, 0, lw_tree_string(tree, LW_STR("text")));
        char key[] = { (char)('a' + i % 26), (char)('a' + i / 26) };
        lw_node_put(tree, root, lw_str_make(key, sizeof(key)), list);
        if (i % 3 == 0)
            (void)lw_node_remove(root, lw_str_make(key, sizeof(key)));
    }
    lw_node *copy = lw_tree_copy(tree, root);
    lw_node_sort_keys(copy);
    st = lw_tree_status(tree);
    if (st == LW_OK && !lw_node_equal(root, copy))
        st = LW_ERR_INTERNAL;
    lw_tree_free(tree);
    return st;
}

static lw_status parse_node(lw_error *err)
{
    lw_tree *tree;
    lw_node *node = NULL;
    lw_status st = lw_tree_new(&tree, 0);
    if (st < 0)
        return st;
    st = lw_tree_parse_node(tree, LW_STR(document), &node, err);
    if (st == LW_OK && !node)
        st = LW_ERR_INTERNAL;
    lw_tree_free(tree);
    return st;
}

static lw_status merge(lw_error *err)
{
    static const char changes[] =
        "{\"kind\":null,\"metadata\":{\"labels\":{\"a/b\":null,\"new\":\"x\"}"
        "},\"spec\":{\"list\":[1,{\"a\":null}],\"deep\":{\"b\":{}}}}";
    static const char merged[] =
        "{\"metadata\":{\"name\":\"aA\",\"labels\":{\"new\":\"x\"}},"
        "\"spec\":{\"list\":[1,{\"a\":null}],\"gone\":1,\"deep\":{\"b\":{}}},\"many\":" MANY "}}";
    lw_tree *tree = NULL;
    lw_tree *patch = NULL;
    lw_status st = lw_tree_parse(&tree, LW_STR(document), 0, err);
    if (st == LW_OK)
        st = lw_tree_parse(&patch, LW_STR(changes), 0, err);
    if (st == LW_OK) {
        lw_node *root = lw_tree_root(tree);
        lw_tree_set_root(tree, lw_json_merge_patch(tree, root, lw_tree_root(patch)));
        st = compare(tree, LW_STR(merged), err);
    }
    lw_tree_free(patch);
    lw_tree_free(tree);
    return st;
}

static lw_status patch_document(lw_error *err)
{
    static const char changes[] =
        "[{\"op\":\"test\",\"path\":\"/kind\",\"value\":\"Pod\"},"
        "{\"op\":\"add\",\"path\":\"/metadata/labels/c~1d\",\"value\":\"e\"},"
        "{\"op\":\"replace\",\"path\":\"/metadata/labels/a~1b\",\"value\":{\"f\":[1]}},"
        "{\"op\":\"remove\",\"path\":\"/spec/gone\"},"
        "{\"op\":\"copy\",\"from\":\"/many\",\"path\":\"/spec/many\"},"
        "{\"op\":\"move\",\"from\":\"/spec/list/1\",\"path\":\"/spec/list/-\"},"
        "{\"op\":\"add\",\"path\":\"/many/19\",\"value\":19}]";
    static const char patched[] =
        "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"aA\",\"labels\":{\"a/b\":{\"f\":[1]},"
        "\"c/d\":\"e\"}},\"spec\":{\"list\":[1,true,false,null,\"x\",[],{},2.5],\"many\":" MANY
        "}},\"many\":" MANY ",\"19\":19}}";
    lw_tree *tree = NULL;
    lw_tree *patch = NULL;
    lw_status st = lw_tree_parse(&tree, LW_STR(document), 0, err);
    if (st == LW_OK)
        st = lw_tree_parse(&patch, LW_STR(changes), 0, err);
    if (st == LW_OK)
        st = lw_json_patch_apply(tree, lw_tree_root(patch), err);
    if (st == LW_OK)
        st = compare(tree, LW_STR(patched), err);
    lw_tree_free(patch);
    lw_tree_free(tree);
    return st;
}

static lw_status write_texts(lw_error *err)
{
    (void)err;
    lw_buf buf;
    lw_json_writer w;
    lw_str value;
    lw_buf_init(&buf, 1 << 20);
    lw_json_writer_init(&w, &buf, LW_JSON_INDENTED);
    lw_json_write_array_begin(&w);
    for (int i = 0; i < 50; i++) {
        lw_json_write_raw(&w, LW_STR(document));
        lw_json_write_string(&w, LW_STR("<escaped>\n"));
    }
    lw_json_write_array_end(&w);
    lw_status st = lw_json_writer_status(&w);
    if (st == LW_OK)
        st = lw_json_path_find(lw_buf_view(&buf), LW_STR("/98/metadata/labels/a~1b"), &value);
    lw_buf_done(&buf);
    lw_json_append_unescaped(&buf, LW_STR("\\u0041\\n"));
    lw_json_path_append_decoded(&buf, LW_STR("a~1b"));
    if (st == LW_OK)
        st = buf.st;
    lw_buf_done(&buf);
    return st;
}

/* Texts in chunks, with a tag and with bytes that are not UTF-8 need memory of their own. */
static lw_status pass_through_cbor(lw_error *err)
{
    static const char cbor[] = "\xa3\x41"
                               "a\x5f\x42xy\x41z\xff\x41"
                               "b\xd6\x45hello\x41"
                               "c\x43x\xffy";
    lw_tree *tree = NULL;
    lw_buf json, out;
    lw_json_writer w;
    lw_buf_init(&json, 1000);
    lw_buf_init(&out, 1000);
    lw_status st = lw_cbor_read(&tree, lw_str_make(cbor, sizeof(cbor) - 1), 0, NULL, err);
    if (st == LW_OK) {
        lw_json_writer_init(&w, &json, LW_JSON_COMPACT);
        lw_node_write(lw_tree_root(tree), &w);
        st = lw_json_writer_status(&w);
    }
    if (st == LW_OK)
        st = lw_cbor_append_document(lw_buf_view(&json), &out);
    lw_tree_free(tree);
    lw_buf_done(&json);
    lw_buf_done(&out);
    return st;
}

const oom_scenario json_scenarios[] = {
    { "read and write CBOR", pass_through_cbor },
    { "parse and write a tree", parse_and_write },
    { "parse a large object", parse_large },
    { "build a tree by hand", build_by_hand },
    { "parse into a tree", parse_node },
    { "merge patch", merge },
    { "JSON patch", patch_document },
    { "write and read texts", write_texts },
};
const size_t json_scenario_count = sizeof(json_scenarios) / sizeof(json_scenarios[0]);
