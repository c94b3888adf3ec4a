/* SPDX-License-Identifier: Apache-2.0 */
/* event_ring.h -- the most recent changes of one resource, oldest first.
 *
 * Each change has a sequence number, and a watcher is a position in that sequence.  No change after
 * the revision |oldest| is missing: a reader that knows the state at |oldest| or later can get
 * every change since.
 *
 * Threads: many readers (const functions) or one writer. */
#ifndef LW_CACHE_EVENT_RING_H
#define LW_CACHE_EVENT_RING_H

#include <listwatch/object.h>
#include <listwatch/watch_event.h>

#include "base/ring.h"

/* One change; it holds one reference to each object. */
typedef struct lw_cache_change {
    uint64_t revision;
    lw_watch_event_type type; /* ADDED, MODIFIED, DELETED */
    lw_object *object;        /* has the revision of the change; for a deletion, the last content */
    lw_object *prev;          /* for MODIFIED, the previous object; otherwise NULL */
    int64_t received_ns; /* when the store delivered it, by the cache's clock; 0: during a load */
    bool is_relisted;    /* the sum of changes that nobody has seen one by one (feed.h) */
} lw_cache_change;

/* Drops the references of |change|. */
void lw_cache_change_done(lw_cache_change *change);

/* Returns the bytes of |obj| (NULL: 0) without what was decoded after it was created: that part
 * grows, so adding and subtracting it would not balance. */
size_t lw_cache_object_bytes(const lw_object *obj);

/* Returns the bytes of |obj| (NULL: 0) as if it were not packed. */
size_t lw_cache_object_open_bytes(const lw_object *obj);

typedef struct lw_event_ring {
    lw_ring ring;
    uint64_t oldest; /* the ring has every change after this revision */
    uint64_t total;  /* number of changes ever pushed */
    size_t bytes;    /* approximate, of the objects that only the ring refers to */
} lw_event_ring;

/* Initialises an empty ring for |limit| changes after the revision |oldest|.  The first change gets
 * the number |first_seq|.  Allocates nothing. */
void lw_event_ring_init(lw_event_ring *ring, size_t limit, uint64_t first_seq, uint64_t oldest);
void lw_event_ring_done(lw_event_ring *ring);

/* Appends |change| and takes its references, also on error.  If the ring is full, the oldest change
 * moves to |*evicted|, for lw_cache_change_done; otherwise the object of |*evicted| is NULL.
 * LW_ERR_NOMEM. */
lw_status lw_event_ring_push_take(lw_event_ring *ring, const lw_cache_change *change,
                                  lw_cache_change *evicted);

/* Moves at most |max| changes with a revision up to |revision| to |evicted| and returns their
 * number.  If it is less than |max|, no such change is left and |oldest| is at least |revision|. */
size_t lw_event_ring_evict(lw_event_ring *ring, uint64_t revision, lw_cache_change *evicted,
                           size_t max);

/* Replaces |old| in the change number |seq|, if it is there, by |packed|, which has the same
 * contents. */
void lw_event_ring_swap(lw_event_ring *ring, uint64_t seq, const lw_object *old,
                        const lw_object *packed);

/* Returns the number of the first change after |revision|; that change may not exist yet. */
uint64_t lw_event_ring_seek(const lw_event_ring *ring, uint64_t revision);

/* Returns change number |seq|, borrowed; NULL: it was evicted, or does not exist yet. */
static inline const lw_cache_change *lw_event_ring_at(const lw_event_ring *ring, uint64_t seq)
{
    return lw_ring_at(&ring->ring, seq);
}

#endif
