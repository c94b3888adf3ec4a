/* SPDX-License-Identifier: Apache-2.0 */
/* event_ring.c -- base/ring with references, revisions and a count of bytes.
 *
 * Bytes: an object is in the index until a change replaces or removes it; from then on only changes
 * refer to it.  So each change counts the object that it removed from the index: MODIFIED counts
 * |prev|, DELETED counts its object. */
#include "cache/event_ring.h"

#include "object/object.h"

size_t lw_cache_object_bytes(const lw_object *obj)
{
    return obj ? (size_t)obj->json_at + obj->json_len + 1 : 0;
}

size_t lw_cache_object_open_bytes(const lw_object *obj)
{
    return obj ? (size_t)obj->json_at + lw_object__body_len(obj) + 1 : 0;
}

static size_t change_bytes(const lw_cache_change *change)
{
    return lw_cache_object_bytes(change->type == LW_WATCH_DELETED ? change->object : change->prev);
}

void lw_cache_change_done(lw_cache_change *change)
{
    lw_object_unref(change->object);
    lw_object_unref(change->prev);
    *change = (lw_cache_change){ 0 };
}

void lw_event_ring_init(lw_event_ring *ring, size_t limit, uint64_t first_seq, uint64_t oldest)
{
    *ring = (lw_event_ring){ .oldest = oldest };
    lw_ring_init(&ring->ring, sizeof(lw_cache_change), limit, first_seq);
}

void lw_event_ring_done(lw_event_ring *ring)
{
    for (uint64_t seq = ring->ring.first; seq < lw_ring_next_seq(&ring->ring); seq++)
        lw_cache_change_done(lw_ring_at(&ring->ring, seq));
    lw_ring_done(&ring->ring);
    ring->bytes = 0;
}

static bool pop(lw_event_ring *ring, lw_cache_change *out)
{
    if (!lw_ring_pop(&ring->ring, out))
        return false;
    ring->bytes -= change_bytes(out);
    if (out->revision > ring->oldest)
        ring->oldest = out->revision;
    return true;
}

lw_status lw_event_ring_push_take(lw_event_ring *ring, const lw_cache_change *change,
                                  lw_cache_change *evicted)
{
    *evicted = (lw_cache_change){ 0 };
    if (lw_ring_is_full(&ring->ring))
        (void)pop(ring, evicted);
    lw_status st = lw_ring_push(&ring->ring, change, NULL);
    if (st < 0) {
        lw_cache_change lost = *change;
        lw_cache_change_done(&lost);
        return st;
    }
    ring->bytes += change_bytes(change);
    ring->total++;
    return LW_OK;
}

size_t lw_event_ring_evict(lw_event_ring *ring, uint64_t revision, lw_cache_change *evicted,
                           size_t max)
{
    size_t count = 0;
    for (; count < max; count++) {
        const lw_cache_change *change = lw_event_ring_at(ring, lw_ring_first_seq(&ring->ring));
        if (!change || change->revision > revision) {
            if (ring->oldest < revision)
                ring->oldest = revision;
            break;
        }
        (void)pop(ring, &evicted[count]);
    }
    return count;
}

static void swap(lw_object **slot, const lw_object *old, const lw_object *packed)
{
    if (*slot != old)
        return;
    lw_object_unref(*slot);
    *slot = lw_object_ref(packed);
}

void lw_event_ring_swap(lw_event_ring *ring, uint64_t seq, const lw_object *old,
                        const lw_object *packed)
{
    lw_cache_change *change = lw_ring_at(&ring->ring, seq);
    if (!change)
        return;
    ring->bytes -= change_bytes(change);
    swap(&change->object, old, packed);
    swap(&change->prev, old, packed);
    ring->bytes += change_bytes(change);
}

uint64_t lw_event_ring_seek(const lw_event_ring *ring, uint64_t revision)
{
    uint64_t low = lw_ring_first_seq(&ring->ring), high = lw_ring_next_seq(&ring->ring);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (lw_event_ring_at(ring, middle)->revision <= revision)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
