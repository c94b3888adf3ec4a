/* SPDX-License-Identifier: Apache-2.0 */
/* conversion_metrics.c -- the labels and bounds of kube-apiserver. */
#include "api/conversion/conversion_metrics.h"

#include "base/str.h"

static const lw_histogram_bound request_bounds[] = {
    { 5000, "0.005" },  { 10000, "0.01" },  { 20000, "0.02" },  { 50000, "0.05" },
    { 100000, "0.1" },  { 200000, "0.2" },  { 500000, "0.5" },  { 1000000, "1" },
    { 2000000, "2" },   { 5000000, "5" },   { 10000000, "10" }, { 20000000, "20" },
    { 30000000, "30" }, { 45000000, "45" }, { 60000000, "60" }, { UINT64_MAX, NULL },
};

static const lw_histogram_bound bounds[] = {
    { 1000, "0.001" },    { 2000, "0.002" },    { 4000, "0.004" },      { 8000, "0.008" },
    { 16000, "0.016" },   { 32000, "0.032" },   { 64000, "0.064" },     { 128000, "0.128" },
    { 256000, "0.256" },  { 512000, "0.512" },  { 1024000, "1.024" },   { 2048000, "2.048" },
    { 4096000, "4.096" }, { 8192000, "8.192" }, { 16384000, "16.384" }, { UINT64_MAX, NULL },
};

void lw_conversion_metrics_init(lw_conversion_metrics *metrics)
{
    lw_metric_set_init(&metrics->requests, NULL);
    lw_metric_set_init(&metrics->request_durations, request_bounds);
    lw_metric_set_init(&metrics->durations, bounds);
}

void lw_conversion_metrics_done(lw_conversion_metrics *metrics)
{
    lw_metric_set_done(&metrics->requests);
    lw_metric_set_done(&metrics->request_durations);
    lw_metric_set_done(&metrics->durations);
}

void lw_conversion_metrics_count(lw_conversion_metrics *metrics, lw_str crd, lw_str from, lw_str to,
                                 lw_conversion_failure failure, int64_t ns)
{
    static const char *const types[] = {
        [LW_CONVERSION_SUCCEEDED] = "",
        [LW_CONVERSION_CALL_FAILED] = "conversion_webhook_call_failure",
        [LW_CONVERSION_MALFORMED] = "conversion_webhook_malformed_response_failure",
        [LW_CONVERSION_PARTIAL] = "conversion_webhook_partial_response_failure",
        [LW_CONVERSION_INVALID_OBJECT] = "conversion_webhook_invalid_converted_object_failure",
    };
    bool is_success = failure == LW_CONVERSION_SUCCEEDED;
    lw_buf labels;
    lw_buf_init(&labels, LW_METRIC_LABELS_MAX);
    lw_buf_printf(&labels, "failure_type=\"%s\",result=\"%s\"", types[failure],
                  is_success ? "success" : "failure");
    lw_metric_set_count(&metrics->requests, &labels);
    lw_metric_set_observe(&metrics->request_durations, &labels, ns);
    lw_buf_reset(&labels);
    lw_buf_printf(&labels,
                  "crd_name=\"%.*s\",from_version=\"%.*s\",succeeded=\"%s\",to_version=\"%.*s\"",
                  LW_STR_ARG(crd), LW_STR_ARG(from), is_success ? "true" : "false", LW_STR_ARG(to));
    lw_metric_set_observe(&metrics->durations, &labels, ns);
    lw_buf_done(&labels);
}

void lw_conversion_metrics_write(lw_conversion_metrics *metrics, lw_buf *out)
{
    lw_metric_set_write(&metrics->requests, "apiserver_conversion_webhook_request_total",
                        "Number of calls of conversion webhooks, by result and type of failure.",
                        out);
    lw_metric_set_write(&metrics->request_durations,
                        "apiserver_conversion_webhook_duration_seconds",
                        "Duration of calls of conversion webhooks, in seconds.", out);
    lw_metric_set_write(&metrics->durations, "apiserver_crd_conversion_webhook_duration_seconds",
                        "Duration of conversions by webhooks, in seconds, by definition and "
                        "versions.",
                        out);
}
