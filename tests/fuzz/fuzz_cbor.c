/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_cbor.c -- any bytes as CBOR; what is read must survive writing and reading again. */
#include <stdlib.h>

#include "base/str.h"
#include "fuzz/fuzz.h"
#include "json/cbor/cbor.h"

enum {
    TREE_LIMIT = 1 << 20,
    TEXT_LIMIT = 64 << 20,
};

/* Writes |node| as JSON and that as CBOR, and reads it back.  NULL: it was too large. */
static lw_tree *pass_through(const lw_node *node)
{
    lw_buf json, cbor;
    lw_json_writer w;
    lw_tree *tree = NULL;
    lw_buf_init(&json, TEXT_LIMIT);
    lw_buf_init(&cbor, TEXT_LIMIT);
    lw_json_writer_init(&w, &json, LW_JSON_COMPACT);
    lw_node_write(node, &w);
    if (lw_json_writer_status(&w) < 0 || lw_cbor_append_document(lw_buf_view(&json), &cbor) < 0)
        abort();
    lw_status st = lw_cbor_read(&tree, lw_buf_view(&cbor), TREE_LIMIT, NULL, NULL);
    if (st < 0 && st != LW_ERR_LIMIT) /* the tag may be one level too many */
        abort();
    lw_buf_done(&json);
    lw_buf_done(&cbor);
    return tree;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_str cbor = lw_str_make((const char *)data, size);
    lw_tree *tree = NULL;
    lw_error err = LW_ERROR_INIT;
    lw_status st = lw_cbor_read(&tree, cbor, TREE_LIMIT, NULL, &err);
    if (st == LW_ERR_INVALID) {
        lw_buf kind;
        lw_buf_init(&kind, TEXT_LIMIT);
        lw_cbor_append_member(cbor, LW_STR("kind"), &kind);
        lw_buf_done(&kind);
    }
    if (st < 0) {
        if (err.message[0] == '\0')
            abort();
        return 0;
    }
    lw_tree *again = pass_through(lw_tree_root(tree));
    if (again && !lw_node_equal(lw_tree_root(tree), lw_tree_root(again)))
        abort();
    lw_tree_free(again);
    lw_tree_free(tree);
    return 0;
}
