/* SPDX-License-Identifier: Apache-2.0 */
/* flow_stats.c -- counts of requests, and how soon rejected clients should come again. */
#include "server/flowcontrol/flow_stats.h"

#include <string.h>

#include "base/clock.h"

#define MS LW_NS_PER_MS
#define S  LW_NS_PER_S

const lw_flow_buckets lw_flow_duration_buckets = {
    13,
    { 0, 5 * MS, 20 * MS, 50 * MS, 100 * MS, 200 * MS, 500 * MS, 1 * S, 2 * S, 5 * S, 10 * S,
      15 * S, 30 * S },
    { "0", "0.005", "0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "5", "10", "15", "30" }
};
const lw_flow_buckets lw_flow_length_buckets = { 8,
                                                 { 0, 10, 25, 50, 100, 250, 500, 1000 },
                                                 { "0", "10", "25", "50", "100", "250", "500",
                                                   "1000" } };
const lw_flow_buckets lw_flow_seats_buckets = { 8,
                                                { 1, 2, 4, 8, 16, 32, 64, 100 },
                                                { "1", "2", "4", "8", "16", "32", "64", "100" } };

void lw_flow_histogram_add(lw_flow_histogram *histogram, const lw_flow_buckets *buckets,
                           int64_t value)
{
    size_t i = 0;
    while (i < buckets->count && value > buckets->bounds[i])
        i++;
    histogram->counts[i]++;
    histogram->count++;
    histogram->sum += value;
}

/* Moves the counted second to the history and drops what is too old to matter. */
static void remember(lw_flow_retry *retry)
{
    int64_t max_age_s = 2 * retry->after_s;
    size_t old = 0;
    if (max_age_s > LW_FLOW_RETRY_AFTER_MAX_S)
        max_age_s = LW_FLOW_RETRY_AFTER_MAX_S;
    while (old < retry->history_count && retry->second - retry->history[old].second > max_age_s)
        old++;
    if (old == 0 && retry->history_count > LW_FLOW_RETRY_AFTER_MAX_S)
        old = 1;
    retry->history_count -= old;
    memmove(retry->history, retry->history + old, retry->history_count * sizeof(retry->history[0]));
    retry->history[retry->history_count].second = retry->second;
    retry->history[retry->history_count].count = retry->count;
    retry->history_count++;
}

static uint64_t count_since(const lw_flow_retry *retry, int64_t second)
{
    uint64_t count = 0;
    for (size_t i = 0; i < retry->history_count; i++) {
        if (second - retry->history[i].second <= retry->after_s)
            count += retry->history[i].count;
    }
    return count;
}

static void adjust(lw_flow_retry *retry, int64_t second)
{
    uint64_t rejected = count_since(retry, second);
    if (second - retry->raised_s >= retry->after_s && rejected >= 3 * (uint64_t)retry->after_s) {
        retry->after_s *= 2;
        if (retry->after_s > LW_FLOW_RETRY_AFTER_MAX_S)
            retry->after_s = LW_FLOW_RETRY_AFTER_MAX_S;
        retry->raised_s = second;
    } else if (rejected < (uint64_t)retry->after_s && retry->after_s > 1) {
        retry->after_s--;
    }
}

int64_t lw_flow_retry_note(lw_flow_retry *retry, int64_t second)
{
    if (retry->after_s == 0)
        retry->after_s = 1;
    if (retry->second == second) {
        retry->count++;
        return retry->after_s;
    }
    remember(retry);
    retry->second = second;
    retry->count = 1;
    adjust(retry, second);
    return retry->after_s;
}
