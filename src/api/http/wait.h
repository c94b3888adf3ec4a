/* SPDX-License-Identifier: Apache-2.0 */
/* wait.h -- a call that waits until the cache is as new as the answer has to be: as the client has
 * seen it elsewhere, or as the store is. */
#ifndef LW_API_HTTP_WAIT_H
#define LW_API_HTTP_WAIT_H

#include "api/http/call.h"

enum {
    LW_CALL_WAIT_S = 3, /* seconds for a revision; then it is 504, as in kube-apiserver */
};

typedef enum lw_wait_outcome {
    LW_WAIT_REACHED,
    LW_WAIT_LATE, /* the revision did not come in time */
    LW_WAIT_GONE, /* the client went away */
    LW_WAIT_NOMEM,
    LW_WAIT_FAILED, /* the store cannot say what is newest: |err| */
} lw_wait_outcome;

/* A question to the store about which a call waits. */
typedef struct lw_wait_question lw_wait_question;

/* Part of whatever goes on afterwards; the first two are the owner's to fill in. */
typedef struct lw_call_wait {
    lw_api_call *call;
    void (*over)(struct lw_call_wait *wait, lw_wait_outcome outcome); /* may free |wait| */
    uint64_t revision;                                                /* that is waited for */
    lw_cache_wait cache_wait;
    lw_timer timer;
    lw_wait_question *question; /* NULL: none is under way */
    lw_error err;               /* of LW_WAIT_FAILED */
} lw_call_wait;

/* Calls wait->over once, perhaps at once, when the cache has reached |revision| or there is no hope
 * that it will.  Takes the handlers of the call's stream meanwhile. */
void lw_call_wait_begin(lw_call_wait *wait, uint64_t revision);

/* The same for what is newest now.  Where nobody else writes to the store that is what the cache
 * has; else the store is asked. */
void lw_call_wait_newest(lw_call_wait *wait);

/* Calls |go_on| with |call| when the cache has what is newest now, perhaps at once; or answers the
 * call. */
void lw_call_when_newest(lw_api_call *call, void (*go_on)(lw_api_call *call));

/* Answers the call, and says so, when |outcome| leaves nothing else to do: true for all but
 * LW_WAIT_REACHED.  The call is gone then. */
bool lw_call_wait_refuses(lw_call_wait *wait, lw_wait_outcome outcome);

#endif
