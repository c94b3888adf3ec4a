/* SPDX-License-Identifier: Apache-2.0 */
/* merge_patch.h -- JSON Merge Patch (RFC 7386). */
#ifndef LW_JSON_MERGE_PATCH_H
#define LW_JSON_MERGE_PATCH_H

#include "json/tree.h"

/* Applies |patch|, of any tree, to |target| of |tree| (NULL: absent) and returns the result:
 * |target| changed in place if both are objects, otherwise a copy of |patch|, without null members
 * if it is an object.  Check lw_tree_status: after a failure |target| is partially changed. */
lw_node *lw_json_merge_patch(lw_tree *tree, lw_node *target, const lw_node *patch);

#endif
