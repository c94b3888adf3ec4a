/* SPDX-License-Identifier: Apache-2.0 */
/* async_internal.h -- the structs of async.h, for the files that run and start requests. */
#ifndef LW_CLIENT_ASYNC_INTERNAL_H
#define LW_CLIENT_ASYNC_INTERNAL_H

#include <listwatch/async.h>

#include "client/session_internal.h"

enum {
    LW_ASYNC_REQUESTS_MAX = LW_TRANSPORT_TRANSFERS_MAX,
};

struct lw_async {
    lw_client *client; /* a reference */
    lw_session *session;
    int epoll_fd; /* the session, and what cancels it */
    lw_dlist requests;
    size_t count;
};

/* One of |call| and |find| is set as long as the session has the request. */
struct lw_request {
    lw_dlist_node node; /* in the lw_async */
    lw_async *async;
    lw_result_fn on_result;
    void *arg;
    lw_session_call *call;
    lw_session_find *find;
    lw_object_list *list; /* of a list: the objects so far */
    lw_bytes_fn on_bytes; /* of a raw request */
    void *bytes_arg;
};

/* async.c: makes a request that is not started; it is in no list yet. */
lw_status lw_request__new(lw_request **out, lw_async *async, lw_result_fn on_result, void *arg,
                          lw_error *err);

/* async.c: after starting it: adds it to the lw_async, or frees it if |st| is a failure. */
lw_status lw_request__started(lw_request *request, lw_status st, lw_request **out);

/* async.c: ends the request and calls its callback; the session does not have it any more.  The
 * status of |result| is LW_OK if |err| is NULL. */
void lw_request__end(lw_request *request, const lw_error *err, lw_result *result);

#endif
