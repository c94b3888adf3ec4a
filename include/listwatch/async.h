/* SPDX-License-Identifier: Apache-2.0 */
/* async.h -- the requests of client.h and raw.h without waiting: each ends with a callback, in the
 * event loop of the program.
 *
 *     lw_async *async;                              beside lw_factory_fd, lw_reconciler_fd
 *     poll(lw_async_fd(async), lw_async_timeout_ms(async))
 *     lw_async_dispatch(async)                      runs the callbacks
 *
 * An lw_async belongs to one thread at a time, and so do its requests; a client may have any number
 * of them.  No function waits for the network; a credential plugin may run when a request is sent.
 * Deadlines, retries and the rate limit are those of the blocking calls. */
#ifndef LISTWATCH_ASYNC_H
#define LISTWATCH_ASYNC_H

#include <listwatch/client.h>
#include <listwatch/raw.h>

LW_BEGIN_DECLS

/* Asynchronous requests of one thread. */
typedef struct lw_async lw_async;

/* A request in progress: valid until its callback is called, or until it is cancelled. */
typedef struct lw_request lw_request;

/* The result of a request.  What it points to is valid during the callback; to keep an object, take
 * a reference.  Members are NULL if the request has no such result. */
typedef struct lw_result {
    lw_status st;
    const lw_error *err;         /* NULL if |st| is LW_OK */
    const lw_object *object;     /* of get, create, update, patch, apply, delete */
    const lw_object_list *list;  /* of list */
    const lw_response *response; /* of raw */
    const lw_resource *resource; /* of find_resource */
} lw_result;

/* Receives the result, from lw_async_dispatch and never from the function that has started the
 * request.  The request has ended.  The callback may start and cancel requests, but must not
 * dispatch or free the lw_async. */
typedef void (*lw_result_fn)(const lw_result *result, void *arg);

/* Makes an lw_async without requests; it takes a reference to |client|.  LW_ERR_NOMEM, LW_ERR_IO.
 */
LW_MUST_CHECK LW_API lw_status lw_async_new(lw_async **out, lw_client *client, lw_error *err);

/* Cancels all requests and frees the lw_async, at once.  NULL does nothing. */
LW_API void lw_async_free(lw_async *async);

/* Returns the descriptor to poll for reading; valid as long as the lw_async. */
LW_API int lw_async_fd(const lw_async *async);

/* Returns the time after which lw_async_dispatch must be called in any case; -1: none. */
LW_API int lw_async_timeout_ms(const lw_async *async);

/* Sends and receives what is possible without waiting, and calls the callbacks of requests that
 * have ended. */
LW_API void lw_async_dispatch(lw_async *async);

/* For programs without an event loop: waits for at most |timeout_ms| (-1: without a limit) until
 * there is something to do, and dispatches once. */
LW_API void lw_async_wait(lw_async *async, int timeout_ms);

/* Returns the number of requests in progress. */
LW_API size_t lw_async_pending(const lw_async *async);

/* Cancels a request at once; its callback is not called.  A write may have been done nevertheless.
 * NULL does nothing. */
LW_API void lw_request_cancel(lw_request *request);

/* Cancels all requests: their callbacks are called with LW_ERR_STOPPED before it returns, so that
 * programs can free what belongs to them.  Requests that callbacks start are not cancelled.  Must
 * not be called from a callback. */
LW_API void lw_async_cancel_all(lw_async *async);

/* Start a request; arguments, options and errors are those of the function of client.h or raw.h
 * with the same name.  Arguments are copied.  |out| may be NULL.  On failure nothing was started
 * and |on_result| is not called; LW_ERR_STOPPED: the client is closed. */
LW_MUST_CHECK LW_API lw_status lw_async_get(lw_async *async, lw_gvr gvr, const char *ns,
                                            const char *name, const lw_get_options *options,
                                            lw_result_fn on_result, void *arg, lw_request **out,
                                            lw_error *err);
LW_MUST_CHECK LW_API lw_status lw_async_create(lw_async *async, lw_gvr gvr, const lw_object *obj,
                                               const lw_create_options *options,
                                               lw_result_fn on_result, void *arg, lw_request **out,
                                               lw_error *err);
LW_MUST_CHECK LW_API lw_status lw_async_update(lw_async *async, lw_gvr gvr, const lw_object *obj,
                                               const lw_update_options *options,
                                               lw_result_fn on_result, void *arg, lw_request **out,
                                               lw_error *err);
LW_MUST_CHECK LW_API lw_status lw_async_patch(lw_async *async, lw_gvr gvr, const char *ns,
                                              const char *name, lw_str patch,
                                              const lw_patch_options *options,
                                              lw_result_fn on_result, void *arg, lw_request **out,
                                              lw_error *err);
LW_MUST_CHECK LW_API lw_status lw_async_apply(lw_async *async, lw_gvr gvr, const char *ns,
                                              const char *name, lw_str configuration,
                                              const lw_apply_options *options,
                                              lw_result_fn on_result, void *arg, lw_request **out,
                                              lw_error *err);
LW_MUST_CHECK LW_API lw_status lw_async_delete(lw_async *async, lw_gvr gvr, const char *ns,
                                               const char *name, const lw_delete_options *options,
                                               lw_result_fn on_result, void *arg, lw_request **out,
                                               lw_error *err);
LW_MUST_CHECK LW_API lw_status lw_async_delete_collection(lw_async *async, lw_gvr gvr,
                                                          const lw_list_options *which,
                                                          const lw_delete_options *options,
                                                          lw_result_fn on_result, void *arg,
                                                          lw_request **out, lw_error *err);

/* As above, but lists one page: if the list has a continue token, pass it in the options of the
 * next request. */
LW_MUST_CHECK LW_API lw_status lw_async_list(lw_async *async, lw_gvr gvr,
                                             const lw_list_options *options, lw_result_fn on_result,
                                             void *arg, lw_request **out, lw_error *err);

/* As lw_client_raw.  The on_bytes of |options| is called from dispatch and may cancel the
 * request. */
LW_MUST_CHECK LW_API lw_status lw_async_raw(lw_async *async, const char *method, const char *path,
                                            const lw_raw_options *options, lw_result_fn on_result,
                                            void *arg, lw_request **out, lw_error *err);

/* As lw_client_find_resource. */
LW_MUST_CHECK LW_API lw_status lw_async_find_resource(lw_async *async, const char *name,
                                                      lw_result_fn on_result, void *arg,
                                                      lw_request **out, lw_error *err);

LW_END_DECLS

#endif
