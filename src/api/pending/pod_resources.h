/* SPDX-License-Identifier: Apache-2.0 */
/* pod_resources.h -- how much a pod asks for, or may take, altogether. */
#ifndef LW_API_PENDING_POD_RESOURCES_H
#define LW_API_PENDING_POD_RESOURCES_H

#include "api/pending/resource_amounts.h"

typedef enum lw_pod_share {
    LW_POD_REQUESTS,
    LW_POD_LIMITS,
} lw_pod_share;

/* Adds to |out| what the pod of |spec| needs: its containers together, or the largest of those that
 * run before them, if that is more (those that stay, sidecars, run beside both); what the pod says
 * of itself counts in their place. */
void lw_pod_resources_add(lw_amounts *out, const lw_node *spec, lw_pod_share share);

/* The same, and what running it costs (spec.overhead). */
void lw_pod_resources_add_gross(lw_amounts *out, const lw_node *spec, lw_pod_share share);

/* True when the pod itself, not only its containers, says how much it needs. */
bool lw_pod_has_own_resources(const lw_node *spec);

/* What |container| says; NULL: nothing. */
const lw_node *lw_container_resources(const lw_node *container, lw_pod_share share);

#endif
