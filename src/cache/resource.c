/* SPDX-License-Identifier: Apache-2.0 */
/* resource.c -- changes and reads one resource.
 *
 * Objects are created before the lock is taken and freed after it is released: while it is held,
 * only a few nodes of the index and one element of the ring are touched. */
#include "cache/resource.h"

#include <assert.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "cache/load.h"
#include "cache/scope.h"
#include "cache/state.h"
#include "object/object.h"

enum {
    EVICT_AT_ONCE = 64, /* changes evicted per hold of the lock */
    READ_TRIES = 3,     /* how often a reader loads a resource that breaks again meanwhile */
};

lw_status lw_resource_new(lw_cache_resource **out, lw_cache *cache, lw_str prefix,
                          bool is_namespaced, size_t max_ring_events)
{
    lw_cache_resource *resource = lw_alloc_zero(1, sizeof(*resource));
    char *text = lw_str_dup(prefix);
    if (!resource || !text) {
        lw_free(resource);
        lw_free(text);
        return LW_ERR_NOMEM;
    }
    lw_ref_init(&resource->ref);
    resource->cache = cache;
    resource->prefix_text = text;
    resource->prefix = lw_str_make(text, prefix.len);
    resource->is_namespaced = is_namespaced;
    lw_dlist_init(&resource->subscriptions);
    lw_rwlock_init(&resource->lock);
    lw_resource_packing_init(&resource->packing);
    lw_index_init(&resource->index, is_namespaced);
    lw_event_ring_init(&resource->ring, max_ring_events, 1, 0);
    atomic_init(&resource->next_seq, 1);
    atomic_init(&resource->watchers, 0);
    atomic_init(&resource->is_removed, false);
    atomic_init(&resource->progress, 0);
    *out = resource;
    return LW_OK;
}

lw_cache_resource *lw_cache_resource_ref(lw_cache_resource *resource)
{
    lw_ref_inc(&resource->ref);
    return resource;
}

void lw_cache_resource_unref(lw_cache_resource *resource)
{
    if (!resource || !lw_ref_dec(&resource->ref))
        return;
    assert(lw_dlist_is_empty(&resource->subscriptions));
    lw_index_done(&resource->index);
    lw_event_ring_done(&resource->ring);
    lw_resource_packing_done(&resource->packing);
    lw_rwlock_done(&resource->lock);
    lw_free(resource->prefix_text);
    lw_free(resource);
}

void lw_cache_observe(lw_cache_resource *resource, const lw_cache_observer *observer)
{
    resource->observer = *observer;
}

static void lock_write(lw_cache_resource *resource)
{
    if (!resource->is_held)
        lw_rwlock_write(&resource->lock);
}

static void unlock_write(lw_cache_resource *resource)
{
    if (!resource->is_held)
        lw_rwlock_unlock(&resource->lock);
}

/* Publishes the number of the next change to readers without the lock; all changes of one revision
 * become visible at once. */
static void show_next_seq(lw_cache_resource *resource)
{
    if (!resource->is_held)
        atomic_store_explicit(&resource->next_seq, lw_ring_next_seq(&resource->ring.ring),
                              memory_order_release);
}

void lw_resource_hold(lw_cache_resource *resource)
{
    lock_write(resource);
    resource->is_held = true;
}

void lw_resource_release(lw_cache_resource *resource)
{
    if (!resource->is_held)
        return;
    resource->is_held = false;
    show_next_seq(resource);
    lw_rwlock_unlock(&resource->lock);
}

void lw_resource_reset(lw_cache_resource *resource, lw_resource_state state, uint64_t revision)
{
    lock_write(resource);
    lw_index objects = resource->index;
    lw_event_ring changes = resource->ring;
    uint64_t next = lw_ring_next_seq(&changes.ring) + 1;
    lw_index_init(&resource->index, resource->is_namespaced);
    lw_event_ring_init(&resource->ring, changes.ring.limit, next, revision);
    resource->ring.total = changes.total;
    resource->object_bytes = 0;
    resource->stale_objects = 0;
    resource->packed_objects = 0;
    resource->revision = revision;
    resource->state = state;
    resource->settled = revision;
    show_next_seq(resource);
    unlock_write(resource);
    if (resource->observer.reset)
        resource->observer.reset(resource->observer.arg);
    lw_index_done(&objects);
    lw_event_ring_done(&changes);
}

void lw_resource_set_state(lw_cache_resource *resource, lw_resource_state state)
{
    lock_write(resource);
    resource->state = state;
    unlock_write(resource);
}

/* Appends |change| and takes its references; the lock is held. */
static lw_status push_take_locked(lw_cache_resource *resource, const lw_cache_change *change,
                                  lw_cache_change *evicted)
{
    lw_status st = lw_event_ring_push_take(&resource->ring, change, evicted);
    if (st == LW_OK)
        show_next_seq(resource);
    return st;
}

static void count_objects_locked(lw_cache_resource *resource, const lw_object *came,
                                 const lw_object *went)
{
    resource->object_bytes += lw_cache_object_open_bytes(came);
    resource->object_bytes -= lw_cache_object_open_bytes(went);
    resource->stale_objects += came && lw_object__is_stale(came);
    resource->stale_objects -= went && lw_object__is_stale(went);
    resource->packed_objects += came && lw_compact_is_packed(came);
    resource->packed_objects -= went && lw_compact_is_packed(went);
}

/* Tells the observer of |obj|, which may be packed. */
static lw_status observe_put(const lw_cache_resource *resource, const lw_object *obj)
{
    if (!resource->observer.put)
        return LW_OK;
    lw_object *opened = lw_compact_open_ref(obj);
    lw_status st = opened ? resource->observer.put(opened, resource->observer.arg) : LW_ERR_NOMEM;
    lw_object_unref(opened);
    return st;
}

lw_status lw_resource_put(lw_cache_resource *resource, lw_str key, const lw_object *obj,
                          uint64_t revision, bool is_change)
{
    if (!lw_index_has_key(&resource->index, obj, key))
        return LW_ERR_INVALID;
    lw_object *before = NULL, *kept = lw_cache_packing_take_locked(resource, obj);
    lw_cache_change evicted = { 0 };
    lock_write(resource);
    lw_status st = lw_index_put(&resource->index, key, kept, &before);
    if (st == LW_OK)
        count_objects_locked(resource, kept, before);
    if (st == LW_OK && is_change) {
        const lw_cache_change change = {
            .revision = revision,
            .type = before ? LW_WATCH_MODIFIED : LW_WATCH_ADDED,
            .object = lw_object_ref(kept),
            .prev = before,
            .received_ns = resource->cache->received_ns,
            .is_relisted = resource->is_relisting,
        };
        before = NULL;
        resource->revision = revision;
        st = push_take_locked(resource, &change, &evicted);
    }
    unlock_write(resource);
    if (st == LW_OK && is_change)
        lw_cache_saving_changed_locked(resource, lw_cache_object_open_bytes(kept));
    if (st == LW_OK)
        st = observe_put(resource, obj);
    lw_object_unref(before);
    lw_object_unref(kept);
    lw_cache_change_done(&evicted);
    return st < 0 ? LW_ERR_NOMEM : LW_OK;
}

lw_status lw_resource_put_loaded(lw_cache_resource *resource, lw_str key, const lw_object *kept,
                                 const lw_object *opened)
{
    lw_object *before = NULL;
    if (!lw_index_has_key(&resource->index, kept, key))
        return LW_ERR_INVALID;
    lock_write(resource);
    lw_status st = lw_index_put(&resource->index, key, kept, &before);
    if (st == LW_OK)
        count_objects_locked(resource, kept, before);
    unlock_write(resource);
    if (st == LW_OK && opened)
        st = observe_put(resource, opened);
    lw_object_unref(before);
    return st < 0 ? LW_ERR_NOMEM : LW_OK;
}

void lw_resource_swap(lw_cache_resource *resource, const lw_object *old, const lw_object *packed)
{
    char storage[LW_STORE_KEY_MAX];
    lw_str key;
    lw_object *before = NULL;
    if (!lw_scope_key(resource->is_namespaced, lw_str_of(lw_object_namespace(old)),
                      lw_str_of(lw_object_name(old)), storage, &key) ||
        lw_index_find(&resource->index, key) != old)
        return;
    lock_write(resource);
    if (lw_index_put(&resource->index, key, packed, &before) == LW_OK)
        count_objects_locked(resource, packed, before);
    unlock_write(resource);
    lw_object_unref(before);
}

/* Makes the last content of |found| with |revision|.  LW_ERR_NOMEM. */
static lw_status make_last(const lw_object *found, uint64_t revision, lw_object **out)
{
    lw_object *opened = lw_compact_open_ref(found);
    lw_status st = opened ? lw_object_with_revision(out, opened, revision) : LW_ERR_NOMEM;
    lw_object_unref(opened);
    return st;
}

lw_status lw_resource_remove(lw_cache_resource *resource, lw_str key, uint64_t revision)
{
    const lw_object *found = lw_index_find(&resource->index, key);
    lw_object *last = NULL, *removed = NULL;
    lw_cache_change evicted = { 0 };
    /* When exactly it was deleted is not known, and others may have been deleted before it: whoever
     * resumes from this event must see them (feed.c). */
    uint64_t told = resource->is_relisting ? resource->gap_from : revision;
    if (found && make_last(found, told, &last) < 0)
        return LW_ERR_NOMEM;
    lw_status st = LW_OK;
    lock_write(resource);
    if (found)
        st = lw_index_remove(&resource->index, key, &removed);
    if (removed) {
        const lw_cache_change change = { .revision = revision,
                                         .type = LW_WATCH_DELETED,
                                         .object = last,
                                         .received_ns = resource->cache->received_ns,
                                         .is_relisted = resource->is_relisting };
        last = NULL;
        count_objects_locked(resource, NULL, removed);
        st = push_take_locked(resource, &change, &evicted);
    }
    if (st == LW_OK)
        resource->revision = revision;
    unlock_write(resource);
    if (removed)
        lw_cache_saving_changed_locked(resource, lw_cache_object_open_bytes(removed));
    if (removed && resource->observer.remove)
        resource->observer.remove(removed, resource->observer.arg);
    lw_object_unref(last);
    lw_object_unref(removed);
    lw_cache_change_done(&evicted);
    return st < 0 ? LW_ERR_NOMEM : LW_OK;
}

void lw_resource_forget(lw_cache_resource *resource, uint64_t revision)
{
    lw_cache_change evicted[EVICT_AT_ONCE];
    size_t count;
    do {
        lw_rwlock_write(&resource->lock);
        count = lw_event_ring_evict(&resource->ring, revision, evicted, EVICT_AT_ONCE);
        lw_rwlock_unlock(&resource->lock);
        for (size_t i = 0; i < count; i++)
            lw_cache_change_done(&evicted[i]);
    } while (count == EVICT_AT_ONCE);
}

void lw_resource_trim(lw_cache_resource *resource, size_t max_bytes)
{
    lw_cache_change evicted[EVICT_AT_ONCE];
    for (size_t count = 1; count > 0;) {
        count = 0;
        lw_rwlock_write(&resource->lock);
        const lw_event_ring *ring = &resource->ring;
        size_t length = lw_ring_count(&ring->ring);
        if (ring->bytes > max_bytes && length > 0) {
            size_t some = length < EVICT_AT_ONCE ? length : EVICT_AT_ONCE;
            uint64_t last = lw_ring_next_seq(&ring->ring) - length + some - 1;
            count = lw_event_ring_evict(&resource->ring, lw_event_ring_at(ring, last)->revision,
                                        evicted, EVICT_AT_ONCE);
        }
        lw_rwlock_unlock(&resource->lock);
        for (size_t i = 0; i < count; i++)
            lw_cache_change_done(&evicted[i]);
    }
}

lw_status lw_resource_begin_read(lw_cache_resource *resource, lw_error *err)
{
    lw_status st = LW_OK;
    bool is_shared = resource->cache->is_shared || resource->is_fed;
    if (!is_shared && atomic_load_explicit(&resource->cache->is_disconnected, memory_order_acquire))
        st = lw_cache_reconnect(resource->cache, err);
    for (int i = 0; st == LW_OK && i < READ_TRIES; i++) {
        lw_rwlock_read(&resource->lock);
        if (resource->state == LW_RESOURCE_FOLLOWING || resource->state == LW_RESOURCE_NEW ||
            resource->state == LW_RESOURCE_REMOVED)
            return LW_OK;
        lw_rwlock_unlock(&resource->lock);
        st = resource->is_fed
                 ? lw_error_set(err, LW_ERR_UNAVAILABLE,
                                "%s has not been read from the upstream server yet; try again",
                                resource->prefix_text)
             : is_shared ? lw_error_set(err, LW_ERR_UNAVAILABLE,
                                        "the watch cache is reloading %s from the store; try again",
                                        resource->prefix_text)
                         : lw_resource_load(resource, err);
    }
    return st < 0 ? st
                  : lw_error_nomem(err); /* nothing but a lack of memory breaks it repeatedly */
}

void lw_resource_end_read(lw_cache_resource *resource)
{
    lw_rwlock_unlock(&resource->lock);
}

uint64_t lw_resource_progress(const lw_cache_resource *resource)
{
    return resource->is_fed ? atomic_load(&resource->progress) : lw_cache_revision(resource->cache);
}

uint64_t lw_cache_resource_revision(const lw_cache_resource *resource)
{
    return lw_resource_progress(resource);
}

uint64_t lw_cache_resource_changes(const lw_cache_resource *resource)
{
    return atomic_load_explicit(&resource->next_seq, memory_order_acquire);
}

bool lw_resource_has_history_locked(const lw_cache_resource *resource, uint64_t revision)
{
    bool is_in_gap = resource->gap_from < revision && revision < resource->gap_to;
    bool is_lost = revision > lw_resource_progress(resource) && revision <= resource->lost_until;
    return revision >= resource->ring.oldest && !is_in_gap && !is_lost;
}

uint64_t lw_resource_revision_locked(const lw_cache_resource *resource)
{
    /* All resources have every change up to the cache's revision.  If this resource is beyond it, a
     * batch is being applied and the resource's own revision is exact. */
    uint64_t all = lw_resource_progress(resource);
    return all > resource->revision ? all : resource->revision;
}

lw_object *lw_cache_get_ref(lw_cache_resource *resource, lw_str ns, lw_str name)
{
    char storage[LW_STORE_KEY_MAX];
    lw_str key;
    if (!lw_scope_key(resource->is_namespaced, ns, name, storage, &key) ||
        lw_resource_begin_read(resource, NULL) < 0)
        return NULL;
    const lw_object *found = lw_index_find(&resource->index, key);
    lw_object *obj = found ? lw_object_ref(found) : NULL;
    lw_resource_end_read(resource);
    /* Without memory it stays packed: to say that there is none would be worse. */
    if (obj)
        (void)lw_compact_open(&obj);
    return obj;
}

void lw_cache_resource_stats(lw_cache_resource *resource, lw_cache_stats *stats)
{
    lw_rwlock_read(&resource->lock);
    *stats = (lw_cache_stats){
        .objects = lw_index_count(&resource->index),
        .object_bytes = resource->object_bytes,
        .stale_objects = resource->stale_objects,
        .packed_objects = resource->packed_objects,
        .ring_events = lw_ring_count(&resource->ring.ring),
        .ring_bytes = resource->ring.bytes,
        .watchers = atomic_load_explicit(&resource->watchers, memory_order_relaxed),
        .events = resource->ring.total,
        .oldest_revision = resource->ring.oldest + 1,
    };
    lw_rwlock_unlock(&resource->lock);
}
