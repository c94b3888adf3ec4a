/* SPDX-License-Identifier: Apache-2.0 */
/* work_estimate.h -- how many seats a request takes, as kube-apiserver 1.37 estimates it. */
#ifndef LW_SERVER_FLOWCONTROL_WORK_ESTIMATE_H
#define LW_SERVER_FLOWCONTROL_WORK_ESTIMATE_H

#include "api/http/request_info.h"
#include "server/flowcontrol/queue_set.h"

/* The objects of the resource of a request. */
typedef struct lw_work_facts {
    bool is_known; /* false: there is no such resource */
    size_t objects, object_bytes;
    size_t watches; /* those that see a change by the request */
} lw_work_facts;

typedef enum lw_work_class {
    LW_WORK_PLAIN, /* one seat, whatever the facts */
    LW_WORK_LIST,  /* a list, or a watch that begins with one */
    LW_WORK_CHANGE,
} lw_work_class;

/* Returns which facts of a request matter. */
lw_work_class lw_work_class_of(const lw_request_info *info, lw_str query);

/* Estimates a request.  A list takes a seat for every 100 kB that it holds in memory at once, at
 * most 1 MB; a change takes seats for a moment after its execution, by the number of watches.
 * |max_seats| is the limit of the priority level; 0: none. */
void lw_work_estimate(lw_flow_work *work, lw_work_class class, const lw_request_info *info,
                      lw_str query, const lw_work_facts *facts, uint32_t max_seats);

#endif
