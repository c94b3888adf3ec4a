/* SPDX-License-Identifier: Apache-2.0 */
/* cache.c -- creates, starts and stops the cache; adds and removes resources. */
#include "cache/cache.h"

#include <assert.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "cache/apply.h"
#include "cache/load.h"
#include "cache/port.h"
#include "cache/reload.h"
#include "cache/state.h"

static const lw_map_type resources_by_prefix = LW_MAP_STR_TYPE(lw_cache_resource, prefix);

lw_status lw_cache_new(lw_cache **out, const lw_cache_options *options, lw_error *err)
{
    lw_cache *cache = lw_alloc_zero(1, sizeof(*cache));
    if (!cache)
        return lw_error_nomem(err);
    cache->store = options->store;
    cache->is_shared = options->store && lw_store_is_shared(options->store);
    cache->clock = options->clock ? options->clock : lw_clock_system();
    cache->logger = options->logger;
    cache->max_ring_events =
        options->max_ring_events ? options->max_ring_events : LW_CACHE_RING_EVENTS;
    atomic_init(&cache->revision, 0);
    atomic_init(&cache->is_disconnected, false);
    lw_mutex_init(&cache->load_mu);
    lw_mutex_init(&cache->apply_mu);
    lw_cond_init(&cache->progressed);
    lw_mutex_init(&cache->ports_mu);
    lw_dlist_init(&cache->dirty);
    lw_dlist_init(&cache->ports);
    lw_cache_packing_init(&cache->packing, options->compact);
    lw_cache_saving_init(&cache->saving, options);
    lw_map_init(&cache->resources, &resources_by_prefix, lw_hash_seed_random(),
                LW_CACHE_RESOURCES_MAX);
    lw_status st = lw_value_parser_init(&cache->parser, err);
    if (st < 0) {
        lw_cache_free(cache);
        return st;
    }
    *out = cache;
    return LW_OK;
}

void lw_cache_free(lw_cache *cache)
{
    if (!cache)
        return;
    lw_cache_stop(cache);
    assert(lw_dlist_is_empty(&cache->ports));
    lw_map_cursor at = lw_map_begin(&cache->resources);
    for (lw_cache_resource *resource; (resource = lw_map_next(&cache->resources, &at));)
        lw_cache_resource_unref(resource);
    lw_map_done(&cache->resources);
    lw_value_parser_done(&cache->parser);
    lw_cache_saving_done(&cache->saving);
    lw_cache_packing_done(&cache->packing);
    lw_mutex_done(&cache->ports_mu);
    lw_cond_done(&cache->progressed);
    lw_mutex_done(&cache->apply_mu);
    lw_mutex_done(&cache->load_mu);
    lw_free(cache);
}

/* Registers a new resource.  Sets |*is_running| if the cache has started, so that the resource must
 * be loaded. */
static lw_status register_resource(lw_cache *cache, lw_cache_resource *resource, bool *is_running,
                                   lw_error *err)
{
    void *replaced = NULL;
    lw_status st = LW_OK;
    lw_mutex_lock(&cache->apply_mu);
    *is_running = cache->phase == LW_CACHE_RUNNING;
    if (lw_map_get_str(&cache->resources, resource->prefix))
        st = lw_error_set(err, LW_ERR_EXISTS, "resource %s is already in the watch cache",
                          resource->prefix_text);
    else if (lw_map_put(&cache->resources, &resource->prefix, resource, &replaced) < 0)
        st = lw_error_nomem(err);
    else if (*is_running)
        lw_resource_set_state(resource, LW_RESOURCE_LOADING);
    lw_mutex_unlock(&cache->apply_mu);
    return st;
}

static void unregister_resource(lw_cache *cache, lw_cache_resource *resource)
{
    lw_mutex_lock(&cache->apply_mu);
    (void)lw_map_remove_str(&cache->resources, resource->prefix);
    lw_mutex_unlock(&cache->apply_mu);
}

lw_status lw_cache_add(lw_cache *cache, lw_str prefix, bool is_namespaced, lw_cache_resource **out,
                       lw_error *err)
{
    assert(lw_str_ends_with(prefix, LW_STR("/")) && prefix.len <= LW_STORE_KEY_MAX);
    lw_cache_resource *resource = NULL;
    if (lw_resource_new(&resource, cache, prefix, is_namespaced, cache->max_ring_events) < 0)
        return lw_error_nomem(err);
    bool is_running = false;
    lw_mutex_lock(&cache->load_mu);
    lw_status st = register_resource(cache, resource, &is_running, err);
    bool is_registered = st == LW_OK;
    if (is_registered && is_running)
        st = lw_resource_load_locked(resource, err);
    if (st < 0 && is_registered)
        unregister_resource(cache, resource);
    lw_mutex_unlock(&cache->load_mu);
    if (st < 0) {
        lw_cache_resource_unref(resource);
        return st;
    }
    *out = resource;
    return LW_OK;
}

void lw_cache_remove(lw_cache_resource *resource)
{
    lw_cache *cache = resource->cache;
    lw_mutex_lock(&cache->load_mu); /* waits until a load in progress has ended */
    lw_mutex_lock(&cache->apply_mu);
    lw_resource_set_state(resource, LW_RESOURCE_REMOVED);
    atomic_store_explicit(&resource->is_removed, true, memory_order_release);
    (void)lw_map_remove_str(&cache->resources, resource->prefix);
    lw_apply_mark_dirty_locked(resource);
    lw_ports_notify(cache, lw_cache_revision(cache));
    lw_mutex_unlock(&cache->apply_mu);
    lw_mutex_unlock(&cache->load_mu);
    lw_cache_saving_removed(resource);
    lw_cache_resource_unref(resource);
}

/* Resets every resource to |revision| and |state|, and sets the cache's phase. */
static void reset_all(lw_cache *cache, lw_resource_state state, lw_cache_phase phase,
                      uint64_t revision)
{
    lw_mutex_lock(&cache->apply_mu);
    lw_map_cursor at = lw_map_begin(&cache->resources);
    for (lw_cache_resource *resource; (resource = lw_map_next(&cache->resources, &at));) {
        if (!resource->is_fed)
            lw_resource_reset(resource, state, revision);
    }
    cache->phase = phase;
    cache->start_error = (lw_error)LW_ERROR_INIT;
    atomic_store(&cache->revision, revision);
    lw_mutex_unlock(&cache->apply_mu);
}

/* Loads the objects of all resources as of |revision|.  The caller holds load_mu, so the set of
 * resources does not change. */
static lw_status load_all_states(lw_cache *cache, uint64_t revision, lw_error *err)
{
    lw_status st = LW_OK;
    lw_map_cursor at = lw_map_begin(&cache->resources);
    for (lw_cache_resource *resource;
         st == LW_OK && (resource = lw_map_next(&cache->resources, &at));) {
        if (!resource->is_fed)
            st = lw_resource_load_state(resource, revision, err);
    }
    return st;
}

static lw_status wait_for_start(lw_cache *cache, uint64_t target, lw_error *err)
{
    lw_mutex_lock(&cache->apply_mu);
    while (cache->start_error.code == LW_OK && lw_cache_revision(cache) < target)
        lw_cond_wait(&cache->progressed, &cache->apply_mu);
    lw_status st = cache->start_error.code;
    if (st == LW_OK)
        cache->phase = LW_CACHE_RUNNING;
    else if (err)
        *err = cache->start_error;
    lw_mutex_unlock(&cache->apply_mu);
    return st;
}

static lw_status start_once(lw_cache *cache, bool has_history, lw_error *err)
{
    const lw_store_sink sink = lw_cache_sink(cache);
    uint64_t current, from;
    lw_store_revisions(cache->store, &current, &from);
    if (!has_history)
        from = current;
    reset_all(cache, LW_RESOURCE_FOLLOWING, LW_CACHE_STARTING, from);
    lw_status st = load_all_states(cache, from, err);
    if (st == LW_OK)
        st = lw_store_watch_open(cache->store, LW_STR(""), from, &sink, &cache->watch, err);
    if (st == LW_OK)
        st = wait_for_start(cache, current, err);
    if (st == LW_OK)
        return LW_OK;
    lw_store_watch_close(cache->store, cache->watch);
    cache->watch = NULL;
    atomic_store_explicit(&cache->is_disconnected, false, memory_order_release);
    reset_all(cache, LW_RESOURCE_NEW, LW_CACHE_IDLE, 0);
    return st;
}

lw_status lw_cache_start(lw_cache *cache, lw_error *err)
{
    lw_status st = LW_ERR_EXPIRED;
    lw_mutex_lock(&cache->load_mu);
    assert(!cache->watch && "started twice");
    bool has_history = true;
    for (int i = 0; st == LW_ERR_EXPIRED && i < LW_LOAD_TRIES; i++) {
        lw_error why = LW_ERROR_INIT;
        st = start_once(cache, has_history, &why);
        if (lw_load_gives_up_history(cache, st, &why, &has_history))
            st = LW_ERR_EXPIRED;
        else if (st < 0 && err)
            *err = why;
    }
    lw_mutex_unlock(&cache->load_mu);
    if (st == LW_OK && cache->is_shared)
        st = lw_reload_start(cache, err);
    return st;
}

void lw_cache_stop(lw_cache *cache)
{
    if (!cache)
        return;
    lw_reload_stop(cache);
    lw_mutex_lock(&cache->load_mu);
    lw_store_watch_close(cache->store, cache->watch);
    cache->watch = NULL;
    atomic_store_explicit(&cache->is_disconnected, false, memory_order_release);
    lw_mutex_lock(&cache->apply_mu);
    cache->phase = LW_CACHE_IDLE;
    lw_mutex_unlock(&cache->apply_mu);
    lw_mutex_unlock(&cache->load_mu);
    lw_cache_saving_stop(cache);
    lw_cache_packing_stop(cache);
}

size_t lw_cache_ring_limit(const lw_cache *cache)
{
    return cache->max_ring_events;
}

uint64_t lw_cache_revision(const lw_cache *cache)
{
    return atomic_load(&cache->revision);
}
