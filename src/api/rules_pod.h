/* SPDX-License-Identifier: Apache-2.0 */
/* rules_pod.h -- what is so of pods and not of templates: what kube-apiserver's admission adds to
 * them, and what may still change. */
#ifndef LW_API_RULES_POD_H
#define LW_API_RULES_POD_H

#include "api/draft.h"

/* A pod bears its node being away for five minutes, unless it says for how long. */
void lw_pod_tolerations_default(lw_tree *tree, lw_node *spec);

/* How urgent a new pod is, by the classes that every cluster has; an update keeps it. */
void lw_pod_priority_create(lw_draft *draft);
void lw_pod_priority_update(lw_draft *draft);

/* The condition of a new pod that is not to be scheduled yet. */
void lw_pod_gates_create(lw_draft *draft);

/* Adds a fault when an update changes what cannot change any more. */
void lw_pod_update_validate(const lw_draft *draft, lw_api_status *faults);

#endif
