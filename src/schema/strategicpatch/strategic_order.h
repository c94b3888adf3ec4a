/* SPDX-License-Identifier: Apache-2.0 */
/* strategic_order.h -- in which order the elements of a merged list stand. */
#ifndef LW_SCHEMA_STRATEGICPATCH_STRATEGIC_ORDER_H
#define LW_SCHEMA_STRATEGICPATCH_STRATEGIC_ORDER_H

#include "schema/strategicpatch/element_index.h"
#include "schema/strategicpatch/strategic_run.h"

typedef struct lw_strategic_order {
    lw_str key;                     /* tells elements apart; empty: their values do */
    const lw_element_index *wanted; /* what the patch names, in its order */
    const lw_element_index *server; /* what was there, in its order */
    size_t wanted_bad;              /* the first of the wanted that is no map, or LW_NO_POSITION */
} lw_strategic_order;

/* Orders the elements of |list|: those that are wanted as in the patch, the others as on the
 * server; one of the others stands before a wanted one only where it did so on the server.  Fails
 * when there is a key and an element lacks it. */
lw_status lw_strategic__arrange(lw_strategic_run *run, lw_node *list,
                                const lw_strategic_order *order);

/* Checks |order|, a $setElementOrder list: it names all elements of |patch| that are not
 * directives, in the same order.  Either may be NULL or empty, and then nothing is checked. */
lw_status lw_strategic__check_order(lw_strategic_run *run, const lw_node *patch,
                                    const lw_node *order, lw_str key);

/* Checks that all elements of |list| are maps with |key|. */
lw_status lw_strategic__check_keys(lw_strategic_run *run, const lw_node *list, lw_str key);

#endif
