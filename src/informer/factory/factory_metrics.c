/* SPDX-License-Identifier: Apache-2.0 */
/* factory_metrics.c -- statistics of all informers in the text format of Prometheus (version
 * 0.0.4): each metric family once, with one line per informer. */
#include "informer/factory/factory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/metrics/metrics_text.h"
#include "base/str.h"

/* The statistics of one informer. */
typedef struct sample {
    const lw_source_spec *spec;
    uint64_t number;
    lw_informer_statistics stats;
} sample;

typedef enum unit {
    UNIT_COUNT,
    UNIT_SECONDS, /* nanoseconds; negative values are skipped */
} unit;

typedef struct family {
    const char *name;
    const char *type;
    const char *help;
    unit unit;
    uint64_t (*value)(const lw_informer_statistics *stats);
    /* Families with an additional label have one row per value. */
    const char *label;
    const char *label_value;
} family;

#define STATISTIC(field)                                                                           \
    static uint64_t get_##field(const lw_informer_statistics *stats)                               \
    {                                                                                              \
        return (uint64_t)stats->field;                                                             \
    }

STATISTIC(is_synced)
STATISTIC(objects)
STATISTIC(bytes)
STATISTIC(lists)
STATISTIC(relists)
STATISTIC(watches)
STATISTIC(adds)
STATISTIC(updates)
STATISTIC(deletes)
STATISTIC(bookmarks)
STATISTIC(errors)
STATISTIC(bytes_received)
STATISTIC(last_byte_age_ns)
STATISTIC(sync_ns)
STATISTIC(revision)
STATISTIC(queue_depth)
STATISTIC(handler_depth)
STATISTIC(handler_merged)

/* Rows of one family are adjacent. */
static const family families[] = {
    { "listwatch_informer_synced", "gauge", "1 if the cache has synced, otherwise 0.", UNIT_COUNT,
      get_is_synced, NULL, NULL },
    { "listwatch_informer_objects", "gauge", "Objects in the cache.", UNIT_COUNT, get_objects, NULL,
      NULL },
    { "listwatch_informer_cache_bytes", "gauge",
      "Memory used by the objects in the cache, in bytes.", UNIT_COUNT, get_bytes, NULL, NULL },
    { "listwatch_informer_lists_total", "counter", "Number of list requests, including the first.",
      UNIT_COUNT, get_lists, NULL, NULL },
    { "listwatch_informer_relists_total", "counter",
      "Number of list requests made because a watch could not be resumed.", UNIT_COUNT, get_relists,
      NULL, NULL },
    { "listwatch_informer_watches_total", "counter", "Number of watches that were opened.",
      UNIT_COUNT, get_watches, NULL, NULL },
    { "listwatch_informer_events_total", "counter",
      "Number of events received from watches, by type.", UNIT_COUNT, get_adds, "type", "added" },
    { "listwatch_informer_events_total", NULL, NULL, UNIT_COUNT, get_updates, "type", "modified" },
    { "listwatch_informer_events_total", NULL, NULL, UNIT_COUNT, get_deletes, "type", "deleted" },
    { "listwatch_informer_events_total", NULL, NULL, UNIT_COUNT, get_bookmarks, "type",
      "bookmark" },
    { "listwatch_informer_errors_total", "counter",
      "Number of list and watch requests that failed.", UNIT_COUNT, get_errors, NULL, NULL },
    { "listwatch_informer_received_bytes_total", "counter",
      "Size of the received objects in bytes, as stored in the cache.", UNIT_COUNT,
      get_bytes_received, NULL, NULL },
    { "listwatch_informer_last_byte_age_seconds", "gauge",
      "Seconds since data was last received from the server.", UNIT_SECONDS, get_last_byte_age_ns,
      NULL, NULL },
    { "listwatch_informer_sync_duration_seconds", "gauge",
      "Seconds from the start of the informer until it was synced.", UNIT_SECONDS, get_sync_ns,
      NULL, NULL },
    { "listwatch_informer_resource_version", "gauge",
      "Resource version up to which the cache is complete.", UNIT_COUNT, get_revision, NULL, NULL },
    { "listwatch_informer_queue_depth", "gauge", "Number of changes that are queued for the cache.",
      UNIT_COUNT, get_queue_depth, NULL, NULL },
    { "listwatch_informer_handler_depth", "gauge",
      "Number of events that are queued for the slowest handler.", UNIT_COUNT, get_handler_depth,
      NULL, NULL },
    { "listwatch_informer_handler_merged_total", "counter",
      "Number of events that were merged for slow handlers.", UNIT_COUNT, get_handler_merged, NULL,
      NULL },
};

static void put_labels(lw_metrics_text *t, const sample *s, const char *label,
                       const char *label_value)
{
    char number[24];
    (void)snprintf(number, sizeof(number), "%" PRIu64, s->number);
    lw_metrics_put(t, "{");
    lw_metrics_put_label(t, "informer", number);
    lw_metrics_put(t, ",");
    lw_metrics_put_label(t, "resource", s->spec->resource);
    lw_metrics_put(t, ",");
    lw_metrics_put_label(t, "namespace", s->spec->ns);
    if (label) {
        lw_metrics_put(t, ",");
        lw_metrics_put_label(t, label, label_value);
    }
    lw_metrics_put(t, "} ");
}

static void put_sample(lw_metrics_text *t, const family *f, const sample *s)
{
    uint64_t value = f->value(&s->stats);
    if (f->unit == UNIT_SECONDS && value > INT64_MAX)
        return; /* -1: no value yet */
    lw_metrics_put(t, f->name);
    put_labels(t, s, f->label, f->label_value);
    if (f->unit == UNIT_SECONDS)
        lw_metrics_put_seconds(t, value);
    else
        lw_metrics_put_uint(t, value);
    lw_metrics_put(t, "\n");
}

/* The reason of the last relist, as a label of a constant: the usual way to export a state. */
static void put_relist_reasons(lw_metrics_text *t, const sample *samples, size_t count)
{
    const char *name = "listwatch_informer_last_relist_info";
    lw_metrics_put_head(t, name, "gauge", "Reason of the last relist.");
    for (size_t i = 0; i < count; i++) {
        lw_metrics_put(t, name);
        put_labels(t, &samples[i], "reason",
                   lw_relist_reason_name(samples[i].stats.last_relist_reason));
        lw_metrics_put(t, "1\n");
    }
}

static void put_all(lw_metrics_text *t, const sample *samples, size_t count)
{
    for (size_t f = 0; f < sizeof(families) / sizeof(families[0]); f++) {
        if (families[f].type)
            lw_metrics_put_head(t, families[f].name, families[f].type, families[f].help);
        for (size_t i = 0; i < count; i++)
            put_sample(t, &families[f], &samples[i]);
    }
    put_relist_reasons(t, samples, count);
}

static size_t write_locked(const lw_factory *factory, lw_metrics_text *t)
{
    size_t count = 0;
    LW_DLIST_FOR_EACH(lw_informer, informer, &factory->informers, link)
    count++;
    sample *samples = lw_alloc_zero(count, sizeof(*samples));
    if (!samples)
        return 0;
    size_t i = 0;
    LW_DLIST_FOR_EACH(lw_informer, informer, &factory->informers, link)
    {
        samples[i].spec = &informer->key.spec;
        samples[i].number = informer->number;
        lw_informer_stats(informer, &samples[i++].stats);
    }
    put_all(t, samples, count);
    lw_free(samples);
    return t->len;
}

size_t lw_factory_metrics(const lw_factory *factory, char *dst, size_t size)
{
    lw_metrics_text t = { dst, size, 0 };
    /* Reading changes only the lock. */
    lw_mutex *mu = &((lw_factory *)(uintptr_t)factory)->mu;
    lw_mutex_lock(mu);
    size_t len = write_locked(factory, &t);
    lw_mutex_unlock(mu);
    if (size > 0)
        dst[len < size ? len : size - 1] = '\0';
    return len;
}
