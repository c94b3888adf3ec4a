/* SPDX-License-Identifier: Apache-2.0 */
/* metrics_stored.c -- what is stored, by the names of kube-apiserver. */
#include <inttypes.h>

#include "base/str.h"
#include "server/endpoints/metrics_requests.h"
#include "server/endpoints/metrics_text.h"

static uint64_t read_objects(const lw_cache_stats *s)
{
    return s->objects;
}

static uint64_t read_bytes(const lw_cache_stats *s)
{
    return s->object_bytes;
}

static uint64_t read_events(const lw_cache_stats *s)
{
    return s->events;
}

static const struct {
    const char *name, *type, *help;
    uint64_t (*read)(const lw_cache_stats *stats);
} of_resources[] = {
    { "apiserver_resource_objects", "gauge", "Number of stored objects.", read_objects },
    { "apiserver_resource_size_estimate_bytes", "gauge", "Size of the stored objects in bytes.",
      read_bytes },
    { "apiserver_storage_events_received_total", "counter",
      "Number of changes received from the store.", read_events },
    { "apiserver_watch_cache_events_received_total", "counter",
      "Number of changes that the watch cache has received.", read_events },
};

/* True if |kinds[at]| is what its objects are stored as, and the first of its versions. */
static bool is_first(const lw_kind *const *kinds, size_t at)
{
    if (kinds[at]->stored_as)
        return false;
    for (size_t i = at; i > 0; i--) { /* the kinds of a group stand side by side */
        if (!lw_str_equal(kinds[i - 1]->group, kinds[at]->group))
            break;
        if (lw_str_equal(kinds[i - 1]->plural, kinds[at]->plural) && !kinds[i - 1]->stored_as)
            return false;
    }
    return true;
}

static void write_storage_objects(const lw_server_parts *parts, const lw_registry *registry,
                                  lw_buf *out)
{
    size_t count = 0;
    const lw_kind *const *kinds = lw_registry_kinds(registry, &count);
    lw_metrics_begin(out, "apiserver_storage_objects", "gauge",
                     "Number of stored objects, by resource and group.");
    for (size_t i = 0; i < count; i++) {
        lw_cache_resource *resource = lw_api_resource(parts->api, kinds[i]);
        lw_cache_stats stats;
        if (!resource || !is_first(kinds, i))
            continue;
        lw_cache_resource_stats(resource, &stats);
        lw_buf_printf(out, "apiserver_storage_objects{resource=\"%.*s%s%.*s\"} %zu\n",
                      LW_STR_ARG(kinds[i]->plural), kinds[i]->group.len > 0 ? "." : "",
                      LW_STR_ARG(kinds[i]->group), stats.objects);
    }
}

void lw_metrics_write_stored(const lw_server_parts *parts, lw_buf *out)
{
    size_t count = 0;
    lw_registry *registry = lw_api_registry_ref(parts->api);
    const lw_kind *const *kinds = lw_registry_kinds(registry, &count);
    for (size_t m = 0; m < sizeof(of_resources) / sizeof(of_resources[0]); m++) {
        lw_metrics_begin(out, of_resources[m].name, of_resources[m].type, of_resources[m].help);
        for (size_t i = 0; i < count; i++) {
            lw_cache_resource *resource = lw_api_resource(parts->api, kinds[i]);
            lw_cache_stats stats;
            if (!resource || !is_first(kinds, i))
                continue;
            lw_cache_resource_stats(resource, &stats);
            lw_buf_printf(out, "%s{group=\"%.*s\",resource=\"%.*s\"} %" PRIu64 "\n",
                          of_resources[m].name, LW_STR_ARG(kinds[i]->group),
                          LW_STR_ARG(kinds[i]->plural), of_resources[m].read(&stats));
        }
    }
    write_storage_objects(parts, registry, out);
    lw_registry_unref(registry);
    lw_metrics_begin(out, "apiserver_storage_size_bytes", "gauge",
                     "Size of the store in bytes: the data file, or the database of etcd.");
    lw_buf_printf(out, "apiserver_storage_size_bytes{storage_cluster_id=\"%s\"} %zu\n",
                  lw_store_is_shared(parts->store) ? "etcd-0" : "store-0",
                  lw_store_bytes(parts->store));
}
