/* SPDX-License-Identifier: Apache-2.0 */
/* merge_patch.h -- JSON Merge Patch (RFC 7386). */
#ifndef LW_JSON_MERGE_PATCH_H
#define LW_JSON_MERGE_PATCH_H

#include "json/tree.h"

/* Applies |patch|, of any tree, to |target| of |tree| (NULL: absent) and returns the result:
 * |target| changed in place where both are objects, else a copy of |patch|, without the members
 * that are null if it is an object.  Look at lw_tree_status: on failure |target| is left half
 * changed. */
lw_node *lw_json_merge_patch(lw_tree *tree, lw_node *target, const lw_node *patch);

#endif
