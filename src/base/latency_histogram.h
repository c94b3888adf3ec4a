/* SPDX-License-Identifier: Apache-2.0 */
/* latency_histogram.h -- how long things took: a histogram of fixed size, four steps a doubling, so
 * that a percentile read from it is at most a quarter too high.  One thread at a time. */
#ifndef LW_BASE_LATENCY_HISTOGRAM_H
#define LW_BASE_LATENCY_HISTOGRAM_H

#include <stdint.h>

enum {
    LW_LATENCY_HISTOGRAM_STEPS = 4, /* a doubling; a power of two */
    LW_LATENCY_HISTOGRAM_BUCKETS =
        30 * LW_LATENCY_HISTOGRAM_STEPS, /* up to 18 minutes; what is longer is in the last */
};

/* Starts zeroed. */
typedef struct lw_latency_histogram {
    uint64_t counts[LW_LATENCY_HISTOGRAM_BUCKETS];
} lw_latency_histogram;

/* |count| things took |ns| each; a negative time counts as 0. */
void lw_latency_histogram_add(lw_latency_histogram *latencies, int64_t ns, uint64_t count);

/* Adds all of |more|. */
void lw_latency_histogram_merge(lw_latency_histogram *latencies, const lw_latency_histogram *more);

/* Microseconds below which everything in |bucket| is, except in the last one. */
uint64_t lw_latency_below_us(unsigned bucket);

#endif
