/* SPDX-License-Identifier: Apache-2.0 */
/* request_counts.c -- the metrics of a client, with the names of client-go. */
#include "client/request_counts.h"

#include <stdio.h>
#include <string.h>

enum {
    LABELS_SIZE = 512,
};

/* As in client-go. */
static const lw_histogram_bound bounds[] = {
    { 5000000, "0.005" },
    { 25000000, "0.025" },
    { 100000000, "0.1" },
    { 250000000, "0.25" },
    { 500000000, "0.5" },
    { 1000000000, "1" },
    { UINT64_C(2000000000), "2" },
    { UINT64_C(4000000000), "4" },
    { UINT64_C(8000000000), "8" },
    { UINT64_C(15000000000), "15" },
    { UINT64_C(30000000000), "30" },
    { UINT64_C(60000000000), "60" },
    { 0, NULL },
};

void lw_request_counts_init(lw_request_counts *counts)
{
    lw_mutex_init(&counts->mu);
    counts->count = counts->method_count = 0;
}

void lw_request_counts_done(lw_request_counts *counts)
{
    lw_mutex_done(&counts->mu);
}

static lw_request_count *count_of_locked(lw_request_counts *counts, const char *method, int status)
{
    for (size_t i = 0; i < counts->count; i++) {
        lw_request_count *one = &counts->counts[i];
        if (one->status == status && strcmp(one->method, method) == 0)
            return one;
    }
    if (counts->count == LW_REQUEST_COUNTS_MAX)
        return NULL;
    lw_request_count *fresh = &counts->counts[counts->count++];
    *fresh = (lw_request_count){ .status = status };
    (void)snprintf(fresh->method, sizeof(fresh->method), "%s", method);
    return fresh;
}

static lw_histogram *times_of_locked(lw_request_counts *counts, const char *method)
{
    for (size_t i = 0; i < counts->method_count; i++) {
        if (strcmp(counts->times[i].method, method) == 0)
            return &counts->times[i].times;
    }
    if (counts->method_count == LW_REQUEST_METHODS_MAX)
        return NULL;
    lw_request_time *fresh = &counts->times[counts->method_count++];
    (void)snprintf(fresh->method, sizeof(fresh->method), "%s", method);
    return &fresh->times; /* zeroed with the client */
}

void lw_request_counts_add(lw_request_counts *counts, const char *method, int status,
                           int64_t took_ns)
{
    char name[LW_REQUEST_METHOD_SIZE];
    (void)snprintf(name, sizeof(name), "%s", method);
    lw_mutex_lock(&counts->mu);
    lw_request_count *one = count_of_locked(counts, name, status);
    if (one)
        one->count++;
    lw_histogram *times = times_of_locked(counts, name);
    if (times)
        lw_histogram_add(times, bounds, took_ns > 0 ? (uint64_t)took_ns : 0);
    lw_mutex_unlock(&counts->mu);
}

static void write_count(lw_metrics_text *t, const lw_request_count *one, const char *host)
{
    char code[16] = "<error>";
    if (one->status > 0)
        (void)snprintf(code, sizeof(code), "%d", one->status);
    lw_metrics_put(t, "rest_client_requests_total{");
    lw_metrics_put_label(t, "code", code);
    lw_metrics_put(t, ",");
    lw_metrics_put_label(t, "host", host);
    lw_metrics_put(t, ",");
    lw_metrics_put_label(t, "method", one->method);
    lw_metrics_put(t, "} ");
    lw_metrics_put_uint(t, one->count);
    lw_metrics_put(t, "\n");
}

void lw_request_counts_write(lw_request_counts *counts, const char *host, lw_metrics_text *t)
{
    char text[LABELS_SIZE];
    lw_mutex_lock(&counts->mu);
    lw_metrics_put_head(t, "rest_client_requests_total", "counter",
                        "Number of HTTP requests, partitioned by status code, method, and host.");
    for (size_t i = 0; i < counts->count; i++)
        write_count(t, &counts->counts[i], host);
    lw_metrics_put_head(t, "rest_client_request_duration_seconds", "histogram",
                        "Request latency in seconds. Broken down by verb, and host.");
    for (size_t i = 0; i < counts->method_count; i++) {
        lw_metrics_text labels = { text, sizeof(text), 0 };
        lw_metrics_put_label(&labels, "host", host);
        lw_metrics_put(&labels, ",");
        lw_metrics_put_label(&labels, "verb", counts->times[i].method);
        if (lw_metrics_end(&labels) < sizeof(text))
            lw_metrics_put_histogram(t, "rest_client_request_duration_seconds", text, bounds,
                                     &counts->times[i].times);
    }
    lw_mutex_unlock(&counts->mu);
}
