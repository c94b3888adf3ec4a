/* SPDX-License-Identifier: Apache-2.0 */
/* reconciler_metrics.c -- metrics of reconcilers and their work queues, with the names of client-go
 * and controller-runtime, so that their dashboards and alerts work. */
#include <listwatch/reconciler.h>

#include <string.h>

#include "base/alloc.h"
#include "base/metrics/metrics_text.h"
#include "informer/reconciler_internal.h"
#include "informer/workqueue_metrics.h"

/* As in client-go. */
const lw_histogram_bound lw_workqueue_bounds[] = {
    { 10, "1e-08" },
    { 100, "1e-07" },
    { 1000, "1e-06" },
    { 10000, "9.999999999999999e-06" },
    { 100000, "9.999999999999999e-05" },
    { 1000000, "0.001" },
    { 10000000, "0.01" },
    { 100000000, "0.1" },
    { 1000000000, "1" },
    { UINT64_C(10000000000), "10" },
    { UINT64_C(100000000000), "100" },
    { UINT64_C(1000000000000), "1000" },
    { 0, NULL },
};

/* Some of those of controller-runtime. */
const lw_histogram_bound lw_reconciler_bounds[] = {
    { 5000000, "0.005" },
    { 10000000, "0.01" },
    { 25000000, "0.025" },
    { 50000000, "0.05" },
    { 100000000, "0.1" },
    { 250000000, "0.25" },
    { 500000000, "0.5" },
    { 1000000000, "1" },
    { UINT64_C(2500000000), "2.5" },
    { UINT64_C(5000000000), "5" },
    { UINT64_C(10000000000), "10" },
    { UINT64_C(30000000000), "30" },
    { UINT64_C(60000000000), "60" },
    { 0, NULL },
};

/* The numbers of one reconciler. */
typedef struct sample {
    char *controller, *queue; /* labels, finished */
    uint64_t ends[LW_RECONCILE_ENDS];
    uint64_t active, workers;
    lw_histogram time;
    lw_workqueue_metrics work;
} sample;

static void put_labels(lw_metrics_text *t, const char *name, bool is_queue)
{
    lw_metrics_put_label(t, "controller", name);
    if (is_queue) {
        lw_metrics_put(t, ",");
        lw_metrics_put_label(t, "name", name);
    }
    (void)lw_metrics_end(t);
}

static char *make_labels(const char *name, bool is_queue)
{
    lw_metrics_text t = { NULL, 0, 0 };
    put_labels(&t, name, is_queue);
    size_t size = t.len + 1;
    char *labels = lw_alloc(size);
    if (labels) {
        t = (lw_metrics_text){ labels, size, 0 };
        put_labels(&t, name, is_queue);
    }
    return labels;
}

static bool take_sample(sample *s, lw_reconciler *reconciler)
{
    s->controller = make_labels(reconciler->name, false);
    s->queue = make_labels(reconciler->name, true);
    lw_mutex_lock(&reconciler->mu);
    memcpy(s->ends, reconciler->ends, sizeof(s->ends));
    s->active = reconciler->pending;
    s->time = reconciler->time;
    lw_mutex_unlock(&reconciler->mu);
    s->workers = reconciler->worker_count;
    lw_workqueue__metrics(reconciler->queue, &s->work);
    return s->controller && s->queue;
}

static uint64_t get_depth(const sample *s)
{
    return s->work.depth;
}

static uint64_t get_adds(const sample *s)
{
    return s->work.counts.adds;
}

static uint64_t get_retries(const sample *s)
{
    return s->work.counts.retries;
}

static uint64_t get_unfinished(const sample *s)
{
    return s->work.unfinished_ns;
}

static uint64_t get_longest(const sample *s)
{
    return s->work.longest_ns;
}

static uint64_t get_errors(const sample *s)
{
    return s->ends[LW_RECONCILE_ERROR];
}

static uint64_t get_active(const sample *s)
{
    return s->active;
}

static uint64_t get_workers(const sample *s)
{
    return s->workers;
}

typedef struct family {
    const char *name, *type, *help;
    uint64_t (*value)(const sample *s);
    bool is_queue;   /* has the labels of a queue */
    bool is_seconds; /* the value is in nanoseconds */
} family;

static const family families[] = {
    { "workqueue_depth", "gauge", "Current depth of workqueue.", get_depth, true, false },
    { "workqueue_adds_total", "counter", "Total number of adds handled by workqueue.", get_adds,
      true, false },
    { "workqueue_retries_total", "counter", "Total number of retries handled by workqueue.",
      get_retries, true, false },
    { "workqueue_unfinished_work_seconds", "gauge",
      "Seconds of work that is in progress and is not in work_duration yet, of all workers "
      "together.",
      get_unfinished, true, true },
    { "workqueue_longest_running_processor_seconds", "gauge",
      "Seconds that the longest running worker has been running.", get_longest, true, true },
    { "controller_runtime_reconcile_errors_total", "counter",
      "Total number of reconciliation errors per controller.", get_errors, false, false },
    { "controller_runtime_active_workers", "gauge",
      "Number of currently used workers per controller.", get_active, false, false },
    { "controller_runtime_max_concurrent_reconciles", "gauge",
      "Maximum number of concurrent reconciles per controller.", get_workers, false, false },
};

static void put_value(lw_metrics_text *t, const family *f, const sample *s)
{
    lw_metrics_put(t, f->name);
    lw_metrics_put(t, "{");
    lw_metrics_put(t, f->is_queue ? s->queue : s->controller);
    lw_metrics_put(t, "} ");
    if (f->is_seconds)
        lw_metrics_put_seconds(t, f->value(s));
    else
        lw_metrics_put_uint(t, f->value(s));
    lw_metrics_put(t, "\n");
}

static void put_results(lw_metrics_text *t, const sample *samples, size_t count)
{
    static const char *const results[] = { "success", "error", "requeue_after" };
    const char *name = "controller_runtime_reconcile_total";
    lw_metrics_put_head(t, name, "counter", "Total number of reconciliations per controller.");
    for (size_t i = 0; i < count; i++) {
        for (size_t end = 0; end < LW_RECONCILE_ENDS; end++) {
            lw_metrics_put(t, name);
            lw_metrics_put(t, "{");
            lw_metrics_put(t, samples[i].controller);
            lw_metrics_put(t, ",");
            lw_metrics_put_label(t, "result", results[end]);
            lw_metrics_put(t, "} ");
            lw_metrics_put_uint(t, samples[i].ends[end]);
            lw_metrics_put(t, "\n");
        }
    }
}

static void put_histograms(lw_metrics_text *t, const sample *samples, size_t count)
{
    const char *queued = "workqueue_queue_duration_seconds";
    const char *worked = "workqueue_work_duration_seconds";
    const char *reconciled = "controller_runtime_reconcile_time_seconds";
    lw_metrics_put_head(t, queued, "histogram",
                        "How long in seconds an item stays in workqueue before being requested.");
    for (size_t i = 0; i < count; i++)
        lw_metrics_put_histogram(t, queued, samples[i].queue, lw_workqueue_bounds,
                                 &samples[i].work.counts.queued);
    lw_metrics_put_head(t, worked, "histogram",
                        "How long in seconds processing an item from workqueue takes.");
    for (size_t i = 0; i < count; i++)
        lw_metrics_put_histogram(t, worked, samples[i].queue, lw_workqueue_bounds,
                                 &samples[i].work.counts.worked);
    lw_metrics_put_head(t, reconciled, "histogram",
                        "Length of time per reconciliation per controller.");
    for (size_t i = 0; i < count; i++)
        lw_metrics_put_histogram(t, reconciled, samples[i].controller, lw_reconciler_bounds,
                                 &samples[i].time);
}

static void put_all(lw_metrics_text *t, const sample *samples, size_t count)
{
    for (size_t f = 0; f < sizeof(families) / sizeof(families[0]); f++) {
        lw_metrics_put_head(t, families[f].name, families[f].type, families[f].help);
        for (size_t i = 0; i < count; i++)
            put_value(t, &families[f], &samples[i]);
    }
    put_results(t, samples, count);
    put_histograms(t, samples, count);
}

size_t lw_reconciler_metrics(lw_reconciler *const *reconcilers, size_t count, char *dst,
                             size_t size)
{
    lw_metrics_text t = { dst, size, 0 };
    sample *samples = count > 0 ? lw_alloc_zero(count, sizeof(*samples)) : NULL;
    bool is_complete = samples != NULL;
    for (size_t i = 0; samples && i < count; i++)
        is_complete = take_sample(&samples[i], reconcilers[i]) && is_complete;
    if (is_complete)
        put_all(&t, samples, count);
    for (size_t i = 0; samples && i < count; i++) {
        lw_free(samples[i].controller);
        lw_free(samples[i].queue);
    }
    lw_free(samples);
    return lw_metrics_end(&t);
}

const char *lw_reconciler_name(const lw_reconciler *reconciler)
{
    return reconciler->name;
}
