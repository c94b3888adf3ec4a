/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler_select.h -- the best node for a pod, or why there is none.
 *
 * Filters: the node takes pods, its taints are tolerated, nodeSelector and required node affinity
 * hold, ports and resources are free, no pod there wants to be apart from this one.  Of those that
 * remain the one with the fewest pods of the same group, then the least allocated. */
#ifndef LW_CONTROL_SCHEDULER_SCHEDULER_SELECT_H
#define LW_CONTROL_SCHEDULER_SCHEDULER_SELECT_H

#include <listwatch.h>

#include "scheduler/scheduler_cache.h"

enum {
    LW_PLACING_REASONS_MAX = 24,
    LW_PLACING_REASON_SIZE = 256,
    LW_PLACING_MESSAGE_SIZE = 1024,
};

/* Why nodes will not do, and how many for each reason. */
typedef struct lw_placing_reason {
    char text[LW_PLACING_REASON_SIZE];
    size_t count;
} lw_placing_reason;

typedef struct lw_placing {
    lw_node_record *node;                              /* NULL: none will do ... */
    lw_placing_reason reasons[LW_PLACING_REASONS_MAX]; /* ... because of these; more are left out */
    size_t reason_count;
} lw_placing;

/* Decides; nothing is assumed yet.  LW_ERR_NOMEM. */
lw_status lw_placing_find(lw_placing *placing, lw_ledger *ledger, const lw_object *pod);

/* The event's message: "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were
 * unschedulable.". */
void lw_placing_message(const lw_placing *placing, const lw_ledger *ledger,
                        char text[LW_PLACING_MESSAGE_SIZE]);

#endif
