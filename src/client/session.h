/* SPDX-License-Identifier: Apache-2.0 */
/* session.h -- the requests of a client in one thread: a transport and credentials.
 *
 * The calls of client.h take a session and run it until they have a response; a factory has its own
 * session.  One thread at a time; callbacks come from dispatch. */
#ifndef LW_CLIENT_SESSION_H
#define LW_CLIENT_SESSION_H

#include <listwatch/client.h>
#include <listwatch/raw.h>
#include <listwatch/sys/source.h>

#include "base/buf.h"

typedef struct lw_session lw_session;
typedef struct lw_session_call lw_session_call;

lw_status lw_session_new(lw_session **out, lw_client *client, lw_error *err);
void lw_session_free(lw_session *session);

int lw_session_fd(const lw_session *session);
int lw_session_timeout_ms(const lw_session *session);
void lw_session_dispatch(lw_session *session);

/* Writes the address of the server and a checksum of the CA that it is trusted by to |dst|,
 * shortened to |size|.  Errors of the credentials. */
lw_status lw_session_identity(lw_session *session, char *dst, size_t size, lw_error *err);

enum {
    LW_SESSION_CLUSTER_MAX = 64, /* bytes; a longer text is not a uid */
};

/* Returns what the response says about the cluster: the uid of the request's priority level, which
 * every API server with priority and fairness sends, and which no other cluster has.  Empty: not
 * known.  During the callbacks of |call|. */
const char *lw_session_call_cluster(const lw_session_call *call);

/* Start one page of a list, or a watch, of |gvr|.  Objects are delivered as they arrive.  Callbacks
 * of |sink| may be NULL.  For an error status, a broken connection or a body that is not JSON, the
 * error of on_fail has the details (reason, code, retry_after_s).  The session repeats a request
 * once with new credentials after a 401.  Nothing else is retried here: that is up to the caller.
 */
lw_status lw_session_list(lw_session *session, lw_gvr gvr, const lw_list_options *options,
                          const lw_source_sink *sink, lw_session_call **out, lw_error *err);
lw_status lw_session_watch(lw_session *session, lw_gvr gvr, const lw_list_options *options,
                           const lw_source_sink *sink, lw_session_call **out, lw_error *err);

/* The same for objects of a kind that lw_session_has_protobuf is true for: they are asked for in
 * protobuf, and in JSON if the server has no protobuf.  LW_ERR_UNSUPPORTED from on_fail: the
 * objects must be read as JSON, because they have fields that this version does not know. */
lw_status lw_session_list_protobuf(lw_session *session, lw_gvr gvr, const lw_list_options *options,
                                   const lw_source_sink *sink, lw_session_call **out,
                                   lw_error *err);
lw_status lw_session_watch_protobuf(lw_session *session, lw_gvr gvr, const lw_list_options *options,
                                    const lw_source_sink *sink, lw_session_call **out,
                                    lw_error *err);

/* Returns true if objects of this kind can be read from protobuf with |options|: it is built in,
 * and no paths are dropped or kept. */
bool lw_session_has_protobuf(const lw_resource *resource, const lw_list_options *options);

/* The end of a plain request: gets the complete body (limited in size). */
typedef void (*lw_session_body_fn)(lw_str body, void *arg);

/* The end of a raw request; the callback frees |reply|. */
typedef void (*lw_session_reply_fn)(lw_response *reply, void *arg);

/* Cancels the request; no callback is called any more. */
void lw_session_cancel(lw_session_call *call);

/* Finds a resource like lw_client_find_resource, without blocking.  |on_done| is called once, from
 * dispatch and never from the call itself, also if the client knows the resource: with |resource|
 * (its strings are valid as long as the client), or with |err|, which is LW_ERR_NOT_FOUND or the
 * error of the requests.  Afterwards the find is freed. */
typedef struct lw_session_find lw_session_find;
typedef void (*lw_session_find_fn)(const lw_resource *resource, const lw_error *err, void *arg);

lw_status lw_session_find_resource(lw_session *session, const char *name,
                                   lw_session_find_fn on_done, void *arg, lw_session_find **out,
                                   lw_error *err);
/* As lw_session_find_resource, but always asks the server, because the last result was wrong. */
lw_status lw_session_find_resource_anew(lw_session *session, const char *name,
                                        lw_session_find_fn on_done, void *arg,
                                        lw_session_find **out, lw_error *err);
void lw_session_find_cancel(lw_session_find *find);

#endif
