/* SPDX-License-Identifier: Apache-2.0 */
/* latency_histogram.h -- a histogram of latencies of fixed size, with four buckets per doubling, so
 * that a percentile is at most a quarter too high.  One thread at a time. */
#ifndef LW_BASE_METRICS_LATENCY_HISTOGRAM_H
#define LW_BASE_METRICS_LATENCY_HISTOGRAM_H

#include <stdint.h>

enum {
    LW_LATENCY_HISTOGRAM_STEPS = 4, /* buckets per doubling; a power of two */
    LW_LATENCY_HISTOGRAM_BUCKETS =
        30 * LW_LATENCY_HISTOGRAM_STEPS, /* up to 18 minutes; longer ones are in the last bucket */
};

/* Starts zeroed. */
typedef struct lw_latency_histogram {
    uint64_t counts[LW_LATENCY_HISTOGRAM_BUCKETS];
} lw_latency_histogram;

/* Adds |count| latencies of |ns|; a negative one counts as 0. */
void lw_latency_histogram_add(lw_latency_histogram *histogram, int64_t ns, uint64_t count);

/* Adds all of |more|. */
void lw_latency_histogram_merge(lw_latency_histogram *histogram, const lw_latency_histogram *more);

/* Returns the upper limit of |bucket| in microseconds; the last one has none. */
uint64_t lw_latency_below_us(unsigned bucket);

#endif
