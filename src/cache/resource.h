/* SPDX-License-Identifier: Apache-2.0 */
/* resource.h -- one resource in the cache: its objects, its changes, and whether they can be
 * trusted.
 *
 *     NEW ──lw_cache_start──▶ FOLLOWING ◀──caught up── LOADING ◀──the next reader── BROKEN
 *                                 └────────────── memory ran out ───────────────────▶┘
 *
 * and from each of them lw_cache_remove ──▶ REMOVED.
 *
 * Memory can run out while a change is applied, and the store cannot be asked to wait.  Rather than
 * show something that is not so, the resource drops all it has: BROKEN.  Its watchers are expired,
 * as if the ring had overtaken them, and the next one who reads loads it afresh (load.c); where the
 * store is shared, a thread does (reload.c). */
#ifndef LW_CACHE_RESOURCE_H
#define LW_CACHE_RESOURCE_H

#include <stdatomic.h>

#include "base/dlist.h"
#include "base/ref.h"
#include "base/sync.h"
#include "cache/cache.h"
#include "cache/event_ring.h"
#include "cache/index.h"

typedef enum lw_resource_state {
    LW_RESOURCE_NEW,       /* the cache has not started; empty */
    LW_RESOURCE_LOADING,   /* somebody (load.c) fills it; the cache's own watch passes it by */
    LW_RESOURCE_FOLLOWING, /* as new as the cache */
    LW_RESOURCE_BROKEN,    /* empty, and that means nothing */
    LW_RESOURCE_REMOVED,   /* as it was last; nothing follows */
} lw_resource_state;

struct lw_cache_resource {
    lw_ref ref;
    lw_cache *cache;
    char *prefix_text;
    lw_str prefix; /* its key in the cache's map */
    bool is_namespaced;

    lw_dlist_node dirty_link; /* cache->apply_mu: in cache->dirty while its ports must be woken */
    uint64_t passed_by;       /* cache->apply_mu: last change that came while not FOLLOWING */
    uint64_t settled;         /* cache->apply_mu: every change up to it has been applied */
    bool is_held;             /* cache->apply_mu: its lock is held over several changes */
    lw_dlist subscriptions;   /* cache->ports_mu: of the ports that have watchers here */

    /* Guards the rest but the atomics.  Only the thread that holds cache->apply_mu writes, so it
     * reads without. */
    lw_rwlock lock;
    lw_resource_state state;
    lw_index index;
    lw_event_ring ring;
    uint64_t revision; /* of the last change: the objects are those of this revision */
    size_t object_bytes;

    /* The number the next change gets, for watchers to look at without the lock. */
    atomic_uint_least64_t next_seq;
    atomic_size_t watchers;
    atomic_bool is_removed; /* set before the watchers are woken for the last time */
};

/* One reference, the caller's; lw_cache_resource_unref gives it back. */
lw_status lw_resource_new(lw_cache_resource **out, lw_cache *cache, lw_str prefix,
                          bool is_namespaced, size_t max_ring_events);

/* Those that change a resource; the caller holds cache->apply_mu.
 *
 * Nobody sees one of the changes between the two without the others: of a revision that changed
 * several objects all are seen or none. */
void lw_resource_hold(lw_cache_resource *resource);
void lw_resource_release(lw_cache_resource *resource); /* does nothing when it is not held */

/* Begins anew, empty, as of |revision|; the numbers of changes go on with a gap, so that every
 * watcher finds itself overtaken. */
void lw_resource_reset(lw_cache_resource *resource, lw_resource_state state, uint64_t revision);

void lw_resource_set_state(lw_cache_resource *resource, lw_resource_state state);

/* Puts |obj| in under |key|, relative to the prefix; it carries |revision|.  Without |is_change|
 * it is part of the state that the resource begins with.  LW_ERR_NOMEM: the resource must be reset.
 * LW_ERR_INVALID: the object is another one than the key says; it is left out. */
lw_status lw_resource_put(lw_cache_resource *resource, lw_str key, const lw_object *obj,
                          uint64_t revision, bool is_change);

/* Takes the object with |key| out, if there is one.  LW_ERR_NOMEM: as above. */
lw_status lw_resource_remove(lw_cache_resource *resource, lw_str key, uint64_t revision);

/* Forgets the changes up to and with |revision|.  cache->apply_mu. */
void lw_resource_forget(lw_cache_resource *resource, uint64_t revision);

/* Takes the lock for reading, in a state that can be read; loads the resource first where it must.
 * Not on the store's thread.  LW_ERR_NOMEM, or why it cannot be loaded; no lock then.
 * LW_ERR_UNAVAILABLE: it is being loaded, on a store that is shared. */
lw_status lw_resource_begin_read(lw_cache_resource *resource, lw_error *err);
void lw_resource_end_read(lw_cache_resource *resource);

/* Under the lock: the newest revision that the objects are exactly the state of. */
uint64_t lw_resource_revision_locked(const lw_cache_resource *resource);

#endif
