/* SPDX-License-Identifier: Apache-2.0 */
/* request_metrics.c -- counts the requests of one loop.
 *
 * Readers of other threads follow the lists only: an element is complete before it is put at the
 * head of its list, and its |next| never changes. */
#include "api/context/request_metrics.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/str.h"

enum {
    REST = LW_REQUEST_CODES - 1, /* the slot of codes that have none */
};

#define MS(ms, text)                                                                               \
    {                                                                                              \
        (uint64_t)(ms) * LW_NS_PER_MS, text                                                        \
    }
#define SLOW_BOUNDS                                                                                \
    MS(50, "0.05"), MS(100, "0.1"), MS(200, "0.2"), MS(400, "0.4"), MS(600, "0.6"),                \
        MS(800, "0.8"), MS(1000, "1"), MS(1250, "1.25"), MS(1500, "1.5"), MS(2000, "2"),           \
        MS(3000, "3"), MS(4000, "4"), MS(5000, "5"), MS(6000, "6"), MS(8000, "8"),                 \
        MS(10000, "10"), MS(15000, "15"), MS(20000, "20"), MS(30000, "30"), MS(45000, "45"),       \
        MS(60000, "60"),                                                                           \
    {                                                                                              \
        0, NULL                                                                                    \
    }

const lw_histogram_bound lw_duration_bounds[] = { MS(5, "0.005"), MS(25, "0.025"), SLOW_BOUNDS };
const lw_histogram_bound lw_sli_duration_bounds[] = { SLOW_BOUNDS };
const lw_histogram_bound lw_size_bounds[] = {
    { 1000, "1000" },      { 10000, "10000" },     { 100000, "100000" },    { 1000000, "1e+06" },
    { 10000000, "1e+07" }, { 100000000, "1e+08" }, { 1000000000, "1e+09" }, { 0, NULL },
};
const lw_histogram_bound lw_event_size_bounds[] = {
    { 1024, "1024" },   { 2048, "2048" },     { 4096, "4096" },
    { 8192, "8192" },   { 16384, "16384" },   { 32768, "32768" },
    { 65536, "65536" }, { 131072, "131072" }, { 0, NULL },
};

_Static_assert(sizeof(lw_duration_bounds) / sizeof(lw_duration_bounds[0]) <= LW_HISTOGRAM_BUCKETS,
               "a histogram has a bucket for each bound and one more");

/* The names of a resource, as a key. */
typedef struct resource_name {
    lw_str group, version, plural;
} resource_name;

/* The group and the version tell few apart that have the same plural. */
static uint64_t name_hash(const void *key, lw_hash_seed seed)
{
    return lw_hash_str(seed, ((const resource_name *)key)->plural);
}

static bool name_is(const lw_map_type *type, const void *entry, const void *key)
{
    const lw_resource_metrics *resource = entry;
    const resource_name *name = key;
    (void)type;
    return lw_str_equal(resource->plural, name->plural) &&
           lw_str_equal(resource->group, name->group) &&
           lw_str_equal(resource->version, name->version);
}

static const lw_map_type by_name = { name_hash, name_is, 0 };

void lw_request_metrics_init(lw_request_metrics *metrics)
{
    *metrics = (lw_request_metrics){ .resources = NULL };
    lw_map_init(&metrics->by_name, &by_name, lw_hash_seed_random(), LW_REQUEST_RESOURCES_MAX + 1);
}

void lw_request_metrics_done(lw_request_metrics *metrics)
{
    lw_resource_metrics *resource = atomic_load(&metrics->resources);
    while (resource) {
        lw_resource_metrics *next = resource->next;
        lw_request_series *series = atomic_load(&resource->series);
        while (series) {
            lw_request_series *after = series->next;
            lw_free(series);
            series = after;
        }
        lw_free(resource);
        resource = next;
    }
    lw_map_done(&metrics->by_name);
}

static lw_str copy_text(char **at, lw_str text)
{
    char *start = *at;
    if (text.len > 0)
        memcpy(start, text.ptr, text.len);
    *at += text.len;
    return lw_str_make(start, text.len);
}

static lw_resource_metrics *add_resource(lw_request_metrics *metrics, const resource_name *name)
{
    size_t len = name->group.len + name->version.len + name->plural.len;
    lw_resource_metrics *resource = lw_alloc_zero(1, sizeof(*resource) + len);
    void *present = NULL;
    if (!resource)
        return NULL;
    char *at = resource->text;
    resource->group = copy_text(&at, name->group);
    resource->version = copy_text(&at, name->version);
    resource->plural = copy_text(&at, name->plural);
    resource->next = atomic_load_explicit(&metrics->resources, memory_order_relaxed);
    const resource_name own = { resource->group, resource->version, resource->plural };
    if (lw_map_add(&metrics->by_name, &own, resource, &present) < 0) {
        lw_free(resource);
        return NULL;
    }
    atomic_store_explicit(&metrics->resources, resource, memory_order_release);
    return resource;
}

static lw_resource_metrics *find_resource(lw_request_metrics *metrics, resource_name name)
{
    lw_resource_metrics *found = lw_map_get(&metrics->by_name, &name);
    if (found)
        return found;
    if (name.plural.len > 0 && lw_map_count(&metrics->by_name) >= LW_REQUEST_RESOURCES_MAX)
        return find_resource(metrics, (resource_name){ .plural = LW_STR("") });
    return add_resource(metrics, &name);
}

lw_resource_metrics *lw_request_metrics_resource(lw_request_metrics *metrics, const lw_kind *kind)
{
    const resource_name none = { .plural = LW_STR("") };
    return find_resource(metrics,
                         kind ? (resource_name){ kind->group, kind->version, kind->plural } : none);
}

static bool is_same_way(const lw_request_way *a, const lw_request_way *b)
{
    return a->verb == b->verb && a->scope == b->scope && a->subresource == b->subresource &&
           a->is_dry_run == b->is_dry_run;
}

static lw_request_series *find_series(lw_resource_metrics *resource, lw_request_way way)
{
    lw_request_series *first = atomic_load_explicit(&resource->series, memory_order_relaxed);
    lw_request_series *series = first;
    while (series && !is_same_way(&series->way, &way))
        series = series->next;
    if (series)
        return series;
    series = lw_alloc_zero(1, sizeof(*series));
    if (!series)
        return NULL;
    series->next = first;
    series->resource = resource;
    series->way = way;
    atomic_store_explicit(&resource->series, series, memory_order_release);
    return series;
}

lw_request_series *lw_request_metrics_series(lw_request_metrics *metrics, const lw_kind *kind,
                                             lw_request_way way)
{
    lw_resource_metrics *resource = lw_request_metrics_resource(metrics, kind);
    return resource ? find_series(resource, way) : NULL;
}

static void count_code(lw_request_series *series, int code, uint64_t count)
{
    size_t i = code == 0 ? REST : 0;
    for (; i < REST; i++) {
        int used = atomic_load_explicit(&series->codes[i].code, memory_order_relaxed);
        if (used == 0)
            atomic_store_explicit(&series->codes[i].code, code, memory_order_relaxed);
        if (used == 0 || used == code)
            break;
    }
    lw_counter_add(&series->codes[i].count, count);
}

void lw_request_series_count(lw_request_series *series, int code, int64_t ns, int64_t queued_ns,
                             uint64_t bytes)
{
    if (!series)
        return;
    uint64_t total = ns > 0 ? (uint64_t)ns : 0;
    uint64_t queued = queued_ns > 0 ? (uint64_t)queued_ns : 0;
    count_code(series, code, 1);
    lw_histogram_add(&series->durations, lw_duration_bounds, total);
    if (series->way.verb != LW_REQUEST_WATCH)
        lw_histogram_add(&series->sli_durations, lw_sli_duration_bounds,
                         total > queued ? total - queued : 0);
    if (series->way.verb == LW_REQUEST_GET || series->way.verb == LW_REQUEST_LIST)
        lw_histogram_add(&series->sizes, lw_size_bounds, bytes);
}

static void merge_series(lw_request_series *sum, const lw_request_series *more)
{
    for (size_t i = 0; i < LW_REQUEST_CODES; i++) {
        uint64_t count = lw_counter_read(&more->codes[i].count);
        int code = atomic_load_explicit(&more->codes[i].code, memory_order_relaxed);
        if (count > 0 && (code != 0 || i == REST)) /* else it is being used for the first time */
            count_code(sum, code, count);
    }
    lw_histogram_merge(&sum->durations, &more->durations);
    lw_histogram_merge(&sum->sli_durations, &more->sli_durations);
    lw_histogram_merge(&sum->sizes, &more->sizes);
    lw_counter_add(&sum->long_running, lw_counter_read(&more->long_running));
}

static lw_status merge_resource(lw_resource_metrics *sum, const lw_resource_metrics *more)
{
    lw_counter_add(&sum->watch_events, lw_counter_read(&more->watch_events));
    lw_histogram_merge(&sum->watch_event_sizes, &more->watch_event_sizes);
    lw_counter_add(&sum->init_events, lw_counter_read(&more->init_events));
    lw_counter_add(&sum->terminated_watches, lw_counter_read(&more->terminated_watches));
    for (int i = 0; i < LW_STORE_REQUESTS; i++) {
        lw_histogram_merge(&sum->store[i].durations, &more->store[i].durations);
        lw_counter_add(&sum->store[i].errors, lw_counter_read(&more->store[i].errors));
    }
    const lw_request_series *series = atomic_load_explicit(&more->series, memory_order_acquire);
    for (; series; series = series->next) {
        lw_request_series *found = find_series(sum, series->way);
        if (!found)
            return LW_ERR_NOMEM;
        merge_series(found, series);
    }
    return LW_OK;
}

lw_status lw_request_metrics_merge(lw_request_metrics *sum, const lw_request_metrics *more)
{
    for (int i = 0; i < 2; i++)
        lw_counter_add(&sum->in_flight[i], lw_counter_read(&more->in_flight[i]));
    const lw_resource_metrics *resource =
        atomic_load_explicit(&more->resources, memory_order_acquire);
    for (; resource; resource = resource->next) {
        lw_resource_metrics *found =
            find_resource(sum,
                          (resource_name){ resource->group, resource->version, resource->plural });
        if (!found || merge_resource(found, resource) < 0)
            return LW_ERR_NOMEM;
    }
    return LW_OK;
}
