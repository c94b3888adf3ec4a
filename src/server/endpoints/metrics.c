/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.c -- the server's metrics in the Prometheus text format.  All samples of a metric follow
 * its HELP and TYPE lines. */
#include "server/endpoints/metrics.h"

#include <inttypes.h>
#include <stdio.h>

#include <listwatch/version.h>

#include "api/crd/crds.h"
#include "api/policies/policy_index.h"
#include "api/webhooks/hooks.h"
#include "base/clock.h"
#include "base/str.h"
#include "server/core/process.h"
#include "server/endpoints/metrics_requests.h"
#include "server/endpoints/metrics_text.h"
#include "server/flowcontrol/flow_report.h"
#include "server/mirror/mirror.h"

static void sample(lw_buf *out, const char *name, uint64_t value)
{
    lw_buf_printf(out, "%s %" PRIu64 "\n", name, value);
}

static void gauge(lw_buf *out, const char *name, uint64_t value, const char *help)
{
    lw_metrics_begin(out, name, "gauge", help);
    sample(out, name, value);
}

static void counter(lw_buf *out, const char *name, uint64_t value, const char *help)
{
    lw_metrics_begin(out, name, "counter", help);
    sample(out, name, value);
}

/* Writes a duration in seconds, independent of the locale. */
static void seconds(lw_buf *out, const char *name, const char *type, int64_t ns, const char *help)
{
    lw_metrics_begin(out, name, type, help);
    lw_buf_printf(out, "%s %" PRId64 ".%06" PRId64 "\n", name, ns / LW_NS_PER_S,
                  ns % LW_NS_PER_S / LW_NS_PER_US);
}

static void write_api(const lw_server_parts *parts, lw_buf *out)
{
    lw_api_stats stats;
    lw_api_read_stats(parts->api, &stats);
    counter(out, "listwatch_watches_total", stats.watches_total,
            "Number of watches that were opened.");
    counter(out, "listwatch_watch_bookmarks_total", stats.bookmarks_sent,
            "Number of bookmarks sent to watches.");
    gauge(out, "listwatch_protobuf_forms", stats.forms.forms,
          "Number of objects whose protobuf encoding is cached.");
    gauge(out, "listwatch_protobuf_form_bytes", stats.forms.bytes,
          "Size of the cached protobuf encodings in bytes.");
    gauge(out, "listwatch_protobuf_form_limit_bytes", stats.forms.limit,
          "Maximum size of the protobuf encodings cached for lists, in bytes.");
    counter(out, "listwatch_protobuf_forms_kept_total", stats.forms.kept,
            "Number of protobuf encodings that were added to the cache.");
    counter(out, "listwatch_protobuf_forms_refused_total", stats.forms.refused,
            "Number of protobuf encodings that were not cached because the cache was full.");
}

static void write_http(const lw_server_parts *parts, lw_buf *out)
{
    lw_http_stats stats;
    lw_http_server_stats(parts->http, &stats);
    gauge(out, "listwatch_http_connections", stats.connections_open, "Number of open connections.");
    counter(out, "listwatch_http_connections_total", stats.connections_accepted,
            "Number of connections that were accepted.");
    counter(out, "listwatch_http_connections_refused_total", stats.connections_refused,
            "Number of connections that were refused because too many were open.");
    counter(out, "listwatch_http_connections_evicted_total", stats.connections_evicted,
            "Number of unauthenticated connections that were closed to make room for others.");
    gauge(out, "listwatch_http_streams", stats.streams_open, "Number of requests in progress.");
    counter(out, "listwatch_http_requests_total", stats.requests,
            "Number of HTTP requests of any kind.");
    counter(out, "listwatch_http_received_bytes_total", stats.bytes_in,
            "Number of bytes received from clients.");
    counter(out, "listwatch_http_sent_bytes_total", stats.bytes_out,
            "Number of bytes sent to clients.");
    counter(out, "listwatch_http_protocol_errors_total", stats.protocol_errors,
            "Number of connections that were closed because the client violated the protocol.");
    counter(out, "listwatch_http_timeouts_total", stats.timeouts,
            "Number of connections that were closed because the client was too slow.");
}

static void write_workers(const lw_server_parts *parts, lw_buf *out)
{
    lw_heavy_stats heavy;
    lw_api_stats api;
    lw_heavy_read_stats(parts->heavy, &heavy);
    lw_api_read_stats(parts->api, &api);
    gauge(out, "listwatch_worker_queue_requests", heavy.queued,
          "Number of heavy requests that wait for a worker.");
    gauge(out, "listwatch_worker_running_requests", heavy.running,
          "Number of heavy requests that a worker has taken and that are not finished.");
    gauge(out, "listwatch_worker_body_bytes", heavy.body_bytes,
          "Size of the bodies of all heavy requests in bytes.");
    counter(out, "listwatch_worker_requests_total", heavy.taken,
            "Number of heavy requests that were passed to the workers.");
    counter(out, "listwatch_worker_refused_total", heavy.refused,
            "Number of heavy requests that were refused with 429 because the queue was full.");
    gauge(out, "listwatch_held_reply_bytes", api.held.bytes,
          "Size of the replies that wait for their clients, without shared bytes.");
    gauge(out, "listwatch_held_reply_limit_bytes", api.held.max,
          "Maximum size of the replies that wait for their clients.");
    gauge(out, "listwatch_held_reply_waiting", api.held.waiting,
          "Number of lists that wait until their user holds fewer bytes.");
}

/* Nothing is known of a store that is shared. */
static void write_condition(const lw_server_parts *parts, lw_buf *out)
{
    lw_store_condition condition;
    if (lw_store_is_shared(parts->store))
        return;
    lw_store_check_condition(parts->store, &condition);
    gauge(out, "listwatch_store_keys", condition.keys, "Number of keys in the store.");
    gauge(out, "listwatch_store_used_bytes", condition.used,
          "Bytes of the store that are in use and count for its limit.");
    gauge(out, "listwatch_store_limit_bytes", condition.limit,
          "Limit of the bytes in use; 0: none.");
    gauge(out, "listwatch_store_full", condition.is_full,
          "1 if writes that need more space are refused.");
    gauge(out, "listwatch_store_failing", condition.is_failing, "1 if the last commit failed.");
    gauge(out, "listwatch_store_damaged", condition.is_damaged,
          "1 if damaged data was read since the start.");
}

static void write_store(const lw_server_parts *parts, lw_buf *out)
{
    uint64_t current, compacted;
    lw_store_revisions(parts->store, &current, &compacted);
    gauge(out, "listwatch_store_revision", current, "Revision of the last change in the store.");
    gauge(out, "listwatch_store_compacted_revision", compacted,
          "Revision up to which the store's history has been compacted.");
    write_condition(parts, out);
    gauge(out, "listwatch_cache_revision", lw_cache_revision(parts->cache),
          "Revision up to which the watch cache is complete.");
}

static uint64_t read_packed(const lw_cache_stats *s)
{
    return s->packed_objects;
}

static uint64_t read_ring_events(const lw_cache_stats *s)
{
    return s->ring_events;
}

static uint64_t read_ring_bytes(const lw_cache_stats *s)
{
    return s->ring_bytes;
}

static uint64_t read_stale(const lw_cache_stats *s)
{
    return s->stale_objects;
}

static uint64_t read_oldest(const lw_cache_stats *s)
{
    return s->oldest_revision;
}

/* The metrics of each resource. */
static const struct {
    const char *name, *type, *help;
    uint64_t (*read)(const lw_cache_stats *stats);
} of_resources[] = {
    { "listwatch_resource_packed_objects", "gauge",
      "Number of objects that are stored in memory in compact form.", read_packed },
    { "listwatch_resource_events", "gauge", "Number of past events in the watch cache.",
      read_ring_events },
    { "listwatch_resource_event_bytes", "gauge",
      "Approximate memory that is used only by past events, in bytes.", read_ring_bytes },
    { "listwatch_resource_stale_objects", "gauge",
      "Number of objects that are not encrypted with the first key of the configuration.",
      read_stale },
    { "listwatch_resource_oldest_revision", "gauge",
      "Revision of the oldest event in the watch cache.", read_oldest },
};

static void write_resources(const lw_server_parts *parts, lw_buf *out)
{
    size_t count = 0;
    lw_registry *registry = lw_api_registry_ref(parts->api);
    const lw_kind *const *kinds = lw_registry_kinds(registry, &count);
    for (size_t m = 0; m < sizeof(of_resources) / sizeof(of_resources[0]); m++) {
        lw_metrics_begin(out, of_resources[m].name, of_resources[m].type, of_resources[m].help);
        for (size_t i = 0; i < count; i++) {
            lw_cache_resource *resource = lw_api_resource(parts->api, kinds[i]);
            lw_cache_stats stats;
            if (!resource || kinds[i]->stored_as)
                continue;
            lw_cache_resource_stats(resource, &stats);
            lw_buf_printf(out,
                          "%s{group=\"%.*s\",version=\"%.*s\",resource=\"%.*s\"} %" PRIu64 "\n",
                          of_resources[m].name, LW_STR_ARG(kinds[i]->group),
                          LW_STR_ARG(kinds[i]->version), LW_STR_ARG(kinds[i]->plural),
                          of_resources[m].read(&stats));
        }
    }
    lw_registry_unref(registry);
}

static void write_process(const lw_server_parts *parts, lw_buf *out)
{
    lw_process_facts facts;
    lw_process_look(&facts, parts->clock);
    seconds(out, "process_cpu_seconds_total", "counter", facts.cpu_ns,
            "CPU time in user and system mode, in seconds.");
    seconds(out, "process_start_time_seconds", "gauge", facts.start_wall_ns,
            "Start time of the process since the Unix epoch, in seconds.");
    gauge(out, "process_resident_memory_bytes", facts.resident_bytes,
          "Resident memory size in bytes.");
    gauge(out, "process_virtual_memory_bytes", facts.virtual_bytes,
          "Virtual memory size in bytes.");
    gauge(out, "process_open_fds", facts.open_fds, "Number of open file descriptors.");
    gauge(out, "process_max_fds", facts.max_fds, "Maximum number of open file descriptors.");
    gauge(out, "process_threads", facts.threads, "Number of threads of the process.");
}

void lw_metrics_write(const lw_server_parts *parts, lw_buf *out)
{
    lw_metrics_begin(out, "listwatch_build_info", "gauge",
                     "Version of the server; the value is always 1.");
    lw_buf_printf(out, "listwatch_build_info{version=\"%s\"} 1\n", LW_VERSION);
    lw_metrics_write_requests(parts, out);
    lw_metrics_write_stored(parts, out);
    write_api(parts, out);
    write_http(parts, out);
    write_workers(parts, out);
    write_store(parts, out);
    write_resources(parts, out);
    if (parts->flow)
        lw_flow_write_metrics(lw_flow_control_of(parts->flow), out);
    write_process(parts, out);
    lw_access_write_metrics(&parts->access, out);
    if (parts->aggregator)
        lw_aggregator_write_metrics(parts->aggregator, out);
    if (parts->mirror)
        lw_mirror_write_metrics(parts->mirror, out);
    lw_webhooks_write_metrics(parts->webhooks, out);
    if (parts->hooks)
        lw_hook_metrics_write(lw_hooks_metrics(parts->hooks), out);
    if (parts->api->policies)
        lw_policy_metrics_write(lw_policies_metrics(parts->api->policies), out);
    lw_conversion_metrics_write(&parts->api->crds->conversions, out);
    lw_token_webhook_write_metrics(parts->token_webhook, out);
    if (parts->audit)
        lw_audit_write_metrics(parts->audit, out);
}
