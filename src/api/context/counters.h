/* SPDX-License-Identifier: Apache-2.0 */
/* counters.h -- counts watches and events for the metrics.  Any thread. */
#ifndef LW_API_CONTEXT_COUNTERS_H
#define LW_API_CONTEXT_COUNTERS_H

#include <stdatomic.h>
#include <stdint.h>

typedef struct lw_api_counters {
    atomic_uint_least64_t watches_open, watches_total, events_sent, bookmarks_sent;
} lw_api_counters;

static inline void lw_api_count(atomic_uint_least64_t *counter, uint64_t more)
{
    atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

static inline uint64_t lw_api_counted(const atomic_uint_least64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

#endif
