/* SPDX-License-Identifier: Apache-2.0 */
/* webhook_metrics.c -- the numbers of webhooks and their text form. */
#include "server/webhook/webhook_metrics.h"

#include "base/alloc.h"
#include "base/str.h"

static const char *const result_names[LW_WEBHOOK_RESULTS] = {
    [LW_WEBHOOK_SUCCESS] = "success",
    [LW_WEBHOOK_ERROR] = "error",
    [LW_WEBHOOK_TIMEOUT] = "timeout",
};

void lw_webhook_metrics_init(lw_webhook_metrics *metrics)
{
    lw_mutex_init(&metrics->mu);
}

void lw_webhook_metrics_done(lw_webhook_metrics *metrics)
{
    for (size_t i = 0; i < metrics->count; i++) {
        lw_free(metrics->all[i]->name);
        lw_free(metrics->all[i]);
    }
    lw_mutex_done(&metrics->mu);
}

static lw_webhook_counters *add_locked(lw_webhook_metrics *metrics, lw_str name)
{
    if (metrics->count == LW_WEBHOOK_NAMES_MAX)
        return NULL;
    lw_webhook_counters *counters = lw_alloc_zero(1, sizeof(*counters));
    if (!counters)
        return NULL;
    counters->name = lw_str_dup(name);
    if (!counters->name) {
        lw_free(counters);
        return NULL;
    }
    metrics->all[metrics->count++] = counters;
    return counters;
}

lw_webhook_counters *lw_webhook_metrics_of(lw_webhook_metrics *metrics, lw_str name)
{
    lw_webhook_counters *found = NULL;
    lw_mutex_lock(&metrics->mu);
    for (size_t i = 0; i < metrics->count && !found; i++) {
        if (lw_str_equal(lw_str_of(metrics->all[i]->name), name))
            found = metrics->all[i];
    }
    if (!found)
        found = add_locked(metrics, name);
    lw_mutex_unlock(&metrics->mu);
    return found;
}

static void write_head(lw_buf *out, const char *name, const char *type, const char *help)
{
    lw_buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void write_results(const lw_webhook_metrics *metrics, lw_buf *out)
{
    write_head(out, "apiserver_authorization_webhook_evaluations_total", "counter",
               "Calls of authorization webhooks, by name and result.");
    for (size_t i = 0; i < metrics->count; i++) {
        for (size_t k = 0; k < LW_WEBHOOK_RESULTS; k++)
            lw_buf_printf(
                out,
                "apiserver_authorization_webhook_evaluations_total{name=\"%s\",result=\"%s\"} "
                "%llu\n",
                metrics->all[i]->name, result_names[k],
                (unsigned long long)atomic_load(&metrics->all[i]->results[k]));
    }
    write_head(out, "apiserver_authorization_webhook_duration_seconds", "summary",
               "Duration of the calls of authorization webhooks.");
    for (size_t i = 0; i < metrics->count; i++) {
        for (size_t k = 0; k < LW_WEBHOOK_RESULTS; k++) {
            const lw_webhook_counters *c = metrics->all[i];
            lw_buf_printf(out,
                          "apiserver_authorization_webhook_duration_seconds_sum{name=\"%s\","
                          "result=\"%s\"} %.6f\n"
                          "apiserver_authorization_webhook_duration_seconds_count{name=\"%s\","
                          "result=\"%s\"} %llu\n",
                          c->name, result_names[k], (double)atomic_load(&c->took_us[k]) / 1e6,
                          c->name, result_names[k],
                          (unsigned long long)atomic_load(&c->results[k]));
        }
    }
    write_head(out, "apiserver_authorization_webhook_evaluations_fail_open_total", "counter",
               "Failed calls whose request was left to the next authorizer.");
    for (size_t i = 0; i < metrics->count; i++) {
        for (size_t k = LW_WEBHOOK_ERROR; k < LW_WEBHOOK_RESULTS; k++)
            lw_buf_printf(out,
                          "apiserver_authorization_webhook_evaluations_fail_open_total{name=\"%s\","
                          "result=\"%s\"} %llu\n",
                          metrics->all[i]->name, result_names[k],
                          (unsigned long long)atomic_load(&metrics->all[i]->fail_open[k]));
    }
}

static void write_decisions(const lw_webhook_metrics *metrics, lw_buf *out)
{
    write_head(out, "apiserver_authorization_decisions_total", "counter",
               "Final decisions of authorizers.");
    for (size_t i = 0; i < metrics->count; i++) {
        const lw_webhook_counters *c = metrics->all[i];
        lw_buf_printf(out,
                      "apiserver_authorization_decisions_total{decision=\"allowed\",name=\"%s\","
                      "type=\"Webhook\"} %llu\n"
                      "apiserver_authorization_decisions_total{decision=\"denied\",name=\"%s\","
                      "type=\"Webhook\"} %llu\n",
                      c->name, (unsigned long long)atomic_load(&c->allowed), c->name,
                      (unsigned long long)atomic_load(&c->denied));
    }
}

static void write_of_each(const lw_webhook_metrics *metrics, lw_buf *out)
{
    static const struct {
        const char *name, *help, *labels;
        size_t offset;
    } simple[] = {
        { "apiserver_authorization_match_condition_exclusions_total",
          "Requests that the match conditions of a webhook excluded.", "type=\"Webhook\",",
          offsetof(lw_webhook_counters, excluded) },
        { "apiserver_authorization_match_condition_evaluation_errors_total",
          "Requests for which a match condition could not be evaluated.", "type=\"Webhook\",",
          offsetof(lw_webhook_counters, condition_errors) },
        { "listwatch_authorization_webhook_cache_hits_total",
          "Requests whose answer was cached or already asked for.", "",
          offsetof(lw_webhook_counters, hits) },
        { "listwatch_authorization_webhook_cache_misses_total",
          "Requests for which the webhook was called.", "", offsetof(lw_webhook_counters, misses) },
    };
    for (size_t k = 0; k < sizeof(simple) / sizeof(simple[0]); k++) {
        write_head(out, simple[k].name, "counter", simple[k].help);
        for (size_t i = 0; i < metrics->count; i++) {
            const char *at = (const char *)metrics->all[i] + simple[k].offset;
            lw_buf_printf(out, "%s{%sname=\"%s\"} %llu\n", simple[k].name, simple[k].labels,
                          metrics->all[i]->name,
                          (unsigned long long)atomic_load(
                              (const atomic_uint_least64_t *)(const void *)at));
        }
    }
}

static void write_reloads(const lw_webhook_metrics *metrics, lw_buf *out)
{
    static const char name[] = "apiserver_authorization_config_controller_automatic_reloads_total";
    static const char last[] =
        "apiserver_authorization_config_controller_automatic_reload_last_timestamp_seconds";
    write_head(out, name, "counter", "Reloads of the file of --authorization-config.");
    lw_buf_printf(out, "%s{status=\"success\"} %llu\n%s{status=\"failure\"} %llu\n", name,
                  (unsigned long long)atomic_load(&metrics->reloads), name,
                  (unsigned long long)atomic_load(&metrics->failed_reloads));
    write_head(out, last, "gauge", "Time of the last reload.");
    lw_buf_printf(out, "%s{status=\"success\"} %lld\n%s{status=\"failure\"} %lld\n", last,
                  (long long)atomic_load(&metrics->reloaded_s), last,
                  (long long)atomic_load(&metrics->failed_s));
}

void lw_webhook_metrics_write(lw_webhook_metrics *metrics, lw_buf *out)
{
    lw_mutex_lock(&metrics->mu);
    if (metrics->count > 0) {
        write_results(metrics, out);
        write_decisions(metrics, out);
        write_of_each(metrics, out);
    }
    write_reloads(metrics, out);
    lw_mutex_unlock(&metrics->mu);
}
