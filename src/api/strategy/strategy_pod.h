/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_pod.h -- rules for pods that do not apply to templates: kube-apiserver's admission
 * plugins for pods, and updates. */
#ifndef LW_API_STRATEGY_STRATEGY_POD_H
#define LW_API_STRATEGY_STRATEGY_POD_H

#include "api/pending/pending_object.h"

/* Prepares a new pod: default tolerations for nodes that are not ready or unreachable, the priority
 * of the built-in priority classes, and a condition if it has scheduling gates. */
void lw_pod_admit_create(lw_pending_object *pending);

/* Prepares an update: missing default tolerations and priority are kept. */
void lw_pod_admit_update(lw_pending_object *pending, lw_api_status *errors);

/* Returns the QoS class of a pod with this |spec|. */
const char *lw_pod_qos_of(const lw_node *spec);

/* The subresources ephemeralcontainers and resize (strategy_pod_part.c). */
void lw_pod_keep_part(lw_pending_object *pending, unsigned subresource);
void lw_pod_part_validate(const lw_pending_object *pending, unsigned subresource,
                          lw_api_status *errors);

/* Adds an error if an update changes a field that cannot change. */
void lw_pod_update_validate(const lw_pending_object *pending, lw_api_status *errors);

#endif
