/* SPDX-License-Identifier: Apache-2.0 */
/* audit.h -- records who did what: audit events of requests, as kube-apiserver has them.
 *
 *     on_head      lw_audit_begin ─▶ the policy decides: nothing, or RequestReceived is written
 *                  lw_audit_impersonate
 *     on_request   lw_audit_authorize
 *     the reply    ResponseStarted (requests that stay open), ResponseComplete: by the observer of
 *                  the stream (lw_http_observer)
 *
 * A request at level None costs the evaluation of the policy.  Without a policy there is no
 * lw_audit, and nothing here is called.
 *
 * Threads: any; the functions about a request run on the loop of its stream. */
#ifndef LW_SERVER_AUDIT_AUDIT_H
#define LW_SERVER_AUDIT_AUDIT_H

#include "api/authz/authz.h"
#include "base/random.h"
#include "net/http.h"
#include "server/audit/sink.h"
#include "server/audit/webhook.h"

typedef struct lw_audit lw_audit;

typedef struct lw_audit_options {
    const char *policy_file;
    lw_audit_sink_options sink;       /* log.path NULL: no log; log.clock is for events, too */
    lw_audit_webhook_options webhook; /* config_file NULL: none */
} lw_audit_options;

/* Reads the policy and opens the log and the webhook.  The errors of lw_audit_policy_read,
 * lw_audit_sink_new and lw_audit_webhook_new. */
LW_MUST_CHECK lw_status lw_audit_new(lw_audit **out, const lw_audit_options *options,
                                     lw_error *err);

/* Writes what is queued.  Every stream must have been freed.  NULL does nothing. */
void lw_audit_free(lw_audit *audit);

/* Begins to audit the request of |stream|, which |user| has sent; |random| is for its ID.  False:
 * the mode is strict and the event could not be written, so the request must be refused. */
LW_MUST_CHECK bool lw_audit_begin(lw_audit *audit, lw_http_stream *stream, const lw_user *user,
                                  lw_random *random);

/* The same for a request that is about to be refused because authentication has failed. */
void lw_audit_begin_unauthenticated(lw_audit *audit, lw_http_stream *stream, lw_random *random);

/* The user of the request acts as |user|.  Does nothing if the request is not audited. */
void lw_audit_impersonate(lw_http_stream *stream, const lw_user *user);

/* Notes what |authz| (NULL: everything is allowed) will decide about the request, and why.  Before
 * the request is authorized, because that may reply.  Does nothing if the request is not audited.
 */
void lw_audit_authorize(lw_http_stream *stream, lw_authz *authz, const lw_user *user);

typedef struct lw_audit_stats {
    uint64_t events;                  /* generated */
    uint64_t levels[LW_AUDIT_LEVELS]; /* requests by level */
    uint64_t rejected;                /* requests, by the mode blocking-strict */
    lw_audit_sink_stats sink;
    lw_audit_webhook_stats webhook;
} lw_audit_stats;

void lw_audit_read_stats(lw_audit *audit, lw_audit_stats *stats);

/* Appends the metrics, named as in kube-apiserver. */
void lw_audit_write_metrics(lw_audit *audit, lw_buf *out);

#endif
