/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_tree.c -- the output of a tree, in both forms, parses to an equal tree, and the text of a
 * tree to the same tree again. */
#include <stdlib.h>

#include "json/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void write_to(lw_buf *buf, const lw_node *node, lw_json_form form)
{
    lw_json_writer w;
    lw_buf_init(buf, 256 << 20);
    lw_json_writer_init(&w, buf, form);
    lw_node_write(node, &w);
    must(lw_json_writer_status(&w) == LW_OK);
}

/* Checks that |form| of |node| parses to an equal tree; the compact form is also written the
 * same. */
static void check_form(const lw_node *node, lw_json_form form)
{
    lw_buf first, second;
    lw_tree *again = NULL;
    write_to(&first, node, form);
    must(lw_tree_parse(&again, lw_buf_view(&first), 0, NULL) == LW_OK);
    must(lw_node_equal(node, lw_tree_root(again)) && lw_node_equal(lw_tree_root(again), node));
    write_to(&second, lw_tree_root(again), form);
    must(lw_str_equal(lw_buf_view(&first), lw_buf_view(&second)));
    lw_buf_reset(&second);
    lw_json_writer w;
    lw_json_writer_init(&w, &second, LW_JSON_INDENTED);
    lw_json_write_raw(&w, lw_buf_view(&first));
    must(lw_json_writer_status(&w) == LW_OK);
    must(form == LW_JSON_COMPACT || lw_str_equal(lw_buf_view(&first), lw_buf_view(&second)));
    lw_buf_done(&first);
    lw_buf_done(&second);
    lw_tree_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_tree *tree = NULL;
    lw_error err = LW_ERROR_INIT;
    lw_status st = lw_tree_parse(&tree, lw_str_make((const char *)data, size), 0, &err);
    if (st < 0) {
        must(err.code == st && !tree);
        return 0;
    }
    lw_node *root = lw_tree_root(tree);
    check_form(root, LW_JSON_COMPACT);
    check_form(root, LW_JSON_INDENTED);
    lw_node *copy = lw_tree_copy(tree, root);
    if (lw_tree_status(tree) == LW_OK) {
        lw_node_sort_keys(copy);
        must(lw_node_equal(root, copy));
    }
    if (lw_tree_status(tree) == LW_OK && lw_tree_reread(tree) == LW_OK)
        must(lw_node_is_same(root, lw_tree_root(tree), NULL));
    lw_tree_free(tree);
    return 0;
}
