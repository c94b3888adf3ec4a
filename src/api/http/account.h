/* SPDX-License-Identifier: Apache-2.0 */
/* account.h -- what a request costs: for the metrics, and for the log at debug level.
 *
 *     begin ──▶ pause ⇄ resume ──▶ answered ──▶ end
 *
 * A reply that is streamed takes the account over from its call (lw_account_move).  A watch is
 * long-running: its account ends when it begins, and lw_long_running_begin and _end count it.
 * Everything on the loop of the port. */
#ifndef LW_API_HTTP_ACCOUNT_H
#define LW_API_HTTP_ACCOUNT_H

#include "api/context/audit_id.h"
#include "api/context/port.h"

typedef struct lw_account {
    lw_api_port *port;         /* NULL: has ended, or was moved */
    lw_request_series *series; /* where it is counted; NULL: nowhere */
    int64_t started_ns;
    int64_t waited_ns; /* for the store, for the cache, for other writes of the object */
    int64_t queued_ns; /* for its turn; nothing queues requests yet */
    int64_t paused_ns; /* since when it waits; 0: it does not */
    uint64_t sent_bytes;
    int code; /* 0: not answered */
    bool is_mutating;
    char audit_id[LW_AUDIT_ID_SIZE];
} lw_account;

/* The request is complete. */
void lw_account_begin(lw_account *account, lw_api_port *port, const lw_http_stream *stream);

/* The request waits, until it resumes; a second call does nothing. */
void lw_account_pause(lw_account *account);
void lw_account_resume(lw_account *account);

/* Moves the account of a call to |to|, which is uninitialised. */
void lw_account_move(lw_account *to, lw_account *from);

/* Counts and logs the request of |stream| by |user| (may be NULL) if it was answered. */
void lw_account_end(lw_account *account, const lw_http_stream *stream, const lw_user *user);

/* Counts a watch while it is open, and when it ends as a request that took |ns|.  |series| may be
 * NULL. */
void lw_long_running_begin(lw_request_series *series);
void lw_long_running_end(lw_request_series *series, int64_t ns);

struct lw_api_call;

/* The call is answered with |code| and a body of |bytes|; in a streamed reply they come later. */
void lw_call_answered(struct lw_api_call *call, int code, uint64_t bytes);

#endif
