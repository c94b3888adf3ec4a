/* SPDX-License-Identifier: Apache-2.0 */
/* caller.h -- how the dispatcher reaches webhooks, without knowing how: the server sends HTTP, a
 * test answers itself.
 *
 * Threads: an endpoint is opened and closed on any thread; a call belongs to the loop of its port.
 */
#ifndef LW_API_WEBHOOKS_CALLER_H
#define LW_API_WEBHOOKS_CALLER_H

#include "api/context/port.h"

/* clientConfig of a webhook: a URL, or a Service. */
typedef struct lw_hook_target {
    lw_str url; /* empty: the Service */
    lw_str service_ns, service_name;
    lw_str service_path; /* begins with '/'; may be empty */
    int64_t service_port;
    lw_str ca_bundle; /* PEM; empty: the system's CAs */
} lw_hook_target;

/* Where calls go; what the caller makes of a target. */
typedef struct lw_hook_endpoint lw_hook_endpoint;

typedef struct lw_hook_call lw_hook_call;
struct lw_hook_call {
    /* The owner's.  All of it stays as it is until |done|, or until the call is cancelled. */
    lw_api_port *port;
    lw_str body;
    int64_t timeout_s;   /* as the webhook is told */
    int64_t deadline_ns; /* by the clock of the loop */
    /* Once.  NULL |err|: a reply with |status|; otherwise |err| says why there is none, in words
     * that follow "failed to call webhook: ".  The views are valid until it returns.  It may free
     * the call. */
    void (*done)(lw_hook_call *call, int status, lw_str content_type, lw_str body,
                 const lw_error *err);

    void *sent; /* the caller's */
};

typedef struct lw_hook_caller {
    /* Makes an endpoint.  LW_ERR_INVALID: the URL or the CA bundle is malformed; LW_ERR_NOMEM. */
    lw_status (*open)(void *arg, const lw_hook_target *target, lw_hook_endpoint **out,
                      lw_error *err);
    void (*close)(void *arg, lw_hook_endpoint *endpoint);
    /* Starts |call|; call->done is called later, never from within, unless this fails. */
    lw_status (*start)(void *arg, lw_hook_endpoint *endpoint, lw_hook_call *call, lw_error *err);
    void (*cancel)(void *arg, lw_hook_call *call);
    /* The port ends; there are no calls.  Frees what the caller has attached to it. */
    void (*leave)(void *arg, lw_api_port *port);
    void *arg;
} lw_hook_caller;

#endif
