/* SPDX-License-Identifier: Apache-2.0 */
/* flow_metrics.c -- the metrics of flow control, with the names of kube-apiserver. */
#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/str.h"
#include "server/flowcontrol/flow_report.h"

#define PREFIX "apiserver_flowcontrol_"

/* Levels and what is known about them do not change while a metric is written: each is locked. */
typedef struct report {
    lw_flow_level **levels;
    size_t count;
    lw_buf *out;
} report;

static void begin(const report *r, const char *name, const char *type, const char *help)
{
    lw_buf_printf(r->out, "# HELP " PREFIX "%s %s\n# TYPE " PREFIX "%s %s\n", name, help, name,
                  type);
}

/* Writes a number with six decimals, independent of the locale. */
static void append_decimal(lw_buf *out, double value)
{
    int64_t millionths = (int64_t)(value * 1e6 + 0.5);
    lw_buf_printf(out, "%" PRId64 ".%06" PRId64 "\n", millionths / 1000000, millionths % 1000000);
}

typedef double (*level_value)(const lw_flow_level *level);

static void write_levels(const report *r, const char *name, level_value read, const char *help)
{
    begin(r, name, "gauge", help);
    for (size_t i = 0; i < r->count; i++) {
        lw_flow_level *level = r->levels[i];
        lw_mutex_lock(&level->mu);
        double value = read(level);
        lw_mutex_unlock(&level->mu);
        lw_buf_printf(r->out, PREFIX "%s{priority_level=\"%s\"} ", name, level->name);
        if (value == (double)(int64_t)value)
            lw_buf_printf(r->out, "%" PRId64 "\n", (int64_t)value);
        else
            append_decimal(r->out, value);
    }
}

static double read_nominal(const lw_flow_level *level)
{
    return level->nominal;
}

static double read_lower(const lw_flow_level *level)
{
    return level->lower;
}

static double read_upper(const lw_flow_level *level)
{
    return level->upper;
}

static double read_current(const lw_flow_level *level)
{
    return level->current;
}

static double read_high_watermark(const lw_flow_level *level)
{
    return (double)level->demand.high_watermark;
}

static double read_average(const lw_flow_level *level)
{
    return level->demand.average;
}

static double read_deviation(const lw_flow_level *level)
{
    return level->demand.deviation;
}

static double read_smoothed(const lw_flow_level *level)
{
    return level->demand.smoothed;
}

static double read_target(const lw_flow_level *level)
{
    return level->target;
}

static double read_current_r(const lw_flow_level *level)
{
    return (double)level->set.current_r / (double)LW_SEAT_SECOND;
}

static const struct {
    const char *name;
    level_value read;
    const char *help;
} of_levels[] = {
    { "nominal_limit_seats", read_nominal,
      "Nominal number of execution seats configured for each priority level" },
    { "lower_limit_seats", read_lower,
      "Configured lower bound on number of execution seats available to each priority level" },
    { "upper_limit_seats", read_upper,
      "Configured upper bound on number of execution seats available to each priority level" },
    { "current_limit_seats", read_current,
      "current derived number of execution seats available to each priority level" },
    { "demand_seats_high_watermark", read_high_watermark,
      "High watermark, over last adjustment period, of demand_seats" },
    { "demand_seats_average", read_average,
      "Time-weighted average, over last adjustment period, of demand_seats" },
    { "demand_seats_stdev", read_deviation,
      "Time-weighted standard deviation, over last adjustment period, of demand_seats" },
    { "demand_seats_smoothed", read_smoothed, "Smoothed seat demands" },
    { "target_seats", read_target, "Seat allocation targets" },
    { "current_r", read_current_r, "R(time of last change)" },
};

typedef uint64_t (*stats_value)(const lw_flow_stats *stats);

static void write_schemas(const report *r, const char *name, const char *type, stats_value read,
                          const char *help)
{
    begin(r, name, type, help);
    for (size_t i = 0; i < r->count; i++) {
        lw_mutex_lock(&r->levels[i]->mu);
        LW_DLIST_FOR_EACH(lw_flow_stats, stats, &r->levels[i]->stats, link)
        lw_buf_printf(r->out, PREFIX "%s{flow_schema=\"%s\",priority_level=\"%s\"} %" PRIu64 "\n",
                      name, stats->schema, r->levels[i]->name, read(stats));
        lw_mutex_unlock(&r->levels[i]->mu);
    }
}

static uint64_t read_dispatched(const lw_flow_stats *stats)
{
    return stats->dispatched;
}

static uint64_t read_waiting(const lw_flow_stats *stats)
{
    return stats->waiting_requests;
}

static uint64_t read_waiting_seats(const lw_flow_stats *stats)
{
    return stats->waiting_seats;
}

static uint64_t read_executing(const lw_flow_stats *stats)
{
    return stats->executing_requests;
}

static uint64_t read_executing_seats(const lw_flow_stats *stats)
{
    return stats->executing_seats;
}

static const struct {
    const char *name, *type;
    stats_value read;
    const char *help;
} of_schemas[] = {
    { "dispatched_requests_total", "counter", read_dispatched,
      "Number of requests executed by API Priority and Fairness subsystem" },
    { "current_inqueue_requests", "gauge", read_waiting,
      "Number of requests currently pending in queues of the API Priority and Fairness subsystem" },
    { "current_inqueue_seats", "gauge", read_waiting_seats,
      "Number of seats currently pending in queues of the API Priority and Fairness subsystem" },
    { "current_executing_requests", "gauge", read_executing,
      "Number of requests in initial (for a WATCH) or any (for a non-WATCH) execution stage in the "
      "API Priority and Fairness subsystem" },
    { "current_executing_seats", "gauge", read_executing_seats,
      "Concurrency (number of seats) occupied by the currently executing (initial stage for a "
      "WATCH, any stage otherwise) requests in the API Priority and Fairness subsystem" },
};

static void write_rejected(const report *r)
{
    static const char name[] = "rejected_requests_total";
    static const char *const reasons[] = { [LW_FLOW_REASON_QUEUE_FULL] = "queue-full",
                                           [LW_FLOW_REASON_CONCURRENCY_LIMIT] = "concurrency-limit",
                                           [LW_FLOW_REASON_TIME_OUT] = "time-out" };
    begin(r, name, "counter", "Number of requests rejected by API Priority and Fairness subsystem");
    for (size_t i = 0; i < r->count; i++) {
        lw_mutex_lock(&r->levels[i]->mu);
        LW_DLIST_FOR_EACH(lw_flow_stats, stats, &r->levels[i]->stats, link)
        {
            for (size_t reason = 0; reason < LW_FLOW_REASONS; reason++) {
                if (stats->rejected[reason] > 0)
                    lw_buf_printf(r->out,
                                  PREFIX "%s{flow_schema=\"%s\",priority_level=\"%s\",reason=\"%s\""
                                         "} %" PRIu64 "\n",
                                  name, stats->schema, r->levels[i]->name, reasons[reason],
                                  stats->rejected[reason]);
            }
        }
        lw_mutex_unlock(&r->levels[i]->mu);
    }
}

/* A histogram, or one of two that a label tells apart. */
typedef struct histogram_metric {
    const char *name, *help;
    size_t offset; /* of the lw_flow_histogram in lw_flow_stats */
    const lw_flow_buckets *buckets;
    bool is_duration;
    const char *label, *values[2]; /* NULL: there is one histogram */
} histogram_metric;

static const histogram_metric histograms[] = {
    { "request_wait_duration_seconds",
      "Length of time a request spent waiting in its queue",
      offsetof(lw_flow_stats, waits),
      &lw_flow_duration_buckets,
      true,
      "execute",
      { "false", "true" } },
    { "request_execution_seconds",
      "Duration of initial stage (for a WATCH) or any (for a non-WATCH) stage of request execution "
      "in the API Priority and Fairness subsystem",
      offsetof(lw_flow_stats, executions),
      &lw_flow_duration_buckets,
      true,
      "type",
      { "regular", "watch" } },
    { "request_queue_length_after_enqueue",
      "Length of queue in the API Priority and Fairness subsystem, as seen by each request after "
      "it is enqueued",
      offsetof(lw_flow_stats, queue_lengths),
      &lw_flow_length_buckets,
      false,
      NULL,
      { NULL, NULL } },
    { "work_estimated_seats",
      "Number of estimated seats (maximum of initial and final seats) associated with requests in "
      "API Priority and Fairness",
      offsetof(lw_flow_stats, seats),
      &lw_flow_seats_buckets,
      false,
      NULL,
      { NULL, NULL } },
};

static void write_histogram(const report *r, const histogram_metric *metric, const char *labels,
                            const lw_flow_histogram *histogram)
{
    uint64_t below = 0;
    if (histogram->count == 0)
        return;
    for (size_t i = 0; i < metric->buckets->count; i++) {
        below += histogram->counts[i];
        lw_buf_printf(r->out, PREFIX "%s_bucket{%s,le=\"%s\"} %" PRIu64 "\n", metric->name, labels,
                      metric->buckets->labels[i], below);
    }
    lw_buf_printf(r->out, PREFIX "%s_bucket{%s,le=\"+Inf\"} %" PRIu64 "\n" PREFIX "%s_sum{%s} ",
                  metric->name, labels, histogram->count, metric->name, labels);
    if (metric->is_duration)
        append_decimal(r->out, (double)histogram->sum / (double)LW_NS_PER_S);
    else
        lw_buf_printf(r->out, "%" PRId64 "\n", histogram->sum);
    lw_buf_printf(r->out, PREFIX "%s_count{%s} %" PRIu64 "\n", metric->name, labels,
                  histogram->count);
}

static void write_histograms(const report *r, const histogram_metric *metric)
{
    begin(r, metric->name, "histogram", metric->help);
    for (size_t i = 0; i < r->count; i++) {
        lw_mutex_lock(&r->levels[i]->mu);
        LW_DLIST_FOR_EACH(lw_flow_stats, stats, &r->levels[i]->stats, link)
        {
            const lw_flow_histogram *first =
                (const lw_flow_histogram *)(const void *)((const char *)stats + metric->offset);
            for (size_t k = 0; k < (metric->label ? 2 : 1); k++) {
                char labels[1024];
                (void)snprintf(labels, sizeof(labels),
                               "%s%s%s%sflow_schema=\"%s\",priority_level=\"%s\"",
                               metric->label ? metric->label : "", metric->label ? "=\"" : "",
                               metric->label ? metric->values[k] : "", metric->label ? "\"," : "",
                               stats->schema, r->levels[i]->name);
                write_histogram(r, metric, labels, &first[k]);
            }
        }
        lw_mutex_unlock(&r->levels[i]->mu);
    }
}

void lw_flow_write_metrics(lw_flow_control *control, lw_buf *out)
{
    report r = { .out = out };
    r.levels = lw_flow_control_levels(control, &r.count);
    write_rejected(&r);
    for (size_t i = 0; i < sizeof(of_schemas) / sizeof(of_schemas[0]); i++)
        write_schemas(&r, of_schemas[i].name, of_schemas[i].type, of_schemas[i].read,
                      of_schemas[i].help);
    for (size_t i = 0; i < sizeof(histograms) / sizeof(histograms[0]); i++)
        write_histograms(&r, &histograms[i]);
    for (size_t i = 0; i < sizeof(of_levels) / sizeof(of_levels[0]); i++)
        write_levels(&r, of_levels[i].name, of_levels[i].read, of_levels[i].help);
    lw_mutex_lock(&control->mu);
    double fair_fraction = control->fair_fraction;
    lw_mutex_unlock(&control->mu);
    begin(&r, "seat_fair_frac", "gauge",
          "Fair fraction of server's concurrency to allocate to each priority level that can use "
          "it");
    lw_buf_append_text(out, PREFIX "seat_fair_frac ");
    append_decimal(out, fair_fraction);
    lw_flow_levels_free(r.levels, r.count);
}
