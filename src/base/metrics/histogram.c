/* SPDX-License-Identifier: Apache-2.0 */
/* histogram.c -- histograms with given bounds. */
#include "base/metrics/histogram.h"

void lw_histogram_add(lw_histogram *histogram, lw_histogram_bounds bounds, uint64_t value)
{
    size_t bucket = 0;
    while (bounds[bucket].text && value > bounds[bucket].max)
        bucket++;
    lw_counter_add(&histogram->counts[bucket], 1);
    lw_counter_add(&histogram->sum, value);
}

void lw_histogram_merge(lw_histogram *histogram, const lw_histogram *more)
{
    for (size_t i = 0; i < LW_HISTOGRAM_BUCKETS; i++)
        lw_counter_add(&histogram->counts[i], lw_counter_read(&more->counts[i]));
    lw_counter_add(&histogram->sum, lw_counter_read(&more->sum));
}

uint64_t lw_histogram_count(const lw_histogram *histogram)
{
    uint64_t count = 0;
    for (size_t i = 0; i < LW_HISTOGRAM_BUCKETS; i++)
        count += lw_counter_read(&histogram->counts[i]);
    return count;
}
