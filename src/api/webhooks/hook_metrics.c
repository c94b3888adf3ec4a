/* SPDX-License-Identifier: Apache-2.0 */
/* hook_metrics.c -- the labels of calls. */
#include "api/webhooks/hook_metrics.h"

#include "base/str.h"

enum {
    LABELS_USUAL = 160, /* bytes */
};

static const lw_histogram_bound bounds[] = {
    { 5000, "0.005" },  { 25000, "0.025" }, { 100000, "0.1" },
    { 500000, "0.5" },  { 1000000, "1" },   { 2500000, "2.5" },
    { 10000000, "10" }, { 25000000, "25" }, { UINT64_MAX, NULL },
};

void lw_hook_metrics_init(lw_hook_metrics *metrics)
{
    lw_metric_set_init(&metrics->requests, NULL);
    lw_metric_set_init(&metrics->durations, bounds);
    lw_metric_set_init(&metrics->rejections, NULL);
    lw_metric_set_init(&metrics->fail_open, NULL);
}

void lw_hook_metrics_done(lw_hook_metrics *metrics)
{
    lw_metric_set_done(&metrics->requests);
    lw_metric_set_done(&metrics->durations);
    lw_metric_set_done(&metrics->rejections);
    lw_metric_set_done(&metrics->fail_open);
}

static const char *type_of(const lw_hook_labels *labels)
{
    return labels->is_mutating ? "admit" : "validating";
}

static int code_of(int code)
{
    return code > LW_HOOK_CODE_MAX ? LW_HOOK_CODE_MAX : code < 0 ? 0 : code;
}

/* For each call: printf would cost more than the rest. */
static void append_labels(lw_buf *text, const lw_hook_labels *labels, bool is_rejected)
{
    lw_buf_append_str(text, LW_STR("name=\""));
    lw_buf_append_str(text, labels->name);
    lw_buf_append_str(text, LW_STR("\",operation=\""));
    lw_buf_append_str(text, labels->operation);
    lw_buf_append_str(text, is_rejected ? LW_STR("\",rejected=\"true\",type=\"")
                                        : LW_STR("\",rejected=\"false\",type=\""));
    lw_buf_append_text(text, type_of(labels));
    lw_buf_append_char(text, '"');
}

void lw_hook_metrics_count(lw_hook_metrics *metrics, const lw_hook_labels *labels, bool is_rejected,
                           int code, int64_t ns)
{
    lw_buf text;
    lw_buf_init(&text, LW_METRIC_LABELS_MAX);
    (void)lw_buf_reserve(&text, LABELS_USUAL);
    lw_buf_append_str(&text, LW_STR("code=\""));
    lw_buf_append_uint(&text, (uint64_t)code_of(code));
    lw_buf_append_str(&text, LW_STR("\","));
    size_t at = text.len;
    append_labels(&text, labels, is_rejected);
    lw_metric_set_count(&metrics->requests, &text);
    if (text.st == LW_OK) {
        const lw_buf without_code = { .data = text.data + at, .len = text.len - at };
        lw_metric_set_observe(&metrics->durations, &without_code, ns);
    }
    lw_buf_done(&text);
}

void lw_hook_metrics_reject(lw_hook_metrics *metrics, const lw_hook_labels *labels,
                            lw_hook_rejection why, int code)
{
    static const char *const types[] = {
        [LW_HOOK_REJECTED_BY_WEBHOOK] = "no_error",
        [LW_HOOK_REJECTED_BY_FAILURE] = "calling_webhook_error",
        [LW_HOOK_REJECTED_BY_INTERNAL] = "apiserver_internal_error",
    };
    lw_buf text;
    lw_buf_init(&text, LW_METRIC_LABELS_MAX);
    lw_buf_printf(&text,
                  "error_type=\"%s\",name=\"%.*s\",operation=\"%.*s\",rejection_code=\"%d\","
                  "type=\"%s\"",
                  types[why], LW_STR_ARG(labels->name), LW_STR_ARG(labels->operation),
                  code_of(code), type_of(labels));
    lw_metric_set_count(&metrics->rejections, &text);
    lw_buf_done(&text);
}

void lw_hook_metrics_fail_open(lw_hook_metrics *metrics, const lw_hook_labels *labels)
{
    lw_buf text;
    lw_buf_init(&text, LW_METRIC_LABELS_MAX);
    lw_buf_printf(&text, "name=\"%.*s\",type=\"%s\"", LW_STR_ARG(labels->name), type_of(labels));
    lw_metric_set_count(&metrics->fail_open, &text);
    lw_buf_done(&text);
}

void lw_hook_metrics_write(lw_hook_metrics *metrics, lw_buf *out)
{
    lw_metric_set_write(&metrics->durations,
                        "apiserver_admission_webhook_admission_duration_seconds",
                        "Duration of calls of admission webhooks, in seconds, by webhook, "
                        "operation and type.",
                        out);
    lw_metric_set_write(&metrics->requests, "apiserver_admission_webhook_request_total",
                        "Number of calls of admission webhooks, by webhook, status code, operation "
                        "and type.",
                        out);
    lw_metric_set_write(&metrics->rejections, "apiserver_admission_webhook_rejection_count",
                        "Number of requests that admission webhooks rejected, by webhook, "
                        "operation, type and error.",
                        out);
    lw_metric_set_write(&metrics->fail_open, "apiserver_admission_webhook_fail_open_count",
                        "Number of calls of admission webhooks that failed and were ignored by "
                        "their failurePolicy.",
                        out);
}
