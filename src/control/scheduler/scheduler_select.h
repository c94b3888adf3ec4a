/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler_select.h -- selects the best node for a pod, or says why there is none.
 *
 * Filters: the node is schedulable, its taints are tolerated, nodeSelector and required node
 * affinity match, ports and resources are free, and no anti-affinity rule is violated.  Scores: the
 * fewest pods of the same group, then the least allocated. */
#ifndef LW_CONTROL_SCHEDULER_SCHEDULER_SELECT_H
#define LW_CONTROL_SCHEDULER_SCHEDULER_SELECT_H

#include <listwatch.h>

#include "scheduler/scheduler_cache.h"

enum {
    LW_SCHEDULER_SELECT_REASONS_MAX = 24,
    LW_SCHEDULER_SELECT_REASON_SIZE = 256,
    LW_SCHEDULER_SELECT_MESSAGE_SIZE = 1024,
};

/* Why nodes are not suitable, and how many for each reason. */
typedef struct lw_scheduler_select_reason {
    char text[LW_SCHEDULER_SELECT_REASON_SIZE];
    size_t count;
} lw_scheduler_select_reason;

typedef struct lw_scheduler_select {
    lw_node_record *node; /* NULL: none is suitable ... */
    lw_scheduler_select_reason
        /* ... for these reasons; further ones are left out. */
        reasons[LW_SCHEDULER_SELECT_REASONS_MAX];
    size_t reason_count;
} lw_scheduler_select;

/* Selects a node; does not assume the pod.  LW_ERR_NOMEM. */
lw_status lw_scheduler_select_find(lw_scheduler_select *selection, lw_scheduler_cache *cache,
                                   const lw_object *pod);

/* Writes the message of the event: "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were
 * unschedulable.". */
void lw_scheduler_select_message(const lw_scheduler_select *selection,
                                 const lw_scheduler_cache *cache,
                                 char text[LW_SCHEDULER_SELECT_MESSAGE_SIZE]);

#endif
