/* SPDX-License-Identifier: Apache-2.0 */
/* access_webhook.h -- an authorizer that asks a webhook (kube-apiserver: mode Webhook).
 *
 *     match conditions ──no──▶ no opinion
 *       │ yes
 *       ▼
 *     the request has the answer, or the cache ──▶ allowed, denied, no opinion
 *       │ neither
 *       ▼
 *     POST SubjectAccessReview (caller.h), shared by equal requests ──▶ pending
 *
 * An error of a condition or of the webhook is the decision of the failure policy, and an error.
 * Threads: any. */
#ifndef LW_SERVER_WEBHOOK_ACCESS_WEBHOOK_H
#define LW_SERVER_WEBHOOK_ACCESS_WEBHOOK_H

#include <listwatch/log.h>

#include "api/authz/authz.h"
#include "server/webhook/access_review.h"
#include "server/webhook/caller.h"
#include "server/webhook/match_conditions.h"
#include "server/webhook/webhook_metrics.h"

enum {
    LW_ACCESS_WEBHOOK_ANSWERS_MAX = 8192, /* cached, as in kube-apiserver */
    /* Attributes that a client controls and that are longer together are not cached. */
    LW_ACCESS_WEBHOOK_CACHED_BYTES_MAX = 10000,
};

typedef struct lw_access_webhook_options {
    lw_str name;                           /* copied */
    lw_webhook_caller *caller;             /* outlives the authorizer */
    lw_webhook_transport *transport;       /* taken, even on error */
    lw_match_conditions *conditions;       /* taken, even on error; may be NULL */
    lw_webhook_metrics *metrics;           /* outlive the authorizer; may be NULL */
    int64_t timeout_ns;                    /* of one call */
    int64_t allowed_ttl_ns, denied_ttl_ns; /* 0: not cached */
    lw_review_version version;
    lw_authz_decision on_error; /* NO_OPINION or DENY */
    const lw_clock *clock;
    const lw_logger *logger; /* may be NULL */
} lw_access_webhook_options;

/* Creates the authorizer with one reference.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_access_webhook_new(lw_authz_hook **out,
                                              const lw_access_webhook_options *options);

#endif
