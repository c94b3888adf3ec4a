/* SPDX-License-Identifier: Apache-2.0 */
/* api.c -- the API as a whole: which kinds are served, a port for each loop, counters. */
#include "api/api.h"

#include <assert.h>

#include "api/core.h"
#include "api/lifecycle.h"
#include "api/pace.h"
#include "api/watch_stream.h"
#include "api/write.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"

enum {
    PREFIX_MAX = LW_STORE_KEY_MAX,
    READERS = 2,      /* threads that read a shared store ... */
    READERS_MAX = 64, /* ... and requests that wait for them */
};

void lw_api_append_prefix(const lw_api *api, const lw_kind *kind, lw_buf *out)
{
    lw_buf_append_text(out, api->key_prefix);
    lw_buf_append_str(out, kind->storage);
    lw_buf_append_char(out, '/');
}

/* Follows the objects of |kind| in the cache. */
static lw_status serve_kind(lw_api *api, const lw_kind *kind, lw_error *err)
{
    lw_buf prefix;
    lw_api_served *served = &api->served[api->served_count];
    lw_buf_init(&prefix, PREFIX_MAX);
    lw_api_append_prefix(api, kind, &prefix);
    lw_status st = prefix.st < 0 ? lw_error_nomem(err)
                                 : lw_cache_add(api->cache, lw_buf_view(&prefix),
                                                kind->is_namespaced, &served->resource, err);
    lw_buf_done(&prefix);
    if (st == LW_OK) {
        served->kind = kind;
        api->served_count++;
    }
    return st;
}

static lw_status serve_kinds(lw_api *api, lw_error *err)
{
    size_t count = 0;
    const lw_kind *const *kinds = lw_registry_kinds(api->catalog.now, &count);
    api->served = lw_alloc_zero(count, sizeof(api->served[0]));
    if (!api->served)
        return lw_error_nomem(err);
    lw_status st = LW_OK;
    for (size_t i = 0; i < count && st == LW_OK; i++) {
        if (kinds[i]->storage.len > 0)
            st = serve_kind(api, kinds[i], err);
    }
    return st;
}

lw_status lw_api_new(lw_api **out, const lw_api_options *options, lw_error *err)
{
    lw_api *api = lw_alloc_zero(1, sizeof(*api));
    if (!api)
        return lw_error_nomem(err);
    api->store = options->store;
    api->cache = options->cache;
    lw_catalog_init(&api->catalog, options->registry);
    lw_crds_init(&api->crds);
    lw_openapi_cache_init(&api->openapi);
    lw_quota_ledger_init(&api->quotas);
    api->clock = options->clock ? options->clock : lw_clock_system();
    api->logger = options->logger;
    api->tokens = options->tokens;
    api->event_ttl_s = options->event_ttl_s;
    api->server_address = lw_str_dup(options->server_address);
    api->key_prefix =
        lw_str_dup(options->key_prefix.len > 0 ? options->key_prefix : LW_STR("/registry/"));
    lw_status st = lw_form_budget_new(&api->forms, options->form_bytes > 0 ? options->form_bytes
                                                                           : LW_API_FORM_BYTES);
    st = st == LW_OK && api->server_address && api->key_prefix ? serve_kinds(api, err)
                                                               : lw_error_nomem(err);
    if (st == LW_OK && lw_store_is_shared(api->store))
        st = lw_workers_new(&api->readers, "lw-reader", READERS, READERS_MAX, err);
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
    lw_openapi_cache_done(&api->openapi);
    lw_quota_ledger_done(&api->quotas);
    lw_crds_done(&api->crds);
    lw_catalog_done(&api->catalog);
    lw_free(api->server_address);
    lw_free(api->key_prefix);
    lw_free(api->served);
    lw_form_budget_unref(api->forms);
    lw_free(api);
}

lw_registry *lw_api_registry_ref(lw_api *api)
{
    return lw_catalog_get_ref(&api->catalog);
}

lw_cache_resource *lw_api_resource(const lw_api *api, const lw_kind *kind)
{
    if (kind && kind->custom)
        return lw_definition_serving(kind->custom->definition);
    for (size_t i = 0; i < api->served_count; i++) {
        if (api->served[i].kind == kind)
            return api->served[i].resource;
    }
    return NULL;
}

/* On the store's thread: the loop looks when it is its turn. */
static void port_wake(void *arg)
{
    lw_api_port *port = arg;
    lw_loop_post(port->loop, &port->wake);
}

static void port_dispatch(lw_task *task)
{
    lw_api_port *port = LW_LIST_ITEM(&task->link, lw_api_port, wake.link);
    if (port->cache)
        lw_cache_port_dispatch(port->cache);
    else
        lw_free(port); /* unbound while the task was under way */
}

lw_status lw_api_bind(lw_api *api, lw_loop *loop, lw_error *err)
{
    lw_api_port *port = lw_alloc_zero(1, sizeof(*port));
    if (!port)
        return lw_error_nomem(err);
    port->api = api;
    port->loop = loop;
    port->wake.run = port_dispatch;
    lw_list_init(&port->watches);
    lw_list_init(&port->resting);
    lw_random_init_from_os(&port->random);
    lw_write_port_init(port);
    lw_status st = lw_cache_port_new(&port->cache, api->cache, port_wake, port);
    if (st < 0) {
        lw_write_port_done(port);
        lw_free(port);
        return lw_error_set(err, st, "cannot subscribe a server thread to the watch cache: %s",
                            lw_status_name(st));
    }
    lw_loop_set_data(loop, port);
    if (!atomic_exchange(&api->has_follower, true))
        lw_crds_follow(port);
    return LW_OK;
}

void lw_api_unbind(lw_api *api, lw_loop *loop)
{
    lw_api_port *port = lw_loop_data(loop);
    (void)api;
    if (!port)
        return;
    assert(lw_list_is_empty(&port->watches));
    port->is_draining = true;
    lw_crds_unfollow(port);
    lw_lifecycle_stop(port->lifecycle);
    lw_pace_hurry(port);
    lw_write_settle(port);
    lw_lifecycle_free(port->lifecycle);
    lw_write_port_done(port);
    lw_catalog_view_done(&port->kinds);
    lw_cache_port_free(port->cache);
    lw_loop_set_data(loop, NULL);
    port->cache = NULL;
    /* A wake that the loop did not get to is run when the loop is freed. */
    if (!lw_list_node_is_linked(&port->wake.link))
        lw_free(port);
}

void lw_api_drain(lw_api *api, lw_loop *loop)
{
    lw_api_port *port = lw_loop_data(loop);
    (void)api;
    if (!port) /* unbound, because the server would not wait: nothing is left to end */
        return;
    port->is_draining = true;
    lw_lifecycle_stop(port->lifecycle);
    for (lw_list_node *node; (node = lw_list_first(&port->watches));)
        lw_watch_stream_end(lw_watch_stream_of(node));
}

bool lw_api_each_watch(const lw_loop *loop, bool (*fn)(const lw_api_watch *watch, void *arg),
                       void *arg)
{
    lw_api_port *port = lw_loop_data(loop);
    if (!port)
        return false;
    bool goes_on = true;
    for (lw_list_node *node = lw_list_first(&port->watches); node && goes_on;
         node = lw_list_next(&port->watches, node)) {
        lw_api_watch watch;
        lw_watch_stream_describe(lw_watch_stream_of(node), &watch);
        goes_on = fn(&watch, arg);
    }
    return true;
}

void lw_api_add_deliveries(const lw_loop *loop, lw_latencies *sum)
{
    const lw_api_port *port = lw_loop_data(loop);
    lw_latencies_merge(sum, &port->deliveries);
}

void lw_api_count_reply(lw_api *api, unsigned verb, int status)
{
    unsigned number = 0;
    if (verb == 0)
        verb = LW_VERB_GET;
    while (number < 7 && !(verb >> number & 1))
        number++;
    unsigned hundred = status >= 100 && status < 600 ? (unsigned)status / 100 : 0;
    lw_api_count(&api->counters.requests[number][hundred], 1);
}

static uint64_t counted(const atomic_uint_least64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

void lw_api_read_stats(const lw_api *api, lw_api_stats *stats)
{
    const lw_api_counters *counters = &api->counters;
    for (size_t verb = 0; verb < 8; verb++) {
        for (size_t hundred = 0; hundred < 6; hundred++)
            stats->requests[verb][hundred] = counted(&counters->requests[verb][hundred]);
    }
    stats->watches_open = counted(&counters->watches_open);
    stats->watches_total = counted(&counters->watches_total);
    stats->events_sent = counted(&counters->events_sent);
    stats->bookmarks_sent = counted(&counters->bookmarks_sent);
    lw_form_budget_read(api->forms, &stats->forms);
}
