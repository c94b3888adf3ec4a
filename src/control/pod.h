/* SPDX-License-Identifier: Apache-2.0 */
/* pod.h -- what a controller wants to know of a Pod, and which of several goes first. */
#ifndef LW_CONTROL_POD_H
#define LW_CONTROL_POD_H

#include <listwatch.h>

/* Whether it has ended: Succeeded or Failed. */
bool lw_pod_is_over(const lw_object *pod);

/* Whether it has not ended and is not being deleted. */
bool lw_pod_is_active(const lw_object *pod);

/* Whether its condition Ready is True; |since_ns| (may be NULL) is since when, 0: it does not say.
 */
bool lw_pod_is_ready(const lw_object *pod, int64_t *since_ns);

/* Whether it has been ready for |min_ready_s|.  |left_ns|: if it is ready but not for so long yet,
 * how long it still takes; else untouched. */
bool lw_pod_is_available(const lw_object *pod, int64_t min_ready_s, int64_t wall_ns,
                         int64_t *left_ns);

/* Orders |count| Pods so that those whose deletion hurts least come first, as Kubernetes does: not
 * bound before bound, Pending before Unknown before Running, not ready before ready, lower deletion
 * cost, on nodes with more of these Pods, ready for a shorter time, more restarts, newer.
 * LW_ERR_NOMEM. */
lw_status lw_pod_sort_for_deletion(const lw_object **pods, size_t count, lw_error *err);

#endif
