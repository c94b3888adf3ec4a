/* SPDX-License-Identifier: Apache-2.0 */
/* strategic_order.h -- the order of the elements of a merged list. */
#ifndef LW_SCHEMA_STRATEGICPATCH_STRATEGIC_ORDER_H
#define LW_SCHEMA_STRATEGICPATCH_STRATEGIC_ORDER_H

#include "schema/strategicpatch/element_index.h"
#include "schema/strategicpatch/strategic_run.h"

typedef struct lw_strategic_order {
    lw_str key;                     /* the merge key; empty: the elements are scalars */
    const lw_element_index *wanted; /* the elements that the patch names, in its order */
    const lw_element_index *server; /* the elements of the live list, in its order */
    size_t
        wanted_bad; /* position of the first wanted element that is not a map, or LW_NO_POSITION */
} lw_strategic_order;

/* Sorts the elements of |list|: the wanted ones in the order of the patch, the others in the order
 * of the live list.  Another element precedes a wanted one only if it did so in the live list.
 * Fails if there is a key and an element lacks it. */
lw_status lw_strategic__arrange(lw_strategic_run *run, lw_node *list,
                                const lw_strategic_order *order);

/* Checks that |order|, a $setElementOrder list, names all elements of |patch| that are not
 * directives, in the same order.  If either is NULL or empty, nothing is checked. */
lw_status lw_strategic__check_order(lw_strategic_run *run, const lw_node *patch,
                                    const lw_node *order, lw_str key);

/* Checks that all elements of |list| are maps with |key|. */
lw_status lw_strategic__check_keys(lw_strategic_run *run, const lw_node *list, lw_str key);

#endif
