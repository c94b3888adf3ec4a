/* SPDX-License-Identifier: Apache-2.0 */
/* packing_sweep.c -- packs what is open in a resource: first the objects, then the changes, which
 * find the copies of the objects.
 *
 * Nothing is locked while objects are packed; what has changed meanwhile is left alone. */
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "cache/scope.h"
#include "cache/state.h"

enum {
    BATCH = 64,      /* objects packed between two locks */
    EXAMINED = 4096, /* objects looked at between two locks */
};

/* An object and its packed copy, both references. */
typedef struct pair {
    lw_object *open, *packed;
} pair;

typedef struct batch {
    pair pairs[2 * BATCH]; /* a change has up to two objects */
    size_t count;
} batch;

/* Adds |obj| if it can be packed.  NULL does nothing. */
static void batch_add(batch *b, lw_cache_resource *resource, lw_object *obj)
{
    if (!obj || lw_compact_is_packed(obj))
        return;
    lw_object *packed = lw_cache_packing_pack(resource, obj);
    if (packed != obj)
        b->pairs[b->count++] = (pair){ lw_object_ref(obj), packed };
    else
        lw_object_unref(packed);
}

static void batch_clear(batch *b)
{
    for (size_t i = 0; i < b->count; i++) {
        lw_object_unref(b->pairs[i].open);
        lw_object_unref(b->pairs[i].packed);
    }
    b->count = 0;
}

/* Objects. */

/* The place of a sweep: the smallest key that it has not seen. */
typedef struct place {
    char key[LW_STORE_KEY_MAX + 1];
    size_t len;
} place;

static void place_after(place *at, const lw_cache_resource *resource, const lw_object *obj)
{
    char storage[LW_STORE_KEY_MAX];
    lw_str key;
    if (!lw_scope_key(resource->is_namespaced, lw_str_of(lw_object_namespace(obj)),
                      lw_str_of(lw_object_name(obj)), storage, &key))
        return; /* not of an object in the index */
    memcpy(at->key, key.ptr, key.len);
    at->key[key.len] = '\0';
    at->len = key.len + 1;
}

/* Packs the next objects.  False: there are no more. */
static bool pack_objects(lw_cache_resource *resource, place *at, batch *b)
{
    lw_rwlock_read(&resource->lock);
    lw_index objects = lw_index_snapshot(&resource->index);
    lw_rwlock_unlock(&resource->lock);
    lw_index_cursor cursor =
        lw_index_seek(&objects, lw_index_rank(&objects, lw_str_make(at->key, at->len)));
    const lw_object *obj = NULL, *last = NULL;
    for (size_t i = 0; i < EXAMINED && b->count < BATCH; i++) {
        obj = lw_index_next(&objects, &cursor);
        if (!obj)
            break;
        last = obj;
        batch_add(b, resource, (lw_object *)(uintptr_t)obj);
    }
    if (last)
        place_after(at, resource, last);
    lw_index_done(&objects);
    return obj != NULL;
}

/* False: the cache is stopping. */
static bool swap_objects(lw_cache_resource *resource, batch *b)
{
    lw_cache *cache = resource->cache;
    lw_mutex_lock(&cache->apply_mu);
    bool goes_on = !cache->packing.is_stopping;
    lw_resource_hold(resource);
    for (size_t i = 0; i < b->count; i++)
        lw_resource_swap(resource, b->pairs[i].open, b->pairs[i].packed);
    lw_resource_release(resource);
    lw_mutex_unlock(&cache->apply_mu);
    batch_clear(b);
    return goes_on;
}

/* Changes. */

/* Returns true if nobody reads |change| any more, most likely. */
static bool is_at_rest(const lw_cache_resource *resource, const lw_cache_change *change,
                       uint64_t seq)
{
    const lw_cache *cache = resource->cache;
    int64_t rested = lw_clock_now(cache->clock) - lw_cache_packing_rest_ns(cache);
    return change->received_ns <= rested ||
           seq + LW_CACHE_PACKING_OPEN_CHANGES < lw_ring_next_seq(&resource->ring.ring);
}

/* Copies the next changes, with references; returns how many, and the number of the first. */
static size_t copy_changes(lw_cache_resource *resource, lw_cache_change *changes, uint64_t *first)
{
    const lw_event_ring *ring = &resource->ring;
    size_t count = 0;
    lw_mutex_lock(&resource->cache->apply_mu);
    *first = lw_ring_first_seq(&ring->ring);
    if (*first < resource->packing.next_seq)
        *first = resource->packing.next_seq;
    for (; count < BATCH; count++) {
        const lw_cache_change *change = lw_event_ring_at(ring, *first + count);
        if (!change || !is_at_rest(resource, change, *first + count))
            break;
        changes[count] = *change;
        (void)lw_object_ref(change->object);
        if (change->prev)
            (void)lw_object_ref(change->prev);
    }
    lw_mutex_unlock(&resource->cache->apply_mu);
    return count;
}

/* False: the cache is stopping. */
static bool swap_changes(lw_cache_resource *resource, const batch *b, uint64_t first, size_t count)
{
    lw_mutex_lock(&resource->cache->apply_mu);
    bool goes_on = !resource->cache->packing.is_stopping;
    lw_resource_hold(resource);
    for (size_t i = 0; i < b->count; i++) {
        for (size_t j = 0; j < count; j++)
            lw_event_ring_swap(&resource->ring, first + j, b->pairs[i].open, b->pairs[i].packed);
    }
    resource->packing.next_seq = first + count;
    lw_resource_release(resource);
    lw_mutex_unlock(&resource->cache->apply_mu);
    return goes_on;
}

/* Packs the next changes.  False: there are no more, or the cache is stopping. */
static bool pack_changes(lw_cache_resource *resource, batch *b)
{
    lw_cache_change changes[BATCH];
    uint64_t first;
    size_t count = copy_changes(resource, changes, &first);
    for (size_t i = 0; i < count; i++) {
        batch_add(b, resource, changes[i].object);
        batch_add(b, resource, changes[i].prev);
    }
    bool goes_on = swap_changes(resource, b, first, count);
    batch_clear(b);
    for (size_t i = 0; i < count; i++)
        lw_cache_change_done(&changes[i]);
    return goes_on && count == BATCH;
}

/* What is too young now is packed later. */
static void expect_rest(lw_cache_resource *resource)
{
    lw_cache *cache = resource->cache;
    lw_mutex_lock(&cache->apply_mu);
    if (!cache->packing.is_stopping && lw_cache_packing_is_wanted_locked(resource) &&
        resource->packing.next_seq < lw_ring_next_seq(&resource->ring.ring))
        lw_cache_packing_expect_locked(resource);
    lw_mutex_unlock(&cache->apply_mu);
}

void lw_cache_packing_sweep(lw_cache_resource *resource)
{
    batch b = { .count = 0 };
    place at = { .len = 0 };
    bool has_more = true, goes_on = true;
    while (has_more && goes_on) {
        has_more = pack_objects(resource, &at, &b);
        goes_on = swap_objects(resource, &b);
    }
    while (goes_on && pack_changes(resource, &b))
        continue;
    expect_rest(resource);
}
