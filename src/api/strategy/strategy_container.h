/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_container.h -- containers: what they leave out, and what they cannot say. */
#ifndef LW_API_STRATEGY_STRATEGY_CONTAINER_H
#define LW_API_STRATEGY_STRATEGY_CONTAINER_H

#include "api/pending/pending_object.h"
#include "api/pending/text_set.h"

/* Fills in what |container| leaves out. */
void lw_container_defaults(lw_tree *tree, lw_node *container);

/* Adds what is wrong with the containers in the list |key| of the pod's |spec|, which is at |path|
 * and whose volumes have the names |volumes|. */
void lw_containers_validate(const lw_node *spec, const char *path, const char *key,
                            const lw_text_set *volumes, lw_api_status *errors);

#endif
