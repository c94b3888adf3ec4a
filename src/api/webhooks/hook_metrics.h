/* SPDX-License-Identifier: Apache-2.0 */
/* hook_metrics.h -- counts calls of admission webhooks, for the metrics of kube-apiserver.
 *
 * Threads: any. */
#ifndef LW_API_WEBHOOKS_HOOK_METRICS_H
#define LW_API_WEBHOOKS_HOOK_METRICS_H

#include <stdbool.h>

#include "base/metrics/metric_set.h"

enum {
    LW_HOOK_CODE_MAX = 600, /* larger status codes are counted as this one */
};

/* Why a request was rejected: the label error_type. */
typedef enum lw_hook_rejection {
    LW_HOOK_REJECTED_BY_WEBHOOK,
    LW_HOOK_REJECTED_BY_FAILURE,  /* the webhook could not be called */
    LW_HOOK_REJECTED_BY_INTERNAL, /* its patch could not be applied */
} lw_hook_rejection;

typedef struct lw_hook_metrics {
    lw_metric_set requests, durations, rejections, fail_open;
} lw_hook_metrics;

/* The labels of one call. */
typedef struct lw_hook_labels {
    lw_str name;
    bool is_mutating;
    lw_str operation; /* "CREATE" */
} lw_hook_labels;

void lw_hook_metrics_init(lw_hook_metrics *metrics);
void lw_hook_metrics_done(lw_hook_metrics *metrics);

/* Counts a call that ended after |ns| with |code|. */
void lw_hook_metrics_count(lw_hook_metrics *metrics, const lw_hook_labels *labels, bool is_rejected,
                           int code, int64_t ns);
void lw_hook_metrics_reject(lw_hook_metrics *metrics, const lw_hook_labels *labels,
                            lw_hook_rejection why, int code);
void lw_hook_metrics_fail_open(lw_hook_metrics *metrics, const lw_hook_labels *labels);

/* Appends the metrics in the text format. */
void lw_hook_metrics_write(lw_hook_metrics *metrics, lw_buf *out);

#endif
