/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_pod.h -- what is so of pods and not of templates: what kube-apiserver's admission adds
 * to them, and what may still change. */
#ifndef LW_API_STRATEGY_STRATEGY_POD_H
#define LW_API_STRATEGY_STRATEGY_POD_H

#include "api/pending/pending_object.h"

/* What a new pod gets: patience with a node that is away, a priority by the classes that every
 * cluster has, and a condition when it is not to be scheduled yet.  None of it is the client's. */
void lw_pod_admit_create(lw_pending_object *pending);

/* An update that leaves the patience and the priority out keeps them. */
void lw_pod_admit_update(lw_pending_object *pending, lw_api_status *errors);

/* Adds a fault when an update changes what cannot change any more. */
void lw_pod_update_validate(const lw_pending_object *pending, lw_api_status *errors);

#endif
