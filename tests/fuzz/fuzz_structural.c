/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_structural.c -- untrusted schemas and objects: any schema is compiled, and any object is
 * validated, in bounded time; pruning and defaulting an object again changes nothing.
 *
 * The input is two JSON texts separated by a newline: the schema, then the object. */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "schema/structural/structural.h"

enum {
    UNKNOWN_MAX = 1 << 16,
};

static void shape(const lw_structural *schema, lw_tree *tree)
{
    lw_buf unknown;
    lw_buf_init(&unknown, UNKNOWN_MAX);
    lw_structural_prune_reporting(schema, lw_tree_root(tree), &unknown);
    lw_buf_done(&unknown);
    lw_structural_default(schema, tree, lw_tree_root(tree));
}

static void judge(const lw_structural *schema, lw_tree *tree)
{
    lw_api_status faults;
    lw_api_status_init(&faults);
    lw_structural_validate(schema, lw_tree_root(tree), NULL, NULL, &faults);
    lw_api_status_done(&faults);
}

static void use(const lw_structural *schema, lw_str json)
{
    lw_tree *tree = NULL, *before = NULL;
    if (lw_tree_parse(&tree, json, 0, NULL) < 0)
        return;
    shape(schema, tree);
    judge(schema, tree);
    /* A default may contain fields that the schema does not declare. */
    lw_structural_prune(schema, lw_tree_root(tree));
    if (lw_tree_status(tree) == LW_OK && lw_tree_new(&before, 0) == LW_OK) {
        lw_tree_set_root(before, lw_tree_copy(before, lw_tree_root(tree)));
        lw_structural_prune(schema, lw_tree_root(tree));
        if (lw_tree_status(before) == LW_OK &&
            !lw_node_equal(lw_tree_root(tree), lw_tree_root(before)))
            abort();
    }
    lw_tree_free(before);
    lw_tree_free(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_str schema_json, object_json;
    lw_tree *tree = NULL;
    lw_structural *schema = NULL;
    lw_api_status faults;
    if (!lw_str_cut(lw_str_make((const char *)data, size), '\n', &schema_json, &object_json) ||
        lw_tree_parse(&tree, schema_json, 0, NULL) < 0)
        return 0;
    lw_api_status_init(&faults);
    if (lw_structural_new(&schema, lw_tree_root(tree), LW_STR("s"), &faults) == LW_OK)
        use(schema, object_json);
    lw_api_status_done(&faults);
    lw_structural_free(schema);
    lw_tree_free(tree);
    return 0;
}
