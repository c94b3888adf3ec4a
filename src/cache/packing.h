/* SPDX-License-Identifier: Apache-2.0 */
/* packing.h -- when the objects and past changes of a resource are packed (object/compact).
 *
 * Objects that are loaded are packed at once, so that they never are in memory as a whole.  A
 * changed object stays open: its writer, its watchers and often the next writer read it.  After
 * LW_CACHE_PACKING_REST_S a sweep on a thread of its own packs what is open in the index, and the
 * changes that are older than that, or older than the last LW_CACHE_PACKING_OPEN_CHANGES.  A change
 * and the index share the packed copy.
 *
 * Locks: a sweep packs without one and holds apply_mu only to swap a few objects.  pack_mu guards
 * the packer; whoever holds it takes no other lock of the cache. */
#ifndef LW_CACHE_PACKING_H
#define LW_CACHE_PACKING_H

#include "base/dlist.h"
#include "base/sync.h"
#include "cache/cache.h"
#include "object/compact/compact.h"

enum {
    LW_CACHE_PACKING_REST_S = 10,
    LW_CACHE_PACKING_HURRY_BYTES = 32 * 1024 * 1024, /* so many changed bytes do not rest so long */
    LW_CACHE_PACKING_HURRY_S = 1,                    /* also the rest with LW_COMPACT_ON */
    LW_CACHE_PACKING_OPEN_CHANGES = 4096, /* the newest changes, which watchers read now */
};

/* How the objects of a cache are packed. */
extern const lw_compact_options lw_cache_packer_options;

/* The packing of a cache; guarded by its apply_mu. */
typedef struct lw_cache_packing {
    lw_compact_mode mode;
    lw_dlist due;       /* resources that will be swept, a reference each */
    lw_cond is_changed; /* |due| or |is_stopping| */
    bool is_stopping;
    bool has_thread;
    lw_thread thread;
} lw_cache_packing;

/* The packing of a resource. */
typedef struct lw_resource_packing {
    lw_dlist_node due_link; /* cache->apply_mu: in |due| of the cache */
    int64_t due_ns;         /* cache->apply_mu: when it will be swept */
    size_t fresh_bytes;     /* cache->apply_mu: put since the last sweep began */
    uint64_t next_seq;      /* cache->apply_mu: the changes before this one have been packed */
    lw_mutex pack_mu;
    lw_compact *compact; /* pack_mu; NULL: nothing was packed yet */
} lw_resource_packing;

void lw_cache_packing_init(lw_cache_packing *packing, lw_compact_mode mode);
void lw_cache_packing_done(lw_cache_packing *packing);
void lw_resource_packing_init(lw_resource_packing *packing);
void lw_resource_packing_done(lw_resource_packing *packing);

/* Returns true if the objects of |resource| are packed.  The caller holds cache->apply_mu. */
bool lw_cache_packing_is_wanted_locked(const lw_cache_resource *resource);

/* Returns |obj|, which is put into |resource|, as the index keeps it; with a reference.  The caller
 * holds cache->apply_mu. */
lw_object *lw_cache_packing_take_locked(lw_cache_resource *resource, const lw_object *obj);

/* Sees to it that |resource| will be swept.  The caller holds cache->apply_mu. */
void lw_cache_packing_expect_locked(lw_cache_resource *resource);

/* Returns how long a change rests before it is packed. */
int64_t lw_cache_packing_rest_ns(const lw_cache *cache);

/* Packs |obj| for |resource|; itself if it does not become smaller.  With a reference. */
lw_object *lw_cache_packing_pack(lw_cache_resource *resource, const lw_object *obj);

/* Goes on with |packer|, which has packed objects of |resource| that are about to be fed; takes it.
 * NULL does nothing. */
void lw_cache_packing_adopt_take(lw_cache_resource *resource, lw_compact *packer);

/* Packs what is open in |resource| and old enough.  Any thread without locks, one at a time. */
void lw_cache_packing_sweep(lw_cache_resource *resource);

/* Ends the thread, and forgets what is due. */
void lw_cache_packing_stop(lw_cache *cache);

/* Returns |obj|, which was saved, as it can be fed to |resource|: with packing switched off it is
 * unpacked.  With a reference; NULL: out of memory. */
lw_object *lw_cache_packing_take_saved(const lw_cache_resource *resource, const lw_object *obj);

/* The objects of a list that is not complete yet. */
typedef struct lw_packing_list {
    lw_compact *compact; /* NULL: nothing was packed yet */
    size_t bytes;
} lw_packing_list;

/* Returns |obj|, an object for lw_feed_replace, packed if it will be; with a reference.  Zeroed
 * initially; one thread at a time. */
lw_object *lw_packing_list_take(lw_packing_list *list, const lw_cache_resource *resource,
                                const lw_object *obj);
void lw_packing_list_done(lw_packing_list *list);

#endif
