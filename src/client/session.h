/* SPDX-License-Identifier: Apache-2.0 */
/* session.h -- requests of a client under way in one thread: a transport, credentials, and what
 * they mean.
 *
 * The calls of client.h take a session and drive it until they have their answer; a factory has one
 * of its own.  One thread at a time; callbacks come from dispatch. */
#ifndef LW_CLIENT_SESSION_H
#define LW_CLIENT_SESSION_H

#include <listwatch/client.h>

#include "base/buf.h"

typedef struct lw_session lw_session;
typedef struct lw_session_call lw_session_call;

lw_status lw_session_new(lw_session **out, lw_client *client, lw_error *err);
void lw_session_free(lw_session *session);

int lw_session_fd(const lw_session *session);
int lw_session_timeout_ms(const lw_session *session);
void lw_session_dispatch(lw_session *session);

/* One answer.  A status that is no success, a broken connection, a body that is no JSON: |err| says
 * all of it (with reason, code, retry_after_s).  401 is retried once with fresh credentials, by the
 * session.  Nothing else is retried here: who asks decides. */
typedef struct lw_session_sink {
    void (*on_object)(const lw_object *obj, void *arg);           /* items of a list */
    void (*on_list)(const lw_list_metadata *metadata, void *arg); /* a page is complete: the end */
    void (*on_open)(void *arg);                                   /* a watch was accepted */
    void (*on_event)(const lw_watch_event *event, void *arg);
    void (*on_body)(lw_str body, void *arg);         /* of a plain request: the end */
    void (*on_fail)(const lw_error *err, void *arg); /* the end; NULL: a watch ended cleanly */
    void *arg;
} lw_session_sink;

/* One page of a list, or a watch, of |gvr|.  Streamed: each object as it arrives. */
lw_status lw_session_list(lw_session *session, lw_gvr gvr, const lw_list_options *options,
                          const lw_session_sink *sink, lw_session_call **out, lw_error *err);
lw_status lw_session_watch(lw_session *session, lw_gvr gvr, const lw_list_options *options,
                           const lw_session_sink *sink, lw_session_call **out, lw_error *err);

/* Any request: |target| is path and query.  The whole body is handed over (bounded). */
lw_status lw_session_send(lw_session *session, const char *method, const char *target,
                          const char *content_type, lw_str body, const lw_session_sink *sink,
                          lw_session_call **out, lw_error *err);

/* At once; nothing is called back any more. */
void lw_session_cancel(lw_session_call *call);

/* Finds a resource as lw_client_find_resource does, without waiting for the network.  |on_done| is
 * called from dispatch, once, never from within the call itself, also where the client knows the
 * answer already: with |resource| (its strings live as long as the client), or with |err|, as
 * LW_ERR_NOT_FOUND or what the requests failed with.  The find is gone then. */
typedef struct lw_session_find lw_session_find;
typedef void (*lw_session_find_fn)(const lw_resource *resource, const lw_error *err, void *arg);

lw_status lw_session_find_resource(lw_session *session, const char *name,
                                   lw_session_find_fn on_done, void *arg, lw_session_find **out,
                                   lw_error *err);
/* The same for one whose last answer was wrong: the server is asked, whatever the client knows. */
lw_status lw_session_find_resource_anew(lw_session *session, const char *name,
                                        lw_session_find_fn on_done, void *arg,
                                        lw_session_find **out, lw_error *err);
void lw_session_find_cancel(lw_session_find *find);

#endif
