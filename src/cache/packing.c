/* SPDX-License-Identifier: Apache-2.0 */
/* packing.c -- which objects are packed, and the thread that sweeps. */
#include "cache/packing.h"

#include "base/clock.h"
#include "cache/event_ring.h"
#include "cache/state.h"

const lw_compact_options lw_cache_packer_options = { .keeps_open = false, .fast_part = 0 };

void lw_cache_packing_init(lw_cache_packing *packing, lw_compact_mode mode)
{
    *packing = (lw_cache_packing){ .mode = mode };
    lw_dlist_init(&packing->due);
    lw_cond_init(&packing->is_changed);
}

void lw_cache_packing_done(lw_cache_packing *packing)
{
    lw_cond_done(&packing->is_changed);
}

void lw_resource_packing_init(lw_resource_packing *packing)
{
    lw_mutex_init(&packing->pack_mu);
}

void lw_resource_packing_done(lw_resource_packing *packing)
{
    lw_compact_close(packing->compact);
    lw_mutex_done(&packing->pack_mu);
}

bool lw_cache_packing_is_wanted_locked(const lw_cache_resource *resource)
{
    switch (resource->cache->packing.mode) {
    case LW_COMPACT_AUTO:
        return resource->object_bytes + resource->ring.bytes >= LW_CACHE_COMPACT_BYTES;
    case LW_COMPACT_ON: return true;
    case LW_COMPACT_OFF: break;
    }
    return false;
}

/* Makes the packer, unless there is one.  False: out of memory. */
static bool open_packer(lw_compact **compact)
{
    return *compact || lw_compact_new(compact, &lw_cache_packer_options) == LW_OK;
}

void lw_cache_packing_adopt_take(lw_cache_resource *resource, lw_compact *packer)
{
    lw_resource_packing *packing = &resource->packing;
    lw_mutex_lock(&packing->pack_mu);
    bool is_wanted = resource->cache->packing.mode != LW_COMPACT_OFF && !packing->compact;
    if (is_wanted)
        packing->compact = packer;
    lw_mutex_unlock(&packing->pack_mu);
    if (!is_wanted)
        lw_compact_close(packer);
}

lw_object *lw_cache_packing_take_saved(const lw_cache_resource *resource, const lw_object *obj)
{
    bool is_off = resource->cache->packing.mode == LW_COMPACT_OFF;
    return is_off ? lw_compact_open_ref(obj) : lw_object_ref(obj);
}

lw_object *lw_cache_packing_pack(lw_cache_resource *resource, const lw_object *obj)
{
    lw_resource_packing *packing = &resource->packing;
    lw_object *packed = NULL;
    lw_mutex_lock(&packing->pack_mu);
    if (open_packer(&packing->compact))
        packed = lw_compact_pack_once(packing->compact, obj);
    lw_mutex_unlock(&packing->pack_mu);
    return packed ? packed : lw_object_ref(obj);
}

/* The thread. */

static int64_t now_ns(void)
{
    return lw_clock_now(lw_clock_system());
}

static void unlink_locked(lw_cache_resource *resource)
{
    lw_dlist_remove(&resource->packing.due_link);
    resource->packing.fresh_bytes = 0;
}

/* Takes the resource that is due, with the reference of the list; NULL: none is.  |*deadline| is
 * when the next one will be. */
static lw_cache_resource *take_due_locked(lw_cache_packing *packing, int64_t *deadline)
{
    int64_t now = now_ns();
    *deadline = LW_NEVER_NS;
    LW_DLIST_FOR_EACH(lw_cache_resource, resource, &packing->due, packing.due_link)
    {
        if (resource->packing.due_ns <= now) {
            unlink_locked(resource);
            return resource;
        }
        if (resource->packing.due_ns < *deadline)
            *deadline = resource->packing.due_ns;
    }
    return NULL;
}

static void run(void *arg)
{
    lw_cache *cache = arg;
    lw_cache_packing *packing = &cache->packing;
    int64_t deadline;
    lw_mutex_lock(&cache->apply_mu);
    while (!packing->is_stopping) {
        lw_cache_resource *resource = take_due_locked(packing, &deadline);
        if (!resource) {
            (void)lw_cond_wait_until(&packing->is_changed, &cache->apply_mu, deadline);
            continue;
        }
        lw_mutex_unlock(&cache->apply_mu);
        lw_cache_packing_sweep(resource);
        lw_cache_resource_unref(resource);
        lw_mutex_lock(&cache->apply_mu);
    }
    lw_mutex_unlock(&cache->apply_mu);
}

/* Without a thread the objects stay open, until the next attempt. */
static void start_locked(lw_cache *cache)
{
    lw_cache_packing *packing = &cache->packing;
    if (!packing->has_thread && !packing->is_stopping)
        packing->has_thread =
            lw_thread_start(&packing->thread, "lw-pack", run, cache, NULL) == LW_OK;
}

void lw_cache_packing_stop(lw_cache *cache)
{
    lw_cache_packing *packing = &cache->packing;
    lw_mutex_lock(&cache->apply_mu);
    bool has_thread = packing->has_thread;
    packing->is_stopping = true;
    lw_cond_broadcast(&packing->is_changed);
    lw_mutex_unlock(&cache->apply_mu);
    if (has_thread)
        lw_thread_join(&packing->thread);
    lw_mutex_lock(&cache->apply_mu);
    packing->has_thread = packing->is_stopping = false;
    for (lw_dlist_node *node; (node = lw_dlist_pop_front(&packing->due));)
        lw_cache_resource_unref(LW_DLIST_ITEM(node, lw_cache_resource, packing.due_link));
    lw_mutex_unlock(&cache->apply_mu);
}

/* What comes in. */

int64_t lw_cache_packing_rest_ns(const lw_cache *cache)
{
    bool is_on = cache->packing.mode == LW_COMPACT_ON;
    return (is_on ? LW_CACHE_PACKING_HURRY_S : LW_CACHE_PACKING_REST_S) * LW_NS_PER_S;
}

void lw_cache_packing_expect_locked(lw_cache_resource *resource)
{
    lw_cache *cache = resource->cache;
    if (lw_dlist_node_is_linked(&resource->packing.due_link))
        return;
    lw_dlist_push_back(&cache->packing.due, &resource->packing.due_link);
    (void)lw_cache_resource_ref(resource);
    resource->packing.due_ns = now_ns() + lw_cache_packing_rest_ns(cache);
    start_locked(cache);
    lw_cond_signal(&cache->packing.is_changed);
}

/* An object of |resource| is open from now on. */
static void expect_open_locked(lw_cache_resource *resource, const lw_object *obj)
{
    lw_resource_packing *packing = &resource->packing;
    lw_cache *cache = resource->cache;
    size_t before = packing->fresh_bytes;
    lw_cache_packing_expect_locked(resource);
    packing->fresh_bytes += lw_cache_object_bytes(obj);
    if (before <= LW_CACHE_PACKING_HURRY_BYTES &&
        packing->fresh_bytes > LW_CACHE_PACKING_HURRY_BYTES) {
        int64_t soon = now_ns() + LW_CACHE_PACKING_HURRY_S * LW_NS_PER_S;
        if (soon < packing->due_ns)
            packing->due_ns = soon;
        lw_cond_signal(&cache->packing.is_changed);
    }
}

lw_object *lw_cache_packing_take_locked(lw_cache_resource *resource, const lw_object *obj)
{
    bool is_loaded = resource->cache->received_ns == 0;
    if (!lw_cache_packing_is_wanted_locked(resource))
        return lw_object_ref(obj);
    if (is_loaded) {
        lw_cache_packing_expect_locked(resource); /* for those before it was wanted */
        return lw_cache_packing_pack(resource, obj);
    }
    expect_open_locked(resource, obj);
    return lw_object_ref(obj);
}

/* Lists that are not complete yet. */

lw_object *lw_packing_list_take(lw_packing_list *list, const lw_cache_resource *resource,
                                const lw_object *obj)
{
    lw_compact_mode mode = resource->cache->packing.mode;
    list->bytes += lw_cache_object_bytes(obj);
    if (mode == LW_COMPACT_OFF ||
        (mode == LW_COMPACT_AUTO && list->bytes < LW_CACHE_COMPACT_BYTES) ||
        !open_packer(&list->compact))
        return lw_object_ref(obj);
    return lw_compact_pack(list->compact, obj);
}

void lw_packing_list_done(lw_packing_list *list)
{
    lw_compact_close(list->compact);
    *list = (lw_packing_list){ 0 };
}
