/* SPDX-License-Identifier: Apache-2.0 */
/* strategic_list.h -- lists in a strategic merge patch. */
#ifndef LW_SCHEMA_STRATEGICPATCH_STRATEGIC_LIST_H
#define LW_SCHEMA_STRATEGICPATCH_STRATEGIC_LIST_H

#include "schema/strategicpatch/strategic_run.h"

/* How the list of a field is merged. */
typedef struct lw_strategic_rule {
    bool is_merged;         /* false: replaced */
    lw_str key;             /* the merge key of the elements; empty: scalars */
    const lw_type *element; /* type of the elements; NULL: unknown */
} lw_strategic_rule;

/* Merges |patch| into |original|; if |is_deletion|, the patch is a $deleteFromPrimitiveList.
 * |*out| replaces the original. */
lw_status lw_strategic__merge_list(lw_strategic_run *run, lw_node *original, const lw_node *patch,
                                   const lw_strategic_rule *rule, bool is_deletion, lw_node **out);

/* The same with |order|, a $setElementOrder list.  |original| and |patch| may be NULL (absent).
 * |*out| is NULL if there is nothing to order. */
lw_status lw_strategic__order_list(lw_strategic_run *run, lw_node *original, const lw_node *patch,
                                   const lw_node *order, const lw_strategic_rule *rule,
                                   lw_node **out);

#endif
