/* SPDX-License-Identifier: Apache-2.0 */
/* metric_set.c -- series by the text of their labels. */
#include "base/metrics/metric_set.h"

#include "base/alloc.h"
#include "base/str.h"

enum {
    NS_PER_US = 1000,
    US_PER_S = 1000 * 1000,
};

/* A counter is the histogram's count without its buckets. */
typedef struct series {
    lw_str labels; /* the key: a view of |text| */
    uint64_t count;
    lw_histogram *durations; /* NULL: a counter */
    char text[];
} series;

static const lw_map_type by_labels = LW_MAP_STR_TYPE(series, labels);

void lw_metric_set_init(lw_metric_set *set, lw_histogram_bounds bounds)
{
    set->bounds = bounds;
    lw_mutex_init(&set->mu);
    lw_map_init(&set->series, &by_labels, lw_hash_seed_random(), LW_METRIC_SERIES_MAX);
}

static void series_free(series *one)
{
    if (one)
        lw_free(one->durations);
    lw_free(one);
}

void lw_metric_set_done(lw_metric_set *set)
{
    lw_map_cursor at = lw_map_begin(&set->series);
    for (series *one; (one = lw_map_next(&set->series, &at));)
        series_free(one);
    lw_map_done(&set->series);
    lw_mutex_done(&set->mu);
}

static series *add_locked(lw_metric_set *set, lw_str labels)
{
    void *replaced = NULL;
    series *one = lw_alloc_zero(1, sizeof(*one) + labels.len);
    if (!one)
        return NULL;
    if (set->bounds)
        one->durations = lw_alloc_zero(1, sizeof(*one->durations));
    memcpy(one->text, labels.ptr, labels.len);
    one->labels = lw_str_make(one->text, labels.len);
    if ((set->bounds && !one->durations) ||
        lw_map_put(&set->series, &one->labels, one, &replaced) < 0) {
        series_free(one);
        return NULL;
    }
    return one;
}

/* Returns the series with |labels|; NULL: there are too many, or no memory. */
static series *find_locked(lw_metric_set *set, const lw_buf *labels)
{
    if (labels->st < 0 || labels->len == 0)
        return NULL;
    series *one = lw_map_get_str(&set->series, lw_buf_view(labels));
    return one ? one : add_locked(set, lw_buf_view(labels));
}

void lw_metric_set_count(lw_metric_set *set, const lw_buf *labels)
{
    lw_mutex_lock(&set->mu);
    series *one = find_locked(set, labels);
    if (one)
        one->count++;
    lw_mutex_unlock(&set->mu);
}

void lw_metric_set_observe(lw_metric_set *set, const lw_buf *labels, int64_t ns)
{
    lw_mutex_lock(&set->mu);
    series *one = find_locked(set, labels);
    if (one) {
        one->count++;
        lw_histogram_add(one->durations, set->bounds, ns > 0 ? (uint64_t)ns / NS_PER_US : 0);
    }
    lw_mutex_unlock(&set->mu);
}

static void write_durations(const series *one, lw_histogram_bounds bounds, const char *name,
                            lw_buf *out)
{
    uint64_t below = 0, sum = lw_counter_read(&one->durations->sum);
    for (size_t i = 0; bounds[i].text; i++) {
        below += lw_counter_read(&one->durations->counts[i]);
        lw_buf_printf(out, "%s_bucket{%.*s,le=\"%s\"} %llu\n", name, LW_STR_ARG(one->labels),
                      bounds[i].text, (unsigned long long)below);
    }
    lw_buf_printf(out,
                  "%s_bucket{%.*s,le=\"+Inf\"} %llu\n%s_sum{%.*s} %llu.%06llu\n%s_count{%.*s} "
                  "%llu\n",
                  name, LW_STR_ARG(one->labels), (unsigned long long)one->count, name,
                  LW_STR_ARG(one->labels), (unsigned long long)(sum / US_PER_S),
                  (unsigned long long)(sum % US_PER_S), name, LW_STR_ARG(one->labels),
                  (unsigned long long)one->count);
}

void lw_metric_set_write(lw_metric_set *set, const char *name, const char *help, lw_buf *out)
{
    lw_mutex_lock(&set->mu);
    lw_map_cursor at = lw_map_begin(&set->series);
    if (lw_map_count(&set->series) > 0)
        lw_buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name,
                      set->bounds ? "histogram" : "counter");
    for (const series *one; (one = lw_map_next(&set->series, &at));) {
        if (one->durations)
            write_durations(one, set->bounds, name, out);
        else
            lw_buf_printf(out, "%s{%.*s} %llu\n", name, LW_STR_ARG(one->labels),
                          (unsigned long long)one->count);
    }
    lw_mutex_unlock(&set->mu);
}
