/* SPDX-License-Identifier: Apache-2.0 */
/* hook_metrics.c -- series of calls, found by the text of their labels. */
#include "api/webhooks/hook_metrics.h"

#include "base/alloc.h"
#include "base/str.h"

enum {
    BUCKETS = 9,
    LABELS_MAX = 2048,
    NS_PER_US = 1000,
};

typedef struct series {
    lw_str labels; /* the key: a view of |text| */
    uint64_t count;
    uint64_t buckets[BUCKETS]; /* of durations; not cumulative */
    uint64_t sum_us;
    char text[];
} series;

static const struct {
    int64_t max_us;
    const char *text;
} bounds[BUCKETS] = { { 5000, "0.005" },  { 25000, "0.025" }, { 100000, "0.1" },
                      { 500000, "0.5" },  { 1000000, "1" },   { 2500000, "2.5" },
                      { 10000000, "10" }, { 25000000, "25" }, { INT64_MAX, "+Inf" } };

static const lw_map_type by_labels = LW_MAP_STR_TYPE(series, labels);

void lw_hook_metrics_init(lw_hook_metrics *metrics)
{
    lw_map *maps[] = { &metrics->requests, &metrics->durations, &metrics->rejections,
                       &metrics->fail_open };
    lw_mutex_init(&metrics->mu);
    for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
        lw_map_init(maps[i], &by_labels, lw_hash_seed_random(), LW_HOOK_SERIES_MAX);
}

static void free_all(lw_map *map)
{
    lw_map_cursor at = lw_map_begin(map);
    for (series *one; (one = lw_map_next(map, &at));)
        lw_free(one);
    lw_map_done(map);
}

void lw_hook_metrics_done(lw_hook_metrics *metrics)
{
    free_all(&metrics->requests);
    free_all(&metrics->durations);
    free_all(&metrics->rejections);
    free_all(&metrics->fail_open);
    lw_mutex_done(&metrics->mu);
}

/* Returns the series with the labels in |text|; NULL: there are too many, or no memory. */
static series *find_locked(lw_map *map, const lw_buf *text)
{
    void *replaced = NULL;
    lw_str labels = lw_buf_view(text);
    if (text->st < 0)
        return NULL;
    series *one = lw_map_get_str(map, labels);
    if (one)
        return one;
    one = lw_alloc_zero(1, sizeof(*one) + labels.len);
    if (!one)
        return NULL;
    memcpy(one->text, labels.ptr, labels.len);
    one->labels = lw_str_make(one->text, labels.len);
    if (lw_map_put(map, &one->labels, one, &replaced) < 0) {
        lw_free(one);
        return NULL;
    }
    return one;
}

static const char *type_of(const lw_hook_labels *labels)
{
    return labels->is_mutating ? "admit" : "validating";
}

static int code_of(int code)
{
    return code > LW_HOOK_CODE_MAX ? LW_HOOK_CODE_MAX : code < 0 ? 0 : code;
}

/* Adds one to the series whose labels are |text|, which is emptied. */
static series *add_locked(lw_map *map, lw_buf *text)
{
    series *one = find_locked(map, text);
    if (one)
        one->count++;
    lw_buf_reset(text);
    return one;
}

/* For each call: printf would cost more than the rest. */
static void append_labels(lw_buf *text, const lw_hook_labels *labels, const char *rejected)
{
    lw_buf_append_text(text, "name=\"");
    lw_buf_append_str(text, labels->name);
    lw_buf_append_text(text, "\",operation=\"");
    lw_buf_append_str(text, labels->operation);
    lw_buf_append_text(text, "\",rejected=\"");
    lw_buf_append_text(text, rejected);
    lw_buf_append_text(text, "\",type=\"");
    lw_buf_append_text(text, type_of(labels));
    lw_buf_append_char(text, '"');
}

void lw_hook_metrics_count(lw_hook_metrics *metrics, const lw_hook_labels *labels, bool is_rejected,
                           int code, int64_t ns)
{
    const char *rejected = is_rejected ? "true" : "false";
    int64_t us = ns > 0 ? ns / NS_PER_US : 0;
    size_t bucket = 0;
    lw_buf text;
    lw_buf_init(&text, LABELS_MAX);
    while (us > bounds[bucket].max_us)
        bucket++;
    lw_mutex_lock(&metrics->mu);
    lw_buf_append_text(&text, "code=\"");
    lw_buf_append_uint(&text, (uint64_t)code_of(code));
    lw_buf_append_text(&text, "\",");
    append_labels(&text, labels, rejected);
    (void)add_locked(&metrics->requests, &text);
    append_labels(&text, labels, rejected);
    series *durations = add_locked(&metrics->durations, &text);
    if (durations) {
        durations->buckets[bucket]++;
        durations->sum_us += (uint64_t)us;
    }
    lw_mutex_unlock(&metrics->mu);
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
    lw_buf_init(&text, LABELS_MAX);
    lw_buf_printf(&text,
                  "error_type=\"%s\",name=\"%.*s\",operation=\"%.*s\",rejection_code=\"%d\","
                  "type=\"%s\"",
                  types[why], LW_STR_ARG(labels->name), LW_STR_ARG(labels->operation),
                  code_of(code), type_of(labels));
    lw_mutex_lock(&metrics->mu);
    (void)add_locked(&metrics->rejections, &text);
    lw_mutex_unlock(&metrics->mu);
    lw_buf_done(&text);
}

void lw_hook_metrics_fail_open(lw_hook_metrics *metrics, const lw_hook_labels *labels)
{
    lw_buf text;
    lw_buf_init(&text, LABELS_MAX);
    lw_buf_printf(&text, "name=\"%.*s\",type=\"%s\"", LW_STR_ARG(labels->name), type_of(labels));
    lw_mutex_lock(&metrics->mu);
    (void)add_locked(&metrics->fail_open, &text);
    lw_mutex_unlock(&metrics->mu);
    lw_buf_done(&text);
}

static void write_counts(const lw_map *map, const char *name, const char *help, lw_buf *out)
{
    lw_map_cursor at = lw_map_begin(map);
    if (lw_map_count(map) == 0)
        return;
    lw_buf_printf(out, "# HELP %s %s\n# TYPE %s counter\n", name, help, name);
    for (const series *one; (one = lw_map_next(map, &at));)
        lw_buf_printf(out, "%s{%.*s} %llu\n", name, LW_STR_ARG(one->labels),
                      (unsigned long long)one->count);
}

static void write_durations(const lw_map *map, lw_buf *out)
{
    static const char name[] = "apiserver_admission_webhook_admission_duration_seconds";
    lw_map_cursor at = lw_map_begin(map);
    if (lw_map_count(map) == 0)
        return;
    lw_buf_printf(out,
                  "# HELP %s Duration of calls of admission webhooks, in seconds, by webhook, "
                  "operation and type.\n# TYPE %s histogram\n",
                  name, name);
    for (const series *one; (one = lw_map_next(map, &at));) {
        uint64_t below = 0;
        for (size_t i = 0; i < BUCKETS; i++) {
            below += one->buckets[i];
            lw_buf_printf(out, "%s_bucket{%.*s,le=\"%s\"} %llu\n", name, LW_STR_ARG(one->labels),
                          bounds[i].text, (unsigned long long)below);
        }
        lw_buf_printf(out, "%s_sum{%.*s} %llu.%06llu\n%s_count{%.*s} %llu\n", name,
                      LW_STR_ARG(one->labels), (unsigned long long)(one->sum_us / 1000000),
                      (unsigned long long)(one->sum_us % 1000000), name, LW_STR_ARG(one->labels),
                      (unsigned long long)one->count);
    }
}

void lw_hook_metrics_write(lw_hook_metrics *metrics, lw_buf *out)
{
    lw_mutex_lock(&metrics->mu);
    write_durations(&metrics->durations, out);
    write_counts(&metrics->requests, "apiserver_admission_webhook_request_total",
                 "Number of calls of admission webhooks, by webhook, status code, operation and "
                 "type.",
                 out);
    write_counts(&metrics->rejections, "apiserver_admission_webhook_rejection_count",
                 "Number of requests that admission webhooks rejected, by webhook, operation, type "
                 "and error.",
                 out);
    write_counts(&metrics->fail_open, "apiserver_admission_webhook_fail_open_count",
                 "Number of calls of admission webhooks that failed and were ignored by their "
                 "failurePolicy.",
                 out);
    lw_mutex_unlock(&metrics->mu);
}
