/* SPDX-License-Identifier: Apache-2.0 */
/* ref.h -- reference count that threads may share.
 *
 * Starts at 1, for the creator.  Whoever takes it to 0 frees the object, and sees everything that
 * the other owners did before they let go. */
#ifndef LW_BASE_REF_H
#define LW_BASE_REF_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <listwatch/api.h>

typedef struct lw_ref {
    atomic_uint_least32_t count;
} lw_ref;

/* Half the range: more references than this are a leak, found long before the count wraps. */
#define LW_REF_MAX UINT32_C(0x7fffffff)

/* One reference, the caller's.  The object must not be shared yet. */
static inline void lw_ref_init(lw_ref *ref)
{
    atomic_init(&ref->count, 1);
}

/* One more.  The caller owns a reference already, so nothing needs to be ordered here. */
static inline void lw_ref_inc(lw_ref *ref)
{
    uint_least32_t before = atomic_fetch_add_explicit(&ref->count, 1, memory_order_relaxed);
    assert(before > 0 && "reference taken on a dead object");
    assert(before < LW_REF_MAX && "references leak");
    (void)before;
}

/* One less.  True when it was the last: the caller frees the object, and nobody else may look. */
LW_MUST_CHECK static inline bool lw_ref_dec(lw_ref *ref)
{
    uint_least32_t before = atomic_fetch_sub_explicit(&ref->count, 1, memory_order_release);
    assert(before > 0 && "reference dropped twice");
    if (before != 1)
        return false;
    /* Acquires what every other owner released.  A load does here what a fence would, and thread
     * checkers understand it. */
    (void)atomic_load_explicit(&ref->count, memory_order_acquire);
    return true;
}

/* How many there are now; for tests and statistics, stale as soon as it is read. */
static inline uint32_t lw_ref_count(const lw_ref *ref)
{
    return (uint32_t)atomic_load_explicit(&ref->count, memory_order_relaxed);
}

#endif
