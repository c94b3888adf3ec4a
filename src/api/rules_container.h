/* SPDX-License-Identifier: Apache-2.0 */
/* rules_container.h -- containers: what they leave out, and what they cannot say. */
#ifndef LW_API_RULES_CONTAINER_H
#define LW_API_RULES_CONTAINER_H

#include "api/draft.h"

/* Fills in what |container| leaves out. */
void lw_container_defaults(lw_tree *tree, lw_node *container);

/* Adds what is wrong with the containers in the list |key| of the pod's |spec|, which is at |path|.
 * |claims|, NULL if there are none, are the volumeClaimTemplates of a StatefulSet: containers may
 * mount them as volumes. */
void lw_containers_validate(const lw_node *spec, const lw_node *claims, const char *path,
                            const char *key, lw_api_status *faults);

#endif
