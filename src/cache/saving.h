/* SPDX-License-Identifier: Apache-2.0 */
/* saving.h -- the saved copies of large resources, for a fast start: which are written, and when.
 *
 *     changed, loaded ──▶ unsaved bytes: a quarter of the resource ──▶ due
 *     due ──▶ it has rested LW_CACHE_SAVE_REST_S and is packed, or LW_CACHE_SAVE_LATE_S have passed
 *         ──▶ written from a snapshot, by a thread of low priority
 *
 * So what is written in total is at most a few times what has changed, and one copy is written at a
 * time.  A copy is only a cache of what the store says (saved/copy_reader.h): it may be missing,
 * old or damaged, and a failure changes nothing but the time of the next start.  Nothing is written
 * when the cache stops: what is being written then is given up.
 *
 * The store must have checksums, and not be encrypted (lw_store_has_checksums): otherwise copies
 * that are there are removed, because they would show what the store keeps secret. */
#ifndef LW_CACHE_SAVING_H
#define LW_CACHE_SAVING_H

#include <stdatomic.h>

#include "base/dlist.h"
#include "base/sync.h"
#include "cache/cache.h"
#include "cache/saved/copy_reader.h"
#include "state/state_dir.h"

enum {
    LW_CACHE_SAVE_BYTES = 64 << 20, /* smaller resources are not saved */
    LW_CACHE_SAVE_PART = 4,         /* so large a part may differ from the copy */
    LW_CACHE_SAVE_REST_S = 5,
    LW_CACHE_SAVE_LATE_S = 20,
    LW_CACHE_SAVE_RETRY_S = 600, /* after a failure */
    LW_CACHE_SAVE_POLL_S = 1,    /* while a resource is not packed yet */
};

/* The saving of a cache; guarded by its apply_mu, except |folder|, which does not change, and what
 * is atomic. */
typedef struct lw_cache_saving {
    char *folder;                /* NULL: nothing is saved or read */
    _Atomic(lw_state_dir *) dir; /* of |folder|; NULL: it does not exist yet */
    size_t min_bytes;
    lw_dlist due; /* resources that will be written, a reference each */
    lw_cond is_changed;
    atomic_bool is_stopping;
    bool has_thread;
    lw_thread thread;
    lw_mutex write_mu; /* held while a copy is written: one at a time */
} lw_cache_saving;

/* The saving of a resource; guarded by apply_mu of the cache. */
typedef struct lw_resource_saving {
    lw_dlist_node due_link;
    size_t copied;        /* objects of the last load that came from the copy */
    size_t unsaved_bytes; /* changed since the copy was written */
    int64_t changed_ns;   /* the last change, while it is due */
    int64_t since_ns;     /* since when it is due */
    int64_t retry_ns;     /* not before this */
    bool has_failed;      /* which was logged */
} lw_resource_saving;

/* Opens the folder of |options|, if it exists; it is created for the first copy.  If it cannot be
 * used, nothing is saved, and the log says why. */
void lw_cache_saving_init(lw_cache_saving *saving, const lw_cache_options *options);
void lw_cache_saving_done(lw_cache_saving *saving);

/* |bytes| of |resource| have changed.  The caller holds cache->apply_mu. */
void lw_cache_saving_changed_locked(lw_cache_resource *resource, size_t bytes);

/* |resource| was loaded: |copied| objects of it, with |bytes| as if none were packed, came from the
 * copy. */
void lw_cache_saving_loaded(lw_cache_resource *resource, size_t copied, size_t bytes);

/* |resource| was removed: so is its copy. */
void lw_cache_saving_removed(lw_cache_resource *resource);

/* Writes the copy of |resource| now.  Not with a lock of the cache.  Errors of lw_copy_write;
 * LW_ERR_UNAVAILABLE: the resource is not loaded, or nothing is saved. */
LW_MUST_CHECK lw_status lw_cache_saving_write(lw_cache_resource *resource, lw_error *err);

/* Gives up what is being written, ends the thread, and forgets what is due. */
void lw_cache_saving_stop(lw_cache *cache);

/* Where the copy of a resource is, and what it says it is. */
typedef struct lw_copy_name {
    char *path, *identity;
} lw_copy_name;

/* False: there is none, or memory ran out.  To be released in both cases. */
bool lw_copy_name_of(const lw_cache_resource *resource, lw_copy_name *out);
void lw_copy_name_done(lw_copy_name *name);

#endif
