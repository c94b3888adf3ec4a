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

#include "base/alloc.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "cache/apply.h"
#include "cache/load_pipe.h"
#include "cache/port.h"
#include "cache/reload.h"
#include "cache/state.h"

/* The reading of a state. */
typedef struct loading {
    lw_cache_resource *resource;
    lw_load_pipe pipe;
    lw_copy_name name;
    lw_copy_reader *copy; /* NULL: there is none */
    size_t copied, copied_bytes;
    lw_status st; /* of the last object of the copy */
    lw_error why;
} loading;

static void open_copy(loading *l)
{
    if (!lw_copy_name_of(l->resource, &l->name))
        return;
    const lw_copy_source source = { .path = l->name.path,
                                    .identity = lw_str_of(l->name.identity),
                                    .index = &l->resource->index,
                                    .compact = &lw_cache_packer_options };
    l->copy = lw_copy_reader_open(&source);
}

/* Takes the object from the copy if it is that of the record.  After an error the record is read,
 * because only load_record can return it. */
static bool load_known(const lw_store_head *head, void *arg)
{
    loading *l = arg;
    lw_str key = lw_str_skip(head->key, l->resource->prefix.len);
    lw_object *obj = l->copy ? lw_copy_reader_take(l->copy, head, key) : NULL;
    if (!obj)
        return false;
    l->copied++;
    l->copied_bytes += lw_cache_object_open_bytes(obj);
    l->st = lw_load_pipe_take_saved(&l->pipe, head->key, obj, &l->why);
    return l->st == LW_OK;
}

static lw_status load_record(const lw_store_record *record, void *arg, lw_error *err)
{
    loading *l = arg;
    if (l->st == LW_OK)
        return lw_load_pipe_take(&l->pipe, record, err);
    if (err)
        *err = l->why;
    return l->st;
}

static void close_copy(loading *l, lw_status st)
{
    const lw_cache_resource *resource = l->resource;
    lw_compact *packer = NULL;
    lw_error why = LW_ERROR_INIT;
    if (lw_copy_reader_close(l->copy, &packer, &why) < 0)
        lw_log(resource->cache->logger, LW_LOG_WARN, "cache",
               "the saved copy %s is not used, so this start takes longer: %s", l->name.path,
               why.message);
    if (l->copied > 0)
        lw_cache_packing_adopt_take(l->resource, packer);
    else
        lw_compact_close(packer);
    if (st == LW_OK && l->copied > 0)
        lw_log(resource->cache->logger, LW_LOG_INFO, "cache",
               "%zu objects of %s come from their saved copy", l->copied, resource->prefix_text);
    lw_copy_name_done(&l->name);
}

static lw_status load_state(loading *l, uint64_t revision, lw_error *err)
{
    const lw_cache_resource *resource = l->resource;
    char end[LW_STORE_KEY_MAX];
    lw_store_range range = { .start = resource->prefix, .revision = revision, .has = load_known };
    lw_store_range_result result;
    lw_error why = LW_ERROR_INIT;
    lw_store_prefix_end(resource->prefix, end, &range.end);
    lw_status st = lw_load_pipe_init(&l->pipe, l->resource, err);
    if (st < 0)
        return st;
    open_copy(l);
    lw_status read = lw_store_read(resource->cache->store, &range, load_record, l, &result, err);
    close_copy(l, read);
    /* A record that was read before is the first one with an error. */
    st = lw_load_pipe_finish(&l->pipe, &why);
    if (st < 0 && err)
        *err = why;
    lw_load_pipe_done(&l->pipe);
    return st < 0 ? st : read;
}

lw_status lw_resource_load_state(lw_cache_resource *resource, uint64_t revision, lw_error *err)
{
    if (revision == 0)
        return LW_OK; /* the store was empty then, and it takes revision 0 as "now" */
    loading *l = lw_alloc_zero(1, sizeof(*l));
    if (!l)
        return lw_error_nomem(err);
    l->resource = resource;
    l->why = (lw_error)LW_ERROR_INIT;
    lw_status st = load_state(l, revision, err);
    if (st == LW_OK)
        lw_cache_saving_loaded(resource, l->copied, l->copied_bytes);
    lw_free(l);
    return st;
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
