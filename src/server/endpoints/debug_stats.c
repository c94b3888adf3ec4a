/* SPDX-License-Identifier: Apache-2.0 */
/* debug_stats.c -- writes the statistics that the page shows.  Revisions are JSON numbers: they
 * stay far below the limit of exact integers in JSON parsers. */
#include "server/endpoints/debug_stats.h"

#include <listwatch/version.h>

#include "base/clock.h"
#include "base/str.h"
#include "server/core/process.h"

static void member(lw_json_writer *w, const char *name, uint64_t value)
{
    lw_json_write_member_int(w, name, (int64_t)value);
}

static void open_object(lw_json_writer *w, const char *name)
{
    lw_json_write_key(w, lw_str_of(name));
    lw_json_write_object_begin(w);
}

static void write_resource(lw_cache_resource *resource, const lw_kind *kind, lw_json_writer *w)
{
    lw_cache_stats stats;
    lw_cache_resource_stats(resource, &stats);
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "group", kind->group);
    lw_json_write_member_string(w, "version", kind->version);
    lw_json_write_member_string(w, "resource", kind->plural);
    member(w, "objects", stats.objects);
    member(w, "object_bytes", stats.object_bytes);
    member(w, "packed_objects", stats.packed_objects);
    member(w, "ring_events", stats.ring_events);
    member(w, "ring_bytes", stats.ring_bytes);
    member(w, "oldest_revision", stats.oldest_revision);
    member(w, "changes", stats.events);
    member(w, "watchers", stats.watchers);
    lw_json_write_object_end(w);
}

static void write_resources(const lw_server_parts *parts, lw_json_writer *w)
{
    size_t count = 0;
    lw_registry *registry = lw_api_registry_ref(parts->api);
    const lw_kind *const *kinds = lw_registry_kinds(registry, &count);
    lw_json_write_key(w, LW_STR("resources"));
    lw_json_write_array_begin(w);
    for (size_t i = 0; i < count; i++) {
        lw_cache_resource *resource = lw_api_resource(parts->api, kinds[i]);
        if (resource && !kinds[i]->stored_as)
            write_resource(resource, kinds[i], w);
    }
    lw_json_write_array_end(w);
    lw_registry_unref(registry);
}

void lw_debug_stats_write_stores(const lw_server_parts *parts, lw_json_writer *w)
{
    uint64_t current, compacted;
    lw_store_revisions(parts->store, &current, &compacted);
    lw_json_write_member_string(w, "version", LW_STR(LW_VERSION));
    open_object(w, "store");
    member(w, "revision", current);
    member(w, "compacted_revision", compacted);
    member(w, "bytes", lw_store_bytes(parts->store));
    lw_json_write_key(w, LW_STR("is_shared"));
    lw_json_write_bool(w, lw_store_is_shared(parts->store));
    lw_json_write_object_end(w);
    open_object(w, "cache");
    member(w, "revision", lw_cache_revision(parts->cache));
    member(w, "ring_capacity", lw_cache_ring_limit(parts->cache));
    lw_json_write_object_end(w);
    write_resources(parts, w);
}

static lw_str protocol_of(const lw_http_request *request)
{
    if (request->is_websocket)
        return LW_STR("WebSocket");
    return request->version_major == 2 ? LW_STR("HTTP/2") : LW_STR("HTTP/1.1");
}

void lw_debug_stats_write_watch(const lw_server_parts *parts, const lw_api_watch *watch,
                                lw_json_writer *w)
{
    lw_str agent = { NULL, 0 };
    uint64_t now = lw_cache_revision(parts->cache);
    int64_t age_ns = lw_clock_now(parts->clock) - watch->opened_ns;
    (void)lw_http_request_header(watch->request, "user-agent", &agent);
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "group", watch->kind->group);
    lw_json_write_member_string(w, "version", watch->kind->version);
    lw_json_write_member_string(w, "resource", watch->kind->plural);
    lw_json_write_member_string(w, "namespace", watch->ns);
    lw_json_write_member_string(w, "name", watch->name);
    lw_json_write_member_string(w, "user_agent", agent);
    lw_json_write_member_string(w, "address", watch->request->peer->address);
    lw_json_write_member_string(w, "protocol", protocol_of(watch->request));
    lw_json_write_key(w, LW_STR("is_synced"));
    lw_json_write_bool(w, watch->is_synced);
    member(w, "revision", watch->revision);
    member(w, "lag", watch->is_synced && watch->revision < now ? now - watch->revision : 0);
    member(w, "pending_bytes", watch->pending_bytes);
    member(w, "age_ms", age_ns > 0 ? (uint64_t)(age_ns / LW_NS_PER_MS) : 0);
    lw_json_write_object_end(w);
}

/* Writes [[upper bound in microseconds, count], ...] without the empty buckets. */
static void write_deliveries(const lw_latency_histogram *deliveries, lw_json_writer *w)
{
    uint64_t count = 0;
    open_object(w, "delivery");
    lw_json_write_key(w, LW_STR("buckets_us"));
    lw_json_write_array_begin(w);
    for (unsigned i = 0; i < LW_LATENCY_HISTOGRAM_BUCKETS; i++) {
        if (deliveries->counts[i] == 0)
            continue;
        lw_json_write_array_begin(w);
        lw_json_write_int(w, (int64_t)lw_latency_below_us(i));
        lw_json_write_int(w, (int64_t)deliveries->counts[i]);
        lw_json_write_array_end(w);
        count += deliveries->counts[i];
    }
    lw_json_write_array_end(w);
    member(w, "count", count);
    lw_json_write_object_end(w);
}

void lw_debug_stats_write_rest(lw_server_parts *parts, const lw_latency_histogram *deliveries,
                               lw_json_writer *w)
{
    lw_api_stats stats;
    lw_process_facts process;
    lw_api_read_stats(parts->api, &stats);
    lw_process_look(&process, parts->clock);
    member(w, "watchers_total", stats.watches_open);
    write_deliveries(deliveries, w);
    lw_json_write_key(w, LW_STR("informers"));
    lw_informer_reports_write(&parts->informers, lw_clock_now(parts->clock), w);
    open_object(w, "process");
    member(w, "resident_bytes", process.resident_bytes);
    lw_json_write_member_int(w, "cpu_ms", process.cpu_ns / LW_NS_PER_MS);
    lw_json_write_object_end(w);
    lw_json_write_member_int(w, "started", process.start_wall_ns / LW_NS_PER_MS);
}
