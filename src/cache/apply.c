/* SPDX-License-Identifier: Apache-2.0 */
/* apply.c -- applies the store's changes, batch by batch, on the store's thread.
 *
 * An object written through the API comes with its event (event.attachment) and only gets its
 * revision here; an object from the store's history is parsed.  A batch wakes each port once.
 *
 * The store can neither wait nor repeat an event.  So when memory runs out here, or a value cannot
 * be decrypted, the resource is reset and marked BROKEN: no reader sees a state in which a change
 * is missing (resource.h). */
#include "cache/apply.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "cache/port.h"
#include "cache/reload.h"
#include "cache/state.h"

lw_cache_resource *lw_cache_find_locked(lw_cache *cache, lw_str key)
{
    for (size_t len = key.len; len > 0; len--) {
        if (key.ptr[len - 1] != '/')
            continue;
        lw_cache_resource *found = lw_map_get_str(&cache->resources, lw_str_make(key.ptr, len));
        if (found)
            return found;
    }
    return NULL;
}

lw_status lw_apply_error(lw_error *err, lw_status st, lw_str key)
{
    if (st == LW_ERR_NOMEM)
        return lw_error_nomem(err);
    return lw_error_set(
        err, st, "the value of key %.*s in the store is an object with another name or namespace",
        LW_STR_ARG(key));
}

static lw_status make_object(lw_cache *cache, const lw_store_event *event, lw_object **out,
                             lw_error *err)
{
    if (event->unreadable) {
        if (err)
            *err = *event->unreadable;
        return event->unreadable->code;
    }
    if (!event->attachment) {
        const lw_store_record record = { .key = event->key,
                                         .value = event->value,
                                         .mod_revision = event->revision,
                                         .is_stale = event->is_stale };
        return lw_value_parse(&cache->parser, &record, out, err);
    }
    lw_status st = lw_object_with_revision(out, event->attachment, event->revision);
    return st < 0 ? lw_error_nomem(err) : LW_OK;
}

lw_status lw_apply_change_locked(lw_cache_resource *resource, const lw_store_event *event,
                                 lw_error *err)
{
    if (event->revision <= resource->settled)
        return LW_OK;
    lw_object *obj = NULL;
    lw_str key = lw_str_skip(event->key, resource->prefix.len);
    lw_status st;
    if (event->is_delete) {
        st = lw_resource_remove(resource, key, event->revision);
    } else {
        st = make_object(resource->cache, event, &obj, err);
        if (st < 0)
            return st;
        st = lw_resource_put(resource, key, obj, event->revision, true);
        lw_object_unref(obj);
    }
    return st < 0 ? lw_apply_error(err, st, event->key) : LW_OK;
}

void lw_apply_mark_dirty_locked(lw_cache_resource *resource)
{
    if (!lw_dlist_node_is_linked(&resource->dirty_link))
        lw_dlist_push_back(&resource->cache->dirty, &resource->dirty_link);
}

void lw_apply_publish_locked(lw_cache *cache, uint64_t revision)
{
    /* Sequentially consistent: a waiter registers its wait and then reads the revision; this
     * function stores the revision and then looks for waits.  So one of the two sees the other. */
    atomic_store(&cache->revision, revision);
    lw_cond_broadcast(&cache->progressed);
    lw_ports_notify(cache, revision);
}

/* Applies a change from the cache's own watch.  The caller has nobody to return an error to, so it
 * is stored in |error|. */
static void follow_change_locked(lw_cache *cache, const lw_store_event *event, lw_error *error)
{
    lw_cache_resource *resource = lw_cache_find_locked(cache, event->key);
    if (!resource)
        return;
    if (resource->state != LW_RESOURCE_FOLLOWING) {
        resource->skipped_revision = event->revision;
        return;
    }
    lw_error err = LW_ERROR_INIT;
    lw_status st = lw_apply_change_locked(resource, event, &err);
    if (st < 0 && cache->phase == LW_CACHE_STARTING) {
        if (cache->start_error.code == LW_OK)
            cache->start_error = err;
        return;
    }
    if (st == LW_ERR_NOMEM || event->unreadable) {
        lw_resource_reset(resource, LW_RESOURCE_BROKEN, event->revision);
        resource->skipped_revision = event->revision;
        lw_reload_wake_locked(cache);
    }
    if (st == LW_ERR_NOMEM) {
        (void)lw_error_set(
            &err, st,
            "out of memory: the cache of %s was dropped and will be reloaded from the store",
            resource->prefix_text);
    }
    if (st < 0)
        *error = err;
    lw_apply_mark_dirty_locked(resource);
}

size_t lw_apply_same_revision(const lw_store_event *events, size_t count)
{
    size_t together = 1;
    while (together < count && events[together].revision == events[0].revision)
        together++;
    return together;
}

/* Applies the |count| changes of one revision. */
static void follow_revision_locked(lw_cache *cache, const lw_store_event *events, size_t count,
                                   lw_error *error)
{
    for (size_t i = 0; i < count && count > 1; i++) {
        lw_cache_resource *resource = lw_cache_find_locked(cache, events[i].key);
        if (resource)
            lw_resource_hold(resource);
    }
    for (size_t i = 0; i < count; i++)
        follow_change_locked(cache, &events[i], error);
    for (size_t i = 0; i < count && count > 1; i++) {
        lw_cache_resource *resource = lw_cache_find_locked(cache, events[i].key);
        if (resource)
            lw_resource_release(resource);
    }
}

static void on_events(const lw_store_event *events, size_t count, uint64_t revision, void *arg)
{
    lw_cache *cache = arg;
    lw_error error = LW_ERROR_INIT;
    lw_mutex_lock(&cache->apply_mu);
    cache->received_ns = cache->phase == LW_CACHE_RUNNING ? lw_clock_now(cache->clock) : 0;
    for (size_t i = 0, together; i < count; i += together) {
        together = lw_apply_same_revision(events + i, count - i);
        follow_revision_locked(cache, events + i, together, &error);
    }
    LW_DLIST_FOR_EACH(lw_cache_resource, resource, &cache->dirty, dirty_link)
    resource->settled = resource->revision;
    cache->received_ns = 0;
    lw_apply_publish_locked(cache, revision);
    lw_mutex_unlock(&cache->apply_mu);
    if (error.code != LW_OK)
        lw_log(cache->logger, LW_LOG_ERROR, "cache", "%s", error.message);
}

static void on_compacted(uint64_t revision, void *arg)
{
    lw_cache *cache = arg;
    lw_mutex_lock(&cache->apply_mu);
    lw_map_cursor at = lw_map_begin(&cache->resources);
    for (lw_cache_resource *resource; (resource = lw_map_next(&cache->resources, &at));) {
        if (!resource->is_fed)
            lw_resource_forget(resource, revision);
    }
    lw_mutex_unlock(&cache->apply_mu);
}

static void on_end(const lw_error *err, void *arg)
{
    lw_cache *cache = arg;
    lw_mutex_lock(&cache->apply_mu);
    if (cache->phase == LW_CACHE_STARTING && cache->start_error.code == LW_OK)
        cache->start_error = *err;
    atomic_store_explicit(&cache->is_disconnected, true, memory_order_release);
    lw_reload_wake_locked(cache);
    lw_ports_wake_all(
        cache); /* if the store is not shared, the first port that dispatches reconnects */
    lw_mutex_unlock(&cache->apply_mu);
    lw_log(cache->logger, LW_LOG_WARN, "cache",
           "the store has ended the watch of the cache; reconnecting: %s", err->message);
}

lw_store_sink lw_cache_sink(lw_cache *cache)
{
    return (lw_store_sink){ on_events, on_compacted, on_end, cache };
}
