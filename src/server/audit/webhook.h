/* SPDX-License-Identifier: Apache-2.0 */
/* webhook.h -- posts audit events to a webhook, in batches: an EventList of audit.k8s.io/v1.
 *
 *     any thread ──▶ queue ──▶ thread with a loop: batch ──▶ POST ──▶ next batch
 *                                                     └─ error: again later, then dropped
 *
 * A sender never waits: if the queue is full, the event is dropped and counted.  One batch is in
 * progress at a time, so events arrive in order.  Any error and any status other than 2xx is
 * retried: there is hardly a reason not to try again to deliver audit events. */
#ifndef LW_SERVER_AUDIT_WEBHOOK_H
#define LW_SERVER_AUDIT_WEBHOOK_H

#include <listwatch/log.h>

#include "server/audit/event.h"

enum {
    LW_AUDIT_WEBHOOK_ATTEMPTS = 5,                  /* per batch, as in kube-apiserver */
    LW_AUDIT_WEBHOOK_TIMEOUT_S = 30,                /* of one attempt */
    LW_AUDIT_WEBHOOK_STOP_S = 5,                    /* to deliver the rest when the server stops */
    LW_AUDIT_WEBHOOK_BATCH_BYTES = 8 * 1024 * 1024, /* at which a batch is full */
};

typedef struct lw_audit_webhook_options {
    const char *config_file;    /* see server/webhook/config.h */
    size_t batch_max_size;      /* events of a batch, > 0 */
    int64_t batch_max_wait_ns;  /* then a batch that is not full is sent, > 0 */
    size_t buffer_size;         /* events that wait, > 0 */
    int64_t initial_backoff_ns; /* before the first retry, > 0 */
    const lw_logger *logger;    /* may be NULL */
} lw_audit_webhook_options;

typedef struct lw_audit_webhook_stats {
    uint64_t dropped; /* events for which the queue had no room */
    uint64_t failed;  /* events that could not be delivered */
} lw_audit_webhook_stats;

typedef struct lw_audit_webhook lw_audit_webhook;

/* Reads the configuration and starts the thread.  The errors of lw_webhook_config_read; LW_ERR_IO,
 * LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_audit_webhook_new(lw_audit_webhook **out,
                                             const lw_audit_webhook_options *options,
                                             lw_error *err);

/* Delivers what is queued, within LW_AUDIT_WEBHOOK_STOP_S, and ends.  NULL does nothing. */
void lw_audit_webhook_free(lw_audit_webhook *webhook);

/* Eats |event|.  LW_ERR_LIMIT: the queue is full; this is counted already. */
lw_status lw_audit_webhook_send_take(lw_audit_webhook *webhook, lw_audit_event *event);

void lw_audit_webhook_read_stats(lw_audit_webhook *webhook, lw_audit_webhook_stats *stats);

#endif
