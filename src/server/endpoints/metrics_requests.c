/* SPDX-License-Identifier: Apache-2.0 */
/* metrics_requests.c -- sums up what the loops have counted and writes it.
 *
 * The labels of a series are written once and copied into its lines, of which there are about sixty
 * for each series: a scrape runs on a loop that serves requests. */
#include "server/endpoints/metrics_requests.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/str.h"
#include "schema/kinds/subresource.h"
#include "server/endpoints/metrics_text.h"

enum {
    LABELS_MAX = 4096, /* bytes of the labels of a series */
};

/* One metric that is being written. */
typedef struct family {
    const lw_request_metrics *sum;
    lw_buf *out;
    const char *name;
    lw_buf labels; /* of the current series: {a="b",c="d"  */
} family;

static const lw_resource_metrics *resources_of(const family *f)
{
    return atomic_load_explicit(&f->sum->resources, memory_order_relaxed);
}

static const lw_request_series *series_of(const lw_resource_metrics *resource)
{
    return atomic_load_explicit(&resource->series, memory_order_relaxed);
}

static void line(family *f, const char *suffix, const char *label, const char *value)
{
    lw_buf_append_text(f->out, f->name);
    lw_buf_append_text(f->out, suffix);
    lw_buf_append_str(f->out, lw_buf_view(&f->labels));
    if (label) {
        lw_buf_append_char(f->out, ',');
        lw_buf_append_text(f->out, label);
        lw_buf_append_text(f->out, "=\"");
        lw_buf_append_text(f->out, value);
        lw_buf_append_char(f->out, '"');
    }
    lw_buf_append_text(f->out, "} ");
}

static void number(family *f, uint64_t value)
{
    lw_buf_append_uint(f->out, value);
    lw_buf_append_char(f->out, '\n');
}

/* Writes a histogram of seconds, counted in nanoseconds, or of bytes; nothing if it is empty. */
static void write_histogram(family *f, const lw_histogram *histogram, lw_histogram_bounds bounds,
                            bool is_seconds)
{
    uint64_t count = 0, sum = lw_counter_read(&histogram->sum);
    if (lw_histogram_count(histogram) == 0)
        return;
    size_t i = 0;
    for (; bounds[i].text; i++) {
        count += lw_counter_read(&histogram->counts[i]);
        line(f, "_bucket", "le", bounds[i].text);
        number(f, count);
    }
    count += lw_counter_read(&histogram->counts[i]);
    line(f, "_bucket", "le", "+Inf");
    number(f, count);
    line(f, "_sum", NULL, NULL);
    if (is_seconds)
        lw_buf_printf(f->out, "%" PRIu64 ".%09" PRIu64 "\n", sum / LW_NS_PER_S, sum % LW_NS_PER_S);
    else
        number(f, sum);
    line(f, "_count", NULL, NULL);
    number(f, count);
}

static const char *const verbs[] = {
    [LW_REQUEST_GET] = "GET",
    [LW_REQUEST_LIST] = "LIST",
    [LW_REQUEST_WATCH] = "WATCH",
    [LW_REQUEST_POST] = "POST",
    [LW_REQUEST_PUT] = "PUT",
    [LW_REQUEST_PATCH] = "PATCH",
    [LW_REQUEST_APPLY] = "APPLY",
    [LW_REQUEST_DELETE] = "DELETE",
    [LW_REQUEST_DELETE_COLLECTION] = "DELETECOLLECTION",
    [LW_REQUEST_OTHER] = "other",
};
static const char *const scopes[] = { "", "resource", "namespace", "cluster" };

static lw_str subresource_name(unsigned bit)
{
    const lw_subresource *sub = lw_subresources;
    while (sub->bit && sub->bit != bit)
        sub++;
    return sub->bit ? sub->name : LW_STR("");
}

static void set_series_labels(family *f, const lw_request_series *series, bool has_dry_run)
{
    const lw_resource_metrics *resource = series->resource;
    lw_str sub = subresource_name(series->way.subresource);
    lw_buf_reset(&f->labels);
    lw_buf_printf(&f->labels,
                  "{verb=\"%s\",group=\"%.*s\",version=\"%.*s\",resource=\"%.*s\","
                  "subresource=\"%.*s\",scope=\"%s\",component=\"apiserver\"",
                  verbs[series->way.verb], LW_STR_ARG(resource->group),
                  LW_STR_ARG(resource->version), LW_STR_ARG(resource->plural), LW_STR_ARG(sub),
                  scopes[series->way.scope]);
    if (has_dry_run)
        lw_buf_printf(&f->labels, ",dry_run=\"%s\"", series->way.is_dry_run ? "All" : "");
}

static void set_resource_labels(family *f, const lw_resource_metrics *resource, bool has_version)
{
    lw_buf_reset(&f->labels);
    lw_buf_printf(&f->labels, "{group=\"%.*s\"", LW_STR_ARG(resource->group));
    if (has_version)
        lw_buf_printf(&f->labels, ",version=\"%.*s\"", LW_STR_ARG(resource->version));
    lw_buf_printf(&f->labels, ",resource=\"%.*s\"", LW_STR_ARG(resource->plural));
}

static void begin_family(family *f, const char *name, const char *type, const char *help)
{
    f->name = name;
    lw_metrics_begin(f->out, name, type, help);
}

static void write_totals(family *f)
{
    begin_family(f, "apiserver_request_total", "counter",
                 "Number of requests that were answered, by status code.");
    for (const lw_resource_metrics *r = resources_of(f); r; r = r->next) {
        for (const lw_request_series *s = series_of(r); s; s = s->next) {
            set_series_labels(f, s, true);
            for (size_t i = 0; i < LW_REQUEST_CODES; i++) {
                uint64_t count = lw_counter_read(&s->codes[i].count);
                if (count == 0)
                    continue;
                char code[16] = "";
                (void)snprintf(code, sizeof(code), "%d", atomic_load(&s->codes[i].code));
                line(f, "", "code", code);
                number(f, count);
            }
        }
    }
}

/* The histograms of each series. */
typedef struct series_histogram {
    const char *name, *help;
    size_t at; /* offset of the histogram */
    lw_histogram_bounds bounds;
    bool is_seconds, has_dry_run;
} series_histogram;

static const series_histogram series_histograms[] = {
    { "apiserver_request_duration_seconds", "Time from a request to its answer, in seconds.",
      offsetof(lw_request_series, durations), lw_duration_bounds, true, true },
    { "apiserver_request_sli_duration_seconds",
      "Time from a request to its answer, without the time it was queued, in seconds.",
      offsetof(lw_request_series, sli_durations), lw_sli_duration_bounds, true, false },
    { "apiserver_response_sizes", "Size of the answers to GET and LIST, in bytes.",
      offsetof(lw_request_series, sizes), lw_size_bounds, false, false },
};

/* True if an earlier series of the resource has the same labels but for dry_run. */
static bool is_written(const lw_request_series *series, const series_histogram *h)
{
    if (h->has_dry_run)
        return false;
    const lw_request_series *s = series_of(series->resource);
    for (; s != series; s = s->next) {
        if (s->way.verb == series->way.verb && s->way.scope == series->way.scope &&
            s->way.subresource == series->way.subresource)
            return true;
    }
    return false;
}

/* The histogram of |series|, and of the one that differs from it in dry_run, if that is no label.
 */
static void add_up(lw_histogram *total, const lw_request_series *series, const series_histogram *h)
{
    for (const lw_request_series *s = series; s; s = s->next) {
        bool is_same = s == series || (!h->has_dry_run && s->way.verb == series->way.verb &&
                                       s->way.scope == series->way.scope &&
                                       s->way.subresource == series->way.subresource);
        if (is_same)
            lw_histogram_merge(total,
                               (const lw_histogram *)(const void *)((const char *)s + h->at));
    }
}

static void write_series_histograms(family *f, const series_histogram *h)
{
    begin_family(f, h->name, "histogram", h->help);
    for (const lw_resource_metrics *r = resources_of(f); r; r = r->next) {
        for (const lw_request_series *s = series_of(r); s; s = s->next) {
            lw_histogram total = { .sum = 0 };
            if (is_written(s, h))
                continue;
            add_up(&total, s, h);
            set_series_labels(f, s, h->has_dry_run);
            write_histogram(f, &total, h->bounds, h->is_seconds);
        }
    }
}

static void write_gauges(family *f)
{
    static const char *const request_kinds[] = { "readOnly", "mutating" };
    begin_family(f, "apiserver_longrunning_requests", "gauge", "Number of open watches.");
    for (const lw_resource_metrics *r = resources_of(f); r; r = r->next) {
        for (const lw_request_series *s = series_of(r); s; s = s->next) {
            if (s->way.verb != LW_REQUEST_WATCH)
                continue;
            set_series_labels(f, s, false);
            line(f, "", NULL, NULL);
            number(f, lw_counter_read(&s->long_running));
        }
    }
    begin_family(f, "apiserver_current_inflight_requests", "gauge",
                 "Number of requests in progress, without watches.");
    for (int i = 0; i < 2; i++)
        lw_buf_printf(f->out, "%s{request_kind=\"%s\"} %" PRIu64 "\n", f->name, request_kinds[i],
                      lw_counter_read(&f->sum->in_flight[i]));
}

/* Counters of each resource. */
static const struct {
    const char *name, *help;
    size_t at;
    bool has_version;
} resource_counters[] = {
    { "apiserver_watch_events_total", "Number of events sent to watches.",
      offsetof(lw_resource_metrics, watch_events), true },
    { "apiserver_init_events_total", "Number of objects sent at the start of watches.",
      offsetof(lw_resource_metrics, init_events), false },
    { "apiserver_terminated_watchers_total",
      "Number of watches that were ended because their client was too slow.",
      offsetof(lw_resource_metrics, terminated_watches), false },
};

/* Adds the counters of all versions of the resource at |r|, if it is the first of them. */
static bool sum_versions(const family *f, const lw_resource_metrics *r, size_t at, uint64_t *sum)
{
    *sum = 0;
    bool is_first = true, is_before = true;
    for (const lw_resource_metrics *other = resources_of(f); other; other = other->next) {
        if (other == r)
            is_before = false;
        if (!lw_str_equal(other->group, r->group) || !lw_str_equal(other->plural, r->plural))
            continue;
        is_first = is_first && !is_before;
        *sum += lw_counter_read((const lw_counter *)(const void *)((const char *)other + at));
    }
    return is_first;
}

static void write_resource_counters(family *f)
{
    for (size_t m = 0; m < sizeof(resource_counters) / sizeof(resource_counters[0]); m++) {
        size_t at = resource_counters[m].at;
        begin_family(f, resource_counters[m].name, "counter", resource_counters[m].help);
        for (const lw_resource_metrics *r = resources_of(f); r; r = r->next) {
            uint64_t value =
                lw_counter_read((const lw_counter *)(const void *)((const char *)r + at));
            if (r->plural.len == 0 ||
                (!resource_counters[m].has_version && !sum_versions(f, r, at, &value)))
                continue;
            set_resource_labels(f, r, resource_counters[m].has_version);
            line(f, "", NULL, NULL);
            number(f, value);
        }
    }
    begin_family(f, "apiserver_watch_events_sizes", "histogram",
                 "Size of the events sent to watches, in bytes.");
    for (const lw_resource_metrics *r = resources_of(f); r; r = r->next) {
        set_resource_labels(f, r, true);
        write_histogram(f, &r->watch_event_sizes, lw_event_size_bounds, false);
    }
}

static const char *const store_requests[] = { "create", "update", "delete" };

static void set_store_labels(family *f, const lw_resource_metrics *r, int request)
{
    lw_buf_reset(&f->labels);
    lw_buf_printf(&f->labels, "{operation=\"%s\",group=\"%.*s\",version=\"%.*s\",resource=\"%.*s\"",
                  store_requests[request], LW_STR_ARG(r->group), LW_STR_ARG(r->version),
                  LW_STR_ARG(r->plural));
}

/* Writes |name| for each operation of each resource that the store was asked to do. */
static void write_store_counters(family *f, const char *name, const char *help, bool is_errors)
{
    begin_family(f, name, "counter", help);
    for (const lw_resource_metrics *r = resources_of(f); r; r = r->next) {
        for (int i = 0; i < LW_STORE_REQUESTS; i++) {
            uint64_t count = lw_histogram_count(&r->store[i].durations);
            if (count == 0)
                continue;
            set_store_labels(f, r, i);
            line(f, "", NULL, NULL);
            number(f, is_errors ? lw_counter_read(&r->store[i].errors) : count);
        }
    }
}

static void write_store_requests(family *f)
{
    begin_family(f, "etcd_request_duration_seconds", "histogram",
                 "Time that the store (etcd or the data file) took for a change, in seconds.");
    for (const lw_resource_metrics *r = resources_of(f); r; r = r->next) {
        for (int i = 0; i < LW_STORE_REQUESTS; i++) {
            set_store_labels(f, r, i);
            write_histogram(f, &r->store[i].durations, lw_duration_bounds, true);
        }
    }
    write_store_counters(f, "etcd_requests_total",
                         "Number of changes that the store was asked for.", false);
    write_store_counters(f, "etcd_request_errors_total",
                         "Number of changes that the store could not make.", true);
}

void lw_metrics_write_requests(const lw_server_parts *parts, lw_buf *out)
{
    lw_request_metrics sum;
    lw_request_metrics_init(&sum);
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && i < parts->loops->count; i++)
        st = lw_api_add_request_metrics(parts->loops->list[i], &sum);
    family f = { .sum = &sum, .out = out };
    lw_buf_init(&f.labels, LABELS_MAX);
    if (st < 0) {
        out->st = st;
    } else {
        write_totals(&f);
        for (size_t i = 0; i < sizeof(series_histograms) / sizeof(series_histograms[0]); i++)
            write_series_histograms(&f, &series_histograms[i]);
        write_gauges(&f);
        write_resource_counters(&f);
        write_store_requests(&f);
    }
    lw_buf_done(&f.labels);
    lw_request_metrics_done(&sum);
}
