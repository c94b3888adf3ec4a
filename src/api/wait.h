/* SPDX-License-Identifier: Apache-2.0 */
/* wait.h -- a call that waits until the cache is as new as the client has seen it elsewhere. */
#ifndef LW_API_WAIT_H
#define LW_API_WAIT_H

#include "api/call.h"

enum {
    LW_CALL_WAIT_S = 3, /* seconds; then it is 504, as in kube-apiserver */
};

typedef enum lw_wait_outcome {
    LW_WAIT_REACHED,
    LW_WAIT_LATE, /* the revision did not come in time */
    LW_WAIT_GONE, /* the client went away */
    LW_WAIT_NOMEM,
} lw_wait_outcome;

/* Part of whatever goes on afterwards; the first two are the owner's to fill in. */
typedef struct lw_call_wait {
    lw_api_call *call;
    void (*over)(struct lw_call_wait *wait, lw_wait_outcome outcome); /* may free |wait| */
    lw_cache_wait cache_wait;
    lw_timer timer;
} lw_call_wait;

/* Calls wait->over once, perhaps at once, when the cache has reached |revision| or there is no hope
 * that it will.  Takes the handlers of the call's stream meanwhile. */
void lw_call_wait_begin(lw_call_wait *wait, uint64_t revision);

#endif
