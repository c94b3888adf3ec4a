/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_merge_patch.c -- merge patches: the input is a document, a NUL byte, a patch.  Applying a
 * patch again changes nothing, and the members that the patch sets to null are absent. */
#include <stdlib.h>

#include "json/patch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

/* Checks that every member of |patch| is in |result| as RFC 7386 requires. */
static void check_result(const lw_node *result, const lw_node *patch)
{
    if (!lw_node_is(patch, LW_JSON_OBJECT)) {
        must(lw_node_equal(result, patch));
        return;
    }
    must(lw_node_is(result, LW_JSON_OBJECT));
    for (size_t i = 0; i < lw_node_count(patch); i++) {
        const lw_node *value = lw_node_at(patch, i);
        const lw_node *merged = lw_node_get(result, lw_node_key_at(patch, i));
        if (lw_node_is(value, LW_JSON_NULL))
            must(!merged);
        else
            check_result(merged, value);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    if (!nul)
        return 0;
    size_t len = (size_t)(nul - data);
    lw_str document = lw_str_make((const char *)data, len);
    lw_str changes = lw_str_make((const char *)nul + 1, size - len - 1);
    lw_tree *tree = NULL;
    lw_tree *patch = NULL;
    if (lw_tree_parse(&tree, document, 0, NULL) == LW_OK &&
        lw_tree_parse(&patch, changes, 0, NULL) == LW_OK) {
        lw_node *once = lw_json_merge_patch(tree, lw_tree_root(tree), lw_tree_root(patch));
        lw_node *before = lw_tree_copy(tree, once);
        lw_node *twice = lw_json_merge_patch(tree, once, lw_tree_root(patch));
        if (lw_tree_status(tree) == LW_OK) {
            check_result(twice, lw_tree_root(patch));
            must(lw_node_equal(before, twice));
        }
    }
    lw_tree_free(patch);
    lw_tree_free(tree);
    return 0;
}
