/* SPDX-License-Identifier: Apache-2.0 */
/* workqueue_metrics.h -- what a work queue counts, as client-go does. */
#ifndef LW_INFORMER_WORKQUEUE_METRICS_H
#define LW_INFORMER_WORKQUEUE_METRICS_H

#include <listwatch/workqueue.h>

#include "base/metrics/histogram.h"

/* The bounds of its histograms: 10 ns to 1000 s. */
extern const lw_histogram_bound lw_workqueue_bounds[];

typedef struct lw_workqueue_counts {
    uint64_t adds, retries;
    lw_histogram queued; /* time in the queue */
    lw_histogram worked; /* time of processing */
} lw_workqueue_counts;

typedef struct lw_workqueue_metrics {
    lw_workqueue_counts counts;
    size_t depth;
    uint64_t unfinished_ns; /* sum of the times that keys have been processed until now */
    uint64_t longest_ns;    /* the longest of them */
} lw_workqueue_metrics;

/* Any thread.  Takes time for each key that is being processed. */
void lw_workqueue__metrics(lw_workqueue *queue, lw_workqueue_metrics *out);

#endif
