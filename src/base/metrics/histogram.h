/* SPDX-License-Identifier: Apache-2.0 */
/* histogram.h -- counters and histograms with given bounds, as Prometheus has them.
 *
 * One thread counts, any thread reads at any time: each number is exact, but those of one histogram
 * may be of slightly different times.  Counting takes no lock and no atomic addition. */
#ifndef LW_BASE_METRICS_HISTOGRAM_H
#define LW_BASE_METRICS_HISTOGRAM_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LW_HISTOGRAM_BUCKETS = 24, /* the maximum, with the one for everything else */
};

/* A counter of one thread. */
typedef atomic_uint_least64_t lw_counter;

static inline uint64_t lw_counter_read(const lw_counter *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

/* Adds |more|, which may be "negative" for a gauge.  The thread of the counter only. */
static inline void lw_counter_add(lw_counter *counter, uint64_t more)
{
    atomic_store_explicit(counter, lw_counter_read(counter) + more, memory_order_relaxed);
}

/* An upper bound, inclusive. */
typedef struct lw_histogram_bound {
    uint64_t max;
    const char *text; /* as the label "le" has it */
} lw_histogram_bound;

/* Bounds in ascending order; ends with one whose text is NULL. */
typedef const lw_histogram_bound *lw_histogram_bounds;

/* Starts zeroed. */
typedef struct lw_histogram {
    lw_counter counts[LW_HISTOGRAM_BUCKETS]; /* not cumulative */
    lw_counter sum;
} lw_histogram;

void lw_histogram_add(lw_histogram *histogram, lw_histogram_bounds bounds, uint64_t value);

/* Adds all of |more|, which has the same bounds. */
void lw_histogram_merge(lw_histogram *histogram, const lw_histogram *more);

/* The number of values. */
uint64_t lw_histogram_count(const lw_histogram *histogram);

#endif
