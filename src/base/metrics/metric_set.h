/* SPDX-License-Identifier: Apache-2.0 */
/* metric_set.h -- one metric whose series are found by the text of their labels: a counter, or a
 * histogram of durations.
 *
 * Threads: any.  A series is made when it is first counted; beyond LW_METRIC_SERIES_MAX no new ones
 * are made, so that labels from outside cannot fill the memory. */
#ifndef LW_BASE_METRICS_METRIC_SET_H
#define LW_BASE_METRICS_METRIC_SET_H

#include "base/buf.h"
#include "base/map.h"
#include "base/metrics/histogram.h"
#include "base/sync.h"

enum {
    LW_METRIC_SERIES_MAX = 4096,
    LW_METRIC_LABELS_MAX = 2048, /* bytes of the labels of one series */
};

typedef struct lw_metric_set {
    lw_histogram_bounds bounds; /* in microseconds; NULL: a counter */
    lw_mutex mu;
    lw_map series; /* mu */
} lw_metric_set;

void lw_metric_set_init(lw_metric_set *set, lw_histogram_bounds bounds);
void lw_metric_set_done(lw_metric_set *set);

/* Adds one to the series with |labels|: name="x",type="y". */
void lw_metric_set_count(lw_metric_set *set, const lw_buf *labels);

/* Adds a duration to the series with |labels|; the set has bounds. */
void lw_metric_set_observe(lw_metric_set *set, const lw_buf *labels, int64_t ns);

/* Appends the metric in the text format; nothing if it has no series. */
void lw_metric_set_write(lw_metric_set *set, const char *name, const char *help, lw_buf *out);

#endif
