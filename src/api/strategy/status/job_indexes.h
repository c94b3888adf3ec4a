/* SPDX-License-Identifier: Apache-2.0 */
/* job_indexes.h -- validates completedIndexes and failedIndexes of a Job: "0,2-4,7". */
#ifndef LW_API_STRATEGY_STATUS_JOB_INDEXES_H
#define LW_API_STRATEGY_STATUS_JOB_INDEXES_H

#include "object/api_errors.h"
#include "json/tree.h"

/* Checks the indexes that differ between |status| and |old|: their form, their order, that the job
 * has them, and that none has both completed and failed. */
void lw_job_indexes_validate(const lw_node *spec, const lw_node *status, const lw_node *old,
                             lw_api_status *errors);

#endif
