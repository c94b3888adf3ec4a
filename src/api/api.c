/* SPDX-License-Identifier: Apache-2.0 */
/* api.c -- composes the modules of the API: what they share, a port for each loop, statistics. */
#include "api/api.h"

#include "api/authz/authz.h"
#include "api/authz/node_feed.h"
#include "api/authz/rbac_feed.h"
#include "api/context/definitions.h"
#include "api/context/port.h"
#include "api/context/throttle.h"
#include "api/conversion/convert.h"
#include "api/conversion/hook_conversion.h"
#include "api/crd/crd_purge.h"
#include "api/crd/crds.h"
#include "api/lifecycle/namespace_purge.h"
#include "api/media/forms_ahead.h"
#include "api/policies/policy_index.h"
#include "api/quota/quota_charge.h"
#include "api/quota/quota_pending.h"
#include "api/read/openapi_cache.h"
#include "api/read/watch_recheck.h"
#include "api/read/watch_stream.h"
#include "api/webhooks/hooks.h"
#include "api/write/write.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"

enum {
    READERS = 2,      /* threads that read a shared store ... */
    READERS_MAX = 64, /* ... and requests that wait for them */
};

/* What is shared, with the state of each module. */
typedef struct composed {
    lw_api api; /* first */
    lw_crds crds;
    lw_openapi_cache openapi;
    lw_quota_pending quotas;
    lw_rbac_feed rbac_feed;
    lw_node_feed node_feed;
    lw_watch_rechecks rechecks;
} composed;

/* Before the writer hears that a definition is stored, its objects are served. */
static void after_commit(lw_write *write)
{
    if (lw_kind_is_definition(write->kind))
        lw_crds_sync(write->port);
}

/* The namespace or the definition may have been emptied while the object was on its way into it. */
static void after_create(lw_api_port *port, const lw_kind *kind, lw_str ns)
{
    if (kind->is_namespaced)
        lw_namespace_purge_if_due(port, ns);
    lw_crd_purge_if_due(port, kind);
}

static const lw_write_hooks write_hooks = {
    .admit_kind = lw_crds_admits,
    .admit = lw_quota_admit,
    .after_commit = after_commit,
    .after_create = after_create,
    .after_delete = lw_crd_purge_if_due,
};

static void permissions_changed(void *arg)
{
    lw_watch_recheck_all(((const lw_api *)arg)->rechecks);
}

lw_status lw_api_new(lw_api **out, const lw_api_options *options, lw_error *err)
{
    composed *whole = lw_alloc_zero(1, sizeof(*whole));
    if (!whole)
        return lw_error_nomem(err);
    lw_api *api = &whole->api;
    api->controllers = LW_CONTROLLERS_ALL & ~options->disabled_controllers;
    api->service_ranges =
        options->service_ranges ? *options->service_ranges : lw_service_ranges_default();
    api->advertised = options->advertised;
    lw_crds_init(&whole->crds);
    lw_openapi_cache_init(&whole->openapi, &api->aggregation);
    lw_quota_pending_init(&whole->quotas);
    lw_watch_rechecks_init(&whole->rechecks);
    api->rechecks = &whole->rechecks;
    api->write_hooks = &write_hooks;
    api->crds = &whole->crds;
    api->openapi = &whole->openapi;
    api->quotas = &whole->quotas;
    api->store = options->store;
    api->cache = options->cache;
    lw_catalog_init(&api->catalog, options->registry);
    api->clock = options->clock ? options->clock : lw_clock_system();
    api->logger = options->logger;
    api->upstream = options->upstream;
    api->authenticator = options->authenticator;
    api->issuer = options->issuer;
    api->admits_accounts = options->admits_accounts;
    api->disabled_plugins = options->disabled_plugins;
    api->authz = options->authz;
    api->pod_security = options->pod_security;
    api->serve_again = lw_api_serve_again;
    api->event_ttl_s = options->event_ttl_s;
    api->certificate_authority = options->certificate_authority;
    api->certificate_ttl_s = options->certificate_ttl_s;
    api->cleans_bootstrap_tokens = options->cleans_bootstrap_tokens;
    api->serves_cbor = options->serves_cbor;
    api->server_address = lw_str_dup(options->server_address);
    api->key_prefix =
        lw_str_dup(options->key_prefix.len > 0 ? options->key_prefix : LW_STR("/registry/"));
    api->offload = options->offload;
    api->aggregation = options->aggregation;
    lw_status st = lw_form_budget_new(&api->forms, options->form_bytes > 0 ? options->form_bytes
                                                                           : LW_API_FORM_BYTES);
    if (st == LW_OK)
        st = lw_forms_ahead_new(&api->ahead, options->forms_ahead);
    if (st == LW_OK)
        st = lw_held_bytes_new(&api->held,
                               options->held_bytes > 0 ? options->held_bytes : LW_HELD_BYTES_MAX,
                               options->held_user_bytes > 0 ? options->held_user_bytes
                                                            : LW_HELD_USER_BYTES_MAX);
    st = st == LW_OK && api->server_address && api->key_prefix ? lw_api_serve_kinds(api, err)
                                                               : lw_error_nomem(err);
    whole->rbac_feed = (lw_rbac_feed){ lw_authz_rbac(api->authz), permissions_changed, api };
    if (st == LW_OK && whole->rbac_feed.rbac)
        lw_rbac_feed_start(&whole->rbac_feed, api);
    if (st == LW_OK && options->hooks)
        lw_hooks_follow(options->hooks, api, &lw_hook_conversions);
    if (st == LW_OK)
        st = lw_policies_new(&api->policies);
    if (st == LW_OK)
        lw_policies_follow(api->policies, api);
    if (st == LW_OK && lw_authz_node_graph(api->authz))
        lw_node_feed_start(&whole->node_feed, lw_authz_node_graph(api->authz), api);
    if (st == LW_OK && lw_store_is_shared(api->store))
        st = lw_workers_new(&api->readers, "lw-reader", READERS, 0, READERS_MAX, err);
    if (st < 0) {
        lw_api_free(api);
        return st;
    }
    *out = api;
    return LW_OK;
}

void lw_api_free(lw_api *api)
{
    if (!api)
        return;
    lw_workers_free(api->readers);
    lw_openapi_cache_done(api->openapi);
    lw_quota_pending_done(api->quotas);
    lw_watch_rechecks_done(api->rechecks);
    lw_crds_done(api->crds);
    lw_policies_free(api->policies);
    lw_catalog_done(&api->catalog);
    lw_free(api->server_address);
    lw_free(api->key_prefix);
    lw_free(api->served);
    lw_forms_ahead_free(api->ahead);
    lw_form_budget_unref(api->forms);
    lw_held_bytes_unref(api->held);
    lw_free(api); /* the first member of its composed */
}

void lw_api_recheck_watches(lw_api *api)
{
    lw_watch_recheck_all(api->rechecks);
}

lw_registry *lw_api_registry_ref(lw_api *api)
{
    return lw_catalog_get_ref(&api->catalog);
}

lw_status lw_api_bind(lw_api *api, lw_loop *loop, lw_error *err)
{
    lw_api_port *port = NULL;
    lw_status st = lw_port_new(&port, api, loop, err);
    if (st < 0)
        return st;
    bool rechecks = lw_authz_rbac(api->authz) || api->upstream.confirm;
    if (rechecks && lw_watch_recheck_add(api->rechecks, port) < 0) {
        lw_port_free(port);
        return lw_error_nomem(err);
    }
    lw_write_port_init(port);
    if (!api->upstream.confirm && !atomic_exchange(&api->has_follower, true))
        st = lw_crds_follow(port, err);
    if (st < 0)
        lw_api_unbind(api, loop);
    return st;
}

lw_status lw_api_bind_worker(lw_api *api, lw_loop *loop, lw_error *err)
{
    lw_status st = lw_api_bind(api, loop, err);
    if (st == LW_OK)
        ((lw_api_port *)lw_loop_data(loop))->is_worker = true;
    return st;
}

void lw_api_unbind(lw_api *api, lw_loop *loop)
{
    lw_api_port *port = lw_loop_data(loop);
    (void)api;
    if (!port)
        return;
    port->is_draining = true;
    lw_crds_unfollow(port);
    lw_port_stop_workers(port);
    lw_throttle_hurry(port);
    lw_write_port_hurry(port);
    lw_convert_port_hurry(port);
    lw_port_settle(port);
    lw_hooks_leave(port);
    lw_write_port_done(port);
    lw_port_free(port);
}

void lw_api_drain(lw_api *api, lw_loop *loop)
{
    lw_api_port *port = lw_loop_data(loop);
    (void)api;
    if (!port) /* unbound, because the server would not wait: nothing is left to end */
        return;
    port->is_draining = true;
    lw_port_stop_workers(port);
    lw_watch_stream_end_all(port);
}

bool lw_api_each_watch(const lw_loop *loop, bool (*fn)(const lw_api_watch *watch, void *arg),
                       void *arg)
{
    lw_api_port *port = lw_loop_data(loop);
    if (!port)
        return false;
    bool goes_on = true;
    for (lw_dlist_node *node = lw_dlist_first(&port->watches); node && goes_on;
         node = lw_dlist_next(&port->watches, node)) {
        lw_api_watch watch;
        lw_watch_stream_describe(lw_watch_stream_of(node), &watch);
        goes_on = fn(&watch, arg);
    }
    return true;
}

void lw_api_add_deliveries(const lw_loop *loop, lw_latency_histogram *sum)
{
    const lw_api_port *port = lw_loop_data(loop);
    lw_latency_histogram_merge(sum, &port->deliveries);
}

lw_status lw_api_add_request_metrics(const lw_loop *loop, lw_request_metrics *sum)
{
    const lw_api_port *port = lw_loop_data(loop);
    return port ? lw_request_metrics_merge(sum, &port->metrics) : LW_OK;
}

void lw_api_read_stats(const lw_api *api, lw_api_stats *stats)
{
    const lw_api_counters *counters = &api->counters;
    stats->watches_open = lw_api_counted(&counters->watches_open);
    stats->watches_total = lw_api_counted(&counters->watches_total);
    stats->events_sent = lw_api_counted(&counters->events_sent);
    stats->bookmarks_sent = lw_api_counted(&counters->bookmarks_sent);
    lw_form_budget_read(api->forms, &stats->forms);
    lw_held_bytes_read(api->held, &stats->held);
}
