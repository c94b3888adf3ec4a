/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_json_patch.c -- JSON patches: the input is a document, a NUL byte, a patch.  After any patch
 * the document is a tree that can be written and read back. */
#include <stdlib.h>

#include "json/patch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check_document(const lw_node *root)
{
    lw_buf buf;
    lw_json_writer w;
    lw_tree *again = NULL;
    lw_buf_init(&buf, 256 << 20);
    lw_json_writer_init(&w, &buf, LW_JSON_COMPACT);
    lw_node_write(root, &w);
    must(lw_json_writer_status(&w) == LW_OK);
    must(lw_tree_parse(&again, lw_buf_view(&buf), 0, NULL) == LW_OK);
    must(lw_node_equal(root, lw_tree_root(again)));
    lw_tree_free(again);
    lw_buf_done(&buf);
}

static void check_patch(lw_tree *tree, const lw_node *patch)
{
    lw_node *before = lw_tree_copy(tree, lw_tree_root(tree));
    lw_error err = LW_ERROR_INIT;
    lw_status st = lw_json_patch_apply(tree, patch, &err);
    if (st == LW_OK) {
        check_document(lw_tree_root(tree));
        return;
    }
    must(err.code == st && err.message[0] != '\0' && !strchr(err.message, '\n'));
    must(st == LW_ERR_INVALID || st == LW_ERR_NOT_FOUND || st == LW_ERR_TEST_FAILED ||
         st == LW_ERR_LIMIT);
    must(before || lw_tree_status(tree) < 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    if (!nul)
        return 0;
    size_t len = (size_t)(nul - data);
    lw_tree *tree = NULL;
    lw_tree *patch = NULL;
    if (lw_tree_parse(&tree, lw_str_make((const char *)data, len), 0, NULL) == LW_OK &&
        lw_tree_parse(&patch, lw_str_make((const char *)nul + 1, size - len - 1), 0, NULL) == LW_OK)
        check_patch(tree, lw_tree_root(patch));
    lw_tree_free(patch);
    lw_tree_free(tree);
    return 0;
}
