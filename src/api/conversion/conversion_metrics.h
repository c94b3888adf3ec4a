/* SPDX-License-Identifier: Apache-2.0 */
/* conversion_metrics.h -- counts calls of conversion webhooks, for the metrics of kube-apiserver.
 *
 * Threads: any. */
#ifndef LW_API_CONVERSION_CONVERSION_METRICS_H
#define LW_API_CONVERSION_CONVERSION_METRICS_H

#include "base/metrics/metric_set.h"

/* How a call ended: the label failure_type. */
typedef enum lw_conversion_failure {
    LW_CONVERSION_SUCCEEDED,
    LW_CONVERSION_CALL_FAILED,    /* there is no reply */
    LW_CONVERSION_MALFORMED,      /* it is not a ConversionReview, or says that it has failed */
    LW_CONVERSION_PARTIAL,        /* it has another number of objects */
    LW_CONVERSION_INVALID_OBJECT, /* an object is not what was asked for */
} lw_conversion_failure;

typedef struct lw_conversion_metrics {
    lw_metric_set requests, request_durations;
    lw_metric_set durations; /* by definition and versions */
} lw_conversion_metrics;

void lw_conversion_metrics_init(lw_conversion_metrics *metrics);
void lw_conversion_metrics_done(lw_conversion_metrics *metrics);

/* Counts a call that ended after |ns|; |crd| is the name of the definition. */
void lw_conversion_metrics_count(lw_conversion_metrics *metrics, lw_str crd, lw_str from, lw_str to,
                                 lw_conversion_failure failure, int64_t ns);

/* Appends the metrics in the text format. */
void lw_conversion_metrics_write(lw_conversion_metrics *metrics, lw_buf *out);

#endif
