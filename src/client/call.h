/* SPDX-License-Identifier: Apache-2.0 */
/* call.h -- blocking calls: take a session, run it until there is a response, return the session.
 */
#ifndef LW_CLIENT_CALL_H
#define LW_CLIENT_CALL_H

#include "client/client.h"
#include "client/prepare.h"

/* The state of a blocking call. */
typedef struct lw_client_wait {
    bool is_done;
    bool is_cancelled; /* the session still has the request */
    lw_status st;
    lw_error err;
} lw_client_wait;

/* Runs the session until |wait| is done or the call is cancelled. */
void lw_client__drive(lw_session *session, lw_client_wait *wait);

/* Returns the session to the pool.  After a cancelled call, frees it together with its request. */
void lw_client__leave_session(lw_client *client, lw_session *session, const lw_client_wait *wait);

/* Returns LW_ERR_STOPPED if the client is closed, or if the reconciler or factory that runs the
 * calling thread is stopped. */
lw_status lw_client__check_cancelled(const lw_client *client, lw_error *err);

/* Ends |wait| with |err|; NULL: success. */
void lw_client__end(lw_client_wait *wait, const lw_error *err);

/* Returns the result of |wait|. */
lw_status lw_client__result(const lw_client_wait *wait, lw_error *err);

/* Sends one request and reads the response as an object into |*out| (NULL: ignores it). */
lw_status lw_client__exchange(lw_client *client, const lw_prepared *p, lw_object **out,
                              lw_error *err);

/* Starts the request |p| in |session|; it ends with |on_body| or with the on_fail of |sink|. */
lw_status lw_client__start(lw_session *session, const lw_prepared *p, lw_session_body_fn on_body,
                           const lw_source_sink *sink, lw_session_call **out, lw_error *err);

/* Runs discovery and stores the result in the cache of the client. */
lw_status lw_client__discover(lw_client *client, lw_error *err);

#endif
