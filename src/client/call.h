/* SPDX-License-Identifier: Apache-2.0 */
/* call.h -- calls that wait: take a session, drive it until there is an answer, give it back. */
#ifndef LW_CLIENT_CALL_H
#define LW_CLIENT_CALL_H

#include "client/client.h"

/* What a waiting call knows. */
typedef struct lw_client_wait {
    bool is_done;
    bool is_cancelled; /* the session still has the call */
    lw_status st;
    lw_error err;
} lw_client_wait;

/* Waits until |wait| is done, or nobody wants to wait any more. */
void lw_client__drive(lw_session *session, lw_client_wait *wait);

/* The session is not needed any more: back to the pool with it.  One that was waited for in vain is
 * freed, and the call that it has with it. */
void lw_client__leave_session(lw_client *client, lw_session *session, const lw_client_wait *wait);

/* LW_ERR_STOPPED: the client is closed, or whoever runs the calling thread is stopped. */
lw_status lw_client__check_cancelled(const lw_client *client, lw_error *err);

/* Ends |wait| with |err|; NULL: well. */
void lw_client__end(lw_client_wait *wait, const lw_error *err);

/* What |wait| ended with. */
lw_status lw_client__result(const lw_client_wait *wait, lw_error *err);

/* One request and its answer, read as an object into |*out|; NULL: it does not matter.
 * |content_type| NULL: no body. */
lw_status lw_client__exchange(lw_client *client, const char *method, const char *target,
                              const char *content_type, lw_str body, lw_object **out,
                              lw_error *err);

/* Asks the server for all it serves, into the client's cache. */
lw_status lw_client__discover(lw_client *client, lw_error *err);

#endif
