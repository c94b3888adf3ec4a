/* SPDX-License-Identifier: Apache-2.0 */
/* load.c -- loads the objects and changes of a resource while the store changes.
 *
 * A load reads the state at the compacted revision and then follows the store from there with its
 * own watch, so the ring goes back as far as the store's history.  Meanwhile the cache's watch
 * skips the resource and only records the revision of the last change it skipped
 * (skipped_revision).  When the load has received everything up to that revision, and up to the
 * store's revision at its start, nothing is missing and the cache's watch takes over.  A change
 * that both watches deliver is applied once, because revisions only increase. */
#include "cache/load.h"

#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "cache/apply.h"
#include "cache/load_pipe.h"
#include "cache/port.h"
#include "cache/reload.h"
#include "cache/state.h"

static lw_status load_record(const lw_store_record *record, void *arg, lw_error *err)
{
    return lw_load_pipe_take(arg, record, err);
}

lw_status lw_resource_load_state(lw_cache_resource *resource, uint64_t revision, lw_error *err)
{
    if (revision == 0)
        return LW_OK; /* the store was empty then, and it takes revision 0 as "now" */
    char end[LW_STORE_KEY_MAX];
    lw_load_pipe pipe;
    lw_store_range range = { .start = resource->prefix, .revision = revision };
    lw_store_range_result result;
    lw_error why = LW_ERROR_INIT;
    lw_store_prefix_end(resource->prefix, end, &range.end);
    lw_status st = lw_load_pipe_init(&pipe, resource, err);
    if (st < 0)
        return st;
    lw_status read =
        lw_store_read(resource->cache->store, &range, load_record, &pipe, &result, err);
    /* A record that was read before is the first one with an error. */
    st = lw_load_pipe_finish(&pipe, &why);
    if (st < 0 && err)
        *err = why;
    lw_load_pipe_done(&pipe);
    return st < 0 ? st : read;
}

/* A load that follows the store; guarded by cache->apply_mu. */
typedef struct following {
    lw_cache_resource *resource;
    uint64_t received; /* every event up to this revision has been received */
    lw_error failure;  /* code LW_OK: no failure */
} following;

static void load_revision_locked(following *load, const lw_store_event *events, size_t count)
{
    lw_resource_hold(load->resource);
    for (size_t i = 0; i < count && load->failure.code == LW_OK; i++)
        (void)lw_apply_change_locked(load->resource, &events[i], &load->failure);
    lw_resource_release(load->resource);
}

static void load_on_events(const lw_store_event *events, size_t count, uint64_t revision, void *arg)
{
    following *load = arg;
    lw_cache *cache = load->resource->cache;
    lw_mutex_lock(&cache->apply_mu);
    for (size_t i = 0, together; i < count && load->failure.code == LW_OK; i += together) {
        together = lw_apply_same_revision(events + i, count - i);
        load_revision_locked(load, events + i, together);
    }
    load->resource->settled = load->resource->revision;
    load->received = revision;
    lw_cond_broadcast(&cache->progressed);
    lw_mutex_unlock(&cache->apply_mu);
}

static void load_on_end(const lw_error *err, void *arg)
{
    following *load = arg;
    lw_cache *cache = load->resource->cache;
    lw_mutex_lock(&cache->apply_mu);
    if (load->failure.code == LW_OK)
        load->failure = *err;
    lw_cond_broadcast(&cache->progressed);
    lw_mutex_unlock(&cache->apply_mu);
}

/* Waits until the cache's own watch can take over, then sets the state to FOLLOWING. */
static lw_status load_hand_over(following *load, uint64_t target, lw_error *err)
{
    lw_cache *cache = load->resource->cache;
    lw_mutex_lock(&cache->apply_mu);
    while (load->failure.code == LW_OK && !cache->is_stopping &&
           (load->received < target || load->received < load->resource->skipped_revision))
        lw_cond_wait(&cache->progressed, &cache->apply_mu);
    if (load->failure.code == LW_OK && cache->is_stopping)
        (void)lw_error_set(&load->failure, LW_ERR_STOPPED, "the watch cache is stopping");
    lw_status st = load->failure.code;
    if (st == LW_OK)
        lw_resource_set_state(load->resource, LW_RESOURCE_FOLLOWING);
    else if (err)
        *err = load->failure;
    lw_mutex_unlock(&cache->apply_mu);
    return st;
}

bool lw_load_gives_up_history(lw_cache *cache, lw_status st, const lw_error *why, bool *has_history)
{
    if (st != LW_ERR_INVALID || !*has_history)
        return false;
    *has_history = false;
    lw_log(cache->logger, LW_LOG_WARN, "cache",
           "the history cannot be read, so watches begin at the current revision: %s",
           why->message);
    return true;
}

static lw_status load_once(lw_cache_resource *resource, bool has_history, lw_error *err)
{
    lw_cache *cache = resource->cache;
    uint64_t current, from;
    lw_store_revisions(cache->store, &current, &from);
    if (!has_history)
        from = current;
    lw_mutex_lock(&cache->apply_mu);
    lw_resource_reset(resource, LW_RESOURCE_LOADING, from);
    lw_mutex_unlock(&cache->apply_mu);

    following load = { .resource = resource, .received = from, .failure = LW_ERROR_INIT };
    const lw_store_sink sink = { load_on_events, NULL, load_on_end, &load };
    lw_store_watch *watch = NULL;
    lw_status st = lw_resource_load_state(resource, from, err);
    if (st == LW_OK)
        st = lw_store_watch_open(cache->store, resource->prefix, from, &sink, &watch, err);
    if (st == LW_OK)
        st = load_hand_over(&load, current, err);
    lw_store_watch_close(cache->store, watch);
    return st;
}

lw_status lw_resource_load_locked(lw_cache_resource *resource, lw_error *err)
{
    lw_cache *cache = resource->cache;
    lw_mutex_lock(&cache->apply_mu);
    lw_resource_state state = resource->state;
    lw_mutex_unlock(&cache->apply_mu);
    if (state == LW_RESOURCE_FOLLOWING || state == LW_RESOURCE_REMOVED || resource->is_fed)
        return LW_OK;
    lw_status st = LW_ERR_EXPIRED;
    bool has_history = true;
    for (int i = 0; st == LW_ERR_EXPIRED && i < LW_LOAD_TRIES; i++) {
        lw_error why = LW_ERROR_INIT;
        st = load_once(resource, has_history, &why);
        if (lw_load_gives_up_history(cache, st, &why, &has_history))
            st = LW_ERR_EXPIRED;
        else if (st < 0 && err)
            *err = why;
    }
    if (st == LW_OK)
        return LW_OK;
    lw_mutex_lock(&cache->apply_mu);
    lw_resource_reset(resource, LW_RESOURCE_BROKEN, resource->revision);
    lw_mutex_unlock(&cache->apply_mu);
    return st;
}

lw_status lw_resource_load(lw_cache_resource *resource, lw_error *err)
{
    lw_mutex_lock(&resource->cache->load_mu);
    lw_status st = lw_resource_load_locked(resource, err);
    lw_mutex_unlock(&resource->cache->load_mu);
    return st;
}

/* The changes after the cache's revision are lost: marks every resource as BROKEN, so that its next
 * reader loads it, at |current| or later. */
static void break_all(lw_cache *cache, uint64_t current)
{
    lw_mutex_lock(&cache->apply_mu);
    lw_map_cursor at = lw_map_begin(&cache->resources);
    for (lw_cache_resource *resource; (resource = lw_map_next(&cache->resources, &at));) {
        if (resource->is_fed)
            continue;
        lw_resource_reset(resource, LW_RESOURCE_BROKEN, current);
        lw_apply_mark_dirty_locked(resource);
    }
    lw_reload_wake_locked(cache);
    lw_apply_publish_locked(cache, current);
    lw_mutex_unlock(&cache->apply_mu);
}

static lw_status reconnect_locked(lw_cache *cache, lw_error *err)
{
    const lw_store_sink sink = lw_cache_sink(cache);
    lw_store_watch_close(cache->store, cache->watch);
    cache->watch = NULL;
    atomic_store_explicit(&cache->is_disconnected, false, memory_order_release);
    uint64_t after = lw_cache_revision(cache);
    lw_status st = LW_ERR_EXPIRED;
    for (int i = 0; st == LW_ERR_EXPIRED && i < LW_LOAD_TRIES; i++) {
        st = lw_store_watch_open(cache->store, LW_STR(""), after, &sink, &cache->watch, err);
        if (st == LW_ERR_EXPIRED) {
            uint64_t compacted;
            lw_store_revisions(cache->store, &after, &compacted);
            if (after < compacted)
                after = compacted; /* the store itself has started again, with a new history */
            break_all(cache, after);
        }
    }
    if (st < 0)
        atomic_store_explicit(&cache->is_disconnected, true, memory_order_release);
    return st;
}

lw_status lw_cache_reconnect(lw_cache *cache, lw_error *err)
{
    lw_status st = LW_OK;
    lw_mutex_lock(&cache->load_mu);
    if (atomic_load_explicit(&cache->is_disconnected, memory_order_acquire))
        st = reconnect_locked(cache, err);
    lw_mutex_unlock(&cache->load_mu);
    return st;
}
