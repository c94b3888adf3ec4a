/* SPDX-License-Identifier: Apache-2.0 */
/* pod_resources.h -- the total requests or limits of a pod. */
#ifndef LW_API_PENDING_POD_RESOURCES_H
#define LW_API_PENDING_POD_RESOURCES_H

#include "api/pending/resource_amounts.h"

typedef enum lw_pod_share {
    LW_POD_REQUESTS,
    LW_POD_LIMITS,
} lw_pod_share;

/* Adds the resources of the pod |spec| to |out|: the sum of its containers, or the largest init
 * container if that is more (sidecars run beside both); pod-level resources replace these. */
void lw_pod_resources_add(lw_amounts *out, const lw_node *spec, lw_pod_share share);

/* Like lw_pod_resources_add, plus spec.overhead. */
void lw_pod_resources_add_gross(lw_amounts *out, const lw_node *spec, lw_pod_share share);

/* Returns true if the pod has pod-level resources. */
bool lw_pod_has_own_resources(const lw_node *spec);

/* Returns the requests or limits of |container|, or NULL. */
const lw_node *lw_container_resources(const lw_node *container, lw_pod_share share);

#endif
