/* SPDX-License-Identifier: Apache-2.0 */
/* ring.c -- a circular array.
 * Invariant: the elements first .. first + count - 1 are in the slots from head on, wrapping at
 * slots. Slots need not be a power of two: an index wraps at most once, so no division is needed.
 */
#include "base/ring.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"

enum {
    FEWEST_SLOTS = 8,
};

void lw_ring_init(lw_ring *ring, size_t element_size, size_t limit, uint64_t first_seq)
{
    assert(element_size > 0 && limit > 0);
    *ring = (lw_ring){ .element_size = element_size, .limit = limit, .first = first_seq };
}

void lw_ring_done(lw_ring *ring)
{
    lw_free(ring->elements);
    ring->elements = NULL;
    ring->slots = 0;
    ring->count = 0;
}

/* Returns the element |offset| (< slots) after the oldest. */
static char *ring_slot(const lw_ring *ring, size_t offset)
{
    size_t before_end = ring->slots - ring->head;
    size_t slot = offset < before_end ? ring->head + offset : offset - before_end;
    return ring->elements + slot * ring->element_size;
}

/* Moves the elements to new memory for |slots| (>= count) elements, from slot 0 on. */
static lw_status ring_resize(lw_ring *ring, size_t slots)
{
    char *elements = lw_realloc_array(NULL, slots, ring->element_size);
    if (!elements)
        return LW_ERR_NOMEM;
    size_t before_end = ring->slots - ring->head;
    size_t unwrapped = ring->count < before_end ? ring->count : before_end;
    size_t bytes = unwrapped * ring->element_size;
    if (bytes > 0)
        memcpy(elements, ring_slot(ring, 0), bytes);
    if (ring->count > unwrapped)
        memcpy(elements + bytes, ring->elements, (ring->count - unwrapped) * ring->element_size);
    lw_free(ring->elements);
    ring->elements = elements;
    ring->slots = slots;
    ring->head = 0;
    return LW_OK;
}

static lw_status ring_grow(lw_ring *ring)
{
    size_t slots = FEWEST_SLOTS;
    if (ring->slots > 0)
        slots = ring->slots > ring->limit / 2 ? ring->limit : ring->slots * 2;
    return ring_resize(ring, slots < ring->limit ? slots : ring->limit);
}

/* The slots of a ring that has just got its first element. */
static size_t first_slots(const lw_ring *ring)
{
    return ring->limit < FEWEST_SLOTS ? ring->limit : FEWEST_SLOTS;
}

void lw_ring_borrow(lw_ring *ring, lw_ring_spares *spares)
{
    if (ring->slots > 0 || spares->count == 0)
        return;
    ring->elements = spares->first;
    ring->slots = first_slots(ring);
    ring->head = 0;
    memcpy(&spares->first, ring->elements, sizeof(spares->first));
    spares->count--;
}

void lw_ring_give_back(lw_ring *ring, lw_ring_spares *spares)
{
    size_t slots = ring->slots;
    char *elements = ring->elements;
    assert(ring->count == 0);
    ring->elements = NULL;
    ring->slots = ring->head = 0;
    if (slots != first_slots(ring) || slots * ring->element_size < sizeof(spares->first) ||
        spares->count == LW_RING_SPARES_MAX) {
        lw_free(elements);
        return;
    }
    memcpy(elements, &spares->first, sizeof(spares->first));
    spares->first = elements;
    spares->count++;
}

void lw_ring_spares_done(lw_ring_spares *spares)
{
    while (spares->count > 0) {
        void *block = spares->first;
        memcpy(&spares->first, block, sizeof(spares->first));
        spares->count--;
        lw_free(block);
    }
}

lw_status lw_ring_push(lw_ring *ring, const void *element, uint64_t *seq)
{
    if (lw_ring_is_full(ring))
        return LW_ERR_LIMIT;
    if (ring->count == ring->slots) {
        lw_status st = ring_grow(ring);
        if (st < 0)
            return st;
    }
    memcpy(ring_slot(ring, ring->count), element, ring->element_size);
    if (seq)
        *seq = lw_ring_next_seq(ring);
    ring->count++;
    return LW_OK;
}

bool lw_ring_pop(lw_ring *ring, void *out)
{
    if (ring->count == 0)
        return false;
    if (out)
        memcpy(out, ring_slot(ring, 0), ring->element_size);
    ring->head = ring->head + 1 == ring->slots ? 0 : ring->head + 1;
    ring->first++;
    ring->count--;
    /* If it is one eighth full, half of the memory is enough. If shrinking fails, the memory stays.
     */
    if (ring->slots / 2 >= FEWEST_SLOTS && ring->count <= ring->slots / 8)
        (void)ring_resize(ring, ring->slots / 2);
    return true;
}

void *lw_ring_at(const lw_ring *ring, uint64_t seq)
{
    if (seq < ring->first || seq - ring->first >= ring->count)
        return NULL;
    return ring_slot(ring, (size_t)(seq - ring->first));
}
