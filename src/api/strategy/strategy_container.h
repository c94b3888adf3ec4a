/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_container.h -- defaulting and validation of containers. */
#ifndef LW_API_STRATEGY_STRATEGY_CONTAINER_H
#define LW_API_STRATEGY_STRATEGY_CONTAINER_H

#include "api/pending/pending_object.h"
#include "api/pending/text_set.h"

/* Sets the defaults of |container|. */
void lw_container_defaults(lw_tree *tree, lw_node *container);

/* Adds the errors of the containers in the list |key| of a pod's |spec|, which is at |path|;
 * |volumes| are the names of its volumes. */
void lw_containers_validate(const lw_node *spec, const char *path, const char *key,
                            const lw_text_set *volumes, lw_api_status *errors);

#endif
