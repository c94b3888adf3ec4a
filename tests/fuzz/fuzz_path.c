/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_path.c -- JSON Pointers: the input is a document, a NUL byte, a pointer.  Lookups in the
 * text and in the tree of a document agree; on invalid JSON, the lookup stays within the input. */
#include <stdlib.h>

#include "json/path.h"
#include "json/scan.h"
#include "json/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

/* Returns the node at |pointer|, or NULL. */
static const lw_node *find_in_tree(const lw_node *node, lw_str pointer)
{
    lw_str segment;
    size_t index;
    while (node && lw_json_path_next(&pointer, &segment)) {
        if (lw_node_is(node, LW_JSON_ARRAY)) {
            node = lw_json_path_index(segment, &index) ? lw_node_at(node, index) : NULL;
            continue;
        }
        lw_buf name;
        lw_buf_init(&name, segment.len);
        lw_json_path_append_decoded(&name, segment);
        must(name.st == LW_OK);
        node = lw_node_get(node, lw_buf_view(&name));
        lw_buf_done(&name);
    }
    return node;
}

static void check_against_tree(lw_str document, lw_str pointer, lw_status st, lw_str value)
{
    lw_tree *tree = NULL;
    lw_tree *found = NULL;
    if (lw_tree_parse(&tree, document, 0, NULL) < 0)
        return;
    const lw_node *node = find_in_tree(lw_tree_root(tree), pointer);
    must((node != NULL) == (st == LW_OK));
    if (node) {
        must(lw_tree_parse(&found, value, 0, NULL) == LW_OK);
        must(lw_node_equal(node, lw_tree_root(found)));
    }
    lw_tree_free(found);
    lw_tree_free(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    if (!nul)
        return 0;
    size_t len = (size_t)(nul - data);
    lw_str document = lw_str_make((const char *)data, len);
    lw_str pointer = lw_str_make((const char *)nul + 1, size - len - 1);
    lw_str value = lw_str_make(NULL, 0);
    lw_status st = lw_json_path_find(document, pointer, &value);
    must((st == LW_ERR_INVALID) == (lw_json_path_check(pointer) < 0));
    if (st == LW_OK)
        must(value.ptr >= document.ptr || value.len == 0);
    if (st == LW_ERR_INVALID || lw_json_validate(document, LW_TREE_DEPTH, NULL) < 0)
        return 0;
    check_against_tree(document, pointer, st, value);
    return 0;
}
