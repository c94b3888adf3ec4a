/* SPDX-License-Identifier: Apache-2.0 */
/* latency_histogram.c -- a histogram of latencies.
 *
 * Buckets 0 to 3 are for 0, 1, 2 and 3 us.  Above, the highest bit of the microseconds determines
 * the doubling, and the two bits below it the bucket in it. */
#include "base/metrics/latency_histogram.h"

enum {
    STEP_BITS = 2,
};

_Static_assert(1 << STEP_BITS == LW_LATENCY_HISTOGRAM_STEPS, "the bits count the steps");

static unsigned bucket_of(uint64_t us)
{
    if (us < LW_LATENCY_HISTOGRAM_STEPS)
        return (unsigned)us;
    unsigned high = 63u - (unsigned)__builtin_clzll(us);
    unsigned step = (unsigned)(us >> (high - STEP_BITS)) & (LW_LATENCY_HISTOGRAM_STEPS - 1);
    unsigned bucket = (high - STEP_BITS + 1) * LW_LATENCY_HISTOGRAM_STEPS + step;
    return bucket < LW_LATENCY_HISTOGRAM_BUCKETS ? bucket : LW_LATENCY_HISTOGRAM_BUCKETS - 1;
}

void lw_latency_histogram_add(lw_latency_histogram *histogram, int64_t ns, uint64_t count)
{
    histogram->counts[bucket_of(ns > 0 ? (uint64_t)ns / 1000 : 0)] += count;
}

void lw_latency_histogram_merge(lw_latency_histogram *histogram, const lw_latency_histogram *more)
{
    for (unsigned i = 0; i < LW_LATENCY_HISTOGRAM_BUCKETS; i++)
        histogram->counts[i] += more->counts[i];
}

uint64_t lw_latency_below_us(unsigned bucket)
{
    unsigned next = bucket + 1;
    if (next < LW_LATENCY_HISTOGRAM_STEPS)
        return next;
    unsigned shift = next / LW_LATENCY_HISTOGRAM_STEPS - 1;
    return (uint64_t)(LW_LATENCY_HISTOGRAM_STEPS + next % LW_LATENCY_HISTOGRAM_STEPS) << shift;
}
