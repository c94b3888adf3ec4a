/* SPDX-License-Identifier: Apache-2.0 */
/* event_ring.h -- the changes of one resource, oldest first, as far back as they are kept.
 *
 * Each has a number that only rises; a watcher is such a number.  |oldest| says from where on
 * nothing is missing: whoever knows the state at that revision, or a later one, can be told
 * everything since.
 *
 * Threads: many readers (const functions) or one writer. */
#ifndef LW_CACHE_EVENT_RING_H
#define LW_CACHE_EVENT_RING_H

#include <listwatch/object.h>
#include <listwatch/watch_event.h>

#include "base/ring.h"

/* One change, with a reference to each object. */
typedef struct lw_cache_change {
    uint64_t revision;
    lw_watch_event_type type; /* ADDED, MODIFIED, DELETED */
    lw_object *object;        /* with the revision of the change; of a deletion, the last content */
    lw_object *prev;          /* of MODIFIED: what it was; else NULL */
    int64_t told_ns;          /* when the store told it, by the cache's clock; 0: while loading */
} lw_cache_change;

/* Gives the references of |change| back. */
void lw_cache_change_done(lw_cache_change *change);

/* Bytes that |obj| (NULL: none) takes, without what was decoded since it was made: that grows, and
 * an account would not balance. */
size_t lw_cache_object_bytes(const lw_object *obj);

typedef struct lw_event_ring {
    lw_ring ring;
    uint64_t oldest; /* every change after this revision is here */
    uint64_t total;  /* changes that ever came */
    size_t bytes;    /* of the objects that only the ring has, about */
} lw_event_ring;

/* An empty ring for |limit| changes after the revision |oldest|, the first of which gets the number
 * |first_seq|; allocates nothing. */
void lw_event_ring_init(lw_event_ring *ring, size_t limit, uint64_t first_seq, uint64_t oldest);
void lw_event_ring_done(lw_event_ring *ring);

/* Appends |change| and eats its references, on error too.  A full ring gives way: |*evicted| is the
 * oldest change, for lw_cache_change_done; its object is NULL when none had to go.  LW_ERR_NOMEM.
 */
lw_status lw_event_ring_push_take(lw_event_ring *ring, const lw_cache_change *change,
                                  lw_cache_change *evicted);

/* Moves at most |max| changes up to and with |revision| to |evicted|; fewer: there are no more, and
 * |oldest| is |revision| at least. */
size_t lw_event_ring_evict(lw_event_ring *ring, uint64_t revision, lw_cache_change *evicted,
                           size_t max);

/* The number of the first change after |revision|, which may have yet to come. */
uint64_t lw_event_ring_seek(const lw_event_ring *ring, uint64_t revision);

/* Change number |seq|, borrowed; NULL: gone, or not there yet. */
static inline const lw_cache_change *lw_event_ring_at(const lw_event_ring *ring, uint64_t seq)
{
    return lw_ring_at(&ring->ring, seq);
}

#endif
