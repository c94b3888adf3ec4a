/* SPDX-License-Identifier: Apache-2.0 */
/* patch.h -- JSON Patch (RFC 6902) with the limits of Kubernetes, and JSON Merge Patch (RFC 7386).
 */
#ifndef LW_JSON_PATCH_H
#define LW_JSON_PATCH_H

#include "json/tree.h"

enum {
    LW_JSON_PATCH_MAX_OPS = 10000,
    LW_JSON_PATCH_MAX_COPY =
        3 * 1024 * 1024, /* bytes that all "copy" operations may add together */
    LW_JSON_PATCH_MAX_MOVED = 100 * 1000 * 1000, /* array elements that may be shifted in total */
};

/* Applies the JSON Patch |patch|, an array, of any tree, to the document of |tree|, one operation
 * after the other. On failure the document is partially changed: apply the patch to a copy. As in
 * Kubernetes, negative array indices count from the end, and an operation without "value" has the
 * value null.  If a member is absent, "replace" adds it, "copy" copies null, and a "test" for null
 * succeeds.  The error message contains the index of the operation, from 0, and the reason.
 * LW_ERR_INVALID: the patch is malformed.  LW_ERR_NOT_FOUND: a path does not exist.
 * LW_ERR_TEST_FAILED: a "test" fails.  LW_ERR_LIMIT: too many operations, copied bytes,
 * moved elements or levels (LW_TREE_DEPTH), or the tree's limit.  LW_ERR_NOMEM. */
lw_status lw_json_patch_apply(lw_tree *tree, const lw_node *patch, lw_error *err);

/* Applies the merge patch |patch|, of any tree, to |target| of |tree| (NULL: absent) and returns
 * the result: |target| changed in place if both are objects, otherwise a copy of |patch|, without
 * null members if it is an object.  Check lw_tree_status: after a failure |target| is partially
 * changed. */
lw_node *lw_json_merge_patch(lw_tree *tree, lw_node *target, const lw_node *patch);

#endif
