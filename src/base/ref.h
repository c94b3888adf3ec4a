/* SPDX-License-Identifier: Apache-2.0 */
/* ref.h -- a reference count that threads may share.
 *
 * It starts at 1, for the creator.  The thread that decrements it to 0 frees the object, and sees
 * everything that other owners wrote before they released it. */
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

/* Half the range: more references are a leak, which is detected long before the count overflows. */
#define LW_REF_MAX UINT32_C(0x7fffffff)

/* Initialises to one reference, owned by the caller.  The object must not be shared yet. */
static inline void lw_ref_init(lw_ref *ref)
{
    atomic_init(&ref->count, 1);
}

/* Takes a reference.  The caller already owns one, so no memory ordering is needed. */
static inline void lw_ref_inc(lw_ref *ref)
{
    uint_least32_t before = atomic_fetch_add_explicit(&ref->count, 1, memory_order_relaxed);
    assert(before > 0 && "reference taken on a dead object");
    assert(before < LW_REF_MAX && "references leak");
    (void)before;
}

/* Releases a reference.  Returns true if it was the last: the caller frees the object. */
LW_MUST_CHECK static inline bool lw_ref_dec(lw_ref *ref)
{
    uint_least32_t before = atomic_fetch_sub_explicit(&ref->count, 1, memory_order_release);
    assert(before > 0 && "reference dropped twice");
    if (before != 1)
        return false;
    /* Acquires what all other owners released.  A load has the same effect as a fence here, and
     * thread sanitizers understand it. */
    (void)atomic_load_explicit(&ref->count, memory_order_acquire);
    return true;
}

/* Returns the current count, for tests and statistics; it may already have changed. */
static inline uint32_t lw_ref_count(const lw_ref *ref)
{
    return (uint32_t)atomic_load_explicit(&ref->count, memory_order_relaxed);
}

#endif
