/* SPDX-License-Identifier: Apache-2.0 */
/* feed.c -- resources whose objects come from another API server.
 *
 * The difference of a relist is applied as one: deletions first, then the other changes in the
 * order of their revisions.  The deletions have a place in the history after the last revision
 * before the relist, from + 1, but their objects have |from|: when each one really happened is not
 * known, and one of them may have happened at from + 1.  So a client without selectors that is cut
 * off in the middle can go on at the upstream from the resourceVersion that it has seen last, and
 * misses nothing.
 *
 * A mirror of a mirror therefore gets deletions that are not later than what it has published
 * already.  It cannot tell its own clients so one by one (those who have seen |from| would not see
 * them), and lists again. */
#include "cache/feed.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "cache/apply.h"
#include "cache/port.h"
#include "cache/scope.h"
#include "cache/state.h"

void lw_feed_init(lw_cache_resource *resource)
{
    lw_mutex_lock(&resource->cache->apply_mu);
    resource->is_fed = true;
    lw_resource_reset(resource, LW_RESOURCE_LOADING, 0);
    lw_mutex_unlock(&resource->cache->apply_mu);
}

bool lw_feed_is_fed(const lw_cache_resource *resource)
{
    return resource->is_fed;
}

/* Empties the resource, because there was not enough memory for it. */
static lw_status lose_locked(lw_cache_resource *resource)
{
    lw_resource_release(resource);
    lw_resource_reset(resource, LW_RESOURCE_LOADING, lw_resource_progress(resource));
    lw_apply_mark_dirty_locked(resource);
    return LW_ERR_NOMEM;
}

static bool key_of(const lw_cache_resource *resource, const lw_object *obj, char *storage,
                   lw_str *key)
{
    lw_key names = lw_object_key(obj);
    return lw_scope_key(resource->is_namespaced, names.ns, names.name, storage, key);
}

/* Asks for the memory of an object that will be put soon; after a list it is cold. */
static void prefetch(lw_object *const *objects, size_t index, size_t count)
{
    enum {
        AHEAD = 8,
        LINE = 64,
        LINES = 4
    };
    if (index + AHEAD >= count)
        return;
    __builtin_prefetch(objects[index + AHEAD], 1); /* the reference count changes */
    for (size_t i = 1; i < LINES; i++)
        __builtin_prefetch((const char *)objects[index + AHEAD] + i * LINE);
}

void lw_feed_begin(lw_cache_resource *resource)
{
    lw_cache *cache = resource->cache;
    lw_mutex_lock(&cache->apply_mu);
    cache->received_ns = lw_clock_now(cache->clock);
}

/* Makes |revision| that of the resource, and wakes what waits for it. */
static void publish_locked(lw_cache_resource *resource, uint64_t revision)
{
    lw_cache *cache = resource->cache;
    /* As in lw_apply_publish_locked: first the revision, then the waits. */
    atomic_store(&resource->progress, revision);
    resource->settled = resource->revision;
    lw_apply_mark_dirty_locked(resource);
    lw_ports_notify(cache, revision);
}

void lw_feed_publish(lw_cache_resource *resource, uint64_t revision, size_t history_bytes)
{
    uint64_t progress = atomic_load(&resource->progress);
    if (resource->state == LW_RESOURCE_FOLLOWING && revision < resource->revision)
        revision = resource->revision;
    if (resource->state == LW_RESOURCE_FOLLOWING && revision > progress) {
        if (history_bytes > 0)
            lw_resource_trim(resource, history_bytes);
        publish_locked(resource, revision);
    }
}

void lw_feed_end(lw_cache_resource *resource, uint64_t revision, size_t history_bytes)
{
    lw_cache *cache = resource->cache;
    lw_feed_publish(resource, revision, history_bytes);
    cache->received_ns = 0;
    lw_mutex_unlock(&cache->apply_mu);
}

/* Several changes may have the same revision. */
static bool is_later(const lw_cache_resource *resource, uint64_t revision)
{
    return revision > atomic_load(&resource->progress) && revision >= resource->revision;
}

lw_status lw_feed_put(lw_cache_resource *resource, const lw_object *obj)
{
    char storage[LW_STORE_KEY_MAX];
    lw_str key;
    uint64_t revision = lw_object_revision(obj);
    if (revision == 0 || !key_of(resource, obj, storage, &key))
        return LW_ERR_INVALID;
    if (resource->state != LW_RESOURCE_FOLLOWING)
        return LW_OK;
    if (!is_later(resource, revision))
        return LW_ERR_EXPIRED;
    lw_status st = lw_resource_put(resource, key, obj, revision, true);
    return st == LW_ERR_NOMEM ? lose_locked(resource) : st;
}

lw_status lw_feed_remove(lw_cache_resource *resource, const lw_object *last)
{
    char storage[LW_STORE_KEY_MAX];
    lw_str key;
    uint64_t revision = lw_object_revision(last);
    if (revision == 0 || !key_of(resource, last, storage, &key))
        return LW_ERR_INVALID;
    if (resource->state != LW_RESOURCE_FOLLOWING)
        return LW_OK;
    if (!is_later(resource, revision))
        return LW_ERR_EXPIRED;
    lw_status st = lw_resource_remove(resource, key, revision);
    return st == LW_ERR_NOMEM ? lose_locked(resource) : st;
}

/* Loads everything anew.  Watchers expire. */
static lw_status load_locked(lw_cache_resource *resource, lw_object *const *objects, size_t count,
                             uint64_t revision)
{
    char storage[LW_STORE_KEY_MAX];
    lw_str key;
    lw_status st = LW_OK;
    lw_resource_reset(resource, LW_RESOURCE_LOADING, revision);
    for (size_t i = 0; i < count && st == LW_OK; i++) {
        prefetch(objects, i, count);
        st = key_of(resource, objects[i], storage, &key) && lw_object_revision(objects[i]) > 0
                 ? lw_resource_put(resource, key, objects[i], lw_object_revision(objects[i]), false)
                 : LW_ERR_INVALID;
    }
    if (st == LW_OK)
        lw_resource_set_state(resource, LW_RESOURCE_FOLLOWING);
    return st;
}

/* What a relist has changed. */
typedef struct difference {
    lw_index wanted;     /* the new objects */
    lw_object **gone;    /* of the old ones; references */
    lw_object **changed; /* of |wanted|; references */
    size_t gone_count, changed_count;
} difference;

static void difference_done(difference *diff)
{
    for (size_t i = 0; i < diff->gone_count; i++)
        lw_object_unref(diff->gone[i]);
    for (size_t i = 0; i < diff->changed_count; i++)
        lw_object_unref(diff->changed[i]);
    lw_index_done(&diff->wanted);
    lw_free(diff->gone);
    lw_free(diff->changed);
}

static lw_status index_objects(difference *diff, const lw_cache_resource *resource,
                               lw_object *const *objects, size_t count)
{
    char storage[LW_STORE_KEY_MAX];
    lw_str key;
    lw_status st = LW_OK;
    lw_index_init(&diff->wanted, resource->is_namespaced);
    for (size_t i = 0; i < count && st == LW_OK; i++) {
        lw_object *twin = NULL;
        st = key_of(resource, objects[i], storage, &key) && lw_object_revision(objects[i]) > 0
                 ? lw_index_put(&diff->wanted, key, objects[i], &twin)
                 : LW_ERR_INVALID;
        lw_object_unref(twin);
    }
    return st;
}

static int by_revision(const void *a, const void *b)
{
    uint64_t x = lw_object_revision(*(lw_object *const *)a);
    uint64_t y = lw_object_revision(*(lw_object *const *)b);
    return x < y ? -1 : x > y;
}

static bool is_same_object(const lw_object *a, const lw_object *b)
{
    return strcmp(lw_object_uid(a), lw_object_uid(b)) == 0;
}

static lw_status compare(difference *diff, const lw_cache_resource *resource)
{
    char storage[LW_STORE_KEY_MAX];
    lw_str key = { NULL, 0 };
    const lw_index *have = &resource->index;
    diff->gone = lw_alloc((lw_index_count(have) + 1) * sizeof(*diff->gone));
    diff->changed = lw_alloc((lw_index_count(&diff->wanted) + 1) * sizeof(*diff->changed));
    if (!diff->gone || !diff->changed)
        return LW_ERR_NOMEM;
    lw_index_cursor at = lw_index_seek(have, 0);
    for (const lw_object *obj; (obj = lw_index_next(have, &at));) {
        (void)key_of(resource, obj, storage, &key);
        const lw_object *now = lw_index_find(&diff->wanted, key);
        if (!now || !is_same_object(obj, now))
            diff->gone[diff->gone_count++] = lw_object_ref(obj);
    }
    at = lw_index_seek(&diff->wanted, 0);
    for (const lw_object *obj; (obj = lw_index_next(&diff->wanted, &at));) {
        (void)key_of(resource, obj, storage, &key);
        const lw_object *before = lw_index_find(have, key);
        if (!before || lw_object_revision(before) != lw_object_revision(obj))
            diff->changed[diff->changed_count++] = lw_object_ref(obj);
    }
    qsort(diff->changed, diff->changed_count, sizeof(*diff->changed), by_revision);
    return LW_OK;
}

/* Applies |diff| between the revisions |from| and |to|. */
static lw_status apply_locked(lw_cache_resource *resource, const difference *diff, uint64_t from,
                              uint64_t to)
{
    char storage[LW_STORE_KEY_MAX];
    lw_str key;
    lw_status st = LW_OK;
    /* Only one gap is remembered: the history before an older one ends. */
    if (resource->gap_to > resource->gap_from)
        lw_resource_forget(resource, resource->gap_to);
    lw_resource_hold(resource);
    resource->is_relisting = true;
    resource->gap_from = from;
    resource->gap_to = to;
    for (size_t i = 0; i < diff->gone_count && st == LW_OK; i++) {
        (void)key_of(resource, diff->gone[i], storage, &key);
        st = lw_resource_remove(resource, key, from + 1);
    }
    for (size_t i = 0; i < diff->changed_count && st == LW_OK; i++) {
        uint64_t own = lw_object_revision(diff->changed[i]);
        (void)key_of(resource, diff->changed[i], storage, &key);
        st = lw_resource_put(resource, key, diff->changed[i], own > from ? own : from + 1, true);
    }
    resource->is_relisting = false;
    if (st == LW_OK)
        resource->revision = to;
    lw_resource_release(resource);
    return st;
}

static lw_status update_locked(lw_cache_resource *resource, lw_object *const *objects, size_t count,
                               uint64_t from, uint64_t to)
{
    difference diff = { .gone_count = 0 };
    lw_status st = index_objects(&diff, resource, objects, count);
    if (st == LW_OK)
        st = compare(&diff, resource);
    if (st == LW_OK && diff.gone_count + diff.changed_count > 0)
        st = apply_locked(resource, &diff, from, to);
    difference_done(&diff);
    return st;
}

lw_status lw_feed_replace(lw_cache_resource *resource, lw_object *const *objects, size_t count,
                          uint64_t revision)
{
    lw_cache *cache = resource->cache;
    lw_mutex_lock(&cache->apply_mu);
    uint64_t from = lw_resource_progress(resource);
    bool is_restored = revision < from;
    lw_status st;
    if (resource->state == LW_RESOURCE_FOLLOWING && !is_restored)
        st = update_locked(resource, objects, count, from, revision);
    else
        st = load_locked(resource, objects, count, revision);
    if (st == LW_OK) {
        lw_rwlock_write(&resource->lock);
        if (is_restored) {
            resource->lost_until = from;
            resource->gap_from = resource->gap_to = 0;
        }
        lw_rwlock_unlock(&resource->lock);
        publish_locked(resource, revision);
    } else {
        (void)lose_locked(resource);
        lw_ports_notify(cache, lw_cache_revision(cache));
    }
    lw_mutex_unlock(&cache->apply_mu);
    return st == LW_ERR_LIMIT ? LW_ERR_NOMEM : st;
}

void lw_feed_abandon(lw_cache_resource *resource)
{
    lw_cache *cache = resource->cache;
    lw_mutex_lock(&cache->apply_mu);
    (void)lose_locked(resource);
    lw_ports_notify(cache, lw_cache_revision(cache));
    lw_mutex_unlock(&cache->apply_mu);
}

bool lw_feed_take_snapshot(lw_cache_resource *resource, lw_feed_snapshot *out)
{
    lw_mutex_lock(&resource->cache->apply_mu);
    bool is_read = resource->state == LW_RESOURCE_FOLLOWING;
    if (is_read)
        *out = (lw_feed_snapshot){ lw_index_snapshot(&resource->index),
                                   lw_resource_progress(resource), resource->revision };
    lw_mutex_unlock(&resource->cache->apply_mu);
    return is_read;
}
