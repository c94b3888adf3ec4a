/* SPDX-License-Identifier: Apache-2.0 */
/* strategic_run.h -- the shared state of one run of a strategic merge patch.  Failures of the tree
 * are sticky: functions that make nodes go on, and lw_strategic__charge and the end of the run
 * check lw_tree_status. */
#ifndef LW_SCHEMA_STRATEGICPATCH_STRATEGIC_RUN_H
#define LW_SCHEMA_STRATEGICPATCH_STRATEGIC_RUN_H

#include "base/hash.h"
#include "schema/strategicpatch/strategic_patch.h"
#include "schema/types/type.h"

#define LW_PATCH_DIRECTIVE   LW_STR("$patch")
#define LW_RETAIN_KEYS       LW_STR("$retainKeys")
#define LW_DELETE_FROM_LIST  LW_STR("$deleteFromPrimitiveList")
#define LW_SET_ELEMENT_ORDER LW_STR("$setElementOrder")

typedef struct lw_strategic_run {
    lw_tree *tree;
    lw_buf *why;
    lw_buf name; /* scratch for a member name */
    lw_hash_seed seed;
    size_t walked; /* see LW_STRATEGIC_PATCH_MAX_WALKED */
} lw_strategic_run;

/* Counts |count| visited elements; returns the first failure of the run or of its tree. */
lw_status lw_strategic__charge(lw_strategic_run *run, size_t count);

/* Merges |patch| into the map |original| of |type| (NULL: unknown).  |*out| is |original| or its
 * replacement. */
lw_status lw_strategic__merge_map(lw_strategic_run *run, lw_node *original, const lw_node *patch,
                                  const lw_type *type, lw_node **out);

#endif
