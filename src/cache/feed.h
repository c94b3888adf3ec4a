/* SPDX-License-Identifier: Apache-2.0 */
/* feed.h -- resources whose objects come from another API server, with its revisions, instead of
 * the store: those of a mirror.
 *
 *     not read yet ──replace──▶ follows ──put, remove, progress──▶ follows
 *                                 │ replace with a later revision (the upstream has forgotten what
 *                                 │ happened in between): watchers get the difference
 *                                 │ replace with an earlier revision (the upstream was restored
 *                                 │ from a backup): watchers expire
 *                                 └ abandon (the upstream is another cluster): watchers expire,
 *                                   and the resource is not read yet
 *
 * Every fed resource has a revision of its own, because the watches of the upstream advance one by
 * one.  What happened between the last change and a relist is known only as a sum (the gap): a
 * watch cannot start inside it, and one with selectors does not continue over it, because an object
 * may have matched in between.
 *
 * Threads: one at a time feeds a resource; any thread reads. */
#ifndef LW_CACHE_FEED_H
#define LW_CACHE_FEED_H

#include "cache/cache.h"
#include "cache/index/index.h"

/* Makes |resource| one that is fed.  Until its first replace, readers get LW_ERR_UNAVAILABLE.
 * Before the cache starts, or right after lw_cache_add. */
void lw_feed_init(lw_cache_resource *resource);

/* Returns true if the resource is fed. */
bool lw_feed_is_fed(const lw_cache_resource *resource);

/* Changes between begin and end become visible one by one, and wake readers once.  Blocks other
 * feeds: keep it short. */
void lw_feed_begin(lw_cache_resource *resource);

/* Everything up to |revision| (0: up to the last change) has been fed; changes that take more than
 * |history_bytes| (0: any) are forgotten.  Between begin and end, of any resource of the cache. */
void lw_feed_publish(lw_cache_resource *resource, uint64_t revision, size_t history_bytes);

/* As lw_feed_publish, and ends what lw_feed_begin has begun. */
void lw_feed_end(lw_cache_resource *resource, uint64_t revision, size_t history_bytes);

/* Stores |obj| with its own revision; revisions never decrease.  LW_ERR_EXPIRED: it is not later
 * than what has been published (the upstream is a mirror that has listed again); the resource must
 * be replaced.  LW_ERR_NOMEM: the resource has been emptied and must be replaced.  LW_ERR_INVALID:
 * the object has no name, or no resourceVersion that is a number. */
LW_MUST_CHECK lw_status lw_feed_put(lw_cache_resource *resource, const lw_object *obj);

/* Removes the object with the name of |last|, whose revision is that of the deletion.  The errors
 * of lw_feed_put. */
LW_MUST_CHECK lw_status lw_feed_remove(lw_cache_resource *resource, const lw_object *last);

/* |objects| are all objects at |revision|.  Not between begin and end.  The errors of lw_feed_put.
 */
LW_MUST_CHECK lw_status lw_feed_replace(lw_cache_resource *resource, lw_object *const *objects,
                                        size_t count, uint64_t revision);

/* What has been fed is not true any more: watchers expire, and until the next replace readers get
 * LW_ERR_UNAVAILABLE.  No watch starts at a revision from before.  Not between begin and end. */
void lw_feed_abandon(lw_cache_resource *resource);

/* The objects of one moment. */
typedef struct lw_feed_snapshot {
    lw_index index;    /* lw_index_done when it is not needed any more; any thread */
    uint64_t revision; /* the objects are complete up to it */
    uint64_t changed;  /* revision of the last change */
} lw_feed_snapshot;

/* Takes a snapshot, in constant time.  The thread that feeds, not between begin and end.  Returns
 * false if the resource has not been read yet. */
bool lw_feed_take_snapshot(lw_cache_resource *resource, lw_feed_snapshot *out);

#endif
