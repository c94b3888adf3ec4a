/* SPDX-License-Identifier: Apache-2.0 */
/* flow_seed.h -- the built-in FlowSchemas and PriorityLevelConfigurations of a new store. */
#ifndef LW_SERVER_FLOWCONTROL_FLOW_SEED_H
#define LW_SERVER_FLOWCONTROL_FLOW_SEED_H

#include "api/context/seed_batch.h"

/* Adds those that do not exist to |batch|, as flow_keeper.c leaves them when it has created them:
 * with managedFields, and FlowSchemas with their condition.  LW_ERR_NOMEM, LW_ERR_LIMIT,
 * LW_ERR_INVALID: the system clock. */
LW_MUST_CHECK lw_status lw_flow_seed(lw_seed_batch *batch);

#endif
