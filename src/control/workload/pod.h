/* SPDX-License-Identifier: Apache-2.0 */
/* pod.h -- the facts of a Pod that controllers need, and the order of deletion. */
#ifndef LW_CONTROL_WORKLOAD_POD_H
#define LW_CONTROL_WORKLOAD_POD_H

#include <listwatch.h>

/* In the order of deletion. */
typedef enum lw_pod_phase {
    LW_POD_PENDING, /* or not set */
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
    int64_t ready_ns; /* since when; 0: unknown */
    int64_t ended_ns; /* when it finished, as far as known */
    int64_t created_ns;
    int64_t restarts;
    int64_t cost;       /* controller.kubernetes.io/pod-deletion-cost */
    int64_t neighbours; /* number of the sorted Pods on the same node */
} lw_pod_facts;

void lw_pod_read(lw_pod_facts *facts, const lw_object *pod);

/* True if |pod| has finished: Succeeded or Failed. */
bool lw_pod_is_over(const lw_object *pod);

/* True if it has not finished and is not being deleted. */
bool lw_pod_is_active(const lw_pod_facts *facts);

/* True if it has been ready for |min_ready_s|.  If it is ready but not long enough, sets |left_ns|
 * to the remaining time; otherwise leaves it unchanged. */
bool lw_pod_is_available(const lw_pod_facts *facts, int64_t min_ready_s, int64_t wall_ns,
                         int64_t *left_ns);

/* Sorts |count| Pods in the order of deletion, as Kubernetes does: not bound before bound, Pending
 * before Unknown before Running, not ready before ready, lower deletion cost, on nodes with more of
 * these Pods, ready for a shorter time, more restarts, newer. */
void lw_pod_sort_for_deletion(lw_pod_facts *pods, size_t count);

#endif
