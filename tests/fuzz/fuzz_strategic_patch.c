/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_strategic_patch.c -- strategic merge patches: the input is a letter for the kind, a
 * document, a NUL byte, a patch.  After any patch the document is a tree that can be written and
 * read back and contains no directive of the patch, and a rejected patch has a reason. */
#include <stdlib.h>

#include "schema/strategicpatch/strategic_patch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    MESSAGE_MAX = 1 << 20,
    DOCUMENT_MAX = 256 << 20,
};

static void must(bool holds)
{
    if (!holds)
        abort();
}

static lw_gvk kind_of(uint8_t letter)
{
    switch (letter % 4) {
    case 0: return lw_gvk_make("apps", "v1", "Deployment");
    case 1: return lw_gvk_make("", "v1", "Service");
    case 2: return lw_gvk_make("", "v1", "Node");
    default: return lw_gvk_make("", "v1", "Pod");
    }
}

/* True if |node| has a member |name| at any depth. */
static bool has_member(const lw_node *node, lw_str name)
{
    if (lw_node_is(node, LW_JSON_OBJECT) && lw_node_get(node, name))
        return true;
    for (size_t i = 0; i < lw_node_count(node); i++) {
        if (has_member(lw_node_at(node, i), name))
            return true;
    }
    return false;
}

static void check_document(const lw_node *root)
{
    lw_buf buf;
    lw_json_writer w;
    lw_tree *again = NULL;
    lw_buf_init(&buf, DOCUMENT_MAX);
    lw_json_writer_init(&w, &buf, LW_JSON_COMPACT);
    lw_node_write(root, &w);
    must(lw_json_writer_status(&w) == LW_OK);
    must(lw_tree_parse(&again, lw_buf_view(&buf), 0, NULL) == LW_OK);
    must(lw_node_equal(root, lw_tree_root(again)));
    lw_tree_free(again);
    lw_buf_done(&buf);
}

static void check_patch(lw_tree *tree, lw_gvk gvk, const lw_node *patch)
{
    static const lw_str mark = LW_STR_INIT("$patch");
    lw_buf why;
    bool had_mark = has_member(lw_tree_root(tree), mark);
    lw_buf_init(&why, MESSAGE_MAX);
    lw_status st = lw_strategic_patch_apply(tree, gvk, patch, &why);
    if (st == LW_OK) {
        must(why.len == 0);
        must(lw_node_is(lw_tree_root(tree), LW_JSON_OBJECT));
        must(had_mark || !has_member(lw_tree_root(tree), mark));
        check_document(lw_tree_root(tree));
    } else {
        must(why.len > 0);
        must(st == LW_ERR_INVALID || st == LW_ERR_UNSUPPORTED || st == LW_ERR_INTERNAL ||
             st == LW_ERR_LIMIT);
    }
    lw_buf_done(&why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    if (!nul || nul == data)
        return 0;
    size_t len = (size_t)(nul - data) - 1;
    lw_tree *tree = NULL;
    lw_tree *patch = NULL;
    if (lw_tree_parse(&tree, lw_str_make((const char *)data + 1, len), 0, NULL) == LW_OK &&
        lw_tree_parse(&patch, lw_str_make((const char *)nul + 1, size - len - 2), 0, NULL) ==
            LW_OK &&
        lw_node_is(lw_tree_root(tree), LW_JSON_OBJECT) &&
        lw_node_is(lw_tree_root(patch), LW_JSON_OBJECT))
        check_patch(tree, kind_of(data[0]), lw_tree_root(patch));
    lw_tree_free(patch);
    lw_tree_free(tree);
    return 0;
}
