/* SPDX-License-Identifier: Apache-2.0 */
/* json_patch.h -- JSON Patch (RFC 6902) with the limits of Kubernetes. */
#ifndef LW_JSON_JSON_PATCH_H
#define LW_JSON_JSON_PATCH_H

#include "json/tree.h"

enum {
    LW_JSON_PATCH_MAX_OPS = 10000,
    LW_JSON_PATCH_MAX_COPY =
        3 * 1024 * 1024, /* bytes that all "copy" operations may add together */
    LW_JSON_PATCH_MAX_MOVED = 100 * 1000 * 1000, /* array elements that may be shifted in total */
};

/* Applies the array |patch|, of any tree, to the document of |tree|, one operation after the other.
 * On failure the document is left half changed: work on a copy.
 * As in Kubernetes, negative array indices count from the end, an operation without "value" means
 * null, and of a member that is absent: "replace" adds it, "copy" copies null, a "test" against
 * null holds. The message names the operation by its position, from 0, and says what is wrong.
 * LW_ERR_INVALID: the patch is malformed.  LW_ERR_NOT_FOUND: a path does not exist.
 * LW_ERR_TEST_FAILED: a "test" does not hold.  LW_ERR_LIMIT: too many operations, copied bytes,
 * moved elements or levels (LW_TREE_DEPTH), or the tree's limit.  LW_ERR_NOMEM. */
lw_status lw_json_patch_apply(lw_tree *tree, const lw_node *patch, lw_error *err);

#endif
