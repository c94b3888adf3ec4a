/* SPDX-License-Identifier: Apache-2.0 */
/* ring.h -- a bounded queue of elements of fixed size, each with an increasing sequence number.
 *
 * A reader has a cursor: its next sequence number. lw_ring_at returns NULL if the element does not
 * exist yet (cursor >= next_seq) or was removed (cursor < first_seq); the number of readers is not
 * limited.  If the ring is full, the caller waits, or pops the oldest element.
 *
 * Elements are copied in and out as bytes; the caller owns what they point to.  The memory doubles
 * up to the limit and shrinks if the ring is mostly empty.  Threads: any number of readers (const
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
    size_t slots; /* capacity in elements, <= limit */
    size_t head;  /* slot of the oldest element */
    size_t count;
    size_t limit;
    uint64_t first; /* sequence number of the oldest, or of the next push when empty */
} lw_ring;

enum {
    LW_RING_SPARES_MAX = 128, /* blocks that are kept */
};

/* Memory of rings that became empty, for the next ones that are not.  All rings of one
 * lw_ring_spares have the same element size and limit.  Threads: those of one thread.  {0}: none.
 */
typedef struct lw_ring_spares {
    void *first; /* each block begins with a pointer to the next */
    size_t count;
} lw_ring_spares;

/* Initialises an empty ring for at most |limit| (> 0) elements of |element_size| (> 0) bytes; the
 * first one gets the number |first_seq|.  Does not allocate. */
void lw_ring_init(lw_ring *ring, size_t element_size, size_t limit, uint64_t first_seq);

/* Frees the memory.  Initialise it before the next use. */
void lw_ring_done(lw_ring *ring);

/* Gives a ring without memory that of a spare block, if there is one: its next pushes do not
 * allocate. */
void lw_ring_borrow(lw_ring *ring, lw_ring_spares *spares);

/* Takes the memory from a ring that is empty, and keeps it as a spare block or frees it. */
void lw_ring_give_back(lw_ring *ring, lw_ring_spares *spares);

void lw_ring_spares_done(lw_ring_spares *spares);

/* Appends a copy of |element|, which must not be in the ring; |*seq|, if not NULL, is its number.
 * LW_ERR_LIMIT if the ring is full, LW_ERR_NOMEM; then nothing changes. */
LW_MUST_CHECK lw_status lw_ring_push(lw_ring *ring, const void *element, uint64_t *seq);

/* Removes the oldest element and copies it to |out|, if not NULL.  Returns false if the ring is
 * empty. */
bool lw_ring_pop(lw_ring *ring, void *out);

/* Returns the element |seq|, or NULL if it was overwritten or does not exist yet.  Valid until the
 * next push or pop. */
void *lw_ring_at(const lw_ring *ring, uint64_t seq);

static inline size_t lw_ring_count(const lw_ring *ring)
{
    return ring->count;
}

static inline bool lw_ring_is_full(const lw_ring *ring)
{
    return ring->count == ring->limit;
}

/* Returns the number of the oldest element, or of the next push if the ring is empty. */
static inline uint64_t lw_ring_first_seq(const lw_ring *ring)
{
    return ring->first;
}

/* Returns the number of the next push. */
static inline uint64_t lw_ring_next_seq(const lw_ring *ring)
{
    return ring->first + ring->count;
}

#endif
