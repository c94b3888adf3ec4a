/* SPDX-License-Identifier: Apache-2.0 */
/* reload.c -- retries with backoff until the cache has reloaded everything. */
#include "cache/reload.h"

#include "base/backoff.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/random.h"
#include "cache/load.h"
#include "cache/state.h"

/* Loads every broken resource.  load_mu is held, so the set of resources does not change. */
static lw_status load_broken(lw_cache *cache, lw_error *err)
{
    lw_status first = LW_OK;
    lw_mutex_lock(&cache->load_mu);
    lw_map_cursor at = lw_map_begin(&cache->resources);
    for (lw_cache_resource *resource; (resource = lw_map_next(&cache->resources, &at));) {
        /* A resource that cannot be loaded, because of an invalid value, does not prevent the
         * others. */
        lw_status st = lw_resource_load_locked(resource, first == LW_OK ? err : NULL);
        first = first == LW_OK ? st : first;
    }
    lw_mutex_unlock(&cache->load_mu);
    return first;
}

static bool try_once(lw_cache *cache)
{
    lw_error err = LW_ERROR_INIT;
    lw_status st = lw_cache_reconnect(cache, &err);
    if (st == LW_OK)
        st = load_broken(cache, &err);
    if (st < 0 && st != LW_ERR_STOPPED)
        lw_log(cache->logger, LW_LOG_WARN, "cache", "cannot reload the watch cache, will retry: %s",
               err.message);
    return st == LW_OK;
}

/* Waits until there is something to do.  False: the cache is stopping. */
static bool wait_for_work(lw_cache *cache)
{
    lw_mutex_lock(&cache->apply_mu);
    while (!cache->wants_reload && !cache->is_stopping)
        lw_cond_wait(&cache->progressed, &cache->apply_mu);
    cache->wants_reload = false;
    bool goes_on = !cache->is_stopping;
    lw_mutex_unlock(&cache->apply_mu);
    return goes_on;
}

/* Waits until |deadline|, then requests the next attempt. */
static void pause_until(lw_cache *cache, int64_t deadline)
{
    bool is_in_time = true;
    lw_mutex_lock(&cache->apply_mu);
    while (is_in_time && !cache->is_stopping)
        is_in_time = lw_cond_wait_until(&cache->progressed, &cache->apply_mu, deadline);
    cache->wants_reload = true;
    lw_mutex_unlock(&cache->apply_mu);
}

static void reload(void *arg)
{
    static const lw_backoff_options retry = {
        .base_ns = 50 * LW_NS_PER_MS, .cap_ns = 5 * LW_NS_PER_S, .factor = 2.0, .jitter = 0.5
    };
    lw_cache *cache = arg;
    lw_backoff backoff;
    uint64_t seed;
    lw_entropy_seed(&seed, 1);
    if (lw_backoff_init(&backoff, &retry, seed) < 0)
        return;
    while (wait_for_work(cache)) {
        if (try_once(cache)) {
            lw_backoff_reset(&backoff);
            continue;
        }
        int64_t now = lw_clock_now(lw_clock_system());
        pause_until(cache, now + lw_backoff_next(&backoff, now));
    }
}

lw_status lw_reload_start(lw_cache *cache, lw_error *err)
{
    lw_mutex_lock(&cache->apply_mu);
    cache->is_stopping = false;
    lw_mutex_unlock(&cache->apply_mu);
    lw_status st = lw_thread_start(&cache->reloader, "lw-reload", reload, cache, err);
    cache->has_reloader = st == LW_OK;
    return st;
}

void lw_reload_stop(lw_cache *cache)
{
    if (!cache->has_reloader)
        return;
    lw_mutex_lock(&cache->apply_mu);
    cache->is_stopping = true;
    lw_cond_broadcast(&cache->progressed);
    lw_mutex_unlock(&cache->apply_mu);
    lw_thread_join(&cache->reloader);
    cache->has_reloader = false;
}

void lw_reload_wake_locked(lw_cache *cache)
{
    cache->wants_reload = true;
    lw_cond_broadcast(&cache->progressed);
}
