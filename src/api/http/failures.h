/* SPDX-License-Identifier: Apache-2.0 */
/* failures.h -- refusals that several verbs give.  Each consumes the call. */
#ifndef LW_API_HTTP_FAILURES_H
#define LW_API_HTTP_FAILURES_H

#include "api/http/call.h"

/* What |err| says, found below the API; |st| is err->code. */
void lw_call_reply_error(lw_api_call *call, lw_status st, const lw_error *err);

/* The cache cannot be read at the moment because of |st|: 500 without memory, else 503. */
void lw_call_reply_unreadable(lw_api_call *call, lw_status st);
void lw_api_status_unreadable(lw_api_status *status, lw_status st);

/* An object could not be made or read because of |st|: 413 for a limit, 500 or 503 else. */
void lw_api_status_of_failure(lw_api_status *status, lw_status st);

/* |budget| is over: 422 if a schema makes the object expensive, else 413; the message names the
 * part that used up the steps. */
void lw_api_status_over_budget(lw_api_status *status, const lw_budget *budget);

/* 503, to be tried again soon. */
void lw_api_status_away(lw_api_status *status, lw_str message);

/* 504: the cache did not come to |revision| in time. */
void lw_call_reply_too_large_rv(lw_api_call *call, uint64_t revision);

/* 404: no object of the name that was asked for. */
void lw_call_reply_not_found(lw_api_call *call);

/* 400 with what |message| holds, which is left done. */
void lw_call_reply_bad_request(lw_api_call *call, lw_buf *message);

/* 500 with |message|, which is left done, and no reason: what kube-apiserver answers where nobody
 * made an answer of a failure (a resourceVersion that is none and was not checked with the options,
 * a strategic merge patch that cannot be applied). */
void lw_api_status_unclassified(lw_api_status *status, lw_buf *message);

/* 400 with what |message| holds, which is left done.  False, so that a refusal is one line. */
bool lw_failure_bad_request(lw_api_status *status, lw_buf *message);

#endif
