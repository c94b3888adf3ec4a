/* SPDX-License-Identifier: Apache-2.0 */
/* ring.h -- bounded queue of fixed-size elements, each with a sequence number that only rises.
 *
 * A reader is a cursor: the sequence number it wants next.  It asks lw_ring_at and is told NULL
 * when the element is not there yet (cursor >= next_seq) or the ring has overtaken it (cursor <
 * first_seq); many readers cost nothing.  What to do when the ring is full is the caller's
 * business: wait, or pop the oldest and go on.
 *
 * Elements are copied in and out as bytes; what they point to is the caller's.  Memory doubles up
 * to the limit and shrinks when the ring is mostly empty.  Threads: any number of readers (const
 * functions), or one writer. */
#ifndef LW_BASE_RING_H
#define LW_BASE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/error.h>

typedef struct lw_ring {
    char *elements;
    size_t element_size;
    size_t slots; /* elements there is room for, <= limit */
    size_t head;  /* slot of the oldest */
    size_t count;
    size_t limit;
    uint64_t first; /* sequence number of the oldest, or of the next push when empty */
} lw_ring;

/* An empty ring for at most |limit| (> 0) elements of |element_size| (> 0) bytes, the first of
 * which gets the number |first_seq|; allocates nothing. */
void lw_ring_init(lw_ring *ring, size_t element_size, size_t limit, uint64_t first_seq);

/* Frees the memory.  Init before the next use. */
void lw_ring_done(lw_ring *ring);

/* Copies |element| (not one of the ring's own) behind the newest; |*seq|, where not NULL, is its
 * number.  LW_ERR_LIMIT when full, LW_ERR_NOMEM; nothing is changed then. */
LW_MUST_CHECK lw_status lw_ring_push(lw_ring *ring, const void *element, uint64_t *seq);

/* Removes the oldest element and copies it to |out|, where not NULL.  False when empty. */
bool lw_ring_pop(lw_ring *ring, void *out);

/* The element numbered |seq|, or NULL when it is overtaken or not there yet.  The pointer dies with
 * the next push or pop. */
void *lw_ring_at(const lw_ring *ring, uint64_t seq);

static inline size_t lw_ring_count(const lw_ring *ring)
{
    return ring->count;
}

static inline bool lw_ring_is_full(const lw_ring *ring)
{
    return ring->count == ring->limit;
}

/* The number of the oldest element; that of the next push when the ring is empty. */
static inline uint64_t lw_ring_first_seq(const lw_ring *ring)
{
    return ring->first;
}

/* The number the next push will get. */
static inline uint64_t lw_ring_next_seq(const lw_ring *ring)
{
    return ring->first + ring->count;
}

#endif
