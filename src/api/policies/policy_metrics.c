/* SPDX-License-Identifier: Apache-2.0 */
/* policy_metrics.c -- the labels and bounds of kube-apiserver. */
#include "api/policies/policy_metrics.h"

#include "base/str.h"

/* kube-apiserver's lowest bound is half a microsecond; durations are counted in whole ones. */
static const lw_histogram_bound bounds[] = {
    { 0, "5e-07" },    { 1000, "0.001" }, { 10000, "0.01" },
    { 100000, "0.1" }, { 1000000, "1" },  { UINT64_MAX, NULL },
};

void lw_policy_metrics_init(lw_policy_metrics *metrics)
{
    lw_metric_set_init(&metrics->validating_checks, NULL);
    lw_metric_set_init(&metrics->validating_durations, bounds);
    lw_metric_set_init(&metrics->mutating_checks, NULL);
    lw_metric_set_init(&metrics->mutating_durations, bounds);
}

void lw_policy_metrics_done(lw_policy_metrics *metrics)
{
    lw_metric_set_done(&metrics->validating_checks);
    lw_metric_set_done(&metrics->validating_durations);
    lw_metric_set_done(&metrics->mutating_checks);
    lw_metric_set_done(&metrics->mutating_durations);
}

/* As kube-apiserver tells them apart: by the message. */
static const char *error_type(lw_str message)
{
    static const lw_str over = LW_STR_INIT("validation failed due to running out of cost budget");
    if (lw_str_starts_with(message, LW_STR("compilation")))
        return "compile_error";
    return lw_str_starts_with(message, over) ? "out_of_budget" : "invalid_error";
}

void lw_policy_metrics_validated(lw_policy_metrics *metrics, lw_str policy, lw_str binding,
                                 const char *action, lw_str message, int64_t ns)
{
    lw_buf labels;
    lw_buf_init(&labels, LW_METRIC_LABELS_MAX);
    lw_buf_printf(&labels,
                  "enforcement_action=\"%s\",error_type=\"%s\",policy=\"%.*s\",policy_binding="
                  "\"%.*s\"",
                  action, error_type(message), LW_STR_ARG(policy), LW_STR_ARG(binding));
    lw_metric_set_count(&metrics->validating_checks, &labels);
    lw_metric_set_observe(&metrics->validating_durations, &labels, ns);
    lw_buf_done(&labels);
}

void lw_policy_metrics_mutated(lw_policy_metrics *metrics, lw_str policy, lw_str binding,
                               lw_str error, int64_t ns)
{
    lw_buf labels;
    lw_buf_init(&labels, LW_METRIC_LABELS_MAX);
    lw_buf_printf(&labels, "error_type=\"%s\",policy=\"%.*s\",policy_binding=\"%.*s\"",
                  error.len > 0 ? error_type(error) : "no_error", LW_STR_ARG(policy),
                  LW_STR_ARG(binding));
    lw_metric_set_count(&metrics->mutating_checks, &labels);
    lw_metric_set_observe(&metrics->mutating_durations, &labels, ns);
    lw_buf_done(&labels);
}

void lw_policy_metrics_write(lw_policy_metrics *metrics, lw_buf *out)
{
    lw_metric_set_write(&metrics->validating_checks,
                        "apiserver_validating_admission_policy_check_total",
                        "Number of denials and failures of validating admission policies, by "
                        "policy, binding, error and what was done.",
                        out);
    lw_metric_set_write(&metrics->validating_durations,
                        "apiserver_validating_admission_policy_check_duration_seconds",
                        "Duration of these evaluations of validating admission policies, in "
                        "seconds.",
                        out);
    lw_metric_set_write(&metrics->mutating_checks,
                        "apiserver_mutating_admission_policy_check_total",
                        "Number of evaluations of mutating admission policies, by policy, binding "
                        "and error.",
                        out);
    lw_metric_set_write(&metrics->mutating_durations,
                        "apiserver_mutating_admission_policy_check_duration_seconds",
                        "Duration of evaluations of mutating admission policies, in seconds.", out);
}
