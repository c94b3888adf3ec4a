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
    LW_SCHEDULER_SELECT_REASONS_MAX = 24,
    LW_SCHEDULER_SELECT_REASON_SIZE = 256,
    LW_SCHEDULER_SELECT_MESSAGE_SIZE = 1024,
};

/* Why nodes will not do, and how many for each reason. */
typedef struct lw_scheduler_select_reason {
    char text[LW_SCHEDULER_SELECT_REASON_SIZE];
    size_t count;
} lw_scheduler_select_reason;

typedef struct lw_scheduler_select {
    lw_node_record *node; /* NULL: none will do ... */
    lw_scheduler_select_reason
        reasons[LW_SCHEDULER_SELECT_REASONS_MAX]; /* ... because of these; more are left out */
    size_t reason_count;
} lw_scheduler_select;

/* Decides; nothing is assumed yet.  LW_ERR_NOMEM. */
lw_status lw_scheduler_select_find(lw_scheduler_select *selection, lw_scheduler_cache *cache,
                                   const lw_object *pod);

/* The event's message: "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were
 * unschedulable.". */
void lw_scheduler_select_message(const lw_scheduler_select *selection,
                                 const lw_scheduler_cache *cache,
                                 char text[LW_SCHEDULER_SELECT_MESSAGE_SIZE]);

#endif
