/* SPDX-License-Identifier: Apache-2.0 */
/* policy_metrics.h -- counts what admission policies did, for the metrics of kube-apiserver.
 *
 * Threads: any. */
#ifndef LW_API_POLICIES_POLICY_METRICS_H
#define LW_API_POLICIES_POLICY_METRICS_H

#include "base/metrics/metric_set.h"

typedef struct lw_policy_metrics {
    lw_metric_set validating_checks, validating_durations;
    lw_metric_set mutating_checks, mutating_durations;
} lw_policy_metrics;

void lw_policy_metrics_init(lw_policy_metrics *metrics);
void lw_policy_metrics_done(lw_policy_metrics *metrics);

/* A validating policy denied a request or failed, with |message|; |action| is "deny", "warn",
 * "audit", or "allow" if the failure was ignored. */
void lw_policy_metrics_validated(lw_policy_metrics *metrics, lw_str policy, lw_str binding,
                                 const char *action, lw_str message, int64_t ns);

/* A mutating policy was applied; |error| is empty if it succeeded. */
void lw_policy_metrics_mutated(lw_policy_metrics *metrics, lw_str policy, lw_str binding,
                               lw_str error, int64_t ns);

/* Appends the metrics in the text format. */
void lw_policy_metrics_write(lw_policy_metrics *metrics, lw_buf *out);

#endif
