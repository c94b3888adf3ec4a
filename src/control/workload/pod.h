/* SPDX-License-Identifier: Apache-2.0 */
/* pod.h -- what a controller wants to know of a Pod, and which of several goes first. */
#ifndef LW_CONTROL_WORKLOAD_POD_H
#define LW_CONTROL_WORKLOAD_POD_H

#include <listwatch.h>

/* In the order in which they are given up. */
typedef enum lw_pod_phase {
    LW_POD_PENDING, /* or not said */
    LW_POD_UNKNOWN,
    LW_POD_RUNNING,
    LW_POD_SUCCEEDED,
    LW_POD_FAILED,
} lw_pod_phase;

/* Read once from one version of a Pod, which must outlive it. */
typedef struct lw_pod_facts {
    const lw_object *pod;
    lw_str node; /* "": not bound */
    lw_pod_phase phase;
    bool is_leaving; /* it is being deleted */
    bool is_ready;
    int64_t ready_ns; /* since when; 0: it does not say */
    int64_t ended_ns; /* of one that has ended: when, as well as it can be known */
    int64_t created_ns;
    int64_t restarts;
    int64_t cost;       /* controller.kubernetes.io/pod-deletion-cost */
    int64_t neighbours; /* of those that are sorted, on the same node */
} lw_pod_facts;

void lw_pod_read(lw_pod_facts *facts, const lw_object *pod);

/* Whether |pod| has ended: Succeeded or Failed. */
bool lw_pod_is_over(const lw_object *pod);

/* Whether it has not ended and is not being deleted. */
bool lw_pod_is_active(const lw_pod_facts *facts);

/* Whether it has been ready for |min_ready_s|.  |left_ns|: if it is ready but not for so long yet,
 * how long it still takes; else untouched. */
bool lw_pod_is_available(const lw_pod_facts *facts, int64_t min_ready_s, int64_t wall_ns,
                         int64_t *left_ns);

/* Orders |count| Pods so that those whose deletion hurts least come first, as Kubernetes does: not
 * bound before bound, Pending before Unknown before Running, not ready before ready, lower deletion
 * cost, on nodes with more of these Pods, ready for a shorter time, more restarts, newer. */
void lw_pod_sort_for_deletion(lw_pod_facts *pods, size_t count);

#endif
