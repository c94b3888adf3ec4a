/* SPDX-License-Identifier: Apache-2.0 */
/* flow_stats.h -- what is counted for each FlowSchema of a priority level, and how soon rejected
 * clients should come again.  Threads: one at a time; the level has the lock. */
#ifndef LW_SERVER_FLOWCONTROL_FLOW_STATS_H
#define LW_SERVER_FLOWCONTROL_FLOW_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dlist.h"

enum {
    LW_FLOW_BUCKETS_MAX = 14,
    LW_FLOW_RETRY_AFTER_MAX_S = 32,
};

typedef enum lw_flow_reason {
    LW_FLOW_REASON_QUEUE_FULL,
    LW_FLOW_REASON_CONCURRENCY_LIMIT,
    LW_FLOW_REASON_TIME_OUT,
    LW_FLOW_REASONS,
} lw_flow_reason;

/* The upper bounds of a histogram's buckets, and how they are written. */
typedef struct lw_flow_buckets {
    size_t count;
    int64_t bounds[LW_FLOW_BUCKETS_MAX];
    const char *labels[LW_FLOW_BUCKETS_MAX];
} lw_flow_buckets;

extern const lw_flow_buckets lw_flow_duration_buckets; /* ns, written in seconds */
extern const lw_flow_buckets lw_flow_length_buckets;
extern const lw_flow_buckets lw_flow_seats_buckets;

typedef struct lw_flow_histogram {
    uint64_t counts[LW_FLOW_BUCKETS_MAX + 1]; /* per bucket, not cumulated; the last has no bound */
    uint64_t count;
    int64_t sum;
} lw_flow_histogram;

void lw_flow_histogram_add(lw_flow_histogram *histogram, const lw_flow_buckets *buckets,
                           int64_t value);

typedef struct lw_flow_stats {
    lw_dlist_node link; /* in the level's list */
    char *schema;       /* name of the FlowSchema */
    size_t users;       /* configurations that refer to it */
    uint64_t dispatched;
    uint64_t rejected[LW_FLOW_REASONS];
    uint64_t waiting_requests, waiting_seats;
    uint64_t executing_requests, executing_seats;
    lw_flow_histogram waits[2];      /* [is executed] */
    lw_flow_histogram executions[2]; /* [is watch] */
    lw_flow_histogram queue_lengths, seats;
} lw_flow_stats;

/* The Retry-After of a level: it doubles while many requests are rejected and falls by one second
 * at a time afterwards, like the window of TCP. */
typedef struct lw_flow_retry {
    int64_t second; /* the second that is being counted */
    uint64_t count;
    struct {
        int64_t second;
        uint64_t count;
    } history[LW_FLOW_RETRY_AFTER_MAX_S + 1]; /* the oldest first */
    size_t history_count;
    int64_t after_s; /* 0: none was rejected yet, which means 1 */
    int64_t raised_s;
} lw_flow_retry;

/* Notes a rejection in this second and returns how many seconds its client should wait. */
int64_t lw_flow_retry_note(lw_flow_retry *retry, int64_t second);

#endif
