/* SPDX-License-Identifier: Apache-2.0 */
/* eviction.h -- eviction of a pod: a deletion that a PodDisruptionBudget can forbid. */
#ifndef LW_API_WRITE_EVICTION_H
#define LW_API_WRITE_EVICTION_H

#include "api/write/write_call.h"

/* Reads the Eviction in wc->body; false: |status| says what is wrong with it. */
bool lw_pod_eviction_read(lw_write_call *wc, lw_api_status *status);

/* Decides about the eviction: write->decide. */
lw_write_decision lw_pod_eviction_decide(lw_write *write);

#endif
