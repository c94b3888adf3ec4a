/* SPDX-License-Identifier: Apache-2.0 */
/* resource.h -- one resource in the cache: its objects, its changes, and its state.
 *
 *     NEW ──lw_cache_start──▶ FOLLOWING ◀──caught up── LOADING ◀──the next reader── BROKEN
 *                                 └────────────── out of memory ────────────────────▶┘
 *
 * and from any state lw_cache_remove ──▶ REMOVED.
 *
 * Memory can run out while a change is applied, and the store cannot wait.  So as not to show a
 * wrong state, the resource then drops everything: BROKEN.  Its watchers expire, as if the ring had
 * evicted their next change, and the next reader loads the resource again (load.c); if the store is
 * shared, a separate thread does (reload.c). */
#ifndef LW_CACHE_RESOURCE_H
#define LW_CACHE_RESOURCE_H

#include <stdatomic.h>

#include "base/dlist.h"
#include "base/ref.h"
#include "base/sync.h"
#include "cache/cache.h"
#include "cache/event_ring.h"
#include "cache/index/index.h"
#include "cache/packing.h"
#include "cache/saving.h"

typedef enum lw_resource_state {
    LW_RESOURCE_NEW,       /* the cache has not started; the resource is empty */
    LW_RESOURCE_LOADING,   /* being loaded (load.c); the cache's own watch skips it */
    LW_RESOURCE_FOLLOWING, /* up to date with the cache */
    LW_RESOURCE_BROKEN,    /* its content was dropped and must be loaded */
    LW_RESOURCE_REMOVED,   /* keeps its last state; no longer updated */
} lw_resource_state;

struct lw_cache_resource {
    lw_ref ref;
    lw_cache *cache;
    char *prefix_text;
    lw_str prefix; /* its key in the map of the cache */
    bool is_namespaced;
    bool is_fed;                /* its objects come from another API server (feed.h) */
    lw_cache_observer observer; /* its functions are NULL if there is none */

    lw_dlist_node dirty_link;  /* cache->apply_mu: in cache->dirty while its ports must be woken */
    uint64_t skipped_revision; /* cache->apply_mu: last change that came while not FOLLOWING */
    uint64_t settled;          /* cache->apply_mu: every change up to it has been applied */
    bool is_held;              /* cache->apply_mu: its lock is held for several changes */
    bool is_relisting;         /* cache->apply_mu: changes are sums of changes (feed.h) */
    lw_dlist subscriptions;    /* cache->ports_mu: one for each port that has watchers here */
    lw_resource_packing packing;
    lw_resource_saving saving;

    /* Guards the fields below, except the atomics.  Only the thread that holds cache->apply_mu
     * writes them, so it reads them without this lock. */
    lw_rwlock lock;
    lw_resource_state state;
    lw_index index;
    lw_event_ring ring;
    uint64_t revision;    /* revision of the last change */
    size_t object_bytes;  /* see lw_cache_stats */
    size_t stale_objects; /* likewise */
    size_t packed_objects;
    uint64_t gap_from;   /* of a fed resource: what happened between these two revisions ... */
    uint64_t gap_to;     /* ... is only known as a sum; equal: there is no gap */
    uint64_t lost_until; /* of a fed resource: revisions up to it, and after the current one, are
                            of a history that the upstream has lost; 0: none */

    /* The number of the next change, which watchers read without the lock. */
    atomic_uint_least64_t next_seq;
    atomic_size_t watchers;
    atomic_bool is_removed;         /* set before the watchers are woken for the last time */
    atomic_uint_least64_t progress; /* of a fed resource: it has every change up to it */
};

/* Creates a resource with one reference, for lw_cache_resource_unref.  LW_ERR_NOMEM. */
lw_status lw_resource_new(lw_cache_resource **out, lw_cache *cache, lw_str prefix,
                          bool is_namespaced, size_t max_ring_events);

/* The functions that change a resource; the caller holds cache->apply_mu.
 *
 * Readers see all changes made between hold and release or none of them, so that a revision that
 * changes several objects is atomic. */
void lw_resource_hold(lw_cache_resource *resource);
void lw_resource_release(lw_cache_resource *resource); /* does nothing if it is not held */

/* Empties the resource and sets its revision.  The sequence numbers continue after a gap, so every
 * watcher of it expires. */
void lw_resource_reset(lw_cache_resource *resource, lw_resource_state state, uint64_t revision);

void lw_resource_set_state(lw_cache_resource *resource, lw_resource_state state);

/* Stores |obj|, which has |revision|, under |key|, relative to the prefix.  Without |is_change| it
 * is part of the initial state.  LW_ERR_NOMEM: the resource must be reset.  LW_ERR_INVALID: |key|
 * is not the key of the object; the object is ignored. */
lw_status lw_resource_put(lw_cache_resource *resource, lw_str key, const lw_object *obj,
                          uint64_t revision, bool is_change);

/* As lw_resource_put for an object of the initial state that was packed already, if it will be, as
 * |kept|.  |opened| is what it was before; needed only if the resource is observed. */
lw_status lw_resource_put_loaded(lw_cache_resource *resource, lw_str key, const lw_object *kept,
                                 const lw_object *opened);

/* Replaces |old|, an object of the index, by |packed|, which has the same contents; does nothing if
 * it is not in the index any more. */
void lw_resource_swap(lw_cache_resource *resource, const lw_object *old, const lw_object *packed);

/* Evicts the oldest changes until they take at most |max_bytes|. */
void lw_resource_trim(lw_cache_resource *resource, size_t max_bytes);

/* Returns the revision up to which every change of the resource has been applied: its own if it is
 * fed, otherwise that of the cache. */
uint64_t lw_resource_progress(const lw_cache_resource *resource);

/* Returns false if the changes after |revision| are not known one by one; the lock is held. */
bool lw_resource_has_history_locked(const lw_cache_resource *resource, uint64_t revision);

/* Removes the object with |key|, if there is one.  LW_ERR_NOMEM: as above. */
lw_status lw_resource_remove(lw_cache_resource *resource, lw_str key, uint64_t revision);

/* Evicts the changes up to |revision| from the ring. */
void lw_resource_forget(lw_cache_resource *resource, uint64_t revision);

/* Takes the lock for reading; loads the resource first if necessary.  Not to be called on the
 * store's thread.  LW_ERR_NOMEM, or the error of the load; the lock is not held then.
 * LW_ERR_UNAVAILABLE: the store is shared and the resource is being reloaded. */
lw_status lw_resource_begin_read(lw_cache_resource *resource, lw_error *err);
void lw_resource_end_read(lw_cache_resource *resource);

/* Returns the newest revision at which the objects are the exact state; the lock is held. */
uint64_t lw_resource_revision_locked(const lw_cache_resource *resource);

#endif
